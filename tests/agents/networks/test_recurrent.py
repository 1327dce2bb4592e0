"""The paper's networks: their size, their memory, and what may reach it."""

import numpy as np
import pytest
import torch

from offbelief.agents.networks.building import build_recurrent, read_network, write_network
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.agents.seat_views import SeatViews, hanabi_views
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.beliefs.table_game import TableGame
from offbelief.errors import UserError
from offbelief.games.catalogue import find_game
from offbelief.games.tree import unroll

MEMORIES = ["public-lstm", "lstm", "none", "card-gru"]


def make(variant="mini", greedy_move=False, cards=0, **settings):
    torch.manual_seed(0)
    views = hanabi_views(HanabiGame(variant, "v0-belief"), greedy_move=greedy_move)
    return build_recurrent(views, RecurrentSettings(**{"width": 16, **settings}), cards=cards)


def random_inputs(network, steps, size):
    rng = np.random.default_rng(0)
    features = network.private[0].in_features
    moves = network.advantages.out_features
    observations = torch.from_numpy(rng.random((steps, size, features), np.float32))
    legal = torch.from_numpy(rng.random((steps, size, moves)) < 0.5)
    return observations, legal


@pytest.mark.parametrize(
    ("variant", "settings", "count"),
    [
        # private 658-512-512-512, public 533-512, two LSTM layers, heads 1 + 21 + 15 (the public code's 5.36 million)
        ("full-2p", {"cards": 5}, 5_357_605),
        ("full-2p", {}, 5_349_910),
        # 658-512, two LSTM layers, heads 1 + 21
        ("full-2p", {"memory": "lstm"}, 337_408 + 4_202_496 + 513 + 21 * 513),
        ("full-2p", {"memory": "none"}, 337_408 + 2 * 262_656 + 513 + 21 * 513),
        # SAD's last-move block of 55 features goes into both streams
        ("full-2p", {"greedy_move": True}, 5_349_910 + 2 * 55 * 512),
        ("full-3p", {}, 956 * 512 + 706 * 512 + 4 * 512 + 2 * 512 * 512 + 4_202_496 + 513 + 31 * 513),
    ],
)
def test_paper_networks_have_as_many_parameters_as_counted_by_hand(variant, settings, count):
    network = make(variant, **{"width": 512, **settings})
    assert count == sum(parameter.numel() for parameter in network.parameters())


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("mean_over", ["all", "legal"])
def test_stepping_with_memory_values_as_unrolling_does(memory, mean_over):
    network = make(memory=memory, mean_over=mean_over)
    observations, legal = random_inputs(network, 7, 5)
    with torch.no_grad():
        whole, _ = network(observations, legal)
        carried = network.new_memory(5)
        for step in range(7):
            carried = network.remember(observations[step], carried)
            assert torch.allclose(whole[step], network.value(observations[step], legal[step], carried), atol=1e-5)


@pytest.mark.parametrize(("memory", "hears_private"), [("public-lstm", False), ("card-gru", False), ("lstm", True)])
def test_public_memories_hear_public_features_alone(memory, hears_private):
    network = make(memory=memory)
    observations, legal = random_inputs(network, 1, 5)
    private = np.setdiff1d(np.arange(observations.shape[2]), network.public_columns.numpy())
    changed = observations.clone()
    changed[:, :, private] += 1.0
    with torch.no_grad():
        one, other = (network.remember(seen[0], network.new_memory(5)) for seen in (observations, changed))
        assert hears_private == (not torch.equal(one, other))
        values = [network.value(seen[0], legal[0], one) for seen in (observations, changed)]
    assert torch.equal(*values) == hears_private  # a plain LSTM's values come from its memory alone


def test_dueling_takes_the_mean_that_it_names():
    observations, _ = random_inputs(make(), 1, 1)
    legal = torch.tensor([[[True, True, False] + [False] * (make().advantages.out_features - 3)]])
    found = {}
    for mean_over in ("all", "legal"):
        network = make(mean_over=mean_over)
        with torch.no_grad():
            values, hidden = network(observations, legal)
            value, advantages = network.state_value(hidden)[0, 0, 0], network.advantages(hidden)[0, 0]
        count = 2 if mean_over == "legal" else len(advantages)
        expected = value + advantages[0] - advantages[:2].sum() / count
        assert float(expected) == pytest.approx(float(values[0, 0, 0]), abs=1e-6)
        found[mean_over] = float(values[0, 0, 0])
    assert found["all"] != pytest.approx(found["legal"], abs=1e-4)


def test_guesses_are_one_per_own_card_and_class():
    network = make("full-2p", cards=5)
    observations, legal = random_inputs(network, 2, 3)
    assert (2, 3, 5, 3) == network.guess_cards(network(observations, legal)[1]).shape
    with pytest.raises(UserError, match="auxiliary task"):
        make().guess_cards(torch.zeros(16))


def test_settings_survive_as_plain_data():
    settings = RecurrentSettings(memory="lstm", width=8, mean_over="legal")
    assert settings == read_network(write_network(settings))


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [({"memory": "gru"}, "card-gru"), ({"mean_over": "none"}, "mean_over"), ({"width": 0}, "at least 1")],
)
def test_bad_settings_are_one_sentence(settings, sentence):
    with pytest.raises(UserError, match=sentence):
        RecurrentSettings(**settings)


def test_memory_of_cards_needs_cards():
    views = SeatViews(TableGame(unroll(find_game("toy"))))
    with pytest.raises(UserError, match="Hanabi only"):
        build_recurrent(views, RecurrentSettings(memory="card-gru"))
