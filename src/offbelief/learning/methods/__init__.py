"""What differs between methods: how the move of an acting seat gets its target. All else is shared.

A method is asked once per step: it lets the rollout act and advance, and gives back transitions (state, move, target)
that are ready to learn from.
"""

from typing import Protocol

from offbelief.learning.learner import Learner
from offbelief.learning.rollout import Rollout
from offbelief.nouns import AnyArray, FloatArray, IntArray


class Method(Protocol):
    """How targets are made."""

    def collect(self, rollout: Rollout, learner: Learner, share_done: float) -> tuple[AnyArray, IntArray, FloatArray]:
        """Play one move in every game and give transitions: states [M], moves [M], targets [M].

        `share_done` of the run is done, for methods that change in its course.
        """

    def arrays(self) -> dict[str, AnyArray]:
        """Arrays that the method carries from step to step, to be saved and loaded in place."""

    def learners(self) -> dict[str, Learner]:
        """What the method trains besides the policy, such as a critic; saved and loaded with the run."""

    def learn(self, share_done: float) -> None:
        """One update of what the method trains besides the policy; called after each of the policy's own."""
