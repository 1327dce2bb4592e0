"""Beliefs and ladders to start from, by name, beside the policies of `presets.py`."""

from collections.abc import Callable
from dataclasses import replace

from offbelief.agents.networks.cardwise import CardwiseSettings
from offbelief.beliefs.hand_model import HandModelSettings
from offbelief.beliefs.recurrent_hand_model import RecurrentHandSettings
from offbelief.learning.belief_config import BeliefConfig
from offbelief.learning.config import RunConfig
from offbelief.learning.levels import LadderConfig, higher_level
from offbelief.learning.paper_presets import paper_config
from offbelief.learning.presets import find_preset
from offbelief.precision import Precision

BELIEF_SHARE = 0.4
"""Share of a rung's minutes that its belief gets; the policy, which learns faster by now, gets the rest."""


def _belief(preset: str, game: str, **changes: object) -> BeliefConfig:
    return BeliefConfig(preset=preset, game=game, **changes)  # type: ignore[arg-type]


def _full_belief(preset: str, game: str) -> BeliefConfig:
    """Deeper than beliefs of small games, and in no hurry: level 3 gains from a belief that is better trained."""
    return _belief(preset, game, minutes=12.0, model=HandModelSettings(slope=0.1, residual_width=384))


def _mini_belief(preset: str) -> BeliefConfig:
    """Settings that learn a belief on `mini` in half a minute of one core."""
    return _belief(preset, "mini", games=256, batch_size=256, capacity=16_384, warmup=2048, minutes=0.5)


def _paper_belief(preset: str) -> BeliefConfig:
    """The public code's 40 x 40 games and half a million updates; each sequence is used about five times."""
    policy, updates_per_step = paper_config("", updates=500_000), 2
    return _belief(
        preset,
        policy.game,
        steps=500_000 // updates_per_step,
        games=40 * 40,
        updates_per_step=updates_per_step,
        batch_size=policy.batch_size,
        capacity=policy.replay.capacity,
        warmup=policy.warmup,
        exploration=policy.exploration,
        shuffle_colours=False,
        learning_rate=policy.learner.learning_rate,
        final_learning_rate=policy.learner.final_learning_rate,
        adam_epsilon=policy.learner.adam_epsilon,
        gradient_clip=policy.learner.gradient_clip,
        average_rate=policy.learner.average_rate,
        model=RecurrentHandSettings(),
        evaluations=policy.evaluations,
    )


def _upper(preset: str, level_1: RunConfig, minutes: float, final_learning_rate: float) -> RunConfig:
    """Level 2 and up: as level 1, but deeper and with memory, less exploration and a lower learning rate.

    There is more to read from level 2 on: a level 2 that had stopped went on to 23.30 with residual layers and to
    23.13 without (experiments/level2_limits.py).
    """
    assert isinstance(level_1.network, CardwiseSettings)
    return replace(
        higher_level(level_1),
        network=replace(level_1.network, residual_width=level_1.network.trunk_width * 3 // 2),
        preset=preset,
        minutes=minutes,
        exploration=(0.0, 0.02, 0.05, 0.15),
        learner=replace(level_1.learner, learning_rate=5e-4, final_learning_rate=final_learning_rate),
    )


def _ladder(
    preset: str, level_1: str, belief: BeliefConfig, minutes: float, final_learning_rate: float = 2.5e-4
) -> LadderConfig:
    first = find_preset(level_1)
    policy = _upper(preset, first, minutes, final_learning_rate)
    return LadderConfig(preset=preset, first=first, belief=belief, policy=policy)


def _paper_ladder(preset: str) -> LadderConfig:
    """The public code's levels have the same settings, each beginning with the weights of the one below."""
    first = find_preset("paper-obl-1-2p")
    return LadderConfig(
        preset=preset,
        first=first,
        belief=_paper_belief("paper-belief-2p"),
        policy=replace(higher_level(first), preset=preset),
        exploration_falls=1.0,
    )


BELIEF_PRESETS: dict[str, tuple[str, Callable[[], BeliefConfig]]] = {
    "belief-2p": ("belief of --of AGENT, full two-player Hanabi", lambda: _full_belief("belief-2p", "full-2p")),
    "belief-3p": ("belief of --of AGENT, full three-player Hanabi", lambda: _full_belief("belief-3p", "full-3p")),
    "belief-mini": ("belief of --of AGENT, three colours and ranks", lambda: _mini_belief("belief-mini")),
    "belief-lstm-mini": (
        "the same by a small LSTM over what a seat saw",
        lambda: replace(
            _mini_belief("belief-lstm-mini"),
            batch_size=64,  # sequences
            capacity=4096,
            minutes=3.0,
            learning_rate=5e-3,
            final_learning_rate=5e-4,
            average_rate=0.01,
            model=RecurrentHandSettings(width=64, card_width=16),
        ),
    ),
    "paper-belief-2p": (
        "belief of --of AGENT: an LSTM over what a seat saw",
        lambda: _paper_belief("paper-belief-2p"),
    ),
}

LADDER_PRESETS: dict[str, tuple[str, Callable[[], LadderConfig]]] = {
    "ladder-2p": (
        "OBL levels 1 to 4, full two-player Hanabi",
        lambda: _ladder("ladder-2p", "obl-1-2p", _full_belief("belief-2p", "full-2p"), 50.0),
    ),
    "ladder-3p": (
        "OBL levels 1 to 4, full three-player Hanabi",
        lambda: _ladder("ladder-3p", "obl-1-3p", _full_belief("belief-3p", "full-3p"), 50.0),
    ),
    "ladder-mini": (
        "OBL levels 1 to 4, three colours and ranks, some minutes",
        lambda: _ladder("ladder-mini", "obl-1-mini", _mini_belief("belief-mini"), 1.0, final_learning_rate=3e-5),
    ),
    "paper-ladder-2p": (
        "OBL levels 1 to 4: public-LSTM policies and LSTM beliefs",
        lambda: _paper_ladder("paper-ladder-2p"),
    ),
}


def with_minutes(ladder: LadderConfig, minutes: float) -> LadderConfig:
    """The same ladder with so many CPU-minutes for every rung, belief and policy together."""
    return replace(
        ladder,
        minutes_per_rung=minutes,
        first=replace(ladder.first, minutes=minutes, steps=0),
        belief=replace(ladder.belief, minutes=BELIEF_SHARE * minutes, steps=0),
        policy=replace(ladder.policy, minutes=(1 - BELIEF_SHARE) * minutes, steps=0),
    )


def with_precision(ladder: LadderConfig, precision: Precision) -> LadderConfig:
    """The same ladder with every rung's matrix products computed so."""
    return replace(
        ladder,
        first=replace(ladder.first, precision=precision),
        belief=replace(ladder.belief, precision=precision),
        policy=replace(ladder.policy, precision=precision),
    )
