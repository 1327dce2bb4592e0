"""What experiments share: a run is trained once, and a stopped one goes on."""

import json
from pathlib import Path
from typing import Any

from offbelief.learning.run import Config, create_run, train


def train_once(folder: Path, config: Config) -> Path:
    """Train a run unless it is finished, and say what it came to; returns its folder."""
    if not (folder / "config.json").exists():
        create_run(folder, config)
    if not any((folder / f"{product}.safetensors").exists() for product in ("agent", "belief")):
        train(folder, report=lambda progress: print(f"{folder.name}: {progress.figures}", flush=True))
    return folder


def last_line(folder: Path) -> dict[str, Any]:
    """The last evaluation of a run."""
    last: dict[str, Any] = json.loads((folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    return last
