"""How a benchmark is timed and written down."""

import datetime
import importlib.metadata
import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from offbelief import __version__

REPEATS = 5


@dataclass(frozen=True, kw_only=True)
class BenchRow:
    """One measured path."""

    name: str
    per_second: float
    unit: str
    """What is counted per second."""
    rival: str | None = None
    """Whom we compare with; None where there is nobody, or it is not installed."""
    rival_per_second: float | None = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """How many times faster than the rival."""
        return None if self.rival_per_second is None else self.per_second / self.rival_per_second

    def as_json(self) -> dict[str, Any]:
        """The row as `obl bench --json` prints it."""
        row = asdict(self)
        extra = row.pop("extra")
        return {**row, "ratio": self.ratio, **extra}


def median_seconds(
    action: Callable[[], object], repeats: int = REPEATS, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Run an action a few times after a warm-up and give the median time of one run."""
    action()
    times = []
    for _ in range(repeats):
        started = clock()
        action()
        times.append(clock() - started)
    return statistics.median(times)


def describe_machine(threads: int) -> dict[str, Any]:
    """What a figure depends on: processor, threads, versions, day."""
    return {
        "processor": _processor_name(),
        "cpus": os.cpu_count(),
        "threads": threads,
        "python": platform.python_version(),
        "numpy": importlib.metadata.version("numpy"),
        "numba": importlib.metadata.version("numba"),
        "offbelief": __version__,
        "date": datetime.date.today().isoformat(),
    }


def _processor_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
