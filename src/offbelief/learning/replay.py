"""Replay of transitions: raw game records with a move and its target, re-encoded when they are used.

A record of full Hanabi takes 272 bytes where its float observation takes thousands, and an observation made anew can be
made under another colour permutation. Old targets hurt, so the memory is short: the newest transitions replace the
oldest.
"""

import numpy as np

from offbelief.jit import kernel
from offbelief.nouns import AnyArray, FloatArray, IntArray, UserError
from offbelief.streams import draw_below


class TransitionReplay:
    """The newest transitions, drawn uniformly.

    Args:
        capacity: how many are kept.
        state_dtype: of the game's records.
    """

    def __init__(self, capacity: int, state_dtype: np.dtype[np.void]) -> None:
        if capacity < 1:
            raise UserError(f"A replay needs room for at least one transition, not {capacity}.")
        self.states: AnyArray = np.zeros(capacity, state_dtype)
        self.moves = np.zeros(capacity, np.int64)
        self.targets = np.zeros(capacity, np.float32)
        self.added = 0
        """Transitions ever added; the next one goes to added % capacity."""

    def __len__(self) -> int:
        return min(self.added, len(self.states))

    def add(self, states: AnyArray, moves: IntArray, targets: FloatArray) -> None:
        """Add transitions, replacing the oldest."""
        place = (self.added + np.arange(len(states))) % len(self.states)
        # As plain bytes: NumPy copies structured records field by field, which is slow.
        self.states.view(_bytes_of(self.states))[place] = states.view(_bytes_of(states))
        self.moves[place] = moves
        self.targets[place] = targets
        self.added += len(states)

    def sample(self, size: int, stream: AnyArray) -> tuple[AnyArray, IntArray, FloatArray]:
        """Draw transitions uniformly with replacement: copies of states, moves and targets."""
        if not len(self):
            raise UserError("The replay is empty; add transitions before drawing from it.")
        place = np.empty(size, np.int64)
        _draw_places(place, len(self), stream)
        states = self.states.view(_bytes_of(self.states))[place].view(self.states.dtype)
        return states, self.moves[place], self.targets[place]


def _bytes_of(states: AnyArray) -> np.dtype[np.void]:
    return np.dtype((np.void, states.dtype.itemsize))


@kernel
def _draw_places(places: IntArray, bound: int, stream: AnyArray) -> None:
    for index in range(len(places)):
        places[index] = draw_below(stream, bound)
