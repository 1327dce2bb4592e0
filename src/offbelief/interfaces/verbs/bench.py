"""Measure our hot paths beside their rivals, in one run.

WHAT is exact, engine, belief (hands from card counting and from a learned belief, and the share of time that they take
in training level 2), rollout (playing and imagining in training), learner (updates, and training as a whole
with the share of time per stage), play (an agent's answer on the web page, 50 games at once), or all. A rival that is
not installed leaves its columns empty. Machines are shared and noisy: read the ratio.

Example: obl bench learner --json
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import tyro

from offbelief.interfaces.bench.timing import BenchRow, describe_machine
from offbelief.interfaces.files import write_text_atomically
from offbelief.nouns import UserError


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """What to measure."""

    what: tyro.conf.Positional[Literal["exact", "engine", "belief", "rollout", "learner", "play", "all"]] = "all"
    """Which paths."""
    threads: int = 1
    """Threads of our engine and of the matrix products; rivals use one."""
    json: bool = False
    """Print one JSON object."""
    out: Path | None = None
    """Write the JSON object to a file too."""


def run(arguments: Arguments) -> int:
    """Measure, print."""
    if arguments.threads < 1:
        raise UserError(f"--threads is {arguments.threads}; give at least 1.")
    rows = []
    for measure in _benches(arguments):
        for row in measure():
            rows.append(row)
            if not arguments.json:
                print(describe_row(row), flush=True)
    found = {"machine": describe_machine(arguments.threads), "results": [row.as_json() for row in rows]}
    if arguments.json:
        print(json.dumps(found))
    if arguments.out:
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        write_text_atomically(arguments.out, json.dumps(found, indent=1) + "\n")
    return 0


def _benches(arguments: Arguments) -> Iterator[Callable[[], Iterator[BenchRow]]]:
    if arguments.what in ("exact", "all"):
        from offbelief.interfaces.bench.exact import bench_exact

        yield bench_exact
    if arguments.what in ("engine", "all"):
        from offbelief.interfaces.bench.engine import bench_engine

        yield lambda: bench_engine(arguments.threads)
    if arguments.what in ("belief", "all"):
        from offbelief.interfaces.bench.belief import bench_belief
        from offbelief.interfaces.bench.learned_belief import bench_learned_belief

        yield bench_belief
        yield lambda: bench_learned_belief(arguments.threads)
    if arguments.what in ("rollout", "all"):
        from offbelief.interfaces.bench.training import bench_rollout

        yield lambda: bench_rollout(arguments.threads)
    if arguments.what in ("learner", "all"):
        from offbelief.interfaces.bench.training import bench_learner

        yield lambda: bench_learner(arguments.threads)
    if arguments.what in ("play", "all"):
        from offbelief.interfaces.bench.play import bench_play

        yield bench_play


def describe_row(row: BenchRow) -> str:
    """One line for people."""
    line = f"{row.name}: {_number(row.per_second)} {row.unit}/s"
    if row.rival_per_second is not None and row.ratio is not None:
        line += f" ({row.rival}: {_number(row.rival_per_second)}/s, {_number(row.ratio)} times as fast)"
    extra = ", ".join(_detail(key, value) for key, value in row.extra.items())
    return f"{line} | {extra}" if extra else line


def _number(value: float) -> str:
    """Whole from ten on; below that the digits after the point are what matters."""
    return f"{value:,.0f}" if value >= 10.0 else f"{value:.2f}"


def _detail(key: str, value: Any) -> str:
    if isinstance(value, dict):
        return f"{key} ({', '.join(f'{name} {share:.1%}' for name, share in value.items())})"
    return f"{key} {value:,.3g}" if isinstance(value, float) else f"{key} {value}"
