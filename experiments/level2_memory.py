"""Which memory does a policy of level 2 need? Policies that differ in nothing else, on `mini`.

Example: python experiments/level2_memory.py

One level 1 and its belief are trained first. Then level 2 is trained from fresh weights on that belief, on one core, by

    nothing      the card-wise network on the present position alone
    last-move    the same, and the last move
    records      the same, and the public record of every card and seat (`games/hanabi/memory.py`), as ladders use it
    card-gru     a small recurrent memory of every card (`agents/networks/card_memory.py`)
    public-lstm  the paper's public-LSTM, at a width that a core can train

The last two learn from whole games and slowly, so they get three times the CPU-minutes. `--kinds` trains some of them
only, with more seeds for instance. Finished runs are kept and count, and a stopped one is resumed. Writes
benchmarks/results/level2_memory.json; `python benchmarks/tables.py` puts the figures into docs/methods/ladder.md.
"""

import argparse
import datetime
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from running import last_line, self_play, train_once

from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.beliefs.hanabi_game import ViewSettings
from offbelief.learning.config import RunConfig
from offbelief.learning.ladder_presets import LADDER_PRESETS
from offbelief.learning.learner import LearnerSettings
from offbelief.learning.replay import ReplaySettings

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "level2_memory.json"
GAMES, GAMES_SEED = 5000, 4_900_000
RECURRENT_SHARE = 3
"""How many times the minutes of the others recurrent networks get."""
# Every sequence is learned from about twice, at a learning rate that such a small LSTM bears.
_SEQUENCES: dict[str, Any] = {
    "view": ViewSettings(),
    "batch_size": 32,
    "replay": ReplaySettings(capacity=4096),
    "updates_per_step": 2,
    "learner": LearnerSettings(learning_rate=2e-3, final_learning_rate=2e-4, average_rate=0.01, target_rate=0.02),
    "network": RecurrentSettings(width=64, lstm_layers=1, private_layers=2),
}


def kinds(level_2: RunConfig) -> dict[str, RunConfig]:
    """What is compared."""
    slowly: dict[str, Any] = {**_SEQUENCES, "minutes": RECURRENT_SHARE * level_2.minutes}
    return {
        "nothing": replace(level_2, view=ViewSettings()),
        "last-move": replace(level_2, view=ViewSettings(last_move=True)),
        "records": replace(level_2, view=ViewSettings(memory=True)),
        "card-gru": replace(level_2, **{**slowly, "network": replace(_SEQUENCES["network"], memory="card-gru")}),
        "public-lstm": replace(level_2, **slowly),
    }


def main() -> None:
    """Train what is missing, evaluate, write figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1, help="of every kind trained")
    parser.add_argument("--minutes", type=float, default=3.0, help="CPU-minutes of a level 2 without recurrence")
    parser.add_argument("--kinds", nargs="+", help="train only these; others count as far as they are finished")
    parser.add_argument("--games", type=int, default=GAMES, help="of every agent")
    parser.add_argument("--runs", type=Path, default=Path("runs") / "level2-memory", help="folder of the runs")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the figures go")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    ladder = LADDER_PRESETS["ladder-mini"][1]()
    first = train_once(arguments.runs / "level-1", ladder.first)
    belief = train_once(arguments.runs / "belief-1", replace(ladder.belief, of=str(first)))
    level_2 = replace(ladder.policy, belief=str(belief), minutes=arguments.minutes)
    compared = kinds(level_2)
    for seed in range(arguments.seeds):
        for name in arguments.kinds or compared:
            train_once(arguments.runs / f"{name}-{seed}", replace(compared[name], seed=seed))
    found = {
        "game": "mini",
        "minutes": arguments.minutes,
        "games": arguments.games,
        "games_seed": GAMES_SEED,
        "date": datetime.date.today().isoformat(),
        "level_1": play(first, arguments.games),
        "kinds": {
            name: [
                play(weights.parent, arguments.games)
                for weights in sorted(arguments.runs.glob(f"{name}-[0-9]*/agent.safetensors"))
            ]
            for name in compared
        },
    }
    arguments.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def play(folder: Path, games: int) -> dict[str, Any]:
    """What a run came to."""
    last = last_line(folder)
    return {
        **self_play(str(folder), "mini", games, GAMES_SEED),
        "cpu_minutes": round(last["cpu_minutes"], 2),
        "transitions": last["transitions"],
    }


if __name__ == "__main__":
    main()
