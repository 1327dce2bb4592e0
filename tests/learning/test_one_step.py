"""The one-step form: its exact values by a judge, its targets against them, and what its learner ends in."""

import numpy as np
import pytest
from tests.learning.tabulated import CPU, TableNetwork, TableValue, assert_close_to, targets_by_entry
from tests.learning.test_train_policy import finish, learned_policy, small_game
from tests.naive.one_step import one_step_values

import offbelief
from offbelief.beliefs.exact import grounded_belief
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.beliefs.table_game import TableGame
from offbelief.games.counterexamples import disagreement
from offbelief.learning.exact_obl import OblSettings, obl_from_belief
from offbelief.learning.fictitious import FictitiousSettings, Imagination
from offbelief.learning.one_step import WaitingEye, one_step_targets
from offbelief.learning.train_policy import PolicyTraining

ONE_STEP = FictitiousSettings(form="one-step", discount=1.0)


def random_tree(seed, **shape):
    return offbelief.unroll(offbelief.random_game(seed, offbelief.RandomGameSettings(**shape)))


def bellman(tree):
    return obl_from_belief(grounded_belief(tree), OblSettings(operator="bellman", temperature="limit")).q_values


@pytest.mark.parametrize("seed", range(5))
def test_two_players_have_the_values_of_the_bellman_form(seed):
    tree = random_tree(seed, horizon=6, chance=2, ending=0.1)
    assert one_step_values(grounded_belief(tree))[0] == pytest.approx(bellman(tree))


def test_three_players_do_not():
    # The hand is drawn anew between the two others' moves: the first one's is read as pi0's.
    gaps = []
    for seed in range(5):
        tree = random_tree(seed, players=3, horizon=5)
        gaps.append(np.abs(one_step_values(grounded_belief(tree))[0] - bellman(tree)).max())
        short = random_tree(seed, players=3, horizon=3)  # nobody acts twice: one draw is all there is ...
        last = short.arrays.history_player[short.entry_history] > 0  # ... but the first player's waiting has two
        assert one_step_values(grounded_belief(short))[0][last] == pytest.approx(bellman(short)[last])
    assert min(gaps) > 0.01


@pytest.mark.parametrize(
    "tree",
    [offbelief.unroll(disagreement()), random_tree(1, players=3, horizon=4)],
    ids=["two players", "three players"],
)
def test_exact_values_are_a_fixed_point(tree):
    game = TableGame(tree)
    q_values, worth = one_step_values(game.belief)
    network = TableNetwork(game, q_values)
    waiting = TableValue(lambda states, seats: tree.arrays.history[seats, states["node"]], worth)
    imagination = Imagination(game, network, network, ONE_STEP, CPU)
    found, count = targets_by_entry(
        game, lambda states, moves, streams: one_step_targets(imagination, waiting, states, moves, streams)
    )
    assert_close_to(q_values, found, count, spread=4.0)
    assert_close_to(worth, waiting.total / np.maximum(waiting.count, 1), waiting.count, spread=4.0)


def test_discount_counts_one_move_and_samples_are_averaged():
    tree = offbelief.unroll(disagreement())
    game = TableGame(tree)
    network = TableNetwork(game, np.zeros(tree.num_entries))
    waiting = TableValue(
        lambda states, seats: tree.arrays.history[seats, states["node"]], np.full(tree.num_histories, 8.0)
    )
    settings = FictitiousSettings(form="one-step", discount=0.5, samples=3)
    states, streams = game.deal(4, 0), np.arange(4, dtype=np.uint64)
    go = np.full(4, tree.tables.action_names.index("go"))
    imagination = Imagination(game, network, network, settings, CPU)
    assert [4.0] * 4 == one_step_targets(imagination, waiting, states, go, streams).tolist()


def test_eye_sees_the_own_view_and_how_long_to_wait():
    game = HanabiGame("3p-2c-3r-h2-i3-l2")
    states = game.deal(6, 0)
    for seat in (1, 2):
        seats = np.full(6, seat)
        seen = WaitingEye().see(game, states, seats)
        assert np.array_equal(game.observe(states, seats), seen[:, : game.observation_size])
        assert [[0.0, seat == 1, seat == 2]] * 6 == seen[:, game.observation_size :].tolist()


@pytest.mark.slow
def test_deep_learner_ends_in_the_bellman_form():
    run = finish(PolicyTraining(small_game("disagreement", fictitious=ONE_STEP, steps=700)))
    q_values, policy = learned_policy(run)
    assert q_values == pytest.approx(bellman(run.game.tree), abs=0.15)
    assert offbelief.value(policy) == pytest.approx(0.6)
