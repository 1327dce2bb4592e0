"""The v0-belief observation of the OBL paper's agents: the table, and what everybody knows about every card.

It is HLE's canonical observation with three changes made by the code of Hu and Foerster (SAD, 2020) and of the paper:
hands begin with the observer's own, hints become *public* probabilities (what hints leave possible, weighted by the
copies that nobody has seen leave the game; visible hands are not removed), and three parts can be cut from it:

* ``full``: everything, own cards included. An input only for training with full sight, and the label of a belief.
* ``private``: without the own hand; what the seat sees.
* ``public``: without any hand; what everybody sees. The same for all seats up to the order in which seats are counted.

The own hand comes first and the other hands next, so a smaller part is the end of a larger one.

SAD appends a second last-move block (see `observe_v0_belief`).
"""

import functools
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from offbelief.games.hanabi.kernels import Integer
from offbelief.games.hanabi.knowledge import possible_kinds_one, public_counts_one
from offbelief.games.hanabi.variant import CARD_KINDS, COLOURS, HAND_SIZE, PLAYERS, RANKS, HanabiVariant
from offbelief.games.hanabi.views.bits import spread_bits_one, spread_words_one
from offbelief.games.hanabi.views.inputs import check_out, check_seats, check_states
from offbelief.games.hanabi.views.layout import Layout, LayoutBuilder
from offbelief.games.hanabi.views.table import (
    last_move_bit_count,
    last_move_bits_one,
    lay_last_move,
    lay_table,
    table_bit_count,
    write_table_one,
)
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, FloatArray, IntArray, UserError

Part = Literal["full", "private", "public"]


@functools.cache
def v0_belief_layout(variant: HanabiVariant, part: Part = "private", *, greedy_move: bool = False) -> Layout:
    """Name the features: full / private / public 783 / 658 / 533 for two players, 1081 / 956 / 706 for three.

    Args:
        variant: The rules.
        part: Which part of the observation.
        greedy_move: Whether SAD's block is appended.
    """
    _check_part(part)
    builder = LayoutBuilder(f"v0-belief {part}" + (" with greedy move" if greedy_move else ""), variant)
    if part == "full":
        builder.add("own_hand", ["slot", "colour", "rank"], "1 at the own card's colour and rank, which is hidden")
    if part != "public":
        builder.add("hands", ["partner", "slot", "colour", "rank"], "1 at the card's colour and rank")
    lay_table(builder)
    builder.add_group(
        "knowledge",
        ["seat", "slot"],
        "what everybody knows about every card, the observer's own first; 0s for an empty slot",
        [
            ("probability", ["colour", "rank"], "of the card, given hints, discards and fireworks"),
            ("told_colour", ["colour"], "the card's colour, if a hint named it"),
            ("told_rank", ["rank"], "the card's rank, if a hint named it"),
        ],
    )
    if greedy_move:
        lay_last_move(builder, "greedy")
    return builder.build()


def observe_v0_belief(
    states: AnyArray,
    variant: HanabiVariant,
    seats: npt.ArrayLike | None = None,
    *,
    part: Part = "private",
    hide_action: bool = False,
    greedy_states: AnyArray | None = None,
    out: FloatArray | None = None,
) -> FloatArray:
    """Encode what a seat of every game sees.

    Args:
        states: [B] games.
        variant: Their rules.
        seats: Who looks: one seat, [B] seats, or None for the acting seat of each game.
        part: "full", "private" or "public".
        hide_action: Leave the last move at 0 (the effect of a hint on the knowledge still shows).
        greedy_states: For SAD: [B] the same games had the last mover made its greedy move, which is appended as a
            second last-move block. Copy the games before the real move and step the copies.
        out: [B, F] float32 array to write into, or None for a new one.

    Returns:
        [B, F] float32, F = ``v0_belief_layout(variant, part, greedy_move=...).size``.
    """
    check_states(states)
    layout = v0_belief_layout(variant, part, greedy_move=greedy_states is not None)
    rows = check_out(out, (len(states), layout.size), np.float32)
    checked = check_seats(states, variant, seats)
    first_hand = {"full": 0, "private": 1, "public": variant.players}[part]
    v0_belief(states, variant.parameters, checked, first_hand, hide_action, rows)
    if greedy_states is not None:
        check_states(greedy_states)
        if len(greedy_states) != len(states):
            raise UserError(
                f"greedy_states has {len(greedy_states)} games and states {len(states)}; give one for each."
            )
        last_moves(greedy_states, variant.parameters, checked, layout["greedy_actor"].start, rows)
    return rows


