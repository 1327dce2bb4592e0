"""What everybody at the table remembers about every card: `HANABI_MEMORY`, an optional companion of `HANABI_STATE`.

The state keeps what hints *said*. Higher levels of off-belief learning also read *when* they were said: what stood on
the table when a card was touched, and how often others passed it over. A record here holds that for every card in hand
and for the last move of every seat, so that a network without recurrence can read it as features.

The memory is public: it depends on the moves and on what they showed to all, never on a card that any seat cannot see.
One memory therefore serves the real game and every game imagined from it, and an imagined move is remembered with
``remember(memories.copy(), variant, states, moves, imagined_states)``. Copying memories is copying an array.

Use: `new_memories` after dealing, `remember` after every step (or the kernel `step_and_remember`, which does both), and
`forget` where games were restarted. How features are made of it is the business of `views`.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from offbelief.games.hanabi.kernels import Integer, step_one
from offbelief.games.hanabi.state import HANABI_STATE, NOTHING
from offbelief.games.hanabi.variant import (
    COLOURS,
    DISCARDED,
    MAX_HAND_SIZE,
    MAX_KINDS,
    MAX_PLAYERS,
    OFFSET_BY_MOVE,
    PLAYED,
    PLAYERS,
    RANKS,
    TYPE_BY_MOVE,
    VALUE_BY_MOVE,
    HanabiVariant,
)
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, BoolArray, FloatArray, IntArray, UserError

_CARDS = (MAX_PLAYERS, MAX_HAND_SIZE)
_SEATS = (MAX_PLAYERS,)

# Turns and counts fit a byte: no game of any variant has more than 147 turns (see `HanabiVariant.max_turns`).
_FIELDS: list[tuple[Any, ...]] = [
    # --- the cards in hand, [seat, slot]; empty slots look like a card of turn 0 that nothing happened to ------------
    # Moves made when the card was drawn, 0 for the opening hands: its age is the state's ``turn`` minus this.
    ("drawn_turn", np.uint8, _CARDS),
    # Hints that touched the card.
    ("touches", np.uint8, _CARDS),
    # The last hint that touched it: HINTED_COLOUR or HINTED_RANK, the seat that gave it, moves made before it, and
    # hint tokens before it. NOTHING for a card that was never touched, 0 in the three numbers that follow.
    ("touch_type", np.uint8, _CARDS),
    ("touch_giver", np.uint8, _CARDS),
    ("touch_turn", np.uint8, _CARDS),
    ("touch_tokens", np.uint8, _CARDS),
    # How many cards that hint touched, and how many of them were newer than this: 0 makes this the newest touched,
    # ``touch_cards - 1`` the oldest.
    ("touch_cards", np.uint8, _CARDS),
    ("touch_newer", np.uint8, _CARDS),
    # Cards in the hand that were newer at that hint, touched or not: 0 for the card drawn last.
    ("touch_newer_in_hand", np.uint8, _CARDS),
    # Moves of other seats, who saw the card, that were something else: a hint that did not touch it (to this hand or
    # another), a discard, a play.
    ("passed_by_hint", np.uint8, _CARDS),
    ("passed_by_discard", np.uint8, _CARDS),
    ("passed_by_play", np.uint8, _CARDS),
    # Kinds that were playable at the last and at the first hint that touched the card, bit k for kind k.
    ("playable_at_touch", np.uint32, _CARDS),
    ("playable_at_first_touch", np.uint32, _CARDS),
    # The moves that passed the card over, by kind: how many were made while the kind was playable.
    ("passed_while_playable", np.uint8, (*_CARDS, MAX_KINDS)),
    # --- the last move of each seat; NOTHING where it does not apply or before its first move ------------------------
    # PLAYED, DISCARDED, HINTED_COLOUR or HINTED_RANK, and moves made before it.
    ("move_type", np.uint8, _SEATS),
    ("move_turn", np.uint8, _SEATS),
    # Slot that was played or discarded, or colour or rank that was hinted.
    ("move_value", np.uint8, _SEATS),
    # Seat that was hinted, and the slots that the hint touched then, bit s for slot s (0 for other moves).
    ("move_target", np.uint8, _SEATS),
    ("move_touched", np.uint8, _SEATS),
    # Kind that was played or discarded, and 1 if it scored, else 0.
    ("move_card", np.uint8, _SEATS),
    ("move_scored", np.uint8, _SEATS),
]

HANABI_MEMORY = np.dtype(_FIELDS, align=True)
"""The public memory of one game; see the comments beside the fields in this module."""

_ONE = np.int64(1)

# ---------------------------------------------------------------------------------------------------------------------
# One game
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def playable_kinds_one(game: np.void, parameters: IntArray) -> Integer:
    """Kinds that would score if played now, as bits."""
    bits = np.int64(0)
    for colour in range(parameters[COLOURS]):
        height = np.int64(game["fireworks"][colour])
        if height < parameters[RANKS]:
            bits |= _ONE << (colour * parameters[RANKS] + height)
    return bits


@kernel
def forget_card_one(memory: np.void, seat: Integer, slot: Integer, turn: Integer) -> None:
    """Remember nothing about a card but the turn it was drawn."""
    memory["drawn_turn"][seat, slot] = turn
    memory["touches"][seat, slot] = 0
    memory["touch_type"][seat, slot] = NOTHING
    memory["touch_giver"][seat, slot] = NOTHING
    memory["touch_turn"][seat, slot] = NOTHING
    memory["touch_tokens"][seat, slot] = NOTHING
    memory["touch_cards"][seat, slot] = 0
    memory["touch_newer"][seat, slot] = 0
    memory["touch_newer_in_hand"][seat, slot] = 0
    memory["passed_by_hint"][seat, slot] = 0
    memory["passed_by_discard"][seat, slot] = 0
    memory["passed_by_play"][seat, slot] = 0
    memory["playable_at_touch"][seat, slot] = 0
    memory["playable_at_first_touch"][seat, slot] = 0
    for kind in range(MAX_KINDS):
        memory["passed_while_playable"][seat, slot, kind] = 0


@kernel
def move_up_one(memory: np.void, seat: Integer, slot: Integer) -> None:
    """Move the memory of the next newer card into a slot whose card has left the hand."""
    memory["drawn_turn"][seat, slot] = memory["drawn_turn"][seat, slot + 1]
    memory["touches"][seat, slot] = memory["touches"][seat, slot + 1]
    memory["touch_type"][seat, slot] = memory["touch_type"][seat, slot + 1]
    memory["touch_giver"][seat, slot] = memory["touch_giver"][seat, slot + 1]
    memory["touch_turn"][seat, slot] = memory["touch_turn"][seat, slot + 1]
    memory["touch_tokens"][seat, slot] = memory["touch_tokens"][seat, slot + 1]
    memory["touch_cards"][seat, slot] = memory["touch_cards"][seat, slot + 1]
    memory["touch_newer"][seat, slot] = memory["touch_newer"][seat, slot + 1]
    memory["touch_newer_in_hand"][seat, slot] = memory["touch_newer_in_hand"][seat, slot + 1]
    memory["passed_by_hint"][seat, slot] = memory["passed_by_hint"][seat, slot + 1]
    memory["passed_by_discard"][seat, slot] = memory["passed_by_discard"][seat, slot + 1]
    memory["passed_by_play"][seat, slot] = memory["passed_by_play"][seat, slot + 1]
    memory["playable_at_touch"][seat, slot] = memory["playable_at_touch"][seat, slot + 1]
    memory["playable_at_first_touch"][seat, slot] = memory["playable_at_first_touch"][seat, slot + 1]
    for kind in range(MAX_KINDS):
        memory["passed_while_playable"][seat, slot, kind] = memory["passed_while_playable"][seat, slot + 1, kind]


@kernel
def forget_one(memory: np.void) -> None:
    """Begin a game's memory anew, with the opening hands just dealt."""
    for seat in range(MAX_PLAYERS):
        for slot in range(MAX_HAND_SIZE):
            forget_card_one(memory, seat, slot, 0)
        memory["move_type"][seat] = NOTHING
        memory["move_turn"][seat] = NOTHING
        memory["move_value"][seat] = NOTHING
        memory["move_target"][seat] = NOTHING
        memory["move_touched"][seat] = 0
        memory["move_card"][seat] = NOTHING
        memory["move_scored"][seat] = 0


