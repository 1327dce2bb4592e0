"""What a person types: `play 2`, `discard 1`, `hint red`, `hint 3 bob`, `help`, `quit`.

Reading only: a line becomes a legal move or a request, or is refused with one sentence that says what to type instead.
"""

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np

from offbelief.games.hanabi.moves import COLOUR_NAMES, Move, MoveType, move_id, why_illegal
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import UserError

HELP = """\
play 2      play the card in slot 2 (p 2); slot 0 holds your oldest card
discard 1   discard the card in slot 1 (d 1), which returns a hint token
hint red    tell which cards are red (h r); with three players or more also say
            whom: hint red bob, hint red next, hint red to seat 2
hint 3      tell which cards are 3s
help        show this list (?)
quit        stop here (q); the game is saved
Under each card stands what hints leave possible: "R.G.. .2..." is a red or
green two."""

_VERBS = {
    **dict.fromkeys(("play", "p"), "play"),
    **dict.fromkeys(("discard", "d"), "discard"),
    **dict.fromkeys(("hint", "h", "clue", "tell"), "hint"),
    **dict.fromkeys(("help", "?"), "help"),
    **dict.fromkeys(("quit", "q", "exit"), "quit"),
}
_FILLERS = ("slot", "seat", "to", "player")


def read_command(
    line: str, game: np.void, variant: HanabiVariant, names: Sequence[str]
) -> int | Literal["help", "quit"]:
    """Read a line as a legal move of the seat whose turn it is, or as a request for help or an end.

    Args:
        line: What was typed; upper and lower case are the same.
        game: One record of HANABI_STATE.
        variant: Its rules.
        names: What the seats are called.

    Raises:
        UserError: with a sentence for the person who typed.
    """
    verb, *words = line.lower().split() or [""]
    words = [word for word in words if word not in _FILLERS]
    match _VERBS.get(verb):
        case "help":
            return "help"
        case "quit":
            return "quit"
        case "play":
            meaning = _read_slot("play", words, game)
        case "discard":
            meaning = _read_slot("discard", words, game)
        case "hint":
            meaning = _read_hint(words, game, variant, names)
        case _:
            raise UserError("Type play, discard or hint, like 'play 2' or 'hint red'; 'help' says more.")
    move = move_id(variant, meaning.type, meaning.value, meaning.offset)
    if why_illegal(variant, game, move) is not None:
        raise UserError(_refusal(meaning, game, variant, names))
    return move


def _read_slot(type: Literal["play", "discard"], words: Sequence[str], game: np.void) -> Move:
    held = int(game["hand_sizes"][game["acting_seat"]])
    slot = _read_number(words[0]) if len(words) == 1 else None
    if slot is None or slot >= held:
        cards = "your card is in slot 0" if held == 1 else f"your cards are in slots 0 to {held - 1}"
        raise UserError(f"Say which card, like '{type} 0': {cards}.")
    return Move(type=type, value=slot, offset=0)


def _read_hint(words: Sequence[str], game: np.void, variant: HanabiVariant, names: Sequence[str]) -> Move:
    actor = int(game["acting_seat"])
    others = [(actor + offset) % variant.players for offset in range(1, variant.players)]
    listed = " or ".join(names[seat] for seat in others)
    if not words:
        raise UserError("Say what to hint, like 'hint red' or 'hint 3'.")
    type, value = _read_attribute(words[0], variant)
    if len(words) == 1:
        if variant.players > 2:
            raise UserError(f"Say whom to tell, like 'hint {words[0]} {names[others[0]].lower()}': {listed}.")
        return Move(type=type, value=value, offset=1)
    found = [seat for seat in others if len(words) == 2 and _is_called(words[1], seat, others, names)]
    if len(found) != 1:
        raise UserError(f"There is nobody called {' '.join(words[1:])[:40]!r} to tell; name one seat: {listed}.")
    return Move(type=type, value=value, offset=(found[0] - actor) % variant.players)


def _read_attribute(word: str, variant: HanabiVariant) -> tuple[MoveType, int]:
    colours = COLOUR_NAMES[: variant.colours]
    found = [colour for colour, name in enumerate(colours) if name.startswith(word)]
    if len(found) == 1:  # the names begin with different letters
        return "colour", found[0]
    rank = _read_number(word.removesuffix("s"))
    if rank is not None and 1 <= rank <= variant.ranks:
        return "rank", rank - 1
    raise UserError(f"{word[:40]!r} cannot be hinted; name a colour ({', '.join(colours)}) or 1 to {variant.ranks}.")


def _is_called(word: str, seat: int, others: Sequence[int], names: Sequence[str]) -> bool:
    """Whether a word means a seat: the start of its name, its number, or "next"."""
    return names[seat].lower().startswith(word) or _read_number(word) == seat or (word == "next" and seat == others[0])


def _read_number(word: str) -> int | None:
    return int(word) if re.fullmatch("[0-9]{1,2}", word) else None


def _refusal(meaning: Move, game: np.void, variant: HanabiVariant, names: Sequence[str]) -> str:
    """Say to a person why a move is illegal; the rules themselves are `why_illegal`."""
    if meaning.type == "discard":
        return f"You cannot discard while all {variant.hint_tokens} hint tokens are there; play or hint."
    if game["hint_tokens"] == 0:
        return "There is no hint token left; play or discard."
    what = COLOUR_NAMES[meaning.value] if meaning.type == "colour" else str(meaning.value + 1)
    whom = names[(int(game["acting_seat"]) + meaning.offset) % variant.players]
    return f"{whom} holds no {what} card, and a hint must touch one; name another."
