"""The backward pass: by hand on games of one or two decisions, and its rules for ties, fixed players and lambda."""

import numpy as np
import pytest
from tests.naive.samples import mixed_tree, random_policy

from offbelief.agents.tabular import policy_from_mapping, uniform_policy
from offbelief.beliefs.exact import exact_belief
from offbelief.games.counterexamples import disagreement, softmax_gap
from offbelief.games.json_game import JsonGame
from offbelief.games.tree import Tree, unroll
from offbelief.learning.backward import Solution, backward_induction, policy_from_q_values
from offbelief.learning.exact_baselines import node_values, value


def choice(*rewards: float) -> Tree:
    """One decision of one player."""
    actions = {f"action {number}": {"reward": reward} for number, reward in enumerate(rewards)}
    return unroll(JsonGame({"players": 1, "start": "s", "states": {"s": {"player": 0, "actions": actions}}}))


def solve(tree: Tree, **settings: object) -> Solution:
    pi0 = uniform_policy(tree)
    return backward_induction(
        tree,
        exact_belief(tree, pi0).at_decisions,
        **{
            "free_players": np.ones(tree.num_players, np.bool_),
            "fixed_probs": pi0.probs,
            "temperature": 0.0,
            **settings,
        },
    )


def test_softmax_of_one_decision_is_equation_3() -> None:
    # exp(1/2), exp(0), exp(-1/2): 1.6487, 1, .6065 of 3.2552
    solution = solve(choice(1.0, 0.0, -1.0), temperature=2.0)
    assert pytest.approx([0.506480, 0.307196, 0.186324], abs=1e-6) == solution.policy.probs
    assert pytest.approx(0.506480 - 0.186324, abs=1e-6) == solution.start_value
    assert pytest.approx([1.0, 0.0, -1.0]) == solution.q_values


def test_softmax_at_small_temperature_keeps_logarithms() -> None:
    policy = solve(choice(1.0, 0.0, -1.0), temperature=1e-4).policy
    assert pytest.approx([0.0, -1e4, -2e4]) == policy.log_probs
    assert policy.cost is None


@pytest.mark.parametrize(
    ("ties", "expected"), [("uniform", [0.0, 0.5, 0.5, 0.0]), ("first", [0, 1, 0, 0]), ("last", [0, 0, 1, 0])]
)
def test_ties_share_or_go_to_one(ties: str, expected: list[float]) -> None:
    tree = choice(1.0, 3.0, 3.0 + 1e-12, 2.9)
    assert pytest.approx(expected) == solve(tree, ties=ties).policy.probs
    assert pytest.approx(expected) == policy_from_q_values(tree, solve(tree).q_values, 0.0, ties=ties).probs


def test_ties_are_relative_to_the_best_value() -> None:
    assert pytest.approx([0.5, 0.5]) == solve(choice(1e6, 1e6 + 1e-4)).policy.probs
    assert pytest.approx([0.0, 1.0]) == solve(choice(1e6, 1e6 + 1e-2)).policy.probs
    assert pytest.approx([0.0, 1.0]) == solve(choice(0.0, 1e-8)).policy.probs


def test_costs_say_how_much_worse_an_action_is() -> None:
    policy = solve(choice(1.0, 3.0, 3.0, 2.5)).policy
    assert pytest.approx([2.0, 0.0, 0.0, 0.5]) == policy.cost
    # Costly actions share the softmax denominator of the two best ones.
    assert pytest.approx(np.log([0.5, 0.5, 0.5, 0.5])) == policy.log_probs


def test_fixed_players_keep_their_policy() -> None:
    tree = unroll(disagreement())
    fixed = policy_from_mapping(tree, {"Bob: sees good prize, Alice go": {"continue": 0.9, "stop": 0.1}})
    solution = solve(tree, free_players=np.array([True, False]), fixed_probs=fixed.probs)
    bob = tree.arrays.history_player[tree.entry_history] == 1
    assert pytest.approx(fixed.probs[bob]) == solution.policy.probs[bob]
    assert pytest.approx(fixed.log_probs[bob]) == solution.policy.log_probs[bob]
    # Alice collects by her uniform belief (+.5 on average); "go" then is 1/2 * .9 * 2 - 1/2 * .5 * 1 = .65 > .6
    assert pytest.approx(0.65) == solution.start_value
    assert pytest.approx({"safe": 0.0, "go": 1.0}) == solution.policy.at("Alice: nothing yet")


def test_fixed_players_with_zeros_never_move_there() -> None:
    tree = unroll(disagreement())
    fixed = policy_from_mapping(tree, {"Bob: sees bad prize, Alice go": {"stop": 1.0}})
    solution = solve(tree, free_players=np.array([True, False]), fixed_probs=fixed.probs)
    entry = tree.arrays.entry_start[tree.history_by_name["Bob: sees bad prize, Alice go"]]
    assert {0.0, -np.inf} == set(solution.policy.log_probs[entry : entry + 2])


