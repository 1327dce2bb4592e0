"""Independent Q-learning: every seat learns from its own view of the real games, from own turn to own turn.

The other seats are part of its environment. This is the self-play that invents conventions; feeding it the grounded
belief as an input does not change that (paper, end of Section 4.6; docs/methods/self-play.md shows it).

Differs from the paper: it backs up over three moves of the game, and so half of the time to a value of waiting; here a
move is valued at a turn of its own seat, the next one unless `n_step` says otherwise.
"""

from offbelief.agents.acting import value_chosen
from offbelief.games.batched import BatchedGame
from offbelief.learning.learner import Learner
from offbelief.learning.returns import NStepReturns, Transitions
from offbelief.learning.rollout import Rollout
from offbelief.nouns import AnyArray, FloatArray, IntArray


class IndependentQLearning:
    """A move waits until a later turn of its seat, or the end of the game, for its target.

    Args:
        game: what is played.
        size: how many games.
        turns: own turns until a move is valued.
        discount: per move.
    """

    def __init__(self, game: BatchedGame, size: int, turns: int, discount: float) -> None:
        self.returns = NStepReturns(
            lanes=game.num_seats, size=size, turns=turns, discount=discount, state_dtype=game.deal(1, 0).dtype
        )

    def collect(self, rollout: Rollout, learner: Learner, share_done: float) -> Transitions:
        """Act; moves whose seat has acted often enough get the value that its view has for the target network."""
        seats = rollout.game.acting_seats(rollout.states)
        seen, q_values, moves = rollout.act(learner.online)
        best = q_values.argmax(dim=1)

        def value(games: IntArray) -> FloatArray:
            return value_chosen(learner.target, seen[games], best[games])

        return self.returns.play(rollout, seats, moves, value)

    def arrays(self) -> dict[str, AnyArray]:
        """The moves that wait."""
        return self.returns.arrays()

    def learners(self) -> dict[str, Learner]:
        """None but the policy's."""
        return {}

    def learn(self, share_done: float) -> None:
        """Nothing besides the policy is trained."""
