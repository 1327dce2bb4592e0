"""Put a finished run's agent into the zoo: weights, a card with its score, and its learning curve.

Example: python experiments/add_to_zoo.py runs/obl-1-2p-1 obl-1-a

The score is over 5,000 greedy games whose deals are used for nothing else; the weights are the averaged network at the
end of the run, never the best of several evaluations.
"""

import argparse
import datetime
import importlib.metadata
import json
import platform
import shutil
from pathlib import Path

import torch

from offbelief import __version__
from offbelief.agents.loading import NetworkAgent, load_agent
from offbelief.agents.memory_agent import MemoryAgent
from offbelief.evaluation.match import play_all_orders
from offbelief.learning.config import RunConfig
from offbelief.learning.run import read_config

ROOT = Path(__file__).parents[1]
ZOO = ROOT / "src" / "offbelief" / "agents" / "zoo"
CURVES = ROOT / "benchmarks" / "results" / "curves"
FINAL_SEED = 20_210_715
FINAL_GAMES = 5000


def main() -> None:
    """Evaluate the run, write the card, copy weights and curve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("name")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    agent = load_agent(str(arguments.run))
    assert isinstance(agent, NetworkAgent | MemoryAgent)
    config = read_config(arguments.run)
    assert isinstance(config, RunConfig)
    lines = (arguments.run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    players = agent.game.num_seats
    result = play_all_orders([agent] * players, agent.game.variant, FINAL_GAMES, FINAL_SEED)
    found = result.as_json()
    card = {
        "name": arguments.name,
        "game": config.game,
        "method": config.method,
        "command": f"obl train {config.preset} --seed {config.seed} --steps {config.steps}",
        "seed": config.seed,
        "steps": config.steps,
        "cpu_minutes": round(json.loads(lines[-1])["cpu_minutes"], 1),
        "score": round(result.mean, 3),
        "sem": round(result.sem, 3),
        "games": FINAL_GAMES,
        "games_seed": FINAL_SEED,
        "perfect": found["perfect"],
        "third_strike": found["bomb"],
        "knowledge": found["knowledge"],
        "parents": [name for name in (config.start_from, config.belief) if name],
        "versions": {
            "offbelief": __version__,
            "python": platform.python_version(),
            **{package: importlib.metadata.version(package) for package in ("numpy", "numba", "torch")},
        },
        "date": datetime.date.today().isoformat(),
    }
    CURVES.mkdir(parents=True, exist_ok=True)
    shutil.copy(arguments.run / "agent.safetensors", ZOO / f"{arguments.name}.safetensors")
    shutil.copy(arguments.run / "metrics.jsonl", CURVES / f"{arguments.name}.jsonl")
    (ZOO / f"{arguments.name}.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    print(f"{arguments.name}: {result.mean:.3f} ± {result.sem:.3f}")


if __name__ == "__main__":
    main()
