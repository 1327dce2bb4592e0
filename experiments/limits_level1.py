"""What holds back the first minutes of level 1? One change at a time from the preset, so many steps each.

Example: python experiments/limits_level1.py

Trains `obl-1-2p` as it is, twice, to see what luck does, and with single changes of its network, its data, its
exploration, its targets and its discount. The belief of level 1 is exact, so it cannot be what is missing. Every run
has the same seed (the second one as it is has another) and the same number of steps, its schedules fitted to them; what
a change costs in time is written down beside what it scores.

Finished runs are kept, and a stopped one is resumed. Writes benchmarks/results/limits_level1.json; `python
benchmarks/tables.py` puts the figures into docs/results/level-1.md.
"""

import argparse
import datetime
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from running import last_line, self_play, train_once

from offbelief.agents.networks.cardwise import CardwiseSettings
from offbelief.learning.config import RunConfig
from offbelief.learning.presets import find_preset

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "limits_level1.json"
GAMES, GAMES_SEED = 5000, 4_950_000


@dataclass(frozen=True)
class Change:
    """A run that differs from the preset in one thing."""

    of: str
    what: str
    config: RunConfig


def changes() -> dict[str, Change]:
    """The runs, by name of their folder."""
    preset = find_preset("obl-1-2p")
    network, learner, fictitious = preset.network, preset.learner, preset.fictitious
    assert isinstance(network, CardwiseSettings)
    faster = replace(learner, learning_rate=2 * learner.learning_rate)
    return {
        "as-it-is": Change("", "the preset", preset),
        "as-it-is-again": Change("", "the preset, another seed", replace(preset, seed=preset.seed + 1)),
        "deeper": Change("network", "residual layers", replace(preset, network=replace(network, residual_width=384))),
        "wider": Change("network", "trunk of 512", replace(preset, network=replace(network, trunk_width=512))),
        "long-replay": Change(
            "data", "replay of 131,072", replace(preset, replay=replace(preset.replay, capacity=131_072))
        ),
        "more-exploration": Change(
            "exploration", "twice the rates", replace(preset, exploration=tuple(2 * r for r in preset.exploration))
        ),
        "short-targets": Change(
            "target", "lambda 0 throughout", replace(preset, fictitious=replace(fictitious, continuation=0.0))
        ),
        "two-worlds": Change(
            "target", "two worlds a state", replace(preset, fictitious=replace(fictitious, samples=2))
        ),
        "undiscounted": Change("discount", "1", replace(preset, fictitious=replace(fictitious, discount=1.0))),
        "short-sighted": Change("discount", "0.99", replace(preset, fictitious=replace(fictitious, discount=0.99))),
        "faster": Change("learning rate", "twice", replace(preset, learner=faster)),
    }


def main() -> None:
    """Train what is missing, evaluate, write figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1000, help="of every run")
    parser.add_argument("--games", type=int, default=GAMES, help="of every agent")
    parser.add_argument("--only", nargs="+", choices=list(changes()), help="train only these, and write nothing")
    parser.add_argument("--runs", type=Path, default=Path("runs") / "limits-level1", help="folder of the runs")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the figures go")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    found = []
    for name, change in changes().items():
        if name in (arguments.only or [name]):
            config = replace(change.config, steps=arguments.steps, evaluations=4)
            folder = train_once(arguments.runs / name, config)
            if not arguments.only:
                found.append({"of": change.of, "what": change.what, **play(folder, arguments.games)})
    if arguments.only:
        return
    result = {
        "steps": arguments.steps,
        "games": arguments.games,
        "games_seed": GAMES_SEED,
        "date": datetime.date.today().isoformat(),
        "runs": found,
    }
    arguments.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def play(folder: Path, games: int) -> dict[str, Any]:
    """What a run came to."""
    last = last_line(folder)
    return {
        **self_play(str(folder), "full-2p", games, GAMES_SEED),
        "third_strike": last["third_strike"],
        "loss": round(last["loss"], 3),
        "cpu_minutes": round(last["cpu_minutes"], 2),
    }


if __name__ == "__main__":
    main()
