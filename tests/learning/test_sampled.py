"""The sampled learners: each converges to its exact twin, and not to the other form's."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from tests.naive.samples import random_policy

from offbelief.agents.tabular import TabularPolicy, policy_from_mapping, uniform_policy
from offbelief.beliefs.exact import exact_belief, grounded_belief
from offbelief.errors import UserError
from offbelief.games.counterexamples import disagreement
from offbelief.games.random_game import RandomGameSettings, random_game
from offbelief.games.tiny_hanabi import TinyHanabi
from offbelief.games.toy_communication import ToyCommunicationGame
from offbelief.games.tree import unroll
from offbelief.learning.backward import policy_from_q_values
from offbelief.learning.exact_baselines import best_response, mix_by_game, respond_together, self_play_optimum, value
from offbelief.learning.exact_obl import OblSettings, obl
from offbelief.learning.sampled import (
    Learned,
    SampledSettings,
    lb_obl,
    learn_belief,
    learn_best_response,
    q_obl,
    self_play_q_learning,
)

A, B = "counterfactual", "bellman"


class Case(NamedTuple):
    """A game to learn on."""

    game: Callable[[], object]
    temperature: float
    """Hot enough that noise in a value is no large step in a probability."""
    games: int
    """Enough for Q-OBL; LB-OBL learns at every move and needs a third."""
    apart: float
    """How far apart the two forms' policies are at least: zero where a game has only two moves."""


CASES = {
    "toy": Case(ToyCommunicationGame, 2.0, 150_000, 0.0),
    "tiny-hanabi": Case(TinyHanabi, 2.0, 150_000, 0.0),
    "CE1": Case(disagreement, 0.5, 100_000, 0.15),
    "chance": Case(lambda: random_game(159, RandomGameSettings(horizon=3, chance=2)), 0.5, 1_000_000, 0.2),
    "three players": Case(lambda: random_game(165, RandomGameSettings(players=3, horizon=4)), 0.5, 300_000, 0.2),
}
every_case = pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=name, marks=[pytest.mark.slow] if case.games > 200_000 else [])
        for name, case in CASES.items()
    ],
)
CLOSE = 0.07


def assert_near(learned: Learned, pi0: TabularPolicy, temperature: float, weight: float, apart: float) -> None:
    """The learned policy is near its exact twin and, where they differ, far from the other form's."""
    exact = obl(pi0, OblSettings(continuation=weight, temperature=temperature)).policy
    assert np.abs(learned.policy.probs - exact.probs).max() < CLOSE
    assert abs(value(learned.policy) - value(exact)) < CLOSE
    other = obl(pi0, OblSettings(continuation=1.0 - weight, temperature=temperature)).policy
    if apart > 0:
        assert np.abs(exact.probs - other.probs).max() > apart
        assert np.abs(learned.policy.probs - other.probs).max() > 2 * CLOSE


@pytest.mark.parametrize("weight", [1.0, 0.0], ids=[A, B])
@every_case
def test_q_obl_converges_to_the_form_its_target_says(case: Case, weight: float) -> None:
    pi0 = uniform_policy(unroll(case.game()))
    settings = SampledSettings(games=case.games, temperature=case.temperature, continuation=weight, rate_exponent=0.9)
    assert_near(q_obl(pi0, settings, seed=1), pi0, case.temperature, weight, case.apart)


@pytest.mark.parametrize("weight", [1.0, 0.0], ids=[A, B])
@every_case
def test_lb_obl_converges_with_the_exact_belief(case: Case, weight: float) -> None:
    pi0 = uniform_policy(unroll(case.game()))
    settings = SampledSettings(
        games=case.games // 3,
        temperature=case.temperature,
        continuation=weight,
        rate_exponent=0.9,
        exploration=0.5,
    )
    learned = lb_obl(pi0.tree, exact_belief(pi0.tree, pi0).at_decisions, settings, seed=2)
    assert_near(learned, pi0, case.temperature, weight, case.apart)


