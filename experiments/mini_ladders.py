"""What keeps higher levels together? Ladders on `mini` with different beliefs and beginnings, five seeds of each.

Example: python experiments/mini_ladders.py

Every seed trains one level 1 for the minutes of the preset, and four ladders to level 4 stand on it:

    plain        the belief reads moves that are always the best ones; belief and level begin with the weights of those
                 below
    mixed        the belief reads (1 - eps) pi + eps uniform with the rates of the preset
    soft         the belief reads moves drawn in proportion to exp(Q / T), the paper's suggestion
    from-scratch as mixed, but every belief and level begins with fresh weights

Then every pair of one kind and level plays 1,000 games on the same deals. Finished runs are kept, and a stopped one is
resumed. Writes benchmarks/results/mini_ladders.json and docs/results/mini-ladders.svg; `python benchmarks/tables.py`
puts the figures into docs/results/ladder.md.
"""

import argparse
import datetime
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from running import train_once

from offbelief.agents.loading import load_agent
from offbelief.evaluation.plots import figure_as_svg, new_figure
from offbelief.evaluation.tournament import play_tournament
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.learning.ladder_presets import BELIEF_SHARE, LADDER_PRESETS
from offbelief.learning.levels import LadderConfig, climb, create_ladder
from offbelief.learning.run import train

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "mini_ladders.json"
FIGURE = ROOT / "docs" / "results" / "mini-ladders.svg"
LEVELS = 4
TEMPERATURE = 0.1
"""Of the moves that a soft belief reads: neighbouring moves are some hundredths of a point apart."""
GAMES = 1000
GAMES_SEED = 4_800_000


def kinds(ladder: LadderConfig) -> dict[str, LadderConfig]:
    """The ladders that are compared."""
    greedy = replace(ladder.belief, exploration=(0.0,))
    return {
        "plain": replace(ladder, belief=greedy),
        "mixed": ladder,
        "soft": replace(ladder, belief=replace(greedy, temperature=TEMPERATURE)),
        "from-scratch": replace(ladder, from_scratch=True),
    }


def short_rungs(ladder: LadderConfig, minutes: float) -> LadderConfig:
    """The ladder with so many CPU-minutes for a belief and its policy; level 1 keeps its own."""
    return replace(
        ladder,
        levels=LEVELS,
        belief=replace(ladder.belief, minutes=BELIEF_SHARE * minutes),
        policy=replace(ladder.policy, minutes=(1 - BELIEF_SHARE) * minutes),
    )


def main() -> None:
    """Climb what is missing, pair everybody, write figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, help="of every kind")
    parser.add_argument("--minutes-per-rung", type=float, default=1.0, help="CPU-minutes of belief and policy together")
    parser.add_argument("--kinds", nargs="+", help="climb only these, and write nothing")
    parser.add_argument("--games", type=int, default=GAMES, help="of every pair")
    parser.add_argument("--runs", type=Path, default=Path("runs") / "mini-ladders", help="folder of the ladders")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the figures go")
    parser.add_argument("--figure", type=Path, default=FIGURE, help="where the drawing goes")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    preset = short_rungs(LADDER_PRESETS["ladder-mini"][1](), arguments.minutes_per_rung)
    compared = {name: ladder for name, ladder in kinds(preset).items() if name in (arguments.kinds or [name])}
    for seed in range(arguments.seeds):
        first = train_once(arguments.runs / f"level-1-{seed}", replace(preset.first, seed=seed))
        for name, ladder in compared.items():
            climb_once(arguments.runs / f"{name}-{seed}", replace(ladder, seed=seed, on=str(first)))
    if arguments.kinds:
        return
    found = {
        "game": "mini",
        "minutes_per_rung": arguments.minutes_per_rung,
        "temperature": TEMPERATURE,
        "exploration": list(preset.belief.exploration),
        "seeds": arguments.seeds,
        "games": arguments.games,
        "games_seed": GAMES_SEED,
        "date": datetime.date.today().isoformat(),
        "level_1": pair([arguments.runs / f"level-1-{seed}" for seed in range(arguments.seeds)], arguments.games),
        "kinds": {
            name: {
                str(level): pair(
                    [arguments.runs / f"{name}-{seed}" / f"level-{level}" for seed in range(arguments.seeds)],
                    arguments.games,
                )
                for level in range(2, LEVELS + 1)
            }
            for name in compared
        },
    }
    arguments.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    arguments.figure.write_bytes(draw(found))


def climb_once(folder: Path, ladder: LadderConfig) -> None:
    """Climb a ladder from where it stands."""
    if not (folder / "ladder.json").exists():
        create_ladder(folder, ladder)
    climb(folder, lambda run: train(run, report=lambda progress: None))
    print(f"{folder.name}: climbed", flush=True)


def pair(folders: list[Path], games: int) -> dict[str, Any]:
    """Self-play and cross-play of runs that differ in their seeds."""
    agents = {str(number): load_agent(str(folder)) for number, folder in enumerate(folders)}
    result = play_tournament(agents, HanabiVariant.parse("mini"), games, GAMES_SEED)
    return {
        **result.self_play.as_json("self_play"),
        **result.cross_play.as_json("cross_play"),
        "cross_play_sem_over_pairs": result.cross_play_sem_over_pairs,
        "matrix": [[round(float(score), 3) for score in row] for row in result.matrix],
    }


def draw(found: dict[str, Any]) -> bytes:
    """Self-play and cross-play by level, a panel for every kind."""
    figure = new_figure(2.6 * len(found["kinds"]) + 0.8, 3.2)
    figure.patch.set_facecolor("white")
    all_axes = figure.subplots(1, len(found["kinds"]), squeeze=False, sharey=True)[0]
    for axes, (name, by_level) in zip(all_axes, found["kinds"].items(), strict=True):
        rows = [found["level_1"], *by_level.values()]
        levels = list(range(1, len(rows) + 1))
        for play, style in (("self_play", "o-"), ("cross_play", "s--")):
            axes.errorbar(
                levels,
                [row[play] for row in rows],
                [row[f"{play}_sem"] or 0.0 for row in rows],
                fmt=style,
                capsize=3,
                label=play.replace("_", "-"),
            )
        axes.set_xticks(levels)
        axes.set_title(name)
        axes.set_xlabel("level")
    all_axes[0].set_ylabel("score of 9")
    all_axes[0].legend()
    return figure_as_svg(figure)


if __name__ == "__main__":
    main()
