"""The card-wise view with what everybody remembers: of every card when and how it was touched, of every seat its move.

A hint means more than it says once players read each other (levels 2 and up): which cards could be played when it was
given, which other cards it touched, what was done instead. `HANABI_MEMORY` holds that; here it becomes features behind
those of `cardwise.py`, the same for every card in hand, so that a network without recurrence can read them.
"""

import functools

import numpy as np
import numpy.typing as npt

from offbelief.games.hanabi.kernels import Integer
from offbelief.games.hanabi.knowledge import possible_kinds_one, private_counts_one, public_counts_one
from offbelief.games.hanabi.memory import playable_kinds_one
from offbelief.games.hanabi.remembered import split
from offbelief.games.hanabi.state import NOTHING
from offbelief.games.hanabi.variant import (
    CARD_KINDS,
    COLOURS,
    HAND_SIZE,
    HINT_TOKENS,
    HINTED_COLOUR,
    HINTED_RANK,
    MAX_KINDS,
    PLAYERS,
    RANKS,
    HanabiVariant,
)
from offbelief.games.hanabi.views.cardwise import cardwise, cardwise_layout, lay_cardwise
from offbelief.games.hanabi.views.inputs import check_seats
from offbelief.games.hanabi.views.layout import Layout, LayoutBuilder
from offbelief.games.hanabi.views.table import relative_seat_one
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, FloatArray, IntArray

# Numbers that are divided to come out between 0 and 1, or a little above.
_AGE, _SINCE, _PASSED = np.float32(20.0), np.float32(10.0), np.float32(4.0)
_NUMBERS = 17
"""Features of a card that do not depend on the variant; see `remembered_layout`."""


@functools.cache
def remembered_layout(variant: HanabiVariant) -> Layout:
    """Name the features: those of the card-wise view, then the memory of every card, then that of every seat."""
    builder = LayoutBuilder("card-wise with memory", variant)
    lay_cardwise(builder)
    builder.add_group(
        "card_memory",
        ["seat", "slot"],
        "what is remembered of every card, observer's hand first; 0s for an empty slot",
        [
            ("age", [], "moves made since it was drawn / 20"),
            ("touched_once", [], "1 if a hint touched it"),
            ("touched_twice", [], "1 if two hints touched it"),
            ("touched_often", [], "1 if three or more did"),
            ("by_colour", [], "1 if the last touch was by a colour"),
            ("by_rank", [], "1 if it was by a rank"),
            ("newest_touched", [], "1 if it was the newest card of that touch"),
            ("oldest_touched", [], "1 if it was the oldest"),
            ("since_touch", [], "moves made since / 10"),
            ("just_touched", [], "1 if the last move of the game touched it"),
            ("tokens_at_touch", [], "hint tokens before that hint / most tokens"),
            ("playable_then", [], "probability that it could be played at the last touch"),
            ("playable_then_and_now", [], "probability that it could be played then and still can"),
            ("playable_first", [], "probability that it could be played at the first touch"),
            ("passed_by_hint", [], "hints of seats who saw it that did not touch it / 4"),
            ("passed_by_discard", [], "discards of seats who saw it / 4"),
            ("passed_by_play", [], "plays of seats who saw it / 4"),
            ("giver", ["seat"], "1 at the seat that gave the last touch, observer first"),
            ("cards_touched", ["slot"], "1 at the number of cards that the last touch touched"),
            ("newer_at_touch", ["slot"], "1 at the number of newer cards in the hand at the last touch"),
            ("kind_playable_then", ["colour", "rank"], "1 for a possible kind that was playable at the last touch"),
            ("kind_playable_first", ["colour", "rank"], "1 for a possible kind that was playable at the first touch"),
            ("kind_passed", ["colour", "rank"], "for a possible kind: times passed over while playable / 4"),
        ],
    )
    builder.add_group(
        "seat_memory",
        ["seat"],
        "the last move of every seat, observer first; 0s before its first",
        [
            ("move", ["move type"], "1 at what it did"),
            ("slot_used", ["slot"], "1 at the slot it played or discarded"),
            ("colour", ["colour"], "1 at the colour it hinted"),
            ("rank", ["rank"], "1 at the rank it hinted"),
            ("target", ["seat"], "1 at the seat it hinted, observer first"),
            ("touched", ["slot"], "1 at the slots that its hint touched then"),
            ("scored", [], "1 if it scored"),
        ],
    )
    return builder.build()


def observe_remembered(records: AnyArray, variant: HanabiVariant, seats: npt.ArrayLike | None = None) -> FloatArray:
    """Encode what a seat of every game sees and remembers.

    Args:
        records: [B] games with memory, `REMEMBERED_GAME`.
        variant: Their rules.
        seats: Who looks: one seat, [B] seats, or None for the acting seat of each game.

    Returns:
        [B, F] float32, F = ``remembered_layout(variant).size``.
    """
    states, memories = split(records)
    checked = check_seats(states, variant, seats)
    rows = np.empty((len(records), remembered_layout(variant).size), dtype=np.float32)
    remembered(states, memories, variant.parameters, checked, cardwise_layout(variant).size, rows)
    return rows


