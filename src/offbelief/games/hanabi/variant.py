"""HanabiVariant: which Hanabi is played, and everything that follows from that choice.

Rule settings only. How a game in progress is stored is in `state`; how it moves is in `kernels`.

Words: a *colour* and a *rank* count from 0; a card's *kind* is ``colour * ranks + rank``; a *move* is HLE's number for
an action (see `HanabiVariant.num_moves`). HLE is DeepMind's Hanabi Learning Environment (Bard et al. 2020), whose rules
these are.
"""

import dataclasses
import functools
import re
from typing import Literal, get_args

import numpy as np

from offbelief.nouns import IntArray, UserError

MAX_PLAYERS = 5
MAX_HAND_SIZE = 5
MAX_COLOURS = 5
MAX_RANKS = 5
MAX_KINDS = MAX_COLOURS * MAX_RANKS
MAX_DECK_SIZE = 50
MAX_MOVES = 2 * MAX_HAND_SIZE + (MAX_PLAYERS - 1) * (MAX_COLOURS + MAX_RANKS)
"""50, so that the legal moves of any game fit one 64-bit number."""

# What a move does, in the order of HLE's one-hot encoding of the last move.
PLAYED = 0
DISCARDED = 1
HINTED_COLOUR = 2
HINTED_RANK = 3

_MAX_TOKENS = 50  # far above every rule book, far below what a byte holds

ThirdStrikeScores = Literal["zero", "cards-played"]

# What stands where in `HanabiVariant.parameters`: the numbers that kernels take in place of the dataclass, so that one
# compiled kernel serves every variant. Single numbers first, then tables by kind or by place.
PLAYERS = 0
COLOURS = 1
RANKS = 2
HAND_SIZE = 3
HINT_TOKENS = 4
LIVES = 5
STRIKE_KEEPS_SCORE = 6
"""1 if a game lost by strikes scores the cards played, 0 if it scores nothing."""
RANDOM_START = 7
"""1 if the first seat to act is drawn at random, 0 if it is seat 0."""
TURN_CAP = 8
"""The game ends after this many turns; 0 for no cap."""
DECK_SIZE = 9
CARD_KINDS = 10
NUM_MOVES = 11
MAX_SCORE = 12
COPIES_BY_KIND = 16
"""25 numbers: how many copies of the kind a full deck holds."""
COLOUR_BY_KIND = 41
"""25 numbers: colour of the kind."""
RANK_BY_KIND = 66
"""25 numbers: rank of the kind."""
HINTS_BY_KIND = 91
"""25 numbers: the hints that touch the kind, as bits: bit ``colour`` and bit ``colours + rank``."""
SORTED_DECK = 116
"""50 numbers: the kinds of a full deck in rising order."""
TYPE_BY_MOVE = 166
"""50 numbers: what the move does: PLAYED, DISCARDED, HINTED_COLOUR or HINTED_RANK."""
OFFSET_BY_MOVE = 216
"""50 numbers: how many seats after the actor the hinted seat sits; 0 for plays and discards."""
VALUE_BY_MOVE = 266
"""50 numbers: slot that is played or discarded, or colour or rank that is hinted."""
PARAMETER_COUNT = VALUE_BY_MOVE + MAX_MOVES


