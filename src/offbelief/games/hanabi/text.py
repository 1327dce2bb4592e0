"""A game of Hanabi as plain text: the table for a terminal, and moves in words.

A picture only: rules are in `kernels`, what a network sees in `views`. Cards are written as in "R1", colours R Y G W B
as far as the variant has them. Slot 0 holds the oldest card.
"""

from collections.abc import Sequence

import numpy as np

from offbelief.games.hanabi.moves import COLOUR_LETTERS, COLOUR_NAMES, END_REASONS, read_move
from offbelief.games.hanabi.records import card_name
from offbelief.games.hanabi.state import NOTHING
from offbelief.games.hanabi.variant import DISCARDED, HINTED_COLOUR, PLAYED, HanabiVariant

_HIDDEN = "??"
_RESET = "\x1b[0m"
_ANSI = ("\x1b[31m", "\x1b[33m", "\x1b[32m", "\x1b[37m", "\x1b[34m")
"""Terminal colours of R, Y, G, W and B."""


def render(
    game: np.void,
    variant: HanabiVariant,
    *,
    seat: int | None = None,
    names: Sequence[str] = (),
    ansi: bool = False,
) -> str:
    """Draw a game as lines of text.

    Under each card stands what hints, positive and negative, leave possible: "R.G.. .2..." is a red or green two.

    Args:
        game: One record of HANABI_STATE.
        variant: Its rules.
        seat: Who looks: the seat's own cards are hidden. None shows every card.
        names: Names of the seats; "seat 0" and so on where they are missing.
        ansi: Colour the cards with ANSI codes. The text is otherwise the same.

    Returns:
        Lines without a line break at the end.
    """
    lines = [
        _heading(game, names),
        _fireworks(game, variant, ansi),
        f"Hints {game['hint_tokens']} of {variant.hint_tokens}   Lives {game['lives']} of {variant.lives}   "
        f"Deck {variant.deck_size - int(game['cards_drawn'])}",
        _discards(game, variant, ansi),
    ]
    width = max(len(seat_name(index, names)) for index in range(variant.players)) + 2
    for index in range(variant.players):
        lines += ["", *_hand(game, variant, index, hidden=index == seat, width=width, names=names, ansi=ansi)]
    last = describe_last_move(game, variant, names=names)
    return "\n".join(lines + (["", last] if last else []))


def describe_move(variant: HanabiVariant, move: int, seat: int, *, names: Sequence[str] = ()) -> str:
    """Say in words what a seat would do with a move, such as "Alice tells Bob which cards are 3"."""
    meaning = read_move(variant, move)
    actor = seat_name(seat, names)
    if meaning.type in ("play", "discard"):
        return f"{actor} {meaning.type}s slot {meaning.value}"
    target = seat_name((seat + meaning.offset) % variant.players, names)
    what = COLOUR_LETTERS[meaning.value] if meaning.type == "colour" else str(meaning.value + 1)
    return f"{actor} tells {target} which cards are {what}"


def label_move(variant: HanabiVariant, move: int, seat: int, *, names: Sequence[str] = ()) -> str:
    """Name a move in a word or two: "play slot 2", "hint 1s"; with three players or more "hint red to Cathy"."""
    meaning = read_move(variant, move)
    if meaning.type in ("play", "discard"):
        return f"{meaning.type} slot {meaning.value}"
    what = COLOUR_NAMES[meaning.value] if meaning.type == "colour" else f"{meaning.value + 1}s"
    if variant.players == 2:
        return f"hint {what}"
    return f"hint {what} to {seat_name((seat + meaning.offset) % variant.players, names)}"


