"""Exact values dressed up as networks, and mean targets of every (history, move): what the forms' tests share."""

import numpy as np
import torch
from torch import nn

from offbelief.games.batched import make_streams

CPU = torch.device("cpu")


class TableNetwork(nn.Module):
    """A 'network' that looks the exact Q-values up by the one-hot of the history."""

    def __init__(self, game, q_values):
        super().__init__()
        table = np.full((game.observation_size, game.num_moves), 0.0, np.float32)
        table[game.tree.entry_history, game.tree.entry_action] = q_values
        self.table = torch.from_numpy(table)

    def forward(self, observations, legal):
        return observations @ self.table


class TableValue:
    """A 'learned value' that looks it up, and adds up what it is told to remember.

    Args:
        game: the table game.
        place: from (states, seats) to places of the table.
        table: the exact values.
    """

    def __init__(self, place, table):
        self.place, self.table = place, table
        self.total, self.count = np.zeros(len(table)), np.zeros(len(table))

    def values(self, states, seats):
        return self.table[self.place(states, seats)]

    def remember(self, states, seats, targets):
        np.add.at(self.total, self.place(states, seats), targets)
        np.add.at(self.count, self.place(states, seats), 1)


def targets_by_entry(game, compute, games=3000, turns=6):
    """Mean target of every (history, move) over many fictitious transitions of random play.

    Args:
        game: the table game.
        compute: from (states, moves, streams) to targets.
        games: played side by side.
        turns: of each.

    Returns:
        Means [L] and how many targets they are of [L].
    """
    rng = np.random.default_rng(0)
    states = game.deal(games, 0)
    streams = make_streams(0, 1, games)
    tree = game.tree
    total, count = np.zeros(tree.num_entries), np.zeros(tree.num_entries)
    for _ in range(turns):
        legal = game.legal_moves(states)
        moves = np.array([rng.choice(np.flatnonzero(row)) for row in legal])
        found = compute(states, moves, streams)
        decision = tree.arrays.decision[states["node"]]
        begin = tree.arrays.entry_start[decision]
        slot = [np.flatnonzero(row).tolist().index(move) for row, move in zip(legal, moves, strict=True)]
        np.add.at(total, begin + slot, found)
        np.add.at(count, begin + slot, 1)
        game.step(states, moves)
        game.restart_finished(states)
    return total / np.maximum(count, 1), count


def assert_close_to(exact, found, count, spread, *, least=300):
    """See that means of `count` numbers that spread by `spread` are within five standard errors of the exact ones."""
    often = count >= least
    assert often.sum() >= 4
    assert np.all(np.abs(found - exact)[often] < 5 * 0.5 * spread / np.sqrt(count[often]))
