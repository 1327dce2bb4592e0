"""Train small agents from different seeds, let them play with themselves and each other, and write a report.

With the default preset that is off-belief learning on mini Hanabi (three colours, three ranks), a minute of one core
per agent. Stopped half-way, the same command goes on where it stopped; agents that are trained already are not trained
again. The report is OUT/report.html.

Example: obl demo iql-mini --out runs/demo-iql
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from offbelief.agents.device import find_device
from offbelief.evaluation.tournament import Tournament
from offbelief.interfaces.training import INTERRUPTED, configure, train_with_display
from offbelief.interfaces.verbs.report import report_on
from offbelief.learning.run import create_run
from offbelief.nouns import UserError


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """What to train, and where."""

    preset: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PRESET")] = "obl-1-mini"
    """Which settings; 'obl train --help' lists them."""
    out: Path = Path("runs/demo")
    """Folder for the runs and report.html."""
    agents: int = 2
    """How many agents to train, one after the other."""
    seed: int = 0
    """Of the first agent; the others count on."""
    minutes: float | None = None
    """CPU-minutes per agent; the preset's if left out."""
    steps: int | None = None
    """An exact number of steps per agent instead."""
    games: int = 2000
    """Games of every team in the report."""
    device: str = "cpu"
    """Where the networks compute: cpu, or cuda for a GPU."""


def run(arguments: Arguments) -> int:
    """Train what is not trained yet, report, say what to try next."""
    if arguments.agents < 1:
        raise UserError(f"--agents is {arguments.agents}; give at least 1.")
    device = find_device(arguments.device)
    folders = []
    for seed in range(arguments.seed, arguments.seed + arguments.agents):
        folder = arguments.out / f"{arguments.preset}-{seed}"
        folders.append(str(folder))
        if (folder / "agent.safetensors").exists():
            print(f"{folder} is trained already; delete it to train it anew.")
            continue
        if (folder / "config.json").exists():
            print(f"{folder}: going on where it stopped")
        else:
            print(f"{folder}: training")
            config = configure(arguments.preset, seed=seed, minutes=arguments.minutes, steps=arguments.steps)
            create_run(folder, config)
        if not train_with_display(folder, device=device):
            print("saved; the same command goes on where it stopped.", file=sys.stderr)
            return INTERRUPTED
    page = arguments.out / "report.html"
    result = report_on(folders, page, arguments.games, seed=1, device=device)
    _print_scores(result)
    print(f"\nThe report with curves and a game told move by move: {page}\n")
    _print_what_next(folders)
    return 0


def _print_scores(result: Tournament) -> None:
    best = result.variant.max_score
    for team, played in zip(result.teams, result.results, strict=True):
        who = f"{team[0]} with itself" if len(set(team)) == 1 else " with ".join(team)
        print(f"{who}: {played.mean:.2f} ± {played.sem:.2f} of {best}")


def _print_what_next(folders: list[str]) -> None:
    suggestions = {
        f"obl watch {folders[0]} {folders[-1]}": "watch them play, move by move",
        "obl play": "play full Hanabi with a trained agent yourself, on a web page",
        "obl demo iql-mini --out runs/demo-iql": "the same for independent Q-learning, to compare",
        "obl train obl-1-2p": "full two-player Hanabi: an hour of one core",
        "obl toy": "the idea on the paper's toy game, sampled beside exact",
    }
    width = max(map(len, suggestions))
    print("Next:")
    for command, meaning in suggestions.items():
        print(f"  {command.ljust(width)}  {meaning}")
