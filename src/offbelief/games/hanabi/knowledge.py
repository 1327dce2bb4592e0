"""What hints and visible cards leave possible: kinds by hints, and counts of cards not seen to leave the game.

Hints and counts are kept apart here; `offbelief.beliefs.counting` puts them together. Kernels as in `kernels`: nothing
checks its inputs.
"""

import numpy as np

from offbelief.games.hanabi.kernels import Integer, spread_bits_one
from offbelief.games.hanabi.variant import CARD_KINDS, COLOURS, COPIES_BY_KIND, PLAYERS, RANKS
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, BoolArray, IntArray


@kernel
def possible_kinds_one(game: np.void, parameters: IntArray, seat: Integer, slot: Integer) -> Integer:
    """Kinds that hints leave possible for a card in hand, as bits, bit k for kind k; 0 for an empty slot.

    Counts of visible cards are not considered; see `public_counts_one` and `private_counts_one` for those.
    """
    colours = np.int64(game["possible_colours"][seat, slot])
    ranks = np.int64(game["possible_ranks"][seat, slot])
    bits = np.int64(0)
    for colour in range(parameters[COLOURS]):
        if (colours >> colour) & 1 == 1:
            bits |= ranks << (colour * parameters[RANKS])
    return bits


@kernel
def public_counts_one(game: np.void, parameters: IntArray, counts: IntArray) -> None:
    """Count, by kind, the cards that nobody has seen leave the game: full deck minus discards minus fireworks."""
    for kind in range(parameters[CARD_KINDS]):
        counts[kind] = parameters[COPIES_BY_KIND + kind] - np.int64(game["discards"][kind])
    first = np.int64(0)
    for colour in range(parameters[COLOURS]):
        for kind in range(first, first + np.int64(game["fireworks"][colour])):
            counts[kind] = np.int64(counts[kind]) - 1
        first += parameters[RANKS]


@kernel
def private_counts_one(game: np.void, parameters: IntArray, seat: Integer, counts: IntArray) -> None:
    """Count, by kind, the cards that a seat has not seen: those in the deck and in its own hand."""
    public_counts_one(game, parameters, counts)
    for other in range(parameters[PLAYERS]):
        if other != seat:
            for slot in range(np.int64(game["hand_sizes"][other])):
                kind = np.int64(game["hands"][other, slot])
                counts[kind] = np.int64(counts[kind]) - 1


@kernel
def possible_kinds(states: AnyArray, parameters: IntArray, seats: IntArray, possible: BoolArray) -> None:
    """Write what hints leave possible for the cards of ``seats`` [B] into ``possible`` [B, H, K]."""
    for index in range(len(states)):
        for slot in range(possible.shape[1]):
            spread_bits_one(possible_kinds_one(states[index], parameters, seats[index], slot), possible[index, slot])


@kernel
def public_counts(states: AnyArray, parameters: IntArray, counts: IntArray) -> None:
    """Write `public_counts_one` of every game into ``counts`` [B, K]."""
    for index in range(len(states)):
        public_counts_one(states[index], parameters, counts[index])


@kernel
def private_counts(states: AnyArray, parameters: IntArray, seats: IntArray, counts: IntArray) -> None:
    """Write `private_counts_one` of every game, as seen by ``seats`` [B], into ``counts`` [B, K]."""
    for index in range(len(states)):
        private_counts_one(states[index], parameters, seats[index], counts[index])
