"""The recurrent hand model: begins as card counting, draws legal hands by its own probabilities, remembers."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from offbelief.beliefs.building import build_belief, read_hand_settings, write_hand_settings
from offbelief.beliefs.counting import hand_log_probs
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.beliefs.hand_model import HandModelSettings, true_hands
from offbelief.beliefs.recurrent_hand_model import RecurrentBelief, RecurrentHandModel, RecurrentHandSettings
from offbelief.errors import UserError
from offbelief.games.batched import make_streams
from offbelief.games.hanabi.resample import resample
from offbelief.games.hanabi.state import NO_CARD

SMALL = RecurrentHandSettings(width=12, card_width=5)


def make_belief(name, *, trained=True):
    """A model of random weights, with its last layer as zero as it begins or as if it had been trained."""
    torch.manual_seed(3)
    belief = build_belief(name, SMALL)
    if trained:
        for parameter in belief.model.parameters():
            torch.nn.init.normal_(parameter, std=0.5)
    return belief


def follow(belief, turns, games=32, seed=0):
    """Running games in the middle of random play, and the memories of all their seats; at least one game runs."""
    rng, game = np.random.default_rng(seed), belief.game
    states = game.deal(games, seed)
    memories = [belief.new_memory(games) for _ in range(game.num_seats)]
    for turn in range(turns + 1):
        memories = [belief.remember(states, np.full(games, seat), memory) for seat, memory in enumerate(memories)]
        legal = game.legal_moves(states)
        after = states.copy()
        game.step(after, np.array([rng.choice(np.flatnonzero(row)) if row.any() else -1 for row in legal]))
        if turn == turns or after["is_over"].all():
            break
        states = after
    running = np.flatnonzero(~states["is_over"])
    return states[running], np.stack(memories)[:, running]


def of_acting(belief, states, memories):
    seats = belief.game.acting_seats(states)
    return seats, memories[seats, np.arange(len(states))]


def test_the_paper_s_model_has_the_paper_s_size():
    model = RecurrentHandModel(HanabiGame("full-2p", "v0-belief"))
    assert 7_049_305 == sum(parameter.numel() for parameter in model.parameters())
    assert (2, 2, 512) == model.memory_shape


@pytest.mark.parametrize("name", ["full-2p", "mini", "3p-3c-3r-h3-i5-l3"])
def test_it_begins_as_the_grounded_belief(name):
    belief = make_belief(name, trained=False)
    states, memories = follow(belief, 9)
    seats, memory = of_acting(belief, states, memories)
    hands = true_hands(states, seats, belief.game.variant.hand_size)
    grounded = hand_log_probs(states, belief.game.variant, seats, hands)
    told = belief.log_probs(states, seats, hands, memory)
    assert (len(states), belief.game.variant.hand_size) == told.shape
    assert np.allclose(grounded, told.sum(1), atol=1e-4)


@settings(max_examples=12, deadline=None)
@given(
    name=st.sampled_from(["very-small", "mini", "full-2p", "3p-2c-3r-h2-i3-l2", "5p-3c-4r-h4-i4-l2"]),
    turns=st.integers(0, 30),
    seed=st.integers(0, 1000),
)
def test_every_sample_is_a_legal_hand_and_none_is_rejected(name, turns, seed):
    belief = make_belief(name)
    states, memories = follow(belief, turns, games=16, seed=seed)
    streams = make_streams(seed, 1, len(states))
    for seat, memory in enumerate(memories):
        seats = np.full(len(states), seat)
        for _ in range(5):
            hands = belief.sample_hands(states, seats, streams, memory)
            # raises for a hand that hints, counts or the number of cards rule out
            resample(states, belief.game.variant, seats, hands, streams)


def test_samples_follow_the_probabilities_that_it_gives():
    belief = make_belief("mini")
    states, memories = follow(belief, 6, games=4)
    size = 20_000
    states, seats = np.repeat(states[:1], size), np.repeat(belief.game.acting_seats(states[:1]), size)
    memory = np.repeat(memories[seats[0], :1], size, axis=0)
    hands = belief.sample_hands(states, seats, make_streams(1, 1, size), memory)
    kinds, counts = np.unique(hands, axis=0, return_counts=True)
    some = slice(len(kinds))
    probabilities = np.exp(belief.log_probs(states[some], seats[some], kinds, memory[some]).sum(1))
    frequent = probabilities > 0.005
    assert frequent.sum() > 5
    errors = np.abs(counts / size - probabilities)[frequent]
    assert np.all(errors < 5 * np.sqrt(probabilities[frequent] / size))
    assert probabilities.sum() > 0.97


def test_odds_depend_on_older_cards_and_on_the_past():
    belief = make_belief("mini")
    states, memories = follow(belief, 5)
    seats, memory = of_acting(belief, states, memories)
    context = torch.from_numpy(memory[:, 0, -1].copy())
    hands = torch.from_numpy(true_hands(states, seats, 3))
    last, first = hands.clone(), hands.clone()
    last[:, -1] = (last[:, -1] + 1) % 9
    first[:, 0] = (first[:, 0] + 1) % 9
    odds = belief.model.odds(context, hands)
    assert torch.equal(odds, belief.model.odds(context, last))  # nobody comes after the newest card
    changed = belief.model.odds(context, first)
    assert torch.equal(odds[:, 0], changed[:, 0])
    assert not torch.allclose(odds[:, 1], changed[:, 1])
    forgetful = belief.remember(states, seats, belief.new_memory(len(states)))
    assert not np.allclose(memory, forgetful)


def test_it_asks_for_the_paper_s_encoding_and_positive_widths():
    with pytest.raises(UserError, match="v0-belief"):
        RecurrentBelief(HanabiGame("mini"), make_belief("mini").model)
    with pytest.raises(UserError, match="at least 1"):
        RecurrentHandSettings(width=0)


@pytest.mark.parametrize("model", [SMALL, HandModelSettings(card_width=7)])
def test_settings_survive_writing(model):
    assert model == read_hand_settings(write_hand_settings(model))


def test_settings_without_a_kind_are_card_wise_as_they_used_to_be():
    assert HandModelSettings(card_width=7) == read_hand_settings({"card_width": 7})


def test_empty_slots_stay_empty():
    belief = make_belief("2p-2c-2r-h2-i2-l5")
    states, memories = follow(belief, 10, games=64)
    assert (states["hand_sizes"][:, :2] < 2).any()  # the deck is empty in some games
    for seat, memory in enumerate(memories):
        hands = belief.sample_hands(states, np.full(len(states), seat), make_streams(0, 1, len(states)), memory)
        assert np.array_equal(states["hands"][:, seat, :2] == NO_CARD, hands == NO_CARD)
