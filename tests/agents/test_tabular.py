"""Joint policies as arrays: reading, writing, mixing, seating, and a sentence for every policy that does not fit."""

import math
import re

import numpy as np
import pytest
from tests.naive.samples import NAMED_GAMES, mixed_tree, random_policy

from offbelief.agents.tabular import (
    TabularPolicy,
    policy_from_mapping,
    policy_from_probs,
    seat_together,
    uniform_policy,
)
from offbelief.errors import PolicyError
from offbelief.games.toy_communication import ToyCommunicationGame
from offbelief.games.tree import Tree, unroll
from offbelief.learning.exact_baselines import value
from offbelief.learning.exact_obl import OblSettings, obl


@pytest.fixture(scope="module")
def tree() -> Tree:
    return unroll(ToyCommunicationGame())


def test_uniform_policy_shares_evenly(tree: Tree) -> None:
    policy = uniform_policy(tree)
    assert pytest.approx(dict.fromkeys(("light on", "light off", "bail", "remove barrier"), 1 / 4)) == policy.at(
        "Alice: sees cat"
    )
    assert pytest.approx(dict.fromkeys(("bail", "guess cat", "guess dog"), 1 / 3)) == policy.at("Bob: Alice light on")


def test_mapping_leaves_the_rest_uniform(tree: Tree) -> None:
    policy = policy_from_mapping(tree, {"Alice: sees cat": {"bail": 0.25, "light on": 0.75}})
    expected = {"light on": 0.75, "light off": 0.0, "bail": 0.25, "remove barrier": 0.0}
    assert pytest.approx(expected) == policy.at("Alice: sees cat")
    assert pytest.approx(uniform_policy(tree).at("Alice: sees dog")) == policy.at("Alice: sees dog")


@pytest.mark.parametrize("name", NAMED_GAMES)
def test_mapping_goes_both_ways(name: str) -> None:
    game = unroll(NAMED_GAMES[name]())
    policy = random_policy(game, 1, zeros=True)
    assert pytest.approx(policy.probs) == policy_from_mapping(game, policy.to_mapping()).probs


def test_mapping_of_random_games_goes_both_ways() -> None:
    for seed in range(20):
        policy = random_policy(mixed_tree(seed), seed)
        assert pytest.approx(policy.probs) == policy_from_mapping(mixed_tree(seed), policy.to_mapping()).probs


def test_probs_are_normalised_within_the_tolerance(tree: Tree) -> None:
    nearly = uniform_policy(tree).probs * (1 + 5e-7)
    assert pytest.approx(uniform_policy(tree).probs, abs=1e-15) == policy_from_probs(tree, nearly).probs


def test_limit_plays_only_what_costs_nothing(tree: Tree) -> None:
    limit = obl(uniform_policy(tree), OblSettings(temperature="limit")).policy
    assert pytest.approx({"light on": 0, "light off": 0, "bail": 0, "remove barrier": 1}) == limit.at("Alice: sees cat")


def test_mixing_with_uniform(tree: Tree) -> None:
    policy = policy_from_mapping(tree, {"Alice: sees cat": {"bail": 1.0}})
    mixed = policy.mixed_with_uniform(0.2)
    assert pytest.approx({"light on": 0.05, "light off": 0.05, "bail": 0.85, "remove barrier": 0.05}) == mixed.at(
        "Alice: sees cat"
    )
    assert policy.mixed_with_uniform(0.0) is policy
    assert pytest.approx(uniform_policy(tree).probs) == policy.mixed_with_uniform(1.0).probs


def test_seating_takes_every_seat_from_its_own_policy() -> None:
    game = unroll(NAMED_GAMES["simultaneous 1"]())  # three players
    policies = [random_policy(game, seed, zeros=seed > 0) for seed in range(3)]
    team = seat_together(policies)
    player = game.arrays.history_player[game.entry_history]
    for seat in range(3):
        assert pytest.approx(policies[seat].probs[player == seat]) == team.probs[player == seat]


