"""A small Dec-POMDP as integer tables over its Markov states.

`tabulate` explores a game's *distinct states* once through its Python methods and checks them on the way. Everything
after this, the unrolling into trajectories and histories included, is NumPy and numba on the tables
(`tree.py`). Games that know their own structure build `GameTables` directly (`random_game.py`).
"""

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from offbelief.games.contract import Game, State
from offbelief.nouns import FloatArray, GameError, IntArray

PROBABILITY_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False, kw_only=True)
class GameTables:
    """The states of a game, flattened.

    A state owns a run of *slots*, one per legal action; a slot owns a run of *edges*, one per outcome of chance.
    Axes: `S` states, `M` slots, `E` edges, `P` players.
    """

    name: str
    player_names: tuple[str, ...]
    max_length: int
    public_actions: bool
    private_legality: bool
    action_names: tuple[str, ...]
    """Names of the actions; an action's number is its place here."""
    start_state: IntArray
    """[I] states in which the game can begin."""
    start_probability: FloatArray
    """[I] their probabilities."""
    acting_player: IntArray
    """[S] whose turn it is; -1 where the game is over."""
    slot_start: IntArray
    """[S+1] the slots of state s are slot_start[s] .. slot_start[s+1]-1."""
    slot_action: IntArray
    """[M] the action of a slot; ascending within a state."""
    edge_start: IntArray
    """[M+1] the edges of slot m are edge_start[m] .. edge_start[m+1]-1."""
    edge_probability: FloatArray
    """[E]"""
    edge_reward: FloatArray
    """[E]"""
    edge_state: IntArray
    """[E] the state that follows."""
    observation: IntArray
    """[P+1, S] what each player observes on reaching a state, as a number; the last row is the public part alone."""
    observation_name: Callable[[int, int], str]
    """What (player, state) observes, in words; empty for nothing new. Player P is the public."""

    @property
    def num_players(self) -> int:
        """How many players."""
        return len(self.player_names)

    @property
    def num_states(self) -> int:
        """How many distinct states."""
        return len(self.acting_player)


class _Numbering:
    """Numbers values in the order of their first appearance."""

    def __init__(self) -> None:
        self.number_of: dict[Hashable, int] = {}

    def __call__(self, value: Hashable) -> int:
        return self.number_of.setdefault(value, len(self.number_of))


def tabulate(game: Game | GameTables) -> GameTables:
    """Explore the distinct states of a game and check what can be checked state by state.

    Args:
        game: anything that satisfies the contract; tables are passed through.

    Raises:
        GameError: one sentence that names the state and how it is reached.
    """
    if isinstance(game, GameTables):
        return game
    return _Explorer(game).explore()


