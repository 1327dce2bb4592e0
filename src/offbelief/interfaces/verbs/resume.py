"""Go on with a run or a ladder that was stopped, exactly where it stopped.

Example: obl resume runs/obl-1-2p-0
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from offbelief.agents.device import find_device
from offbelief.interfaces.training import climb_in_terminal, train_in_terminal
from offbelief.nouns import UserError


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Which run."""

    run: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN")]
    """The run's folder."""
    threads: int = 1
    """Threads of the matrix products."""
    device: str = "cpu"
    """Where the networks compute: cpu, or cuda for a GPU."""


def run(arguments: Arguments) -> int:
    """Train on."""
    if (arguments.run / "ladder.json").exists():
        return climb_in_terminal(arguments.run, threads=arguments.threads, device=find_device(arguments.device))
    if not (arguments.run / "config.json").exists():
        raise UserError(f"{arguments.run} is no run: it holds no config.json; start one with 'obl train PRESET'.")
    return train_in_terminal(arguments.run, threads=arguments.threads, device=find_device(arguments.device))
