"""What holds a level 2 back: the belief it reads, the weights it began with, or the network? The full two-player game.

Example: python experiments/level2_limits.py

Two levels 2 of the zoo had stopped learning at different scores. Each goes on for a while on a belief, its own or that
of the other climb, with the same network or a deeper one (residual layers, which begin as nothing). If the belief
decides, each should move towards the other's score on the other's belief; if the network does, depth should help.

Finished runs are kept, and a stopped one is resumed. Writes benchmarks/results/level2_limits.json; `python
benchmarks/tables.py` puts the figures into docs/results/ladder.md. Takes about 25 CPU-minutes of one core.
"""

import argparse
import datetime
import json
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from running import last_line, self_play, train_once

from offbelief.agents.networks.cardwise import CardwiseSettings
from offbelief.learning.building import network_of
from offbelief.learning.config import RunConfig
from offbelief.learning.ladder_presets import LADDER_PRESETS

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "level2_limits.json"
GAMES, GAMES_SEED = 5000, 4_970_000


@dataclass(frozen=True, kw_only=True)
class Trial:
    """How an agent goes on."""

    start: str
    belief: str
    steps: int
    learning_rate: float
    residual_width: int = 0


TRIALS = {
    "c-on-its-own": Trial(start="obl-2-shallow-c", belief="belief-1-c", steps=900, learning_rate=4e-4),
    "c-on-the-other": Trial(start="obl-2-shallow-c", belief="belief-1-a", steps=700, learning_rate=2e-4),
    "a-on-the-other": Trial(start="obl-2-a", belief="belief-1-c", steps=500, learning_rate=2e-4),
    "c-deeper": Trial(start="obl-2-shallow-c", belief="belief-1-c", steps=900, learning_rate=4e-4, residual_width=384),
}


def trial_config(trial: Trial) -> RunConfig:
    """The run of a trial: level 2 of a ladder with lambda 0.7 throughout, and less exploration."""
    policy = LADDER_PRESETS["ladder-2p"][1]().policy
    network = network_of(trial.start)
    assert isinstance(network, CardwiseSettings)
    return replace(
        policy,
        network=replace(network, residual_width=trial.residual_width),
        start_from=trial.start,
        belief=trial.belief,
        steps=trial.steps,
        seed=9,
        evaluations=5,
        exploration=(0.0, 0.015, 0.035, 0.1),
        learner=replace(policy.learner, learning_rate=trial.learning_rate, final_learning_rate=3e-5),
        fictitious=replace(policy.fictitious, final_continuation=0.7),
    )


def main() -> None:
    """Train what is missing, evaluate, write figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=GAMES, help="of every agent")
    parser.add_argument("--runs", type=Path, default=Path("runs") / "level2-limits", help="folder of the runs")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the figures go")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    starts = dict.fromkeys(trial.start for trial in TRIALS.values())
    found = {
        "games": arguments.games,
        "games_seed": GAMES_SEED,
        "date": datetime.date.today().isoformat(),
        "before": {start: self_play(start, "full-2p", arguments.games, GAMES_SEED) for start in starts},
        "trials": [],
    }
    for name, trial in TRIALS.items():
        folder = train_once(arguments.runs / name, trial_config(trial))
        row = {**vars(trial), **self_play(str(folder), "full-2p", arguments.games, GAMES_SEED)}
        found["trials"].append({**row, "cpu_minutes": round(last_line(folder)["cpu_minutes"], 1)})
    arguments.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
