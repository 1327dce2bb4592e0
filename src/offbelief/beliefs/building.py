"""Hand models from their settings, the settings as plain data, and the games that each kind of model reads."""

import dataclasses
from typing import Any, TypeAlias

import torch

from offbelief.beliefs.hanabi_game import HanabiGame, ViewSettings
from offbelief.beliefs.hand_model import HandModel, HandModelSettings, LearnedBelief
from offbelief.beliefs.recurrent_hand_model import RecurrentBelief, RecurrentHandModel, RecurrentHandSettings
from offbelief.games.hanabi.variant import HanabiVariant

HandSettings: TypeAlias = HandModelSettings | RecurrentHandSettings
Belief: TypeAlias = LearnedBelief | RecurrentBelief

_KINDS: dict[str, type[HandSettings]] = {"card-wise": HandModelSettings, "recurrent": RecurrentHandSettings}


def write_hand_settings(settings: HandSettings) -> dict[str, Any]:
    """Write the settings of a hand model as plain data, with the kind of model."""
    kind = next(name for name, known in _KINDS.items() if isinstance(settings, known))
    return {"kind": kind, **dataclasses.asdict(settings)}


def read_hand_settings(values: dict[str, Any]) -> HandSettings:
    """Read them back; card-wise if no kind is named, as before there were others."""
    widths = dict(values)
    return _KINDS[widths.pop("kind", "card-wise")](**widths)


def build_belief(variant: HanabiVariant | str, settings: HandSettings, device: torch.device | None = None) -> Belief:
    """A belief that begins as card counting, with fresh weights from torch's generator."""
    if isinstance(settings, RecurrentHandSettings):
        seen = HanabiGame(variant, "v0-belief")
        return RecurrentBelief(seen, RecurrentHandModel(seen, settings).to(device or "cpu"), device)
    game = HanabiGame(variant, view=ViewSettings(memory=True))
    return LearnedBelief(game, HandModel(game, settings).to(device or "cpu"), device)
