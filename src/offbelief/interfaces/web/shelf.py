"""Saved games: one JSON file per table in one folder, written whole after every move.

Names of files are made of a table's id, which is sixteen hexadecimal digits and nothing else: no id leads elsewhere.
"""

import json
import re
from pathlib import Path
from typing import Any

from offbelief.interfaces.files import write_text_atomically
from offbelief.interfaces.web.table import Table
from offbelief.nouns import UserError

_ID = re.compile(r"[0-9a-f]{16}", re.ASCII)
LISTED = 60
"""At most so many games are listed, the newest first."""


class Shelf:
    """A folder of saved games.

    Args:
        folder: Where; made when the first game is saved.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, table: Table) -> None:
        """Save a table as it stands."""
        self.write(table.id, self.text_of(table))

    @staticmethod
    def text_of(table: Table) -> str:
        """What the file of a table holds, as the table stands now."""
        return json.dumps(table.as_json(), separators=(",", ":")) + "\n"

    def write(self, id: str, text: str) -> None:
        """Write a table's file; a reader, or the next start after a crash, never sees half a game.

        Putting a new file in the place of an old one may wait for the disk: not for the event loop.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text_atomically(self._path(id), text)

    def load(self, id: str) -> Table:
        """Read a table.

        Raises:
            UserError: there is none of that name, or it is damaged.
        """
        path = self._path(id)
        if not path.is_file():
            raise UserError(f"There is no game '{id}' here.")
        try:
            table = Table.from_json(_read(path))
        except (OSError, ValueError) as error:  # a UserError is a ValueError, too
            raise UserError(f"The saved game '{id}' cannot be read: {error}") from None
        if table.id != id:
            raise UserError(f"The saved game '{id}' cannot be read: it says that it is another.")
        return table

    def newest(self) -> list[dict[str, Any]]:
        """List saved games, the newest first, with what anybody may know of them: no cards, no seeds, no keys."""
        if not self.folder.is_dir():
            return []
        found = ((path.stat().st_mtime, path) for path in self.folder.glob("*.json") if _ID.fullmatch(path.stem))
        listed = []
        for written, path in sorted(found, reverse=True)[:LISTED]:
            try:
                listed.append({**_summary(_read(path)), "written": round(written)})
            except (OSError, ValueError, KeyError, TypeError, AttributeError):
                continue  # damaged or no game of ours; opening it by name says what is wrong
        return listed

    def _path(self, id: str) -> Path:
        if not _ID.fullmatch(id):
            raise UserError(f"{id[:40]!r} is no name of a game.")
        return self.folder / f"{id}.json"


def _read(path: Path) -> dict[str, Any]:
    data = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(data, dict):
        raise UserError("It is no JSON object.")
    return data


def _summary(data: dict[str, Any]) -> dict[str, Any]:
    done = bool(data["is_done"])
    return {
        "id": str(data["id"]),
        "variant": str(data["record"]["variant"]),
        "seats": [str(who) for who in data["seats"]],
        "turns": len(data["record"]["actions"]),
        "done": done,
        "recorded": bool(data["is_recorded"]),
        "score": int(data["record"]["score"]) if done else None,
    }
