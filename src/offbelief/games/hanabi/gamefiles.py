"""Files of recorded games: any format in, HLE-style jsonl out, plain or compressed with gzip.

A file is read whole or refused whole with one sentence; what its games mean is for `records`, `hanablive` and
`vectors`, and whether they obey the rules for `replays`.
"""

import gzip
import json
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from offbelief.games.hanabi import hanablive
from offbelief.games.hanabi.records import GameRecord, read_hle, write_hle
from offbelief.games.hanabi.replays import Replay, replay
from offbelief.games.hanabi.vectors import StepVectors, read_vectors, replay_vectors
from offbelief.nouns import UserError

_GZIP_START = b"\x1f\x8b"
_NO_JSON = (ValueError, RecursionError)  # the latter for brackets nested without end


def read_games(path: Path | str) -> list[GameRecord | StepVectors]:
    """Read the games of a file: HLE-style jsonl, hanab.live JSON (one game, or one a line), or HLE step vectors.

    Args:
        path: The file; compressed with gzip or not, whatever its name.

    Raises:
        UserError: if the file cannot be read to its end as games, naming it and the line.
    """
    games = []
    for line, data in _read_objects(Path(path)):
        try:
            games.append(_read_game(data, line))
        except UserError as error:
            raise UserError(f"{path}, line {line}: {str(error).rstrip('.')}.") from error
    return games


def write_games(path: Path | str, records: Iterable[GameRecord]) -> None:
    """Write records as HLE-style jsonl, one a line; compressed if the name ends in .gz."""
    path = Path(path)
    content = "".join(json.dumps(write_hle(record), separators=(",", ":")) + "\n" for record in records).encode()
    # Without a time stamp the same games make the same bytes.
    path.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


def replay_games(games: Sequence[GameRecord | StepVectors]) -> list[Replay]:
    """Replay what `read_games` returned; one result per game, in the same order."""
    records = iter(replay([game for game in games if isinstance(game, GameRecord)]))
    return [next(records) if isinstance(game, GameRecord) else replay_vectors(game) for game in games]


def _read_game(data: object, line: int) -> GameRecord | StepVectors:
    """Read one game in the format that its keys show."""
    if isinstance(data, dict):
        if "steps" in data:
            return read_vectors(data, line=line)
        if isinstance(data.get("players"), list):
            return hanablive.read_json(data, line=line)
        if "deck" in data and "actions" in data:
            return read_hle(data, line=line)
    raise UserError(
        "this is no recorded game; give HLE-style objects with 'deck' and 'actions', hanab.live objects with "
        "'players', 'deck' and 'actions', or HLE step vectors with 'cfg', 'deals' and 'steps'"
    )


def _read_objects(path: Path) -> list[tuple[int, Any]]:
    """Read the JSON values of a file, each with the line it begins on: one a line, or a single one over many lines."""
    text = _read_text(path)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not lines:
        raise UserError(f"{path} holds no games: it is empty.")
    first_number, first_line = lines[0]
    try:
        json.loads(first_line)
    except _NO_JSON:  # the first line is no value by itself, so the file must be a single value
        if len(lines) > 1:
            try:
                return [(first_number, json.loads(text))]
            except _NO_JSON as error:
                raise UserError(f"{path} is no JSON file and no file with one JSON object a line: {error}.") from None
    values = []
    for number, line in lines:
        try:
            values.append((number, json.loads(line)))
        except _NO_JSON as error:
            raise UserError(
                f"{path}, line {number}: this is no JSON ({error}); the file may have been cut off."
            ) from None
    return values


def _read_text(path: Path) -> str:
    """Read a file, compressed or not, as text."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"Cannot read {path}: {error.strerror or error}.") from None
    if content.startswith(_GZIP_START) or (path.suffix == ".gz" and content):
        try:
            content = gzip.decompress(content)
        except (EOFError, OSError, zlib.error) as error:
            raise UserError(f"{path} is damaged or was cut off: it does not decompress ({error}).") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{path} is no text; give a file of recorded games, plain or compressed with gzip.") from None
