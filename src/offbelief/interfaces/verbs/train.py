"""Train a policy by preset; the run is a folder that 'obl resume' goes on with.

PRESETS

Ctrl-C saves. At the end the folder holds agent.safetensors, and 'obl evaluate RUN' or 'obl report RUN' show it.

Example: obl train obl-1-2p --minutes 60 --seed 1
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from offbelief.agents.device import find_device
from offbelief.interfaces.training import configure, train_in_terminal
from offbelief.learning.presets import PRESETS
from offbelief.learning.run import create_run

_GROUPS = (
    "Mini Hanabi (two players, three colours, three ranks), a minute of one core",
    "Full Hanabi, an hour of one core",
    "What an agent's moves say about hidden cards: the belief that the next level learns from",
    "The paper's own settings, for a machine with a GPU",
)


def _group_of(preset: str) -> str:
    if preset.startswith("paper-"):
        return _GROUPS[3]
    if preset.startswith("belief-"):
        return _GROUPS[2]
    return _GROUPS[0] if preset.endswith("-mini") else _GROUPS[1]


def list_presets() -> str:
    """Every preset with its meaning, a line each, in groups."""
    width = max(map(len, PRESETS)) + 2
    lines = {name: f"  {name.ljust(width)}{meaning}" for name, (meaning, _) in PRESETS.items()}
    members = {group: [line for name, line in lines.items() if _group_of(name) == group] for group in _GROUPS}
    return "\n\n".join("\n".join([f"{group}:", *found]) for group, found in members.items() if found)


__doc__ = (__doc__ or "").replace("PRESETS", list_presets())


def _option(metavar: str, default: str) -> object:
    """How --help shows an option that may be left out."""
    return tyro.conf.arg(metavar=metavar, help_behavior_hint=f"(default: {default})")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """What to train, and for how long."""

    preset: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PRESET")]
    """Which settings to start from."""
    seed: int = 0
    """Of everything random in the run."""
    minutes: Annotated[float | None, _option("M", "the preset's")] = None
    """CPU-minutes to plan for; the schedules stretch with it."""
    steps: Annotated[int | None, _option("N", "what the minutes allow")] = None
    """An exact number of steps instead, which makes a run repeatable on any machine."""
    out: Annotated[Path | None, _option("RUN", "runs/PRESET-SEED")] = None
    """The run's folder."""
    threads: int = 1
    """Threads of the matrix products; two runs side by side are a better use of two cores."""
    device: str = "cpu"
    """Where the networks compute: cpu, or cuda for a GPU."""


def run(arguments: Arguments) -> int:
    """Make the run's folder and train."""
    device = find_device(arguments.device)
    config = configure(arguments.preset, seed=arguments.seed, minutes=arguments.minutes, steps=arguments.steps)
    folder = arguments.out or Path("runs") / f"{arguments.preset}-{arguments.seed}"
    create_run(folder, config)
    return train_in_terminal(folder, threads=arguments.threads, device=device)
