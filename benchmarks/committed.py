"""Committed results, and what the tables share in reading them."""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

RESULTS = ROOT / "benchmarks" / "results"

ZOO = ROOT / "src" / "offbelief" / "agents" / "zoo"

# Paper, Tables 1 and 3: self-play, mean and standard error over seeds.
PAPER = {
    ("obl-1", "full-2p"): "20.92 ± 0.07",
    ("obl-2", "full-2p"): "23.41 ± 0.03",
    ("obl-3", "full-2p"): "23.93 ± 0.01",
    ("obl-4", "full-2p"): "24.10 ± 0.01",
    ("obl-1", "full-3p"): "20.52 ± 0.05",
}

# Paper, Table 1: self-play and cross-play by level, full two-player game.
PAPER_LEVELS = {1: (20.92, 20.85), 2: (23.41, 23.24), 3: (23.93, 23.68), 4: (24.10, 23.76)}


def read(name: str) -> dict[str, Any]:
    """One file of results."""
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def knowledge(shares: dict[str, float]) -> str:
    """What was known of the cards that were played, in percent."""
    return " / ".join(f"{100 * shares[key]:.0f}" for key in ("both", "rank", "colour", "none"))


def mean(runs: list[dict[str, Any]], *path: str) -> float:
    """Mean over runs of what stands under these keys."""
    values = []
    for run in runs:
        value: Any = run
        for key in path:
            value = value[key]
        values.append(value)
    return float(sum(values) / len(values))
