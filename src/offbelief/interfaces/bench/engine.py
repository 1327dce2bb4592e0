"""`obl bench engine`: Hanabi steps per second, bare and with an encoded observation, beside open_spiel.

A step is: the legal mask, a random legal move, the move, and a new deal where the game has ended. The rival plays the
same way through its Python interface.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from offbelief.games.hanabi.batch import HanabiBatch, RandomPlay
from offbelief.games.hanabi.views.bits import words_for
from offbelief.games.hanabi.views.canonical import canonical_layout, observe_canonical, observe_canonical_packed
from offbelief.interfaces.bench.timing import BenchRow, median_seconds

BATCH = 1024
TURNS = 300
RIVAL_SECONDS = 2.0


def bench_engine(threads: int = 1) -> Iterator[BenchRow]:
    """Measure stepping and observing the full two-player game."""
    rival_bare = _open_spiel_rate(observe=False)
    rival_observing = _open_spiel_rate(observe=True)
    play = RandomPlay(HanabiBatch("full-2p", BATCH, threads=threads))
    seconds = median_seconds(lambda: play.play(TURNS))
    yield _row("engine.step", "steps", BATCH * TURNS / seconds, rival_bare)
    for encoding, look in _observers(play, threads):
        seconds = median_seconds(lambda look=look: _play_and_look(play, look))  # type: ignore[misc]
        name = "engine.step_observe" if encoding == "packed bits" else f"engine.step_observe.{encoding}"
        yield _row(name, "steps", BATCH * TURNS / seconds, rival_observing, {"encoding": encoding})
    yield _threads_against_processes()
    yield _first_call()


def _row(name: str, unit: str, rate: float, rival: float | None, extra: dict[str, Any] | None = None) -> BenchRow:
    return BenchRow(
        name=name,
        per_second=rate,
        unit=unit,
        rival=None if rival is None else "open_spiel from Python",
        rival_per_second=rival,
        extra={"variant": "full-2p", "batch": BATCH, **(extra or {})},
    )


def _observers(play: RandomPlay, threads: int) -> Iterator[tuple[str, Callable[[], object]]]:
    states, variant = play.batch.states, play.batch.variant
    size = canonical_layout(variant).size
    packed = np.empty((BATCH, 8 * words_for(size)), np.uint8)
    yield "packed bits", lambda: observe_canonical_packed(states, variant, threads=threads, out=packed)
    rows = np.empty((BATCH, size), np.float32)
    yield "float32", lambda: observe_canonical(states, variant, dtype=np.float32, out=rows)


def _play_and_look(play: RandomPlay, look: Callable[[], object]) -> None:
    for _ in range(TURNS):
        play.play(1)
        look()


def _open_spiel_rate(*, observe: bool) -> float | None:
    """Steps per second of open_spiel's Hanabi driven from Python; None if it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("hanabi", {"players": 2})
    rng = np.random.default_rng(0)
    draws = iter(rng.random(10_000_000))
    steps = 0
    started = time.perf_counter()
    while time.perf_counter() - started < RIVAL_SECONDS:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(outcomes[int(np.searchsorted(np.cumsum(probabilities)[:-1], next(draws)))])
                continue
            legal = state.legal_actions()
            if observe:
                state.observation_tensor(state.current_player())
            state.apply_action(legal[int(next(draws) * len(legal))])
            steps += 1
    return steps / (time.perf_counter() - started)


def _threads_against_processes() -> BenchRow:
    """Two threads in one process beside two processes with a thread each."""
    code = (
        "import sys, time; from offbelief.games.hanabi.batch import HanabiBatch, RandomPlay\n"
        "threads = int(sys.argv[1]); play = RandomPlay(HanabiBatch('full-2p', 4096, threads=threads)); play.play(50)\n"
        "sys.stdout.write('ready\\n'); sys.stdout.flush(); sys.stdin.readline()\n"
        "rates = []\n"
        "for _ in range(7):\n"
        "    started = time.perf_counter(); play.play(500); seconds = time.perf_counter() - started\n"
        "    rates.append(4096 * 500 / seconds)\n"
        "print(sorted(rates)[3])"
    )

    def rates(threads: int, processes: int) -> float:
        started = [
            subprocess.Popen(
                [sys.executable, "-c", code, str(threads)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(processes)
        ]
        for process in started:
            assert process.stdout is not None
            process.stdout.readline()  # compiled and warm
        for process in started:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        return sum(float(process.communicate()[0]) for process in started)

    # In turns, because the second core of a shared machine is not always there.
    threaded, separate = zip(*((rates(2, 1), rates(1, 2)) for _ in range(5)), strict=True)
    return BenchRow(
        name="engine.step.two_threads",
        per_second=statistics.median(threaded),
        unit="steps",
        rival="two processes of ours",
        rival_per_second=statistics.median(separate),
        extra={"variant": "full-2p", "batch": 4096},
    )


def _first_call() -> BenchRow:
    """How long a process takes to its first steps, with an empty cache of compiled kernels and with a full one."""
    code = (
        "from offbelief.games.hanabi.batch import HanabiBatch, RandomPlay\n"
        "from offbelief.games.hanabi.views.canonical import observe_canonical_packed\n"
        "batch = HanabiBatch('full-2p', 8); RandomPlay(batch).play(10); batch.legal_moves()\n"
        "observe_canonical_packed(batch.states, batch.variant)\n"
        "batch = HanabiBatch('mini', 8); RandomPlay(batch).play(10)\n"
    )
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        seconds = []
        for _ in range(2):
            started = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], env=environment, check=True)
            seconds.append(time.perf_counter() - started)
    return BenchRow(
        name="engine.first_call",
        per_second=1.0 / seconds[1],
        unit="processes",
        extra={"seconds_compiling": seconds[0], "seconds_cached": seconds[1]},
    )
