"""How a run in training looks to people: a live display in a terminal, a line now and then elsewhere.

Only pictures of `offbelief.learning.progress.Progress`; what is measured is the run's business. Figures are shown by
their names, so that a run that is judged by other figures than a score is shown as well.
"""

import sys
import time
from collections import deque
from types import TracebackType
from typing import Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from offbelief.learning.progress import Progress

QUIET_SECONDS = 180.0
"""Without a terminal, a line is printed at least this often."""
WINDOW = 30
"""Rates are means over about so many of the latest looks, one a second."""
_STAGES = {"play": "playing", "encode": "encoding", "learn": "learning", "evaluate": "evaluating"}
_PERCENTAGES = ("third_strike", "perfect")


class Display(Protocol):
    """What a run in training is shown on, from beginning to end."""

    def __enter__(self) -> "Display":
        """Begin to show."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the terminal as it was."""

    def tick(self, progress: Progress) -> None:
        """Show how far the run is; called about every second."""

    def report(self, progress: Progress) -> None:
        """Show what an evaluation found."""

    def say(self, sentence: str) -> None:
        """Show a sentence that is worth knowing."""


def open_display(title: str) -> Display:
    """A live display if the output is a terminal, else lines."""
    console = Console()
    if console.is_terminal and not console.is_dumb_terminal:
        return LiveDisplay(title, console)
    return LineDisplay()


class Pace:
    """How fast a run is, measured over the looks at it."""

    def __init__(self) -> None:
        self._recent: deque[tuple[float, Progress]] = deque(maxlen=WINDOW)
        self._first: tuple[float, Progress] | None = None

    def look(self, progress: Progress) -> None:
        """Note how far the run is now."""
        seen = (time.monotonic(), progress)
        self._first = self._first or seen
        self._recent.append(seen)

    def rates(self) -> dict[str, float]:
        """Games, updates and transitions per second of late; empty before there are two looks."""
        if len(self._recent) < 2:
            return {}
        (began, before), (ended, after) = self._recent[0], self._recent[-1]
        counts = {
            "games": after.games - before.games,
            "updates": after.updates - before.updates,
            "transitions": after.transitions - before.transitions,
        }
        return {name: count / max(ended - began, 1e-9) for name, count in counts.items() if count}

    def seconds_left(self) -> float | None:
        """Until the run is done, if it goes on as since the first look; None while nothing can be said."""
        if self._first is None or len(self._recent) < 2:
            return None
        (began, before), (ended, after) = self._first, self._recent[-1]
        if not after.steps or after.step == before.step:
            return None
        return (ended - began) * (after.steps - after.step) / (after.step - before.step)


class LineDisplay:
    """A line per evaluation, and one in between if the last was long ago."""

    def __init__(self) -> None:
        self._pace = Pace()
        self._printed = time.monotonic()

    def __enter__(self) -> "LineDisplay":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def tick(self, progress: Progress) -> None:
        """Print a line if none was printed for a while."""
        self._pace.look(progress)
        if time.monotonic() - self._printed > QUIET_SECONDS:
            self._print(progress)

    def report(self, progress: Progress) -> None:
        """Print a line."""
        self._pace.look(progress)
        self._print(progress)

    def say(self, sentence: str) -> None:
        """Print it apart from the lines."""
        print(sentence, file=sys.stderr, flush=True)

    def _print(self, progress: Progress) -> None:
        parts = [describe_share(progress), describe_figures(progress.figures), describe_time(progress, self._pace)]
        parts += [describe_rates(self._pace), f"loss {progress.loss:.3f}", f"({describe_stages(progress)})"]
        print("  ".join(part for part in parts if part), flush=True)
        self._printed = time.monotonic()


class LiveDisplay:
    """Lines that stay where they are and change: bar, last evaluation, speed, share of time per stage.

    Args:
        title: what is in training.
        console: where to show it.
    """

    def __init__(self, title: str, console: Console) -> None:
        self._title = title
        self._console = console
        self._pace = Pace()
        self._figures: dict[str, float] = {}
        self._live = Live(Text(f"{title}: starting ..."), console=console, transient=True)

    def __enter__(self) -> "LiveDisplay":
        self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.__exit__(kind, error, trace)

    def tick(self, progress: Progress) -> None:
        """Renew the display."""
        self._pace.look(progress)
        self._live.update(self.picture(progress))

    def report(self, progress: Progress) -> None:
        """Leave a line behind and renew the display."""
        self._figures = progress.figures
        line = [describe_share(progress), describe_figures(progress.figures), f"{progress.cpu_minutes:.1f} CPU-min"]
        self._console.print(Text("  ".join([*line, f"loss {progress.loss:.3f}"])))
        self.tick(progress)

    def say(self, sentence: str) -> None:
        """Leave it behind."""
        self._console.print(Text(sentence))

    def picture(self, progress: Progress) -> RenderableType:
        """The display as rich draws it."""
        width = max(10, min(40, self._console.width - len(self._title) - 40))
        bar = ProgressBar(total=progress.steps or None, completed=progress.step, width=width, pulse=not progress.steps)
        top = Table.grid(padding=(0, 2))
        top.add_row(Text(self._title, style="bold"), bar, describe_share(progress), describe_time(progress, self._pace))
        facts = Table.grid(padding=(0, 2))
        facts.add_column(style="dim")
        figures = describe_figures(self._figures) or "not evaluated yet"
        facts.add_row("  last evaluation", f"{figures}  loss {progress.loss:.3f}")
        facts.add_row("  speed", describe_rates(self._pace) or "...")
        facts.add_row("  time goes to", describe_stages(progress))
        return Group(top, facts)


def describe_share(progress: Progress) -> str:
    """How much of the run is done, in percent; its length may not be settled yet."""
    return f"{progress.step / progress.steps:4.0%}" if progress.steps else "timing the first steps"


def describe_figures(figures: dict[str, float]) -> str:
    """What a run is judged by, such as "score 7.21 ± 0.05  third strike 0.0%"."""
    parts = []
    for name, value in figures.items():
        words = name.replace("_", " ")
        if name in _PERCENTAGES:
            parts.append(f"{words} {value:.1%}")
        elif name == "score":
            parts.append(f"score {value:.2f}" + (f" ± {figures['sem']:.2f}" if "sem" in figures else ""))
        elif name != "sem":
            parts.append(f"{words} {value:.3f}")
    return "  ".join(parts)


def describe_time(progress: Progress, pace: Pace) -> str:
    """CPU time so far and what is left."""
    left = pace.seconds_left()
    return f"{progress.cpu_minutes:.1f} CPU-min" + ("" if left is None else f", {_duration(left)} to go")


def describe_rates(pace: Pace) -> str:
    """Speed, such as "120 games/s  30 updates/s  4,100 transitions/s"."""
    return "  ".join(f"{rate:,.0f} {name}/s" for name, rate in pace.rates().items())


def describe_stages(progress: Progress) -> str:
    """Where the time goes."""
    return ", ".join(f"{_STAGES.get(stage, stage)} {share:.0%}" for stage, share in progress.shares.items())


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
