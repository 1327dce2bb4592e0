"""Weigh every error by how certain its target is (inverse-variance weights).

The target of a move is a draw: another imagined hand, another card from the deck. How far such draws lie apart differs
by orders of magnitude: the next move of a safe game is worth the same in nearly every world, and a gamble on the last
life wins a point or loses all of them. A plain squared error counts both alike, so that a few gambles, mostly explored
ones, make up most of the gradient and drown what the quiet majority has to say about moves that are a few hundredths of
a point apart.

So a head beside the network learns the variance of the targets of every move (`agents/networks/heads.py`), and every
squared error is divided by it. The weight depends on state and move only, never on the target that was drawn, so the
best value is the mean of the targets as before: this is weighted least squares (Aitken 1936), not a Huber loss, which
would trade rare large losses against frequent small gains. The same was done for Q-learning by Mai, Mani and Paull
(2022, inverse-variance reinforcement learning) with the variance of an ensemble's targets.

Differs from the paper: it weighs all errors alike (Eq. 5), and its public code has a Huber loss.
"""

import torch
from torch import Tensor

VARIANCE_STEP = 0.1
"""Weight of the variance's own loss: it is there to be right, and must not use up the clipped gradient."""


def certainty_weights(log_variances: Tensor, power: float, floor: float) -> Tensor:
    """Weights of errors, 1 on average.

    Args:
        log_variances: [B] logarithm of what the variances of the targets are thought to be.
        power: 1 divides errors by the variance, 0.5 by its root; 0 weighs all alike.
        floor: added to the variances, as a share of their mean: nothing is so certain that little else counts.

    Returns:
        [B] without gradients.
    """
    variances = log_variances.detach().exp()
    weights = (variances + floor * variances.mean()) ** -power
    return weights / weights.mean()


def variance_loss(errors: Tensor, log_variances: Tensor) -> Tensor:
    """What teaches the variances: how unlikely errors [B] are under normal laws of these log-variances [B]."""
    squared = errors.detach().square()
    return VARIANCE_STEP * (squared * torch.exp(-log_variances) + log_variances).mean()
