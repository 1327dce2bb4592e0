"""A recorded game from what somebody pastes: hanab.live JSON, HLE-style JSON, or a hanab.live replay link."""

import json

from offbelief.games.hanabi import hanablive
from offbelief.games.hanabi.records import GameRecord, read_hle
from offbelief.nouns import UserError


def read_game_text(text: str) -> GameRecord:
    """Read one game; of a file with one game a line, the first.

    Raises:
        UserError: it is none of the known forms.
    """
    text = text.strip().removeprefix("\ufeff")
    if not text:
        raise UserError("There is nothing to import; paste a game's JSON or a hanab.live replay link.")
    if not text.startswith(("{", "[")):
        return hanablive.read_url(text)
    data = _read_json(text)
    try:
        if isinstance(data, dict) and isinstance(data.get("players"), list):
            return hanablive.read_json(data)
        if isinstance(data, dict) and "deck" in data and "actions" in data:
            return read_hle(data)
    except UserError as error:
        raise UserError(f"The game cannot be imported: {str(error).rstrip('.')}.") from None
    raise UserError(
        "This is no recorded game; give hanab.live's JSON (players, deck, actions) or HLE-style JSON (deck, actions)."
    )


def _read_json(text: str) -> object:
    for part in (text, text.split("\n", 1)[0]):
        try:
            return json.loads(part)
        except (ValueError, RecursionError):
            continue
    raise UserError("What you gave is no JSON; paste a game's JSON or a hanab.live replay link.")