@kernel
def touch_one(
    memory: np.void, before: np.void, move_type: Integer, owner: Integer, touched: Integer, playable: Integer
) -> None:
    """Remember a hint with the cards it touched, bit s of ``touched`` for slot s of the owner's hand."""
    size = np.int64(before["hand_sizes"][owner])
    cards: Integer = 0
    for slot in range(size):
        cards += (touched >> slot) & 1
    newer = 0
    for slot in range(size - 1, -1, -1):
        if (touched >> slot) & 1 == 1:
            if np.int64(memory["touches"][owner, slot]) == 0:
                memory["playable_at_first_touch"][owner, slot] = playable
            memory["touches"][owner, slot] = np.int64(memory["touches"][owner, slot]) + 1
            memory["touch_type"][owner, slot] = move_type
            memory["touch_giver"][owner, slot] = before["acting_seat"]
            memory["touch_turn"][owner, slot] = before["turn"]
            memory["touch_tokens"][owner, slot] = before["hint_tokens"]
            memory["touch_cards"][owner, slot] = cards
            memory["touch_newer"][owner, slot] = newer
            memory["touch_newer_in_hand"][owner, slot] = size - 1 - slot
            memory["playable_at_touch"][owner, slot] = playable
            newer += 1


@kernel
def pass_over_one(memory: np.void, move_type: Integer, owner: Integer, slot: Integer, playable: Integer) -> None:
    """Remember that another seat saw this card and did something else."""
    if move_type == PLAYED:
        memory["passed_by_play"][owner, slot] = np.int64(memory["passed_by_play"][owner, slot]) + 1
    elif move_type == DISCARDED:
        memory["passed_by_discard"][owner, slot] = np.int64(memory["passed_by_discard"][owner, slot]) + 1
    else:
        memory["passed_by_hint"][owner, slot] = np.int64(memory["passed_by_hint"][owner, slot]) + 1
    passed = memory["passed_while_playable"]
    for kind in range(MAX_KINDS):
        passed[owner, slot, kind] = np.int64(passed[owner, slot, kind]) + ((playable >> kind) & 1)


