"""The forms of off-belief learning at the same budget: how fast does each learn, where does it end, and do they mix?

Example: python experiments/compare_forms.py --game full-2p --minutes 12 --seeds 1 --again 2 3

Trains level 1 with continuation (lambda) 0, 0.5, 0.7 and 1, with a critic, and with lambda 0.7 that settles at 0, each
for so many CPU-minutes of one core; gives the two best forms some more seeds, if asked to; and then plays every agent
with itself and with every other. Finished runs are kept, and a stopped one is resumed, so the script can be started
again at any time. Forms are timed side by side first,
with trained weights (an untrained policy ends its games early), and what a step costs decides how many steps each form
gets: `steps.json` beside the runs.

Writes benchmarks/results/forms-GAME.json and docs/results/forms-GAME.svg; `python benchmarks/tables.py` puts the
figures into docs/results/forms.md. Scores are over 5,000 games whose deals are used for nothing else.
"""

import argparse
import datetime
import itertools
import json
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from running import train_once

from offbelief.agents.loading import NetworkAgent, load_agent
from offbelief.agents.networks.cardwise import CardwiseNetwork
from offbelief.allocation import keep_freed_memory
from offbelief.evaluation.match import Agent, play_all_orders
from offbelief.evaluation.plots import draw_learning_curves, figure_as_svg
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.learning.config import RunConfig
from offbelief.learning.fictitious import FictitiousSettings
from offbelief.learning.presets import find_preset
from offbelief.learning.train_policy import PolicyTraining

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
FIGURES = ROOT / "docs" / "results"
PRESETS = {"full-2p": "obl-1-2p", "mini": "obl-1-mini"}
THRESHOLDS = {"full-2p": (20.5, 20.8), "mini": (7.0, 7.5)}
FINAL_SEED, FINAL_GAMES = 20_210_715, 5000  # as in add_to_zoo.py
PAIR_SEED = 4_500_000
TIMED_STEPS = 20


def forms(game: str) -> dict[str, FictitiousSettings]:
    """What is compared, by name."""
    to_the_end = HanabiVariant.parse(game).max_turns
    rounds = {0.0: 0, 0.5: 3, 0.7: 4, 1.0: to_the_end}
    by_lambda = {
        f"lambda-{share:g}": FictitiousSettings(continuation=share, max_rounds=most) for share, most in rounds.items()
    }
    settling = FictitiousSettings(final_continuation=0.0, final_from=0.5)
    return {**by_lambda, "critic": FictitiousSettings(form="critic"), "settling": settling}


def main() -> None:
    """Train what is missing, evaluate, pair, write figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=sorted(PRESETS), default="full-2p")
    parser.add_argument("--minutes", type=float, default=12.0, help="CPU-minutes of one core for every run")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--again", type=int, nargs="+", default=[], help="further seeds, for the two best forms")
    parser.add_argument("--forms", nargs="+", help="train only these, such as lambda-0.7 critic, and write nothing")
    parser.add_argument("--games", type=int, default=FINAL_GAMES, help="of every agent with itself")
    parser.add_argument("--pair-games", type=int, default=1000, help="of every pairing")
    parser.add_argument("--runs", type=Path, default=Path("runs") / "forms", help="folder of the runs")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder of the result file")
    parser.add_argument("--figures", type=Path, default=FIGURES, help="folder of the drawing")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    keep_freed_memory()
    home = arguments.runs / arguments.game
    evaluations = min(30, max(5, round(12 * arguments.minutes)))
    preset = replace(find_preset(PRESETS[arguments.game]), minutes=arguments.minutes, evaluations=evaluations)
    # Forms differ in how far their targets lie apart; here all errors count alike, as in the paper.
    preset = replace(preset, learner=replace(preset.learner, certainty=0.0))
    chosen = {name: form for name, form in forms(arguments.game).items() if name in (arguments.forms or [name])}
    steps = plan_steps(home, preset, forms(arguments.game))
    variant = HanabiVariant.parse(arguments.game)
    agents: dict[tuple[str, int], Agent] = {}
    runs: list[dict[str, Any]] = []

    def train_and_describe(names: Iterable[str], seeds: Iterable[int]) -> None:
        for seed, name in itertools.product(seeds, names):
            config = replace(preset, seed=seed, steps=steps[name], fictitious=chosen[name])
            folder = train_once(home / f"{name}-{seed}", config)
            agents[name, seed] = load_agent(str(folder))
            runs.append(describe(name, seed, folder, agents[name, seed], variant, arguments.games))

    train_and_describe(chosen, arguments.seeds)
    if arguments.forms:
        return
    train_and_describe(two_best(runs), arguments.again)
    runs.sort(key=lambda run: list(chosen).index(run["form"]))
    found = {
        "game": arguments.game,
        "minutes": arguments.minutes,
        "command": f"python experiments/compare_forms.py --game {arguments.game} --minutes {arguments.minutes:g} "
        f"--seeds {' '.join(map(str, arguments.seeds))}"
        + (f" --again {' '.join(map(str, arguments.again))}" if arguments.again else ""),
        "date": datetime.date.today().isoformat(),
        "games": arguments.games,
        "games_seed": FINAL_SEED,
        "pair_games": arguments.pair_games,
        "thresholds": THRESHOLDS[arguments.game],
        "runs": runs,
        "cross_play": pair(home, agents, variant, arguments.pair_games),
    }
    stem = f"forms-{arguments.game}"
    (arguments.results / f"{stem}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    (arguments.figures / f"{stem}.svg").write_bytes(draw(runs))


def plan_steps(home: Path, preset: RunConfig, compared: dict[str, FictitiousSettings]) -> dict[str, int]:
    """How many steps of every form make up the planned minutes; measured once and kept beside the runs.

    Forms that came later are timed beside the first, and get as many steps as their cost beside its cost allows.
    """
    kept = home / "steps.json"
    steps: dict[str, int] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    if not steps.keys() >= compared.keys():
        reference = reference_agent(home, preset)
        timed = {name: prepare(replace(preset, fictitious=form), reference) for name, form in compared.items()}
        seconds = dict.fromkeys(timed, 0.0)
        for step, (name, training) in itertools.product(range(TIMED_STEPS + 5), timed.items()):
            started = time.process_time()
            training.advance()
            seconds[name] += (step >= 5) * (time.process_time() - started)
        first = next(iter(steps), None)
        cost = steps[first] * seconds[first] if first else 60 * preset.minutes * TIMED_STEPS
        steps = {name: round(cost / spent) for name, spent in seconds.items()} | steps
        home.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(steps, indent=1) + "\n", encoding="utf-8")
    print(f"steps of every run: {steps}", flush=True)
    return steps


def reference_agent(home: Path, preset: RunConfig) -> NetworkAgent:
    """An agent that plays well enough for its games to take their usual time."""
    if preset.game == "full-2p":
        agent = load_agent("obl-1-a")
    else:
        folder = train_once(home / "reference", replace(preset, seed=0, minutes=min(1.0, preset.minutes)))
        agent = load_agent(str(folder))
    assert isinstance(agent, NetworkAgent)
    return agent


def prepare(config: RunConfig, reference: NetworkAgent) -> PolicyTraining:
    """A training that begins with the reference's weights, in a network like its own."""
    assert isinstance(reference.network, CardwiseNetwork)
    training = PolicyTraining(replace(config, network=reference.network.settings, warmup=1))
    for network in training.learner.networks().values():
        network.load_state_dict(reference.network.state_dict())
    return training


