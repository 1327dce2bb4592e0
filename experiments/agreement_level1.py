"""How often do our level-1 agents choose the move that a published level-1 agent made, and how often each other's?

Example: OFFBELIEF_DATA=data python experiments/agreement_level1.py obl-1-a obl-1-b obl-1-c

At every decision of the recorded two-player games (500 of a published level-1 agent, in $OFFBELIEF_DATA; another file
with --games) each agent's greedy move is compared with the recorded one and with the other agents'. Level 1 is unique
up to ties only, so where moves differ two sorts of ties are counted apart:

- exact: both play, or both discard, cards of which the hints leave the same possible. Grounded play cannot tell them
  apart, so the two moves are worth the same.
- near: the other move is worth as much to the agent, up to a stated difference of Q-values. These fall as the noise of
  training decides.

Prints a table and writes benchmarks/results/agreement_level1.json.
"""

import argparse
import datetime
import itertools
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import torch

from offbelief.agents.acting import look, value_moves
from offbelief.agents.loading import NetworkAgent, load_agent
from offbelief.games.batched import NO_MOVE, pick_games
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.gamefiles import read_games
from offbelief.games.hanabi.records import GameRecord
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import AnyArray, BoolArray, FloatArray, IntArray, UserError

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "agreement_level1.json"
RECORDED = "obl1_games_0000_0499.jsonl.gz"
TIED = (0.001, 0.01, 0.1)
"""Differences of Q-values up to which moves count as nearly tied, in points."""


def main() -> None:
    """Replay the games and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="+", help="of the zoo, or folders of runs")
    parser.add_argument("--games", type=Path, help=f"a file of recorded games; $OFFBELIEF_DATA/{RECORDED} if left out")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    path = arguments.games or Path(os.environ.get("OFFBELIEF_DATA", ".")) / RECORDED
    records = [game for game in read_games(path) if isinstance(game, GameRecord)]
    q_values, recorded, names = replay(records, {name: load_agent(name) for name in arguments.agents})
    found: dict[str, Any] = {
        "recorded": path.name,
        "games": len(records),
        "decisions": len(recorded),
        "tied_within": TIED,
        "date": datetime.date.today().isoformat(),
        "with_recorded": {name: compare(values, recorded, names) for name, values in q_values.items()},
        "with_each_other": {
            f"{one} x {other}": compare_agents(q_values[one], q_values[other], names)
            for one, other in itertools.combinations(q_values, 2)
        },
    }
    arguments.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{len(recorded):,} decisions of {len(records)} games; near ties within {', '.join(map(str, TIED))}")
    rows = {f"{name} x recorded": counted for name, counted in found["with_recorded"].items()}
    for name, counted in {**rows, **found["with_each_other"]}.items():
        near = ", ".join(f"{part:.1%}" for part in counted["nearly_tied"])
        print(f"{name:28} same {counted['same']:.1%}, exactly tied {counted['exactly_tied']:.1%}, nearly {near}")


def replay(records: list[GameRecord], agents: dict[str, Any]) -> tuple[dict[str, FloatArray], IntArray, IntArray]:
    """Look at every decision of recorded games.

    Returns:
        Q-values [N, A] of every agent, the recorded moves [N], and the moves [N, A] with exact ties under one number.
    """
    for name, agent in agents.items():
        if not isinstance(agent, NetworkAgent):
            raise UserError(f"{name} has no Q-values that depend on the present alone; compare level-1 agents.")
    batch = HanabiBatch.from_decks(records[0].variant, [record.deck for record in records])
    q_values: dict[str, list[FloatArray]] = {name: [] for name in agents}
    recorded: list[IntArray] = []
    names: list[IntArray] = []
    for turn in range(max(len(record.moves) for record in records)):
        moves = np.array([record.moves[turn] if turn < len(record.moves) else NO_MOVE for record in records])
        running = np.flatnonzero(moves != NO_MOVE)
        states = pick_games(batch.states, running)
        recorded.append(moves[running])
        names.append(name_moves(states, batch.variant))
        for name, agent in agents.items():
            q_values[name].append(value_moves(agent.network, look(agent.game, states, torch.device("cpu"))).numpy())
        batch.step(np.where(batch.is_over, NO_MOVE, moves))
    return (
        {name: np.concatenate(parts) for name, parts in q_values.items()},
        np.concatenate(recorded),
        np.concatenate(names),
    )


def name_moves(states: AnyArray, variant: HanabiVariant) -> IntArray:
    """[N, A] every move's number; moves of cards that hints leave the same possible have that of the oldest such."""
    games, hand = np.arange(len(states)), variant.hand_size
    seats = states["acting_seat"]
    known = states["possible_colours"][games, seats].astype(np.int64) * 256 + states["possible_ranks"][games, seats]
    alike = (known[:, :hand, None] == known[:, None, :hand]).argmax(axis=2)  # [N, H] the oldest slot like this one
    names = np.tile(np.arange(variant.num_moves), (len(states), 1))
    names[:, :hand] = alike
    names[:, hand : 2 * hand] = hand + alike
    return names


def compare(values: FloatArray, moves: IntArray, names: IntArray) -> dict[str, Any]:
    """Shares of decisions at which an agent's best move is the given one, or tied with it."""
    return _compare(values.argmax(axis=1), moves, names, gaps(values, moves))


def compare_agents(one: FloatArray, other: FloatArray, names: IntArray) -> dict[str, Any]:
    """Shares of decisions at which two agents' best moves are the same, or tied for at least one of them."""
    best_one, best_other = one.argmax(axis=1), other.argmax(axis=1)
    return _compare(best_one, best_other, names, np.minimum(gaps(one, best_other), gaps(other, best_one)))


def _compare(one: IntArray, other: IntArray, names: IntArray, gap: FloatArray) -> dict[str, Any]:
    decisions = np.arange(len(one))
    same = one == other
    alike = names[decisions, one] == names[decisions, other]
    return {
        "same": share(same),
        "exactly_tied": share(alike & ~same),
        "nearly_tied": [share(~alike & (gap < difference)) for difference in TIED],
    }


def gaps(values: FloatArray, moves: IntArray) -> FloatArray:
    """[N] how much less than the best move given moves are worth."""
    return np.asarray(values.max(axis=1) - values[np.arange(len(moves)), moves])


def share(chosen: BoolArray) -> float:
    """Share of True, to four digits."""
    return round(float(chosen.mean()), 4)


if __name__ == "__main__":
    main()