@kernel
def remember_one(memory: np.void, parameters: IntArray, before: np.void, move: Integer, after: np.void) -> None:
    """Bring the memory from the state before a move to the state after it.

    Reads of ``before`` the table, the hand sizes and whose turn it is, of ``after`` the hand sizes, the touched slots
    and the card that the move showed: nothing that is hidden from anybody.
    """
    actor = np.int64(before["acting_seat"])
    move_type = parameters[TYPE_BY_MOVE + move]
    value = parameters[VALUE_BY_MOVE + move]
    playable = playable_kinds_one(before, parameters)  # as the actor saw the table when choosing
    touched = np.int64(after["last_touched"])
    target = np.int64(NOTHING)

    if move_type in (PLAYED, DISCARDED):
        last = np.int64(before["hand_sizes"][actor]) - 1
        for slot in range(value, last):
            move_up_one(memory, actor, slot)
        drawn_turn = np.int64(0)
        if np.int64(after["hand_sizes"][actor]) > last:
            drawn_turn = np.int64(after["turn"])
        forget_card_one(memory, actor, last, drawn_turn)
    else:
        target = actor + parameters[OFFSET_BY_MOVE + move]
        if target >= parameters[PLAYERS]:
            target -= parameters[PLAYERS]
        touch_one(memory, before, move_type, target, touched, playable)

    for owner in range(parameters[PLAYERS]):
        if owner != actor:
            for slot in range(np.int64(before["hand_sizes"][owner])):
                if owner != target or (touched >> slot) & 1 == 0:
                    pass_over_one(memory, move_type, owner, slot, playable)

    memory["move_type"][actor] = move_type
    memory["move_turn"][actor] = before["turn"]
    memory["move_value"][actor] = value
    memory["move_target"][actor] = target
    memory["move_touched"][actor] = touched
    memory["move_card"][actor] = after["last_card"]
    memory["move_scored"][actor] = np.int64(after["last_scored"])


# ---------------------------------------------------------------------------------------------------------------------
# Loops over games
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def forget_games(memories: AnyArray, which: BoolArray) -> None:
    """Begin the memories [B] anew where ``which`` [B] says."""
    for index in range(len(memories)):
        if which[index]:
            forget_one(memories[index])


