"""What each level of one ladder or several came to mean: scores, knowledge, hints, answers, partings, beliefs.

Examples: python experiments/ladder_account.py zoo:a zoo:c
          python experiments/ladder_account.py runs/ladder-2p-1 runs/ladder-2p-2

Writes benchmarks/results/ladder.json and the figures docs/results/ladder-*.svg; `python benchmarks/tables.py` puts the
numbers into docs/results/ladder.md. Scores are over 5,000 greedy games whose deals are used for final scores only, the
weights those at the end of each run. `--from-file` draws the figures again from the file.
"""

import argparse
import datetime
import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from add_to_zoo import FINAL_GAMES, FINAL_SEED

from offbelief.agents.checkpoint import load_tensors
from offbelief.agents.loading import load_table, zoo_card
from offbelief.evaluation.belief_account import AccountSettings
from offbelief.evaluation.climbs import Climb, open_climb
from offbelief.evaluation.convention_plots import (
    draw_changed_answers,
    draw_hint_meanings,
    draw_levels,
    draw_nats,
    draw_next_moves,
    draw_reliability,
)
from offbelief.evaluation.ladder_account import (
    account_for_agents,
    account_for_beliefs,
    account_for_levels,
    neighbours,
)
from offbelief.evaluation.plots import draw_knowledge, figure_as_svg
from offbelief.evaluation.tournament import play_tournament

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "ladder.json"
FIGURES = ROOT / "docs" / "results"
MEANING_SEED = 4_700_000


def main() -> None:
    """Play, count, write, draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ladders", nargs="*", metavar="LADDER", help="folders of ladders, or climbs of the zoo")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the numbers go")
    parser.add_argument("--figures", type=Path, default=FIGURES, help="folder of the figures")
    parser.add_argument("--games", type=int, default=1000, help="of every agent, looked at move by move")
    parser.add_argument("--score-games", type=int, default=FINAL_GAMES, help="of every pair")
    parser.add_argument("--judged", type=int, default=100, help="states given to the judge, a belief and sort of game")
    parser.add_argument("--particles", type=int, default=1000, help="hands that the judge draws where it cannot count")
    parser.add_argument("--from-file", action="store_true", help="only draw the figures again")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.from_file:
        found = json.loads(arguments.out.read_text(encoding="utf-8"))
    elif arguments.ladders:
        found = account(arguments)
        arguments.out.write_text(json.dumps(found) + "\n", encoding="utf-8")
    else:
        parser.error("name at least one ladder, or give --from-file")
    for name, figure in draw(found).items():
        (arguments.figures / f"ladder-{name}.svg").write_bytes(figure_as_svg(figure))


def account(arguments: argparse.Namespace) -> dict[str, Any]:
    """Everything, as plain numbers."""
    opened = [open_climb(name) for name in arguments.ladders]
    climbs = [name_levels(climb, alone=len(opened) == 1) for climb in opened]
    where = {
        short: name
        for climb, named in zip(opened, climbs, strict=True)
        for name, short in zip(climb.levels.values(), named.levels.values(), strict=True)
    }
    loaded, variant = load_table(list(where.values()), None)
    agents = {short: loaded[name] for short, name in where.items()}
    print(f"scores of {len(agents)} agents ...", flush=True)
    tournament = play_tournament(agents, variant, arguments.score_games, FINAL_SEED)
    print("what moves mean ...", flush=True)
    pairs = neighbours(list(agents), climbs)
    moves = account_for_agents(agents, variant, arguments.games, MEANING_SEED, pairs)
    print("what beliefs know ...", flush=True)
    settings = AccountSettings(judged=arguments.judged, particles=arguments.particles)
    return {
        "game": variant.name,
        "max_score": variant.max_score,
        "date": datetime.date.today().isoformat(),
        "made_by": shlex.join(["python", *sys.argv]),
        "climbs": [
            {
                "name": climb.name,
                "command": climb.command,
                "levels": list(named.levels.values()),
                "cpu_minutes": _minutes(climb),
            }
            for climb, named in zip(opened, climbs, strict=True)
        ],
        "score_games": arguments.score_games,
        "score_seed": FINAL_SEED,
        "scores": {name: played.as_json() for name, played in zip(tournament.agents, tournament.results, strict=False)},
        "levels": account_for_levels(tournament, climbs),
        "moves": moves,
        "beliefs": account_for_beliefs(climbs, agents, settings),
    }


def name_levels(climb: Climb, *, alone: bool) -> Climb:
    """The same climb with short names for its agents, which figures have room for and no folder shows in."""
    return replace(
        climb, levels={level: f"level {level}" if alone else f"{climb.name} {level}" for level in climb.levels}
    )


def _minutes(climb: Climb) -> dict[str, float]:
    rungs = {*climb.levels.values(), *climb.beliefs.values()}
    by_kind = {"level": climb.levels, "belief": climb.beliefs}
    return {
        f"{kind}-{level}": round(_minutes_of(kind, name, rungs), 2)
        for kind, names in by_kind.items()
        for level, name in names.items()
    }


def _minutes_of(kind: str, name: str, rungs: set[str]) -> float:
    """CPU-minutes of a run, and of those that it began with which stand on no rung."""
    if not Path(name).is_dir():
        card = zoo_card(name)
        before = (parent for parent in card["parents"] if parent not in rungs)
        return float(card["cpu_minutes"]) + sum(_minutes_of(kind, parent, rungs) for parent in before)
    product = "agent" if kind == "level" else "belief"
    return float(load_tensors(Path(name) / f"{product}.safetensors")[1]["cpu_minutes"])


def draw(found: dict[str, Any]) -> dict[str, Any]:
    """The figures by name: scores and knowledge of all climbs, everything else of the first one only."""
    first = found["climbs"][0]["levels"]
    moves = {name: found["moves"]["agents"][name] for name in first}
    counts = {name: of["next_moves"]["counts"] for name, of in moves.items()}
    pairs = [
        (change["agents"][0], change["agents"][1])
        for change in found["moves"]["changes"]
        if set(change["agents"]) <= set(first)
    ]
    figures = {
        "knowledge": draw_knowledge({name: scores["knowledge"] for name, scores in found["scores"].items()}),
        "hints": draw_hint_meanings({name: of["hints"] for name, of in moves.items()}),
        "answers": draw_next_moves(found["moves"]["moves"], counts),
    }
    if pairs:
        figures["changes"] = draw_changed_answers(found["moves"]["moves"], counts, pairs)
    if len(found["climbs"]) > 1:
        figures["levels"] = draw_levels(found["levels"], found["max_score"])
    beliefs = {f"belief of {belief['of']}": belief["noisy"] for belief in found["beliefs"] if belief["of"] in first}
    if beliefs:
        figures |= {"nats": draw_nats(beliefs), "reliability": draw_reliability(beliefs)}
    return figures


if __name__ == "__main__":
    main()
