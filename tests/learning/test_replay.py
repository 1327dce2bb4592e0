import numpy as np
import pytest

from offbelief.errors import UserError
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.state import HANABI_STATE
from offbelief.learning.replay import ReplaySettings, TransitionReplay
from offbelief.streams import new_stream


def numbered(first, count):
    states = HanabiBatch("mini", count, seed=first).states
    return states, np.arange(first, first + count), np.arange(first, first + count, dtype=np.float32)


def test_newest_transitions_replace_the_oldest():
    replay = TransitionReplay(ReplaySettings(capacity=8), HANABI_STATE)
    for first in (0, 5, 10):
        replay.add(*numbered(first, 5))
    assert 8 == len(replay)
    assert set(range(7, 15)) == set(replay.moves)


def test_samples_keep_state_move_and_target_together():
    replay = TransitionReplay(ReplaySettings(capacity=64), HANABI_STATE)
    states, moves, targets = numbered(0, 40)
    replay.add(states, moves, targets)
    drawn = replay.sample(200, new_stream(0))
    drawn_states, drawn_moves, drawn_targets = drawn[:3]
    assert drawn.weights is None
    assert np.array_equal(drawn_moves, drawn_targets)
    assert np.array_equal(states[drawn_moves], drawn_states)
    assert len(np.unique(drawn_moves)) > 35


def test_samples_are_copies():
    replay = TransitionReplay(ReplaySettings(capacity=4), HANABI_STATE)
    replay.add(*numbered(0, 4))
    drawn = replay.sample(4, new_stream(0)).states
    before = replay.states.copy()
    drawn["turn"] += 1
    assert np.array_equal(before, replay.states)


def test_same_stream_draws_the_same():
    replay = TransitionReplay(ReplaySettings(capacity=16), HANABI_STATE)
    replay.add(*numbered(0, 16))
    assert np.array_equal(replay.sample(9, new_stream(3))[1], replay.sample(9, new_stream(3))[1])


def test_empty_replay_says_so():
    with pytest.raises(UserError, match="empty"):
        TransitionReplay(ReplaySettings(capacity=4), HANABI_STATE).sample(1, new_stream(0))


def test_a_hundred_thousand_games_fit_into_three_gigabytes():
    # A full two-player game has fewer than 90 moves; a transition is a record, a move and a target.
    bytes_per_transition = HANABI_STATE.itemsize + 8 + 4
    assert 100_000 * 90 * bytes_per_transition < 3e9


# --- priorities -------------------------------------------------------------------------------------------------------

BY_PRIORITY = ReplaySettings(capacity=8, priority_exponent=0.5, importance_exponent=1.0)


def test_transitions_are_drawn_by_their_errors():
    replay = TransitionReplay(BY_PRIORITY, HANABI_STATE)
    replay.add(*numbered(0, 4))
    replay.renew(np.arange(4), np.array([0.0, 1.0, -4.0, 9.0]))
    drawn = replay.sample(60_000, new_stream(0))
    shares = np.bincount(drawn.moves, minlength=4) / 60_000
    expected = np.sqrt(np.array([0.0, 1.0, 4.0, 9.0]) + 1e-3)
    assert np.allclose(expected / expected.sum(), shares, atol=0.005)


def test_importance_weights_undo_the_priorities():
    replay = TransitionReplay(BY_PRIORITY, HANABI_STATE)
    replay.add(*numbered(0, 4))
    replay.renew(np.arange(4), np.array([1.0, 1.0, 4.0, 9.0]))
    drawn = replay.sample(40_000, new_stream(0))
    assert 1.0 == drawn.weights.max()
    # Weighted by importance, every transition counts the same.
    counted = np.bincount(drawn.moves, drawn.weights, minlength=4)
    assert np.allclose(counted.mean(), counted, rtol=0.05)


def test_new_transitions_come_with_the_largest_priority():
    replay = TransitionReplay(BY_PRIORITY, HANABI_STATE)
    replay.add(*numbered(0, 4))
    replay.renew(np.arange(4), np.array([100.0, 0.0, 0.0, 0.0]))
    replay.add(*numbered(4, 1))
    shares = np.bincount(replay.sample(20_000, new_stream(0)).moves, minlength=5) / 20_000
    assert abs(shares[4] - shares[0]) < 0.02


def test_nonsense_settings_are_refused():
    for wrong in ({"capacity": 0}, {"priority_exponent": -1.0}, {"importance_exponent": 2.0}):
        with pytest.raises(UserError):
            ReplaySettings(**wrong)
