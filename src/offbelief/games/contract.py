"""What a small game must offer.

A game here is a finite, bounded-length, turn-based Dec-POMDP with any number of players and a common reward (paper,
Section 3). Chance lives in the transitions, so one step is one player's move; every player sees every step go by, and
a history (the paper's action-observation history, tau^i) grows by one observation per step.

Write a class with these members, or a JSON file (`offbelief.games.json_game`), then run
`offbelief.check_game(game)`: it explains what is wrong, or says how large the game is.

What does **not** live here: how a game is turned into tables (`tables.py`, `tree.py`).
"""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

State: TypeAlias = Any  # any hashable value that determines the rest of the game
Action: TypeAlias = Hashable  # a name such as "guess cat", or a number


class GameFacts(Protocol):
    """What every game says of itself; plain class attributes do."""

    @property
    def name(self) -> str:
        """What reports call the game."""

    @property
    def player_names(self) -> Sequence[str]:
        """One name per player; seats are numbered in this order."""

    @property
    def max_length(self) -> int:
        """No game takes more moves than this (the paper's t_max)."""

    @property
    def public_actions(self) -> bool:
        """Whether everyone sees every action."""

    @property
    def private_legality(self) -> bool:
        """Whether legality may depend on what only some players know."""


@runtime_checkable
class Game(GameFacts, Protocol):
    """A small turn-based Dec-POMDP, stated by its Markov states.

    If `public_actions` is False, only the actor remembers its action, and the game shows whatever it likes through
    `public_observation`. If `private_legality` is True, a legal action can give private information away and "uniform
    over legal actions" is no longer a public-state policy (Theorem 4 does not apply), so a game must say it.
    """

    def initial_states(self) -> Iterable[tuple[float, State]]:
        """Give (probability, state) of every way the game can begin."""

    def acting_player(self, state: State) -> int | None:
        """Say whose turn it is, by number; None when the game is over."""

    def legal_actions(self, state: State) -> Sequence[Action]:
        """List what the acting player may do; the same in all states that it cannot tell apart."""

    def transitions(self, state: State, action: Action) -> Iterable[tuple[float, float, State]]:
        """Give (probability, reward, next state) of every outcome of a move."""

    def public_observation(self, state: State) -> Hashable:
        """Give what everybody sees on reaching a state; None for nothing new."""

    def private_observation(self, state: State, player: int) -> Hashable:
        """Give what one player sees besides; None for nothing new."""
