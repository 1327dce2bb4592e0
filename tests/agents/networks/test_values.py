"""Value networks: their shape, and who may have one."""

import numpy as np
import pytest
import torch

from offbelief.agents.networks.cardwise import CardwiseSettings
from offbelief.agents.networks.feedforward import FeedForwardSettings
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.agents.networks.values import CardwiseValue, build_value
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.errors import UserError

SMALL = CardwiseSettings(card_width=8, trunk_width=16, head_width=8)


def test_value_depends_on_observation_and_on_what_stands_beside_it_in_any_order():
    game = HanabiGame("mini")
    torch.manual_seed(0)
    network = CardwiseValue(game.layout, (3, 5), SMALL)
    seen = torch.from_numpy(game.observe(game.deal(4, 0)))
    beside = torch.randn(4, 3, 5)
    legal = torch.ones(4, 1, dtype=torch.bool)
    values = network(torch.cat([seen, beside.flatten(1)], dim=1), legal)
    assert (4, 1) == values.shape
    assert 4 == len(np.unique(values.detach().numpy()))
    shuffled = network(torch.cat([seen, beside[:, [2, 0, 1]].flatten(1)], dim=1), legal)
    assert torch.allclose(values, shuffled, atol=1e-5)
    other = network(torch.cat([seen, 2 * beside.flatten(1)], dim=1), legal)
    assert not torch.allclose(values, other, atol=1e-5)


def test_flat_network_answers_in_the_same_shape():
    network = build_value(HanabiGame("mini"), (3, 5), 7, FeedForwardSettings(width=8, layers=1))
    assert (2, 1) == network(torch.randn(2, 7), torch.ones(2, 1, dtype=torch.bool)).shape


def test_networks_that_remember_are_refused():
    with pytest.raises(UserError, match="card-wise network on Hanabi"):
        build_value(HanabiGame("mini"), (3, 5), 7, RecurrentSettings())
