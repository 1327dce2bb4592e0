"""The fictitious transition on a small game, where every expected target is known exactly."""

import numpy as np
import pytest
from tests.learning.tabulated import CPU, TableNetwork, assert_close_to, targets_by_entry

import offbelief
from offbelief.beliefs.table_game import TableGame
from offbelief.errors import UserError
from offbelief.games.batched import make_streams
from offbelief.games.counterexamples import disagreement
from offbelief.learning.exact_obl import OblSettings, obl_from_belief
from offbelief.learning.fictitious import FictitiousSettings, Imagination


def three_players():
    return offbelief.random_game(0, offbelief.RandomGameSettings(players=3, horizon=5))


def imagine(game, network, settings):
    return Imagination(game, network, network, settings, CPU).targets


@pytest.mark.parametrize(("operator", "continuation"), [("counterfactual", 1.0), ("bellman", 0.0)])
@pytest.mark.parametrize("make", [disagreement, offbelief.ToyCommunicationGame, three_players])
def test_exact_values_are_a_fixed_point_of_their_own_form(make, operator, continuation):
    # If the networks already know Q^{pi0 -> pi1} of a form, mean targets reproduce it with that form's lambda.
    game = TableGame(offbelief.unroll(make()))
    exact = obl_from_belief(game.belief, OblSettings(operator=operator, temperature="limit"))
    network = TableNetwork(game, exact.q_values)
    settings = FictitiousSettings(continuation=continuation, max_rounds=99, discount=1.0)
    found, count = targets_by_entry(game, imagine(game, network, settings))
    # Targets vary by up to 20 points in the toy game.
    assert_close_to(exact.q_values, found, count, 20.0 if make is offbelief.ToyCommunicationGame else 4.0)


@pytest.mark.parametrize(("operator", "continuation"), [("counterfactual", 1.0), ("bellman", 0.0)])
@pytest.mark.parametrize("make", [disagreement, three_players])
def test_soft_values_are_a_fixed_point_of_soft_imagination(make, operator, continuation):
    # Eq. 3 at T > 0: partners draw their moves, and my next turn is worth what my own soft policy earns there.
    game = TableGame(offbelief.unroll(make()))
    exact = obl_from_belief(game.belief, OblSettings(operator=operator, temperature=0.5))
    greedy = obl_from_belief(game.belief, OblSettings(operator=operator, temperature="limit"))
    assert np.abs(exact.q_values - greedy.q_values).max() > 0.1
    network = TableNetwork(game, exact.q_values)
    settings = FictitiousSettings(continuation=continuation, max_rounds=99, discount=1.0, temperature=0.5)
    found, count = targets_by_entry(game, imagine(game, network, settings), games=6000)
    assert_close_to(exact.q_values, found, count, 4.0)


def test_forms_differ_where_the_counterexample_says():
    game = TableGame(offbelief.unroll(disagreement()))
    exact = obl_from_belief(game.belief, OblSettings(operator="counterfactual", temperature="limit"))
    network = TableNetwork(game, exact.q_values)
    go = 1  # Alice's second action at her first history
    for continuation, expected in ((1.0, 1.0), (0.0, 0.25)):
        settings = FictitiousSettings(continuation=continuation, max_rounds=99, discount=1.0)
        found, _ = targets_by_entry(game, imagine(game, network, settings))
        assert found[go] == pytest.approx(expected, abs=0.06)


def test_real_games_and_their_randomness_are_untouched():
    game = TableGame(offbelief.unroll(offbelief.random_game(1, offbelief.RandomGameSettings(chance=2))))
    network = TableNetwork(game, np.zeros(game.tree.num_entries))
    states = game.deal(50, 0)
    before = states.copy()
    moves = game.legal_moves(states).argmax(axis=1)
    imagine(game, network, FictitiousSettings())(states, moves, make_streams(0, 1, 50))
    assert np.array_equal(before, states)


def test_several_samples_lower_the_variance():
    game = TableGame(offbelief.unroll(offbelief.ToyCommunicationGame()))
    exact = obl_from_belief(game.belief, OblSettings(temperature="limit"))
    network = TableNetwork(game, exact.q_values)
    # Bob, who sees only the light, guesses: +10 or -10 by the imagined pet.
    node = int(game.tree.history_example[game.tree.history_by_name["Bob: Alice light on"]])
    states = game.deal(2000, 0)
    states["node"] = node
    guess = np.full(2000, game.tree.tables.action_names.index("guess cat"))
    spreads = []
    for samples in (1, 4):
        settings = FictitiousSettings(samples=samples, discount=1.0)
        streams = make_streams(0, 1, 2000)
        found = imagine(game, network, settings)(states, guess, streams)
        assert abs(found.mean()) < 1.0
        spreads.append(found.std())
    assert spreads[0] == pytest.approx(10, rel=0.05)
    assert spreads[1] == pytest.approx(5, rel=0.05)


def test_discount_counts_every_move():
    # A chain of single moves that pays 1 at the end: 0.5 per move on the way.
    chain = {
        "players": 2,
        "start": "a",
        "states": {
            "a": {"player": 0, "actions": {"go": {"next": "b"}}},
            "b": {"player": 1, "actions": {"go": {"next": "c"}}},
            "c": {"player": 0, "actions": {"go": {"reward": 1.0}}},
        },
    }
    from offbelief.games.json_game import JsonGame

    game = TableGame(offbelief.unroll(JsonGame(chain)))
    network = TableNetwork(game, np.array([0.0, 0.0, 8.0]))
    states = game.deal(1, 0)
    moves = np.zeros(1, np.int64)
    ends = FictitiousSettings(continuation=0.0, discount=0.5)
    goes_on = FictitiousSettings(continuation=1.0, max_rounds=9, discount=0.5)
    streams = make_streams(0, 1, 1)
    for settings, expected in ((ends, 0.25 * 8.0), (goes_on, 0.25 * 1.0)):
        assert expected == imagine(game, network, settings)(states, moves, streams)[0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"continuation": 1.5},
        {"max_rounds": -1},
        {"samples": 0},
        {"critic_moves": 0},
        {"form": "counterfactual"},
        {"temperature": -0.1},
    ],
)
def test_nonsense_is_refused(wrong):
    with pytest.raises(UserError):
        FictitiousSettings(**wrong)


def test_imagined_games_get_shorter_and_more_numerous_in_the_course_of_a_run():
    settings = FictitiousSettings(continuation=0.8, final_continuation=0.2, samples=1, final_samples=4, final_from=0.6)
    moments = [settings.at(share) for share in (0.0, 0.59, 0.6, 1.0)]
    assert [0.8, 0.8, 0.2, 0.2] == [moment.continuation for moment in moments]
    assert [1, 1, 4, 4] == [moment.samples for moment in moments]


def test_imagined_games_stay_as_they_are_unless_asked_to_change():
    settings = FictitiousSettings(continuation=0.7, samples=2)
    assert settings == settings.at(0.0) == settings.at(0.9)


@pytest.mark.parametrize("wrong", [{"final_continuation": 1.5}, {"final_samples": 0}, {"final_from": 2.0}])
def test_impossible_ends_are_refused(wrong):
    with pytest.raises(UserError, match="final_"):
        FictitiousSettings(**wrong)
