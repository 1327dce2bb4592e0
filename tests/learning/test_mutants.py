"""Would the checks notice? Mutants of the operator's source, each subtly wrong, against a compact battery.

The sources of the belief, the backward pass and the operator are read, changed in one place, and run as plain Python
under other names. The battery compares them with the judge on a few small games; the true source passes it, and every
mutant must fail.
"""

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.naive.exact import (
    TablesAsGame,
    as_entries,
    as_naive_policy,
    enumerate_trajectories,
    pair_up,
    solve_level,
)
from tests.naive.samples import hint_game, random_policy

import offbelief
from offbelief.agents.tabular import TabularPolicy, uniform_policy
from offbelief.games.counterexamples import disagreement
from offbelief.games.json_game import JsonGame
from offbelief.games.random_game import RandomGameSettings, random_game
from offbelief.games.tiny_hanabi import TinyHanabi
from offbelief.games.tree import Tree, unroll
from offbelief.learning.exact_baselines import value

SOURCES = {
    "belief": ("offbelief.beliefs.exact", "beliefs/exact.py"),
    "backward": ("offbelief.learning.backward", "learning/backward.py"),
    "operator": ("offbelief.learning.exact_obl", "learning/exact_obl.py"),
}
SETTINGS = (
    {"operator": "counterfactual", "temperature": 0.3},
    {"operator": "bellman", "temperature": 0.3},
    {"operator": "counterfactual", "continuation": 0.3, "temperature": 0.0},
    {"operator": "bellman", "temperature": 0.0},
)


# --- running a changed source -----------------------------------------------------------------------------------------


def load(source: str = "", old: str = "", new: str = "") -> ModuleType:
    """Run the three sources as plain Python, one of them with `old` replaced by `new`; gives the operator's module."""
    modules = {}
    for name, (home, path) in SOURCES.items():
        text = (Path(offbelief.__file__).parent / path).read_text(encoding="utf-8")
        if name == source:
            assert text.count(old) == 1, f"{path} holds {old!r} {text.count(old)} times; adapt the mutant to the source"
            text = text.replace(old, new)
        text = text.replace("from offbelief.jit import kernel", "kernel = lambda function: function")
        for other, (other_home, _) in SOURCES.items():
            text = text.replace(f"from {other_home} import", f"from mutant_{other} import")
        module = ModuleType(f"mutant_{name}")
        module.__file__ = f"{home} (changed)"
        sys.modules[module.__name__] = modules[name] = module
        exec(compile(text, module.__file__, "exec"), module.__dict__)
    return modules["operator"]


@pytest.fixture(autouse=True)
def forget_mutants() -> Iterator[None]:
    yield
    for name in SOURCES:
        sys.modules.pop(f"mutant_{name}", None)


# --- the battery ------------------------------------------------------------------------------------------------------


class Judged(NamedTuple):
    """What the judge says about one game, one pi0 and one setting."""

    pi0: TabularPolicy
    settings: dict[str, Any]
    q_values: list[float]
    probs: list[float]


def tie_game() -> Tree:
    """After c, the two types are 1:2 in the limit, since x has two best actions (see test_exact_obl.py)."""
    states: dict[str, object] = {}
    for kind, second in (("x", 1.0), ("y", 0.5)):
        states[kind] = {
            "player": 0,
            "private": {"0": kind},
            "actions": {"a": {"reward": 1.0}, "b": {"reward": second}, "c": {"next": f"{kind}, c"}},
        }
        bets = {f"bet {guess}": {"reward": 0.4 if guess == kind else -0.4} for guess in ("x", "y")}
        states[f"{kind}, c"] = {"player": 1, "actions": {**bets, "abstain": {}}}
    return unroll(JsonGame({"players": 2, "start": {"x": 0.5, "y": 0.5}, "states": states}))


@cache
def judged() -> list[Judged]:
    random = (
        random_game(3, RandomGameSettings(horizon=3, chance=2)),
        random_game(8, RandomGameSettings(players=3, horizon=4, ragged=True, ending=0.1)),
    )
    games = [disagreement(), hint_game(), *(TablesAsGame(tables) for tables in random)]
    trees = [unroll(disagreement()), unroll(hint_game()), *(unroll(tables) for tables in random)]
    found = []
    for game, tree in zip(games, trees, strict=True):
        starts = enumerate_trajectories(game)
        pairing = pair_up(tree, starts)
        for number, settings in enumerate(SETTINGS):
            pi0 = random_policy(tree, number, zeros=number % 2 == 1)
            level = solve_level(starts, pi0=as_naive_policy(pairing, pi0.probs), **settings)
            found.append(Judged(pi0, settings, as_entries(pairing, level.q_values), as_entries(pairing, level.policy)))
    return found


def complaint(operator: ModuleType) -> str | None:
    """Run the battery; the first thing that is wrong, or None."""
    for case in judged():
        level = operator.obl(case.pi0, operator.OblSettings(**case.settings))
        name = f"{case.pi0.tree.tables.name}, {case.settings}"
        if not np.allclose(level.q_values, case.q_values, rtol=0, atol=1e-9):
            return f"values: {name}"
        if not np.allclose(level.policy.probs, case.probs, rtol=0, atol=1e-9):
            return f"policy: {name}"
    tiny = unroll(TinyHanabi())
    for temperature, expected in (("limit", [8, 9, 10]), (0.0, [8, 8, 8])):
        levels = operator.obl_levels(tiny, 3, operator.OblSettings(temperature=temperature))
        if not np.allclose([value(level.policy) for level in levels], expected):
            return f"levels of tiny-hanabi at {temperature}"
    ties = tie_game()
    second = operator.obl_levels(ties, 2, operator.OblSettings(temperature="limit"))[1].policy
    if not np.isclose(second.at("Player 1: Player 0 c")["bet y"], 1.0):
        return "costly actions beside ties"
    for order, action in (("first", "a"), ("last", "b")):
        settings = operator.OblSettings(temperature=0.0, ties=order)
        if not np.isclose(operator.obl(uniform_policy(ties), settings).policy.at("Player 0: sees x")[action], 1.0):
            return f"ties {order}"
    pi0 = judged()[-1].pi0
    mixed = operator.obl(pi0, operator.OblSettings(belief_epsilon=0.3)).q_values
    if not np.allclose(mixed, operator.obl(pi0.mixed_with_uniform(0.3), operator.OblSettings()).q_values):
        return "belief epsilon"
    return None


