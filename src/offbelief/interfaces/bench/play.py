"""`obl bench play`: how long a player waits for the agent's answer, with many games at once.

A server in a process of its own, and real clients on loopback in this one: each plays a game with random moves and
measures the time from sending a move to hearing the agent's. In the first row players pause as quick people do; in the
second nobody ever pauses, which is the most that the server can be asked for. On a machine with other work the waits
are mostly for a processor; the server's own CPU time per answer depends less on that. There is no rival: other pages
for playing with Hanabi agents are not packages that could be started here.
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
SECONDS = 10.0
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
                asyncio.run(_play_games(address, games=1, seconds=1.0, pause=0.0))  # loads and compiles
                yield _row("play.answer", address, PAUSE, server.pid)
                yield _row("play.answer.no_pauses", address, 0.0, server.pid)
            finally:
                server.terminate()


def _row(name: str, address: str, pause: float, process: int) -> BenchRow:
    before = _cpu_seconds(process)
    waits = 1000.0 * np.array(asyncio.run(_play_games(address, games=GAMES, seconds=SECONDS, pause=pause)))
    after = _cpu_seconds(process)
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
            "server_cpu_ms": None if before is None or after is None else 1000.0 * (after - before) / len(waits),
        },
    )


def _cpu_seconds(process: int) -> float | None:
    """CPU time of another process so far; None where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _play_games(address: str, *, games: int, seconds: float, pause: float) -> list[float]:
    """Play for a while; returns how long each answer took, in seconds."""
    end = time.perf_counter() + seconds
    found = await asyncio.gather(*(_play_one(address, seat, end, pause) for seat in range(games)))
    return [wait for waits in found for wait in waits]


async def _play_one(address: str, number: int, end: float, pause: float) -> list[float]:
    """One player: game after game with random moves."""
    rng = random.Random(number)
    waits: list[float] = []
    socket = address.replace("http", "ws", 1) + "socket"
    async with connect(socket, origin=address.rstrip("/"), max_size=None, proxy=None) as connection:  # type: ignore[arg-type]
        while time.perf_counter() < end:
            opened = await _ask(connection, {"type": "create", "variant": "full-2p", "seats": ["human", AGENT]})
            view, turn = opened["views"][-1], 0
            while time.perf_counter() < end:
                await asyncio.sleep(rng.random() * pause)
                # Hints and discards last longest: a game of random plays would be over in a few turns.
                legal = [move for move, reason in enumerate(view["refusals"]) if reason is None]
                move = rng.choice([move for move in legal if not 5 <= move < 10] or legal)
                started = time.perf_counter()
                heard = await _ask(connection, {"type": "play", "turn": turn, "move": move})
                if heard["type"] == "turn":
                    heard = json.loads(await connection.recv())
                waits.append(time.perf_counter() - started)
                if heard["type"] != "turn":
                    break  # the game is over
                view, turn = heard["view"], heard["view"]["turn"]
    return waits


async def _ask(connection: ClientConnection, message: dict[str, Any]) -> dict[str, Any]:
    await connection.send(json.dumps(message))
    heard: dict[str, Any] = json.loads(await connection.recv())
    if heard["type"] == "error":
        raise RuntimeError(heard["sentence"])
    return heard
