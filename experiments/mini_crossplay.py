"""Self-play and cross-play of independent runs on `mini`: who can play with a stranger of its own kind?

Example: python experiments/mini_crossplay.py

Trains five seeds each of IQL, VDN, Other-Play and OBL level 1, and one each of SAD and AUX, a minute of one core each.
Finished runs are kept, and a stopped one is resumed. Then every pair of one method plays 1,000 games on the same deals.
Writes benchmarks/results/mini_crossplay.json and docs/results/mini-crossplay.svg; `python benchmarks/tables.py` puts
the figures into the docs.

The same runs answer the remark at the end of the paper's Section 4.6: IQL sees the exact grounded probabilities of its
own cards here, just as OBL does, and what becomes of it is its own doing.
"""

import argparse
import datetime
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from running import last_line, train_once

from offbelief.agents.loading import load_agent
from offbelief.evaluation.plots import figure_as_svg, new_figure
from offbelief.evaluation.tournament import Tournament, play_tournament
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.learning.presets import find_preset

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "mini_crossplay.json"
FIGURE = ROOT / "docs" / "results" / "mini-crossplay.svg"
SEEDS = {"iql": 5, "vdn": 5, "op": 5, "obl-1": 5, "sad": 1, "aux": 1}
STEPS = 600
EVALUATIONS = 6
GAMES = 1000
GAMES_SEED = 4_600_000


def main() -> None:
    """Train what is missing, pair everybody, write figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=Path, default=Path("runs") / "mini-crossplay", help="folder of the runs")
    parser.add_argument("--steps", type=int, default=STEPS, help="of every run")
    parser.add_argument("--seeds", type=int, help="train so many of every method instead")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the figures go")
    parser.add_argument("--figure", type=Path, default=FIGURE, help="where the drawing goes")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    methods: dict[str, Any] = {}
    for method, seeds in SEEDS.items():
        folders = [
            train_once(
                arguments.runs / f"{method}-{seed}",
                replace(find_preset(f"{method}-mini"), seed=seed, steps=arguments.steps, evaluations=EVALUATIONS),
            )
            for seed in range(arguments.seeds or seeds)
        ]
        methods[method] = pair(folders)
        print(f"{method}: self-play {methods[method]['self_play']:.2f}, cross-play {methods[method].get('cross_play')}")
    found = {
        "game": "mini",
        "steps": arguments.steps,
        "games": GAMES,
        "games_seed": GAMES_SEED,
        "date": datetime.date.today().isoformat(),
        "methods": methods,
    }
    arguments.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    arguments.figure.write_bytes(draw(methods))


def pair(folders: list[Path]) -> dict[str, Any]:
    """Play every run with itself and with every other of the same method."""
    agents = {folder.name: load_agent(str(folder)) for folder in folders}
    result = play_tournament(agents, HanabiVariant.parse("mini"), GAMES, GAMES_SEED)
    teams = [played for team, played in zip(result.teams, result.results, strict=True) if len(set(team)) == 1]
    known = [played.as_json()["knowledge"] for played in teams]
    curves = [(folder / "metrics.jsonl").read_text(encoding="utf-8") for folder in folders]
    return {
        **result.self_play.as_json("self_play"),
        **(result.cross_play.as_json("cross_play") if len(folders) > 1 else {}),
        **({"cross_play_sem_over_pairs": result.cross_play_sem_over_pairs} if len(folders) > 1 else {}),
        "matrix": [[round(float(score), 3) for score in row] for row in result.matrix],
        "third_strike": sum(float(played.struck_out.mean()) for played in teams) / len(teams),
        **({"third_strike_cross_play": share_struck_out(result)} if len(folders) > 1 else {}),
        "knowledge": {key: sum(shares[key] for shares in known) / len(known) for key in known[0]},
        "cpu_minutes": [round(last_line(folder)["cpu_minutes"], 2) for folder in folders],
        "first_scores": [round(json.loads(curve.partition("\n")[0])["score"], 3) for curve in curves],
    }


def share_struck_out(result: Tournament) -> float:
    """Share of games between strangers that end with the last strike."""
    teams = zip(result.teams, result.results, strict=True)
    shares = [float(played.struck_out.mean()) for team, played in teams if len(set(team)) > 1]
    return sum(shares) / len(shares)


def draw(methods: dict[str, Any]) -> bytes:
    """Matrices of those methods that have more than one run, side by side."""
    shown = {name: found for name, found in methods.items() if len(found["matrix"]) > 1}
    figure = new_figure(3.0 * len(shown) + 0.8, 3.4)
    figure.patch.set_facecolor("white")
    all_axes = figure.subplots(1, len(shown), squeeze=False)[0]
    image = None
    for axes, (name, found) in zip(all_axes, shown.items(), strict=True):
        image = axes.imshow(found["matrix"], cmap="RdYlGn", vmin=0, vmax=9)
        for row, scores in enumerate(found["matrix"]):
            for column, score in enumerate(scores):
                axes.text(column, row, f"{score:.1f}", ha="center", va="center", fontsize=9)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_title(name)
        axes.set_xlabel(f"self-play {found['self_play']:.2f}\ncross-play {found['cross_play']:.2f}")
    if image is not None:
        figure.colorbar(image, ax=list(all_axes), shrink=0.8, label="score of 9")
    return figure_as_svg(figure)


if __name__ == "__main__":
    main()
