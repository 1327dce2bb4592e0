"""How often do level-1 agents choose the move that a published level-1 agent made?

Example: python experiments/agreement_level1.py GAMES.jsonl.gz obl-1-a obl-1-b

GAMES holds recorded two-player games (HLE-style jsonl). At every decision each agent's greedy move is compared with the
recorded one and with the other agents'. Moves whose Q-values differ by less than 0.001 count as tied, apart.
Prints JSON.
"""

import argparse
import itertools
import json
from pathlib import Path

import numpy as np
import torch

from offbelief.agents.acting import look, value_moves
from offbelief.agents.loading import NetworkAgent, load_agent
from offbelief.games.batched import NO_MOVE
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.gamefiles import read_games
from offbelief.games.hanabi.records import GameRecord

TIED = 1e-3


def main() -> None:
    """Replay the games and count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", type=Path)
    parser.add_argument("agents", nargs="+")
    arguments = parser.parse_args()
    agents = {name: load_agent(name) for name in arguments.agents}
    records = [game for game in read_games(arguments.games) if isinstance(game, GameRecord)]
    chosen = {name: [] for name in agents}  # type: dict[str, list[np.ndarray]]
    tied_with_recorded = {name: 0 for name in agents}
    recorded_moves: list[np.ndarray] = []
    batch = HanabiBatch.from_decks(records[0].variant, [record.deck for record in records])
    for turn in range(max(len(record.moves) for record in records)):
        moves = np.array([record.moves[turn] if turn < len(record.moves) else NO_MOVE for record in records])
        running = np.flatnonzero(moves != NO_MOVE)
        recorded_moves.append(moves[running])
        for name, agent in agents.items():
            assert isinstance(agent, NetworkAgent)
            seen = look(agent.game, batch.states[running], torch.device("cpu"))
            values = value_moves(agent.network, seen).numpy()
            best = values.argmax(axis=1)
            gap = values.max(axis=1) - values[np.arange(len(running)), moves[running]]
            tied_with_recorded[name] += int(((best != moves[running]) & (gap < TIED)).sum())
            chosen[name].append(best)
        batch.step(moves)
    recorded = np.concatenate(recorded_moves)
    by_agent = {name: np.concatenate(parts) for name, parts in chosen.items()}
    found = {
        "games": len(records),
        "decisions": len(recorded),
        "agrees_with_recorded": {name: float((best == recorded).mean()) for name, best in by_agent.items()},
        "tied_with_recorded": {name: count / len(recorded) for name, count in tied_with_recorded.items()},
        "agree_with_each_other": {
            f"{one}, {other}": float((by_agent[one] == by_agent[other]).mean())
            for one, other in itertools.combinations(by_agent, 2)
        },
    }
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