def describe(name: str, seed: int, folder: Path, agent: Agent, variant: HanabiVariant, games: int) -> dict[str, Any]:
    """What a finished run is worth; evaluated once and kept in its folder."""
    kept = folder / f"final-{games}.json"
    if not kept.exists():
        result = play_all_orders([agent] * variant.players, variant, games, FINAL_SEED)
        kept.write_text(json.dumps(result.as_json()) + "\n", encoding="utf-8")
    final = json.loads(kept.read_text(encoding="utf-8"))
    curve = [json.loads(line) for line in (folder / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
    return {
        "form": name,
        "seed": seed,
        "steps": curve[-1]["steps"],
        "transitions": curve[-1]["transitions"],
        "cpu_minutes": round(curve[-1]["cpu_minutes"], 2),
        "score": round(final["mean"], 3),
        "sem": round(final["sem"], 3),
        "third_strike": final["bomb"],
        "knowledge": {key: round(share, 4) for key, share in final["knowledge"].items()},
        "minutes_to": {
            f"{threshold:g}": next((round(at["cpu_minutes"], 2) for at in curve if at["score"] >= threshold), None)
            for threshold in THRESHOLDS[variant.name]
        },
        "curve": [{key: round(at[key], 3) for key in ("cpu_minutes", "score")} for at in curve],
    }


def two_best(runs: list[dict[str, Any]]) -> list[str]:
    """The two forms with the highest mean score."""
    scores: dict[str, list[float]] = {}
    for run in runs:
        scores.setdefault(run["form"], []).append(run["score"])
    return sorted(scores, key=lambda form: -np.mean(scores[form]))[:2]


def pair(home: Path, agents: dict[tuple[str, int], Agent], variant: HanabiVariant, games: int) -> list[dict[str, Any]]:
    """Cross-play between forms: the mean over all pairs of different runs; what was played before is kept."""
    kept = home / f"pairs-{games}.json"
    played: dict[str, float] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    by_forms: dict[tuple[str, str], list[float]] = {}
    for one, other in itertools.combinations(agents, 2):
        key = f"{one[0]}-{one[1]} x {other[0]}-{other[1]}"
        if key not in played:
            played[key] = play_all_orders([agents[one], agents[other]], variant, games, PAIR_SEED).mean
            kept.write_text(json.dumps(played, indent=1) + "\n", encoding="utf-8")
        by_forms.setdefault((one[0], other[0]), []).append(played[key])
    return [
        {"forms": list(forms_paired), "pairs": len(scores), "score": round(float(np.mean(scores)), 3)}
        for forms_paired, scores in by_forms.items()
    ]


def draw(runs: list[dict[str, Any]]) -> bytes:
    """Mean learning curve of every form, with standard errors over seeds."""
    curves: dict[str, list[dict[str, float]]] = {}
    for name in dict.fromkeys(run["form"] for run in runs):
        seeds = [run["curve"] for run in runs if run["form"] == name]
        minutes = [[at["cpu_minutes"] for at in curve] for curve in seeds]
        # Runs are evaluated at moments of their own: read all curves at the same minutes, which every seed reached.
        common = np.linspace(max(at[0] for at in minutes), min(at[-1] for at in minutes), min(map(len, minutes)))
        scores = np.array(
            [
                np.interp(common, at, [point["score"] for point in curve])
                for at, curve in zip(minutes, seeds, strict=True)
            ]
        )
        spread = scores.std(axis=0, ddof=1) / np.sqrt(len(seeds)) if len(seeds) > 1 else np.zeros(len(common))
        curves[name] = [
            {"cpu_minutes": at, "score": score, "sem": error}
            for at, score, error in zip(common, scores.mean(axis=0), spread, strict=True)
        ]
    figure = draw_learning_curves(curves)
    figure.patch.set_facecolor("white")
    best = max(at["score"] for curve in curves.values() for at in curve)
    figure.axes[0].set_ylim(0.93 * best, 1.01 * best)  # forms differ in the last points
    return figure_as_svg(figure)


if __name__ == "__main__":
    main()
