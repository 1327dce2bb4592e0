"""How much do small errors of level 1 matter to level 2? The exact ladder of a small Hanabi, with noise in level 1.

Example: python experiments/level_drift.py

Level 1 is exact, but its values are off by a little, as a network's are: independent noise for every history and move.
Everything above is exact again. Runs differ in their noise alone. What does level 2 earn with itself, and what with
the level 2 of another run? At a low temperature noise decides between moves that are nearly tied, differently for every
hand that is seen, and an exact reader takes that for messages: a private convention of the run.

Writes benchmarks/results/level_drift.json; `python benchmarks/tables.py` puts it into docs/games/hanabi.md. Takes a
minute.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from offbelief.beliefs.exact import grounded_belief
from offbelief.evaluation.crossplay import crossplay
from offbelief.games.hanabi.as_table import hanabi_tables
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.games.tree import Tree, unroll
from offbelief.learning.backward import policy_from_q_values
from offbelief.learning.exact_baselines import value
from offbelief.learning.exact_obl import OblLevel, OblSettings, obl, obl_from_belief

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "level_drift.json"
VARIANT = "2p-1c-3r-h2-i1-l2"
TEMPERATURES = (0.05, 0.1, 0.2, 0.3)
NOISES = (0.01, 0.03)
BELIEF_RATES = (0.05, 0.5)


def main() -> None:
    """Disturb, climb, pair."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=6, help="that differ in their noise")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    tree = unroll(hanabi_tables(HanabiVariant.parse(VARIANT)).tables)
    rows = []
    for rate in BELIEF_RATES:
        for temperature in TEMPERATURES:
            settings = OblSettings(operator="bellman", temperature=temperature, belief_epsilon=rate)
            rows.append(disturb(tree, settings, NOISES, arguments.runs))
            print(json.dumps(rows[-1]), flush=True)
    found = {"variant": VARIANT, "histories": tree.num_histories, "runs": arguments.runs, "rows": rows}
    arguments.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def disturb(tree: Tree, settings: OblSettings, noises: Sequence[float], runs: int) -> dict[str, Any]:
    """What levels 1 and 2 earn exactly, and what levels 2 on noisy levels 1 earn alone and with each other."""
    first = obl_from_belief(grounded_belief(tree), settings)
    return {
        "belief_rate": settings.belief_epsilon,
        "temperature": settings.temperature,
        "level_1": value(first.policy),
        "level_2": value(obl(first.policy, settings).policy),
        "noisy": [pair_noisy(first, settings, noise, runs) for noise in noises],
    }


def pair_noisy(first: OblLevel, settings: OblSettings, noise: float, runs: int) -> dict[str, float]:
    """Runs whose level 1 is off by noise of its own."""
    tree, temperature = first.policy.tree, settings.temperature
    assert not isinstance(temperature, str)
    draws = [np.random.default_rng(run).normal(0.0, noise, tree.num_entries) for run in range(runs)]
    noisy = [policy_from_q_values(tree, first.q_values + draw, temperature) for draw in draws]
    result = crossplay([obl(policy, settings).policy for policy in noisy])
    return {
        "noise": noise,
        "level_1": float(np.mean([value(policy) for policy in noisy])),
        "self_play": result.self_play.mean,
        "cross_play": result.cross_play.mean,
    }


if __name__ == "__main__":
    main()