def test_true_source_passes_the_battery() -> None:
    assert complaint(load()) is None


MUTANTS: dict[str, tuple[str, str, str]] = {
    "softmax prefers the worst": (
        "backward",
        "log_probs[entry] = (q_values[entry] - best) / temperature - np.log(total)",
        "log_probs[entry] = (best - q_values[entry]) / temperature - np.log(total)",
    ),
    "softmax forgets the temperature": (
        "backward",
        "log_probs[entry] = (q_values[entry] - best) / temperature - np.log(total)",
        "log_probs[entry] = (q_values[entry] - best) - np.log(total)",
    ),
    "lambda and its rest are swapped": (
        "backward",
        "(1.0 - continuation) * believed + continuation * future",
        "continuation * believed + (1.0 - continuation) * future",
    ),
    "bootstraps at whoever acts next instead of at its own turn": (
        "backward",
        "if not shared and row == actor:",
        "if not shared:",
    ),
    "everybody looks through the first player's eyes": (
        "backward",
        "own = 0 if shared else arrays.acting_player[node]",
        "own = 0",
    ),
    "bootstraps with the best value instead of the policy's": (
        "backward",
        "believed += probs[entry] * q_values[entry]",
        "believed = q_values[entry] if entry == entry_begin else max(believed, q_values[entry])",
    ),
    "outcomes of chance count alike in values": (
        "backward",
        "+= weight * arrays.edge_probability[edge] * worth",
        "+= weight * worth",
    ),
    "reward of the own move is lost": (
        "backward",
        "worth = arrays.edge_reward[edge] + next_values[child]",
        "worth = next_values[child]",
    ),
    "rewards of later moves are lost": (
        "backward",
        "value += chance * (arrays.edge_reward[edge] + next_values[child])",
        "value += chance * next_values[child]",
    ),
    "every trajectory of a history counts alike": (
        "backward",
        "_add_action_values_one(arrays, node, belief[node],",
        "_add_action_values_one(arrays, node, 1.0,",
    ),
    "partners go on at random": (
        "backward",
        "probs[entry] = np.exp(log_probs[entry]) if cost[entry] == 0.0 else 0.0",
        "probs[entry] = 1.0 / (end - begin)",
    ),
    "the last of tied actions is the first": ("backward", "if chosen < 0 or ties == 2:", "if chosen < 0:"),
    "what is nearly best is best": ("backward", "TIE_TOLERANCE = 1e-9", "TIE_TOLERANCE = 0.3"),
    "costly actions ignore how many are tied": (
        "backward",
        "if ties == 0:  #",
        "if ties == 0 and cost[entry] == 0.0:  #",
    ),
    "own moves count in the belief": (
        "belief",
        "if arrays.acting_player[before] != silent_player:",
        "if silent_player >= -1:",
    ),
    "only own moves count in the belief": (
        "belief",
        "if arrays.acting_player[before] != silent_player:",
        "if arrays.acting_player[before] == silent_player:",
    ),
    "unreached histories believe in all trajectories alike": (
        "belief",
        "probs[node] = np.exp(log_chance[node] - largest[own])",
        "probs[node] = 1.0",
    ),
    "beliefs add up over the first player's histories": (
        "belief",
        "_normalise(arrays.history[player], log_reach",
        "_normalise(arrays.history[0], log_reach",
    ),
    "beliefs do not add up": ("belief", "probs[node] /= total[history[node]]", "probs[node] /= 1.0"),
    "chance does not count in the belief": (
        "belief",
        "log_reach[node] = log_reach[before] + np.log(arrays.edge_probability[edge])",
        "log_reach[node] = log_reach[before]",
    ),
    "the deal does not count in the belief": (
        "belief",
        "log_reach[node] = np.log(arrays.start_probability[node])",
        "log_reach[node] = 0.0",
    ),
    "the limit forgets its costs": ("belief", "total_cost[node] += cost[entry]", "total_cost[node] += 0.0"),
    "decisions use the first player's belief": (
        "belief",
        "picked = self.probs[np.maximum(acting, 0), np.arange(len(acting))]",
        "picked = self.probs[0, np.arange(len(acting))]",
    ),
    "temperature zero remembers its costs": (
        "operator",
        "if settings.temperature == 0.0:  #",
        "if settings.temperature == -1.0:  #",
    ),
    "the two forms' names are swapped": (
        "operator",
        'return 1.0 if self.operator == "counterfactual" else 0.0',
        'return 0.0 if self.operator == "counterfactual" else 1.0',
    ),
    "every level starts from pi0": ("operator", "policy = levels[-1].policy", "policy = levels[0].policy"),
    "the belief is not mixed": ("operator", "pi0.mixed_with_uniform(settings.belief_epsilon)", "pi0"),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_mutant_is_noticed(mutant: str) -> None:
    try:
        noticed = complaint(load(*MUTANTS[mutant]))
    except (ZeroDivisionError, FloatingPointError, RuntimeWarning):
        noticed = "it does not even compute"
    assert noticed is not None
