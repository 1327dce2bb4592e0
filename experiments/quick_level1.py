"""How good is level 1 after twelve CPU-minutes of one core? Three seeds of `obl-1-quick-2p`.

Example: python experiments/quick_level1.py --precision bfloat16

Finished runs are kept, and a stopped one is resumed; a run that `obl train obl-1-quick-2p --out
runs/quick-level1/seed-1` made counts as well. Writes benchmarks/results/quick_level1.json; `python
benchmarks/tables.py` puts the figures into docs/results/level-1.md. Run it on a core that does nothing else: a
CPU-minute on a crowded machine buys less.
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
from offbelief.learning.run import read_config

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "quick_level1.json"
PRESET = "obl-1-quick-2p"
GAMES, GAMES_SEED = 5000, 4_950_000
MINUTES = 12.0
"""A run is planned for so many by its first steps and may end a little later; what it had by then is told."""


def main() -> None:
    """Train what is missing, evaluate, write figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--precision", choices=["float32", "bfloat16"], default="float32", help="of matrix products")
    parser.add_argument("--games", type=int, default=GAMES, help="of every agent")
    parser.add_argument("--runs", type=Path, default=Path("runs") / "quick-level1", help="folder of the runs")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the figures go")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    preset = replace(find_preset(PRESET), precision=arguments.precision)
    result = {
        "preset": PRESET,
        "precision": arguments.precision,
        "games": arguments.games,
        "games_seed": GAMES_SEED,
        "machine": describe_machine(threads=1),
        "date": datetime.date.today().isoformat(),
        "runs": [
            play(train_once(arguments.runs / f"seed-{seed}", replace(preset, seed=seed)), seed, arguments.games)
            for seed in arguments.seeds
        ],
    }
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def play(folder: Path, seed: int, games: int) -> dict[str, Any]:
    """What a run came to."""
    last = last_line(folder)
    in_time = [line for line in read_metrics(folder) if line["cpu_minutes"] <= MINUTES][-1]
    return {
        "seed": seed,
        "steps": read_config(folder).steps,
        **self_play(str(folder), "full-2p", games, GAMES_SEED),
        "score_in_time": in_time["score"],
        "sem_in_time": round(in_time["sem"], 3),
        "minutes_in_time": round(in_time["cpu_minutes"], 2),
        "third_strike": last["third_strike"],
        "cpu_minutes": round(last["cpu_minutes"], 2),
    }


if __name__ == "__main__":
    main()
