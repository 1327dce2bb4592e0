"""What weights of certainty and a learning rate that stays high are worth: level 1 of the full game, one change a row.

Example: python experiments/learner_settings.py --precision bfloat16

Trains `obl-1-2p` for a few minutes as it is, and with one setting of its learner changed at a time, on the same seeds.
Finished runs are kept, and a stopped one is resumed. Writes benchmarks/results/learner_settings.json; `python
benchmarks/tables.py` puts the figures into docs/methods/deep-obl.md.
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
RESULTS = ROOT / "benchmarks" / "results" / "learner_settings.json"
PRESET = "obl-1-2p"
TRIALS: dict[str, dict[str, float]] = {
    "as-it-is": {},
    "all-alike": {"certainty": 0.0},
    "falls-low": {"final_learning_rate": 3e-5},
    "stays": {"final_learning_rate": 6e-4},
}
"""What each trial changes of the preset's learner."""
GAMES, GAMES_SEED = 5000, 4_960_000


def main() -> None:
    """Train what is missing, evaluate, write figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=3000, help="of every run")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="of the runs")
    parser.add_argument("--precision", choices=["float32", "bfloat16"], default="float32", help="of matrix products")
    parser.add_argument("--games", type=int, default=GAMES, help="of every agent")
    parser.add_argument("--runs", type=Path, default=Path("runs") / "learner-settings", help="folder of the runs")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the figures go")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    preset = replace(find_preset(PRESET), steps=arguments.steps, precision=arguments.precision, evaluations=6)
    rows = []
    for trial, changes in TRIALS.items():
        learner = replace(preset.learner, **changes)
        for seed in arguments.seeds:
            folder = train_once(arguments.runs / f"{trial}-{seed}", replace(preset, seed=seed, learner=learner))
            rows.append({"trial": trial, "seed": seed, "changes": changes, **describe(folder, arguments.games)})
    seeds = " ".join(str(seed) for seed in arguments.seeds)
    result = {
        "command": f"python experiments/learner_settings.py --steps {arguments.steps} --seeds {seeds} "
        f"--precision {arguments.precision}",
        "preset": PRESET,
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
