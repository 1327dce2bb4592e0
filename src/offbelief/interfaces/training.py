"""Training as a verb does it: with a display, and a clean stop on Ctrl-C or SIGTERM."""

import signal
import sys
from dataclasses import replace
from pathlib import Path
from types import FrameType

import torch

from offbelief.agents.loading import load_agent, zoo_beliefs, zoo_names
from offbelief.interfaces.progress import open_display
from offbelief.learning.ladder_presets import BELIEF_PRESETS
from offbelief.learning.levels import climb
from offbelief.learning.presets import find_preset
from offbelief.learning.run import Config, find_config, train
from offbelief.nouns import UserError

INTERRUPTED = 130


def configure(preset: str, *, seed: int, minutes: float | None, steps: int | None, of: str | None = None) -> Config:
    """A preset's settings for a seed, and for so many minutes or steps if they are given.

    Args:
        preset: Its name; or that of an agent or belief of the zoo, for the settings that it was trained with.
        seed: Of the run.
        minutes: CPU-minutes to plan for, or None for the preset's.
        steps: A number of steps instead, or None.
        of: Whose belief to learn; for beliefs only.
    """
    if minutes is not None and steps is not None:
        raise UserError("Give --minutes or --steps, not both: minutes are turned into steps.")
    if preset in zoo_names() + zoo_beliefs():
        if of is not None:
            raise UserError(f"{preset} of the zoo comes with all its settings; leave --of out.")
        return _timed(replace(find_config(preset), seed=seed), minutes, steps)
    if (of is not None) != (preset in BELIEF_PRESETS):
        raise UserError("A belief is learned of somebody: --of AGENT goes with the presets belief-2p, belief-mini ...")
    if of is not None:
        load_agent(of)  # a clear sentence now rather than an empty run
        return _timed(replace(BELIEF_PRESETS[preset][1](), seed=seed, of=of), minutes, steps)
    return _timed(replace(find_preset(preset), seed=seed), minutes, steps)


def _timed(config: Config, minutes: float | None, steps: int | None) -> Config:
    if minutes is not None:
        return replace(config, minutes=minutes, steps=0)  # a preset may name steps, which minutes replace
    return config if steps is None else replace(config, steps=steps)


def train_in_terminal(folder: Path, *, threads: int, device: torch.device) -> int:
    """Train the run in a folder and say what to do next; returns the exit code."""
    if not train_with_display(folder, threads=threads, device=device):
        print(f"saved; go on with: obl resume {folder}", file=sys.stderr)
        return INTERRUPTED
    if (folder / "belief.safetensors").exists():
        print(f"done: {folder / 'belief.safetensors'}")
    else:
        print(f"done: {folder / 'agent.safetensors'}; try it with: obl evaluate {folder}")
    return 0


def climb_in_terminal(folder: Path, *, threads: int, device: torch.device) -> int:
    """Climb the ladder in a folder and say what to do next; returns the exit code."""

    def train_rung(run: Path) -> bool:
        print(f"{run}:", flush=True)
        return train_with_display(run, threads=threads, device=device)

    if not climb(folder, train_rung):
        print(f"saved; go on with: obl resume {folder}", file=sys.stderr)
        return INTERRUPTED
    levels = " ".join(str(path.parent) for path in sorted(folder.glob("level-*/agent.safetensors")))
    print(f"done: {folder}; pair its levels with: obl crossplay {levels}")
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
