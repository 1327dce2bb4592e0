"""hanab.live's forms of a recorded game: its JSON format 3.0.0 and its replay URL, in and out.

hanab.live plays many variants; those that are plain Hanabi with 3, 4 or 5 suits are read, all others refused. Suits are
our colours by index, so its blue is our W and its purple our B; only the letters differ. It names a card by its *deal
index*, its place in the deck, where HLE names a slot: the readers and writers here follow the hands to translate. They
know no rules beyond that; `replays` does.
"""

import dataclasses
import string
from collections.abc import Mapping
from typing import Any

from offbelief.games.hanabi.moves import read_move
from offbelief.games.hanabi.records import GameRecord, read_id, read_list, read_score, read_whole
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import UserError

# Values of an action's "type".
PLAY = 0
DISCARD = 1
COLOUR_CLUE = 2
RANK_CLUE = 3
END_GAME = 4

URL_START = "https://hanab.live/replay-json/"

_COLOURS_BY_VARIANT = {"No Variant": 5, "4 Suits": 4, "3 Suits": 3}
_VARIANT_BY_ID = {0: "No Variant", 15: "4 Suits", 18: "3 Suits"}
_ID_BY_COLOURS = {_COLOURS_BY_VARIANT[name]: number for number, name in _VARIANT_BY_ID.items()}

# Options under which hanab.live plays by other rules. Empty clues and deck plays are mere permissions: a game that
# makes use of them is found out when it is replayed.
_OTHER_RULES = ("oneExtraCard", "oneLessCard", "allOrNothing", "detrimentalCharacters")

_NAMES = ("Alice", "Bob", "Cathy", "Donald", "Emily")
_ALPHABET = string.ascii_lowercase + string.digits + string.ascii_uppercase


@dataclasses.dataclass(frozen=True)
class Action:
    """One action as hanab.live writes it."""

    type: int
    """PLAY, DISCARD, COLOUR_CLUE, RANK_CLUE or END_GAME."""
    target: int
    """Deal index of the card for a play or discard, else the player."""
    value: int | None = None
    """Colour (from 0) or rank (from 1) of a clue."""


# ---------------------------------------------------------------------------------------------------------------------
# JSON
# ---------------------------------------------------------------------------------------------------------------------


def read_json(data: Mapping[str, Any], *, line: int = 1) -> GameRecord:
    """Read a game from hanab.live's JSON.

    Args:
        data: ``players``, ``deck`` and ``actions``, optionally ``options``, ``id``, and ``score`` (not hanab.live's
            own, but common). Notes, seed and other keys are ignored.
        line: Stands in for a missing id.

    Raises:
        UserError: if the object has another shape or is of a variant that is not plain Hanabi. An action that is no
            move, such as playing a card of somebody else, is left to `replays`: see `GameRecord.unreadable_move`.
    """
    names = read_list(data, "players")
    if not all(isinstance(name, str) for name in names):
        raise UserError("'players' must be a list of names")
    options = data.get("options") or {}
    if not isinstance(options, Mapping):
        raise UserError("'options' must be an object")
    variant = _read_variant(options.get("variant", "No Variant"), len(names))
    for option in _OTHER_RULES:
        if options.get(option):
            raise UserError(f"the game is played with the option '{option}', which changes the rules; leave it out")
    return _build_record(
        variant,
        deck=[_read_card(variant, card) for card in read_list(data, "deck")],
        actions=[_read_action(action) for action in read_list(data, "actions")],
        # Only games of before 2020 have a starting player; since then it is player 0.
        start_seat=_read_seat(variant, options.get("startingPlayer", 0)),
        names=tuple(names),
        score=read_score(data),
        is_score_exact="hle_score" in data,
        id=read_id(data, line),
    )


