import threading

import numpy as np
import pytest

from offbelief.threads import share_games


@pytest.mark.parametrize(("games", "threads"), [(10, 1), (10, 3), (2, 4), (0, 2), (5000, 2), (70_001, 3)])
def test_every_game_is_worked_on_once(games, threads):
    done = np.zeros(games, np.int64)

    def work(part: slice) -> None:
        done[part] += 1

    share_games(games, threads, work)
    assert (done == 1).all()


def test_threads_work_at_the_same_time():
    # Each waits for the other: with one thread this would never end.
    meeting = threading.Barrier(2, timeout=10)
    share_games(2, 2, lambda part: meeting.wait())


def test_error_in_a_thread_reaches_the_caller():
    def work(part: slice) -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        share_games(4, 2, work)
