"""Value decomposition (VDN, Sunehag et al. 2018): all seats learn one joint value, the sum of a value per seat.

A joint move is one seat's move while the others wait. Its value is that of the move in the acting seat's view plus what
waiting is worth in the view of each other seat (`agents/networks/heads.py`), and only the sum is learned. So every
reward teaches every seat, whoever acted, while each chooses by its own part alone: the best joint move is the acting
seat's best.

Differs from the paper: none in the sum. The public code values waiting with the same head that values moves; here it
has a head of its own.
"""

import numpy as np

from offbelief.agents.acting import look_around, value_chosen
from offbelief.games.batched import BatchedGame, pick_games
from offbelief.learning.learner import Learner
from offbelief.learning.returns import NStepReturns, Transitions
from offbelief.learning.rollout import Rollout
from offbelief.nouns import AnyArray, FloatArray, IntArray


class ValueDecomposition:
    """A joint move waits for some moves of the game, or its end, for its target.

    Args:
        game: what is played.
        size: how many games.
        turns: moves of the game until a move is valued; the paper's n-step, where it is 3.
        discount: per move.
    """

    def __init__(self, game: BatchedGame, size: int, turns: int, discount: float) -> None:
        self.returns = NStepReturns(
            lanes=1, size=size, turns=turns, discount=discount, state_dtype=game.deal(1, 0).dtype
        )

    def collect(self, rollout: Rollout, learner: Learner, share_done: float) -> Transitions:
        """Act; moves that have waited long enough get the joint value of the present."""
        _, q_values, moves = rollout.act(learner.online)
        best = q_values.argmax(dim=1)

        def value(games: IntArray) -> FloatArray:
            seen = look_around(rollout.game, pick_games(rollout.states, games), rollout.device)
            return value_chosen(learner.target, seen, best[games])

        return self.returns.play(rollout, np.zeros(len(moves), np.int64), moves, value)

    def arrays(self) -> dict[str, AnyArray]:
        """The moves that wait."""
        return self.returns.arrays()

    def learners(self) -> dict[str, Learner]:
        """None but the policy's."""
        return {}

    def learn(self, share_done: float) -> None:
        """Nothing besides the policy is trained."""
