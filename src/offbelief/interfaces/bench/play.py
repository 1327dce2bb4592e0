"""`obl bench play`: how long a player waits for the agent's answer, with many games at once.

A server in a process of its own, and real clients on loopback in this one: each plays a game with random moves and
measures the time from sending a move to hearing the agent's. Players come one after the other, so that their games do
not all end in the same second, and the clock starts when all are there. In the first row they pause as quick people do;
in the second nobody ever pauses, which is the most that the server can be asked for. On a machine with other work the
waits are mostly for a processor; the server's own CPU time per answer depends less on that. There is no rival: other
pages for playing with Hanabi agents are not packages that could be started here.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from websockets.asyncio.client import ClientConnection, connect

from offbelief.interfaces.bench.timing import BenchRow

AGENT = "obl-1-a"
GAMES = 50
ARRIVING = 8.0
"""Seconds until the last player has come."""
SECONDS = 10.0
"""Seconds that are measured."""
PAUSE = 1.0
"""Longest pause of a player in seconds; pauses are drawn evenly from 0 to it."""


def bench_play() -> Iterator[BenchRow]:
    """Measure with pauses and without."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "offbelief.interfaces.cli", "play", AGENT, "--port", "0", "--games", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                address = next(word for word in server.stdout.readline().split() if word.startswith("http://"))
                asyncio.run(_play_games(address, games=1, arriving=0.0, seconds=1.0, pause=0.0))  # loads and compiles
                yield _row("play.answer", address, PAUSE, server.pid)
                yield _row("play.answer.no_pauses", address, 0.0, server.pid)
            finally:
                server.terminate()


def _row(name: str, address: str, pause: float, process: int) -> BenchRow:
    before = _cpu_seconds(process)
    answers = asyncio.run(_play_games(address, games=GAMES, arriving=ARRIVING, seconds=SECONDS, pause=pause))
    after = _cpu_seconds(process)
    waits = np.array([1000.0 * wait for sent, wait in answers if sent >= ARRIVING])
    return BenchRow(
        name=name,
        per_second=len(waits) / SECONDS,
        unit="answers",
        extra={
            "agent": AGENT,
            "games": GAMES,
            "pause_seconds": pause,
            "median_ms": float(np.median(waits)),
            "percentile_99_ms": float(np.percentile(waits, 99)),
            "server_cpu_ms": None if before is None or after is None else 1000.0 * (after - before) / len(answers),
        },
    )


def _cpu_seconds(process: int) -> float | None:
    """CPU time of another process so far; None where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _play_games(
    address: str, *, games: int, arriving: float, seconds: float, pause: float
) -> list[tuple[float, float]]:
    """Play for a while; returns of every move when it was sent and how long the answer took, in seconds."""
    start = time.perf_counter()
    players = (
        _play_one(address, number, start, arriving * number / games, arriving + seconds, pause)
        for number in range(games)
    )
    found = await asyncio.gather(*players)
    return [answer for answers in found for answer in answers]


async def _play_one(
    address: str, number: int, start: float, arrival: float, end: float, pause: float
) -> list[tuple[float, float]]:
    """One player, from its arrival to the end: game after game with random moves. Times count from the start."""
    rng = random.Random(number)
    answers: list[tuple[float, float]] = []
    socket = address.replace("http", "ws", 1) + "socket"
    await asyncio.sleep(arrival)

    def now() -> float:
        return time.perf_counter() - start

    async with connect(socket, origin=address.rstrip("/"), max_size=None, proxy=None) as connection:  # type: ignore[arg-type]
        while now() < end:
            opened = await _ask(connection, {"type": "create", "variant": "full-2p", "seats": ["human", AGENT]})
            view, turn = opened["views"][-1], 0
            while now() < end:
                await asyncio.sleep(rng.random() * pause)
                # Hints and discards last longest: a game of random plays would be over in a few turns.
                legal = [move for move, reason in enumerate(view["refusals"]) if reason is None]
                move = rng.choice([move for move in legal if not 5 <= move < 10] or legal)
                sent = now()
                heard = await _ask(connection, {"type": "play", "turn": turn, "move": move})
                if heard["type"] == "turn":
                    heard = json.loads(await connection.recv())
                answers.append((sent, now() - sent))
                if heard["type"] != "turn":
                    break  # the game is over
                view, turn = heard["view"], heard["view"]["turn"]
    return answers


async def _ask(connection: ClientConnection, message: dict[str, Any]) -> dict[str, Any]:
    await connection.send(json.dumps(message))
    heard: dict[str, Any] = json.loads(await connection.recv())
    if heard["type"] == "error":
        raise RuntimeError(heard["sentence"])
    return heard