@every_case
def test_lb_obl_converges_with_a_learned_belief(case: Case) -> None:
    pi0 = uniform_policy(unroll(case.game()))
    settings = SampledSettings(games=case.games // 3, temperature=case.temperature, rate_exponent=0.9, exploration=0.5)
    learned = lb_obl(pi0.tree, learn_belief(pi0, 200_000, seed=3), settings, seed=3)
    assert_near(learned, pi0, case.temperature, 0.0, case.apart)


@pytest.mark.parametrize("weight", [1.0, 0.0], ids=[A, B])
def test_q_obl_from_another_pi0_interprets_moves_with_it(weight: float) -> None:
    tree = unroll(disagreement())
    pi0 = policy_from_mapping(
        tree,
        {
            "Bob: sees good prize, Alice go": {"continue": 0.2, "stop": 0.8},
            "Bob: sees bad prize, Alice go": {"continue": 0.8, "stop": 0.2},
        },
    )
    settings = SampledSettings(games=150_000, temperature=0.5, continuation=weight, rate_exponent=0.9)
    assert_near(q_obl(pi0, settings, seed=4), pi0, 0.5, weight, apart=0.0)
    from_uniform = obl(uniform_policy(tree), OblSettings(continuation=weight, temperature=0.5)).policy
    assert np.abs(q_obl(pi0, settings, seed=4).policy.probs - from_uniform.probs).max() > 2 * CLOSE


def test_lambda_between_the_forms_converges_between_them() -> None:
    tree = unroll(disagreement())
    pi0 = uniform_policy(tree)
    settings = SampledSettings(games=150_000, temperature=0.5, continuation=0.5, rate_exponent=0.9, exploration=0.5)
    exact = obl(pi0, OblSettings(continuation=0.5, temperature=0.5))
    for learned in (q_obl(pi0, settings, seed=5), lb_obl(tree, exact.belief.at_decisions, settings, seed=5)):
        assert np.abs(learned.q_values - exact.q_values).max() < CLOSE


def test_values_of_q_obl_are_the_operators_values() -> None:
    tree = unroll(disagreement())
    go = tree.arrays.entry_start[tree.history_by_name["Alice: nothing yet"]] + 1
    for weight, expected in ((1.0, 1.0), (0.0, 0.25)):  # CE1 at T = 0
        learned = q_obl(uniform_policy(tree), SampledSettings(games=150_000, continuation=weight), seed=6)
        assert pytest.approx(expected, abs=0.05) == learned.q_values[go]


# --- best responses and self-play -------------------------------------------------------------------------------------


@every_case
def test_learned_best_response_is_the_exact_one(case: Case) -> None:
    tree = unroll(case.game())
    partner = random_policy(tree, 1)
    settings = SampledSettings(games=150_000, rate_exponent=0.8, exploration=0.3)
    learned = learn_best_response([partner], np.ones(1), settings, seed=1)
    for player in range(tree.num_players):
        exact = best_response(partner, player)
        own = tree.arrays.history_player[tree.entry_history] == player
        joint = TabularPolicy(tree, np.where(own, learned.policy.log_probs, partner.log_probs))
        assert pytest.approx(exact.start_value, abs=0.03) == value(joint)
        often = own & (learned.visits > 3_000)
        assert often.any()
        scale = max(1.0, float(np.abs(exact.q_values).max()))
        assert pytest.approx(exact.q_values[often], abs=0.1 * scale) == learned.q_values[often]


def test_learned_response_to_a_mixture_draws_partners_once_per_game() -> None:
    # Bobs of one policy always guess cat, of the other always dog; a mixture by game is as good as either for Alice,
    # and what she does must not depend on a Bob who changes his mind.
    tree = unroll(ToyCommunicationGame())
    bobs = [name for name in tree.history_by_name if name.startswith("Bob")]
    partners = [policy_from_mapping(tree, {name: {f"guess {pet}": 1.0} for name in bobs}) for pet in ("cat", "dog")]
    weights = np.array([0.8, 0.2])
    settings = SampledSettings(games=150_000, rate_exponent=0.9, exploration=0.3)
    learned = learn_best_response(partners, weights, settings, seed=2)
    exact = respond_together(mix_by_game(partners, weights))
    for history in ("Alice: sees cat", "Alice: sees dog"):
        lights = [
            policy.at(history)["light on"] + policy.at(history)["light off"] for policy in (exact, learned.policy)
        ]
        assert pytest.approx(lights[0]) == lights[1]  # the two lights tie, so only their sum is decided
    on = tree.arrays.entry_start[tree.history_by_name["Alice: sees cat"]]
    assert pytest.approx(0.8 * 10 - 0.2 * 10, abs=0.3) == learned.q_values[on]


@every_case
def test_self_play_learns_an_equilibrium_among_partners_who_explore(case: Case) -> None:
    # Everybody learns beside partners who move at random now and then, so that is the game it is an equilibrium of.
    tree = unroll(case.game())
    best = self_play_optimum(tree).value
    player_of_entry = tree.arrays.history_player[tree.entry_history]
    for seed in range(2):
        settings = SampledSettings(games=case.games, exploration=0.2, rate_exponent=0.8)
        policy = self_play_q_learning(tree, settings, seed).policy
        exploring = policy.mixed_with_uniform(settings.exploration)
        assert value(policy) <= best + 1e-9
        for player in range(tree.num_players):
            stays = TabularPolicy(tree, np.where(player_of_entry == player, policy.log_probs, exploring.log_probs))
            assert best_response(exploring, player).start_value <= value(stays) + 0.01
            assert best_response(policy, player).start_value <= value(policy) + 0.1


def test_self_play_runs_find_different_handshakes() -> None:
    tree = unroll(ToyCommunicationGame())
    settings = SampledSettings(games=20_000, exploration=0.4, rate_exponent=0.55)
    runs = [self_play_q_learning(tree, settings, seed).policy for seed in range(12)]
    assert pytest.approx(10.0) == np.median([value(policy) for policy in runs])
    signs = {max(policy.at("Bob: Alice light on"), key=policy.at("Bob: Alice light on").get) for policy in runs}
    assert {"guess cat", "guess dog"} <= signs


# --- beliefs ----------------------------------------------------------------------------------------------------------


def test_learned_belief_approaches_the_exact_one() -> None:
    tree = unroll(ToyCommunicationGame())
    pi0 = policy_from_mapping(
        tree,
        {
            "Alice: sees cat": {"light on": 0.6, "light off": 0.4},
            "Alice: sees dog": {"light on": 0.2, "light off": 0.8},
        },
    )
    exact = exact_belief(tree, pi0).at_decisions
    errors = [np.abs(learn_belief(pi0, games, seed=1) - exact).max() for games in (500, 200_000)]
    assert errors[1] < 0.005 < errors[0]
    # Behind the barrier nobody ever came: the grounded belief stands in, and is sure of the pet.
    history = tree.history_by_name["Bob: Alice remove barrier, sees cat"]
    assert [1.0] == learn_belief(pi0, 1_000, seed=1)[tree.arrays.decision == history].tolist()


def test_learned_belief_where_nobody_came_is_grounded() -> None:
    tree = unroll(ToyCommunicationGame())
    pi0 = policy_from_mapping(tree, {f"Alice: sees {pet}": {"light on": 1.0} for pet in ("cat", "dog")})
    history = tree.arrays.decision == tree.history_by_name["Bob: Alice light off"]
    assert pytest.approx(grounded_belief(tree).at_decisions[history]) == learn_belief(pi0, 100, seed=1)[history]


# --- settings, seeds, plain mode --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"games": 0}, "A sampled learner needs at least one game, not 0"),
        ({"continuation": 1.1}, "Continuation and exploration must lie between 0 and 1"),
        ({"exploration": -0.1}, "Continuation and exploration must lie between 0 and 1"),
        ({"exploration": math.nan}, "Continuation and exploration must lie between 0 and 1"),
        ({"temperature": -1.0}, "The temperature is -1.0; it must be 0 or more"),
        ({"rate_exponent": 0.5}, "rate_exponent is 0.5; learning converges from above 0.5 to 1"),
        ({"rate_exponent": 1.5}, "rate_exponent is 1.5; learning converges from above 0.5 to 1"),
    ],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, float], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        SampledSettings(**wrong)


