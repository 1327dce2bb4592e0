"""Independent Q-learning: every seat learns from its own view of the real games, from own turn to own turn.

The other seats are part of its environment. This is the self-play that invents conventions; feeding it the grounded
belief as an input does not change that (paper, end of Section 4.6).

Differs from the paper: it backs up over a fixed number of moves of the game (three); here over one round of the table.
"""

import numpy as np

from offbelief.agents.acting import value_moves
from offbelief.games.batched import BatchedGame
from offbelief.learning.learner import Learner
from offbelief.learning.rollout import Rollout
from offbelief.nouns import AnyArray, FloatArray, IntArray


class IndependentQLearning:
    """A move waits until its seat's next turn, or the end of the game, for its target.

    Args:
        game: what is played.
        size: how many games.
        discount: per move.
    """

    def __init__(self, game: BatchedGame, size: int, discount: float) -> None:
        self.discount = discount
        dtype = game.deal(1, 0).dtype
        self.waiting = np.zeros((game.num_seats, size), np.bool_)
        self.states = np.zeros((game.num_seats, size), dtype)
        self.moves = np.zeros((game.num_seats, size), np.int64)
        self.earned = np.zeros((game.num_seats, size), np.float32)
        self.weight = np.ones((game.num_seats, size), np.float32)

    def collect(self, rollout: Rollout, learner: Learner) -> tuple[AnyArray, IntArray, FloatArray]:
        """Act; moves whose seat acts again get their target from the Q-values there, moves of ended games theirs."""
        games = np.arange(len(rollout.states))
        seats = rollout.game.acting_seats(rollout.states)
        seen, q_values, moves = rollout.act(learner.online)
        again = games[self.waiting[seats, games]]
        done: list[tuple[AnyArray, IntArray, FloatArray]] = []
        if len(again):
            best = q_values.argmax(dim=1)[again]
            values = value_moves(learner.target, seen[again]).gather(1, best[:, None])[:, 0].cpu().numpy()
            place = seats[again], again
            done.append((self.states[place], self.moves[place], self.earned[place] + self.weight[place] * values))
        here = seats, games
        self.waiting[here] = True
        self.states[here] = rollout.states
        self.moves[here] = moves
        self.earned[here] = 0.0
        self.weight[here] = 1.0
        rewards, ended = rollout.advance(moves)
        self.earned += self.weight * rewards
        self.weight *= np.float32(self.discount)
        over = np.nonzero(self.waiting & ended)
        done.append((self.states[over], self.moves[over], self.earned[over]))
        self.waiting[:, ended] = False
        states, taken, targets = zip(*done, strict=True)
        return np.concatenate(states), np.concatenate(taken), np.concatenate(targets)

    def arrays(self) -> dict[str, AnyArray]:
        """The moves that wait."""
        return {
            "waiting": self.waiting,
            "waiting_states": self.states,
            "waiting_moves": self.moves,
            "waiting_earned": self.earned,
            "waiting_weight": self.weight,
        }

    def learners(self) -> dict[str, Learner]:
        """None but the policy's."""
        return {}

    def learn(self, share_done: float) -> None:
        """Nothing besides the policy is trained."""