def describe_last_move(game: np.void, variant: HanabiVariant, *, names: Sequence[str] = ()) -> str:
    """Say in words what the last move of a game did; "" before the first move."""
    if game["last_actor"] == NOTHING:
        return ""
    actor = seat_name(int(game["last_actor"]), names)
    token = ", a hint token returns" if game["last_token_gained"] else ""
    if game["last_type"] in (PLAYED, DISCARDED):
        card = f"{card_name(variant, int(game['last_card']))} from slot {game['last_slot']}"
        if game["last_type"] == DISCARDED:
            return f"{actor} discarded {card}{token}"
        return f"{actor} played {card}: {'it scores' if game['last_scored'] else 'a strike'}{token}"
    colour = game["last_type"] == HINTED_COLOUR
    what = COLOUR_LETTERS[game["last_colour"]] if colour else str(int(game["last_rank"]) + 1)
    touched = [str(slot) for slot in range(variant.hand_size) if (int(game["last_touched"]) >> slot) & 1]
    slots = f"slot{'s' if len(touched) > 1 else ''} {', '.join(touched)}"
    return f"{actor} told {seat_name(int(game['last_target']), names)} which cards are {what}: {slots}"


def seat_name(seat: int, names: Sequence[str]) -> str:
    """The name of a seat, or "seat 2" if it has none."""
    return names[seat] if seat < len(names) else f"seat {seat}"


def _heading(game: np.void, names: Sequence[str]) -> str:
    if game["is_over"]:
        return f"Over after {game['turn']} turns with {game['score']} points: {END_REASONS[int(game['end_reason'])]}"
    return f"Turn {int(game['turn']) + 1}: {seat_name(int(game['acting_seat']), names)} to move"


def _fireworks(game: np.void, variant: HanabiVariant, ansi: bool) -> str:
    stacks = [
        _paint(f"{COLOUR_LETTERS[colour]}{game['fireworks'][colour]}", colour, ansi)
        for colour in range(variant.colours)
    ]
    return f"Fireworks {' '.join(stacks)}   Score {game['score']} of {variant.max_score}"


def _discards(game: np.void, variant: HanabiVariant, ansi: bool) -> str:
    cards = [
        _card(variant, kind, ansi) for kind in range(variant.card_kinds) for _ in range(int(game["discards"][kind]))
    ]
    return f"Discards {' '.join(cards) or 'none'}"


def _hand(
    game: np.void, variant: HanabiVariant, seat: int, *, hidden: bool, width: int, names: Sequence[str], ansi: bool
) -> list[str]:
    """Draw a hand in two lines: the cards, and what their owner was told."""
    cards, knowledge = [], []
    column = variant.colours + variant.ranks + 3  # what is possible, with a gap inside and two behind
    for slot in range(int(game["hand_sizes"][seat])):
        kind = int(game["hands"][seat, slot])
        plain = _HIDDEN if hidden else card_name(variant, kind)
        card = plain if hidden else _card(variant, kind, ansi)
        cards.append(f"{slot} {card}" + " " * (column - len(plain) - 2))
        knowledge.append(describe_possible(game, variant, seat, slot).ljust(column))
    marker = "> " if seat == int(game["acting_seat"]) and not game["is_over"] else "  "
    name = seat_name(seat, names).ljust(width)
    return [f"{marker}{name}{''.join(cards)}".rstrip(), f"  {' ' * width}{''.join(knowledge)}".rstrip()]


def describe_possible(game: np.void, variant: HanabiVariant, seat: int, slot: int) -> str:
    """What hints leave possible, such as "R.G.. .2..."."""
    colours, ranks = int(game["possible_colours"][seat, slot]), int(game["possible_ranks"][seat, slot])
    letters = [COLOUR_LETTERS[colour] if (colours >> colour) & 1 else "." for colour in range(variant.colours)]
    numbers = [str(rank + 1) if (ranks >> rank) & 1 else "." for rank in range(variant.ranks)]
    return "".join(letters) + " " + "".join(numbers)


def _card(variant: HanabiVariant, kind: int, ansi: bool) -> str:
    return _paint(card_name(variant, kind), kind // variant.ranks, ansi)


def _paint(text: str, colour: int, ansi: bool) -> str:
    return f"{_ANSI[colour]}{text}{_RESET}" if ansi else text
