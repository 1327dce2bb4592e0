"""The critic: what it sees, its targets against exact values, and that its learner ends in the counterfactual form."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from tests.learning.tabulated import CPU, TableNetwork, TableValue, assert_close_to, targets_by_entry
from tests.learning.test_train_policy import TINY, finish, learned_policy, small_game, weights

import offbelief
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.beliefs.table_game import TableGame
from offbelief.games.batched import make_streams
from offbelief.games.counterexamples import disagreement
from offbelief.learning.backward import backward_induction
from offbelief.learning.critic import AllSeatsEye, critic_targets
from offbelief.learning.exact_obl import OblSettings, obl_from_belief
from offbelief.learning.fictitious import FictitiousSettings, Imagination
from offbelief.learning.train_policy import PolicyTraining


def counterfactual(game):
    return obl_from_belief(game.belief, OblSettings(operator="counterfactual", temperature="limit"))


def exact_critic(game, policy):
    """V^pi1 of every node, looked up."""
    solved = backward_induction(
        game.tree,
        game.belief.at_decisions,
        free_players=np.zeros(game.num_seats, np.bool_),
        fixed_probs=policy.probs,
        temperature=0.0,
    )
    return TableValue(lambda states, seats: states["node"], solved.node_values[0])


@pytest.mark.parametrize("critic_moves", [1, 3])
@pytest.mark.parametrize(
    "make",
    [disagreement, lambda: offbelief.random_game(2, offbelief.RandomGameSettings(players=3, horizon=5, chance=2))],
    ids=["disagreement", "three players"],
)
def test_exact_values_are_a_fixed_point(make, critic_moves):
    game = TableGame(offbelief.unroll(make()))
    exact = counterfactual(game)
    network, critic = TableNetwork(game, exact.q_values), exact_critic(game, exact.policy)
    settings = FictitiousSettings(form="critic", critic_moves=critic_moves, discount=1.0)
    imagination = Imagination(game, network, network, settings, CPU)
    found, count = targets_by_entry(
        game, lambda states, moves, streams: critic_targets(imagination, critic, states, moves, streams)
    )
    assert_close_to(exact.q_values, found, count, spread=6.0)
    # What the critic learns from are its own exact values again, at every node that imagined games come to.
    assert_close_to(critic.table, critic.total / np.maximum(critic.count, 1), critic.count, spread=6.0, least=100)


def test_discount_counts_every_move_and_samples_are_averaged():
    # Alice goes on, Bob (whose best move is his first) stops: a game of two moves that earns nothing.
    game = TableGame(offbelief.unroll(disagreement()))
    tree = game.tree
    network = TableNetwork(game, np.zeros(tree.num_entries))
    critic = TableValue(lambda states, seats: states["node"], np.full(tree.num_nodes, 8.0))
    states, streams = game.deal(4, 0), make_streams(0, 1, 4)
    for first, expected in (("go", 0.0), ("safe", 0.6)):
        moves = np.full(4, tree.tables.action_names.index(first))
        settings = FictitiousSettings(form="critic", discount=0.5, samples=2)
        found = critic_targets(Imagination(game, network, network, settings, CPU), critic, states, moves, streams)
        assert [expected] * 4 == pytest.approx(found.tolist())
    likes_to_continue = TableNetwork(game, [action == "continue" for action in _entry_names(tree)])
    settings = FictitiousSettings(form="critic", discount=0.5, critic_moves=1)
    imagination = Imagination(game, likes_to_continue, likes_to_continue, settings, CPU)
    moves = np.full(4, tree.tables.action_names.index("go"))
    assert [0.25 * 8.0] * 4 == critic_targets(imagination, critic, states, moves, streams).tolist()


def _entry_names(tree):
    return [tree.tables.action_names[action] for action in tree.entry_action]


def test_eye_sees_the_cards_that_the_seat_itself_does_not():
    for variant in ("mini", "3p-2c-3r-h2-i3-l2"):
        game = HanabiGame(variant)
        states = game.deal(32, 0)
        imagined = game.redeal(states, make_streams(0, 1, 32))
        seats = game.acting_seats(states)
        real, other = (AllSeatsEye().see(game, batch, seats) for batch in (states, imagined))
        slots, features = AllSeatsEye().beside(game)
        assert real.shape == (32, game.observation_size + slots * features)
        # For the seat itself both worlds look the same; the eye tells them apart wherever hands differ.
        assert np.array_equal(real[:, : game.observation_size], other[:, : game.observation_size])
        cards = real[:, game.observation_size :].reshape(32, slots, features)[:, :, : game.variant.card_kinds]
        held = states["hands"][np.arange(32), seats, :slots]
        assert np.array_equal(np.eye(game.variant.card_kinds)[held], cards)


def test_eye_sees_every_seat_of_a_small_game():
    game = TableGame(offbelief.unroll(disagreement()))
    states = game.deal(64, 0)
    seen = AllSeatsEye().see(game, states, game.acting_seats(states))
    # Alice cannot tell the prize, both together can.
    assert 1 == len(np.unique(game.observe(states), axis=0))
    assert 2 == len(np.unique(seen, axis=0))


@pytest.mark.parametrize("form", ["critic", "one-step"])
def test_resumed_run_equals_an_uninterrupted_one_to_the_bit(form, tmp_path):
    config = replace(TINY, fictitious=FictitiousSettings(form=form))
    whole = finish(PolicyTraining(config))
    half = PolicyTraining(config)
    for _ in range(7):
        half.advance()
    half.save(tmp_path / "half.safetensors")
    resumed = PolicyTraining(config)
    resumed.load(tmp_path / "half.safetensors")
    finish(resumed)
    assert torch.equal(weights(whole), weights(resumed))
    one, other = (run.method.beside for run in (whole, resumed))
    assert all(torch.equal(tensor, other.learner.tensors()[name]) for name, tensor in one.learner.tensors().items())
    assert all(np.array_equal(array, other.arrays()[name]) for name, array in one.arrays().items())
    if form == "one-step":  # a step of 16 games of two gives 16 moves and 16 waits
        assert whole.replay.added == one.arrays()["waiting_added"][0] == 12 * 16


@pytest.mark.slow
@pytest.mark.parametrize("game", ["disagreement", "random"])
def test_deep_learner_ends_in_the_counterfactual_form(game):
    settings = FictitiousSettings(form="critic", discount=1.0)
    run = finish(PolicyTraining(small_game(game, fictitious=settings, steps=900)))
    q_values, policy = learned_policy(run)
    exact = counterfactual(run.game)
    assert q_values == pytest.approx(exact.q_values, abs=0.15 if game == "disagreement" else 0.4)
    assert offbelief.value(policy) == pytest.approx(offbelief.value(exact.policy), abs=0.02)
