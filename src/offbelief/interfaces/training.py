"""Training as a verb does it: with a display, and a clean stop on Ctrl-C or SIGTERM."""

import signal
import sys
from dataclasses import replace
from pathlib import Path
from types import FrameType

import torch

from offbelief.interfaces.progress import open_display
from offbelief.learning.config import RunConfig
from offbelief.learning.presets import find_preset
from offbelief.learning.run import train
from offbelief.nouns import UserError

INTERRUPTED = 130


def configure(preset: str, *, seed: int, minutes: float | None, steps: int | None) -> RunConfig:
    """A preset's settings for a seed, and for so many minutes or steps if they are given."""
    if minutes is not None and steps is not None:
        raise UserError("Give --minutes or --steps, not both: minutes are turned into steps.")
    config = replace(find_preset(preset), seed=seed)
    if minutes is not None:
        return replace(config, minutes=minutes, steps=0)
    return config if steps is None else replace(config, steps=steps)


def train_in_terminal(folder: Path, *, threads: int, device: torch.device) -> int:
    """Train the run in a folder and say what to do next; returns the exit code."""
    if not train_with_display(folder, threads=threads, device=device):
        print(f"saved; go on with: obl resume {folder}", file=sys.stderr)
        return INTERRUPTED
    print(f"done: {folder / 'agent.safetensors'}; try it with: obl evaluate {folder}")
    return 0


def train_with_display(folder: Path, *, threads: int = 1, device: torch.device | None = None) -> bool:
    """Train the run in a folder until it is done, or saved after Ctrl-C or SIGTERM.

    Args:
        folder: The run; also its title.
        threads: Of the matrix products.
        device: Where the networks compute; the CPU if left out.

    Returns:
        Whether the run is done.

    Raises:
        KeyboardInterrupt: asked to stop twice; nothing was saved since the last checkpoint.
    """
    torch.set_num_threads(max(1, threads))
    asked: list[int] = []

    def stop(signal_number: int, frame: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt  # asked twice: stop at once
        asked.append(signal_number)
        print("stopping after this step; the run will be saved ...", file=sys.stderr, flush=True)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with open_display(str(folder)) as display:
            return train(
                folder,
                report=display.report,
                should_stop=lambda: bool(asked),
                say=display.say,
                tick=display.tick,
                device=device,
            )
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
