"""Play agents together and report their score.

An agent is a run's folder, an agent of the zoo (obl zoo), or a scripted player such as bot:iggi. One agent plays with
itself; several are seated together, in every seat order and on the same deals.

Example: obl evaluate obl-1-a bot:iggi --games 5000
"""

import json
import time
from dataclasses import dataclass
from typing import Annotated

import tyro

from offbelief.agents.device import find_device
from offbelief.agents.loading import load_table
from offbelief.evaluation.match import play_all_orders
from offbelief.nouns import UserError


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Who plays, and how much."""

    agents: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="AGENT [AGENT ...]")]
    """One agent, or one per seat."""
    games: int = 5000
    """In total, shared evenly by the seat orders."""
    variant: str | None = None
    """The rules; those of the first trained agent if left out, else full-2p."""
    seed: int = 1
    """Of the deals."""
    device: str = "cpu"
    """Where the networks compute: cpu, or cuda for a GPU."""
    json: bool = False
    """Print one JSON object."""


def run(arguments: Arguments) -> int:
    """Play and report."""
    if not arguments.agents:
        raise UserError("Name at least one agent.")
    loaded, variant = load_table(arguments.agents, arguments.variant, find_device(arguments.device))
    names = arguments.agents * variant.players if len(arguments.agents) == 1 else arguments.agents
    started = time.perf_counter()
    result = play_all_orders([loaded[name] for name in names], variant, arguments.games, arguments.seed)
    found = {
        **result.as_json(),
        "seconds": time.perf_counter() - started,
        "players": variant.players,
        "variant": variant.name,
        "agents": list(names),
    }
    if arguments.json:
        print(json.dumps(found))
        return 0
    knowledge = result.as_json()["knowledge"]
    assert isinstance(knowledge, dict)
    print(f"{' with '.join(names)}, {variant.name}: {result.mean:.2f} ± {result.sem:.2f} in {found['games']} games")
    print(f"perfect {found['perfect']:.1%}, lost by strikes {found['bomb']:.1%}, {found['seconds']:.1f} s")
    print("cards played knowing " + ", ".join(f"{name} {share:.1%}" for name, share in reversed(knowledge.items())))
    return 0
