"""What a training run is: one frozen dataclass that nests the settings of each part, and its JSON form.

Nothing changes a config after it is made. A run folder holds it as config.json, and loading a run reads that file.
"""

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from offbelief.agents.networks.building import NetworkSettings, read_network, write_network
from offbelief.agents.networks.cardwise import CardwiseSettings
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.beliefs.hanabi_game import ViewSettings
from offbelief.learning.fictitious import FictitiousSettings
from offbelief.learning.learner import LearnerSettings
from offbelief.learning.replay import ReplaySettings
from offbelief.nouns import UserError
from offbelief.precision import Precision, check_precision

TIMED_STEPS = 60
"""Steps that are timed to turn minutes into steps, after the first updates."""

GOLDEN_RATIO = 0.6180339887
"""Its multiples, modulo 1, are spread evenly however many there are."""

MethodName: TypeAlias = Literal["obl", "iql", "vdn"]


@dataclass(frozen=True, kw_only=True)
class RunConfig:
    """Everything that decides the outcome of a run on one machine."""

    preset: str = ""
    """The preset it started from."""
    game: str = "full-2p"
    """A Hanabi variant by name or spelled out, or a small game by name (toy, tiny-hanabi, ...)."""
    method: MethodName = "obl"
    """How targets are made: imagined from a belief (obl), or from the real game, for every seat alone (iql) or for all
    together (vdn)."""
    seed: int = 0
    """Of deals, exploration, imagination, replay and weights."""
    steps: int = 0
    """Steps of the whole run; 0 while `minutes` has not been turned into steps yet."""
    minutes: float = 60.0
    """CPU-minutes to plan for: the first steps are timed and `steps` follows from them."""
    games: int = 1024
    """Games played side by side; a step is one move in each."""
    updates_per_step: int = 4
    """Fixed ratio of learning to playing, so that the result does not depend on the machine's speed."""
    batch_size: int = 512
    """Transitions in an update."""
    replay: ReplaySettings = field(default_factory=ReplaySettings)
    """What is kept to learn from."""
    warmup: int = 8192
    """Transitions collected before the first update."""
    exploration: tuple[float, ...] = (0.0, 0.03, 0.1, 0.3)
    """Rates of exploration; game i uses the one at i modulo their number."""
    temperature: float = 0.0
    """Of Boltzmann acting where a game does not explore; 0 acts greedily."""
    n_step: int = 1
    """When a move of the real game is valued: so many turns of its own seat later (iql), or so many moves of the game
    (vdn; 3 in the paper)."""
    view: ViewSettings = field(default_factory=ViewSettings)
    """What a seat of Hanabi sees besides cards and table."""
    belief: str = ""
    """OBL imagines from this learned belief: a belief run's folder, or one of the zoo; from card counting if empty."""
    start_from: str = ""
    """An agent whose weights to begin with, such as the level below; fresh ones if empty."""
    other_play: bool = False
    """Other-Play: every seat has its own names for the colours, drawn anew for every game."""
    shuffle_colours: bool = True
    """Learn every transition under a random renaming of the colours, so that they come to mean the same. Self-play that
    may break the symmetry of colours, as plain IQL does, must not."""
    fictitious: FictitiousSettings = field(default_factory=FictitiousSettings)
    """Of OBL's imagined games."""
    learner: LearnerSettings = field(default_factory=LearnerSettings)
    """Of the network in training."""
    network: NetworkSettings = field(default_factory=lambda: CardwiseSettings(slope=0.1))
    """Which network, and its widths; small games need a feed-forward or recurrent one. A recurrent network learns from
    whole games: then batches and the replay count sequences (what a seat saw of a game), the warm-up and n_step count
    moves of the game, and every seat draws its rate of exploration when a game begins."""
    precision: Precision = "float32"
    """Of the matrix products. With bfloat16 training is half as fast again on processors that have instructions for it
    (AVX512-BF16), slower or impossible on others; evaluations and the trained agent compute in float32."""
    evaluations: int = 30
    """How often the averaged network is tried out in the course of the run."""
    evaluation_games: int = 1000
    """Games of each."""
    checkpoint_minutes: float = 5.0
    """Wall-clock minutes between checkpoints."""

    def __post_init__(self) -> None:
        for name in ("games", "updates_per_step", "batch_size", "evaluation_games"):
            if getattr(self, name) < 1:
                raise UserError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        check_precision(self.precision)
        if self.precision != "float32" and isinstance(self.network, RecurrentSettings):
            raise UserError("Recurrent networks are trained in float32 only; leave the precision as it is.")
        if self.fictitious.temperature > 0.0 and isinstance(self.network, RecurrentSettings):
            raise UserError("Recurrent networks imagine greedy play only; leave fictitious.temperature at 0.")
        if self.learner.certainty > 0.0 and isinstance(self.network, RecurrentSettings):
            raise UserError("Recurrent networks weigh all errors alike; leave learner.certainty at 0.")
        if self.steps < 0 or self.minutes <= 0:
            raise UserError("Give a positive number of minutes or steps.")
        if self.temperature < 0 or self.n_step < 1:
            raise UserError("temperature must be 0 or more, and n_step 1 or more.")
        if self.method == "obl" and self.view.announced:
            raise UserError("OBL imagines games in which nobody announces moves; choose the method iql or vdn.")
        if self.belief and self.method != "obl":
            raise UserError("A learned belief is what OBL imagines from; set the method obl, or leave the belief out.")
        if not self.exploration or not all(0.0 <= rate <= 1.0 for rate in self.exploration):
            raise UserError("exploration must be one rate or more between 0 and 1.")

    @property
    def timed_from(self) -> int:
        """The step from which every step learns and so takes its usual time."""
        return -(-self.warmup // self.games)

    def share_done(self, step: int) -> float:
        """Share of the run that is done, for schedules.

        Nothing moves while the first steps are timed, so that --minutes and --steps give the same run.
        """
        return step / self.steps if step >= self.timed_from + TIMED_STEPS else 0.0

    def moment(self, step: int) -> float:
        """Share of the run that is done, for what a step costs.

        The steps that are timed are spread evenly over the run, so that they take its usual time on average.
        """
        return self.share_done(step) if step >= self.timed_from + TIMED_STEPS else step * GOLDEN_RATIO % 1.0


def to_json(config: RunConfig) -> str:
    """Write a config as JSON."""
    values = dataclasses.asdict(config)
    return json.dumps({**values, "network": write_network(config.network)}, indent=1) + "\n"


def from_json(text: str) -> RunConfig:
    """Read a config back.

    Raises:
        UserError: it is not JSON, or names a setting that this version does not know.
    """
    try:
        values: dict[str, Any] = json.loads(text)
        return RunConfig(
            **{
                **values,
                "exploration": tuple(values["exploration"]),
                "view": ViewSettings(**values.get("view", {})),
                "fictitious": FictitiousSettings(**values["fictitious"]),
                "replay": ReplaySettings(**values["replay"]),
                "learner": LearnerSettings(**values["learner"]),
                "network": read_network(values["network"]),
            }
        )
    except (json.JSONDecodeError, TypeError, KeyError) as error:
        raise UserError(f"The run's config.json does not describe a run of this version: {error}.") from None
