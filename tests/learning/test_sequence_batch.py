"""Games played again are the games that were played."""

import numpy as np
import pytest
import torch

from offbelief.agents.networks.building import build_recurrent
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.agents.seat_views import SeatViews, hanabi_views
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.beliefs.table_game import TableGame
from offbelief.games.random_game import RandomGameSettings, random_game
from offbelief.games.tree import unroll
from offbelief.learning.methods.auxiliary import card_labels
from offbelief.learning.methods.other_play import RenamedGame
from offbelief.learning.replay import ReplaySettings
from offbelief.learning.sequence_batch import play_again
from offbelief.learning.sequence_replay import DrawnGames, GameReplay, PlayedGames
from offbelief.learning.sequence_rollout import SequenceRollout
from offbelief.streams import new_stream

CPU = torch.device("cpu")


def make_views(kind):
    if kind == "table":
        settings = RandomGameSettings(players=3, horizon=5, chance=2, ragged=True, ending=0.1)
        return SeatViews(TableGame(unroll(random_game(3, settings))))
    game = HanabiGame("3p-2c-3r-h3-i5-l3" if kind == "three" else "mini", "v0-belief")
    if kind == "renamed":
        played = RenamedGame(game)
        return SeatViews(
            played, game.variant, greedy_move=True, as_seen=lambda s, seats: game.rename(s, played.names(s, seats))
        )
    return hanabi_views(game, greedy_move=kind == "greedy")


@pytest.mark.parametrize("kind", ["plain", "three", "greedy", "renamed", "table"])
def test_views_moves_and_rewards_come_back_as_they_were_seen(kind):
    views = make_views(kind)
    torch.manual_seed(0)
    network = build_recurrent(views, RecurrentSettings(width=8))
    rollout = SequenceRollout(views, network, 6, 4, (0.2, 0.8), temperature=0.0, device=CPU, keeps_targets=True)
    seen = [[] for _ in range(6)]
    finished = []
    for step in range(80):
        rollout.look(network)
        moves = rollout.act(network)
        acting = views.game.acting_seats(rollout.states)
        before = rollout.states.copy()
        observations, legal = rollout.observations.numpy(), rollout.legal.numpy()
        marks = np.arange(6) + 100.0 * step + np.zeros((views.game.num_seats, 1))
        played = rollout.advance(moves, marks)
        rewards = views.game.step(before, moves)
        ended = np.flatnonzero(views.game.is_over(before))
        for game in range(6):
            seen[game].append(
                (observations[:, game], legal[:, game], acting[game], moves[game], rewards[game], marks[0, game])
            )
        assert len(ended) == len(played.lengths)
        for place, game in enumerate(ended):
            finished.append((played.pick(np.array([place])), seen[game]))
            seen[game] = []
    assert len(finished) > 5
    for played, steps in finished:
        everybody = np.arange(views.game.num_seats)[None]
        batch = play_again(views, DrawnGames(played, everybody, np.zeros(1, int), None), CPU)
        assert len(steps) == batch.observations.shape[0] == played.lengths[0]
        assert batch.running.all()
        for turn, (observations, legal, acting, move, reward, mark) in enumerate(steps):
            assert np.array_equal(observations, batch.observations[turn].numpy())
            assert np.array_equal(legal, batch.legal[turn].numpy())
            expected = np.where(everybody[0] == acting, move, views.waiting)
            assert np.array_equal(expected, batch.moves[turn].numpy())
            assert reward == batch.rewards[turn, 0]
            assert mark == batch.targets[turn, 0]


def test_shorter_games_are_padded_and_seats_are_those_drawn():
    views = make_views("plain")
    game = views.game
    states = game.deal(2, 0)
    room = PlayedGames.make_room(states, 2, game.max_turns, greedy_moves=False, targets=False)
    discard = 0
    legal = game.legal_moves(states)
    hint = [int(np.flatnonzero(row)[-1]) for row in legal]
    room.moves[0, :2] = [hint[0], discard]
    room.moves[1, 0] = hint[1]
    room.lengths[:] = [2, 1]
    replay = GameReplay(ReplaySettings(capacity=4), states.dtype, num_seats=2, max_turns=game.max_turns)
    replay.add(room)
    drawn = replay.sample(64, new_stream(0))
    batch = play_again(views, drawn, CPU, lambda games, seats: card_labels(games, game.variant, seats))
    assert 2 == len(batch.rewards)
    second = drawn.places // 2 == 1
    assert np.array_equal(~second, batch.running[1].numpy())
    # Seat 0 begins: its first move is the hint, and seat 1 waits.
    waits = drawn.seats[:, 0] == 1
    assert np.all(batch.moves[0].numpy()[waits] == views.waiting)
    assert np.all(batch.moves[0].numpy()[~waits] == np.array(hint)[second[~waits].astype(int)])
    own = states["hands"][drawn.places // 2, drawn.seats[:, 0], : game.variant.hand_size]
    playable = own % game.variant.ranks == 0  # nothing has been played yet
    assert np.array_equal(playable, batch.labels[0].numpy() == 0)