@kernel
def v0_belief_one(
    game: np.void,
    parameters: IntArray,
    observer: Integer,
    first_hand: Integer,
    hide_action: bool,
    words: IntArray,
    counts: IntArray,
    row: FloatArray,
) -> None:
    """Write one observation into ``row`` [F].

    Args:
        game: The game.
        parameters: of the variant.
        observer: Seat that looks.
        first_hand: Hands are written from this seat on, counted from the observer: 0 for the full observation, 1 for
            the private one, the number of players for the public one.
        hide_action: Leave the last move at 0.
        words: Scratch for the table's bits.
        counts: [K] scratch.
        row: The result.
    """
    players, hand_size = parameters[PLAYERS], parameters[HAND_SIZE]
    colours, ranks, kinds = parameters[COLOURS], parameters[RANKS], parameters[CARD_KINDS]

    position: Integer = np.int64(0)
    for offset in range(first_hand, players):
        seat = (observer + offset) % players
        for place in range(position, position + hand_size * kinds):
            row[place] = 0
        for slot in range(np.int64(game["hand_sizes"][seat])):
            row[position + slot * kinds + np.int64(game["hands"][seat, slot])] = 1
        position += hand_size * kinds

    for word in range(len(words)):
        words[word] = 0
    table_bits = table_bit_count(parameters)
    write_table_one(game, parameters, observer, hide_action, words, 0)
    spread_words_one(words, table_bits, row[position:])
    position += table_bits

    public_counts_one(game, parameters, counts)
    for offset in range(players):
        seat = (observer + offset) % players
        for slot in range(hand_size):
            possible = possible_kinds_one(game, parameters, seat, slot)
            total = np.int64(0)
            for kind in range(kinds):
                total += ((possible >> kind) & 1) * counts[kind]
            scale = np.float32(total if total > 0 else 1)  # nothing is possible for an empty slot
            probabilities = row[position : position + kinds]
            for kind in range(kinds):
                probabilities[kind] = np.float32(((possible >> kind) & 1) * counts[kind]) / scale
            # Once a hint has named the colour or rank, it is the only one possible.
            colour_bits = np.int64(game["colour_told"][seat, slot]) * np.int64(game["possible_colours"][seat, slot])
            rank_bits = np.int64(game["rank_told"][seat, slot]) * np.int64(game["possible_ranks"][seat, slot])
            told = row[position + kinds : position + kinds + colours + ranks]
            spread_bits_one(colour_bits | (rank_bits << colours), told)
            position += kinds + colours + ranks


@kernel
def v0_belief(
    states: AnyArray, parameters: IntArray, seats: IntArray, first_hand: Integer, hide_action: bool, rows: FloatArray
) -> None:
    """Encode every game as seen by ``seats`` [B] into ``rows`` [B, F]; the other arguments as for one game."""
    words = np.empty((table_bit_count(parameters) + 63) // 64, dtype=np.int64)
    counts = np.empty(parameters[CARD_KINDS], dtype=np.int64)
    for index in range(len(states)):
        v0_belief_one(states[index], parameters, seats[index], first_hand, hide_action, words, counts, rows[index])


@kernel
def last_moves(states: AnyArray, parameters: IntArray, seats: IntArray, start: Integer, rows: FloatArray) -> None:
    """Write the last move of every game as seen by ``seats`` [B] into ``rows`` [B, F], from place ``start`` on."""
    count = last_move_bit_count(parameters)
    for index in range(len(states)):
        bits = last_move_bits_one(states[index], parameters, seats[index])
        spread_bits_one(bits, rows[index, start : start + count])


def _check_part(part: str) -> None:
    if part not in get_args(Part):
        raise UserError(f"part is {part!r}; choose 'full', 'private' or 'public'.")
