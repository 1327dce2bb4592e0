"""Sharing a batch of games among threads.

Kernels release the GIL, so plain Python threads run them side by side, each on its own slice of the games. This scales
better than numba's parallel loops: there, the threads share every array's reference count, and counting costs more than
playing. It also works from any number of Python threads at once.
"""

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

PARTS_PER_THREAD = 8
GAMES_PER_PART = 256


def share_games(games: int, threads: int, work: Callable[[slice], None]) -> None:
    """Let threads share the games.

    Args:
        games: How many.
        threads: How many threads; 1 does the work in the caller's.
        work: Called with slices of the games, in any order; calls must not touch each other's games.
    """
    if threads == 1:
        work(slice(0, games))
        return
    # More parts than threads, where they are large enough to pay: whoever is done first takes the next.
    count = threads * max(1, min(PARTS_PER_THREAD, games // (threads * GAMES_PER_PART)))
    parts = [slice(games * part // count, games * (part + 1) // count) for part in range(count)]
    for _ in _pool(threads).map(work, parts):
        pass


@functools.cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="offbelief")
