"""Off-belief learning: targets come from imagined games, never from the real ones (`learning/fictitious.py`).

The level is in the belief that the game re-deals from: with the grounded belief this is level 1.
"""

from offbelief.learning.fictitious import FictitiousSettings, Imagination
from offbelief.learning.learner import Learner
from offbelief.learning.rollout import Rollout
from offbelief.nouns import AnyArray, FloatArray, IntArray


class OffBeliefLearning:
    """Every move of a real game gets its target at once.

    Args:
        settings: how imagined games go on.
    """

    def __init__(self, settings: FictitiousSettings) -> None:
        self.settings = settings

    def collect(self, rollout: Rollout, learner: Learner) -> tuple[AnyArray, IntArray, FloatArray]:
        """Act in the real games, imagine the consequences, go on."""
        imagination = Imagination(rollout.game, learner.online, learner.target, self.settings, rollout.device)
        _, _, moves = rollout.act(learner.online)
        targets = imagination.targets(rollout.states, moves, rollout.imagination_streams)
        states = rollout.states.copy()
        rollout.advance(moves)
        return states, moves, targets

    def arrays(self) -> dict[str, AnyArray]:
        """Nothing is carried over."""
        return {}

    def learners(self) -> dict[str, Learner]:
        """None but the policy's."""
        return {}

    def learn(self, share_done: float) -> None:
        """Nothing besides the policy is trained."""
