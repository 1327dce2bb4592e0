"""Heads for training: VDN's sum is a sum, and every own card is told apart."""

import numpy as np
import pytest
import torch
from tests.agents.networks.test_cardwise import SMALL, middle_games

from offbelief.agents.acting import look, look_around
from offbelief.agents.networks.cardwise import CardwiseNetwork
from offbelief.agents.networks.feedforward import FeedForwardNetwork, FeedForwardSettings
from offbelief.agents.networks.heads import CARD_CLASSES, TrainedNetwork

CPU = torch.device("cpu")


def network(game, kind, **heads):
    torch.manual_seed(0)
    if kind == "card-wise":
        return TrainedNetwork(CardwiseNetwork(game.variant, SMALL), **heads)
    settings = FeedForwardSettings(width=16, layers=1)
    return TrainedNetwork(FeedForwardNetwork(game.observation_size, game.num_moves, settings), **heads)


@pytest.mark.parametrize("kind", ["card-wise", "feed-forward"])
@pytest.mark.parametrize("variant", ["mini", "full-3p"])
def test_joint_value_is_the_sum_over_seats(kind, variant):
    game, states = middle_games(variant)
    joint = network(game, kind, waits=True)
    alone, together = look(game, states, CPU), look_around(game, states, CPU)
    with torch.no_grad():
        expected = joint.policy(alone.observations, alone.legal)
        for offset in range(1, game.num_seats):
            seats = (game.acting_seats(states) + offset) % game.num_seats
            encoding = joint.policy.encode(torch.from_numpy(game.observe(states, seats)))
            expected = expected + joint.waiting(getattr(encoding, "trunk", encoding))
        found = joint(together.observations, together.legal)
    assert torch.allclose(expected, found, atol=1e-4)
    assert not torch.allclose(joint.policy(alone.observations, alone.legal), found, atol=1e-2)


def test_best_joint_move_is_the_acting_seats_best():
    game, states = middle_games("mini")
    joint = network(game, "card-wise", waits=True)
    alone, together = look(game, states, CPU), look_around(game, states, CPU)
    own = joint(alone.observations, alone.legal).masked_fill(~alone.legal, -1e9)
    all_seats = joint(together.observations, together.legal).masked_fill(~together.legal, -1e9)
    assert torch.equal(own.argmax(1), all_seats.argmax(1))


def test_every_seat_learns_from_a_joint_value():
    game, states = middle_games("mini")
    joint = network(game, "card-wise", waits=True)
    seen = look_around(game, states, CPU)
    joint(seen.observations, seen.legal).sum().backward()
    assert joint.waiting.weight.grad.abs().sum() > 0
    assert joint.policy.state_value.weight.grad.abs().sum() > 0


@pytest.mark.parametrize("kind", ["card-wise", "feed-forward"])
def test_every_own_card_gets_its_classes(kind):
    game, states = middle_games("mini")
    aided = network(game, kind, cards=game.variant.hand_size)
    seen = look(game, states, CPU)
    values, guesses, _ = aided.forward_all(seen.observations, seen.legal)
    assert (32, game.variant.hand_size, CARD_CLASSES) == guesses.shape
    assert torch.allclose(aided.policy(seen.observations, seen.legal), values)
    plain = network(game, kind, waits=True)
    assert plain.forward_all(seen.observations, seen.legal).guesses is None


def test_card_head_of_the_cardwise_network_follows_its_card():
    # Without the features that name the slot, swapping two own cards swaps what is said about them.
    game, states = middle_games("mini")
    aided = network(game, "card-wise", cards=game.variant.hand_size)
    observations = torch.from_numpy(game.observe(states))
    legal = torch.from_numpy(game.legal_moves(states))
    named = game.layout.view(observations.numpy())
    named["own_cards.slot"][...] = 0.0
    before = aided.forward_all(observations, legal).guesses.detach()
    own = named["own_cards"]
    own[:, [0, 2]] = own[:, [2, 0]]
    after = aided.forward_all(observations, legal).guesses.detach()
    assert torch.allclose(before[:, [2, 1, 0]], after, atol=1e-5)
    assert not np.allclose(before, after, atol=1e-5)


def test_network_without_a_value_of_waiting_says_so():
    game, states = middle_games("mini")
    seen = look_around(game, states, CPU)
    with pytest.raises(ValueError, match="value of waiting"):
        network(game, "card-wise", cards=3)(seen.observations, seen.legal)
