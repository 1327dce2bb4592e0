"""Rollouts of seats that remember: whose rate explores, what a fresh game begins with, and what is kept."""

import numpy as np
import pytest
import torch

from offbelief.agents.networks.building import build_recurrent
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.agents.seat_views import hanabi_views
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.games.batched import NO_MOVE
from offbelief.learning.sequence_rollout import SequenceRollout, play_greedy_games

CPU = torch.device("cpu")
SIZE = 64


def make(rates=(0.0,), temperature=0.0, seed=0):
    views = hanabi_views(HanabiGame("mini", "v0-belief"))
    torch.manual_seed(0)
    network = build_recurrent(views, RecurrentSettings(width=8))
    rollout = SequenceRollout(
        views, network, SIZE, seed, rates, temperature=temperature, device=CPU, keeps_targets=False
    )
    return rollout, network


def play(rollout, network, steps):
    """Play some steps; gives how often each seat left its best move, and the finished games."""
    left, turns, finished = np.zeros(2), np.zeros(2), []
    for _ in range(steps):
        rollout.look(network)
        moves = rollout.act(network)
        acting = rollout.game.acting_seats(rollout.states)
        left += [np.sum((moves != rollout.intended)[acting == seat]) for seat in (0, 1)]
        turns += [np.sum(acting == seat) for seat in (0, 1)]
        finished.append(rollout.advance(moves))
    return left / np.maximum(turns, 1), finished


def test_every_seat_explores_at_its_own_rate():
    rollout, network = make()
    rollout.epsilons[1] = 1.0
    left, _ = play(rollout, network, 2)
    assert 0.0 == left[0]
    assert left[1] > 0.6  # exploration may try the best move too


def test_seats_draw_their_rates_when_a_game_begins():
    rates = (0.1, 0.2, 0.3)
    rollout, network = make(rates)
    drawn = rollout.epsilons.copy()
    assert set(rates) == set(drawn.ravel())
    assert not np.array_equal(drawn[0], drawn[1])
    _, finished = play(rollout, network, 1)
    assert 0 == len(finished[0].lengths)
    assert np.array_equal(drawn, rollout.epsilons)
    play(rollout, network, 40)  # every game has ended at least once
    assert not np.array_equal(drawn, rollout.epsilons)


def test_exploration_tries_all_legal_moves_alike():
    rollout, network = make((1.0,))
    rollout.look(network)
    legal = rollout.game.legal_moves(rollout.states)
    tried = np.zeros(legal.shape)
    for _ in range(400):
        tried[np.arange(SIZE), rollout.act(network)] += 1
    assert np.all(tried[~legal] == 0)
    expected = 400 / legal.sum(axis=1)
    assert np.all(np.abs(tried - expected[:, None])[legal] < 6 * np.sqrt(expected.max()))


@pytest.mark.parametrize(("temperature", "is_soft"), [(1e-6, False), (10.0, True)])
def test_temperature_softens_the_choice(temperature, is_soft):
    left, _ = play(*make(temperature=temperature), 3)
    assert is_soft == bool(left.sum() > 0.3)


def test_fresh_games_begin_with_nothing_remembered():
    rollout, network = make((1.0,))
    ended = []
    for _ in range(12):
        rollout.look(network)
        lengths = rollout.games.lengths.copy()
        played = rollout.advance(rollout.act(network))
        fresh = rollout.games.lengths == 0
        assert fresh.sum() == len(played.lengths)
        assert np.array_equal(lengths[fresh] + 1, played.lengths)
        assert not rollout.memory[:, fresh].any()
        assert rollout.memory[:, ~fresh].any(dim=-1).all()
        assert np.array_equal(rollout.games.starts[fresh], rollout.states[fresh])
        assert np.all(rollout.games.moves[fresh] == NO_MOVE)
        ended += played.lengths.tolist()
    assert len(ended) == rollout.finished > 0


def test_same_seed_plays_the_same_games():
    one, other = (play(*make((0.3,), seed=5), 20)[1] for _ in range(2))
    for played, again in zip(one, other, strict=True):
        assert np.array_equal(played.moves, again.moves)


def test_greedy_games_end_and_earn_what_their_scores_say():
    rollout, network = make()
    states = rollout.game.deal(SIZE, 9)
    earned = play_greedy_games(rollout.views, network, states, CPU)
    assert rollout.game.is_over(states).all()
    assert np.array_equal(earned, states["score"])