@dataclasses.dataclass(frozen=True, kw_only=True)
class HanabiVariant:
    """The settings of a Hanabi game.

    ``HanabiVariant()`` is the full two-player game. `parse` reads a name such as ``full-3p``, ``mini`` or
    ``3p-2c-3r-h3-i5-l3``, and `name` writes one.
    """

    players: int = 2
    """Seats at the table, 2 to 5."""
    colours: int = 5
    """Colours of cards, 1 to 5."""
    ranks: int = 5
    """Ranks of cards, 1 to 5. A deck holds the first rank three times, the last once and others twice."""
    hand_size: int = 0
    """Cards in a full hand, 1 to 5; 0 (the default) means by the rules: 5 for two or three players, else 4."""
    hint_tokens: int = 8
    """Hint tokens at the start, which is also the most there can be."""
    lives: int = 3
    """Strikes that end the game; three by the rules."""
    third_strike_scores: ThirdStrikeScores = "zero"
    """What a game lost by its last strike scores: "zero" as in HLE, or the "cards-played" so far."""
    random_start: bool = False
    """Whether the first seat to act is drawn at random; otherwise it is seat 0."""
    turn_cap: int | None = None
    """End the game after this many turns with the points so far, or None to let it run."""

    def __post_init__(self) -> None:
        """Fill in the hand size and refuse what cannot be played."""
        _check_range("players", self.players, 2, MAX_PLAYERS)
        if self.hand_size == 0:
            object.__setattr__(self, "hand_size", 5 if self.players < 4 else 4)
        _check_range("colours", self.colours, 1, MAX_COLOURS)
        _check_range("ranks", self.ranks, 1, MAX_RANKS)
        _check_range("hand_size", self.hand_size, 1, MAX_HAND_SIZE)
        _check_range("hint_tokens", self.hint_tokens, 0, _MAX_TOKENS)
        _check_range("lives", self.lives, 1, _MAX_TOKENS)
        if self.turn_cap is not None:
            _check_range("turn_cap", self.turn_cap, 1, 10_000)
        if self.third_strike_scores not in get_args(ThirdStrikeScores):
            raise UserError(
                f"third_strike_scores is {self.third_strike_scores!r}; choose 'zero' (as in HLE) or 'cards-played'."
            )
        if not isinstance(self.random_start, bool):
            raise UserError(f"random_start is {self.random_start!r}; give True or False.")
        if self.players * self.hand_size > self.deck_size:
            raise UserError(
                f"{self.players} hands of {self.hand_size} need {self.players * self.hand_size} cards but the deck of "
                f"{self.colours} colours and {self.ranks} ranks has {self.deck_size}; choose a smaller hand_size or "
                "more colours or ranks."
            )

    @classmethod
    def parse(cls, text: str) -> "HanabiVariant":
        """Read a variant from its name, the inverse of `name`.

        Args:
            text: A named variant (``full-2p`` .. ``full-5p``, ``small``, ``very-small``, ``mini``), or one spelled out
                as ``3p-2c-3r-h3-i5-l3`` (players, colours, ranks, hand size, hint tokens, lives); either may be
                followed by ``+cards-played``, ``+random-start`` and ``+cap80``.
        """
        base, *options = text.strip().lower().split("+")
        named = NAMED_VARIANTS.get(base)
        spelled = re.fullmatch(r"(\d+)p-(\d+)c-(\d+)r-h(\d+)-i(\d+)-l(\d+)", base)
        if named is not None:
            variant = named
        elif spelled is not None:
            players, colours, ranks, hand_size, hint_tokens, lives = (int(number) for number in spelled.groups())
            _check_range("hand_size", hand_size, 1, MAX_HAND_SIZE)  # 0 would quietly mean "by the rules"
            variant = cls(
                players=players,
                colours=colours,
                ranks=ranks,
                hand_size=hand_size,
                hint_tokens=hint_tokens,
                lives=lives,
            )
        else:
            raise UserError(
                f"Unknown Hanabi variant {text!r}; choose one of {', '.join(NAMED_VARIANTS)}, or spell it out like "
                "3p-2c-3r-h3-i5-l3 (players, colours, ranks, hand size, hint tokens, lives)."
            )
        for option in options:
            cap = re.fullmatch(r"cap(\d+)", option)
            if option == "cards-played":
                variant = dataclasses.replace(variant, third_strike_scores="cards-played")
            elif option == "random-start":
                variant = dataclasses.replace(variant, random_start=True)
            elif cap is not None:
                variant = dataclasses.replace(variant, turn_cap=int(cap.group(1)))
            else:
                raise UserError(
                    f"Unknown option '+{option}' in Hanabi variant {text!r}; "
                    "choose from +cards-played, +random-start and +cap80 (any number of turns)."
                )
        return variant

    @property
    def name(self) -> str:
        """The name that `parse` reads back into this variant."""
        plain = dataclasses.replace(self, third_strike_scores="zero", random_start=False, turn_cap=None)
        for name, variant in NAMED_VARIANTS.items():
            if variant == plain:
                base = name
                break
        else:
            base = f"{self.players}p-{self.colours}c-{self.ranks}r-h{self.hand_size}-i{self.hint_tokens}-l{self.lives}"
        return (
            base
            + ("+cards-played" if self.third_strike_scores == "cards-played" else "")
            + ("+random-start" if self.random_start else "")
            + (f"+cap{self.turn_cap}" if self.turn_cap is not None else "")
        )

    @property
    def card_kinds(self) -> int:
        """Number of different cards."""
        return self.colours * self.ranks

    @property
    def copies_by_rank(self) -> tuple[int, ...]:
        """Copies of a card in the deck, for each rank; with a single rank the deck holds it three times, as in HLE."""
        return tuple(3 if rank == 0 else 1 if rank == self.ranks - 1 else 2 for rank in range(self.ranks))

    @property
    def copies_by_kind(self) -> tuple[int, ...]:
        """Copies of each kind of card in the deck."""
        return self.copies_by_rank * self.colours

    @property
    def deck_size(self) -> int:
        """Number of cards, before any is dealt."""
        return self.colours * sum(self.copies_by_rank)

    @property
    def num_moves(self) -> int:
        """Number of move ids, which are HLE's.

        With hand size h, in this order: discard slot 0 .. h-1 (slot 0 holds the oldest card), play slot 0 .. h-1,
        colour hints (for the next seat each colour, then for the seat after it, ...), rank hints in the same way.
        """
        return 2 * self.hand_size + (self.players - 1) * (self.colours + self.ranks)

    @property
    def first_play(self) -> int:
        """Id of the move "play slot 0"."""
        return self.hand_size

    @property
    def first_colour_hint(self) -> int:
        """Id of the move "hint colour 0 to the next seat"."""
        return 2 * self.hand_size

    @property
    def first_rank_hint(self) -> int:
        """Id of the move "hint rank 0 to the next seat"."""
        return 2 * self.hand_size + (self.players - 1) * self.colours

    @property
    def max_score(self) -> int:
        """Points of a perfect game: every colour built to the last rank."""
        return self.colours * self.ranks

    @property
    def max_turns(self) -> int:
        """No game has more turns than this.

        Until the last card is drawn, each drawn card costs one play or discard that may return one token, and each
        token pays for one hint; then every seat has one further turn.
        """
        draws = self.deck_size - self.players * self.hand_size
        until_last_draw = self.hint_tokens + 2 * draws - 1 if draws > 0 else 0
        turns = until_last_draw + self.players
        return turns if self.turn_cap is None else min(turns, self.turn_cap)

    @property
    def parameters(self) -> IntArray:
        """What kernels take in place of this dataclass: [PARAMETER_COUNT] int64, read-only, same array every time.

        The constants of this module say what stands where.
        """
        return _parameters(self)

    def kind(self, colour: int, rank: int) -> int:
        """Kind of the card with this colour and rank, both counted from 0."""
        return colour * self.ranks + rank


