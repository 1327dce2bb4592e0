import pytest
import torch
from torch import nn

from offbelief import precision
from offbelief.agents.acting import Look
from offbelief.agents.networks.cardwise import CardwiseNetwork, CardwiseSettings
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.errors import UserError
from offbelief.learning.learner import Learner, LearnerSettings
from offbelief.precision import check_precision, check_processor, exactly, products_in

CPU = torch.device("cpu")


@pytest.fixture
def rounded():
    """A context of bfloat16, where the processor has it."""
    if precision.bfloat16_speed() is None:
        pytest.skip("this processor cannot multiply in bfloat16")
    return lambda: products_in("bfloat16", CPU)


def test_float32_changes_nothing():
    layer, values = nn.Linear(8, 4), torch.randn(16, 8)
    with products_in("float32", CPU):
        assert torch.equal(layer(values), exactly(layer, values))
        assert torch.float32 == layer(values).dtype


def test_products_are_rounded_but_what_must_be_exact_is_not(rounded):
    layer, values = nn.Linear(8, 4), torch.randn(16, 8)
    expected = layer(values)
    with rounded():
        assert torch.bfloat16 == layer(values).dtype
        assert torch.equal(expected, exactly(layer, values))


def test_weights_that_learn_are_followed_within_one_context(rounded):
    # With autocast's cache the second product would still be that of the old weights.
    layer, values = nn.Linear(8, 4, bias=False), torch.ones(2, 8)
    with rounded():
        before = layer(values)
        with torch.no_grad():
            layer.weight.add_(1.0)
        assert torch.all(layer(values) > before + 7.0)


def test_values_of_moves_hardly_change(rounded):
    game = HanabiGame("mini")
    torch.manual_seed(1)
    network = CardwiseNetwork(game.variant, CardwiseSettings(card_width=32, trunk_width=64, head_width=32))
    states = game.deal(64, seed=3)
    seen = torch.from_numpy(game.observe(states)), torch.from_numpy(game.legal_moves(states))
    exact = network(*seen)
    with rounded():
        values = network(*seen)
    assert torch.float32 == values.dtype
    assert not torch.equal(exact, values)
    assert (exact - values).abs().max() < 0.02 * exact.std()


def test_a_learner_with_rounded_products_descends_as_an_exact_one_does(rounded):
    def learned(chosen):
        torch.manual_seed(2)
        network = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
        one = Learner(_Valued(network), LearnerSettings(learning_rate=1e-2, final_learning_rate=1e-2), chosen)
        seen = Look(torch.randn(64, 6), torch.ones(64, 3, dtype=torch.bool))
        moves, targets = torch.zeros(64, dtype=torch.int64), seen.observations.sum(1)
        for _ in range(150):
            errors = one.update(seen, moves, targets, None, 0.0)
        assert all(torch.float32 == parameter.dtype for parameter in one.online.parameters())
        return float(errors.square().mean())

    assert learned("float32") < 0.1
    assert learned("bfloat16") == pytest.approx(learned("float32"), abs=0.02)


class _Valued(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, observations, legal):
        return self.network(observations)


def test_another_precision_is_refused():
    with pytest.raises(UserError, match="float32"):
        check_precision("float16")


def test_a_processor_without_bfloat16_is_told_before_it_fails(monkeypatch):
    monkeypatch.setattr(precision, "bfloat16_speed", lambda: None)
    with pytest.raises(UserError, match="--precision float32"):
        check_processor("bfloat16", CPU)
    check_processor("float32", CPU)


def test_a_process_that_dies_means_that_it_cannot_be_had(monkeypatch):
    monkeypatch.setattr(precision, "_COMPARE", "import os, signal; os.kill(os.getpid(), signal.SIGILL)")
    assert precision.bfloat16_speed.__wrapped__() is None
