"""Off-belief learning: targets come from imagined games, never from the real ones (`learning/fictitious.py`).

The level is in the belief that the game re-deals from: with the grounded belief this is level 1. Its forms differ in
where an imagined game ends; two of them learn a value beside the policy for that.
"""

from collections.abc import Callable
from typing import TypeAlias

import torch

from offbelief.games.batched import BatchedGame
from offbelief.learning.config import RunConfig
from offbelief.learning.critic import AllSeatsEye, critic_targets
from offbelief.learning.fictitious import FictitiousSettings, Imagination
from offbelief.learning.learned_value import LearnedValue
from offbelief.learning.learner import Learner
from offbelief.learning.one_step import WaitingEye, one_step_targets
from offbelief.learning.rollout import Rollout
from offbelief.nouns import AnyArray, FloatArray, IntArray

_Targets: TypeAlias = Callable[[Imagination, LearnedValue, AnyArray, IntArray, AnyArray], FloatArray]
_TARGETS: dict[str, _Targets] = {"critic": critic_targets, "one-step": one_step_targets}


class OffBeliefLearning:
    """Every move of a real game gets its target at once.

    Args:
        settings: how imagined games go on.
        beside: the value that the critic's or the one-step form learns beside the policy; None for the own-turn form.
    """

    def __init__(self, settings: FictitiousSettings, beside: LearnedValue | None = None) -> None:
        self.settings = settings
        self.beside = beside

    def collect(self, rollout: Rollout, learner: Learner, share_done: float) -> tuple[AnyArray, IntArray, FloatArray]:
        """Act in the real games, imagine the consequences, go on."""
        settings = self.settings.at(share_done)
        imagination = Imagination(rollout.game, learner.online, learner.target, settings, rollout.device)
        _, _, moves = rollout.act(learner.online)
        given = rollout.states, moves, rollout.imagination_streams
        if self.beside is None:
            targets = imagination.targets(*given)
        else:
            targets = _TARGETS[self.settings.form](imagination, self.beside, *given)
        states = rollout.states.copy()
        rollout.advance(moves)
        return states, moves, targets

    def arrays(self) -> dict[str, AnyArray]:
        """What the value beside the policy learns from."""
        return self.beside.arrays() if self.beside else {}

    def learners(self) -> dict[str, Learner]:
        """That value's."""
        return {self.beside.name: self.beside.learner} if self.beside else {}

    def learn(self, share_done: float) -> None:
        """One update of that value."""
        if self.beside:
            self.beside.learn(share_done)


def off_belief_learning(config: RunConfig, game: BatchedGame, device: torch.device) -> OffBeliefLearning:
    """The form that a config asks for, with the value that it learns beside the policy."""
    if config.fictitious.form == "critic":
        return OffBeliefLearning(config.fictitious, LearnedValue("critic", game, AllSeatsEye(), config, device))
    if config.fictitious.form == "one-step":
        return OffBeliefLearning(config.fictitious, LearnedValue("waiting", game, WaitingEye(), config, device))
    return OffBeliefLearning(config.fictitious)
