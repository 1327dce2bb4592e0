"""Replay of whole games, for networks with memory: a deal and its moves, played and encoded again when they are used.

A step of a game depends on state and move alone, so the first state and the moves are the whole game. A full game of
two players with OBL's targets takes about 1.1 kilobytes, where the encoded views of 65 moves take 340: 100,000 games
fit into a ninth of a gigabyte. A *sequence*, as the paper's Table 2 counts them, is what one seat saw of a game.
"""

from typing import NamedTuple

import numpy as np

from offbelief.games.batched import NO_MOVE, pick_games
from offbelief.learning.replay import SMALLEST_ERROR, ReplaySettings
from offbelief.learning.sum_tree import SumTree
from offbelief.nouns import AnyArray, FloatArray, IntArray, UserError
from offbelief.streams import draw_units


class PlayedGames(NamedTuple):
    """Finished games, as they are kept."""

    starts: AnyArray
    """[G] first states"""
    moves: IntArray
    """[G, T] as the acting seats said them; NO_MOVE after the end"""
    lengths: IntArray
    """[G] how many moves"""
    greedy_moves: IntArray | None = None
    """[G, T] what the acting seats would have done without exploring; for SAD"""
    targets: FloatArray | None = None
    """[G, P, T] what each seat's move, or its waiting, was worth; NaN where nothing is to be learned; for OBL"""

    @classmethod
    def make_room(
        cls, starts: AnyArray, num_seats: int, max_turns: int, *, greedy_moves: bool, targets: bool
    ) -> "PlayedGames":
        """Games of which nothing has been played yet."""
        size = len(starts)
        no_moves = np.full((size, max_turns), NO_MOVE, np.int16)
        return cls(
            starts,
            no_moves,
            np.zeros(size, np.int16),
            no_moves.copy() if greedy_moves else None,
            np.full((size, num_seats, max_turns), np.nan, np.float32) if targets else None,
        )

    def pick(self, chosen: IntArray) -> "PlayedGames":
        """Copies of some games [M]."""
        return PlayedGames(
            pick_games(self.starts, chosen),
            self.moves[chosen],
            self.lengths[chosen],
            None if self.greedy_moves is None else self.greedy_moves[chosen],
            None if self.targets is None else self.targets[chosen],
        )

    def put(self, places: IntArray, games: "PlayedGames") -> None:
        """Write games [M] over those at places [M]."""
        put_games(self.starts, places, games.starts)
        self.moves[places] = games.moves
        self.lengths[places] = games.lengths
        if self.greedy_moves is not None and games.greedy_moves is not None:
            self.greedy_moves[places] = games.greedy_moves
        if self.targets is not None and games.targets is not None:
            self.targets[places] = games.targets

    def arrays(self, prefix: str) -> dict[str, AnyArray]:
        """The parts by name, to be saved and loaded in place."""
        return {f"{prefix}_{name}": part for name, part in self._asdict().items() if part is not None}


class DrawnGames(NamedTuple):
    """Sequences to learn from; copies."""

    games: PlayedGames
    """[N]"""
    seats: IntArray
    """[N, W] whose sequences: one seat each, or all seats where values are joint"""
    places: IntArray
    """[N] where they lie, for `renew`"""
    weights: FloatArray | None
    """[N] importance weights; None if all are drawn alike"""


class GameReplay:
    """The newest games; sequences are drawn from them uniformly or by priority.

    Args:
        settings: see `ReplaySettings`; the capacity counts sequences, so it is shared by the seats.
        state_dtype: of the game's records.
        num_seats: P.
        max_turns: T, the longest game.
        is_joint: whether the sequences of all seats of a game are drawn together (VDN).
        keeps_greedy_moves: whether games come with them.
        keeps_targets: likewise.
    """

    def __init__(
        self,
        settings: ReplaySettings,
        state_dtype: np.dtype[np.void],
        *,
        num_seats: int,
        max_turns: int,
        is_joint: bool = False,
        keeps_greedy_moves: bool = False,
        keeps_targets: bool = False,
    ) -> None:
        self.settings = settings
        self.num_seats = num_seats
        self.groups = 1 if is_joint else num_seats
        """Sequences of a game that are drawn apart from each other."""
        capacity = settings.capacity // num_seats
        if capacity < 1:
            raise UserError(f"A replay of {settings.capacity} sequences has no room for a game of {num_seats} seats.")
        self.games = PlayedGames.make_room(
            np.zeros(capacity, state_dtype),
            num_seats,
            max_turns,
            greedy_moves=keeps_greedy_moves,
            targets=keeps_targets,
        )
        self.added = 0
        """Games ever added; the next one goes to added % capacity."""
        self.priorities = SumTree(capacity * self.groups) if settings.priority_exponent > 0 else None
        self.largest_priority = np.ones(1)

    def __len__(self) -> int:
        """Sequences that can be drawn."""
        return min(self.added, len(self.games.lengths)) * self.groups

    @property
    def num_bytes(self) -> int:
        """What all its arrays take when they are full, which is from the start."""
        return sum(array.nbytes for array in self.arrays().values())

    def add(self, played: PlayedGames) -> None:
        """Add games, replacing the oldest."""
        capacity = len(self.games.lengths)
        if len(played.lengths) > capacity:  # only the newest have room
            played = played.pick(np.arange(len(played.lengths))[-capacity:])
        places = (self.added + np.arange(len(played.lengths))) % capacity
        self.games.put(places, played)
        self.added += len(places)
        if self.priorities is not None:  # new sequences are drawn at least as soon as any other
            sequences = (places[:, None] * self.groups + np.arange(self.groups)).ravel()
            self.priorities.put(sequences, np.full(len(sequences), self.largest_priority[0]))

    def sample(self, size: int, stream: AnyArray) -> DrawnGames:
        """Draw sequences with replacement."""
        if not len(self):
            raise UserError("The replay is empty; add games before drawing from it.")
        weights = None
        places: IntArray
        if self.priorities is None:
            places = (draw_units(stream, np.zeros(size, np.int64)) * len(self)).astype(np.int64)
        else:
            places = self.priorities.draw(size, stream)
            weights = self.priorities.weights_of(places) ** -self.settings.importance_exponent
            weights = (weights / weights.max()).astype(np.float32)
        game, group = places // self.groups, places % self.groups
        seats = group[:, None] if self.groups > 1 else np.tile(np.arange(self.num_seats), (size, 1))
        return DrawnGames(self.games.pick(game), seats, places, weights)

    def renew(self, places: IntArray, priorities: FloatArray) -> None:
        """Give drawn sequences new priorities [N], before the exponent."""
        if self.priorities is not None:
            raised = (priorities.astype(np.float64) + SMALLEST_ERROR) ** self.settings.priority_exponent
            self.priorities.put(places, raised)
            self.largest_priority[0] = max(self.largest_priority[0], raised.max())

    def arrays(self) -> dict[str, AnyArray]:
        """Everything that changes but the counter, to be saved and loaded in place."""
        kept = self.games.arrays("replay")
        if self.priorities is None:
            return kept
        return {**kept, "priorities": self.priorities.sums, "largest_priority": self.largest_priority}


def put_games(states: AnyArray, places: IntArray, others: AnyArray) -> None:
    """Write games [M] over those at places [M]; as plain bytes, as `pick_games` reads them."""
    plain = np.dtype((np.void, states.dtype.itemsize))
    states.view(plain)[places] = np.ascontiguousarray(others).view(plain)