@functools.cache
def _parameters(variant: HanabiVariant) -> IntArray:
    """Write the variant as numbers for kernels; cached here so that pickling a variant carries no array."""
    kinds = np.arange(variant.card_kinds)
    parameters = np.zeros(PARAMETER_COUNT, dtype=np.int64)
    parameters[PLAYERS] = variant.players
    parameters[COLOURS] = variant.colours
    parameters[RANKS] = variant.ranks
    parameters[HAND_SIZE] = variant.hand_size
    parameters[HINT_TOKENS] = variant.hint_tokens
    parameters[LIVES] = variant.lives
    parameters[STRIKE_KEEPS_SCORE] = variant.third_strike_scores == "cards-played"
    parameters[RANDOM_START] = variant.random_start
    parameters[TURN_CAP] = variant.turn_cap or 0
    parameters[DECK_SIZE] = variant.deck_size
    parameters[CARD_KINDS] = variant.card_kinds
    parameters[NUM_MOVES] = variant.num_moves
    parameters[MAX_SCORE] = variant.max_score
    parameters[COPIES_BY_KIND + kinds] = variant.copies_by_kind
    parameters[COLOUR_BY_KIND + kinds] = kinds // variant.ranks
    parameters[RANK_BY_KIND + kinds] = kinds % variant.ranks
    parameters[HINTS_BY_KIND + kinds] = (1 << kinds // variant.ranks) | (1 << (variant.colours + kinds % variant.ranks))
    parameters[SORTED_DECK : SORTED_DECK + variant.deck_size] = np.repeat(kinds, variant.copies_by_kind)
    meanings = [(DISCARDED, 0, slot) for slot in range(variant.hand_size)]
    meanings += [(PLAYED, 0, slot) for slot in range(variant.hand_size)]
    meanings += [
        (HINTED_COLOUR, offset, colour) for offset in range(1, variant.players) for colour in range(variant.colours)
    ]
    meanings += [(HINTED_RANK, offset, rank) for offset in range(1, variant.players) for rank in range(variant.ranks)]
    for move, (move_type, offset, value) in enumerate(meanings):
        parameters[TYPE_BY_MOVE + move] = move_type
        parameters[OFFSET_BY_MOVE + move] = offset
        parameters[VALUE_BY_MOVE + move] = value
    parameters.flags.writeable = False
    return parameters


def _check_range(field: str, value: object, low: int, high: int) -> None:
    """Refuse a setting that is no whole number between two bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise UserError(f"{field} is {value!r}; Hanabi needs a whole number from {low} to {high}.")


NAMED_VARIANTS = {
    "full-2p": HanabiVariant(players=2),
    "full-3p": HanabiVariant(players=3),
    "full-4p": HanabiVariant(players=4),
    "full-5p": HanabiVariant(players=5),
    "small": HanabiVariant(players=2, colours=2, hand_size=2, hint_tokens=3, lives=1),
    "very-small": HanabiVariant(players=2, colours=1, hand_size=2, hint_tokens=3, lives=1),
    "mini": HanabiVariant(players=2, colours=3, ranks=3, hand_size=3, hint_tokens=5, lives=3),
}
"""Variants that have a name of their own; ``small`` and ``very-small`` are HLE's Hanabi-Small and Hanabi-Very-Small."""
