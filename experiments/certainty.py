"""What weights of certainty are worth: level 1 of the full game, the same seed and steps, with and without.

Example: python experiments/certainty.py --precision bfloat16

Trains `obl-1-2p` for a few minutes with every power of the variance (`learner.certainty`; 0 weighs all errors
alike), and a learning rate that stays high, since so short a run has no time to settle. Finished runs are kept, and a
stopped one is resumed. Writes benchmarks/results/certainty.json; `python benchmarks/tables.py` puts the figures into
docs/methods/deep-obl.md.
"""

import argparse
import datetime
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from running import last_line, read_metrics, self_play, train_once

from offbelief.interfaces.bench.timing import describe_machine
from offbelief.learning.presets import find_preset

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "certainty.json"
PRESET = "obl-1-2p"
FLOOR = 0.1
FINAL_LEARNING_RATE = 2.5e-4
GAMES, GAMES_SEED = 5000, 4_960_000


def main() -> None:
    """Train what is missing, evaluate, write figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--powers", type=float, nargs="+", default=[0.0, 0.75], help="of the variance")
    parser.add_argument("--steps", type=int, default=1200, help="of every run")
    parser.add_argument("--seed", type=int, default=1, help="of every run")
    parser.add_argument("--precision", choices=["float32", "bfloat16"], default="float32", help="of matrix products")
    parser.add_argument("--games", type=int, default=GAMES, help="of every agent")
    parser.add_argument("--runs", type=Path, default=Path("runs") / "certainty", help="folder of the runs")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the figures go")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    preset = replace(
        find_preset(PRESET), steps=arguments.steps, seed=arguments.seed, precision=arguments.precision, evaluations=4
    )
    rows = []
    for power in arguments.powers:
        learner = replace(
            preset.learner, certainty=power, certainty_floor=FLOOR, final_learning_rate=FINAL_LEARNING_RATE
        )
        folder = train_once(arguments.runs / f"power-{power:g}", replace(preset, learner=learner))
        rows.append({"certainty": power, **describe(folder, arguments.games)})
    powers = " ".join(f"{power:g}" for power in arguments.powers)
    result = {
        "command": f"python experiments/certainty.py --powers {powers} --steps {arguments.steps} "
        f"--seed {arguments.seed} --precision {arguments.precision}",
        "steps": arguments.steps,
        "games": arguments.games,
        "games_seed": GAMES_SEED,
        "machine": describe_machine(threads=1),
        "date": datetime.date.today().isoformat(),
        "runs": rows,
    }
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def describe(folder: Path, games: int) -> dict[str, Any]:
    """What a run came to, and on the way."""
    return {
        **self_play(str(folder), "full-2p", games, GAMES_SEED),
        "on_the_way": [{"step": line["step"], "score": line["score"]} for line in read_metrics(folder)],
        "third_strike": last_line(folder)["third_strike"],
        "cpu_minutes": round(last_line(folder)["cpu_minutes"], 2),
    }


if __name__ == "__main__":
    main()
