"""The toy communication game (paper, Section 5): its rules, and what every method makes of it, exactly."""

import numpy as np
import pytest

from offbelief.agents.tabular import TabularPolicy, policy_from_mapping, uniform_policy
from offbelief.evaluation.crossplay import crossplay
from offbelief.games.toy_communication import ToyCommunicationGame
from offbelief.games.tree import Tree, unroll
from offbelief.learning.exact_baselines import cognitive_hierarchy, k_level, self_play_optimum, value
from offbelief.learning.exact_obl import OblSettings, obl_levels, opposite_ties


@pytest.fixture(scope="module")
def tree() -> Tree:
    return unroll(ToyCommunicationGame())


def handshake(tree: Tree, on: str, off: str) -> TabularPolicy:
    """Light on means one pet, off the other."""
    return policy_from_mapping(
        tree,
        {
            f"Alice: sees {on}": {"light on": 1},
            f"Alice: sees {off}": {"light off": 1},
            "Bob: Alice light on": {f"guess {on}": 1},
            "Bob: Alice light off": {f"guess {off}": 1},
        },
    )


# --- rules ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alice", "bob", "returns"),
    [
        ("light on", "guess cat", 10.0),
        ("light off", "guess dog", -10.0),
        ("light on", "bail", 0.5),
        ("remove barrier", "guess cat", 5.0),
        ("remove barrier", "guess dog", -15.0),
        ("remove barrier", "bail", -4.5),
        ("bail", None, 1.0),
    ],
)
def test_rules_pay_as_the_paper_says(alice: str, bob: str | None, returns: float) -> None:
    game = ToyCommunicationGame()
    ((_, earned, state),) = game.transitions(("cat", None), alice)
    if bob is None:
        assert game.acting_player(state) is None
    else:
        assert game.acting_player(state) == 1
        ((_, reward, state),) = game.transitions(state, bob)
        earned += reward
        assert game.acting_player(state) is None
    assert pytest.approx(returns) == earned


def test_bob_sees_the_pet_behind_the_removed_barrier_only(tree: Tree) -> None:
    seen = sorted(name for name in tree.history_by_name if name.startswith("Bob"))
    assert [
        "Bob: Alice light off",
        "Bob: Alice light on",
        "Bob: Alice remove barrier, sees cat",
        "Bob: Alice remove barrier, sees dog",
    ] == seen


# --- what the methods make of it --------------------------------------------------------------------------------------


def test_uniform_pair_earns_minus_seven_eighths(tree: Tree) -> None:
    # Bob's guesses cancel and his bail is worth 1/6; Alice: 1/4 * (1 - 5) + 3/4 * 1/6
    assert pytest.approx(-0.875) == value(uniform_policy(tree))


def test_self_play_optimum_is_a_handshake_that_strangers_do_not_share(tree: Tree) -> None:
    assert pytest.approx(10.0) == self_play_optimum(tree).value
    one, other = handshake(tree, "cat", "dog"), handshake(tree, "dog", "cat")
    table = crossplay([one, other])
    assert pytest.approx(np.array([[10.0, -10.0], [-10.0, 10.0]])) == table.matrix
    runs = crossplay([one, other] * 5)  # five of each
    off_diagonal = runs.matrix[~np.eye(10, dtype=bool)]
    assert pytest.approx((40 * 10 - 50 * 10) / 90) == off_diagonal.mean()  # without the diagonal, a little below 0
    assert pytest.approx(0.0) == np.mean([[10.0, -10.0], [-10.0, 10.0]])


@pytest.mark.parametrize("operator", ["counterfactual", "bellman"])
@pytest.mark.parametrize("temperature", ["limit", 0.0, 1e-3])
def test_obl_levels_earn_five_in_self_play_and_cross_play(tree: Tree, operator: str, temperature: float) -> None:
    settings = OblSettings(operator=operator, temperature=temperature)
    first, second = (obl_levels(tree, 4, one) for one in opposite_ties(settings))
    for one, other in zip(first, second, strict=True):
        table = crossplay([one.policy, other.policy])
        assert pytest.approx(np.full((2, 2), 5.0)) == table.matrix
        assert pytest.approx(1.0) == one.policy.at("Alice: sees cat")["remove barrier"]


