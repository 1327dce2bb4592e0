"""Score of the scripted Hanabi players with themselves, 2 to 5 players, beside what others have published.

Run: ``.venv/bin/python experiments/rule_bots.py``. Takes half a minute on one core and writes
``docs/results/rule-bots.md`` and ``benchmarks/results/rule_bots.json``. The same seed gives the same table, except for
the date and the speed.
"""

import argparse
import dataclasses
import datetime
import json
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np

import offbelief
from offbelief.agents.scripted import RULE_LISTS, ScriptedPolicy, rules, scripted_policy
from offbelief.agents.scripted.bots import LIVES_TO_SPARE
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.kernels import draw_streams
from offbelief.games.hanabi.state import OUT_OF_LIVES
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.streams import new_stream

ROOT = Path(__file__).resolve().parents[1]
BATCH = 1024

IMITATOR = "a network that imitates the bot, 100 games in HLE (aronsar/hoad)"
JAX_PORT = "a port to JAX (jax-aht); said to deviate from the originals"
# Two players, scored as HLE does (0 after the third strike) unless it says cards.
PUBLISHED = [
    ("random", "1.25 cards", "BlindBot (Quuxplusone/Hanabi), the nearest to a random player"),
    ("iggi", "16.16", IMITATOR),
    ("iggi", "11.7", JAX_PORT),
    ("piers", "15.85 (16.41 cards)", IMITATOR),
    ("piers", "11.6", JAX_PORT),
    ("outer", "14.05 (14.34 cards)", IMITATOR),
    ("outer", "0.0", JAX_PORT),
    ("flawed", "0.2", JAX_PORT),
    ("van-den-bergh", "10.46 (11.17 cards)", IMITATOR),
    ("van-den-bergh", "9.3", JAX_PORT),
]

# One step of a player read in another way: (player, its rule, what changes in that step or None to leave it out, the
# change in words). These are all that were tried; they explain differences, and no player was tuned by them.
BY_COIN = {"rule": rules.TELL_PLAYABLE_TO_NEXT}
WORDINGS: list[tuple[str, int, dict[str, int] | None, str]] = [
    ("iggi", rules.TELL_USEFUL, BY_COIN, "tells by a coin, and may repeat what was told"),
    ("iggi", rules.DISCARD_OLDEST, {"rule": rules.DISCARD_RANDOM}, "discards at random instead of the oldest"),
    ("iggi", rules.DISCARD_OSAWA, None, "without Osawa's discard"),
    ("piers", rules.TELL_USEFUL, BY_COIN, "tells by a coin, and may repeat what was told"),
    ("piers", rules.TELL_DISPENSABLE, None, "never tells about dispensable cards"),
    ("outer", rules.DISCARD_RANDOM, {"rule": rules.DISCARD_OLDEST}, "discards the oldest instead of at random"),
    ("flawed", rules.PLAY_MOST_LIKELY, {"when": LIVES_TO_SPARE}, "guesses only while it has lives to spare"),
    ("van-den-bergh", rules.TELL_USEFUL, BY_COIN, "tells by a coin, and may repeat what was told"),
    ("van-den-bergh", rules.TELL_MOST_NEW, None, "discards rather than tell what is merely new"),
    ("van-den-bergh", rules.TELL_MOST_NEW, {"rule": rules.TELL_RANDOM}, "tells at random instead of the most new"),
    (
        "van-den-bergh",
        rules.DISCARD_MOST_LIKELY_USELESS,
        {"rule": rules.DISCARD_OLDEST},
        "discards the oldest instead of the most likely useless",
    ),
    (
        "van-den-bergh",
        rules.DISCARD_MOST_LIKELY_USELESS,
        {"rule": rules.DISCARD_RANDOM},
        "discards at random instead of the most likely useless",
    ),
]


@dataclasses.dataclass(frozen=True)
class Result:
    """What a player scored with itself."""

    bot: str
    players: int
    games: int
    mean: float
    sem: float
    cards_played: float
    perfect: float
    third_strike: float
    turns: float
    decisions_per_second: float


def finished_batches(
    policy: ScriptedPolicy, variant: HanabiVariant, games: int, seed: int
) -> Iterator[tuple[HanabiBatch, float]]:
    """Play games to their end, a batch at a time; with each batch the seconds spent on choosing moves."""
    policy.act(HanabiBatch(variant, 1).states, variant, new_stream(0))  # compiles
    for first in range(0, games, BATCH):
        batch = HanabiBatch(variant, min(BATCH, games - first), seed=seed, first_game=first)
        streams = np.empty(len(batch), dtype=np.uint64)
        draw_streams(new_stream(seed, 2), first, streams)
        seconds = 0.0
        while not batch.is_over.all():
            start = time.perf_counter()
            moves = policy.act(batch.states, variant, streams)
            seconds += time.perf_counter() - start
            batch.step(moves)
        yield batch, seconds


def play(policy: ScriptedPolicy, players: int, games: int, seed: int) -> Result:
    """Play a scripted player with itself at the full game."""
    variant = HanabiVariant(players=players)
    batches, seconds = zip(*finished_batches(policy, variant, games, seed), strict=True)
    states = np.concatenate([batch.states for batch in batches])
    scores = states["score"].astype(float)
    return Result(
        bot=policy.name,
        players=players,
        games=games,
        mean=round(float(scores.mean()), 4),
        sem=round(float(scores.std(ddof=1) / np.sqrt(games)), 4),
        cards_played=round(float(states["fireworks"].sum(axis=1).mean()), 4),
        perfect=round(float((scores == variant.max_score).mean()), 5),
        third_strike=round(float((states["end_reason"] == OUT_OF_LIVES).mean()), 5),
        turns=round(float(states["turn"].mean()), 2),
        decisions_per_second=round(float(states["turn"].sum() / sum(seconds))),
    )


