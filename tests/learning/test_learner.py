import pytest
import torch

from offbelief.agents.acting import Look
from offbelief.agents.networks.feedforward import FeedForwardNetwork, FeedForwardSettings
from offbelief.errors import UserError
from offbelief.learning.learner import Learner, LearnerSettings


def learner(**changes):
    torch.manual_seed(0)
    return Learner(FeedForwardNetwork(3, 2, FeedForwardSettings(width=8, layers=1)), LearnerSettings(**changes))


def batch(size=16):
    seen = Look(torch.randn(size, 3), torch.ones(size, 2, dtype=torch.bool))
    return seen, torch.zeros(size, dtype=torch.int64), torch.full((size,), 2.0)


def weights(network):
    return torch.cat([parameter.detach().flatten() for parameter in network.parameters()])


def test_updates_drive_the_error_down():
    one = learner(learning_rate=1e-2, final_learning_rate=1e-2)
    seen, moves, targets = batch()
    first = one.update(seen, moves, targets, None, 0.0).square().mean()
    for _ in range(200):
        last = one.update(seen, moves, targets, None, 0.0).square().mean()
    assert last < 0.01 * first


def test_target_follows_by_its_rate_and_average_by_its_own():
    one = learner(target_rate=0.25, average_rate=0.125)
    start = weights(one.online).clone()
    one.update(*batch(), None, 0.0)
    moved = weights(one.online) - start
    assert torch.allclose(0.25 * moved, weights(one.target) - start, atol=1e-6)
    assert torch.allclose(0.125 * moved, weights(one.average) - start, atol=1e-6)


def test_periodic_target_is_copied_at_its_period_only():
    one = learner(target_period=3)
    start = weights(one.online).clone()
    for update in range(1, 4):
        one.update(*batch(), None, 0.0)
        expected = weights(one.online) if update == 3 else start
        assert torch.equal(expected, weights(one.target))


def test_learning_rate_falls_exponentially():
    one = learner(learning_rate=1e-2, final_learning_rate=1e-4)
    for progress, expected in ((0.0, 1e-2), (0.5, 1e-3), (1.0, 1e-4)):
        one.update(*batch(), None, progress)
        assert one.optimizer.param_groups[0]["lr"] == pytest.approx(expected)


def test_importance_weights_weigh():
    one, other = learner(), learner()
    seen, moves, targets = batch()
    nothing = torch.zeros(16)
    start = weights(one.online).clone()
    one.update(seen, moves, targets, nothing, 0.0)
    assert torch.allclose(start, weights(one.online))
    other.update(seen, moves, targets, None, 0.0)
    assert not torch.allclose(start, weights(other.online))


def test_gradient_is_clipped():
    one = learner(gradient_clip=1e-3)
    seen, moves, targets = batch()
    one.update(seen, moves, targets * 1e6, None, 0.0)
    norm = torch.sqrt(sum(parameter.grad.square().sum() for parameter in one.online.parameters()))
    assert norm <= 1e-3 * 1.001


def test_huber_counts_large_errors_less():
    # With a Huber loss the gradient of an error does not grow with it beyond 1.
    seen, moves, targets = batch()
    gradients = []
    for loss in ("huber", "squared"):
        one = learner(loss=loss, gradient_clip=1e9)
        one.update(seen, moves, targets * 100, None, 0.0)
        gradients.append(max(parameter.grad.abs().max() for parameter in one.online.parameters()))
    assert gradients[0] < 0.05 * gradients[1]


def test_unknown_loss_is_refused():
    with pytest.raises(UserError, match="'squared' or 'huber'"):
        LearnerSettings(loss="cubed")