@pytest.mark.parametrize(("temperature", "earned"), [(0.5, 4.998), (1.0, 4.851), (2.0, 3.832)])
@pytest.mark.parametrize("operator", ["counterfactual", "bellman"])
def test_obl_at_higher_temperature_earns_less(tree: Tree, operator: str, temperature: float, earned: float) -> None:
    for level in obl_levels(tree, 4, OblSettings(operator=operator, temperature=temperature)):
        assert pytest.approx(earned, abs=5e-4) == value(level.policy)


def test_k_level_bails_out_first_and_then_removes_the_barrier(tree: Tree) -> None:
    levels = k_level(tree, 4)
    assert pytest.approx([1.0, 5.0, 5.0, 5.0]) == [value(policy) for policy in levels]
    assert pytest.approx(1.0) == levels[0].at("Alice: sees cat")["bail"]
    assert pytest.approx(1.0) == levels[1].at("Alice: sees cat")["remove barrier"]


@pytest.mark.parametrize(
    ("mixture", "expected"),
    [
        ("uniform", [1, 1, 5, 5]),
        (("poisson", 1.0), [1, 1, 5, 5]),
        (("poisson", 1.5), [1, 5, 5, 5]),
        (("poisson", 2.0), [1, 5, 5, 5]),
    ],
)
def test_cognitive_hierarchy_finds_the_barrier_at_level_two_or_three(
    tree: Tree, mixture: str, expected: list[float]
) -> None:
    levels = cognitive_hierarchy(tree, 4, mixture=mixture)
    assert pytest.approx(expected) == [value(policy) for policy in levels]


def test_symmetry_of_the_pets_is_an_unstable_fixed_point(tree: Tree) -> None:
    # An error in the belief after "on" grows per level by 200 g / T^2, g = P(Bob guesses cat | light): 170 at T = .5.
    temperature, error = 0.5, 1e-7
    guess = obl_levels(tree, 1, OblSettings(temperature=temperature))[0].policy.at("Bob: Alice light on")["guess cat"]
    factor = 200 * guess / temperature**2
    assert pytest.approx(170, abs=1) == factor
    noise = np.zeros(tree.num_entries)
    first = tree.arrays.entry_start[tree.history_by_name["Bob: Alice light on"]]
    names = [tree.tables.action_names[action] for action in tree.entry_action[first : first + 3]]
    noise[first + names.index("guess cat")] = error
    levels = obl_levels(tree, 3, OblSettings(temperature=temperature), noise=lambda level: noise * (level == 1))
    here = tree.arrays.decision == tree.history_by_name["Bob: Alice light on"]
    off_balance = [float(level.belief.at_decisions[here][0]) - 0.5 for level in levels]
    assert pytest.approx(factor, rel=0.01) == off_balance[2] / off_balance[1]


def test_mixing_the_belief_keeps_noisy_levels_together(tree: Tree) -> None:
    def run(seed: int, epsilon: float) -> TabularPolicy:
        rng = np.random.default_rng(seed)
        settings = OblSettings(temperature=0.05, belief_epsilon=epsilon)
        return obl_levels(tree, 6, settings, noise=lambda _: rng.normal(scale=0.1, size=tree.num_entries))[-1].policy

    together, apart = (crossplay([run(seed, epsilon) for seed in range(24)]) for epsilon in (0.01, 0.0))
    assert pytest.approx(5.0, abs=0.3) == together.self_play.mean
    assert pytest.approx(5.0, abs=0.3) == together.cross_play.mean
    assert apart.self_play.mean > apart.cross_play.mean + 3
