"""How the kinds of cards stand in a game: what is playable, useless or critical now, for whoever explains or draws it.

One game at a time and public information only. Kernels have their own tables (`views.cardwise`, scripted players).
"""

from dataclasses import dataclass

import numpy as np

from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import BoolArray


@dataclass(frozen=True, eq=False)
class CardStanding:
    """What each kind of card is good for, as the table stands."""

    playable: BoolArray
    """[K] would score if played now"""
    useless: BoolArray
    """[K] can never score: played already, or out of reach because a card below it is gone"""
    critical: BoolArray
    """[K] can still score, and all copies but one are discarded"""
    best_possible: int
    """Points that the fireworks can still reach."""


def card_standing(game: np.void, variant: HanabiVariant) -> CardStanding:
    """Say how the kinds of cards stand in a game (one record of HANABI_STATE)."""
    ranks = np.arange(variant.ranks)
    heights = game["fireworks"][: variant.colours, np.newaxis].astype(np.int64)
    left = np.array(variant.copies_by_kind) - game["discards"][: variant.card_kinds]
    lost = (left.reshape(variant.colours, variant.ranks) == 0) & (ranks >= heights)
    reaches = np.where(lost.any(axis=1), lost.argmax(axis=1), variant.ranks)  # up to the first rank that is lost
    useless = ((ranks < heights) | (ranks >= reaches[:, np.newaxis])).ravel()
    return CardStanding(
        playable=(ranks == heights).ravel() & ~useless,
        useless=useless,
        critical=(left == 1) & ~useless,
        best_possible=int(reaches.sum()),
    )