def write_json(record: GameRecord) -> dict[str, Any]:
    """Write a game as hanab.live's JSON, the inverse of `read_json`.

    hanab.live's player 0 always begins, so the seats are turned until the first to act is player 0: the same game.
    The score is added under ``score``, which hanab.live itself does not read.
    """
    record = _turn_to_start(record)
    data: dict[str, Any] = {
        "players": list(record.names or _NAMES[: record.variant.players]),
        "deck": [
            {"suitIndex": kind // record.variant.ranks, "rank": kind % record.variant.ranks + 1} for kind in record.deck
        ],
        "actions": [
            {"type": action.type, "target": action.target}
            if action.value is None
            else {"type": action.type, "target": action.target, "value": action.value}
            for action in _write_actions(record)
        ],
        "options": {"variant": _VARIANT_BY_ID[_variant_id(record.variant)]},
    }
    if record.id != "":
        data["id"] = record.id
    if record.score is not None:
        data["score"] = record.score
    return data


def _read_variant(name: object, players: int) -> HanabiVariant:
    if not isinstance(name, str) or name not in _COLOURS_BY_VARIANT:
        raise UserError(
            f"the hanab.live variant {name!r} is not plain Hanabi; {' and '.join(_COLOURS_BY_VARIANT)} can be read"
        )
    return HanabiVariant(players=players, colours=_COLOURS_BY_VARIANT[name])


def _read_card(variant: HanabiVariant, card: object) -> int:
    if not isinstance(card, Mapping):
        raise UserError(f"{card!r} in 'deck' is no card; give an object with suitIndex and rank")
    colour, rank = read_whole(card.get("suitIndex"), "a suitIndex"), read_whole(card.get("rank"), "a rank")
    if not (0 <= colour < variant.colours and 1 <= rank <= variant.ranks):
        raise UserError(f"suitIndex {colour} with rank {rank} is no card of a game with {variant.colours} suits")
    return variant.kind(colour, rank - 1)


def _read_action(action: object) -> Action:
    if not isinstance(action, Mapping):
        raise UserError(f"{action!r} in 'actions' is no action; give an object with type and target")
    value = action.get("value")
    return Action(
        type=read_whole(action.get("type"), "the type of an action"),
        target=read_whole(action.get("target"), "the target of an action"),
        value=None if value is None else read_whole(value, "the value of an action"),
    )


def _read_seat(variant: HanabiVariant, seat: object) -> int:
    number = read_whole(seat, "'startingPlayer'")
    if not 0 <= number < variant.players:
        raise UserError(f"'startingPlayer' is {number} in a game of {variant.players} players")
    return number


# ---------------------------------------------------------------------------------------------------------------------
# URL
# ---------------------------------------------------------------------------------------------------------------------


def read_url(url: str) -> GameRecord:
    """Read a game from a hanab.live replay URL, such as ``https://hanab.live/replay-json/215...``.

    Takes the bare text after the last slash too, and ignores what hanab.live adds to it (a turn after ``#``, a seed as
    fourth part). A URL knows neither names nor score.
    """
    text = url.strip().partition("#")[0].rstrip("/").rpartition("/")[2].replace("-", "")
    parts = text.split(",")
    if len(parts) not in (3, 4) or len(parts[0]) < 3 or len(parts[1]) < 2 or len(parts[1]) % 2 != 0:
        raise UserError(
            f"{url!r} is no hanab.live replay; it should end in players, ranks and deck, actions, and variant number, "
            "with commas between."
        )
    players, low_rank, high_rank = (_read_digit(digit, url) for digit in parts[0][:3])
    low_type, high_type = (_read_digit(digit, url) for digit in parts[1][:2])
    name = _VARIANT_BY_ID.get(int(parts[2])) if parts[2].isdecimal() else None
    if name is None:
        raise UserError(
            f"hanab.live's variant number {parts[2]} is not plain Hanabi; "
            f"{', '.join(f'{number} ({name})' for number, name in _VARIANT_BY_ID.items())} can be read."
        )
    variant = _read_variant(name, players)
    ranks, types = high_rank - low_rank + 1, high_type - low_type + 1
    if ranks < 1 or types < 1:
        raise UserError(f"{url!r} is no hanab.live replay; its lowest rank or action type is above the highest.")
    deck = []
    for character in parts[0][3:]:
        suit, rank = divmod(_read_character(character, url), ranks)
        deck.append(_read_card(variant, {"suitIndex": suit, "rank": rank + low_rank}))
    actions = []
    for place in range(2, len(parts[1]), 2):
        value, type_above = divmod(_read_character(parts[1][place], url), types)
        target = _read_character(parts[1][place + 1], url)
        actions.append(Action(type_above + low_type, target, None if value == 0 else value - 1))
    return _build_record(variant, deck=deck, actions=actions)


def write_url(record: GameRecord) -> str:
    """Write a game as a URL that opens it on hanab.live, the inverse of `read_url`.

    As in `write_json`, the first to act becomes player 0. Names, score and id are lost.
    """
    record = _turn_to_start(record)
    variant = record.variant
    number = _variant_id(variant)
    actions = _write_actions(record)
    low_type = min((action.type for action in actions), default=0)
    high_type = max((action.type for action in actions), default=0)
    types = high_type - low_type + 1
    # One character a card: suit * ranks + rank, which is the kind. Two characters an action: its value and type, then
    # its target. A value is counted from 1, so that 0 says that there is none.
    deck = "".join(_ALPHABET[kind] for kind in record.deck)
    pairs = "".join(
        _ALPHABET[(0 if action.value is None else action.value + 1) * types + action.type - low_type]
        + _ALPHABET[action.target]
        for action in actions
    )
    text = f"{variant.players}1{variant.ranks}{deck},{low_type}{high_type}{pairs},{number}"
    return URL_START + "-".join(text[place : place + 20] for place in range(0, len(text), 20))


def _read_digit(character: str, url: str) -> int:
    if character not in string.digits:
        raise UserError(f"{url!r} is no hanab.live replay; it has {character!r} in place of a digit.")
    return int(character)


def _read_character(character: str, url: str) -> int:
    if character not in _ALPHABET:
        raise UserError(f"{url!r} is no hanab.live replay; {character!r} stands for nothing there.")
    return _ALPHABET.index(character)


# ---------------------------------------------------------------------------------------------------------------------
# Actions and moves
# ---------------------------------------------------------------------------------------------------------------------


class _Hands:
    """Who holds which card, by deal index and oldest first, as the cards are drawn in turn."""

    def __init__(self, variant: HanabiVariant, cards: int) -> None:
        size = variant.hand_size
        self.by_seat = [list(range(seat * size, (seat + 1) * size)) for seat in range(variant.players)]
        self.next_card = variant.players * size
        self.cards = cards

    def take(self, seat: int, slot: int) -> int:
        """Take a card out of a hand and draw the next; returns the deal index of the card taken."""
        card = self.by_seat[seat].pop(slot)
        if self.next_card < self.cards:
            self.by_seat[seat].append(self.next_card)
            self.next_card += 1
        return card


def _build_record(
    variant: HanabiVariant, *, deck: list[int], actions: list[Action], start_seat: int = 0, **fields: Any
) -> GameRecord:
    """Translate actions into moves, up to the first that is none."""
    hands = _Hands(variant, len(deck))
    moves: list[int] = []
    problem = None
    for number, action in enumerate(actions):
        if action.type == END_GAME:
            if number + 1 < len(actions):
                problem = "the game was ended before it by an action of type 4"
            break
        seat = (start_seat + number) % variant.players
        problem = _action_problem(variant, hands, seat, action)
        if problem is not None:
            break
        moves.append(_read_move(variant, hands, seat, action))
    return GameRecord(
        variant=variant,
        deck=tuple(deck),
        moves=tuple(moves),
        start_seat=start_seat,
        unreadable_move=problem,
        **fields,
    )


def _action_problem(variant: HanabiVariant, hands: _Hands, seat: int, action: Action) -> str | None:
    """Say why an action is no move of HLE's, or return None if it is one."""
    if action.type in (PLAY, DISCARD):
        if action.target not in hands.by_seat[seat]:
            return f"card number {action.target} of the deck is not in the hand of player {seat}"
        return None
    if action.type not in (COLOUR_CLUE, RANK_CLUE):
        return f"there is no action of type {action.type}"
    if not 0 <= action.target < variant.players or action.target == seat:
        return f"player {seat} cannot give a clue to player {action.target}"
    low, high = (0, variant.colours - 1) if action.type == COLOUR_CLUE else (1, variant.ranks)
    if action.value is None or not low <= action.value <= high:
        return f"the value of the clue is {action.value}, where it should be from {low} to {high}"
    return None


def _read_move(variant: HanabiVariant, hands: _Hands, seat: int, action: Action) -> int:
    """Translate an action that is a move, and follow the cards."""
    if action.type in (PLAY, DISCARD):
        slot = hands.by_seat[seat].index(action.target)
        hands.take(seat, slot)
        return slot + (variant.first_play if action.type == PLAY else 0)
    offset = (action.target - seat) % variant.players
    assert action.value is not None
    if action.type == COLOUR_CLUE:
        return variant.first_colour_hint + (offset - 1) * variant.colours + action.value
    return variant.first_rank_hint + (offset - 1) * variant.ranks + action.value - 1


def _write_actions(record: GameRecord) -> list[Action]:
    """Translate moves into actions."""
    variant = record.variant
    hands = _Hands(variant, len(record.deck))
    actions = []
    for number, move in enumerate(record.moves):
        seat = (record.start_seat + number) % variant.players
        meaning = read_move(variant, move)
        target = (seat + meaning.offset) % variant.players
        if meaning.type == "colour":
            actions.append(Action(COLOUR_CLUE, target, meaning.value))
        elif meaning.type == "rank":
            actions.append(Action(RANK_CLUE, target, meaning.value + 1))
        elif meaning.value < len(hands.by_seat[seat]):
            card = hands.take(seat, meaning.value)
            actions.append(Action(PLAY if meaning.type == "play" else DISCARD, card))
        else:
            raise UserError(f"Game {record.id}, turn {number + 1}: '{meaning}' needs a card in that slot.")
    return actions


def _variant_id(variant: HanabiVariant) -> int:
    """hanab.live's number of a variant, refusing what hanab.live does not play."""
    number = _ID_BY_COLOURS.get(variant.colours)
    plain = HanabiVariant(players=variant.players, colours=variant.colours)
    if number is None or plain != dataclasses.replace(
        variant, random_start=False, third_strike_scores="zero", turn_cap=None
    ):
        raise UserError(
            f"hanab.live does not play {variant.name}; it needs 3 to 5 colours, 5 ranks, 8 hint tokens, 3 lives and "
            "hands of 5 cards (4 for four or five players)."
        )
    return number


def _turn_to_start(record: GameRecord) -> GameRecord:
    """Turn the seats until the first to act is seat 0. Moves, being relative to the actor, stay the same."""
    start, size = record.start_seat, record.variant.hand_size
    opening = record.variant.players * size
    deck = record.deck
    return dataclasses.replace(
        record,
        deck=deck[start * size : opening] + deck[: start * size] + deck[opening:],
        names=record.names[start:] + record.names[:start],
        start_seat=0,
    )
