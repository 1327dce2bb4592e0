"""Configs to start from, by name: METHOD[-LEVEL]-VARIANT, as `obl train` spells them."""

from collections.abc import Callable

from offbelief.learning.config import RunConfig
from offbelief.learning.fictitious import FictitiousSettings
from offbelief.learning.paper_presets import PAPER_PRESETS
from offbelief.learning.replay import ReplaySettings
from offbelief.nouns import UserError


def _laptop(preset: str, game: str, **changes: object) -> RunConfig:
    return RunConfig(preset=preset, game=game, **changes)  # type: ignore[arg-type]


def _mini(preset: str, **changes: object) -> RunConfig:
    """Settings that learn `mini` in about a minute of one core."""
    replay = ReplaySettings(capacity=32_768)
    return _laptop(preset, "mini", games=256, batch_size=256, replay=replay, warmup=2048, minutes=1.0, **changes)


PRESETS: dict[str, tuple[str, Callable[[], RunConfig]]] = {
    "obl-1-2p": ("OBL level 1, full two-player Hanabi", lambda: _laptop("obl-1-2p", "full-2p")),
    "obl-1-3p": ("OBL level 1, full three-player Hanabi", lambda: _laptop("obl-1-3p", "full-3p")),
    "obl-1-mini": ("OBL level 1, three colours and ranks, a minute", lambda: _mini("obl-1-mini")),
    "iql-2p": (
        "independent Q-learning in self-play, full two-player Hanabi",
        lambda: _laptop("iql-2p", "full-2p", method="iql", shuffle_colours=False),
    ),
    "iql-mini": (
        "independent Q-learning, three colours and ranks",
        lambda: _mini("iql-mini", method="iql", shuffle_colours=False),
    ),
    "obl-1-bellman-2p": (
        "OBL level 1 with the paper's own target (Eq. 4): no continuation",
        lambda: _laptop("obl-1-bellman-2p", "full-2p", fictitious=FictitiousSettings(continuation=0.0, max_rounds=0)),
    ),
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
