"""The baselines: values and best responses against the judge, hierarchies by definition, optima by brute force."""

import itertools
import math

import numpy as np
import pytest
from tests.naive import exact as naive
from tests.naive.samples import NAMED_GAMES, mixed_tree, random_policy

from offbelief.agents.tabular import (
    TabularPolicy,
    policy_from_mapping,
    policy_from_probs,
    seat_together,
    uniform_policy,
)
from offbelief.errors import UserError
from offbelief.games.counterexamples import disagreement, softmax_gap
from offbelief.games.random_game import RandomGameSettings, random_game
from offbelief.games.simultaneous import MatrixGame, as_turn_based
from offbelief.games.tiny_hanabi import TinyHanabi
from offbelief.games.toy_communication import ToyCommunicationGame
from offbelief.games.tree import Tree, unroll
from offbelief.learning import exact_baselines
from offbelief.learning.exact_baselines import (
    best_response,
    cognitive_hierarchy,
    k_level,
    mix_by_game,
    mixture_weights,
    node_values,
    own_reach,
    respond_together,
    self_play_optimum,
    subgame_perfect_epsilon,
    value,
)


def deterministic_policies(tree: Tree) -> list[np.ndarray]:
    """All of them, as probabilities [L]."""
    counts = [int(count) for count in np.diff(tree.arrays.entry_start) if count > 0]
    first = np.cumsum([0, *counts])[:-1]
    policies = []
    for choice in itertools.product(*(range(count) for count in counts)):
        probs = np.zeros(tree.num_entries)
        probs[first + np.array(choice)] = 1.0
        policies.append(probs)
    return policies


# --- values and best responses ----------------------------------------------------------------------------------------


def test_value_equals_judge() -> None:
    for seed in range(40):
        tree = mixed_tree(seed)
        starts = naive.enumerate_trajectories(naive.TablesAsGame(tree.tables))
        pairing = naive.pair_up(tree, starts)
        policy = random_policy(tree, seed, zeros=seed % 2 == 0)
        naive_policy = naive.as_naive_policy(pairing, policy.probs)
        assert pytest.approx(naive.value(starts, naive_policy), abs=1e-10) == value(policy)
        expected = [naive.future_value(pairing.node[node], naive_policy) for node in range(tree.num_nodes)]
        assert pytest.approx(expected, abs=1e-10) == node_values(policy).tolist()


def test_best_response_equals_judge() -> None:
    games = [mixed_tree(seed) for seed in range(60) if mixed_tree(seed).num_nodes < 300]
    for seed, tree in enumerate(games):
        starts = naive.enumerate_trajectories(naive.TablesAsGame(tree.tables))
        pairing = naive.pair_up(tree, starts)
        policy = random_policy(tree, seed, zeros=seed % 3 == 0)
        for player in range(tree.num_players):
            joint, q_values = naive.best_response(starts, naive.as_naive_policy(pairing, policy.probs), player)
            response = best_response(policy, player)
            assert pytest.approx(naive.as_entries(pairing, joint)) == response.policy.probs.tolist()
            assert pytest.approx(naive.value(starts, joint)) == response.start_value
            for entry, (history, action) in pairing.entry.items():
                if history[0] == player:
                    assert pytest.approx(q_values[history][action]) == response.q_values[entry]


@pytest.mark.parametrize("name", ["toy", "tiny-hanabi", "CE1", "matrix, other order"])
def test_best_response_beats_every_deterministic_policy(name: str) -> None:
    tree = unroll(NAMED_GAMES[name]())
    policy = random_policy(tree, 3)
    own = tree.arrays.history_player[tree.entry_history] == 1
    others = np.where(own, 0.0, policy.probs)
    tried = {tuple(np.where(own, probs, 0.0)): None for probs in deterministic_policies(tree)}
    best = max(value(policy_from_probs(tree, others + np.array(response))) for response in tried)
    assert pytest.approx(best) == best_response(policy, 1).start_value


def test_respond_together_seats_everybodys_best_response() -> None:
    tree = mixed_tree(8)
    policy = random_policy(tree, 8)
    together = respond_together(policy)
    assert together.cost is None
    for player in range(tree.num_players):
        own = tree.arrays.history_player[tree.entry_history] == player
        assert pytest.approx(best_response(policy, player).policy.probs[own]) == together.probs[own]


# --- hierarchies ------------------------------------------------------------------------------------------------------


def test_k_level_iterates_best_responses() -> None:
    tree = mixed_tree(9)
    pi0 = random_policy(tree, 9)
    levels = k_level(tree, 3, pi0=pi0)
    assert pytest.approx(respond_together(pi0).probs) == levels[0].probs
    assert pytest.approx(respond_together(levels[1]).probs) == levels[2].probs
    assert pytest.approx(k_level(tree, 1)[0].probs) == respond_together(uniform_policy(tree)).probs


