"""GameRecord: one recorded game of Hanabi, and its form as an HLE-style JSON object.

A record holds what was dealt and what was done; nothing here knows whether the moves were legal, which is what
`replays` finds out. Files of records are opened and written by `gamefiles`; hanab.live's form is in `hanablive`.
"""

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.moves import COLOUR_LETTERS
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import UserError


@dataclasses.dataclass(frozen=True, kw_only=True)
class GameRecord:
    """A recorded game, whole or stopped early."""

    variant: HanabiVariant
    """The rules."""
    deck: tuple[int, ...]
    """Kinds of all cards in drawing order: the whole hand of seat 0 first, then that of seat 1, and so on."""
    moves: tuple[int, ...]
    """HLE move ids, in order."""
    start_seat: int = 0
    """Seat that moves first."""
    names: tuple[str, ...] = ()
    """Names of the seats; empty if nobody wrote them down."""
    score: int | None = None
    """The recorded score as the variant scores it (as HLE: 0 after the third strike), or None if none was recorded."""
    is_score_exact: bool = dataclasses.field(default=True, compare=False)
    """Whether the file says how it scores. If not, `score` of a game lost by strikes may be the cards played before:
    some write one, some the other."""
    id: str | int = ""
    """What the game is called in its file."""
    unreadable_move: str | None = None
    """If the file goes on after `moves` with something that is no move at all, such as playing a card that is not in
    hand: why it is none. `replays.replay` reports it at its turn."""

    def __post_init__(self) -> None:
        """Refuse seats that the variant lacks."""
        if not 0 <= self.start_seat < self.variant.players:
            raise UserError(f"start_seat is {self.start_seat}; {self.variant.name} has {self.variant.players} seats.")
        if len(self.names) not in (0, self.variant.players):
            raise UserError(
                f"{len(self.names)} names were given; {self.variant.name} has {self.variant.players} seats."
            )

    @classmethod
    def from_batch(
        cls, batch: HanabiBatch, index: int, moves: Sequence[int], *, names: Sequence[str] = (), id: str | int = ""
    ) -> "GameRecord":
        """Record game number ``index`` of a batch.

        Args:
            batch: The games.
            index: Which of them.
            moves: The game's moves from its start; a state does not remember them.
            names: Names of the seats.
            id: What to call the game.
        """
        game = batch.states[index]
        if int(game["turn"]) != len(moves):
            raise UserError(
                f"Game {index} has had {game['turn']} turns but {len(moves)} moves were given; give them all."
            )
        return cls(
            variant=batch.variant,
            deck=tuple(int(kind) for kind in game["deck"][: batch.variant.deck_size]),
            moves=tuple(int(move) for move in moves),
            start_seat=int(game["start_seat"]),
            names=tuple(names),
            score=int(game["score"]),
            id=id,
        )

    def to_batch(self) -> HanabiBatch:
        """Play the record, and return the game as it then stands in a batch of one."""
        problem = self.deck_problem()
        if problem is not None:
            raise UserError(f"Game {self.id}: {problem}.")
        batch = HanabiBatch.from_decks(self.variant, [self.deck], start_seats=[self.start_seat])
        for move in self.moves:
            batch.step([move])
        return batch

    def deck_problem(self) -> str | None:
        """Say what is wrong with the deck, or return None if it holds the right number of each card."""
        variant = self.variant
        held = Counter(self.deck)
        for kind in sorted(held):
            if not 0 <= kind < variant.card_kinds:
                return f"the deck holds a card of kind {kind}, which {variant.name} lacks"
        for kind, copies in enumerate(variant.copies_by_kind):
            if held[kind] != copies:
                return (
                    f"the deck holds {card_name(variant, kind)} {held[kind]} times, where {variant.name} has it "
                    f"{copies} times"
                )
        return None


def card_name(variant: HanabiVariant, kind: int) -> str:
    """Name a card by colour letter and rank, such as "R1" for the lowest card of the first colour."""
    colour, rank = divmod(kind, variant.ranks)
    return f"{COLOUR_LETTERS[colour]}{rank + 1}"


