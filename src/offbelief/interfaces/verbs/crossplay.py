"""Pair agents with each other: self-play, cross-play, and the whole matrix.

Every pair plays in both seat orders, on the same deals. With three players or more, teams of distinct agents are drawn
up instead, in every seat order. Errors of cross-play come from teams that share no agent.

Example: obl crossplay obl-1-a obl-1-b obl-2-a --games 5000 --out runs/crossplay
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from offbelief.agents.device import find_device
from offbelief.agents.loading import load_table
from offbelief.evaluation.tournament import play_tournament
from offbelief.interfaces.files import write_text_atomically
from offbelief.nouns import UserError


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Who plays, and how much."""

    agents: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="AGENT AGENT [...]")]
    """Two agents or more: run folders, zoo names, scripted players."""
    games: int = 5000
    """Games of every team, shared evenly by its seat orders."""
    variant: str | None = None
    """The rules; those of the first trained agent if left out, else full-2p."""
    seed: int = 1
    """Of the deals, the same for every team."""
    out: Path | None = None
    """Folder for crossplay.json (every score of every game) and crossplay.png."""
    device: str = "cpu"
    """Where the networks compute: cpu, or cuda for a GPU."""
    json: bool = False
    """Print one JSON object."""


def run(arguments: Arguments) -> int:
    """Play and report."""
    if len(set(arguments.agents)) < 2:
        raise UserError("Cross-play needs at least two different agents.")
    loaded, variant = load_table(arguments.agents, arguments.variant, find_device(arguments.device))
    result = play_tournament(loaded, variant, arguments.games, arguments.seed)
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        saved = {**result.as_json(), "scores": [team.scores.tolist() for team in result.results]}
        write_text_atomically(arguments.out / "crossplay.json", json.dumps(saved) + "\n")
        if variant.players == 2:
            from offbelief.evaluation.plots import draw_crossplay_matrix, save_figure

            save_figure(draw_crossplay_matrix(result), arguments.out / "crossplay")
    if arguments.json:
        print(json.dumps(result.as_json()))
        return 0
    for names, played in zip(result.teams, result.results, strict=True):
        print(f"{' with '.join(names)}: {played.mean:.2f} ± {played.sem:.2f}")
    print(f"self-play {result.self_play}, cross-play {result.cross_play}")
    return 0
