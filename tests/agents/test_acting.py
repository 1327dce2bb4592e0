import numpy as np
import torch
from torch import nn

from offbelief.agents.acting import (
    IMPOSSIBLE,
    boltzmann_moves,
    explore,
    greedy_moves,
    look,
    look_around,
    paper_epsilons,
    value_chosen,
    value_moves,
)
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


def test_everybody_looks_in_turn_from_the_acting_seat_on():
    game = HanabiGame("full-3p")
    states = game.deal(6, 0)
    states["acting_seat"] = [0, 1, 2, 0, 1, 2]
    seen = look_around(game, states, torch.device("cpu"))
    assert (6, 3, game.observation_size) == seen.observations.shape
    for index in range(6):
        for offset in range(3):
            seat = np.array([(index + offset) % 3])
            assert np.array_equal(game.observe(states[index : index + 1], seat)[0], seen.observations[index, offset])
    assert np.array_equal(game.legal_moves(states), seen.legal)


def test_chosen_moves_are_valued():
    game = HanabiGame("mini")
    states = game.deal(20, 0)
    chosen = game.legal_moves(states).argmax(axis=1)
    seen = look(game, states, torch.device("cpu"))
    assert np.array_equal(chosen, value_chosen(_Constant(), seen, torch.from_numpy(chosen)))


def test_boltzmann_moves_follow_the_softmax():
    size = 30_000
    values = torch.tensor([1.0, 1.5, IMPOSSIBLE, 0.0]).expand(size, 4)
    moves = boltzmann_moves(values, 0.5, make_streams(0, 1, size))
    weights = np.exp(np.array([2.0, 3.0, 0.0]))  # Q / T of the legal moves
    expected = weights / weights.sum()
    shares = np.bincount(moves, minlength=4) / size
    assert 0 == shares[2]
    assert np.allclose(expected, shares[[0, 1, 3]], atol=5 * np.sqrt(0.25 / size))


def test_cold_boltzmann_moves_are_greedy_and_hot_ones_uniform():
    values = torch.tensor([0.0, 0.1, 0.05, IMPOSSIBLE]).expand(6000, 4)
    assert (boltzmann_moves(values, 1e-4, make_streams(0, 1, 6000)) == 1).all()
    shares = np.bincount(boltzmann_moves(values, 1e4, make_streams(0, 1, 6000)), minlength=4) / 6000
    assert np.allclose([1 / 3, 1 / 3, 1 / 3, 0], shares, atol=0.03)


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