def test_cognitive_hierarchy_responds_to_the_mixture_of_all_lower_levels() -> None:
    tree = mixed_tree(9)
    pi0 = random_policy(tree, 9)
    levels = cognitive_hierarchy(tree, 3, pi0=pi0, mixture=("poisson", 2.0))
    assert pytest.approx(k_level(tree, 1, pi0=pi0)[0].probs) == levels[0].probs
    lower = [pi0, levels[0], levels[1]]
    mixed = mix_by_game(lower, np.array([1.0, 2.0, 2.0]) / 5)  # 2^l / l!: 1, 2, 2
    assert pytest.approx(respond_together(mixed).probs) == levels[2].probs


def test_mixture_weights_by_hand() -> None:
    assert pytest.approx([0.25, 0.25, 0.25, 0.25]) == mixture_weights("uniform", 4)
    assert pytest.approx([0.4, 0.4, 0.2]) == mixture_weights(("poisson", 1.0), 3)
    assert pytest.approx([8 / 29, 12 / 29, 9 / 29]) == mixture_weights(("poisson", 1.5), 3)  # 1, 3/2, 9/8


@pytest.mark.parametrize("rate", [0.0, -1.0, math.inf, math.nan])
def test_mixture_weights_refuse_a_rate_that_is_not_positive(rate: float) -> None:
    with pytest.raises(UserError, match=f"The Poisson rate is {rate}; it must be a positive number"):
        mixture_weights(("poisson", rate), 2)


def test_mix_by_game_earns_what_drawing_policies_earns() -> None:
    # Kuhn: with perfect recall a behaviour policy replaces a draw per player and game, whatever the others do.
    weights = np.array([0.2, 0.5, 0.3])
    for seed in range(30):
        tree = mixed_tree(seed)
        policies = [random_policy(tree, 10 * seed + number, zeros=number > 0) for number in range(3)]
        drawn = sum(
            np.prod(weights[list(team)]) * value(seat_together([policies[number] for number in team]))
            for team in itertools.product(range(3), repeat=tree.num_players)
        )
        assert pytest.approx(drawn, abs=1e-10) == value(mix_by_game(policies, weights))


def test_mix_by_game_where_no_policy_leads_uses_the_weights() -> None:
    tree = unroll(disagreement())
    stay = policy_from_mapping(tree, {"Alice: nothing yet": {"safe": 1}, "Alice: Alice go, Bob continue": {"quit": 1}})
    also = policy_from_mapping(
        tree, {"Alice: nothing yet": {"safe": 1}, "Alice: Alice go, Bob continue": {"collect": 1}}
    )
    mixed = mix_by_game([stay, also], np.array([0.3, 0.7]))
    assert pytest.approx({"quit": 0.3, "collect": 0.7}) == mixed.at("Alice: Alice go, Bob continue")


def test_own_reach_is_the_product_of_own_moves() -> None:
    tree = unroll(disagreement())
    policy = policy_from_mapping(
        tree, {"Alice: nothing yet": {"safe": 0.8, "go": 0.2}, "Bob: sees good prize, Alice go": {"continue": 1.0}}
    )
    own = own_reach(policy)
    assert pytest.approx(0.2) == own[tree.history_by_name["Alice: Alice go, Bob continue"]]
    assert pytest.approx(1.0) == own[tree.history_by_name["Bob: sees good prize, Alice go"]]
    assert pytest.approx(1.0) == own[tree.history_by_name["Alice: nothing yet"]]


# --- the self-play optimum --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_optimum_equals_brute_force(seed: int) -> None:
    settings = RandomGameSettings(horizon=3, types=1 + seed % 2, players=2 + seed % 2, ending=0.2, chance=1)
    tree = unroll(random_game(seed, settings))
    choices = np.diff(tree.arrays.entry_start)
    assert np.prod(choices[choices > 0].astype(float)) <= 2**14
    best = max(value(policy_from_probs(tree, probs)) for probs in deterministic_policies(tree))
    found = self_play_optimum(tree)
    assert found.is_exact and found.restarts == 0
    assert pytest.approx(best) == found.value
    assert pytest.approx(found.value) == value(found.policy)


def test_optimum_of_named_games() -> None:
    expected = {"toy": 10.0, "tiny-hanabi": 10.0, "CE1": 1.0, "CE2": 1.0, "CE4": 0.0, "matrix": 1.0}
    for name, best in expected.items():
        found = self_play_optimum(unroll(NAMED_GAMES[name]()))
        assert found.is_exact
        assert pytest.approx(best) == found.value, name


