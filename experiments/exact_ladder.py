"""The deep ladder beside the exact one, on Hanabi variants whose whole tree fits: are levels 1 and 2 the same?

Example: python experiments/exact_ladder.py

On each variant a ladder is trained as `obl train` does it: level 1 from card counting, the belief of its moves, level 2
with memory from that belief. Beside it stand exact levels (Bellman form) from the same beliefs: the grounded one, then
that of level 1 exploring, as in the games of the deep belief. Everybody plays exp(Q / T) (Eq. 3), in imagined games, in
the games that beliefs are learned from, and when levels are compared: levels are unique for T > 0 only (Theorem 1). At
T = 0 a network breaks its ties by accident, and an exact reader takes these accidents for messages, so there is no one
level 2 to agree with. The exact level 2 is computed twice, on the exact level 1 and on the deep one (whose table the
tree gives us).

Deep levels are followed through every deal, move and draw (`evaluation/exact_play.py`), so no figure has a sampling
error. Compared is what a level earns with itself, and which share of its moves it would have to make otherwise to be
the exact level; level 1 held against level 2 says how much there was to learn.

Writes benchmarks/results/exact_ladder.json; `python benchmarks/tables.py` puts it into docs/games/hanabi.md. Takes a
quarter of an hour of one core and 6 GB.
"""

import argparse
import json
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from offbelief.agents.loading import NetworkAgent, load_agent
from offbelief.agents.networks.cardwise import CardwiseSettings
from offbelief.beliefs.exact import grounded_belief
from offbelief.beliefs.hand_model import HandModelSettings
from offbelief.evaluation.exact_play import follow_agent, tabulate_agent
from offbelief.games.hanabi.as_table import hanabi_tables
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.games.tree import unroll
from offbelief.learning.exact_baselines import value
from offbelief.learning.exact_obl import OblSettings, obl, obl_from_belief
from offbelief.learning.fictitious import FictitiousSettings
from offbelief.learning.ladder_presets import LADDER_PRESETS
from offbelief.learning.learner import LearnerSettings
from offbelief.learning.levels import LadderConfig, climb, create_ladder
from offbelief.learning.run import train

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "exact_ladder.json"
VARIANTS = {
    "2p-1c-3r-h2-i1-l2": "the forms differ",
    "2p-2c-2r-h3-i1-l1": "most trajectories",
    "2p-2c-2r-h1-i1-l1": "most histories",
}
BELIEF_RATE = 0.05
"""At which level 1 explores in the games that its belief is learned from."""
TEMPERATURE = 0.2
"""T of all policies. Errors of values, hundredths of a point, then matter little, and levels 1 and 2 still differ."""


WORLDS = 4
"""Imagined worlds per state: what differs between a deep level and its exact twin is mostly noise of the targets."""


@dataclass(frozen=True)
class Steps:
    """How long each rung is trained."""

    first: int = 3000
    """Level 1."""
    belief: int = 3000
    """Its belief."""
    second: int = 3000
    """Level 2."""


def small_ladder(name: str, steps: Steps, seed: int) -> LadderConfig:
    """The ladder of `mini` without continuation and discount: the Bellman form (Eq. 4)."""
    mini = LADDER_PRESETS["ladder-mini"][1]()
    learner = LearnerSettings(average_rate=0.01)
    changes: dict[str, Any] = {
        "game": name,
        "evaluations": 1,
        "evaluation_games": 10,
        "exploration": (0.05, 0.3, 1.0),
        "fictitious": FictitiousSettings(
            continuation=0.0, max_rounds=0, discount=1.0, temperature=TEMPERATURE, samples=WORLDS
        ),
        "learner": learner,
        "network": CardwiseSettings(slope=0.1),
    }
    return replace(
        mini,
        levels=2,
        seed=seed,
        first=replace(mini.first, steps=steps.first, **changes),
        belief=replace(
            mini.belief,
            game=name,
            steps=steps.belief,
            evaluations=1,
            exploration=(BELIEF_RATE,),
            temperature=TEMPERATURE,
            average_rate=0.01,
            model=HandModelSettings(slope=0.1),
        ),
        policy=replace(mini.policy, steps=steps.second, **changes),
    )


def compare(name: str, folder: Path, *, steps: Steps | None = None, seed: int = 0) -> dict[str, Any]:
    """Train the ladder of a variant into a folder and set it beside the exact one."""
    steps = steps or Steps()
    started = time.process_time()
    create_ladder(folder, small_ladder(name, steps, seed))
    climb(folder, lambda run: train(run, report=lambda progress: None))
    trained = time.process_time()
    variant = HanabiVariant.parse(name)
    small = hanabi_tables(variant)
    tree = unroll(small.tables)
    settings = OblSettings(operator="bellman", temperature=TEMPERATURE, belief_epsilon=BELIEF_RATE)
    first, second = (load_agent(str(folder / f"level-{level}"), temperature=TEMPERATURE) for level in (1, 2))
    assert isinstance(first, NetworkAgent)
    exact_first = obl_from_belief(grounded_belief(tree), settings)
    exact_second = obl(exact_first.policy, settings)
    exact_on_deep = obl(tabulate_agent(small, tree, first, variant), settings)
    followed, followed_second = (follow_agent(small, tree, agent, variant) for agent in (first, second))
    row = {
        "variant": name,
        "why": VARIANTS.get(name, ""),
        "trajectories": tree.num_nodes,
        "histories": tree.num_histories,
        "belief_rate": BELIEF_RATE,
        "temperature": TEMPERATURE,
        "steps": [steps.first, steps.belief, steps.second],
        "seed": seed,
        "exact_1": value(exact_first.policy),
        "deep_1": followed.earned,
        "exact_2": value(exact_second.policy),
        "exact_2_on_deep_1": value(exact_on_deep.policy),
        "deep_2": followed_second.earned,
        "distance_1": followed.distance(exact_first.policy),
        "distance_2": followed_second.distance(exact_on_deep.policy),
        "distance_of_1_from_2": followed.distance(exact_on_deep.policy),
    }
    measured = time.process_time()
    return {
        **row,
        "training_cpu_seconds": round(trained - started, 1),
        "exact_cpu_seconds": round(measured - trained, 1),
    }


def main() -> None:
    """Compare on every variant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", default=list(VARIANTS), help="other variants than the usual")
    parser.add_argument("--steps", type=int, nargs=3, help="of level 1, its belief and level 2")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    steps = Steps(*arguments.steps) if arguments.steps else None
    rows = []
    for name in arguments.variants:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(compare(name, Path(folder) / "ladder", steps=steps, seed=arguments.seed))
        print(json.dumps(rows[-1]), flush=True)
        arguments.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
