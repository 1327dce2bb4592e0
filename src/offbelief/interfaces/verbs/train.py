"""Train a policy by preset; the run is a folder that 'obl resume' goes on with.

PRESETS

Example: obl train obl-1-2p --minutes 60 --seed 1
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import tyro

from offbelief.interfaces.training import train_in_terminal
from offbelief.learning.presets import PRESETS, find_preset
from offbelief.learning.run import create_run

__doc__ = (__doc__ or "").replace(
    "PRESETS", "\n\n".join(f"- {name}: {meaning}." for name, (meaning, _) in PRESETS.items())
)


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """What to train, and for how long."""

    preset: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PRESET")]
    """Which settings to start from."""
    seed: int = 0
    """Of everything random in the run."""
    minutes: float | None = None
    """CPU-minutes to plan for; the schedules stretch with it."""
    steps: int | None = None
    """An exact number of steps instead, which makes a run repeatable on any machine."""
    out: Path | None = None
    """The run's folder; runs/PRESET-SEED if left out."""
    threads: int = 1
    """Threads of the matrix products; two runs side by side are a better use of two cores."""
    device: str = "cpu"
    """Where the networks compute: cpu, or cuda for a GPU."""


def run(arguments: Arguments) -> int:
    """Make the run's folder and train."""
    config = replace(find_preset(arguments.preset), seed=arguments.seed)
    if arguments.minutes is not None:
        config = replace(config, minutes=arguments.minutes)
    if arguments.steps is not None:
        config = replace(config, steps=arguments.steps)
    folder = arguments.out or Path("runs") / f"{arguments.preset}-{arguments.seed}"
    create_run(folder, config)
    return train_in_terminal(folder, threads=arguments.threads, device=arguments.device)