@kernel
def remember_games(
    memories: AnyArray, parameters: IntArray, before: AnyArray, moves: IntArray, after: AnyArray
) -> None:
    """Bring ``memories`` [B] from states ``before`` to states ``after``; games that were over stay as they are."""
    for index in range(len(memories)):
        if not before[index]["is_over"]:
            remember_one(memories[index], parameters, before[index], moves[index], after[index])


@kernel
def step_and_remember(
    states: AnyArray, memories: AnyArray, parameters: IntArray, moves: IntArray, rewards: FloatArray
) -> None:
    """As `kernels.step`, and the memories [B] keep up: legal ``moves`` [B], written ``rewards`` [B], no checks."""
    before = np.empty_like(states[:1])
    for index in range(len(states)):
        rewards[index] = 0
        if not states[index]["is_over"]:
            before[0] = states[index]
            rewards[index] = step_one(states[index], parameters, moves[index])
            remember_one(memories[index], parameters, before[0], moves[index], states[index])


# ---------------------------------------------------------------------------------------------------------------------
# Friendly faces
# ---------------------------------------------------------------------------------------------------------------------


def new_memories(states: AnyArray) -> AnyArray:
    """Make the memories [B] of games [B] that have just been dealt.

    Raises:
        UserError: if a game has begun, since its past is not in its state.
    """
    _check_records("states", states, HANABI_STATE, states.shape[:1])
    if np.any(states["turn"] != 0):
        index = int(np.argmax(states["turn"] != 0))
        raise UserError(
            f"Game {index} has had {states['turn'][index]} turns, which a new memory would not know; "
            "make memories when games are dealt, and copy them with their states."
        )
    memories = np.zeros(len(states), dtype=HANABI_MEMORY)
    forget_games(memories, np.ones(len(states), dtype=np.bool_))
    return memories


def forget(memories: AnyArray, restarted: npt.ArrayLike) -> None:
    """Begin memories [B] anew, in place, where games were ``restarted`` [B] bool, as `restart_finished` returns it."""
    which = np.ascontiguousarray(restarted)
    _check_records("memories", memories, HANABI_MEMORY, memories.shape[:1])
    if which.dtype != np.bool_ or which.shape != memories.shape:
        raise UserError(f"restarted must be {len(memories)} booleans, one a game, not {which.dtype} of {which.shape}.")
    forget_games(memories, which)


def remember(
    memories: AnyArray, variant: HanabiVariant, before: AnyArray, moves: npt.ArrayLike, after: AnyArray
) -> None:
    """Bring memories from before a move to after it, in place.

    Args:
        memories: [B] records of `HANABI_MEMORY`, changed in place.
        variant: The rules.
        before: [B] states before the move.
        moves: [B] the moves, with any number where the game was over, whose memory stays as it is.
        after: [B] states after the move, real or imagined, and not restarted yet.
    """
    _check_records("memories", memories, HANABI_MEMORY, memories.shape[:1])
    _check_records("before", before, HANABI_STATE, memories.shape)
    _check_records("after", after, HANABI_STATE, memories.shape)
    given = np.asarray(moves)
    if given.shape != memories.shape or (given.size > 0 and given.dtype.kind not in "iu"):
        raise UserError(f"moves must be {len(memories)} whole numbers, one a game, not {given.dtype} of {given.shape}.")
    checked = np.ascontiguousarray(given, dtype=np.int64)
    wrong = ~before["is_over"] & (
        (after["turn"] != before["turn"] + 1) | (checked < 0) | (checked >= variant.num_moves)
    )
    if np.any(wrong):
        raise UserError(
            f"Game {int(np.argmax(wrong))}: the states are not one move of {variant.name} apart; give the states "
            "right before and right after each move, and forget restarted games afterwards."
        )
    remember_games(memories, variant.parameters, before, checked, after)


def _check_records(name: str, records: AnyArray, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    """Refuse records of another kind or number, or spread out in memory."""
    if records.dtype != dtype or records.shape != shape or not records.flags.c_contiguous:
        kind = "HANABI_MEMORY" if dtype == HANABI_MEMORY else "HANABI_STATE"
        raise UserError(f"{name} must be a contiguous row of {kind} records, one a game; got shape {records.shape}.")
