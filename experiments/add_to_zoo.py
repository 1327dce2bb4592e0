"""Put finished runs into the zoo: weights, a card with the score, and the learning curve.

Examples: python experiments/add_to_zoo.py runs/obl-1-2p-1 obl-1-a
          python experiments/add_to_zoo.py runs/ladder-a a

A ladder's folder adds every finished rung: agents `obl-2-a`, `obl-3-a`, ... and their beliefs `belief-1-a`, ...; those
in the zoo already are left alone. Scores are over 5,000 greedy games whose deals are used for nothing else; the weights
are the averaged network at the end of a run, never the best of several evaluations.
"""

import argparse
import datetime
import importlib.metadata
import json
import platform
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from running import last_line

from offbelief import __version__
from offbelief.agents.checkpoint import load_tensors, save_tensors
from offbelief.agents.loading import NetworkAgent, load_agent
from offbelief.agents.memory_agent import MemoryAgent
from offbelief.evaluation.match import play_all_orders
from offbelief.learning.belief_config import BeliefConfig
from offbelief.learning.config import RunConfig
from offbelief.learning.levels import ladder_command, read_ladder
from offbelief.learning.run import read_config, write_config

ROOT = Path(__file__).parents[1]
ZOO = ROOT / "src" / "offbelief" / "agents" / "zoo"
CURVES = ROOT / "benchmarks" / "results" / "curves"
FINAL_SEED = 20_210_715
FINAL_GAMES = 5000


def main() -> None:
    """Add a run, or what is finished of a ladder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="of a run or a ladder")
    parser.add_argument("name", help="of the agent; of a ladder, the letter behind its agents' names")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    CURVES.mkdir(parents=True, exist_ok=True)
    if (arguments.folder / "ladder.json").exists():
        add_ladder(arguments.folder, arguments.name)
    else:
        add_agent(arguments.folder, arguments.name, {})


def add_ladder(folder: Path, letter: str) -> None:
    """Add every finished rung; their weights name each other as the zoo does."""
    ladder = read_ladder(folder)
    names = {str(folder / f"level-{level}"): f"obl-{level}-{letter}" for level in range(1, ladder.levels + 1)}
    names |= {str(folder / f"belief-{level}"): f"belief-{level}-{letter}" for level in range(1, ladder.levels)}
    for path, name in names.items():
        run = Path(path)
        if (run / "agent.safetensors").exists() and not (ZOO / f"{name}.json").exists():
            add_agent(run, name, names)
        if (run / "belief.safetensors").exists() and not (ZOO / "beliefs" / f"{name}.json").exists():
            add_belief(run, name, names)


def add_agent(run: Path, name: str, names: dict[str, str]) -> None:
    """Evaluate a run's agent, write its card, copy weights and curve; names of its parents are translated."""
    agent = load_agent(str(run))
    assert isinstance(agent, NetworkAgent | MemoryAgent)
    config = read_config(run)
    assert isinstance(config, RunConfig)
    parents = [names.get(parent, parent) for parent in (config.start_from, config.belief)]
    config = replace(config, start_from=parents[0], belief=parents[1])
    result = play_all_orders([agent] * agent.game.num_seats, agent.game.variant, FINAL_GAMES, FINAL_SEED)
    found = result.as_json()
    card = {
        **describe(run, name, config),
        "method": config.method,
        "score": round(result.mean, 3),
        "sem": round(result.sem, 3),
        "games": FINAL_GAMES,
        "games_seed": FINAL_SEED,
        "perfect": found["perfect"],
        "third_strike": found["bomb"],
        "knowledge": found["knowledge"],
        "parents": [parent for parent in parents if parent],
    }
    put(run / "agent.safetensors", ZOO / f"{name}.safetensors", config, card)
    shutil.copy(run / "metrics.jsonl", CURVES / f"{name}.jsonl")
    print(f"{name}: {result.mean:.3f} ± {result.sem:.3f}", flush=True)


def add_belief(run: Path, name: str, names: dict[str, str]) -> None:
    """Write a belief's card and copy its weights; names of its parents are translated."""
    config = read_config(run)
    assert isinstance(config, BeliefConfig)
    begun = names.get(config.start_from, config.start_from)
    config = replace(config, of=names.get(config.of, config.of), start_from=begun)
    last = last_line(run)
    card = {
        **describe(run, name, config),
        "nats_a_card": round(last["nats"], 4),
        "nats_a_card_grounded": round(last["grounded_nats"], 4),
        "parents": [parent for parent in (config.of, begun) if parent],
    }
    (ZOO / "beliefs").mkdir(exist_ok=True)
    put(run / "belief.safetensors", ZOO / "beliefs" / f"{name}.safetensors", config, card)
    print(f"{name}: {last['nats']:.3f} nats a card, {last['grounded_nats']:.3f} grounded", flush=True)


def describe(run: Path, name: str, config: RunConfig | BeliefConfig) -> dict[str, Any]:
    """What every card says. The weights hold all settings, so a run can be repeated when presets have changed.

    A rung of a ladder also names the one command that climbed it.
    """
    return {
        "name": name,
        "game": config.game,
        "preset": config.preset,
        "command": f"obl train {name} --seed {config.seed} --steps {config.steps}",
        **({"ladder": ladder_command(read_ladder(run.parent))} if (run.parent / "ladder.json").exists() else {}),
        "seed": config.seed,
        "steps": config.steps,
        "cpu_minutes": round(last_line(run)["cpu_minutes"], 1),
        "versions": {
            "offbelief": __version__,
            "python": platform.python_version(),
            **{package: importlib.metadata.version(package) for package in ("numpy", "numba", "torch")},
        },
        "date": datetime.date.today().isoformat(),
    }


def put(weights: Path, place: Path, config: RunConfig | BeliefConfig, card: dict[str, Any]) -> None:
    """Copy weights with the config that the zoo knows, and write the card beside them."""
    tensors, metadata = load_tensors(weights)
    save_tensors(place, tensors, {**metadata, "config": json.loads(write_config(config))})
    place.with_suffix(".json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
