"""What experiments share: a run is trained once, a stopped one goes on, and what it came to is measured one way."""

import json
from pathlib import Path
from typing import Any

from offbelief.agents.loading import load_agent
from offbelief.evaluation.match import play_all_orders
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.learning.run import Config, create_run, train


def train_once(folder: Path, config: Config) -> Path:
    """Train a run unless it is finished, and say what it came to; returns its folder."""
    if not (folder / "config.json").exists():
        create_run(folder, config)
    if not any((folder / f"{product}.safetensors").exists() for product in ("agent", "belief")):
        train(folder, report=lambda progress: print(f"{folder.name}: {progress.figures}", flush=True))
    return folder


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """The evaluations of a run."""
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]


def last_line(folder: Path) -> dict[str, Any]:
    """The last evaluation of a run."""
    return read_metrics(folder)[-1]


def self_play(agent: str, game: str, games: int, seed: int) -> dict[str, float]:
    """What an agent, by name or folder, scores with itself, and the error of that."""
    variant = HanabiVariant.parse(game)
    result = play_all_orders([load_agent(agent)] * variant.players, variant, games, seed)
    return {"score": round(result.mean, 3), "sem": round(result.sem, 3)}
