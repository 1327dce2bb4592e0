"""The paper's own settings (Table 2, appendix B), for a machine with a GPU.

Where the paper is silent, its public code decides: 80 x 80 games side by side, the first seat drawn at random, games
cut after 80 moves, each sequence used four to five times before it is forgotten (here 7 updates of 128 per move of all
games), and the network that learns is what a run delivers, not an average of it.

Differs from the paper: the belief of level 1 is exact instead of learned, and a game that is cut keeps its points.

On one core a finished run would take years; the laptop presets of `presets.py` are what this library uses instead.
"""

from collections.abc import Callable

from offbelief.agents.acting import paper_epsilons
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.beliefs.hanabi_game import ViewSettings
from offbelief.learning.config import RunConfig
from offbelief.learning.fictitious import FictitiousSettings
from offbelief.learning.learner import LearnerSettings
from offbelief.learning.replay import ReplaySettings

GAMES = 80 * 80
UPDATES_PER_STEP = 7
MOVES_PER_GAME = 65
"""About how long a game of a trained agent is; turns the paper's warm-up of sequences into moves."""
SMALLEST_RATE = 1e-6
"""Smaller rates of exploration are none, as in the public code."""


def paper_learner(**changes: object) -> LearnerSettings:
    """Table 2's optimization."""
    settings: dict[str, object] = {
        "learning_rate": 6.25e-5,
        "final_learning_rate": 6.25e-5,
        "adam_epsilon": 1.5e-5,
        "gradient_clip": 5.0,
        "loss": "huber",
        "target_period": 2500,
        "average_rate": 1.0,
    }
    return LearnerSettings(**{**settings, **changes})  # type: ignore[arg-type]


def paper_config(preset: str, *, updates: int, **changes: object) -> RunConfig:
    """Table 2, for two players."""
    settings: dict[str, object] = {
        "game": "full-2p+random-start+cap80",
        "steps": updates // UPDATES_PER_STEP,
        "games": GAMES,
        "updates_per_step": UPDATES_PER_STEP,
        "batch_size": 128,
        "replay": ReplaySettings(capacity=100_000, priority_exponent=0.9, importance_exponent=0.6),
        "warmup": 10_000 // 2 * MOVES_PER_GAME,
        "exploration": tuple(float(rate) if rate >= SMALLEST_RATE else 0.0 for rate in paper_epsilons(80)),
        "n_step": 3,
        "shuffle_colours": False,
        "fictitious": FictitiousSettings(form="one-step", discount=0.999),
        "learner": paper_learner(),
        "network": RecurrentSettings(memory="lstm"),
        "evaluations": updates // 1000,
    }
    return RunConfig(preset=preset, **{**settings, **changes})  # type: ignore[arg-type]


PAPER_PRESETS: dict[str, tuple[str, Callable[[], RunConfig]]] = {
    "paper-obl-1-2p": (
        "OBL level 1: public-LSTM, sequences, one-step imagined targets",
        lambda: paper_config(
            "paper-obl-1-2p", updates=1_500_000, method="obl", n_step=1, network=RecurrentSettings(memory="public-lstm")
        ),
    ),
    "paper-iql-2p": (
        "independent Q-learning with an LSTM",
        lambda: paper_config("paper-iql-2p", updates=2_000_000, method="iql"),
    ),
    "paper-vdn-2p": (
        "VDN with an LSTM",
        lambda: paper_config("paper-vdn-2p", updates=2_000_000, method="vdn"),
    ),
    "paper-op-2p": (
        "Other-Play with AUX and the public-LSTM",
        lambda: paper_config(
            "paper-op-2p",
            updates=2_000_000,
            method="iql",
            other_play=True,
            learner=paper_learner(card_task=0.25),
            network=RecurrentSettings(memory="public-lstm"),
        ),
    ),
    "paper-sad-2p": (
        "SAD: VDN with an LSTM that is told greedy moves",
        lambda: paper_config("paper-sad-2p", updates=2_000_000, method="vdn", view=ViewSettings(announced=True)),
    ),
}
