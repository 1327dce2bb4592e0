"""Exact beliefs: by hand, against the judge, and where pi0 never leads."""

import numpy as np
import pytest
from tests.naive.exact import (
    TablesAsGame,
    Trajectory,
    as_naive_policy,
    believe,
    believe_grounded,
    enumerate_trajectories,
    pair_up,
)
from tests.naive.samples import NAMED_GAMES, hint_game, mixed_tree, random_policy

from offbelief.agents.tabular import TabularPolicy, policy_from_mapping, uniform_policy
from offbelief.beliefs.exact import exact_belief, grounded_belief, reach_probs
from offbelief.games.counterexamples import disagreement
from offbelief.games.json_game import JsonGame
from offbelief.games.toy_communication import ToyCommunicationGame
from offbelief.games.tree import Tree, unroll


def belief_at(tree: Tree, probs: np.ndarray, history: str) -> list[float]:
    """The belief over the nodes of a decision history, in the order of the tree."""
    return probs[tree.arrays.decision == tree.history_by_name[history]].tolist()


def assert_equals_judge(tree: Tree, starts: list[Trajectory], pi0: TabularPolicy) -> None:
    """Compare B_pi0 and B_G, of every player at every node, with the judge's."""
    pairing = pair_up(tree, starts)
    naive_pi0 = as_naive_policy(pairing, pi0.probs)
    for belief, judged in (
        (exact_belief(tree, pi0), believe(starts, naive_pi0, everybody=True)),
        (grounded_belief(tree), believe_grounded(starts)),
    ):
        weight = {(id(tau), history[0]): p for history, weighted in judged.items() for p, tau in weighted}
        expected = np.zeros((tree.num_players, tree.num_nodes))
        for node, tau in pairing.node.items():
            if tau.player is not None:
                expected[:, node] = [weight[id(tau), player] for player in range(tree.num_players)]
        np.testing.assert_allclose(belief.probs, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(0, 120, 20))
def test_belief_on_random_games_equals_judge(seed: int) -> None:
    for number in range(seed, seed + 20):
        tree = mixed_tree(number)
        starts = enumerate_trajectories(TablesAsGame(tree.tables))
        assert_equals_judge(tree, starts, random_policy(tree, number, zeros=number % 3 == 0))


@pytest.mark.parametrize("name", NAMED_GAMES)
def test_belief_on_named_games_equals_judge(name: str) -> None:
    game = NAMED_GAMES[name]()
    tree, starts = unroll(game), enumerate_trajectories(game)
    for zeros in (False, True):
        assert_equals_judge(tree, starts, random_policy(tree, 7, zeros=zeros))


def test_belief_after_signal_is_bayes_rule() -> None:
    tree = unroll(ToyCommunicationGame())
    pi0 = policy_from_mapping(
        tree,
        {
            "Alice: sees cat": {"light on": 0.6, "light off": 0.4},
            "Alice: sees dog": {"light on": 0.2, "light off": 0.8},
        },
    )
    belief = exact_belief(tree, pi0).at_decisions
    # 1/2 * .6 against 1/2 * .2, and 1/2 * .4 against 1/2 * .8
    assert pytest.approx([3 / 4, 1 / 4]) == belief_at(tree, belief, "Bob: Alice light on")
    assert pytest.approx([1 / 3, 2 / 3]) == belief_at(tree, belief, "Bob: Alice light off")
    assert pytest.approx([1.0]) == belief_at(tree, belief, "Bob: Alice remove barrier, sees cat")


def test_belief_where_others_never_lead_is_grounded() -> None:
    tree = unroll(ToyCommunicationGame())
    pi0 = policy_from_mapping(
        tree, {f"Alice: sees {pet}": {"light on": 1.0} for pet in ("cat", "dog")} | {"Bob: Alice light on": {"bail": 1}}
    )
    belief = exact_belief(tree, pi0)
    off = tree.history_by_name["Bob: Alice light off"]
    assert not belief.is_reached[off] and belief.is_reached[tree.history_by_name["Bob: Alice light on"]]
    assert pytest.approx([0.5, 0.5]) == belief_at(tree, belief.at_decisions, "Bob: Alice light off")


def test_belief_after_own_deviation_is_bayes_rule() -> None:
    # Alice always plays safe, yet she can ask herself what Bob's "continue" would mean after her "go".
    tree = unroll(disagreement())
    pi0 = policy_from_mapping(
        tree,
        {
            "Alice: nothing yet": {"safe": 1.0},
            "Bob: sees good prize, Alice go": {"continue": 0.9, "stop": 0.1},
            "Bob: sees bad prize, Alice go": {"continue": 0.3, "stop": 0.7},
        },
    )
    belief = exact_belief(tree, pi0)
    history = "Alice: Alice go, Bob continue"
    assert belief.is_reached[tree.history_by_name[history]]
    assert pytest.approx([0.75, 0.25]) == belief_at(tree, belief.at_decisions, history)
    # Bob knows the prize, and Alice's deviation is hers: the grounded belief stands in, and says the same.
    assert not belief.is_reached[tree.history_by_name["Bob: sees good prize, Alice go"]]


