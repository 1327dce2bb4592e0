import numpy as np
import pytest

from offbelief.errors import UserError
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.state import HANABI_STATE
from offbelief.learning.replay import TransitionReplay
from offbelief.streams import new_stream


def numbered(first, count):
    states = HanabiBatch("mini", count, seed=first).states
    return states, np.arange(first, first + count), np.arange(first, first + count, dtype=np.float32)


def test_newest_transitions_replace_the_oldest():
    replay = TransitionReplay(8, HANABI_STATE)
    for first in (0, 5, 10):
        replay.add(*numbered(first, 5))
    assert 8 == len(replay)
    assert set(range(7, 15)) == set(replay.moves)


def test_samples_keep_state_move_and_target_together():
    replay = TransitionReplay(64, HANABI_STATE)
    states, moves, targets = numbered(0, 40)
    replay.add(states, moves, targets)
    drawn_states, drawn_moves, drawn_targets = replay.sample(200, new_stream(0))
    assert np.array_equal(drawn_moves, drawn_targets)
    assert np.array_equal(states[drawn_moves], drawn_states)
    assert len(np.unique(drawn_moves)) > 35


def test_samples_are_copies():
    replay = TransitionReplay(4, HANABI_STATE)
    replay.add(*numbered(0, 4))
    drawn, _, _ = replay.sample(4, new_stream(0))
    before = replay.states.copy()
    drawn["turn"] += 1
    assert np.array_equal(before, replay.states)


def test_same_stream_draws_the_same():
    replay = TransitionReplay(16, HANABI_STATE)
    replay.add(*numbered(0, 16))
    assert np.array_equal(replay.sample(9, new_stream(3))[1], replay.sample(9, new_stream(3))[1])


def test_empty_replay_says_so():
    with pytest.raises(UserError, match="empty"):
        TransitionReplay(4, HANABI_STATE).sample(1, new_stream(0))


def test_a_hundred_thousand_games_fit_into_three_gigabytes():
    # A full two-player game has fewer than 90 moves; a transition is a record, a move and a target.
    bytes_per_transition = HANABI_STATE.itemsize + 8 + 4
    assert 100_000 * 90 * bytes_per_transition < 3e9
