"""n-step returns by hand: rewards are powers of ten, so that every digit of a target says what it counts."""

import numpy as np
import pytest

from offbelief.learning.returns import NStepReturns

NUMBER = np.dtype([("number", np.int64)])


class Script:
    """One game whose rewards and ends are written down; its state is the number of moves made."""

    def __init__(self, rewards, ends):
        self.rewards, self.ends = rewards, ends
        self.states = np.zeros(1, NUMBER)

    def advance(self, moves):
        step = int(self.states["number"][0])
        self.states["number"] += 1
        return np.array([self.rewards[step]], np.float32), np.array([step in self.ends])


def play(script, returns, lanes, value=0.5):
    found = []
    for step, lane in enumerate(lanes):
        states, moves, targets = returns.play(
            script, np.array([lane]), np.array([100 + step]), lambda games: np.full(len(games), value, np.float32)
        )
        found += [
            (int(state["number"]), int(move), float(target))
            for state, move, target in zip(states, moves, targets, strict=True)
        ]
    return found


def returns(lanes, turns, discount=1.0):
    return NStepReturns(lanes=lanes, size=1, turns=turns, discount=discount, state_dtype=NUMBER)


def test_one_lane_is_valued_so_many_moves_later():
    script = Script([1, 10, 100, 1000, 10_000], ends={4})
    found = play(script, returns(lanes=1, turns=3), [0] * 5)
    assert [
        (0, 100, 111.5),  # three rewards and the value before the fourth move
        (1, 101, 1110.5),
        (2, 102, 11_100.0),  # the last three moves see the end of the game and need no value
        (3, 103, 11_000.0),
        (4, 104, 10_000.0),
    ] == sorted(found)


def test_seats_are_valued_at_their_own_turns():
    script = Script([1, 10, 100, 1000, 10_000], ends={4})
    found = play(script, returns(lanes=2, turns=1), [0, 1, 0, 1, 0])
    assert [
        (0, 100, 11.5),
        (1, 101, 110.5),
        (2, 102, 1100.5),
        (3, 103, 11_000.0),
        (4, 104, 10_000.0),
    ] == sorted(found)


def test_nothing_leaks_into_the_next_game():
    script = Script([1, 10, 100, 1000], ends={1, 3})
    found = play(script, returns(lanes=1, turns=3), [0] * 4)
    assert [(0, 100, 11.0), (1, 101, 10.0), (2, 102, 1100.0), (3, 103, 1000.0)] == sorted(found)


def test_rewards_and_value_are_discounted_by_move():
    script = Script([1, 10, 100], ends=set())
    found = play(script, returns(lanes=1, turns=2, discount=0.5), [0] * 3, value=8.0)
    assert [(0, 100, 1 + 5 + 2)] == found


@pytest.mark.parametrize("turns", [1, 2, 4])
def test_every_move_gets_one_target(turns):
    length, ends = 60, {7, 8, 20, 59}
    rng = np.random.default_rng(0)
    script = Script(rng.normal(size=length), ends)
    found = play(script, returns(lanes=2, turns=turns), rng.integers(2, size=length))
    assert list(range(length)) == sorted(state for state, _, _ in found)
