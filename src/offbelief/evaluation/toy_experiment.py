"""The paper's toy experiment (Section 5, Fig. 2), sampled beside exact, and what keeps the levels together.

Sampled: independent runs of self-play Q-learning, of Q-OBL levels 1-4 and of a cognitive hierarchy's levels 1-4, each
level built on the level below *of its own run*, then cross-play between the runs. Exact: the same methods without
noise. The second part gives the exact operator noisy Q-values, and compares two remedies against the drift of higher
levels: a higher temperature (the paper's suggestion) and a belief mixed with uniform play (docs/operator.md).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from offbelief.agents.tabular import TabularPolicy, uniform_policy
from offbelief.evaluation.crossplay import CrossPlay, crossplay
from offbelief.games.toy_communication import ToyCommunicationGame
from offbelief.games.tree import Tree, unroll
from offbelief.learning.exact_baselines import (
    cognitive_hierarchy,
    k_level,
    mixture_weights,
    self_play_optimum,
    value,
)
from offbelief.learning.exact_obl import OblSettings, obl_levels
from offbelief.learning.sampled import SampledSettings, learn_best_response, q_obl, self_play_q_learning
from offbelief.nouns import UserError

LEVELS = 4


@dataclass(frozen=True, kw_only=True)
class ToySettings:
    """How the toy experiment is sampled. The paper gives no such numbers; these show its panels."""

    runs: int = 10
    """Independent runs of every method."""
    seed: int = 0
    """Of all runs."""
    self_play_games: int = 20_000
    """Games of every self-play run."""
    self_play_exploration: float = 0.4
    """Of self-play; with much less, some runs stop at half a handshake (7.5)."""
    self_play_rate_exponent: float = 0.55
    """The n-th update of an entry moves it by n^-exponent; the other methods average (exponent 1)."""
    obl_games: int = 200_000
    """Games of every OBL level; enough for level 1 to be flat."""
    obl_temperature: float = 0.5
    """Softmax temperature of OBL."""
    hierarchy_games: int = 2_000
    """Games of every level of the cognitive hierarchy; with many more, it finds its exact values."""
    drift_levels: int = 6
    """Levels in the second part."""
    drift_noise: float = 0.1
    """Standard deviation of the errors of the Q-values in the second part."""

    def __post_init__(self) -> None:
        if self.runs < 2:
            raise UserError(f"Cross-play needs at least two runs, not {self.runs}.")


@dataclass(frozen=True, eq=False)
class Panel:
    """One cross-play matrix."""

    name: str
    crossplay: CrossPlay
    exact: float
    """Self-play value of the exact method."""


@dataclass(frozen=True, eq=False)
class Drift:
    """Self-play and cross-play by level for one remedy."""

    temperature: float
    belief_epsilon: float
    self_play: list[float]
    cross_play: list[float]


@dataclass(frozen=True, eq=False)
class ToyResults:
    """Everything the toy experiment found."""

    settings: ToySettings
    panels: list[Panel]
    drifts: list[Drift]
    exact: dict[str, list[float]]
    """Exact values of every method, by level where there are levels."""


def run_toy_experiment(
    settings: ToySettings | None = None, progress: Callable[[str, int, int], None] = lambda what, done, total: None
) -> ToyResults:
    """Run both parts.

    Args:
        settings: see `ToySettings`.
        progress: called with (what was done, steps done, steps in all).
    """
    settings = settings or ToySettings()
    tree = unroll(ToyCommunicationGame())
    exact = exact_values(tree)
    remedies = list(_remedies())
    total = settings.runs + len(remedies)
    runs = []
    for run in range(settings.runs):
        runs.append(_one_run(tree, settings, run))
        progress(f"run {run + 1} of {settings.runs}", run + 1, total)
    panels = [
        Panel(name, crossplay([policies[name] for policies in runs]), _exact_twin(name, exact)) for name in runs[0]
    ]
    drifts = []
    for done, (temperature, epsilon) in enumerate(remedies):
        drifts.append(_drift(tree, settings, temperature, epsilon))
        progress(f"T = {temperature:g}, eps = {epsilon:g}", settings.runs + done + 1, total)
    return ToyResults(settings, panels, drifts, exact)


def exact_values(tree: Tree) -> dict[str, list[float]]:
    """The values that every implementation must reproduce."""
    limit = OblSettings(temperature="limit")
    return {
        "random": [value(uniform_policy(tree))],
        "self-play optimum": [self_play_optimum(tree).value],
        "OBL": [value(level.policy) for level in obl_levels(tree, LEVELS, limit)],
        "CH": [value(policy) for policy in cognitive_hierarchy(tree, LEVELS)],
        "k-level": [value(policy) for policy in k_level(tree, LEVELS)],
    }


def _exact_twin(name: str, exact: dict[str, list[float]]) -> float:
    method, _, level = name.partition(" level ")
    return exact["self-play optimum"][0] if method == "SP" else exact[method][int(level) - 1]


def _one_run(tree: Tree, settings: ToySettings, run: int) -> dict[str, TabularPolicy]:
    """Learn every panel's policy once; a run's levels build on each other."""
    seeds = iter(np.random.default_rng((settings.seed, run)).integers(2**63, size=1 + 2 * LEVELS))
    self_play_settings = SampledSettings(
        games=settings.self_play_games,
        exploration=settings.self_play_exploration,
        rate_exponent=settings.self_play_rate_exponent,
    )
    learned = {"SP": self_play_q_learning(tree, self_play_settings, int(next(seeds))).policy}
    obl_settings = SampledSettings(games=settings.obl_games, temperature=settings.obl_temperature, rate_exponent=1.0)
    policy = uniform_policy(tree)
    for level in range(1, LEVELS + 1):
        policy = q_obl(policy, obl_settings, int(next(seeds))).policy
        learned[f"OBL level {level}"] = policy
    lower = [uniform_policy(tree)]
    hierarchy_settings = SampledSettings(games=settings.hierarchy_games, rate_exponent=1.0)
    for level in range(1, LEVELS + 1):
        weights = mixture_weights("uniform", len(lower))
        lower.append(learn_best_response(lower, weights, hierarchy_settings, int(next(seeds))).policy)
        learned[f"CH level {level}"] = lower[-1]
    return learned


def _remedies() -> Iterator[tuple[float, float]]:
    """(temperature, epsilon): first the paper's operator, then hotter, then with a mixed belief."""
    yield 0.05, 0.0
    for temperature in (0.5, 2.0, 4.0, 8.0):
        yield temperature, 0.0
    for epsilon in (1e-3, 1e-2, 1e-1):
        yield 0.05, epsilon


