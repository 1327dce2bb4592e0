"""Games are kept as deals and moves: what comes out is what went in, and it is small."""

import numpy as np
import pytest

from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.errors import UserError
from offbelief.games.batched import NO_MOVE
from offbelief.games.hanabi.state import HANABI_STATE
from offbelief.learning.replay import ReplaySettings
from offbelief.learning.sequence_replay import GameReplay, PlayedGames
from offbelief.streams import new_stream

SEATS, TURNS = 2, 6


def some_games(count, first=0, **kept):
    """Games that can be told apart by their number."""
    starts = np.zeros(count, HANABI_STATE)
    numbers = first + np.arange(count)
    starts["turn"] = numbers
    games = PlayedGames.make_room(starts, SEATS, TURNS, **{"greedy_moves": False, "targets": False, **kept})
    for array in (games.moves, games.greedy_moves, games.targets):
        if array is not None:
            array[...] = numbers.reshape(-1, *[1] * (array.ndim - 1))
    games.lengths[:] = 1 + numbers % TURNS
    return games


def replay_of(capacity, *, joint=False, kept=True, **settings):
    return GameReplay(
        ReplaySettings(capacity=capacity, **settings),
        HANABI_STATE,
        num_seats=SEATS,
        max_turns=TURNS,
        is_joint=joint,
        keeps_greedy_moves=kept,
        keeps_targets=kept,
    )


def test_drawn_sequences_are_whole_games_of_the_newest():
    replay = replay_of(20)
    for first in range(0, 28, 7):
        replay.add(some_games(7, first, greedy_moves=True, targets=True))
    assert 28 == replay.added
    assert 20 == len(replay)  # ten games, two seats each
    drawn = replay.sample(500, new_stream(0))
    numbers = drawn.games.starts["turn"].astype(int)
    assert set(range(18, 28)) == set(numbers)
    assert {0, 1} == set(drawn.seats[:, 0])
    assert np.array_equal(drawn.games.moves, np.tile(numbers[:, None], TURNS))
    assert np.array_equal(drawn.games.greedy_moves, drawn.games.moves)
    assert np.array_equal(drawn.games.lengths, 1 + numbers % TURNS)
    assert np.array_equal(drawn.games.targets[:, 1, 2], numbers)


def test_joint_sequences_have_all_seats():
    replay = replay_of(20, joint=True)
    replay.add(some_games(5, greedy_moves=True, targets=True))
    assert 5 == len(replay)
    assert np.array_equal(np.tile([0, 1], (8, 1)), replay.sample(8, new_stream(0)).seats)


def test_more_games_than_room_leave_the_newest():
    replay = replay_of(6, kept=False)
    replay.add(some_games(8))
    assert {5, 6, 7} == set(replay.sample(100, new_stream(0)).games.starts["turn"].tolist())


def test_priorities_decide_what_is_drawn_and_weights_correct_for_them():
    replay = replay_of(8, kept=False, priority_exponent=0.9, importance_exponent=0.6)
    replay.add(some_games(4))
    places = np.arange(8)
    replay.renew(places, np.where(places == 5, 3.0, 1.0))
    drawn = replay.sample(8000, new_stream(1))
    expected = (np.where(places == 5, 3.0, 1.0) + 1e-3) ** 0.9
    expected /= expected.sum()
    assert expected == pytest.approx(np.bincount(drawn.places, minlength=8) / 8000, abs=0.01)
    assert np.all(drawn.games.starts["turn"] == drawn.places // 2)
    assert np.all(drawn.seats[:, 0] == drawn.places % 2)
    likely, unlikely = (drawn.weights[drawn.places == place][0] for place in (5, 0))
    assert 1.0 == unlikely
    assert (expected[0] / expected[5]) ** 0.6 == pytest.approx(likely, rel=1e-5)


def test_new_games_come_first_whatever_the_errors_before():
    replay = replay_of(8, kept=False, priority_exponent=1.0)
    replay.add(some_games(2))
    replay.renew(np.arange(4), np.array([50.0, 0.0, 0.0, 0.0]))
    replay.add(some_games(1, 2))
    drawn = np.bincount(replay.sample(3000, new_stream(1)).places, minlength=6)
    assert drawn[4:6] == pytest.approx([1000, 1000], rel=0.1)


@pytest.mark.parametrize(("players", "limit"), [(2, 0.15e9), (5, 0.25e9)])
def test_hundred_thousand_full_games_take_a_tenth_of_what_they_may(players, limit):
    game = HanabiGame(f"full-{players}p", "v0-belief")
    sizes = {"num_seats": players, "max_turns": game.max_turns, "keeps_greedy_moves": True, "keeps_targets": True}
    small = GameReplay(ReplaySettings(capacity=1000 * players, priority_exponent=0.9), HANABI_STATE, **sizes)
    record = HANABI_STATE.itemsize + 2 * 2 * game.max_turns + 2 + 4 * players * game.max_turns
    tree = 2 * 8 * (1 << (1000 * players - 1).bit_length())
    assert 1000 * record + tree + 8 == small.num_bytes
    assert 100 * small.num_bytes < limit


def test_hundred_thousand_full_games_really_fit():
    # A real fill: what numpy reports is what is there, since no array grows.
    games = 100_000
    replay = GameReplay(
        ReplaySettings(capacity=2 * games, priority_exponent=0.9),
        HANABI_STATE,
        num_seats=2,
        max_turns=HanabiGame("full-2p").max_turns,
        keeps_targets=True,
    )
    chunk = PlayedGames.make_room(
        np.zeros(10_000, HANABI_STATE), 2, replay.games.moves.shape[1], greedy_moves=False, targets=True
    )
    chunk.moves[:] = 7
    chunk.lengths[:] = 60
    for number in range(10):
        chunk.starts["turn"] = number
        replay.add(chunk)
    assert 2 * games == len(replay)
    assert set(range(10)) == set(replay.sample(2000, new_stream(0)).games.starts["turn"].tolist())
    assert replay.num_bytes < 0.13e9


def test_empty_or_useless_replay_is_one_sentence():
    with pytest.raises(UserError, match="empty"):
        replay_of(4).sample(1, new_stream(0))
    with pytest.raises(UserError, match="no room"):
        replay_of(1)


def test_room_is_empty():
    room = some_games(2, greedy_moves=False)
    fresh = PlayedGames.make_room(room.starts, SEATS, TURNS, greedy_moves=True, targets=True)
    assert np.all(fresh.moves == NO_MOVE)
    assert np.all(fresh.greedy_moves == NO_MOVE)
    assert np.isnan(fresh.targets).all()
    assert 0 == fresh.lengths.sum()
