"""Simultaneous moves, one after the other: any simultaneous-move game as a turn-based one (paper, Section 4.5).

The players choose in a given order, and nobody sees what the others chose until all have. The order matters: whoever
chooses later interprets the earlier, hidden choices as pi0's, so it decides between equilibria
(docs/games/simultaneous.md).
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from offbelief.games.contract import Action, GameFacts, State
from offbelief.nouns import GameError


class SimultaneousGame(GameFacts, Protocol):
    """A game in which several players may move at once; otherwise as `Game`.

    `public_actions` says whether everybody sees all choices once they have been made.
    """

    def initial_states(self) -> Iterable[tuple[float, State]]:
        """Give (probability, state) of every way the game can begin."""

    def acting_players(self, state: State) -> Sequence[int]:
        """List who moves; empty when the game is over."""

    def legal_actions(self, state: State, player: int) -> Sequence[Action]:
        """List what one of the acting players may do."""

    def transitions(self, state: State, actions: tuple[Action, ...]) -> Iterable[tuple[float, float, State]]:
        """Give (probability, reward, next state) after a joint action, listed in the order of acting_players."""

    def public_observation(self, state: State) -> Hashable:
        """Give what everybody sees on reaching a state."""

    def private_observation(self, state: State, player: int) -> Hashable:
        """Give what one player sees besides."""


@dataclass(frozen=True)
class _Waiting:
    """A state of the turn-based game: where the simultaneous game stands, and who has chosen already."""

    state: Hashable
    chosen: tuple[Action, ...] = ()
    revealed: tuple[Action, ...] | None = None
    """The joint action that led to `state`, for everyone to see."""


class _TurnBased:
    """The turn-based game that `as_turn_based` makes."""

    public_actions = False  # choices stay hidden; the joint action is shown through the public observation

    def __init__(self, game: SimultaneousGame, order: tuple[int, ...]) -> None:
        self.game = game
        self.order = order
        self.name = f"{game.name} (order {', '.join(game.player_names[player] for player in order)})"
        self.player_names = game.player_names
        self.max_length = game.max_length * len(order)
        self.private_legality = game.private_legality

    def initial_states(self) -> Iterable[tuple[float, _Waiting]]:
        return [(probability, _Waiting(state)) for probability, state in self.game.initial_states()]

    def acting_player(self, state: _Waiting) -> int | None:
        acting = self._acting_in_order(state)
        return acting[len(state.chosen)] if acting else None

    def legal_actions(self, state: _Waiting) -> Sequence[Action]:
        player = self._acting_in_order(state)[len(state.chosen)]
        return self.game.legal_actions(state.state, player)

    def transitions(self, state: _Waiting, action: Action) -> Iterable[tuple[float, float, _Waiting]]:
        acting = self._acting_in_order(state)
        chosen = (*state.chosen, action)
        if len(chosen) < len(acting):
            return [(1.0, 0.0, _Waiting(state.state, chosen))]
        by_player = dict(zip(acting, chosen, strict=True))
        joint = tuple(by_player[player] for player in self.game.acting_players(state.state))
        revealed = joint if self.game.public_actions else None
        return [
            (probability, reward, _Waiting(after, (), revealed))
            for probability, reward, after in self.game.transitions(state.state, joint)
        ]

    def public_observation(self, state: _Waiting) -> Hashable:
        if state.chosen:
            return None
        seen = self.game.public_observation(state.state)
        if state.revealed is None:
            return seen
        return state.revealed if seen is None else (state.revealed, seen)

    def private_observation(self, state: _Waiting, player: int) -> Hashable:
        return None if state.chosen else self.game.private_observation(state.state, player)

    def _acting_in_order(self, state: _Waiting) -> list[int]:
        acting = set(self.game.acting_players(state.state))
        return [player for player in self.order if player in acting]


def as_turn_based(game: SimultaneousGame, order: Sequence[int] | None = None) -> _TurnBased:
    """Convert a simultaneous-move game to an equivalent turn-based one.

    Args:
        game: the game.
        order: in which order the players choose, by number; 0, 1, 2, ... if left out.

    Returns:
        A `Game`. Values of joint policies are the same in both; OBL policies may depend on the order.
    """
    players = range(len(game.player_names))
    chosen = tuple(int(player) for player in (players if order is None else order))
    if sorted(chosen) != list(players):
        raise GameError(f"The order {chosen} must name every player from 0 to {len(players) - 1} once.")
    return _TurnBased(game, chosen)


class MatrixGame:
    """Two players choose at once and receive the entry of a payoff matrix, such as the paper's [[1, 0], [0, 1]]."""

    name = "matrix"
    player_names: Sequence[str] = ("Row", "Column")
    max_length = 1
    public_actions = True
    private_legality = False

    def __init__(self, payoffs: Sequence[Sequence[float]]) -> None:
        self.payoffs = np.asarray(payoffs, np.float64)
        if self.payoffs.ndim != 2 or 0 in self.payoffs.shape:
            raise GameError(f"A matrix game needs a matrix of payoffs, not an array of shape {self.payoffs.shape}.")

    def initial_states(self) -> Iterable[tuple[float, str]]:
        """There is nothing to deal."""
        return [(1.0, "start")]

    def acting_players(self, state: str) -> Sequence[int]:
        """Both, once."""
        return (0, 1) if state == "start" else ()

    def legal_actions(self, state: str, player: int) -> Sequence[Action]:
        """Rows for the one, columns for the other."""
        return range(self.payoffs.shape[player])

    def transitions(self, state: str, actions: tuple[Action, ...]) -> Iterable[tuple[float, float, str]]:
        """The entry of the matrix."""
        row, column = actions
        return [(1.0, float(self.payoffs.item(row, column)), "over")]  # type: ignore[arg-type]

    def public_observation(self, state: str) -> Hashable:
        """Nothing besides the actions."""
        return None

    def private_observation(self, state: str, player: int) -> Hashable:
        """Nothing."""
        return None
