"""A table in the terminal: the drawing, its form as JSON, and what the seats are called.

The text itself is `offbelief.games.hanabi.text.render`; here it meets a console, which colours it where colours are
wanted (not in pipes, dumb terminals or with NO_COLOR) and adds what players count along: the best score still possible
and the last copies. Plain ASCII, so that every terminal can show it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.text import Text

from offbelief.games.hanabi.moves import COLOUR_LETTERS
from offbelief.games.hanabi.records import card_name
from offbelief.games.hanabi.standing import card_standing
from offbelief.games.hanabi.text import describe_possible, render
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.interfaces.console import TableConsole

SEAT_NAMES = ("Alice", "Bob", "Cathy", "Donald", "Emily")
"""What the seats are called at a table, as Hanabi players have it."""


def new_console() -> TableConsole:
    """A console that prints what it is given: no highlighting, no markup in names, no emoji."""
    return TableConsole(highlight=False, markup=False, emoji=False, soft_wrap=True)


def draw_table(
    console: TableConsole, game: np.void, variant: HanabiVariant, names: Sequence[str], *, seat: int | None = None
) -> None:
    """Draw a game, as a seat sees it or (None) with every card open."""
    console.print(Text.from_ansi(render(game, variant, seat=seat, names=names, ansi=True)))
    counted = _count_along(game, variant)
    if counted:
        console.print(Text(counted))


def _count_along(game: np.void, variant: HanabiVariant) -> str:
    """What discards have cost: points out of reach, and kinds of which one copy is left ("" if nothing or over)."""
    if game["is_over"]:
        return ""
    standing = card_standing(game, variant)
    found = []
    if standing.best_possible < variant.max_score:
        found.append(f"Best possible {standing.best_possible}")
    # A kind that exists once is critical from the start, which every player knows.
    rare = standing.critical & (np.array(variant.copies_by_kind) > 1)
    if rare.any():
        found.append(f"Last copies {' '.join(card_name(variant, int(kind)) for kind in np.flatnonzero(rare))}")
    return "   ".join(found)


def table_as_json(game: np.void, variant: HanabiVariant) -> dict[str, Any]:
    """Write everything on the table as plain data, every card open."""
    hands = [
        [
            {
                "card": card_name(variant, int(game["hands"][seat, slot])),
                "possible": describe_possible(game, variant, seat, slot),
            }
            for slot in range(int(game["hand_sizes"][seat]))
        ]
        for seat in range(variant.players)
    ]
    return {
        "fireworks": {COLOUR_LETTERS[colour]: int(game["fireworks"][colour]) for colour in range(variant.colours)},
        "hint_tokens": int(game["hint_tokens"]),
        "lives": int(game["lives"]),
        "deck": variant.deck_size - int(game["cards_drawn"]),
        "discards": [
            card_name(variant, kind) for kind in range(variant.card_kinds) for _ in range(int(game["discards"][kind]))
        ],
        "hands": hands,
    }