@pytest.mark.parametrize(("continuation", "expected"), [(1.0, 1.0), (0.0, 0.25), (0.5, 0.625)])
def test_lambda_weighs_the_true_future_against_a_new_draw(continuation: float, expected: float) -> None:
    # CE1. Bob continues with a good prize only. True future of "go": 1/2 * 2 = 1. A new draw of the belief after
    # "continue" thinks that Alice's "collect" is worth 1/2 * 2 - 1/2 * 1 = .5, so 1/2 * .5 = .25.
    tree = unroll(disagreement())
    solution = solve(tree, continuation=continuation)
    go = tree.arrays.entry_start[tree.history_by_name["Alice: nothing yet"]] + 1
    assert pytest.approx(expected) == solution.q_values[go]


def test_node_values_have_one_row_where_all_agree() -> None:
    tree = mixed_tree(4)
    assert (1, tree.num_nodes) == solve(tree, temperature=0.5).node_values.shape
    assert (tree.num_players, tree.num_nodes) == solve(tree, temperature=0.5, continuation=0.5).node_values.shape


def test_node_values_in_counterfactual_form_are_the_policys_true_values() -> None:
    for seed in range(30):
        tree = mixed_tree(seed)
        solution = solve(tree, temperature=0.3)
        assert pytest.approx(node_values(solution.policy), abs=1e-10) == solution.node_values[0]
        assert pytest.approx(value(solution.policy)) == solution.start_value


def test_nearly_one_lambda_approaches_the_counterfactual_form() -> None:
    # The code takes another path for lambda = 1; the two must meet.
    for seed in range(30):
        tree = mixed_tree(seed)
        shared, apart = (solve(tree, temperature=0.3, continuation=weight) for weight in (1.0, 1.0 - 1e-12))
        assert pytest.approx(shared.q_values, abs=1e-9) == apart.q_values
        for row in apart.node_values:
            assert pytest.approx(shared.node_values[0], abs=1e-9) == row


def test_nobody_free_and_any_lambda_follows_the_policy() -> None:
    tree = mixed_tree(5)
    policy = random_policy(tree, 5, zeros=True)
    for weight in (0.0, 0.5, 1.0):
        nobody = np.zeros(tree.num_players, np.bool_)
        solution = solve(tree, free_players=nobody, fixed_probs=policy.probs, continuation=weight)
        assert pytest.approx(policy.probs) == solution.policy.probs


def test_policy_from_q_values_is_softmax_per_history() -> None:
    tree = mixed_tree(6)
    q_values = np.random.default_rng(0).normal(size=tree.num_entries)
    weights = np.exp(q_values / 0.7)
    expected = weights / np.bincount(tree.entry_history, weights)[tree.entry_history]
    assert pytest.approx(expected) == policy_from_q_values(tree, q_values, 0.7).probs
    greedy = policy_from_q_values(tree, q_values, 0.0)
    assert greedy.cost is None
    for history in np.unique(tree.entry_history):
        own = np.flatnonzero(tree.entry_history == history)
        assert pytest.approx(1.0) == greedy.probs[own[np.argmax(q_values[own])]]


def test_noise_is_added_before_anybody_acts() -> None:
    tree = choice(1.0, 0.0)
    solution = solve(tree, noise=np.array([0.0, 1.5]))
    assert pytest.approx([0.0, 1.0]) == solution.policy.probs
    assert pytest.approx([1.0, 1.5]) == solution.q_values
    assert pytest.approx(0.0) == solution.start_value  # what is really earned


def test_belief_of_zero_leaves_a_trajectory_out() -> None:
    tree = unroll(disagreement())
    belief = exact_belief(tree, uniform_policy(tree)).at_decisions
    belief[:2] = [1.0, 0.0]  # Alice starts sure of the good prize
    solution = solve(tree, temperature=0.0)
    only_good = backward_induction(
        tree,
        belief,
        free_players=np.array([True, True]),
        fixed_probs=np.zeros(tree.num_entries),
        temperature=0.0,
    )
    go = tree.arrays.entry_start[tree.history_by_name["Alice: nothing yet"]] + 1
    assert pytest.approx(1.0) == solution.q_values[go]
    assert pytest.approx(2.0) == only_good.q_values[go]


def test_softmax_gap_of_many_actions_is_not_lost_to_rounding() -> None:
    tree = unroll(softmax_gap(200, 800.0))
    solution = solve(tree, temperature=1.0)
    assert pytest.approx(0.0, abs=1e-12) == solution.start_value
    assert np.isfinite(solution.policy.log_probs).all()