def test_optimum_of_a_large_game_climbs_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = {}
    for seed in range(12):
        tree = unroll(random_game(seed, RandomGameSettings(horizon=3)))
        exact[seed] = (tree, self_play_optimum(tree).value)
    monkeypatch.setattr(exact_baselines, "EXHAUSTIVE_TRIES", 1)
    for seed, (tree, best) in exact.items():
        climbed = self_play_optimum(tree, restarts=40, seed=seed)
        assert not climbed.is_exact and climbed.restarts == 40
        assert pytest.approx(climbed.value) == value(climbed.policy)
        assert pytest.approx(best) == climbed.value  # forty climbs are plenty here
    one = self_play_optimum(exact[0][0], restarts=1, seed=3)
    assert one.value <= exact[0][1] + 1e-12
    assert subgame_perfect_epsilon(one.policy) >= 0.0


def test_optimum_with_default_restarts_fits_the_work_to_the_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = unroll(random_game(0, RandomGameSettings(horizon=3)))
    monkeypatch.setattr(exact_baselines, "EXHAUSTIVE_TRIES", 1)
    assert self_play_optimum(tree).restarts == 100
    monkeypatch.setattr(exact_baselines, "CLIMBING_WORK", 20 * tree.num_nodes * 7)
    assert self_play_optimum(tree).restarts == 7
    monkeypatch.setattr(exact_baselines, "CLIMBING_WORK", 1)
    assert self_play_optimum(tree).restarts == 3


# --- equilibria -------------------------------------------------------------------------------------------------------


def test_epsilon_of_an_optimum_on_its_own_path_is_zero() -> None:
    tree = unroll(ToyCommunicationGame())
    handshake = policy_from_mapping(
        tree,
        {
            "Alice: sees cat": {"light on": 1},
            "Alice: sees dog": {"light off": 1},
            "Bob: Alice light on": {"guess cat": 1},
            "Bob: Alice light off": {"guess dog": 1},
            "Bob: Alice remove barrier, sees cat": {"guess cat": 1},
            "Bob: Alice remove barrier, sees dog": {"guess dog": 1},
        },
    )
    assert pytest.approx(10.0) == value(handshake)
    assert pytest.approx(0.0) == subgame_perfect_epsilon(handshake)
    # A threat that is never carried out: Bob bails behind the barrier, where a guess would earn 9.5 more.
    careless = handshake.to_mapping() | {"Bob: Alice remove barrier, sees cat": {"bail": 1.0}}
    policy = policy_from_mapping(tree, careless)
    assert pytest.approx(10.0) == value(policy)
    assert pytest.approx(9.5) == subgame_perfect_epsilon(policy)


def test_epsilon_of_one_decision_is_its_regret() -> None:
    tree = unroll(softmax_gap(4, 2.0))
    uniform = uniform_policy(tree)
    assert pytest.approx(1.5) == subgame_perfect_epsilon(uniform)


def test_epsilon_counts_deviations_of_several_moves() -> None:
    # Alice gains nothing by deviating once: "go" and then quitting earns 0, collecting later is worth it only after go.
    tree = unroll(disagreement())
    policy = policy_from_mapping(
        tree,
        {
            "Alice: nothing yet": {"safe": 1.0},
            "Alice: Alice go, Bob continue": {"quit": 1.0},
            "Bob: sees good prize, Alice go": {"continue": 1.0},
            "Bob: sees bad prize, Alice go": {"stop": 1.0},
        },
    )
    # At the start: go and collect earns 1 where safe earns .6; after "continue" she would gain 2 at once.
    assert pytest.approx(2.0) == subgame_perfect_epsilon(policy)
    response = best_response(policy, 0)
    assert pytest.approx(1.0) == response.start_value


def test_epsilon_of_a_bad_equilibrium_is_zero() -> None:
    tree = unroll(as_turn_based(MatrixGame([[1.0, 0.0], [0.0, 2.0]])))
    names = list(tree.history_by_name)
    worse = policy_from_mapping(tree, {name: {"0": 1.0} for name in names})
    assert pytest.approx(1.0) == value(worse)
    assert pytest.approx(0.0) == subgame_perfect_epsilon(worse)
    assert pytest.approx(2.0) == self_play_optimum(tree).value


def test_value_of_uniform_play_in_tiny_hanabi_is_the_tables_mean() -> None:
    game = TinyHanabi()
    assert pytest.approx(game.payoffs.mean()) == value(uniform_policy(unroll(game)))


def test_value_of_a_limit_is_the_value_of_what_is_played() -> None:
    tree = unroll(ToyCommunicationGame())
    limit = TabularPolicy(tree, uniform_policy(tree).log_probs, np.zeros(tree.num_entries))
    assert pytest.approx(value(uniform_policy(tree))) == value(limit)
