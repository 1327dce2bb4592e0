"""Games that carry their public memory with them: one record holds a `HANABI_STATE` and its `HANABI_MEMORY`.

A learner copies, stores and imagines games as records of one array. From level 2 of off-belief learning on it also
needs what happened before (`memory.py`), and a record of `REMEMBERED_GAME` keeps the two together. Its first fields are
those of a state, so ``records["lives"]`` reads as ever; the engine's kernels work on the halves that `split` gives.
"""

import numpy as np

from offbelief.games.hanabi.colours import permute_states
from offbelief.games.hanabi.memory import HANABI_MEMORY
from offbelief.games.hanabi.state import HANABI_STATE, NO_CARD, NOTHING
from offbelief.games.hanabi.variant import (
    CARD_KINDS,
    COLOUR_BY_KIND,
    HAND_SIZE,
    HINTED_COLOUR,
    MAX_KINDS,
    PLAYERS,
    RANK_BY_KIND,
    RANKS,
    HanabiVariant,
)
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, IntArray

_ONE = np.int64(1)


def _start_of_memory() -> int:
    return -(-HANABI_STATE.itemsize // HANABI_MEMORY.alignment) * HANABI_MEMORY.alignment


def _joint_dtype() -> np.dtype[np.void]:
    names, fields = HANABI_STATE.names, HANABI_STATE.fields
    assert names is not None and fields is not None
    start = _start_of_memory()
    return np.dtype(
        {
            "names": [*names, "memory"],
            "formats": [*(fields[name][0] for name in names), HANABI_MEMORY],
            "offsets": [*(fields[name][1] for name in names), start],
            "itemsize": -(-(start + HANABI_MEMORY.itemsize) // HANABI_STATE.alignment) * HANABI_STATE.alignment,
        }
    )


REMEMBERED_GAME = _joint_dtype()
"""The fields of `HANABI_STATE`, and "memory", a record of `HANABI_MEMORY`."""

_MEMORY_START = _start_of_memory()


def split(records: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Copy records [B] into states [B] and memories [B], each in one piece as kernels want them."""
    rows = np.ascontiguousarray(records).view(np.uint8).reshape(len(records), REMEMBERED_GAME.itemsize)
    states = rows[:, : HANABI_STATE.itemsize].copy().view(HANABI_STATE)[:, 0]
    memories = rows[:, _MEMORY_START : _MEMORY_START + HANABI_MEMORY.itemsize].copy().view(HANABI_MEMORY)[:, 0]
    return states, memories


def join(states: AnyArray, memories: AnyArray, out: AnyArray | None = None) -> AnyArray:
    """Put states [B] and memories [B] into records [B]: new ones, or those of ``out``."""
    records = np.zeros(len(states), REMEMBERED_GAME) if out is None else out
    rows = records.view(np.uint8).reshape(len(records), REMEMBERED_GAME.itemsize)
    state, memory = HANABI_STATE.itemsize, HANABI_MEMORY.itemsize  # written out: no games have no width to guess
    rows[:, :state] = states.view(np.uint8).reshape(len(states), state)
    rows[:, _MEMORY_START : _MEMORY_START + memory] = memories.view(np.uint8).reshape(len(states), memory)
    return records


def permute_remembered(records: AnyArray, variant: HanabiVariant, permutations: IntArray) -> AnyArray:
    """Rename the colours of games and of what is remembered of them: copies [B], ``permutations`` [B, C]."""
    states, memories = split(records)
    permute_memories(memories, variant.parameters, permutations)
    return join(permute_states(states, variant, permutations, out=states), memories)


@kernel
def permute_memory_one(memory: np.void, parameters: IntArray, permutation: IntArray, scratch: IntArray) -> None:
    """Rename the colours in one memory, in place; ``scratch`` [2, MAX_KINDS] holds what is moved meanwhile."""
    kinds, ranks = parameters[CARD_KINDS], parameters[RANKS]
    renamed, values = scratch[0], scratch[1]
    for kind in range(kinds):
        renamed[kind] = permutation[parameters[COLOUR_BY_KIND + kind]] * ranks + parameters[RANK_BY_KIND + kind]
    for seat in range(parameters[PLAYERS]):
        for slot in range(parameters[HAND_SIZE]):
            last, first = np.int64(memory["playable_at_touch"][seat, slot]), np.int64(0)
            first |= np.int64(memory["playable_at_first_touch"][seat, slot])
            moved_last, moved_first = np.int64(0), np.int64(0)
            passed = memory["passed_while_playable"]
            for kind in range(kinds):
                moved_last |= ((last >> kind) & _ONE) << renamed[kind]
                moved_first |= ((first >> kind) & _ONE) << renamed[kind]
                values[kind] = np.int64(passed[seat, slot, kind])
            memory["playable_at_touch"][seat, slot] = moved_last
            memory["playable_at_first_touch"][seat, slot] = moved_first
            for kind in range(kinds):
                passed[seat, slot, renamed[kind]] = values[kind]
        if np.int64(memory["move_type"][seat]) == HINTED_COLOUR:
            memory["move_value"][seat] = permutation[np.int64(memory["move_value"][seat])]
        card = np.int64(memory["move_card"][seat])
        if card != NO_CARD and card != NOTHING:
            memory["move_card"][seat] = renamed[card]


@kernel
def permute_memories(memories: AnyArray, parameters: IntArray, permutations: IntArray) -> None:
    """Rename the colours in memories [B] in place; ``permutations`` [B, C]."""
    scratch = np.empty((2, MAX_KINDS), dtype=np.int64)
    for index in range(len(memories)):
        permute_memory_one(memories[index], parameters, permutations[index], scratch)
