"""Games side by side: what is intended, what is done, and what others are told."""

import numpy as np
import torch
from torch import nn

from offbelief.beliefs.hanabi_game import HanabiGame, ViewSettings
from offbelief.learning.rollout import Rollout

CPU = torch.device("cpu")


class _Numbers(nn.Module):
    """Values every move by its number."""

    def forward(self, observations, legal):
        return torch.arange(legal.shape[1], dtype=torch.float32).expand(legal.shape)


def test_intended_moves_are_announced_and_made_ones_are_made():
    game = HanabiGame("mini", view=ViewSettings(last_move=True, announced=True))
    rollout = Rollout(game, 64, 0, (0.0, 1.0), CPU, announce=game.announce)
    _, _, moves = rollout.act(_Numbers())
    intended = rollout.intended.copy()
    rollout.advance(moves)
    said = game.observe(rollout.states)[:, -game.num_moves :].argmax(axis=1)
    assert np.array_equal(intended, said)
    assert np.array_equal(intended[::2], moves[::2])
    assert not np.array_equal(intended[1::2], moves[1::2])


def test_nothing_is_announced_unless_asked():
    game = HanabiGame("mini", view=ViewSettings(announced=True))
    rollout = Rollout(game, 64, 0, (1.0,), CPU)
    _, _, moves = rollout.act(_Numbers())
    rollout.advance(moves)
    assert np.array_equal(moves, game.observe(rollout.states)[:, -game.num_moves :].argmax(axis=1))


def test_temperature_makes_moves_differ_where_nobody_explores():
    game = HanabiGame("mini")
    cold, warm = Rollout(game, 400, 0, (0.0,), CPU), Rollout(game, 400, 0, (0.0,), CPU, temperature=1.0)
    _, _, cold_moves = cold.act(_Numbers())
    _, _, warm_moves = warm.act(_Numbers())
    assert np.array_equal(cold.intended, cold_moves)
    # The best two legal moves differ by 1 or more in value, so the best is played with probability at least 1 - 1/e.
    assert 0.5 < (warm_moves == warm.intended).mean() < 0.95
    legal = game.legal_moves(warm.states)
    assert legal[np.arange(400), warm_moves].all()