def learn_everything(games: int, seed: int) -> dict[str, list[float]]:
    """A little of every learner on a small random game."""
    tree = unroll(random_game(0, RandomGameSettings(horizon=3, chance=2)))
    pi0 = uniform_policy(tree)
    found = {}
    for temperature in (0.0, 0.5):
        settings = SampledSettings(games=games, temperature=temperature, continuation=0.5)
        found[f"q {temperature}"] = q_obl(pi0, settings, seed)
        found[f"lb {temperature}"] = lb_obl(tree, learn_belief(pi0, games, seed), settings, seed)
        found[f"sp {temperature}"] = self_play_q_learning(tree, settings, seed)
        found[f"br {temperature}"] = learn_best_response([pi0, pi0], np.array([0.5, 0.5]), settings, seed)
    return {name: learned.q_values.tolist() for name, learned in found.items()}


def test_same_seed_gives_the_same_run_and_another_another() -> None:
    one = learn_everything(500, seed=7)
    assert one == learn_everything(500, seed=7)
    other = learn_everything(500, seed=8)
    assert all(one[name] != other[name] for name in one)


def test_learned_policy_acts_on_the_learned_values() -> None:
    tree = unroll(disagreement())
    for temperature in (0.0, 0.5):
        learned = q_obl(uniform_policy(tree), SampledSettings(games=5_000, temperature=temperature), seed=1)
        assert pytest.approx(policy_from_q_values(tree, learned.q_values, temperature).probs) == learned.policy.probs
        assert learned.visits.sum() == 5_000 or (learned.visits > 0).all()


def test_plain_python_learns_what_compiled_code_learns() -> None:
    script = "import json; from tests.learning.test_sampled import *; print(json.dumps(learn_everything(200, 9)))"
    # Outside of compiled code the streams wrap around with a warning.
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONWARNINGS": "ignore"}
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, cwd=root, check=False
    )
    assert done.returncode == 0, done.stderr
    plain, compiled = json.loads(done.stdout), learn_everything(200, 9)
    assert plain.keys() == compiled.keys()
    for name, q_values in plain.items():
        assert pytest.approx(q_values, abs=1e-9) == compiled[name]
