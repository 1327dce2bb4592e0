"""Training in a terminal: a line per evaluation, and a clean stop on Ctrl-C or SIGTERM."""

import signal
import sys
from pathlib import Path
from types import FrameType

INTERRUPTED = 130


def train_in_terminal(folder: Path, threads: int) -> int:
    """Train the run in a folder; returns the exit code."""
    import torch

    from offbelief.learning.progress import Progress
    from offbelief.learning.run import train

    torch.set_num_threads(max(1, threads))
    asked: list[int] = []

    def stop(signal_number: int, frame: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt  # asked twice: stop at once
        asked.append(signal_number)
        print("stopping after this step; the run will be saved ...", file=sys.stderr, flush=True)

    def report(progress: Progress) -> None:
        done = progress.step / progress.steps
        figures = progress.figures
        rate = progress.transitions / (60 * progress.cpu_minutes)
        left = progress.cpu_minutes * (1 - done) / done
        shares = ", ".join(f"{stage} {share:.0%}" for stage, share in progress.shares.items())
        print(
            f"{done:4.0%}  score {figures['score']:.2f} ± {figures['sem']:.2f}  "
            f"third strike {figures['third_strike']:.1%}  "
            f"{progress.cpu_minutes:.1f} CPU-min, {left:.0f} to go  {rate:,.0f} transitions/s  "
            f"loss {progress.loss:.3f}  ({shares})",
            flush=True,
        )

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        done = train(
            folder, report=report, should_stop=lambda: bool(asked), say=lambda text: print(text, file=sys.stderr)
        )
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if not done:
        print(f"saved; go on with: obl resume {folder}", file=sys.stderr)
        return INTERRUPTED
    print(f"done: {folder / 'agent.safetensors'}; try it with: obl evaluate {folder}")
    return 0
