"""The auxiliary card task (AUX, Hu and Foerster 2020): learn on the side what one's own cards are.

Each own card is playable now, already played, or neither; cards that can never be played but are not on the table count
as neither, as in the public code. The true hand, which the seat does not see, is the label. The head that answers is in
`agents/networks/heads.py`; the loss is the learner's.

Differs from the public code: there every seat answers at every move of the game; here the acting seat.
"""

import numpy as np

from offbelief.games.hanabi.state import NO_CARD
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import AnyArray, IntArray

PLAYABLE, PLAYED, NEITHER = 0, 1, 2
NO_LABEL = -1


def card_labels(states: AnyArray, variant: HanabiVariant, seats: IntArray | None = None) -> IntArray:
    """What a seat's cards are.

    Args:
        states: [B] games.
        variant: their rules.
        seats: [B] whose cards; by default the acting seats'.

    Returns:
        [B, H] PLAYABLE, PLAYED or NEITHER; NO_LABEL for an empty slot.
    """
    games = np.arange(len(states))
    hands = states["hands"][games, states["acting_seat"] if seats is None else seats, : variant.hand_size]
    cards = np.where(hands == NO_CARD, 0, hands).astype(np.int64)
    heights = np.take_along_axis(states["fireworks"], cards // variant.ranks, axis=1)
    ranks = cards % variant.ranks
    labels = np.where(ranks == heights, PLAYABLE, np.where(ranks < heights, PLAYED, NEITHER))
    return np.where(hands == NO_CARD, NO_LABEL, labels)
