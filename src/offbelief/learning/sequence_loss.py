"""The errors of whole sequences: recurrent double Q-learning from an empty memory (R2D2 without burn-in, appendix B).

Every function here is one idea of the paper's learner. Which sequences, and who takes the gradient step, is
`sequence_training.py`'s business.
"""

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from offbelief.agents.acting import IMPOSSIBLE
from offbelief.agents.networks.recurrent import RecurrentNetwork
from offbelief.learning.sequence_batch import SequenceBatch

MAX_SHARE = 0.9
"""How much the largest error of a sequence counts for its priority; the rest is the mean (Kapturowski et al. 2019)."""


class SequenceErrors:
    """What a network makes of a batch of sequences, with gradients.

    Args:
        online: the network that learns.
        target: the network that values; both begin every sequence with an empty memory.
        batch: the sequences.
        n_step: moves of the game between a move and its value, where targets were not kept.
        discount: per move.
    """

    def __init__(
        self, online: RecurrentNetwork, target: nn.Module, batch: SequenceBatch, *, n_step: int, discount: float
    ) -> None:
        q_values, hidden = online(batch.observations, batch.legal)
        size = batch.rewards.shape[1]
        values = _joint(q_values, batch.moves, size)
        if batch.targets is not None:
            targets = batch.targets
        else:
            with torch.no_grad():
                best = q_values.masked_fill(~batch.legal, IMPOSSIBLE).argmax(-1)
                later = _joint(target(batch.observations, batch.legal)[0], best, size)
                targets = n_step_targets(batch.rewards, later, batch.running, n_step, discount)
        self.learned = batch.running & targets.isfinite()
        """[T, N] bool, where there is something to learn."""
        self.values = torch.where(self.learned, values, 0.0)
        """[T, N] of what was done; 0 where nothing is to be learned."""
        self.targets = torch.where(self.learned, targets, 0.0)
        """[T, N] likewise."""
        self.card_losses: Tensor | None = None
        """[N] of the auxiliary task, if there is one."""
        if batch.labels is not None:
            self.card_losses = card_losses(online.guess_cards(hidden), batch.labels, batch.running)

    def losses(self, kind: Literal["squared", "huber"]) -> Tensor:
        """[N] summed over time, as in the public code."""
        if kind == "squared":
            return (self.values - self.targets).square().sum(0)
        return functional.huber_loss(self.values, self.targets, reduction="none").sum(0)

    def priorities(self) -> Tensor:
        """[N] 0.9 of the largest error and 0.1 of the mean one."""
        errors = (self.values - self.targets).detach().abs()
        mean = errors.sum(0) / self.learned.sum(0).clamp(min=1)
        return MAX_SHARE * errors.amax(0) + (1 - MAX_SHARE) * mean

    def mean_square(self) -> float:
        """Mean squared error of all that was learned from, for reports."""
        total = (self.values - self.targets).detach().square().sum()
        return float(total / self.learned.sum().clamp(min=1))


def n_step_targets(rewards: Tensor, values: Tensor, running: Tensor, n_step: int, discount: float) -> Tensor:
    """Rewards of n moves and the value after them, if the game still runs then.

    Args:
        rewards: [T, N]
        values: [T, N] of the best moves.
        running: [T, N] bool.
        n_step: n.
        discount: per move.

    Returns:
        [T, N]
    """
    earned = torch.where(running, rewards, 0.0)
    worth = torch.where(running, values, 0.0)
    targets = torch.zeros_like(rewards)
    for ahead in range(min(n_step, len(rewards))):
        targets[: len(rewards) - ahead] += discount**ahead * earned[ahead:]
    if n_step < len(rewards):
        targets[: len(rewards) - n_step] += discount**n_step * worth[n_step:]
    return targets


def card_losses(guesses: Tensor, labels: Tensor, running: Tensor) -> Tensor:
    """Cross-entropy of what own cards are: mean over the cards of a hand, summed over time.

    Args:
        guesses: [T, M, H, classes] log-odds.
        labels: [T, M, H], -1 for an empty slot.
        running: [T, N] bool; M is a multiple of N.

    Returns:
        [N], the sum over a sequence's seats.
    """
    surprise = functional.cross_entropy(guesses.flatten(0, 2), labels.flatten(), ignore_index=-1, reduction="none")
    by_hand = surprise.view(labels.shape).sum(-1) / (labels >= 0).sum(-1).clamp(min=1)
    by_sequence = by_hand.view(*running.shape, -1).sum(-1)
    return torch.where(running, by_sequence, 0.0).sum(0)


def _joint(q_values: Tensor, moves: Tensor, size: int) -> Tensor:
    """[T, N] the value of what the seats of a sequence do: the sum over them (VDN), or the one seat's own."""
    chosen = q_values.gather(-1, moves[..., None])[..., 0]
    return chosen.view(len(moves), size, -1).sum(-1)
