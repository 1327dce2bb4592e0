"""What the acting seat can deduce, worked out once per decision: `SEAT_FACTS`, filled by `look_one`.

Rules read other seats' cards from the game, and everything about their own hand from here; nothing in this package
reads the kinds of the acting seat's own cards, the deck or the game's random stream. What follows from the facts is in
`rules`.

Sets of card kinds are whole numbers, bit k for kind k. Three words with one meaning each:

- *playable*: would score if played now.
- *useless*: can never score, because it was played already, or all copies of it or of a lower card of its colour that
  is still needed are discarded.
- *told*: a hint named the attribute. Hints that passed a card over rule kinds out but tell nothing, in this sense.
"""

import numpy as np

from offbelief.games.hanabi.kernels import Integer, legal_bits_one
from offbelief.games.hanabi.knowledge import possible_kinds_one, private_counts_one
from offbelief.games.hanabi.variant import (
    CARD_KINDS,
    COLOURS,
    COPIES_BY_KIND,
    MAX_COLOURS,
    MAX_HAND_SIZE,
    MAX_KINDS,
    RANKS,
)
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, IntArray

SEAT_FACTS = np.dtype(
    [
        # The seat whose turn it is.
        ("seat", np.int64),
        # Its legal moves, bit m for move m.
        ("legal", np.int64),
        # Kinds that are playable.
        ("playable", np.int64),
        # Kinds that are useless.
        ("useless", np.int64),
        # How high each colour can still be built, in cards; the colour's useful cards have a lower rank than this.
        ("reachable", np.int64, (MAX_COLOURS,)),
        # Cards the seat has not seen, by kind: those in the deck and in its own hand.
        ("unseen", np.int64, (MAX_KINDS,)),
        # Kinds that each card of its own hand can be, by every hint and by counting what is unseen; 0 for no card.
        ("possible", np.int64, (MAX_HAND_SIZE,)),
    ],
    align=True,
)
"""What one seat can deduce in one game; one record serves as the scratch paper of a whole batch."""

NOT_TOLD = -1
"""Stands for a colour or rank that no hint has named."""

_ONE = np.int64(1)


@kernel
def look_one(game: np.void, parameters: IntArray, facts: np.void) -> None:
    """Fill in the facts of the seat whose turn it is."""
    colours, ranks = parameters[COLOURS], parameters[RANKS]
    seat = np.int64(game["acting_seat"])
    facts["seat"] = seat
    facts["legal"] = legal_bits_one(game, parameters)

    playable, useless = np.int64(0), np.int64(0)
    for colour in range(colours):
        height = np.int64(game["fireworks"][colour])
        reachable = height
        first_kind = colour * ranks
        while reachable < ranks:
            kind = first_kind + reachable
            if np.int64(game["discards"][kind]) == parameters[COPIES_BY_KIND + kind]:
                break
            reachable += 1
        facts["reachable"][colour] = reachable
        if height < ranks:
            playable |= _ONE << (first_kind + height)
        useful = (_ONE << reachable) - (_ONE << height)
        useless |= (((_ONE << ranks) - 1) & ~useful) << first_kind
    facts["playable"] = playable
    facts["useless"] = useless

    private_counts_one(game, parameters, seat, facts["unseen"])
    unseen_kinds = np.int64(0)
    for kind in range(parameters[CARD_KINDS]):
        if facts["unseen"][kind] > 0:
            unseen_kinds |= _ONE << kind
    for slot in range(MAX_HAND_SIZE):
        facts["possible"][slot] = possible_kinds_one(game, parameters, seat, slot) & unseen_kinds


@kernel
def contains_one(kinds: Integer, kind: Integer) -> bool:
    """Whether a set of kinds contains a kind."""
    return bool((kinds >> kind) & 1 == 1)


@kernel
def count_cards_one(kinds: Integer, unseen: AnyArray) -> np.int64:
    """Count the unseen cards whose kind is in a set."""
    count, kind = np.int64(0), 0
    while kinds >> kind != 0:
        if (kinds >> kind) & 1 == 1:
            count += unseen[kind]
        kind += 1
    return count


@kernel
def lowest_bit_one(bits: Integer) -> Integer:
    """Place of the lowest bit of a number that is not 0."""
    place = np.int64(0)
    while (bits >> place) & 1 == 0:
        place += 1
    return place


@kernel
def told_colour_one(game: np.void, seat: Integer, slot: Integer) -> Integer:
    """Colour that the owner of a card was told, or NOT_TOLD."""
    if game["colour_told"][seat, slot] == 1:
        return lowest_bit_one(np.int64(game["possible_colours"][seat, slot]))  # one bit is left once it was told
    return np.int64(NOT_TOLD)


@kernel
def told_rank_one(game: np.void, seat: Integer, slot: Integer) -> Integer:
    """Rank that the owner of a card was told, or NOT_TOLD."""
    if game["rank_told"][seat, slot] == 1:
        return lowest_bit_one(np.int64(game["possible_ranks"][seat, slot]))
    return np.int64(NOT_TOLD)


@kernel
def told_useless_one(parameters: IntArray, facts: np.void, colour: Integer, rank: Integer) -> bool:
    """Whether someone who was told this colour and this rank (or NOT_TOLD) of a card, no more, knows it is useless.

    So the colour alone is enough if nothing of it can score any more, and the rank alone if it can score in no colour.
    """
    colours, ranks = parameters[COLOURS], parameters[RANKS]
    rank_bits = (_ONE << ranks) - 1 if rank == NOT_TOLD else _ONE << rank
    kinds = np.int64(0)
    for each_colour in range(colours):
        if colour in (NOT_TOLD, each_colour):
            kinds |= rank_bits << (each_colour * ranks)
    return bool(kinds & ~facts["useless"] == 0)
