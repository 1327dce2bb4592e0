"""The OBL operator: against the judge, by hand, and the limit T -> 0 against small T."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.naive.exact import (
    NaiveLevel,
    Pairing,
    TablesAsGame,
    as_entries,
    as_naive_policy,
    believe,
    enumerate_trajectories,
    future_value,
    pair_up,
    solve_level,
)
from tests.naive.samples import NAMED_GAMES, entry_of_node, mixed_tree, public_policy, random_policy

from offbelief.agents.tabular import TabularPolicy, uniform_policy
from offbelief.beliefs.exact import exact_belief, grounded_belief
from offbelief.errors import UserError
from offbelief.games.json_game import JsonGame
from offbelief.games.tree import Tree, unroll
from offbelief.learning.exact_obl import (
    OblLevel,
    OblSettings,
    counterfactual_q_values,
    obl,
    obl_from_belief,
    obl_levels,
    opposite_ties,
    without_costs,
)

FORMS = (("counterfactual", None), ("bellman", None), ("counterfactual", 0.4))


def assert_same_level(pairing: Pairing, judged: NaiveLevel, level: OblLevel, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(level.q_values, as_entries(pairing, judged.q_values), rtol=0, atol=tolerance)
    np.testing.assert_allclose(level.policy.probs, as_entries(pairing, judged.policy), rtol=0, atol=tolerance)


@pytest.mark.parametrize("first", range(0, 250, 25))
def test_operator_on_random_games_equals_judge(first: int) -> None:
    for seed in range(first, first + 25):
        tree = mixed_tree(seed)
        starts = enumerate_trajectories(TablesAsGame(tree.tables))
        pairing = pair_up(tree, starts)
        pi0 = uniform_policy(tree) if seed % 4 == 0 else random_policy(tree, seed, zeros=seed % 4 == 1)
        naive_pi0 = as_naive_policy(pairing, pi0.probs)
        temperature = (0.0, 0.05, 1.0)[seed % 3]
        for operator, continuation in FORMS:
            settings = OblSettings(operator=operator, continuation=continuation, temperature=temperature)
            judged = solve_level(
                starts, operator=operator, continuation=continuation, temperature=temperature, pi0=naive_pi0
            )
            assert_same_level(pairing, judged, obl(pi0, settings))


@pytest.mark.parametrize("name", NAMED_GAMES)
def test_operator_on_named_games_equals_judge(name: str) -> None:
    game = NAMED_GAMES[name]()
    tree, starts = unroll(game), enumerate_trajectories(game)
    pairing = pair_up(tree, starts)
    for pi0, temperature in (
        (uniform_policy(tree), 0.3),
        (random_policy(tree, 1), 0.0),
        (random_policy(tree, 2, zeros=True), 0.0),
    ):
        naive_pi0 = as_naive_policy(pairing, pi0.probs)
        for operator, continuation in FORMS:
            settings = OblSettings(operator=operator, continuation=continuation, temperature=temperature)
            judged = solve_level(
                starts, operator=operator, continuation=continuation, temperature=temperature, pi0=naive_pi0
            )
            assert_same_level(pairing, judged, obl(pi0, settings))


@pytest.mark.parametrize("ties", ["first", "last"])
def test_ties_on_named_games_equal_judge(ties: str) -> None:
    # The judge lists actions in the game's own order, the tree by number: only games where these agree.
    for name in ("toy", "tiny-hanabi", "CE1"):
        game = NAMED_GAMES[name]()
        tree, starts = unroll(game), enumerate_trajectories(game)
        judged = solve_level(starts, operator="counterfactual", temperature=0.0, ties=ties)
        level = obl(uniform_policy(tree), OblSettings(temperature=0.0, ties=ties))
        assert_same_level(pair_up(tree, starts), judged, level)


@pytest.mark.parametrize("operator", ["counterfactual", "bellman"])
@pytest.mark.parametrize("temperature", [0.0, 0.05, 0.5])
def test_levels_equal_judge_level_by_level(operator: str, temperature: float) -> None:
    for seed in range(20):
        tree = mixed_tree(seed)
        starts = enumerate_trajectories(TablesAsGame(tree.tables))
        pairing, naive_pi0 = pair_up(tree, starts), None
        for level in obl_levels(tree, 3, OblSettings(operator=operator, temperature=temperature)):
            judged = solve_level(starts, operator=operator, temperature=temperature, pi0=naive_pi0)
            assert_same_level(pairing, judged, level, tolerance=1e-6)
            naive_pi0 = as_naive_policy(pairing, level.policy.probs)


def test_belief_epsilon_mixes_the_believed_policy_only() -> None:
    tree = mixed_tree(3)
    pi0 = random_policy(tree, 3, zeros=True)
    mixed = TabularPolicy(tree, np.log(0.9 * pi0.probs + 0.1 * uniform_policy(tree).probs))
    settings = OblSettings(temperature=0.1, belief_epsilon=0.1)
    expected = obl(mixed, OblSettings(temperature=0.1))
    assert pytest.approx(expected.q_values) == obl(pi0, settings).q_values
    assert pytest.approx(exact_belief(tree, mixed).probs) == obl(pi0, settings).belief.probs
    # Levels above the first feel it too; without it they do not agree.
    with_epsilon = obl_levels(tree, 3, OblSettings(temperature=0.0, belief_epsilon=0.2))
    believed = with_epsilon[1].policy.mixed_with_uniform(0.2)
    assert pytest.approx(obl(believed, OblSettings(temperature=0.0)).q_values) == with_epsilon[2].q_values


def test_continuation_one_and_zero_are_the_two_operators() -> None:
    for seed in range(30):
        tree = mixed_tree(seed)
        pi0 = random_policy(tree, seed)
        for operator, weight in (("counterfactual", 1.0), ("bellman", 0.0)):
            own = obl(pi0, OblSettings(operator=operator))
            # A number wins over the operator's own.
            other = "bellman" if operator == "counterfactual" else "counterfactual"
            by_number = obl(pi0, OblSettings(operator=other, continuation=weight))
            assert pytest.approx(own.q_values, abs=1e-12) == by_number.q_values


def test_operators_agree_in_games_of_two_moves() -> None:
    short = [seed for seed in range(300) if mixed_tree(seed).depth <= 2]
    assert len(short) > 50
    for seed in short:
        pi0 = random_policy(mixed_tree(seed), seed)
        a, b = (obl(pi0, OblSettings(operator=form)).q_values for form in ("counterfactual", "bellman"))
        assert pytest.approx(a, abs=1e-12) == b


def test_obl_from_grounded_belief_is_obl_from_a_public_policy() -> None:
    for seed in range(30):
        tree = mixed_tree(seed)
        grounded = obl_from_belief(grounded_belief(tree), OblSettings(temperature=0.2))
        assert pytest.approx(grounded.q_values) == obl(public_policy(tree, seed), OblSettings(temperature=0.2)).q_values


def test_counterfactual_q_values_of_any_policy_equal_judge() -> None:
    for seed in range(25):
        tree = mixed_tree(seed)
        starts = enumerate_trajectories(TablesAsGame(tree.tables))
        pairing = pair_up(tree, starts)
        pi0, pi1 = random_policy(tree, seed), random_policy(tree, seed + 1000, zeros=True)
        naive_pi1 = as_naive_policy(pairing, pi1.probs)
        belief = believe(starts, as_naive_policy(pairing, pi0.probs))
        expected = {
            history: {
                action: sum(
                    p * sum(c * (reward + future_value(child, naive_pi1)) for c, reward, child in tau.children[action])
                    for p, tau in weighted
                )
                for action in weighted[0][1].children
            }
            for history, weighted in belief.items()
        }
        q_values = counterfactual_q_values(exact_belief(tree, pi0), pi1)
        assert pytest.approx(as_entries(pairing, expected), abs=1e-9) == q_values.tolist()


def test_noise_shifts_the_values_that_are_acted_on() -> None:
    tree = mixed_tree(1)
    pi0, noise = uniform_policy(tree), np.random.default_rng(0).normal(size=mixed_tree(1).num_entries)
    last = tree.entry_history >= tree.arrays.history_start[tree.depth - 1]  # nothing comes after these
    plain, noisy = obl(pi0).q_values, obl(pi0, noise=noise).q_values
    assert pytest.approx((plain + noise)[last]) == noisy[last]
    levels = obl_levels(tree, 2, noise=lambda level: noise * level)
    assert pytest.approx((plain + noise)[last]) == levels[0].q_values[last]
    assert pytest.approx(obl(levels[0].policy, noise=2 * noise).q_values) == levels[1].q_values


def test_levels_start_from_a_given_policy() -> None:
    tree = mixed_tree(2)
    pi0 = random_policy(tree, 9)
    first, second = obl_levels(tree, 2, pi0=pi0)
    assert pytest.approx(obl(pi0).q_values) == first.q_values
    assert pytest.approx(obl(first.policy).q_values) == second.q_values


# --- the limit T -> 0 -------------------------------------------------------------------------------------------------


def smallest_gap(tree: Tree, level: OblLevel, believed: TabularPolicy | None) -> float:
    """How near the limit is to a tie: between actions, and between costs of the nodes that a belief compares."""
    assert level.policy.cost is not None
    gaps = [float(level.policy.cost[level.policy.cost > 0].min(initial=math.inf))]
    if believed is not None and believed.cost is not None:
        arrays = tree.arrays
        entry = entry_of_node(tree)
        for player in range(tree.num_players):
            total = np.zeros(tree.num_nodes)
            for node in range(int(arrays.node_start[1]), tree.num_nodes):
                before = arrays.parent[node]
                paid = 0.0 if arrays.acting_player[before] == player else believed.cost[entry[node]]
                total[node] = total[before] + paid
            own = arrays.history[player]
            cheapest = np.full(tree.num_histories, math.inf)
            np.minimum.at(cheapest, own[own >= 0], total[own >= 0])
            above = total[own >= 0] - cheapest[own[own >= 0]]
            gaps.append(float(above[above > 1e-9].min(initial=math.inf)))
    return min(gaps)


@pytest.mark.parametrize("operator", ["counterfactual", "bellman"])
def test_limit_agrees_with_small_temperatures_away_from_ties(operator: str) -> None:
    compared = 0
    for seed in range(0, 400, 4):
        tree = mixed_tree(seed)
        limit = obl_levels(tree, 3, OblSettings(operator=operator, temperature="limit"))
        small = obl_levels(tree, 3, OblSettings(operator=operator, temperature=1e-4))
        clear, believed = math.inf, None
        for at_limit, at_small in zip(limit, small, strict=True):
            clear = min(clear, smallest_gap(tree, at_limit, believed))
            if clear < 20 * 1e-4:  # exp(-20) still shows
                break
            believed = at_limit.policy
            np.testing.assert_allclose(at_small.policy.probs, at_limit.policy.probs, rtol=0, atol=1e-6)
            np.testing.assert_allclose(at_small.q_values, at_limit.q_values, rtol=0, atol=1e-6)
            compared += 1
    assert compared > 200


def test_limit_agrees_with_smaller_temperatures_in_more_games() -> None:
    # Near-ties are resolved in the end: a gap g shows until T is well below it.
    agree = {1e-2: 0, 1e-3: 0, 1e-4: 0}
    for seed in range(0, 1000, 10):
        tree = mixed_tree(seed)
        limit = obl_levels(tree, 3, OblSettings(temperature="limit"))
        for temperature in agree:
            small = obl_levels(tree, 3, OblSettings(temperature=temperature))
            agree[temperature] += all(
                np.abs(a.policy.probs - b.policy.probs).max() < 1e-3 for a, b in zip(limit, small, strict=True)
            )
    assert agree[1e-2] < agree[1e-3] < agree[1e-4]
    assert agree[1e-4] > 90  # of 100


def test_limit_divides_costly_actions_by_the_number_of_tied_ones() -> None:
    # "c" costs 1 with both of Alice's types, but type x has two best actions and y has one, so c is half as likely from
    # x: exp(-1/T)/2 against exp(-1/T). After c, level 2 believes in x with 1/3 and bets on y.
    states: dict[str, object] = {}
    for kind, pays in (("x", (1.0, 1.0)), ("y", (1.0, 0.5))):
        states[kind] = {
            "player": "Alice",
            "private": {"Alice": kind},
            "actions": {"a": {"reward": pays[0]}, "b": {"reward": pays[1]}, "c": {"next": f"{kind}, c"}},
        }
        bets = {f"bet {guess}": {"reward": 0.4 if guess == kind else -0.4} for guess in ("x", "y")}
        states[f"{kind}, c"] = {"player": "Bob", "actions": {**bets, "abstain": {}}}
    tree = unroll(JsonGame({"players": ["Alice", "Bob"], "start": {"x": 0.5, "y": 0.5}, "states": states}))
    for temperature in ("limit", 1e-3):
        second = obl_levels(tree, 2, OblSettings(temperature=temperature))[1]
        here = tree.arrays.decision == tree.history_by_name["Bob: Alice c"]
        assert pytest.approx([1 / 3, 2 / 3]) == second.belief.at_decisions[here]
        assert pytest.approx({"bet x": 0.0, "bet y": 1.0, "abstain": 0.0}) == second.policy.at("Bob: Alice c")


def test_limit_remembers_what_temperature_zero_forgets() -> None:
    # Alice's "tell" costs less with type x than with y, so the limit believes in x after it; T = 0 believes the prior.
    states: dict[str, object] = {}
    for kind, price in (("x", 0.1), ("y", 0.2)):
        states[kind] = {
            "player": "Alice",
            "private": {"Alice": kind},
            "actions": {"keep": {"reward": 1.0}, "tell": {"reward": 1.0 - price, "next": f"{kind}, told"}},
        }
        bets = {f"bet {guess}": {"reward": 2.0 if guess == kind else -2.0} for guess in ("x", "y")}
        states[f"{kind}, told"] = {"player": "Bob", "actions": {**bets, "abstain": {}}}
    tree = unroll(JsonGame({"players": ["Alice", "Bob"], "start": {"x": 0.5, "y": 0.5}, "states": states}))
    in_limit = obl_levels(tree, 2, OblSettings(temperature="limit"))[1].policy
    at_zero = obl_levels(tree, 2, OblSettings(temperature=0.0))[1].policy
    assert pytest.approx(1.0) == in_limit.at("Bob: Alice tell")["bet x"]
    assert pytest.approx(1 / 3) == at_zero.at("Bob: Alice tell")["bet x"]
    assert in_limit.cost is not None and at_zero.cost is None
    assert pytest.approx(in_limit.probs) == without_costs(in_limit).probs


# --- settings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"operator": "belman"}, "The operator is 'counterfactual' or 'bellman', not 'belman'"),
        ({"continuation": 1.5}, "Lambda is 1.5; it must lie between 0 and 1"),
        ({"continuation": math.nan}, "Lambda is nan; it must lie between 0 and 1"),
        ({"temperature": -0.1}, "The temperature is -0.1; it must be 0 or more, or 'limit'"),
        ({"temperature": math.inf}, "The temperature is inf; it must be 0 or more, or 'limit'"),
        ({"temperature": math.nan}, "The temperature is nan; it must be 0 or more, or 'limit'"),
        ({"belief_epsilon": 2.0}, "The belief's epsilon is 2.0; it must lie between 0 and 1"),
        ({"belief_epsilon": -0.5}, "The belief's epsilon is -0.5; it must lie between 0 and 1"),
        ({"temperature": "limit", "ties": "first"}, "The limit T -> 0 of softmax shares ties evenly"),
    ],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, object], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        OblSettings(**wrong)


def test_opposite_ties_break_ties_both_ways_at_temperature_zero_only() -> None:
    first, last = opposite_ties(OblSettings(temperature=0.0))
    assert (first.ties, last.ties) == ("first", "last")
    for temperature in (0.05, "limit"):
        settings = OblSettings(temperature=temperature)
        assert (settings, settings) == opposite_ties(settings)


# --- plain mode -------------------------------------------------------------------------------------------------------


def test_exact_part_works_without_compiled_code() -> None:
    # Whoever debugs switches numba off; a subset of these tests runs that way in a process of its own.
    files = ("tests/learning/test_backward.py", "tests/beliefs/test_exact.py", "tests/games/test_toy_communication.py")
    chosen = "not random_games and not noisy and not simultaneous"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *files, "-k", chosen],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert "passed" in done.stdout and "failed" not in done.stdout