def reworded(bot: str, rule: int, change: dict[str, int] | None) -> ScriptedPolicy:
    """A scripted player with one of its rules changed or left out."""
    steps = [step for step in RULE_LISTS[bot] if step.rule != rule or change is not None]
    return ScriptedPolicy(bot, tuple(step._replace(**(change or {})) if step.rule == rule else step for step in steps))


def table(headings: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def write_page(report: dict[str, Any], results: list[Result], wordings: list[tuple[str, Result]]) -> str:
    """The page docs/results/rule-bots.md."""
    at_two = {result.bot: result for result in results if result.players == 2}
    by_bot = [[bot, *(f"{r.mean:.2f} ± {r.sem:.2f}" for r in results if r.bot == bot)] for bot in RULE_LISTS]
    details = [
        [
            r.bot,
            str(r.players),
            f"{r.mean:.3f} ± {r.sem:.3f}",
            f"{r.cards_played:.2f}",
            f"{100 * r.third_strike:.2f} %",
            f"{100 * r.perfect:.2f} %",
            f"{r.turns:.1f}",
        ]
        for r in results
    ]
    published = [
        [bot, f"{at_two[bot].mean:.2f}", f"{at_two[bot].cards_played:.2f}", figure, source]
        for bot, figure, source in PUBLISHED
    ]
    changes = [[r.bot, words, f"{at_two[r.bot].mean:.2f}", f"{r.mean:.2f} ± {r.sem:.2f}"] for words, r in wordings]
    slowest = min(result.decisions_per_second for result in results) // 1000
    return f"""# Scores of the scripted players

Each player with itself at the full game, {report["games"]:,} games, seed {report["seed"]}, mean ± standard error;
a game lost by its third strike scores 0, as in HLE. Made on {report["date"]} by
`{report["command"]}`; the figures are also in `benchmarks/results/rule_bots.json`. What the players do is on the
[page of the bots](../games/hanabi-bots.md).

{table(["player", "2 players", "3 players", "4 players", "5 players"], by_bot)}

## In full

"Cards" is the mean number of cards played, which is the score where a third strike costs nothing.

{table(["player", "players", "score", "cards", "third strike", "perfect", "turns"], details)}

## Beside published figures (two players)

{table(["player", "ours", "ours, cards", "published", "what was published"], published)}

The figures at hand are not of the original programs but of networks that imitate the bots, over 100 games (if these
spread like ours, the standard error is 0.2 to 0.3), and of ports; none is of our exact rules. So agreement can only be
rough, and what causes a difference has not been separated: an imitator's mistakes, the wording of a rule, or both.

- **IGGI, Piers and Outer** are above their imitators and in the same order by HLE's score.
- **Van den Bergh** is furthest above its imitator. Changing one of its rules moves the score by up to two points (table
  below), so wording can explain part of the distance.
- **Flawed** plays whatever has a chance of 25 %. Three cards in ten are 1s, so it plays blindly from the first turn on
  and is soon out of lives; a score near 0 is what its rules say.
- **Random** and BlindBot play the same number of cards: if BlindBot does what its name says, both end by playing cards
  that they know nothing about.
- **Internal** has no figure to stand beside.
- The **ports** are far below. How a playable card is told matters most in the table below: a changed rule there costs
  IGGI and Piers about four points. What the ports changed we have not looked at.

## How much the wording matters (two players)

The same players with one rule read in another way, on the same games. These are all the changes that were tried; they
explain differences, and the players are as defined, not tuned by them.

{table(["player", "change", "as defined", "changed"], changes)}

## Speed

Choosing moves for {BATCH} games at once ran at {slowest} thousand decisions a second or more, for every player and
number of players, on one core of a machine that did other work too ({report["machine"]}).
"""


def main() -> None:
    """Play, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=10_000, help="games for each player and number of players")
    parser.add_argument("--seed", type=int, default=1, help="deals and coin flips")
    arguments = parser.parse_args()

    results = []
    for players in (2, 3, 4, 5):
        for bot in RULE_LISTS:
            results.append(play(scripted_policy(bot), players, arguments.games, arguments.seed))
            print(results[-1])
    results.sort(key=lambda result: list(RULE_LISTS).index(result.bot))  # stable: players stay in order
    wordings = [
        (words, play(reworded(bot, rule, change), 2, arguments.games, arguments.seed))
        for bot, rule, change, words in WORDINGS
    ]
    report = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "command": " ".join(["python experiments/rule_bots.py", *sys.argv[1:]]),
        "games": arguments.games,
        "seed": arguments.seed,
        "batch": BATCH,
        "machine": f"{platform.machine()}, Python {platform.python_version()}, numba {numba.__version__}",
        "offbelief": offbelief.__version__,
        "results": [dataclasses.asdict(result) for result in results],
        "wordings": [{"change": words, **dataclasses.asdict(result)} for words, result in wordings],
    }
    for path, text in (
        (ROOT / "benchmarks" / "results" / "rule_bots.json", json.dumps(report, indent=1) + "\n"),
        (ROOT / "docs" / "results" / "rule-bots.md", write_page(report, results, wordings)),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
