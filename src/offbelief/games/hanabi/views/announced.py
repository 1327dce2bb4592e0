"""What the last actor says it would have done without exploring: the extra input of the Simplified Action Decoder.

Hu and Foerster 2020: a player that explores for training's sake tells the others its greedy move too, so that they can
read it as if it had not explored. At evaluation nobody explores and the two moves are the same.

Differs from the public code: it encodes the greedy move as the last move is encoded, with its effects; here one feature
per move, counted from the actor as moves are.
"""

import numpy as np

from offbelief.games.hanabi.kernels import Integer
from offbelief.games.hanabi.state import NOTHING
from offbelief.games.hanabi.variant import (
    COLOURS,
    DISCARDED,
    HAND_SIZE,
    HINTED_COLOUR,
    PLAYED,
    PLAYERS,
    RANKS,
)
from offbelief.games.hanabi.views.layout import LayoutBuilder
from offbelief.games.hanabi.views.table import relative_seat_one
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, FloatArray, IntArray


def lay_announced(builder: LayoutBuilder) -> None:
    """Lay the sections that `announced` fills, in the order of moves."""
    said = "the last actor would have {}, or did; 0s before the first move"
    builder.add("said_discard", ["slot"], said.format("discarded this"))
    builder.add("said_play", ["slot"], said.format("played this"))
    builder.add("said_colour", ["partner", "colour"], said.format("hinted this colour to the seat so far after it"))
    builder.add("said_rank", ["partner", "rank"], said.format("hinted this rank to the seat so far after it"))


@kernel
def last_move_one(game: np.void, parameters: IntArray) -> Integer:
    """The last move's number; -1 before the first."""
    move_type, slot = np.int64(game["last_type"]), np.int64(game["last_slot"])
    if move_type == NOTHING:
        return np.int64(-1)
    hand_size, colours = parameters[HAND_SIZE], parameters[COLOURS]
    if move_type == DISCARDED:
        return np.int64(slot)
    if move_type == PLAYED:
        return np.int64(hand_size + slot)
    players = parameters[PLAYERS]
    partner = relative_seat_one(np.int64(game["last_target"]), np.int64(game["last_actor"]), players) - 1
    if move_type == HINTED_COLOUR:
        return np.int64(2 * hand_size + partner * colours + np.int64(game["last_colour"]))
    hints = (players - 1) * colours + partner * parameters[RANKS]
    return np.int64(2 * hand_size + hints + np.int64(game["last_rank"]))


@kernel
def announced(states: AnyArray, parameters: IntArray, rows: FloatArray) -> None:
    """Write a 1 at the announced move of every game, or at the last one where nothing is announced; rows [B, A]."""
    rows[:] = 0.0
    for index in range(len(states)):
        move: Integer = np.int64(states[index]["announced"]) - 1
        if move < 0:
            move = last_move_one(states[index], parameters)
        if move >= 0:
            rows[index, move] = 1.0
