"""Moves in words: what a move id means, and why a move is illegal. For messages; kernels have their own tables."""

import dataclasses
from typing import Literal

import numpy as np

from offbelief.games.hanabi.kernels import NO_MOVE
from offbelief.games.hanabi.state import FULL_SCORE, NO_CARD, OUT_OF_CARDS, OUT_OF_LIVES, OUT_OF_TURNS
from offbelief.games.hanabi.variant import (
    DISCARDED,
    HINTED_COLOUR,
    HINTED_RANK,
    OFFSET_BY_MOVE,
    PLAYED,
    TYPE_BY_MOVE,
    VALUE_BY_MOVE,
    HanabiVariant,
)
from offbelief.nouns import UserError

COLOUR_LETTERS = "RYGWB"
"""HLE's letters of colours 0 to 4."""

COLOUR_NAMES = ("red", "yellow", "green", "white", "blue")
"""The same colours in words."""

END_REASONS = {
    OUT_OF_LIVES: "the last life was lost",
    FULL_SCORE: "every firework is complete",
    OUT_OF_CARDS: "every seat had its turn after the last card was drawn",
    OUT_OF_TURNS: "the turn cap was reached",
}
"""Why a game is over, in words, by `end_reason`."""

MoveType = Literal["play", "discard", "colour", "rank"]
_TYPES: dict[int, MoveType] = {PLAYED: "play", DISCARDED: "discard", HINTED_COLOUR: "colour", HINTED_RANK: "rank"}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Move:
    """A move id taken apart."""

    type: MoveType
    """Play or discard a card, or hint a colour or a rank."""
    offset: int
    """How many seats after the actor the hinted seat sits; 0 for plays and discards."""
    value: int
    """The slot played or discarded, or the colour or rank hinted; each counts from 0."""

    def __str__(self) -> str:
        if self.type in ("play", "discard"):
            return f"{self.type} slot {self.value}"
        what = COLOUR_LETTERS[self.value] if self.type == "colour" else str(self.value + 1)
        return f"hint {self.type} {what} to seat +{self.offset}"


def read_move(variant: HanabiVariant, move: int) -> Move:
    """Say what a move id means; the inverse of `move_id`."""
    if not 0 <= move < variant.num_moves:
        raise UserError(f"Move {move} does not exist; {variant.name} has moves 0 to {variant.num_moves - 1}.")
    parameters = variant.parameters
    return Move(
        type=_TYPES[int(parameters[TYPE_BY_MOVE + move])],
        offset=int(parameters[OFFSET_BY_MOVE + move]),
        value=int(parameters[VALUE_BY_MOVE + move]),
    )


def move_id(variant: HanabiVariant, type: MoveType, value: int, offset: int = 0) -> int:
    """Find the id of a move.

    Args:
        variant: The rules.
        type: "play", "discard", "colour" or "rank".
        value: Slot, colour or rank, counted from 0.
        offset: How many seats after the actor the hinted seat sits; 0 for plays and discards.
    """
    wanted = Move(type=type, offset=offset, value=value)
    for move in range(variant.num_moves):
        if read_move(variant, move) == wanted:
            return move
    raise UserError(f"No move of {variant.name} is {wanted}; see HanabiVariant.num_moves for the moves there are.")


def why_illegal(variant: HanabiVariant, game: np.void, move: int) -> str | None:
    """Say in words why a move is illegal in a game (one record of HANABI_STATE), or return None if it is legal."""
    if game["is_over"]:
        if move == NO_MOVE:
            return None
        return f"the game is over because {END_REASONS[int(game['end_reason'])]}; restart it or give it NO_MOVE"
    if not 0 <= move < variant.num_moves:
        return f"move {move} does not exist; {variant.name} has moves 0 to {variant.num_moves - 1}"
    meaning = read_move(variant, move)
    actor = int(game["acting_seat"])
    if meaning.type in ("play", "discard"):
        if meaning.value >= game["hand_sizes"][actor]:
            return f"'{meaning}' needs a card in that slot and seat {actor} holds {game['hand_sizes'][actor]} cards"
        if meaning.type == "discard" and game["hint_tokens"] >= variant.hint_tokens:
            return f"'{meaning}' is not allowed while all {variant.hint_tokens} hint tokens are there"
        return None
    if game["hint_tokens"] == 0:
        return f"'{meaning}' needs a hint token and there is none left"
    target = (actor + meaning.offset) % variant.players
    cards = [int(card) for card in game["hands"][target] if card != NO_CARD]
    values = [card // variant.ranks if meaning.type == "colour" else card % variant.ranks for card in cards]
    if meaning.value not in values:
        return f"'{meaning}' touches no card of seat {target}"
    return None