def _drift(tree: Tree, settings: ToySettings, temperature: float, epsilon: float) -> Drift:
    """Levels of independent runs whose Q-values carry independent errors."""
    obl_settings = OblSettings(temperature=temperature, belief_epsilon=epsilon)
    runs = []
    for run in range(2 * settings.runs):
        rng = np.random.default_rng((settings.seed, run, 1))

        def errors(level: int, rng: np.random.Generator = rng) -> np.ndarray:
            return rng.normal(0.0, settings.drift_noise, tree.num_entries)

        runs.append(obl_levels(tree, settings.drift_levels, obl_settings, noise=errors))
    results = [crossplay([levels[level].policy for levels in runs]) for level in range(settings.drift_levels)]
    return Drift(
        temperature,
        epsilon,
        [result.self_play.mean for result in results],
        [result.cross_play.mean for result in results],
    )


def as_json(results: ToyResults) -> dict[str, object]:
    """Everything as plain data for `--json` and results.json."""
    return {
        "settings": vars(results.settings),
        "exact": results.exact,
        "panels": [
            {
                "name": panel.name,
                **panel.crossplay.self_play.as_json("self_play"),
                **panel.crossplay.cross_play.as_json("cross_play"),
                "exact_self_play": panel.exact,
                "matrix": panel.crossplay.matrix.tolist(),
            }
            for panel in results.panels
        ],
        "drift": [vars(drift) for drift in results.drifts],
    }
