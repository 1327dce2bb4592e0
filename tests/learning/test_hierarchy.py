"""What k-levels and the cognitive hierarchy need and off-belief learning does not (paper, Section 2)."""

from functools import cache

import numpy as np
import pytest
from tests.naive.samples import fully_observable, mixed_tree, public_policy, random_policy

from offbelief.agents.tabular import policy_from_mapping, uniform_policy
from offbelief.games.json_game import JsonGame
from offbelief.games.random_game import RandomGameSettings, random_game
from offbelief.games.toy_communication import ToyCommunicationGame
from offbelief.games.tree import Tree, unroll
from offbelief.learning.exact_baselines import cognitive_hierarchy, k_level, value
from offbelief.learning.exact_obl import OblSettings, obl

GAMES = 1_000
A, B = "counterfactual", "bellman"
ROUNDING = 1e-9


def best_possible(tree: Tree) -> float:
    """Value of a fully observable game by dynamic programming over its states, from the tables alone."""
    tables = tree.tables
    worth: dict[int, float] = {}

    def of_state(state: int) -> float:
        if state not in worth:
            worth[state] = max(
                (
                    sum(
                        tables.edge_probability[edge]
                        * (tables.edge_reward[edge] + of_state(int(tables.edge_state[edge])))
                        for edge in range(tables.edge_start[slot], tables.edge_start[slot + 1])
                    )
                    for slot in range(tables.slot_start[state], tables.slot_start[state + 1])
                ),
                default=0.0,
            )
        return worth[state]

    starts = zip(tables.start_probability, tables.start_state, strict=True)
    return float(sum(probability * of_state(int(state)) for probability, state in starts))


@cache
def observable_games() -> list[tuple[Tree, float]]:
    trees = []
    for seed in range(GAMES):
        rng = np.random.default_rng(seed)
        shape = RandomGameSettings(
            players=int(rng.integers(2, 4)),
            horizon=int(rng.integers(2, 5)),
            types=1,
            actions=int(rng.integers(2, 4)),
            chance=int(rng.integers(1, 3)),
            ragged=seed % 4 == 0,
            ending=0.2 if seed % 5 == 0 else 0.0,
        )
        tree = unroll(fully_observable(random_game(seed, shape)))
        trees.append((tree, best_possible(tree)))
    return trees


@pytest.mark.parametrize("operator", [A, B])
def test_fully_observable_games_level_1_is_optimal_from_any_pi0(operator: str) -> None:
    for seed, (tree, best) in enumerate(observable_games()):
        pi0 = random_policy(tree, seed, zeros=seed % 2 == 0)
        assert pytest.approx(best) == value(obl(pi0, OblSettings(operator=operator, temperature="limit")).policy)


def test_fully_observable_games_hierarchy_is_optimal_after_as_many_levels_as_moves() -> None:
    late = 0
    for tree, best in observable_games()[:200]:
        values = [value(policy) for policy in k_level(tree, tree.depth)]
        assert pytest.approx(best) == values[-1]
        late += values[0] < best - ROUNDING
    assert late > 40  # one level is often not enough


def relay(length: int) -> JsonGame:
    """Whoever is at move m from the end stops for 1 - 4^-m, or hands on; the last hand-over earns 1.

    Handing on to a partner who may stop at random costs half of what that partner's stop falls short of 1: twice what
    one's own stop does. So a level hands on only if the level below surely would.
    """
    states = {}
    for number in range(length):
        from_end = length - number
        onward = {"next": f"move {number + 1}"} if from_end > 1 else {"reward": 1.0}
        states[f"move {number}"] = {
            "player": number % 2,
            "public": number,
            "actions": {"stop": {"reward": 1.0 - 4.0**-from_end}, "hand on": onward},
        }
    return JsonGame({"name": "relay", "players": 2, "start": "move 0", "states": states})


@pytest.mark.parametrize("length", [2, 3, 4, 6])
def test_relay_needs_exactly_as_many_hierarchy_levels_as_moves(length: int) -> None:
    tree = unroll(relay(length))
    optimal = [value(policy) == pytest.approx(1.0, abs=1e-12) for policy in k_level(tree, length + 2)]
    assert [False] * (length - 1) + [True] * 3 == optimal
    hierarchy = [value(policy) for policy in cognitive_hierarchy(tree, length - 1)]
    assert all(earned < 1.0 - 1e-6 for earned in hierarchy)
    for operator in (A, B):
        level_1 = obl(uniform_policy(tree), OblSettings(operator=operator, temperature="limit")).policy
        assert pytest.approx(1.0, abs=1e-12) == value(level_1)


def test_hierarchy_depends_on_pi0_where_obl_does_not() -> None:
    differs = {"k-level": 0, "hierarchy": 0}
    for seed in range(150):
        tree = mixed_tree(seed)
        one, other = public_policy(tree, seed), public_policy(tree, seed + GAMES)
        for name, method in (("k-level", k_level), ("hierarchy", cognitive_hierarchy)):
            final = [method(tree, 4, pi0=pi0)[-1].probs for pi0 in (one, other)]
            differs[name] += np.abs(final[0] - final[1]).max() > 1e-6
        first, second = (obl(pi0, OblSettings(temperature="limit")).policy for pi0 in (one, other))
        assert pytest.approx(first.probs, abs=ROUNDING) == second.probs
    assert min(differs.values()) > 30


def test_hierarchy_in_the_toy_game_takes_its_convention_from_pi0() -> None:
    # A pi0 whose Bob guesses cat makes level-1 Alice show the light for cats, and from then on light means cat. OBL
    # does not care what pi0 does, as long as it ignores the pet.
    tree = unroll(ToyCommunicationGame())
    bobs = [name for name in tree.history_by_name if name.startswith("Bob")]
    credulous = policy_from_mapping(tree, {name: {"guess cat": 0.98, "guess dog": 0.01, "bail": 0.01} for name in bobs})
    light = "Bob: Alice light on"
    assert pytest.approx(1.0) == k_level(tree, 4)[-1].at(light)["bail"]
    assert pytest.approx(1.0) == k_level(tree, 4, pi0=credulous)[-1].at(light)["guess cat"]
    for pi0 in (uniform_policy(tree), credulous):
        level = obl(pi0, OblSettings(temperature="limit")).policy
        assert pytest.approx(1.0) == level.at(light)["bail"]
        assert pytest.approx(5.0) == value(level)