@kernel
def _write_card_memory_one(
    game: np.void,
    memory: np.void,
    parameters: IntArray,
    observer: Integer,
    seat: Integer,
    slot: Integer,
    counts: IntArray,
    playable_now: Integer,
    row: FloatArray,
) -> None:
    """Write what is remembered of one card; ``counts`` [K] are the cards it may be, as the looker counts them."""
    players, hand_size, kinds = parameters[PLAYERS], parameters[HAND_SIZE], parameters[CARD_KINDS]
    turn = np.int64(game["turn"])
    touches = np.int64(memory["touches"][seat, slot])
    possible = possible_kinds_one(game, parameters, seat, slot)
    then = np.int64(memory["playable_at_touch"][seat, slot]) & possible
    first = np.int64(memory["playable_at_first_touch"][seat, slot]) & possible
    row[0] = np.float32(turn - np.int64(memory["drawn_turn"][seat, slot])) / _AGE
    row[14] = np.float32(memory["passed_by_hint"][seat, slot]) / _PASSED
    row[15] = np.float32(memory["passed_by_discard"][seat, slot]) / _PASSED
    row[16] = np.float32(memory["passed_by_play"][seat, slot]) / _PASSED
    position = _NUMBERS
    if touches > 0:
        touch_type = np.int64(memory["touch_type"][seat, slot])
        cards, newer = np.int64(memory["touch_cards"][seat, slot]), np.int64(memory["touch_newer"][seat, slot])
        since = turn - np.int64(memory["touch_turn"][seat, slot])
        row[touches if touches < 3 else 3] = 1
        row[4] = np.float32(touch_type == HINTED_COLOUR)
        row[5] = np.float32(touch_type == HINTED_RANK)
        row[6] = np.float32(newer == 0)
        row[7] = np.float32(newer == cards - 1)
        row[8] = np.float32(since) / _SINCE
        row[9] = np.float32(since == 1)
        row[10] = np.float32(memory["touch_tokens"][seat, slot]) / np.float32(parameters[HINT_TOKENS])
        total, was, still, began = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        for kind in range(kinds):
            count = counts[kind] * ((possible >> kind) & 1)
            total += count
            was += count * ((then >> kind) & 1)
            still += count * (((then & playable_now) >> kind) & 1)
            began += count * ((first >> kind) & 1)
        row[11] = np.float32(was) / np.float32(total)
        row[12] = np.float32(still) / np.float32(total)
        row[13] = np.float32(began) / np.float32(total)
        row[position + relative_seat_one(np.int64(memory["touch_giver"][seat, slot]), observer, players)] = 1
        row[position + players + cards - 1] = 1
        row[position + players + hand_size + np.int64(memory["touch_newer_in_hand"][seat, slot])] = 1
    position += players + 2 * hand_size
    passed = memory["passed_while_playable"]
    for kind in range(kinds):
        row[position + kind] = np.float32((then >> kind) & 1)
        row[position + kinds + kind] = np.float32((first >> kind) & 1)
        times = np.float32(np.int64(passed[seat, slot, kind]) * ((possible >> kind) & 1))
        row[position + 2 * kinds + kind] = times / _PASSED


@kernel
def _write_seat_memory_one(
    memory: np.void, parameters: IntArray, observer: Integer, seat: Integer, row: FloatArray
) -> None:
    """Write the last move of a seat."""
    move_type = np.int64(memory["move_type"][seat])
    if move_type == NOTHING:
        return
    players, hand_size, colours, ranks = (
        parameters[PLAYERS],
        parameters[HAND_SIZE],
        parameters[COLOURS],
        parameters[RANKS],
    )
    value = np.int64(memory["move_value"][seat])
    row[move_type] = 1
    position = 4
    if move_type < HINTED_COLOUR:
        row[position + value] = 1
    position += hand_size
    if move_type == HINTED_COLOUR:
        row[position + value] = 1
    position += colours
    if move_type == HINTED_RANK:
        row[position + value] = 1
    position += ranks
    if move_type >= HINTED_COLOUR:
        row[position + relative_seat_one(np.int64(memory["move_target"][seat]), observer, players)] = 1
    position += players
    touched = np.int64(memory["move_touched"][seat])
    for slot in range(hand_size):
        row[position + slot] = np.float32((touched >> slot) & 1)
    row[position + hand_size] = np.float32(memory["move_scored"][seat])


@kernel
def remembered(
    states: AnyArray, memories: AnyArray, parameters: IntArray, seats: IntArray, start: Integer, rows: FloatArray
) -> None:
    """Encode games as seen by ``seats`` [B] into ``rows`` [B, F]; memory begins at feature ``start``."""
    cardwise(states, parameters, seats, False, rows[:, :start])
    players, hand_size, kinds = parameters[PLAYERS], parameters[HAND_SIZE], parameters[CARD_KINDS]
    card_features = _NUMBERS + players + 2 * hand_size + 3 * kinds
    seat_features = 4 + hand_size + parameters[COLOURS] + parameters[RANKS] + players + hand_size + 1
    private, public = np.zeros(MAX_KINDS, dtype=np.int64), np.zeros(MAX_KINDS, dtype=np.int64)
    for index in range(len(states)):
        # Records are named one by one: in a tuple they would be copied.
        game = states[index]
        memory = memories[index]
        observer, row = seats[index], rows[index]
        row[start:] = 0
        private_counts_one(game, parameters, observer, private)
        public_counts_one(game, parameters, public)
        playable = playable_kinds_one(game, parameters)
        position = start
        for offset in range(players):
            seat = (observer + offset) % players
            for slot in range(np.int64(game["hand_sizes"][seat])):
                _write_card_memory_one(
                    game,
                    memory,
                    parameters,
                    observer,
                    seat,
                    slot,
                    private if offset == 0 else public,
                    playable,
                    row[position + slot * card_features :],
                )
            position += hand_size * card_features
        for offset in range(players):
            _write_seat_memory_one(memory, parameters, observer, (observer + offset) % players, row[position:])
            position += seat_features
