"""Write one HTML page about trained agents: curves, scores, cross-play, what their moves came to mean, a game.

RUN is a run's folder, an agent of the zoo, a scripted player such as bot:iggi, or a ladder, by its folder or as a climb
of the zoo (zoo:a), which stands for its finished levels and shows its beliefs too; all must play the same game. The
page needs nothing else: pictures are inside, and it opens without a network.

Examples: obl report runs/obl-1-mini-0 runs/obl-1-mini-1 --out report.html
          obl report runs/ladder-mini-0 --out ladder.html
          obl report zoo:a --games 500
"""

import json
import math
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import torch
import tyro

from offbelief.agents.device import find_device
from offbelief.agents.loading import load_table
from offbelief.evaluation.belief_account import AccountSettings
from offbelief.evaluation.climbs import is_climb, open_climb
from offbelief.evaluation.ladder_account import (
    account_for_agents,
    account_for_beliefs,
    account_for_levels,
    neighbours,
)
from offbelief.evaluation.run_report import find_origin, gather, write_report
from offbelief.evaluation.tournament import Tournament, play_tournament
from offbelief.interfaces.files import write_text_atomically
from offbelief.nouns import UserError

MEANING_GAMES = 1000
"""At most so many games of every agent are looked at move by move."""


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
    judged: int = 20
    """States, with and without exploration, at which each belief of a ladder is held against the judge, which is slow;
    0 for no judge."""
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
        arguments.runs,
        arguments.out,
        arguments.games,
        arguments.seed,
        variant=arguments.variant,
        judged=arguments.judged,
        device=device,
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
    judged: int = 20,
    device: torch.device | None = None,
) -> Tournament:
    """Let agents play with themselves and each other, and write the page.

    Args:
        names: Who; twice the same counts once, and a ladder stands for its finished levels.
        out: The page.
        games: Of every team.
        seed: Of the deals.
        variant: The rules, if they are not those of the first trained agent.
        judged: States at which each belief of a ladder is held against the judge.
        device: Where networks compute.
    """
    climbs = {name: open_climb(name) for name in names if is_climb(name)}
    standing = [tuple(climbs[name].levels.values()) if name in climbs else (name,) for name in names]
    agents, rules = load_table([agent for several in standing for agent in several], variant, device)
    origins = {name: find_origin(name) for name in agents}
    for climb in climbs.values():
        for name in climb.levels.values():
            if is_climb(str(Path(name).parent)):  # a rung; the first may be somebody else's agent
                origins[name] = replace(origins[name], command=climb.command)
    teams = len(agents) + math.comb(len(agents), rules.players)
    print(f"playing {games:,} games of each of {teams} team{'s' * (teams > 1)} ...", file=sys.stderr, flush=True)
    result = play_tournament(agents, rules, games, seed)
    words = ["obl", "report", *dict.fromkeys(names), "--games", str(games), "--seed", str(seed), "--out", str(out)]
    made_by = shlex.join(words if variant is None else [*words, "--variant", variant])
    who = next(iter(agents)) if len(agents) == 1 else f"{len(agents)} agents"
    out.parent.mkdir(parents=True, exist_ok=True)
    ladders = list(climbs.values())
    settings = AccountSettings(judged=judged)
    pairs = neighbours(list(agents), ladders)
    meanings = {
        "moves": account_for_agents(agents, rules, min(games, MEANING_GAMES), seed, pairs),
        "levels": account_for_levels(result, ladders),
        "beliefs": account_for_beliefs(ladders, agents, settings, device),
    }
    found = gather(result, agents, origins, made_by, meanings)
    write_text_atomically(out, write_report(found, f"{who} at {rules.name} Hanabi"))
    return result
