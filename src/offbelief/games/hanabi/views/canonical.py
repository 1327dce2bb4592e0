"""HLE's canonical observation, bit for bit: partners' cards, the table, and what hints told about every card.

The encoding of DeepMind's Hanabi Learning Environment (Bard et al. 2020, ``CanonicalObservationEncoder``), which
open_spiel's ``observation_tensor`` shares. All of it is zeros and ones, so it exists as bytes, as floats, and packed
64 to a word (see `bits`). `canonical_layout` names the features.
"""

import functools

import numpy as np
import numpy.typing as npt

from offbelief.games.hanabi.kernels import Integer
from offbelief.games.hanabi.variant import CARD_KINDS, COLOURS, HAND_SIZE, PLAYERS, RANKS, HanabiVariant
from offbelief.games.hanabi.views.bits import spread_words_one, words_for, write_bits_one
from offbelief.games.hanabi.views.inputs import check_out, check_seats, check_states
from offbelief.games.hanabi.views.layout import Layout, LayoutBuilder
from offbelief.games.hanabi.views.table import lay_table, write_table_one
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, IntArray, UserError
from offbelief.threads import share_games

_ONE = np.int64(1)


@functools.cache
def canonical_layout(variant: HanabiVariant) -> Layout:
    """Name the features of the canonical observation: 658, 956, 1041 and 1280 of them for full games of 2 to 5."""
    builder = LayoutBuilder("canonical", variant)
    builder.add("hands", ["partner", "slot", "colour", "rank"], "1 at the card's colour and rank; 0s for an empty slot")
    lay_table(builder)
    builder.add_group(
        "knowledge",
        ["seat", "slot"],
        "what hints told about every card, the observer's own first; 0s for an empty slot",
        [
            ("possible", ["colour", "rank"], "1 if hints leave this card possible (counts are not considered)"),
            ("told_colour", ["colour"], "the card's colour, if a hint named it"),
            ("told_rank", ["rank"], "the card's rank, if a hint named it"),
        ],
    )
    return builder.build()


def observe_canonical(
    states: AnyArray,
    variant: HanabiVariant,
    seats: npt.ArrayLike | None = None,
    *,
    dtype: npt.DTypeLike = np.uint8,
    out: AnyArray | None = None,
) -> AnyArray:
    """Encode what a seat of every game sees, one number a feature.

    Args:
        states: [B] games.
        variant: Their rules.
        seats: Who looks: one seat, [B] seats, or None for the acting seat of each game.
        dtype: uint8 or float32.
        out: [B, F] array to write into, or None for a new one.

    Returns:
        [B, F] zeros and ones, F = ``canonical_layout(variant).size``.
    """
    check_states(states)
    if np.dtype(dtype) not in (np.dtype(np.uint8), np.dtype(np.float32)):
        raise UserError(f"dtype is {np.dtype(dtype)}; choose uint8 or float32, or observe_canonical_packed for bits.")
    rows = check_out(out, (len(states), canonical_layout(variant).size), dtype)
    canonical(states, variant.parameters, check_seats(states, variant, seats), rows)
    return rows


def observe_canonical_packed(
    states: AnyArray,
    variant: HanabiVariant,
    seats: npt.ArrayLike | None = None,
    *,
    threads: int = 1,
    out: AnyArray | None = None,
) -> AnyArray:
    """Encode what a seat of every game sees, one bit a feature; `unpack_bits` spreads them.

    Args:
        states: [B] games.
        variant: Their rules.
        seats: Who looks: one seat, [B] seats, or None for the acting seat of each game.
        threads: Threads that share the games.
        out: [B, 8 * W] uint8 array to write into, or None for a new one.

    Returns:
        [B, 8 * W] uint8: whole 64-bit words, feature i in bit ``i % 8`` (least significant first) of byte ``i // 8``,
        zeros behind the last feature.
    """
    check_states(states)
    packed = check_out(out, (len(states), 8 * words_for(canonical_layout(variant).size)), np.uint8)
    words = packed.view(np.dtype("<i8"))
    checked = check_seats(states, variant, seats)
    parameters = variant.parameters
    share_games(
        len(states), threads, lambda part: canonical_words(states[part], parameters, checked[part], words[part])
    )
    return packed


@kernel
def canonical_words_one(game: np.void, parameters: IntArray, observer: Integer, words: IntArray) -> None:
    """Write one observation into a packed row ``words`` [W] int64."""
    players, hand_size = parameters[PLAYERS], parameters[HAND_SIZE]
    colours, ranks, kinds = parameters[COLOURS], parameters[RANKS], parameters[CARD_KINDS]
    for word in range(len(words)):
        words[word] = 0

    position: Integer = np.int64(0)
    seat = observer
    for _ in range(players - 1):
        seat += 1
        if seat == players:
            seat = np.int64(0)
        for slot in range(np.int64(game["hand_sizes"][seat])):
            place = position + slot * kinds + np.int64(game["hands"][seat, slot])
            words[place >> 6] |= _ONE << (place & 63)
        position += hand_size * kinds

    position = write_table_one(game, parameters, observer, False, words, position)

    card_bits = kinds + colours + ranks
    seat = observer
    for _ in range(players):
        for slot in range(np.int64(game["hand_sizes"][seat])):
            possible_colours = np.int64(game["possible_colours"][seat, slot])
            possible_ranks = np.int64(game["possible_ranks"][seat, slot])
            bits = np.int64(0)
            for colour in range(colours):
                # A product in place of a branch: hints are hard to predict.
                bits |= (((possible_colours >> colour) & 1) * possible_ranks) << (colour * ranks)
            # Once a hint has named the colour or rank, it is the only one possible.
            bits |= (np.int64(game["colour_told"][seat, slot]) * possible_colours) << kinds
            bits |= (np.int64(game["rank_told"][seat, slot]) * possible_ranks) << (kinds + colours)
            write_bits_one(words, position + slot * card_bits, bits, card_bits)
        position += hand_size * card_bits
        seat += 1
        if seat == players:
            seat = np.int64(0)


@kernel
def canonical_words(states: AnyArray, parameters: IntArray, seats: IntArray, words: IntArray) -> None:
    """Encode every game as seen by ``seats`` [B] into packed rows ``words`` [B, W] int64."""
    for index in range(len(states)):
        canonical_words_one(states[index], parameters, seats[index], words[index])


@kernel
def canonical(states: AnyArray, parameters: IntArray, seats: IntArray, rows: AnyArray) -> None:
    """Encode every game as seen by ``seats`` [B] into ``rows`` [B, F], bytes or floats."""
    size = rows.shape[1]
    words = np.empty(-(-size // 64), dtype=np.int64)
    for index in range(len(states)):
        canonical_words_one(states[index], parameters, seats[index], words)
        spread_words_one(words, size, rows[index])
