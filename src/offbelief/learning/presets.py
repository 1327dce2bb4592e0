"""Configs to start from, by name: METHOD[-LEVEL]-VARIANT, as `obl train` spells them."""

import functools
from collections.abc import Callable
from typing import Any

from offbelief.beliefs.hanabi_game import ViewSettings
from offbelief.learning.config import RunConfig
from offbelief.learning.fictitious import FictitiousSettings
from offbelief.learning.learner import LearnerSettings
from offbelief.learning.paper_presets import PAPER_PRESETS
from offbelief.learning.replay import ReplaySettings
from offbelief.nouns import UserError


def _laptop(preset: str, game: str, **changes: object) -> RunConfig:
    return RunConfig(preset=preset, game=game, **changes)  # type: ignore[arg-type]


def _mini(preset: str, **changes: object) -> RunConfig:
    """Settings that learn `mini` in about a minute of one core."""
    replay = ReplaySettings(capacity=32_768)
    return _laptop(preset, "mini", games=256, batch_size=256, replay=replay, warmup=2048, minutes=1.0, **changes)


# The paper's own target, errors weighed by how certain it is, and a learning rate that stays high, since the averaged
# network takes care of noise. What either is worth: experiments/learner_settings.py.
_CERTAIN: dict[str, Any] = {
    "fictitious": FictitiousSettings(continuation=0.0, max_rounds=0),
    "learner": LearnerSettings(final_learning_rate=2.5e-4, certainty=0.75, certainty_floor=0.1),
}

# Conventions live on what was done before, so self-play remembers; and since what a move means depends on who explores
# how often, it explores less than OBL, whose targets come from imagined games without exploration.
_SELF_PLAY: dict[str, Any] = {
    "shuffle_colours": False,
    "view": ViewSettings(memory=True),
    "exploration": (0.0, 0.01, 0.03, 0.1),
}
_SELF_PLAY_METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "iql": ("independent Q-learning in self-play", {"method": "iql"}),
    "vdn": ("one joint value, the sum over seats (VDN)", {"method": "vdn", "n_step": 3}),
    "op": (
        "Other-Play: every seat has its own names of colours",
        {"method": "iql", "other_play": True, "shuffle_colours": True},
    ),
    "sad": (
        "SAD: VDN that is told the greedy move beside the exploring one",
        {"method": "vdn", "n_step": 3, "view": ViewSettings(last_move=True, announced=True)},
    ),
    "aux": (
        "AUX: independent Q-learning that also guesses what its cards are",
        {"method": "iql", "learner": LearnerSettings(card_task=0.25)},
    ),
}


def _self_play_2p(name: str) -> RunConfig:
    return _laptop(f"{name}-2p", "full-2p", **{**_SELF_PLAY, **_SELF_PLAY_METHODS[name][1]})


def _self_play_mini(name: str) -> RunConfig:
    return _mini(f"{name}-mini", **{**_SELF_PLAY, **_SELF_PLAY_METHODS[name][1]})


PRESETS: dict[str, tuple[str, Callable[[], RunConfig]]] = {
    "obl-1-2p": ("OBL level 1, full two-player Hanabi", lambda: _laptop("obl-1-2p", "full-2p", **_CERTAIN)),
    "obl-1-3p": ("OBL level 1, full three-player Hanabi", lambda: _laptop("obl-1-3p", "full-3p", **_CERTAIN)),
    "obl-1-mini": ("OBL level 1, three colours and ranks, a minute", lambda: _mini("obl-1-mini")),
    "obl-1-bellman-2p": (
        "OBL level 1 with the paper's own target (Eq. 4): no continuation",
        lambda: _laptop("obl-1-bellman-2p", "full-2p", fictitious=FictitiousSettings(continuation=0.0, max_rounds=0)),
    ),
    "obl-1-critic-2p": (
        "OBL level 1, counterfactual form (Eqs. 1-3) through a critic who sees all cards",
        lambda: _laptop("obl-1-critic-2p", "full-2p", fictitious=FictitiousSettings(form="critic")),
    ),
    "obl-1-one-step-2p": (
        "OBL level 1 as the paper's public code has it: one imagined move, and a learned value of waiting",
        lambda: _laptop("obl-1-one-step-2p", "full-2p", fictitious=FictitiousSettings(form="one-step")),
    ),
    **{
        f"{name}-2p": (f"{meaning}, full two-player Hanabi", functools.partial(_self_play_2p, name))
        for name, (meaning, _) in _SELF_PLAY_METHODS.items()
    },
    **{
        f"{name}-mini": (f"{meaning}, three colours and ranks, a minute", functools.partial(_self_play_mini, name))
        for name, (meaning, _) in _SELF_PLAY_METHODS.items()
    },
    **PAPER_PRESETS,
}


def find_preset(name: str) -> RunConfig:
    """Find a preset by its name.

    Raises:
        UserError: there is none; lists them.
    """
    if name not in PRESETS:
        raise UserError(f"There is no preset '{name}'; choose one of {', '.join(PRESETS)}.")
    return PRESETS[name][1]()