class _Explorer:
    """One exploration: states in breadth-first order, each with the path that first reached it."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.player_names = tuple(str(name) for name in game.player_names)
        self.action_by_name: dict[str, Hashable] = {}
        self.states: list[State] = []
        self.number_of: dict[State, int] = {}
        self.reached_by: list[tuple[int, str]] = []  # (state before, action); -1 for a start
        self.depth: list[int] = []

    def explore(self) -> GameTables:
        game, num_players = self.game, len(self.player_names)
        if num_players < 1:
            raise GameError("The game has no players: give at least one name in player_names.")
        if len(set(self.player_names)) < num_players:
            raise GameError(f"Two players share a name in {self.player_names}; give each its own.")
        if not isinstance(game.max_length, int) or game.max_length < 1:
            raise GameError(f"max_length is {game.max_length!r}; it must be a whole number of moves, at least 1.")
        start_state, start_probability = self._explore_start()
        actions = _Numbering()
        acting, slot_count, slot_action, edge_count = [], [], [], []
        probabilities, rewards, next_states = [], [], []
        observers = [_Numbering() for _ in range(num_players + 1)]
        observation: list[list[int]] = [[] for _ in range(num_players + 1)]
        labels: list[list[str]] = [[] for _ in range(num_players + 1)]
        here = 0
        while here < len(self.states):
            state = self.states[here]
            player = self._acting_player(here)
            acting.append(player)
            legal = [] if player < 0 else self._legal_actions(here)
            slots = sorted((actions(action), action) for action in legal)
            slot_count.append(len(slots))
            for number, action in slots:
                outcomes = self._transitions(here, action)
                slot_action.append(number)
                edge_count.append(len(outcomes))
                for probability, reward, next_number in outcomes:
                    probabilities.append(probability)
                    rewards.append(reward)
                    next_states.append(next_number)
            public = game.public_observation(state)
            for observer in range(num_players + 1):
                private = None if observer == num_players else game.private_observation(state, observer)
                self._check_hashable((public, private), f"{self._where(here)} the observation")
                observation[observer].append(observers[observer]((public, private)))
                labels[observer].append(", ".join(str(seen) for seen in (public, private) if seen is not None))
            here += 1
        self._check_no_loop(acting, slot_count, edge_count, next_states)
        return GameTables(
            name=str(game.name),
            player_names=self.player_names,
            max_length=game.max_length,
            public_actions=bool(game.public_actions),
            private_legality=bool(game.private_legality),
            action_names=tuple(str(action) for action in actions.number_of),
            start_state=np.array(start_state, np.int32),
            start_probability=np.array(start_probability, np.float64),
            acting_player=np.array(acting, np.int32),
            slot_start=_offsets(slot_count),
            slot_action=np.array(slot_action, np.int32),
            edge_start=_offsets(edge_count),
            edge_probability=np.array(probabilities, np.float64),
            edge_reward=np.array(rewards, np.float64),
            edge_state=np.array(next_states, np.int32),
            observation=np.array(observation, np.int32),
            observation_name=lambda player, state: labels[player][state],
        )

    def _explore_start(self) -> tuple[list[int], list[float]]:
        start = _read_rows(self.game.initial_states(), 2, "the list of initial_states() holds (probability, state)")
        if not start:
            raise GameError("The game has no start: give at least one (probability, state) in initial_states().")
        self._check_probabilities([probability for probability, _ in start], "the start of the game (initial_states)")
        numbers = [self._number(state, (-1, ""), 0) for _, state in start]
        return numbers, [float(probability) for probability, _ in start]

    def _acting_player(self, here: int) -> int:
        player: Any = self.game.acting_player(self.states[here])
        if player is None:
            return -1
        if isinstance(player, tuple | list | set | frozenset):
            raise GameError(
                f"The game is not turn-based: {self._where(here)} players {sorted(player)} move at once; convert it "
                "with offbelief.as_turn_based(game, order), or give the moves one after the other."
            )
        if not isinstance(player, int | np.integer) or not 0 <= player < len(self.player_names):
            raise GameError(
                f"{self._where(here, capital=True)} acting_player is {player!r}; it must be a player's number from 0 "
                f"to {len(self.player_names) - 1}, or None when the game is over."
            )
        return int(player)

    def _legal_actions(self, here: int) -> list[Hashable]:
        offered: Any = self.game.legal_actions(self.states[here])
        if not isinstance(offered, Iterable):
            raise GameError(f"{self._where(here, capital=True)} legal_actions is {offered!r}; it must list actions.")
        legal = list(offered)
        for action in legal:
            self._check_hashable(action, f"{self._where(here)} the action")
            twin = self.action_by_name.setdefault(str(action), action)
            if twin != action:
                raise GameError(
                    f"{self._where(here, capital=True)} the actions {twin!r} and {action!r} read the same; rename one."
                )
        if not legal:
            raise GameError(
                f"{self._where(here, capital=True)} player {self._actor_name(here)} has no legal action; give one, "
                "or let acting_player return None if the game is over there."
            )
        if len(set(legal)) < len(legal):
            raise GameError(f"{self._where(here, capital=True)} an action is listed twice in {legal!r}.")
        if self.depth[here] >= self.game.max_length:
            raise GameError(
                f"The game is longer than max_length = {self.game.max_length}: {self._where(here)} it goes on after "
                f"that many moves; raise max_length, or end the game (a loop of states has no bounded length)."
            )
        return legal

    def _transitions(self, here: int, action: Hashable) -> list[tuple[float, float, int]]:
        where = f"after action {action!s} {self._where(here)}"
        outcomes = _read_rows(
            self.game.transitions(self.states[here], action),
            3,
            f"transitions {where} must list (probability, reward, state)",
        )
        self._check_probabilities([outcome[0] for outcome in outcomes], f"the outcomes {where}")
        merged = []
        for probability, reward, state in outcomes:
            if not _is_number(reward) or not math.isfinite(reward):
                raise GameError(f"The reward {where} is {reward!r}; rewards must be finite numbers.")
            number = self._number(state, (here, str(action)), self.depth[here] + 1)
            merged.append((float(probability), float(reward), number))
        return merged

    def _check_no_loop(
        self, acting: list[int], slot_count: list[int], edge_count: list[int], next_states: list[int]
    ) -> None:
        """Refuse a game that can come back to a state: it has no bounded length."""
        slot_start, edge_start = _offsets(slot_count), _offsets(edge_count)
        successors = [
            next_states[edge_start[slot_start[state]] : edge_start[slot_start[state + 1]]]
            for state in range(len(acting))
        ]
        ways_in = [0] * len(acting)
        for state in next_states:
            ways_in[state] += 1
        free = [state for state, count in enumerate(ways_in) if count == 0]
        for state in free:  # grows while we walk it: a topological order
            for successor in successors[state]:
                ways_in[successor] -= 1
                if ways_in[successor] == 0:
                    free.append(successor)
        if len(free) < len(acting):
            looping = next(state for state, count in enumerate(ways_in) if count > 0)
            raise GameError(
                f"The game has no bounded length: {self._where(looping)} play can come back to a state it has "
                "been in; put the number of the turn into the state and end the game after max_length moves."
            )

    def _number(self, state: State, reached_by: tuple[int, str], depth: int) -> int:
        self._check_hashable(state, "the state")
        number = self.number_of.get(state)
        if number is None:
            number = self.number_of[state] = len(self.states)
            self.states.append(state)
            self.reached_by.append(reached_by)
            self.depth.append(depth)
        return number

    def _check_probabilities(self, probabilities: list[float], what: str) -> None:
        what = what[0].upper() + what[1:]
        if not probabilities:
            raise GameError(f"{what}: there is no outcome; give at least one (probability, reward, state).")
        for probability in probabilities:
            if not _is_number(probability) or not math.isfinite(probability) or probability <= 0:
                raise GameError(f"{what}: a probability is {probability!r}; leave impossible outcomes out.")
        total = math.fsum(probabilities)
        if abs(total - 1) > PROBABILITY_TOLERANCE:
            raise GameError(f"{what}: the probabilities add up to {total:.12g}, not 1.")

    def _check_hashable(self, value: object, what: str) -> None:
        try:
            hash(value)
        except TypeError:
            raise GameError(
                f"{what[0].upper()}{what[1:]} {value!r} cannot be hashed; use tuples, strings, numbers or a frozen "
                "dataclass."
            ) from None

    def _actor_name(self, here: int) -> str:
        player = self.game.acting_player(self.states[here])
        return self.player_names[player] if isinstance(player, int) else str(player)

    def _where(self, here: int, capital: bool = False) -> str:
        """Say where a state is, by the moves that first led there."""
        moves: list[str] = []
        state = here
        while self.reached_by[state][0] >= 0:
            state, action = self.reached_by[state]
            moves.append(action)
        path = f"after the moves {', '.join(reversed(moves))}" if moves else "at the start"
        return f"{'In' if capital else 'in'} state {self.states[here]!r} ({path})"


def _read_rows(rows: Any, length: int, demand: str) -> list[tuple[Any, ...]]:
    """See that a game gave a list of tuples of one length."""
    listed = list(rows) if isinstance(rows, Iterable) else [rows]
    for row in listed:
        if not isinstance(row, tuple | list) or len(row) != length:
            raise GameError(f"{demand[0].upper()}{demand[1:]}, not {row!r}.")
    return [tuple(row) for row in listed]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _offsets(counts: list[int]) -> IntArray:
    return np.concatenate([[0], np.cumsum(np.array(counts, np.int64))]).astype(np.int64)
