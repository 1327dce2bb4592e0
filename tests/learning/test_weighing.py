"""Weights of certainty: gambles count less, and what is learned is still the mean."""

from dataclasses import replace

import pytest
import torch

from offbelief.agents.acting import Look
from offbelief.agents.networks.feedforward import FeedForwardNetwork, FeedForwardSettings
from offbelief.agents.networks.heads import Trained, TrainedNetwork
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.errors import UserError
from offbelief.learning.config import RunConfig
from offbelief.learning.learner import Learner, LearnerSettings
from offbelief.learning.weighing import certainty_weights, variance_loss

QUIET, GAMBLE = 0, 1


def test_weights_on_example():
    # Variances 1 and 3, floor half of their mean: 1 + 1 and 3 + 1; inverses 1/2 and 1/4 have the mean 3/8.
    log_variances = torch.tensor([1.0, 3.0]).log()
    assert torch.allclose(torch.tensor([4 / 3, 2 / 3]), certainty_weights(log_variances, power=1.0, floor=0.5))
    roots = torch.tensor([2**-0.5, 0.5])
    assert torch.allclose(roots / roots.mean(), certainty_weights(log_variances, power=0.5, floor=0.5))


def test_no_power_weighs_all_alike():
    assert torch.equal(torch.ones(9), certainty_weights(torch.randn(9), power=0.0, floor=0.2))


def test_weights_carry_no_gradient():
    log_variances = torch.randn(5, requires_grad=True)
    assert not certainty_weights(log_variances, power=1.0, floor=0.2).requires_grad


def test_variance_loss_is_least_at_the_mean_square():
    errors = torch.tensor([1.0, 3.0, -1.0, 1.0])  # squares: 12 in all, 3 on average
    log_variance = torch.zeros(1, requires_grad=True)
    for tried, sign in ((2.5, -1.0), (3.5, 1.0)):
        log_variance.data[:] = torch.tensor(tried).log()
        (slope,) = torch.autograd.grad(variance_loss(errors, log_variance.expand(4)), log_variance)
        assert sign == torch.sign(slope)
    log_variance.data[:] = torch.tensor(3.0).log()
    (slope,) = torch.autograd.grad(variance_loss(errors, log_variance.expand(4)), log_variance)
    assert abs(float(slope)) < 1e-6


def draw_targets(kinds: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Quiet states pay 1, give or take 0.1; gambles win 1 or, once in ten times, lose 20: -1.1 on average."""
    quiet = 1.0 + 0.1 * torch.randn(len(kinds), generator=generator)
    gamble = torch.where(torch.rand(len(kinds), generator=generator) < 0.1, -20.0, 1.0)
    return torch.where(kinds == QUIET, quiet, gamble)


def trained(updates: int = 600, **changes: object) -> Learner:
    """A learner of two states, seen equally often."""
    torch.manual_seed(0)
    policy = FeedForwardNetwork(2, 2, FeedForwardSettings(width=16, layers=1))
    settings = replace(LearnerSettings(learning_rate=1e-2, final_learning_rate=3e-4, average_rate=0.02), **changes)
    learner = Learner(TrainedNetwork(policy, variances=settings.certainty > 0), settings)
    generator = torch.Generator().manual_seed(1)
    for update in range(updates):
        kinds = torch.randint(2, (256,), generator=generator)
        seen = Look(torch.eye(2)[kinds], torch.ones(256, 2, dtype=torch.bool))
        learner.update(
            seen, torch.zeros(256, dtype=torch.int64), draw_targets(kinds, generator), None, update / updates
        )
    return learner


def told(learner: Learner) -> Trained:
    """What the averaged network says of the two states."""
    with torch.no_grad():
        said: Trained = learner.average.forward_all(torch.eye(2), torch.ones(2, 2, dtype=torch.bool))
    return said


def test_values_are_still_means():
    # A Huber loss would rather please the nine wins than the one great loss.
    values, huber = told(trained(certainty=1.0)).q_values[:, 0], told(trained(loss="huber")).q_values[:, 0]
    assert pytest.approx(1.0, abs=0.05) == float(values[QUIET])
    assert pytest.approx(-1.1, abs=0.3) == float(values[GAMBLE])
    assert float(huber[GAMBLE]) > 0.0


def test_variances_are_learned():
    variances = told(trained(certainty=1.0)).log_variances[:, 0].exp()
    assert 25.0 < float(variances[GAMBLE]) < 50.0  # 21^2 * 0.1 * 0.9 = 39.7
    assert float(variances[QUIET]) < 0.2  # 0.01, which it comes to slowly: it was a hundred times as much before


def test_gambles_disturb_quiet_states_less():
    # How far the value of a quiet state wanders at a high learning rate, while gambles beside it win and lose.
    wandered = {}
    for certainty in (0.0, 0.5, 1.0):
        learner, wandered[certainty] = trained(updates=300, certainty=certainty), 0.0
        for update in range(200):
            generator = torch.Generator().manual_seed(update)
            kinds = torch.randint(2, (256,), generator=generator)
            seen = Look(torch.eye(2)[kinds], torch.ones(256, 2, dtype=torch.bool))
            learner.update(seen, torch.zeros(256, dtype=torch.int64), draw_targets(kinds, generator), None, 0.0)
            with torch.no_grad():
                value = learner.online(torch.eye(2), torch.ones(2, 2, dtype=torch.bool))[QUIET, 0]
            wandered[certainty] += float(value - 1.0) ** 2
    assert wandered[1.0] < wandered[0.5] < wandered[0.0]
    assert wandered[1.0] < 0.4 * wandered[0.0]


def test_settings_that_mean_nothing_are_refused():
    with pytest.raises(UserError, match="certainty must be 0 or more"):
        LearnerSettings(certainty=-1.0)
    with pytest.raises(UserError, match="certainty_floor positive"):
        LearnerSettings(certainty_floor=0.0)
    with pytest.raises(UserError, match=r"leave learner\.certainty at 0"):
        RunConfig(learner=LearnerSettings(certainty=1.0), network=RecurrentSettings())
