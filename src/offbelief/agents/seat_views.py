"""What recurrent networks are given: every seat's view of every step, with waiting as the last move.

A seat looks at every step of a game. On its own turn it may do what the game allows; else, and when the game is over,
it can only wait, which is the last move here. Seats may see the colours under names of their own (Other-Play, Hu et al.
2020), and may be told what the last mover would have done without exploring (SAD, Hu and Foerster 2020).
"""

from typing import NamedTuple

import numpy as np

from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.games.batched import BatchedGame
from offbelief.games.hanabi.colours import invert_permutations, permute_moves, permute_states
from offbelief.games.hanabi.views.v0_belief import last_moves, v0_belief_layout
from offbelief.nouns import AnyArray, BoolArray, FloatArray, IntArray, UserError


class SeatView(NamedTuple):
    """What some seats see."""

    observations: FloatArray
    """[N, F]"""
    legal: BoolArray
    """[N, A], waiting last"""


class SeatViews:
    """Makes the inputs of recurrent networks.

    Args:
        game: what is played; Hanabi in the v0-belief encoding, as in the paper, or any other batched game.
        greedy_move: whether seats are told the last mover's greedy move (Hanabi only).
    """

    def __init__(self, game: BatchedGame, *, greedy_move: bool = False) -> None:
        if isinstance(game, HanabiGame) and game.encoding != "v0-belief":
            raise UserError("Recurrent networks read the v0-belief encoding of Hanabi; make the game with it.")
        if greedy_move and not isinstance(game, HanabiGame):
            raise UserError(f"SAD needs a game whose last move can be shown, such as Hanabi, not {game.name}.")
        self.game = game
        self.greedy_move = greedy_move
        told = 0
        if isinstance(game, HanabiGame) and greedy_move:
            told = v0_belief_layout(game.variant, greedy_move=True).size - game.observation_size
        self.observation_size = game.observation_size + told
        """F, features of a view."""
        self.public_columns: IntArray = np.concatenate(
            [game.public_columns, np.arange(game.observation_size, self.observation_size)]
        )
        """Features that do not depend on hidden cards; the greedy move was made in public."""
        self.num_moves = game.num_moves + 1
        """A, moves of the game and waiting."""
        self.waiting = game.num_moves
        """The move of a seat that cannot move."""
        self.hand_size = game.variant.hand_size if isinstance(game, HanabiGame) else 0
        """H, own cards; 0 where there are none."""

    def see(
        self,
        states: AnyArray,
        seats: IntArray,
        *,
        greedy_states: AnyArray | None = None,
        colours: IntArray | None = None,
    ) -> SeatView:
        """What seats see of games.

        Args:
            states: [N] games.
            seats: [N] who looks.
            greedy_states: [N] the same games had the last mover not explored; the games themselves if left out, as at
                evaluation. Used if seats are told.
            colours: [N, C] under which name each seat sees each colour; under its own if left out.
        """
        acting = ~self.game.is_over(states) & (self.game.acting_seats(states) == seats)
        told = greedy_states if greedy_states is not None else states
        if colours is not None:
            variant = self._hanabi().variant
            states = permute_states(states, variant, colours)
            if self.greedy_move:
                told = permute_states(told, variant, colours)
        observations = self.game.observe(states, seats)
        if self.greedy_move:
            rows = np.zeros((len(states), self.observation_size), np.float32)
            rows[:, : observations.shape[1]] = observations
            last_moves(told, self._hanabi().variant.parameters, seats, observations.shape[1], rows)
            observations = rows
        legal = np.zeros((len(states), self.num_moves), np.bool_)
        legal[:, :-1] = self.game.legal_moves(states) & acting[:, None]
        legal[:, -1] = ~acting
        return SeatView(observations, legal)

    def see_from_everywhere(
        self,
        states: AnyArray,
        *,
        greedy_states: AnyArray | None = None,
        colours: IntArray | None = None,
    ) -> SeatView:
        """What all seats see of games [B]: observations [P, B, F] and legal moves [P, B, A]; colours are [P, B, C]."""
        size = len(states)
        views = [
            self.see(
                states,
                np.full(size, seat),
                greedy_states=greedy_states,
                colours=None if colours is None else colours[seat],
            )
            for seat in range(self.game.num_seats)
        ]
        return SeatView(*(np.stack(parts) for parts in zip(*views, strict=True)))

    def as_seen(self, moves: IntArray, colours: IntArray | None) -> IntArray:
        """Moves [N] in the names of seats that see the colours as `colours` [N, C] says."""
        return moves if colours is None else self._rename(moves, colours)

    def as_made(self, moves: IntArray, colours: IntArray | None) -> IntArray:
        """The same the other way round: from the seats' names to the game's."""
        return moves if colours is None else self._rename(moves, invert_permutations(colours))

    def _rename(self, moves: IntArray, colours: IntArray) -> IntArray:
        waits = (moves < 0) | (moves == self.waiting)
        renamed = permute_moves(np.where(waits, 0, moves), self._hanabi().variant, colours)
        return np.asarray(np.where(waits, moves, renamed))

    def _hanabi(self) -> HanabiGame:
        if not isinstance(self.game, HanabiGame):
            raise UserError(f"{self.game.name} has no colours to rename; leave Other-Play out.")
        return self.game
