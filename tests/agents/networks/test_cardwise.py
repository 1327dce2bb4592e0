from dataclasses import replace

import numpy as np
import pytest
import torch

from offbelief.agents.networks.cardwise import CardwiseNetwork, CardwiseSettings
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.games.batched import NO_MOVE

SMALL = CardwiseSettings(card_width=8, trunk_width=16, head_width=8)


def middle_games(variant, size=32, turns=6):
    game = HanabiGame(variant)
    states = game.deal(size, 1)
    rng = np.random.default_rng(0)
    for _ in range(turns):
        legal = game.legal_moves(states)
        game.step(states, np.array([rng.choice(np.flatnonzero(row)) if row.any() else NO_MOVE for row in legal]))
        game.restart_finished(states)
    return game, states


def ask(network, game, states):
    with torch.no_grad():
        return network(torch.from_numpy(game.observe(states)), torch.from_numpy(game.legal_moves(states)))


@pytest.mark.parametrize("variant", ["full-2p", "full-3p", "full-5p", "mini", "very-small", "3p-2c-3r-h3-i5-l3"])
def test_every_variant_gets_a_value_per_move(variant):
    game, states = middle_games(variant)
    values = ask(CardwiseNetwork(game.variant, SMALL), game, states)
    assert (32, game.num_moves) == values.shape
    assert torch.isfinite(values).all()


def test_dueling_mean_over_legal_moves_is_the_state_value():
    game, states = middle_games("mini")
    network = CardwiseNetwork(game.variant, SMALL)
    with torch.no_grad():
        network.state_value.weight.zero_()
        network.state_value.bias.fill_(3.0)
    legal = torch.from_numpy(game.legal_moves(states))
    values = ask(network, game, states)
    means = (values * legal).sum(1) / legal.sum(1)
    assert torch.allclose(torch.full_like(means, 3.0), means, atol=1e-5)


def test_same_cards_in_other_slots_get_the_same_values():
    # Without the features that name the slot, swapping two own cards swaps their values and changes nothing else.
    game, states = middle_games("full-2p")
    network = CardwiseNetwork(game.variant, SMALL)
    observations = torch.from_numpy(game.observe(states))
    legal = torch.ones(32, game.num_moves, dtype=torch.bool)
    named = game.layout.view(observations.numpy())
    named["own_cards.slot"][...] = 0.0
    before = network(observations, legal).detach()
    own = named["own_cards"]
    own[:, [0, 3]] = own[:, [3, 0]]
    after = network(observations, legal).detach()
    swapped = list(range(game.num_moves))
    swapped[0], swapped[3], swapped[5], swapped[8] = 3, 0, 8, 5  # discard and play of slots 0 and 3
    assert torch.allclose(before[:, swapped], after, atol=1e-5)
    assert not torch.allclose(before, after, atol=1e-5)


def test_hint_value_depends_on_the_cards_it_touches():
    # With a trunk that says nothing, a hint's value is a function of its touched cards alone.
    game, states = middle_games("mini")
    network = CardwiseNetwork(game.variant, SMALL)
    with torch.no_grad():
        for layer in (network.hint_from_trunk, network.card_from_trunk, network.state_value):
            layer.weight.zero_()
            layer.bias.zero_()
        # The advantage of colour hints relative to each other.
        first = game.variant.first_colour_hint
    observations = game.observe(states)
    named = game.layout.view(observations)
    cards = named["partner_cards.card"]  # [B, P-1, H, C, R]
    legal = torch.ones(32, game.num_moves, dtype=torch.bool)
    before = network(torch.from_numpy(observations.copy()), legal).detach()
    # Turn the rank of every card of colour 0 around: hints of other colours keep their relative values.
    cards[:, :, :, 0] = cards[:, :, :, 0, ::-1].copy()
    after = network(torch.from_numpy(observations), legal).detach()
    others = slice(first + 1, first + game.variant.colours)
    relative_before = before[:, others] - before[:, others].mean(1, keepdim=True)
    relative_after = after[:, others] - after[:, others].mean(1, keepdim=True)
    assert torch.allclose(relative_before, relative_after, atol=1e-5)
    assert not torch.allclose(before[:, first], after[:, first], atol=1e-5)


@pytest.mark.parametrize(("slope", "learns"), [(0.0, False), (0.1, True)])
def test_leaky_units_come_back_to_life(slope, learns):
    game, states = middle_games("mini")
    network = CardwiseNetwork(game.variant, replace(SMALL, slope=slope))
    with torch.no_grad():
        network.encoder.trunk[0].bias.fill_(-100.0)  # no input reaches above zero
    legal = torch.from_numpy(game.legal_moves(states))
    network(torch.from_numpy(game.observe(states)), legal).square().sum().backward()
    assert learns == bool(network.encoder.trunk[0].weight.grad.abs().max() > 0)


def test_residual_layers_begin_as_nothing_and_then_count():
    game, states = middle_games("mini")
    plain, deep = CardwiseNetwork(game.variant, SMALL), CardwiseNetwork(game.variant, replace(SMALL, residual_width=12))
    missing, unknown = deep.load_state_dict(plain.state_dict(), strict=False)
    assert not unknown
    assert {"trunk_residual", "card_residual", "hint_residual"} == {name.split(".")[0] for name in missing}
    legal = torch.from_numpy(game.legal_moves(states))
    before = ask(plain, game, states)
    assert torch.equal(before[legal], ask(deep, game, states)[legal])
    for layer in (deep.trunk_residual, deep.card_residual, deep.hint_residual):
        with torch.no_grad():
            layer.added.bias.normal_()
        after = ask(deep, game, states)
        assert not torch.allclose(before[legal], after[legal])
        before = after
