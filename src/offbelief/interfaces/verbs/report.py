"""Write one HTML page about trained agents: curves, scores, cross-play, what was known of played cards, a game.

RUN is a run's folder, an agent of the zoo, or a scripted player such as bot:iggi; all must play the same game. The page
needs nothing else: pictures are inside, and it opens without a network.

Example: obl report runs/obl-1-mini-0 runs/obl-1-mini-1 --out report.html
"""

import json
import math
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import torch
import tyro

from offbelief.agents.device import find_device
from offbelief.agents.loading import load_table
from offbelief.evaluation.run_report import find_origin, gather, write_report
from offbelief.evaluation.tournament import Tournament, play_tournament
from offbelief.interfaces.files import write_text_atomically
from offbelief.nouns import UserError


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Who is reported on, and where."""

    runs: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="RUN [RUN ...]")]
    """One agent or more."""
    out: Path = Path("report.html")
    """The page."""
    games: int = 2000
    """Games of every team, shared evenly by its seat orders."""
    seed: int = 1
    """Of the deals, the same for every team."""
    variant: str | None = None
    """The rules; those of the first trained agent if left out, else full-2p."""
    device: str = "cpu"
    """Where the networks compute: cpu, or cuda for a GPU."""
    json: bool = False
    """Print the scores as one JSON object, as 'obl crossplay' does."""


def run(arguments: Arguments) -> int:
    """Play, write, say where."""
    if not arguments.runs:
        raise UserError("Name at least one run.")
    device = find_device(arguments.device)
    result = report_on(
        arguments.runs, arguments.out, arguments.games, arguments.seed, variant=arguments.variant, device=device
    )
    if arguments.json:
        print(json.dumps(result.as_json()))
    else:
        print(f"wrote {arguments.out}: open it in a browser")
    return 0


def report_on(
    names: Sequence[str],
    out: Path,
    games: int,
    seed: int,
    *,
    variant: str | None = None,
    device: torch.device | None = None,
) -> Tournament:
    """Let agents play with themselves and each other, and write the page.

    Args:
        names: Who; twice the same counts once.
        out: The page.
        games: Of every team.
        seed: Of the deals.
        variant: The rules, if they are not those of the first trained agent.
        device: Where networks compute.
    """
    agents, rules = load_table(names, variant, device)
    origins = {name: find_origin(name) for name in agents}
    teams = len(agents) + math.comb(len(agents), rules.players)
    print(f"playing {games:,} games of each of {teams} team{'s' * (teams > 1)} ...", file=sys.stderr, flush=True)
    result = play_tournament(agents, rules, games, seed)
    words = ["obl", "report", *agents, "--games", str(games), "--seed", str(seed), "--out", str(out)]
    made_by = shlex.join(words if variant is None else [*words, "--variant", variant])
    who = next(iter(agents)) if len(agents) == 1 else f"{len(agents)} agents"
    out.parent.mkdir(parents=True, exist_ok=True)
    found = gather(result, agents, origins, made_by)
    write_text_atomically(out, write_report(found, f"{who} at {rules.name} Hanabi"))
    return result
