"""n-step returns: moves of the real games that wait for what they earn until they are valued.

A move belongs to a *lane*: its seat, where every seat learns for itself, or the one lane of a game whose seats learn
together. It earns the game's rewards until its lane has acted `turns` more times, and then gets the value there; or
until the game ends. What the value is, is the method's business.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from offbelief.learning.rollout import Rollout
from offbelief.nouns import AnyArray, BoolArray, FloatArray, IntArray

Transitions: TypeAlias = tuple[AnyArray, IntArray, FloatArray]
"""States [M], moves [M], targets [M]."""


class NStepReturns:
    """Moves that wait for their targets.

    Args:
        lanes: L, how many per game.
        size: B, how many games.
        turns: N, turns of its lane until a move is valued.
        discount: per move of the game.
        state_dtype: of the game's records.

    Differs from the paper: nothing corrects for exploring moves on the way, there or here; it uses three moves.
    """

    def __init__(self, *, lanes: int, size: int, turns: int, discount: float, state_dtype: np.dtype[np.void]) -> None:
        self.discount = discount
        shape = (turns, lanes, size)
        self.acted = np.zeros((lanes, size), np.int64)
        """How often a lane has acted; its next move is kept at this number modulo N."""
        self.waiting = np.zeros(shape, np.bool_)
        self.states = np.zeros(shape, state_dtype)
        self.moves = np.zeros(shape, np.int64)
        self.earned = np.zeros(shape, np.float32)
        self.weight = np.ones(shape, np.float32)

    def play(
        self, rollout: Rollout, lanes: IntArray, moves: IntArray, value: Callable[[IntArray], FloatArray]
    ) -> Transitions:
        """Make a move in every game and give back the moves whose targets are known now.

        Args:
            rollout: the games; advanced.
            lanes: [B] who acts in each.
            moves: [B] what they do.
            value: gives, for some games [M], what their present is worth [M] to the lane that acts; asked before the
                moves are made.
        """
        games = np.arange(len(moves))
        places = self.acted[lanes, games] % len(self.waiting)
        done: list[Transitions] = []
        due = np.flatnonzero(self.waiting[places, lanes, games])
        if len(due):
            old = places[due], lanes[due], due
            done.append((self.states[old], self.moves[old], self.earned[old] + self.weight[old] * value(due)))
        here = places, lanes, games
        self.waiting[here] = True
        self.states[here] = rollout.states
        self.moves[here] = moves
        self.earned[here] = 0.0
        self.weight[here] = 1.0
        self.acted[lanes, games] += 1
        done.append(self._earn(*rollout.advance(moves)))
        states, made, targets = zip(*done, strict=True)
        return np.concatenate(states), np.concatenate(made), np.concatenate(targets)

    def _earn(self, rewards: FloatArray, ended: BoolArray) -> Transitions:
        """Let every waiting move earn a reward; those of ended games are done."""
        self.earned += self.weight * rewards
        self.weight *= np.float32(self.discount)
        over = np.nonzero(self.waiting & ended)
        self.waiting[:, :, ended] = False
        return self.states[over], self.moves[over], self.earned[over]

    def arrays(self) -> dict[str, AnyArray]:
        """Everything that changes, to be saved and loaded in place."""
        return {
            "lane_acted": self.acted,
            "waiting": self.waiting,
            "waiting_states": self.states,
            "waiting_moves": self.moves,
            "waiting_earned": self.earned,
            "waiting_weight": self.weight,
        }