def write_hle(record: GameRecord) -> dict[str, Any]:
    """Write a record as an HLE-style JSON object, the inverse of `read_hle`.

    Returns:
        The keys ``id``, ``variant``, ``n`` (players), ``deck`` (as "R1"), ``actions`` (HLE move ids), and where they
        say something ``start_seat``, ``names`` and ``score`` (0 after the third strike where the variant says so).
    """
    data: dict[str, Any] = {
        "id": record.id,
        "variant": record.variant.name,
        "n": record.variant.players,
        "deck": [card_name(record.variant, kind) for kind in record.deck],
        "actions": list(record.moves),
    }
    if record.start_seat != 0:
        data["start_seat"] = record.start_seat
    if record.names:
        data["names"] = list(record.names)
    if record.score is not None:
        data["score"] = record.score
    return data


def read_hle(data: Mapping[str, Any], *, line: int = 1) -> GameRecord:
    """Read a record from an HLE-style JSON object.

    Args:
        data: ``deck`` (cards as "R1", or as [colour, rank] counted from 0) and ``actions`` (HLE move ids), optionally
            ``variant`` or ``n`` (players of the full game; two if neither is there), ``id`` or ``i``, ``start_seat``,
            ``names`` or ``seat_types``, ``hle_score`` or ``score``. Other keys are ignored.
        line: Stands in for a missing id.

    Raises:
        UserError: if the object has another shape. Whether deck and moves obey the rules is for `replays` to say.
    """
    variant = _read_variant(data)
    names = data.get("names", data.get("seat_types", []))
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise UserError("'names' must be a list of strings")
    return GameRecord(
        variant=variant,
        deck=tuple(read_card(variant, card) for card in read_list(data, "deck")),
        moves=tuple(read_whole(move, "a move") for move in read_list(data, "actions")),
        start_seat=read_whole(data.get("start_seat", 0), "'start_seat'"),
        names=tuple(names),
        score=read_score(data),
        is_score_exact="hle_score" in data or "variant" in data,
        id=read_id(data, line),
    )


def _read_variant(data: Mapping[str, Any]) -> HanabiVariant:
    if "variant" in data:
        if not isinstance(data["variant"], str):
            raise UserError(f"'variant' is {data['variant']!r}; give the name of a Hanabi variant")
        return HanabiVariant.parse(data["variant"])
    return HanabiVariant(players=read_whole(data.get("n", 2), "'n' (the number of players)"))


# ---------------------------------------------------------------------------------------------------------------------
# Pieces of JSON, for the readers of all formats. Messages carry no full stop: whoever opened the file adds its name.
# ---------------------------------------------------------------------------------------------------------------------


def read_card(variant: HanabiVariant, card: object) -> int:
    """Read the kind of a card given as "R1" or as [colour, rank] counted from 0."""
    colour = rank = -1
    if isinstance(card, str) and len(card) == 2:
        colour, rank = COLOUR_LETTERS.find(card[0].upper()), "12345".find(card[1])
    elif isinstance(card, list) and len(card) == 2:
        colour, rank = (read_whole(number, "a colour or rank") for number in card)
    if not (0 <= colour < variant.colours and 0 <= rank < variant.ranks):
        raise UserError(f"{card!r} is no card of {variant.name}; give it like 'R1' or as [colour, rank] counted from 0")
    return variant.kind(colour, rank)


def read_whole(value: object, what: str) -> int:
    """Refuse what is no whole number; JSON's true and false count as none."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise UserError(f"{what} is {value!r}, which is no whole number")
    return value


def read_list(data: Mapping[str, Any], key: str) -> list[Any]:
    """Read a list that must be there."""
    if not isinstance(data.get(key), list):
        raise UserError(f"'{key}' is missing or no list")
    return list(data[key])


def read_id(data: Mapping[str, Any], line: int) -> str | int:
    """Read what the game is called: ``id``, else ``i``, else the line it stands on."""
    name = data.get("id", data.get("i", line))
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise UserError(f"'id' is {name!r}; give a string or a whole number")
    return name


def read_score(data: Mapping[str, Any]) -> int | None:
    """Read the recorded score: ``hle_score``, else ``score``, else None."""
    for key in ("hle_score", "score"):
        if data.get(key) is not None:
            return read_whole(data[key], f"'{key}'")
    return None
