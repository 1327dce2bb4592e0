"""The counterexamples as games: their rules by hand (what the operators make of them: learning/test_theorems.py)."""

import pytest

from offbelief.agents.tabular import policy_from_mapping, uniform_policy
from offbelief.games.check import check_game
from offbelief.games.counterexamples import disagreement, no_improvement, softmax_gap
from offbelief.games.tree import unroll
from offbelief.learning.exact_baselines import self_play_optimum, value


def test_disagreement_pays_as_told() -> None:
    tree = unroll(disagreement())
    assert (2, 3) == (tree.num_players, tree.depth)
    # safe .6, half the time; else half stop, else quit or (2 - 1) / 2
    assert pytest.approx(0.5 * 0.6 + 0.5 * 0.5 * 0.5 * 0.5) == value(uniform_policy(tree))
    plan = {
        "Alice: nothing yet": {"go": 1},
        "Bob: sees good prize, Alice go": {"continue": 1},
        "Bob: sees bad prize, Alice go": {"continue": 1},
        "Alice: Alice go, Bob continue": {"collect": 1},
    }
    assert pytest.approx(0.5) == value(policy_from_mapping(tree, plan))
    assert pytest.approx(1.0) == value(policy_from_mapping(tree, plan | {"Bob: sees bad prize, Alice go": {"stop": 1}}))


@pytest.mark.parametrize("pay_early", [False, True])
def test_no_improvement_pays_the_same_early_or_late(pay_early: bool) -> None:
    tree = unroll(no_improvement(pay_early=pay_early))
    # 1/2 * -.5 + 1/2 * (.1 * (1 - 20) / 2 + .9 * (.9 + 1) / 2)
    assert pytest.approx(-0.25 + 0.5 * (0.1 * -9.5 + 0.9 * 0.95)) == value(uniform_policy(tree))
    assert pytest.approx(1.0) == self_play_optimum(tree).value


def test_no_improvement_pays_when_it_says() -> None:
    for pay_early, paid in ((False, {0.0}), (True, {1.0, -20.0, 0.9})):
        game = no_improvement(pay_early=pay_early)
        rewards = {
            reward
            for kind in ("good", "bad")
            for choice in "ab"
            for _, reward, _ in game.transitions(f"{kind}, go", choice)
        }
        assert paid == rewards


def test_softmax_gap_is_one_decision() -> None:
    size = check_game(softmax_gap(5, 2.0))
    assert (1, 1, 1, 6) == (size.players, size.longest, size.decisions, size.trajectories)
    tree = unroll(softmax_gap(5, 2.0))
    assert pytest.approx(-2.0 * 4 / 5) == value(uniform_policy(tree))
