"""The hand model: it begins as card counting, its samples are legal hands, and they follow its probabilities."""

import numpy as np
import pytest
import torch

from offbelief.beliefs.counting import hand_log_probs
from offbelief.beliefs.hanabi_game import HanabiGame, ViewSettings
from offbelief.beliefs.hand_model import (
    HandModel,
    HandModelSettings,
    LearnedBelief,
    card_losses,
    counted_logits,
    hands_for_network,
    true_hands,
)
from offbelief.errors import UserError
from offbelief.games.batched import make_streams
from offbelief.games.hanabi.remembered import split
from offbelief.games.hanabi.resample import resample
from offbelief.games.hanabi.state import NO_CARD

SMALL = HandModelSettings(card_width=16, trunk_width=24, head_width=16, older_width=8, residual_width=8)


def make_belief(name, *, trained):
    """A model of random weights, with its last layer as zero as it begins or as if it had been trained."""
    torch.manual_seed(3)
    game = HanabiGame(name, view=ViewSettings(memory=True))
    model = HandModel(game, SMALL)
    if trained:
        for parameter in model.parameters():
            torch.nn.init.normal_(parameter, std=0.15)
    return LearnedBelief(game, model)


def positions(game, turns, games=64, seed=0):
    """Running games in the middle of random play."""
    rng = np.random.default_rng(seed)
    states = game.deal(games, seed)
    for _ in range(turns):
        legal = game.legal_moves(states)
        game.step(states, np.array([rng.choice(np.flatnonzero(row)) if row.any() else -1 for row in legal]))
    return states[~states["is_over"]]


@pytest.mark.parametrize("name", ["full-2p", "full-3p", "mini"])
def test_it_begins_as_the_grounded_belief(name):
    belief = make_belief(name, trained=False)
    states = positions(belief.game, 9)
    seats = belief.game.acting_seats(states)
    hands = true_hands(states, seats, belief.game.variant.hand_size)
    grounded = hand_log_probs(split(states)[0], belief.game.variant, seats, hands)
    assert np.allclose(grounded, belief.log_probs(states, seats, hands).sum(1), atol=1e-4)


@pytest.mark.parametrize("name", ["full-2p", "full-3p", "mini", "5p-3c-4r-h4-i4-l2"])
@pytest.mark.parametrize("turns", [0, 5, 9])
def test_every_sample_is_a_legal_hand_and_none_is_rejected(name, turns):
    belief = make_belief(name, trained=True)
    states = positions(belief.game, turns)
    streams = make_streams(0, 1, len(states))
    for seats in (belief.game.acting_seats(states), np.zeros(len(states), np.int64)):
        for _ in range(20):
            hands = belief.sample_hands(states, seats, streams)
            # raises for a hand that hints, counts or the number of cards rule out
            resample(split(states)[0], belief.game.variant, seats, hands, streams)


def test_samples_follow_the_probabilities_that_it_gives():
    belief = make_belief("mini", trained=True)
    states = np.repeat(positions(belief.game, 6, games=4)[:1], 20_000)
    seats = belief.game.acting_seats(states)
    hands = belief.sample_hands(states, seats, make_streams(1, 1, len(states)))
    kinds, counts = np.unique(hands, axis=0, return_counts=True)
    probabilities = np.exp(belief.log_probs(states[: len(kinds)], seats[: len(kinds)], kinds).sum(1))
    frequent = probabilities > 0.005
    assert frequent.sum() > 5
    errors = np.abs(counts / len(states) - probabilities)[frequent]
    assert np.all(errors < 5 * np.sqrt(probabilities[frequent] / len(states)))
    # all of its probability lies on legal hands
    grounded = hand_log_probs(split(states)[0][: len(kinds)], belief.game.variant, seats[: len(kinds)], kinds)
    assert np.isfinite(grounded).all()
    assert probabilities.sum() > 0.97


def test_marginals_are_the_shares_of_sampled_cards():
    belief = make_belief("mini", trained=True)
    states = positions(belief.game, 4, games=3)
    seats = belief.game.acting_seats(states)
    marginals = belief.marginals(states, seats, samples=64)
    held = true_hands(states, seats, belief.game.variant.hand_size) != NO_CARD
    assert np.allclose(held.astype(float), marginals.sum(-1))


def test_the_model_sees_older_cards_only():
    belief = make_belief("mini", trained=True)
    states = positions(belief.game, 5)
    seats = belief.game.acting_seats(states)
    observations = torch.from_numpy(belief.game.observe(states, seats))
    hands = hands_for_network(true_hands(states, seats, belief.game.variant.hand_size), 9)
    last = hands.clone()
    last[:, -1] = (last[:, -1] + 1) % 9
    first = hands.clone()
    first[:, 0] = (first[:, 0] + 1) % 9
    odds = belief.model(observations, hands)
    assert torch.equal(odds, belief.model(observations, last))  # nobody comes after the newest card
    changed = belief.model(observations, first)
    assert torch.equal(odds[:, 0], changed[:, 0])
    assert not torch.allclose(odds[:, 1], changed[:, 1])


def test_losses_are_minus_log_probabilities_and_zero_for_no_card():
    belief = make_belief("mini", trained=True)
    states = positions(belief.game, 5)
    seats = belief.game.acting_seats(states)
    hands = true_hands(states, seats, belief.game.variant.hand_size)
    hands[0, 2:] = NO_CARD
    losses = card_losses(
        belief.model,
        torch.from_numpy(belief.game.observe(states, seats)),
        hands_for_network(hands, 9),
        torch.from_numpy(counted_logits(states, belief.game, seats, hands)),
    ).detach()
    assert torch.all(losses[0, 2:] == 0)
    assert torch.all(losses[0, :2] > 0)


def test_a_game_imagined_from_it_looks_the_same_to_the_seat():
    belief = make_belief("full-2p", trained=True)
    game = HanabiGame("full-2p", view=ViewSettings(memory=True), belief=belief)
    states = positions(game, 12)
    copies = game.redeal(states, make_streams(0, 1, len(states)))
    assert np.array_equal(game.observe(states), game.observe(copies))
    assert np.any(copies["hands"] != states["hands"])


def test_it_asks_for_games_with_memory():
    game = HanabiGame("mini")
    with pytest.raises(UserError, match="reads games with memory"):
        LearnedBelief(game, HandModel(HanabiGame("mini", view=ViewSettings(memory=True)), SMALL))
