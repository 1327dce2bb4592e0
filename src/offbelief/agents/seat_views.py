"""What recurrent networks are given: every seat's view of every step, with waiting as the last move.

A seat looks at every step of a game. On its own turn it may do what the game allows; else, and when the game is over,
it can only wait, which is the last move here. It may also be told what the last mover would have done without exploring
(SAD, Hu and Foerster 2020), in a second last-move block as in the paper's public code.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.games.batched import BatchedGame
from offbelief.games.hanabi.variant import HanabiVariant
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
        variant: the rules, if it is Hanabi.
        greedy_move: whether seats are told the last mover's greedy move (Hanabi only).
        as_seen: copies games [N] as seats [N] see them, where seats have names of their own for the colours
            (Other-Play); needed for the greedy move only, since the game itself shows the rest in those names.
    """

    def __init__(
        self,
        game: BatchedGame,
        variant: HanabiVariant | None = None,
        *,
        greedy_move: bool = False,
        as_seen: Callable[[AnyArray, IntArray], AnyArray] | None = None,
    ) -> None:
        if isinstance(game, HanabiGame) and game.encoding != "v0-belief":
            raise UserError("Recurrent networks read the v0-belief encoding of Hanabi; make the game with it.")
        if greedy_move and variant is None:
            raise UserError(f"SAD needs a game whose last move can be shown, such as Hanabi, not {game.name}.")
        self.game = game
        self._variant = variant
        self._as_seen = as_seen
        self.greedy_move = greedy_move
        told = 0
        if variant is not None and greedy_move:
            told = v0_belief_layout(variant, greedy_move=True).size - game.observation_size
        self.layout = None if variant is None else v0_belief_layout(variant, greedy_move=greedy_move)
        """Names of the features, if it is Hanabi."""
        self.observation_size = game.observation_size + told
        """F, features of a view."""
        self.public_columns: IntArray = np.concatenate(
            [game.public_columns, np.arange(game.observation_size, self.observation_size)]
        )
        """Features that do not depend on hidden cards; the greedy move is told to everybody."""
        self.num_moves = game.num_moves + 1
        """A, moves of the game and waiting."""
        self.waiting = game.num_moves
        """The move of a seat that cannot move."""

    def see(self, states: AnyArray, seats: IntArray, greedy_states: AnyArray | None = None) -> SeatView:
        """What seats see of games.

        Args:
            states: [N] games.
            seats: [N] who looks.
            greedy_states: [N] the same games had the last mover not explored; the games themselves if left out, as at
                evaluation. Used if seats are told.
        """
        observations = self.game.observe(states, seats)
        if self._variant is not None and self.greedy_move:
            told = states if greedy_states is None else greedy_states
            if self._as_seen is not None:
                told = self._as_seen(told, seats)
            rows = np.zeros((len(states), self.observation_size), np.float32)
            rows[:, : observations.shape[1]] = observations
            last_moves(told, self._variant.parameters, seats, observations.shape[1], rows)
            observations = rows
        acting = ~self.game.is_over(states) & (self.game.acting_seats(states) == seats)
        legal = np.zeros((len(states), self.num_moves), np.bool_)
        legal[:, :-1] = self.game.legal_moves(states) & acting[:, None]
        legal[:, -1] = ~acting
        return SeatView(observations, legal)

    def see_from_everywhere(self, states: AnyArray, greedy_states: AnyArray | None = None) -> SeatView:
        """What all seats see of games [B]: observations [P, B, F] and legal moves [P, B, A]."""
        seats = range(self.game.num_seats)
        views = [self.see(states, np.full(len(states), seat), greedy_states) for seat in seats]
        return SeatView(*(np.stack(parts) for parts in zip(*views, strict=True)))


def hanabi_views(game: HanabiGame, *, greedy_move: bool = False) -> SeatViews:
    """The views of plain Hanabi, as a trained agent sees it."""
    return SeatViews(game, game.variant, greedy_move=greedy_move)