def test_seating_limits_seats_what_they_play(tree: Tree) -> None:
    limit = obl(uniform_policy(tree), OblSettings(temperature="limit")).policy
    team = seat_together([limit, uniform_policy(tree)])
    assert team.cost is None
    # Alice removes the barrier; a uniform Bob answers
    assert pytest.approx(-5 + 0.5 / 3) == value(team)


# --- policies that do not fit -----------------------------------------------------------------------------------------


def test_unknown_history_is_refused_with_examples(tree: Tree) -> None:
    sentence = (
        "There is no decision history 'Alice: sees bird' in this game; its histories read like 'Alice: sees cat', "
        "'Alice: sees dog', 'Bob: "
    )
    for use in (
        lambda: policy_from_mapping(tree, {"Alice: sees bird": {}}),
        lambda: uniform_policy(tree).at("Alice: sees bird"),
    ):
        with pytest.raises(PolicyError, match=re.escape(sentence)):
            use()


def test_weight_on_an_illegal_action_is_refused(tree: Tree) -> None:
    sentence = (
        "At the history 'Bob: Alice light on' the policy puts weight on 'light on', which is illegal there; legal are "
        "bail, guess cat, guess dog."
    )
    with pytest.raises(PolicyError, match=re.escape(sentence)):
        policy_from_mapping(tree, {"Bob: Alice light on": {"light on": 1.0}})


@pytest.mark.parametrize(
    ("plays", "sentence"),
    [
        ({"bail": 0.5}, "At the history 'Alice: sees cat' the probabilities add up to 0.5, not 1."),
        ({"bail": 0.7, "light on": 0.7}, "At the history 'Alice: sees cat' the probabilities add up to 1.4, not 1."),
        ({}, "At the history 'Alice: sees cat' the probabilities add up to 0, not 1."),
        ({"bail": "all"}, "At the history 'Alice: sees cat' the probability of 'bail' is no number."),
        ({"bail": True}, "At the history 'Alice: sees cat' the probability of 'bail' is no number."),
        ({"bail": 1.5, "light on": -0.5}, "At the history 'Alice: sees cat' a probability is "),
        ({"bail": math.nan}, "At the history 'Alice: sees cat' a probability is "),
        ({"bail": math.inf}, "At the history 'Alice: sees cat' a probability is "),
        ("bail", "At the history 'Alice: sees cat' give {action: probability}, not 'bail'."),
    ],
)
def test_probabilities_that_are_none_are_refused(tree: Tree, plays: object, sentence: str) -> None:
    with pytest.raises(PolicyError, match=re.escape(sentence)):
        policy_from_mapping(tree, {"Alice: sees cat": plays})


def test_negative_probability_is_shown_as_a_number(tree: Tree) -> None:
    with pytest.raises(PolicyError, match=r"a probability is -0\.5; it must be 0 or more\."):
        policy_from_mapping(tree, {"Alice: sees cat": {"bail": 1.5, "light on": -0.5}})


def test_array_of_another_length_is_refused(tree: Tree) -> None:
    with pytest.raises(PolicyError, match=re.escape("The policy has the shape (3,); this game needs (20,).")):
        policy_from_probs(tree, np.ones(3) / 3)


def test_team_of_another_size_is_refused(tree: Tree) -> None:
    with pytest.raises(PolicyError, match="The game has 2 seats, but 3 policies were given"):
        seat_together([uniform_policy(tree)] * 3)


def test_team_from_different_trees_is_refused(tree: Tree) -> None:
    other = unroll(ToyCommunicationGame())
    with pytest.raises(PolicyError, match="The policies belong to different trees; unroll the game once and use that"):
        seat_together([uniform_policy(tree), uniform_policy(other)])


def test_log_probs_may_be_far_below_the_smallest_float(tree: Tree) -> None:
    policy = TabularPolicy(tree, np.full(tree.num_entries, -5000.0))
    assert not policy.probs.any()
