"""Replay recorded Hanabi games by the rules, one line per game.

Reads HLE-style jsonl, hanab.live JSON (one game, or one a line) and HLE step vectors, plain or compressed with gzip.
Every move must be legal and the score the recorded one; step vectors must also agree in legal moves, tokens, fireworks
and every bit that every seat sees. A game may stop early. The exit code is 0 if every game holds, 1 if one does not,
and 2 if a file cannot be read, in which case nothing is replayed.

Example: obl replay games.jsonl.gz --json
"""

import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated

import tyro

from offbelief.games.hanabi.gamefiles import read_games, replay_games
from offbelief.games.hanabi.replays import Replay
from offbelief.nouns import UserError


@dataclasses.dataclass(frozen=True, kw_only=True)
class Arguments:
    """What to replay, and how to report it."""

    files: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="FILE [FILE ...]")]
    """Files of recorded games."""
    json: bool = False
    """Print one JSON object per game and line: id, score, turns, ok, error."""


def run(arguments: Arguments) -> int:
    """Replay the files, print a line per game, and return the exit code."""
    if not arguments.files:
        raise UserError("There is nothing to replay; name at least one file of recorded games.")
    # All files are read before the first game is replayed, so that a damaged one cannot hide behind good ones.
    games_by_file = [(path, read_games(path)) for path in arguments.files]
    replays = [(path, result) for path, games in games_by_file for result in replay_games(games)]
    for path, result in replays:
        if arguments.json:
            print(json.dumps(_as_json(result)))
        else:
            print((f"{path}: " if len(arguments.files) > 1 else "") + _as_line(result))
    wrong = sum(not result.ok for _, result in replays)
    if not arguments.json:
        print(f"{len(replays)} games replayed, {wrong or 'none'} of them wrong", file=sys.stderr)
    return 1 if wrong else 0


def _as_json(result: Replay) -> dict[str, object]:
    return {
        "id": result.id,
        "score": result.score,
        "turns": result.turns,
        "ok": result.ok,
        "error": None if result.error is None else f"game {result.id}: {result.error}",
    }


def _as_line(result: Replay) -> str:
    if result.error is not None:
        return f"game {result.id}: WRONG, {result.error}"
    return f"game {result.id}: ok, score {result.score} in {result.turns} turns"
