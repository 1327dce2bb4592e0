"""What everybody sees on the table, as bits: the middle that the canonical and the v0-belief encoding share.

In order: hands that are short of a card, deck, fireworks, hint tokens, lives, discards, last move. Seats are counted
from the observer, who is 0; that is the only way in which this part depends on who looks.
"""

import numpy as np

from offbelief.games.hanabi.kernels import Integer
from offbelief.games.hanabi.state import NOTHING
from offbelief.games.hanabi.variant import (
    CARD_KINDS,
    COLOURS,
    COPIES_BY_KIND,
    DECK_SIZE,
    HAND_SIZE,
    HINT_TOKENS,
    LIVES,
    PLAYED,
    PLAYERS,
    RANKS,
)
from offbelief.games.hanabi.views.bits import write_bits_one
from offbelief.games.hanabi.views.layout import LayoutBuilder
from offbelief.jit import kernel
from offbelief.nouns import IntArray

_ONE = np.int64(1)
_MOVE_TYPES = 4


def lay_table(builder: LayoutBuilder) -> None:
    """Lay the sections that `write_table_one` fills."""
    builder.add("short_hands", ["seat"], "1 if the seat holds fewer cards than a full hand")
    builder.add("deck", ["card"], "thermometer: as many 1s, from the front, as cards are left in the deck")
    builder.add("fireworks", ["colour", "rank"], "1 at the highest rank played of the colour; none before the first")
    builder.add("hint_tokens", ["token"], "thermometer of hint tokens left")
    builder.add("lives", ["life"], "thermometer of lives left")
    builder.add("discards", ["colour", "copy"], "for each rank in turn a thermometer of its copies that are discarded")
    lay_last_move(builder, "last")


def lay_last_move(builder: LayoutBuilder, prefix: str) -> None:
    """Lay the sections of a move, as `last_move_bits_one` fills them; all 0 before the first move."""
    builder.add(f"{prefix}_actor", ["seat"], "who moved")
    builder.add(f"{prefix}_type", ["move type"], "play, discard, colour hint or rank hint")
    builder.add(f"{prefix}_target", ["seat"], "who was given the hint")
    builder.add(f"{prefix}_colour", ["colour"], "colour that was hinted")
    builder.add(f"{prefix}_rank", ["rank"], "rank that was hinted")
    builder.add(f"{prefix}_touched", ["slot"], "1 for each card that the hint touched")
    builder.add(f"{prefix}_slot", ["slot"], "slot the card was played or discarded from")
    builder.add(f"{prefix}_card", ["colour", "rank"], "card that was played or discarded")
    builder.add(f"{prefix}_scored", [], "1 if the played card scored")
    builder.add(f"{prefix}_token_gained", [], "1 if the played card returned a hint token; 0 for discards, as in HLE")


@kernel
def last_move_bit_count(parameters: IntArray) -> Integer:
    """Number of bits in `last_move_bits_one`: at most 61."""
    seats, slots = 2 * parameters[PLAYERS], 2 * parameters[HAND_SIZE]
    hints = parameters[COLOURS] + parameters[RANKS]
    return np.int64(seats + _MOVE_TYPES + hints + slots + parameters[CARD_KINDS] + 2)


@kernel
def table_bit_count(parameters: IntArray) -> Integer:
    """Number of bits that `write_table_one` writes."""
    players, deck_size = parameters[PLAYERS], parameters[DECK_SIZE]
    deck = deck_size - players * parameters[HAND_SIZE]
    tokens = parameters[HINT_TOKENS] + parameters[LIVES]
    return np.int64(players + deck + parameters[CARD_KINDS] + tokens + deck_size + last_move_bit_count(parameters))


@kernel
def relative_seat_one(seat: Integer, observer: Integer, players: Integer) -> Integer:
    """How many seats after the observer a seat sits."""
    offset = seat - observer
    if offset < 0:
        offset += players
    return offset


@kernel
def last_move_bits_one(game: np.void, parameters: IntArray, observer: Integer) -> Integer:
    """The last move as bits; 0 before the first move."""
    if np.int64(game["last_type"]) == NOTHING:
        return np.int64(0)
    players, hand_size = parameters[PLAYERS], parameters[HAND_SIZE]
    shift = players
    bits: Integer = _ONE << relative_seat_one(np.int64(game["last_actor"]), observer, players)
    bits |= _ONE << (shift + np.int64(game["last_type"]))
    shift += _MOVE_TYPES
    target = np.int64(game["last_target"])
    if target != NOTHING:
        bits |= _ONE << (shift + relative_seat_one(target, observer, players))
    shift += players
    colour = np.int64(game["last_colour"])
    if colour != NOTHING:
        bits |= _ONE << (shift + colour)
    shift += parameters[COLOURS]
    rank = np.int64(game["last_rank"])
    if rank != NOTHING:
        bits |= _ONE << (shift + rank)
    shift += parameters[RANKS]
    bits |= np.int64(game["last_touched"]) << shift
    shift += hand_size
    slot = np.int64(game["last_slot"])
    if slot != NOTHING:
        bits |= _ONE << (shift + slot)
        bits |= _ONE << (shift + hand_size + np.int64(game["last_card"]))
    shift += hand_size + parameters[CARD_KINDS]
    bits |= np.int64(game["last_scored"]) << shift
    if np.int64(game["last_type"]) == PLAYED:  # HLE does not tell that a discard returned a token: it always does
        bits |= np.int64(game["last_token_gained"]) << (shift + 1)
    return bits


@kernel
def discard_bits_one(game: np.void, parameters: IntArray) -> Integer:
    """Discards as bits: for every kind a thermometer of its copies."""
    bits = np.int64(0)
    shift = np.int64(0)
    for kind in range(parameters[CARD_KINDS]):
        bits |= ((_ONE << np.int64(game["discards"][kind])) - 1) << shift
        shift += parameters[COPIES_BY_KIND + kind]
    return bits


@kernel
def write_table_one(
    game: np.void, parameters: IntArray, observer: Integer, hide_action: bool, words: IntArray, position: Integer
) -> Integer:
    """Write the table at a position of a cleared packed row; returns the position behind it."""
    players, hand_size = parameters[PLAYERS], parameters[HAND_SIZE]
    colours, ranks, deck_size = parameters[COLOURS], parameters[RANKS], parameters[DECK_SIZE]

    short_hands = np.int64(0)
    for seat in range(players):
        if np.int64(game["hand_sizes"][seat]) < hand_size:
            short_hands |= _ONE << relative_seat_one(seat, observer, players)
    position = write_bits_one(words, position, short_hands, players)

    deck = (_ONE << (deck_size - np.int64(game["cards_drawn"]))) - 1
    position = write_bits_one(words, position, deck, deck_size - players * hand_size)

    fireworks = np.int64(0)
    for colour in range(colours):
        played = np.int64(game["fireworks"][colour])
        fireworks |= ((_ONE << played) >> 1) << (colour * ranks)  # nothing before the first card
    position = write_bits_one(words, position, fireworks, colours * ranks)

    hint_tokens = (_ONE << np.int64(game["hint_tokens"])) - 1
    position = write_bits_one(words, position, hint_tokens, parameters[HINT_TOKENS])
    lives = (_ONE << np.int64(game["lives"])) - 1
    position = write_bits_one(words, position, lives, parameters[LIVES])
    position = write_bits_one(words, position, discard_bits_one(game, parameters), deck_size)

    last_move: Integer = np.int64(0)
    if not hide_action:
        last_move = last_move_bits_one(game, parameters, observer)
    return write_bits_one(words, position, last_move, last_move_bit_count(parameters))
