"""What a page may say to the server: each message a frozen dataclass, read strictly or refused with a sentence.

A message is one JSON object with a `type` and the fields of its class, no more and no fewer; fields with a default may
be left out. Whether what it asks for is allowed is for `hall` to decide.
"""

import dataclasses
import json
import types
import typing
from typing import Any, TypeAlias

from offbelief.nouns import UserError

MAX_MESSAGE = 256 * 1024
"""Longest message in characters; a recorded game of hanab.live has some ten thousand."""
MAX_TEXT = 200
"""Longest word inside a message, apart from an imported game."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Create:
    """Open a table and sit down at the first seat for a person."""

    variant: str
    """The name of the rules."""
    seats: tuple[str, ...]
    """"human" or an agent's name, for every seat."""
    seed: int | None = None
    """The deal; None draws one that stays secret until the end."""
    open_hand: bool = False
    """Whether people see their own cards."""
    open_mind: bool = False
    """Whether people may look into agents' minds while the game runs."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Join:
    """Sit down at a table, come back to it, or look at a game that is over."""

    table: str
    """Which table."""
    key: str | None = None
    """The key of a seat, from an earlier visit; None asks for a free seat."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Leave:
    """Get up, without ending the game."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Play:
    """Make a move."""

    turn: int
    """Moves made before it, as the page knows it; a move for another turn is stale."""
    move: int
    """HLE's number of the move."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Switch:
    """Open or close the own hand and the agents' minds."""

    open_hand: bool
    """Whether people see their own cards."""
    open_mind: bool
    """Whether people may look into agents' minds."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class GiveUp:
    """End the game early, and look at it."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Again:
    """Open a table with the same deal and the same seats."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Import:
    """Put a recorded game on a table: hanab.live or HLE JSON, or a hanab.live replay link."""

    text: str
    """The file's content, or the link."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class AskMind:
    """Ask what an agent believes and values at a turn, and what it thinks of the move made there."""

    turn: int
    """Moves made before it."""
    agent: str
    """Who is asked."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Imagine:
    """Ask for one fictitious transition at a turn."""

    turn: int
    """Moves made before it."""
    agent: str
    """Who imagines."""
    sample: int = 0
    """Which sample of the hand."""
    move: int | None = None
    """The move to imagine; None means the one made, or the agent's own at the last turn."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Compare:
    """Ask at which turns two agents would choose different moves."""

    agent: str
    """One of them."""
    other: str
    """The other."""


Message: TypeAlias = (
    Create | Join | Leave | Play | Switch | GiveUp | Again | Import | AskMind | Imagine | Compare
)  # one line for each thing a page can do

MESSAGES: dict[str, type[Message]] = {
    "create": Create,
    "join": Join,
    "leave": Leave,
    "play": Play,
    "switch": Switch,
    "give_up": GiveUp,
    "again": Again,
    "import": Import,
    "mind": AskMind,
    "imagine": Imagine,
    "compare": Compare,
}


def read_message(text: str | bytes | None) -> Message:
    """Read a message.

    Raises:
        UserError: it is no message; the sentence says why.
    """
    if not isinstance(text, str):
        raise UserError("A message is JSON text, not bytes.")
    if len(text) > MAX_MESSAGE:
        raise UserError(f"The message has {len(text)} characters; at most {MAX_MESSAGE} are read.")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):  # the latter for brackets nested without end
        raise UserError("The message is no JSON.") from None
    if not isinstance(data, dict):
        raise UserError("A message is a JSON object with a 'type'.")
    name = data.pop("type", None)
    if not isinstance(name, str) or name not in MESSAGES:
        raise UserError(f"A message is of one of the types {', '.join(MESSAGES)}.")
    return _build(name, MESSAGES[name], data)


def _build(name: str, kind: type[Message], data: dict[str, Any]) -> Message:
    fields = {field.name: field for field in dataclasses.fields(kind)}
    unknown = sorted(set(data) - set(fields))
    if unknown:
        raise UserError(f"A message '{name}' has no field {unknown[0][:MAX_TEXT]!r}.")
    hints = typing.get_type_hints(kind)
    values: dict[str, Any] = {}
    for key, field in fields.items():
        if key in data:
            values[key] = _read_value(data[key], hints[key], f"'{key}' of a message '{name}'", is_long=key == "text")
        elif field.default is dataclasses.MISSING:
            raise UserError(f"A message '{name}' needs the field '{key}'.")
    return kind(**values)


def _read_value(value: object, kind: Any, what: str, *, is_long: bool) -> object:
    """Refuse a value of another kind than the field's; JSON's true and false are no numbers."""
    if isinstance(kind, types.UnionType):
        if value is None and type(None) in kind.__args__:
            return None
        kind = next(option for option in kind.__args__ if option is not type(None))
    if kind is bool and isinstance(value, bool):
        return value
    if kind is int and isinstance(value, int) and not isinstance(value, bool):
        if abs(value) >= 2**53:  # what a page cannot hold exactly was never meant
            raise UserError(f"{what} is too large a number.")
        return value
    if kind is str and isinstance(value, str):
        if len(value) > MAX_TEXT and not is_long:
            raise UserError(f"{what} is longer than {MAX_TEXT} characters.")
        return value
    if kind == tuple[str, ...] and isinstance(value, list) and len(value) <= 10:
        return tuple(str(_read_value(word, str, what, is_long=False)) for word in value)
    raise UserError(f"{what} is of the wrong kind.")
