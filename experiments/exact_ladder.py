"""The deep ladder beside the exact one, on Hanabi variants whose whole tree fits: do levels 1 and 2 earn the same?

Example: python experiments/exact_ladder.py

On each variant a ladder is trained as `obl train` does it: level 1 from card counting, the belief of its moves, level 2
with memory from that belief. Beside it stand exact levels (Bellman form, T -> 0) from the same beliefs: the grounded
one, then that of level 1 playing softly (exp(Q / T)) and exploring, as in the games of the deep belief. Compared is
what each level earns with itself. Level 1 has ties. A network that plays its best move breaks them by accident, and the
accidents tell an exact reader much that no other level 1 would mean; levels are unique only for T > 0 (Theorem 1). The
exact level 2 is computed twice, on the exact level 1 and on the deep one (whose table the tree gives us).

Values of deep levels are exact too: their greedy moves are followed through every deal (`evaluation/exact_play.py`).
What a level earns with itself is not what it maximises, though: that is what it earns in the imagined world of its
belief. So each deep level is also judged by the exact values of its own level, level 2 by those built on the deep level
1: what do its moves give up on average? Level 1's moves judged by level 2's values say how much there was to learn.

Writes benchmarks/results/exact_ladder.json; `python benchmarks/tables.py` puts it into docs/games/hanabi.md. Takes a
quarter of an hour of one core and 4 GB.
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
BELIEF_TEMPERATURE = 0.3
"""Of its other moves there. The errors of its values, hundredths of a point, then matter less."""


@dataclass(frozen=True)
class Steps:
    """How long each rung is trained."""

    first: int = 600
    """Level 1."""
    belief: int = 1500
    """Its belief."""
    second: int = 900
    """Level 2."""


USUAL_STEPS = {
    "2p-2c-2r-h3-i1-l1": Steps(3000, 3000, 3000),
    "2p-2c-2r-h1-i1-l1": Steps(3000, 3000, 3000),
}
"""Where more are needed."""


def small_ladder(name: str, steps: Steps, seed: int) -> LadderConfig:
    """The ladder of `mini` with smaller networks, without continuation and discount: the Bellman form (Eq. 4)."""
    mini = LADDER_PRESETS["ladder-mini"][1]()
    learner = LearnerSettings(average_rate=0.01)
    changes: dict[str, Any] = {
        "game": name,
        "evaluations": 1,
        "evaluation_games": 10,
        "exploration": (0.05, 0.3, 1.0),
        "fictitious": FictitiousSettings(continuation=0.0, max_rounds=0, discount=1.0),
        "learner": learner,
        "network": CardwiseSettings(card_width=48, trunk_width=96, head_width=32),
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
            temperature=BELIEF_TEMPERATURE,
            average_rate=0.01,
            model=HandModelSettings(card_width=32, trunk_width=64, head_width=32, older_width=16),
        ),
        policy=replace(mini.policy, steps=steps.second, **changes),
    )


def compare(name: str, folder: Path, *, steps: Steps | None = None, seed: int = 0) -> dict[str, Any]:
    """Train the ladder of a variant into a folder and set it beside the exact one."""
    steps = steps or USUAL_STEPS.get(name, Steps())
    started = time.process_time()
    create_ladder(folder, small_ladder(name, steps, seed))
    climb(folder, lambda run: train(run, report=lambda progress: None))
    trained = time.process_time()
    variant = HanabiVariant.parse(name)
    small = hanabi_tables(variant)
    tree = unroll(small.tables)
    settings = OblSettings(operator="bellman", temperature="limit", belief_epsilon=BELIEF_RATE)
    soft = replace(settings, temperature=BELIEF_TEMPERATURE)
    first, second = load_agent(str(folder / "level-1")), load_agent(str(folder / "level-2"))
    soft_first = load_agent(str(folder / "level-1"), temperature=BELIEF_TEMPERATURE)
    assert isinstance(soft_first, NetworkAgent)
    grounded = grounded_belief(tree)
    exact_first = obl_from_belief(grounded, settings)
    exact_second = obl(tabulate_agent(small, tree, soft_first, variant), settings)
    followed, followed_second = (follow_agent(small, tree, agent, variant) for agent in (first, second))
    row = {
        "variant": name,
        "why": VARIANTS.get(name, ""),
        "trajectories": tree.num_nodes,
        "histories": tree.num_histories,
        "belief_rate": BELIEF_RATE,
        "belief_temperature": BELIEF_TEMPERATURE,
        "steps": [steps.first, steps.belief, steps.second],
        "seed": seed,
        "exact_1": value(exact_first.policy),
        "deep_1": followed.earned,
        "exact_2": value(obl(obl_from_belief(grounded, soft).policy, settings).policy),
        "exact_2_on_deep_1": value(exact_second.policy),
        "deep_2": followed_second.earned,
        "regret_per_move_1": followed.regret_per_move(tree, exact_first.q_values),
        "regret_per_move_2": followed_second.regret_per_move(tree, exact_second.q_values),
        "regret_per_move_of_1_as_2": followed.regret_per_move(tree, exact_second.q_values),
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