def test_belief_of_tiny_probabilities_is_formed_in_logarithms() -> None:
    tree = unroll(ToyCommunicationGame())
    log_probs = uniform_policy(tree).log_probs.copy()
    for pet, unlikely in (("cat", -4000.0), ("dog", -4001.0)):
        first = tree.arrays.entry_start[tree.history_by_name[f"Alice: sees {pet}"]]
        names = [tree.tables.action_names[action] for action in tree.entry_action[first : first + 4]]
        log_probs[first + names.index("light on")] = unlikely
    belief = exact_belief(tree, TabularPolicy(tree, log_probs))
    expected = [np.e / (1 + np.e), 1 / (1 + np.e)]  # both vanish as floats, their ratio is e
    assert pytest.approx(expected) == belief_at(tree, belief.at_decisions, "Bob: Alice light on")


def test_belief_in_the_limit_compares_costs_before_probabilities() -> None:
    tree = unroll(ToyCommunicationGame())
    log_probs, cost = np.zeros(tree.num_entries), np.zeros(tree.num_entries)
    for pet, log_prob, price in (("cat", -5.0, 1.0), ("dog", 0.0, 1.5)):
        first = tree.arrays.entry_start[tree.history_by_name[f"Alice: sees {pet}"]]
        names = [tree.tables.action_names[action] for action in tree.entry_action[first : first + 4]]
        log_probs[first + names.index("light on")] = log_prob
        cost[first + names.index("light on")] = price
        cost[first + names.index("light off")] = 2.0
    belief = exact_belief(tree, TabularPolicy(tree, log_probs, cost))
    assert pytest.approx([1.0, 0.0]) == belief_at(tree, belief.at_decisions, "Bob: Alice light on")
    assert pytest.approx([0.5, 0.5]) == belief_at(tree, belief.at_decisions, "Bob: Alice light off")


def test_belief_adds_up_to_one_and_is_zero_where_the_game_is_over() -> None:
    for seed in range(40):
        tree = mixed_tree(seed)
        belief = exact_belief(tree, random_policy(tree, seed, zeros=seed % 2 == 0))
        alive = tree.arrays.acting_player >= 0
        for player in range(tree.num_players):
            own = tree.arrays.history[player]
            total = np.bincount(own[alive], belief.probs[player, alive], tree.num_histories)
            np.testing.assert_allclose(total[tree.arrays.history_player == player], 1.0, rtol=1e-12)
            assert not belief.probs[player, ~alive].any()


def test_reach_adds_up_to_one_over_finished_games() -> None:
    for seed in range(40):
        tree = mixed_tree(seed)
        reach = reach_probs(tree, random_policy(tree, seed, zeros=seed % 2 == 0))
        assert pytest.approx(1.0) == reach[tree.arrays.acting_player < 0].sum()


def test_grounded_belief_counts_hidden_actions_evenly() -> None:
    states = {
        "start": {"player": "A", "actions": {"up": {"next": "up"}, "down": {"next": "down"}}},
        "up": {"player": "B", "actions": {"go": {"reward": 1}}},
        "down": {"player": "B", "actions": {"go": {}}},
    }
    game = JsonGame({"players": ["A", "B"], "start": "start", "states": states, "public_actions": False})
    tree = unroll(game)
    pi0 = policy_from_mapping(tree, {"A: nothing yet": {"up": 0.9, "down": 0.1}})
    assert pytest.approx([0.9, 0.1]) == belief_at(tree, exact_belief(tree, pi0).at_decisions, "B: a hidden move")
    assert pytest.approx([0.5, 0.5]) == belief_at(tree, grounded_belief(tree).at_decisions, "B: a hidden move")


def test_private_legality_makes_uniform_play_speak() -> None:
    # Two legal actions with one colour, three with two: a pass (or a red hint) has 1/2 against 1/3 behind it.
    tree = unroll(hint_game())
    uniform = exact_belief(tree, uniform_policy(tree)).at_decisions
    grounded = grounded_belief(tree).at_decisions
    for said in ("pass", "hint red"):
        assert pytest.approx([0.6, 0.4]) == belief_at(tree, uniform, f"Bob: Alice {said}")
        assert pytest.approx([0.5, 0.5]) == belief_at(tree, grounded, f"Bob: Alice {said}")
    assert pytest.approx([1.0]) == belief_at(tree, grounded, "Bob: Alice hint blue")  # legality is an observation
