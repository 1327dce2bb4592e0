import numpy as np
import torch
from torch import nn

from offbelief.agents.acting import IMPOSSIBLE, explore, greedy_moves, look, paper_epsilons, value_moves
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.games.batched import make_streams


class _Constant(nn.Module):
    """Values every move by its number."""

    def forward(self, observations, legal):
        return torch.arange(legal.shape[1], dtype=torch.float32).expand(legal.shape)


def test_greedy_move_is_the_best_legal_one():
    game = HanabiGame("mini")
    states = game.deal(20, 0)
    seen = look(game, states, torch.device("cpu"))
    legal = game.legal_moves(states)
    assert np.array_equal([np.flatnonzero(row).max() for row in legal], greedy_moves(_Constant(), seen))
    values = value_moves(_Constant(), seen).numpy()
    assert (values[~legal] == np.float32(IMPOSSIBLE)).all()


def test_look_can_be_narrowed():
    game = HanabiGame("mini")
    seen = look(game, game.deal(5, 0), torch.device("cpu"))
    some = seen[np.array([3, 1])]
    assert torch.equal(seen.observations[[3, 1]], some.observations)
    assert torch.equal(seen.legal[[3, 1]], some.legal)


def test_exploration_follows_rates_and_weights():
    size = 30_000
    moves = np.full(size, 9)
    weights = np.tile(np.array([1.0, 0.0, 3.0], np.float32), (size, 1))
    epsilons = np.resize([0.0, 0.5], size)
    explored = explore(moves, weights, epsilons, make_streams(0, 1, size))
    assert (moves == 9).all()
    assert (explored[::2] == 9).all()
    shares = np.bincount(explored[1::2], minlength=10) / (size / 2)
    assert np.allclose([0.125, 0.0, 0.375], shares[:3], atol=0.01)
    assert abs(0.5 - shares[9]) < 0.01


def test_paper_epsilons_are_those_of_its_table():
    rates = paper_epsilons(80)
    assert 80 == len(rates)
    assert np.isclose(0.1, rates[0])
    assert np.isclose(1e-8, rates[-1])
    assert np.all(np.diff(rates) < 0)
