"""Replay of transitions: raw game records with a move and its target, re-encoded when they are used.

A record of full Hanabi takes 272 bytes where its float observation takes thousands, and an observation made anew can be
made under another colour permutation. Old targets hurt, so the memory is short: the newest transitions replace the
oldest.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from offbelief.jit import kernel
from offbelief.learning.sum_tree import SumTree
from offbelief.nouns import AnyArray, FloatArray, IntArray, UserError
from offbelief.streams import draw_below

SMALLEST_ERROR = 1e-3
"""Added to every error, so that no transition is out of reach."""


@dataclass(frozen=True, kw_only=True)
class ReplaySettings:
    """What is kept, and how it is drawn."""

    capacity: int = 32_768
    """Transitions kept; old targets hurt."""
    priority_exponent: float = 0.0
    """Draw in proportion to |error| to this power (0.9 in Table 2); 0 draws uniformly."""
    importance_exponent: float = 0.6
    """Corrects for the priorities: weights are (1 / probability) to this power, the largest being 1 (Table 2)."""

    def __post_init__(self) -> None:
        if self.capacity < 1:
            raise UserError(f"A replay needs room for at least one transition, not {self.capacity}.")
        if self.priority_exponent < 0 or not 0 <= self.importance_exponent <= 1:
            raise UserError("Exponents of the replay must not be negative, that of importance at most 1.")


class Drawn(NamedTuple):
    """Transitions to learn from; copies."""

    states: AnyArray
    moves: IntArray
    targets: FloatArray
    places: IntArray
    """[M] where they lie, for `renew`."""
    weights: FloatArray | None
    """[M] importance weights; None if all are drawn alike."""


class TransitionReplay:
    """The newest transitions, drawn uniformly or by priority.

    Args:
        settings: see `ReplaySettings`.
        state_dtype: of the game's records.
    """

    def __init__(self, settings: ReplaySettings, state_dtype: np.dtype[np.void]) -> None:
        self.settings = settings
        capacity = settings.capacity
        self.states: AnyArray = np.zeros(capacity, state_dtype)
        self.moves = np.zeros(capacity, np.int64)
        self.targets = np.zeros(capacity, np.float32)
        self.added = 0
        """Transitions ever added; the next one goes to added % capacity."""
        self.priorities = SumTree(capacity) if settings.priority_exponent > 0 else None
        self.largest_priority = np.ones(1)

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
        if self.priorities is not None:  # new transitions are drawn at least as soon as any other
            self.priorities.put(place, np.full(len(place), self.largest_priority[0]))

    def sample(self, size: int, stream: AnyArray) -> Drawn:
        """Draw transitions with replacement."""
        if not len(self):
            raise UserError("The replay is empty; add transitions before drawing from it.")
        weights = None
        places: IntArray
        if self.priorities is None:
            places = np.empty(size, np.int64)
            _draw_places(places, len(self), stream)
        else:
            places = self.priorities.draw(size, stream)
            weights = self.priorities.weights_of(places) ** -self.settings.importance_exponent
            weights = (weights / weights.max()).astype(np.float32)
        states = self.states.view(_bytes_of(self.states))[places].view(self.states.dtype)
        return Drawn(states, self.moves[places], self.targets[places], places, weights)

    def renew(self, places: IntArray, errors: FloatArray) -> None:
        """Give drawn transitions the priority of their newest error."""
        if self.priorities is not None:
            priorities = (np.abs(errors).astype(np.float64) + SMALLEST_ERROR) ** self.settings.priority_exponent
            self.priorities.put(places, priorities)
            self.largest_priority[0] = max(self.largest_priority[0], priorities.max())

    def arrays(self) -> dict[str, AnyArray]:
        """Everything that changes but the counter, to be saved and loaded in place."""
        kept = {"replay_states": self.states, "replay_moves": self.moves, "replay_targets": self.targets}
        if self.priorities is None:
            return kept
        return {**kept, "priorities": self.priorities.sums, "largest_priority": self.largest_priority}


def _bytes_of(states: AnyArray) -> np.dtype[np.void]:
    return np.dtype((np.void, states.dtype.itemsize))


@kernel
def _draw_places(places: IntArray, bound: int, stream: AnyArray) -> None:
    for index in range(len(places)):
        places[index] = draw_below(stream, bound)
