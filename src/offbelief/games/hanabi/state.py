"""A game of Hanabi as one NumPy record: `HANABI_STATE`, with every field explained.

A batch is a one-dimensional array of records, so copying, saving and restoring games is copying an array. Sizes are
fixed at the largest variant; what a smaller one does not use keeps the value written in the table below. The record
holds the whole truth: what a seat may see of it is the business of `views`.

A card's *kind* is ``colour * ranks + rank`` of the variant, both counted from 0. Seats are absolute (0 .. players-1).
Slot 0 of a hand holds its oldest card; new cards join at the end.
"""

from typing import Any

import numpy as np

from offbelief.games.hanabi.variant import DISCARDED as DISCARDED  # the values of `last_type`
from offbelief.games.hanabi.variant import HINTED_COLOUR as HINTED_COLOUR
from offbelief.games.hanabi.variant import HINTED_RANK as HINTED_RANK
from offbelief.games.hanabi.variant import MAX_COLOURS, MAX_DECK_SIZE, MAX_HAND_SIZE, MAX_KINDS, MAX_PLAYERS
from offbelief.games.hanabi.variant import PLAYED as PLAYED
from offbelief.nouns import AnyArray

NOTHING = 255
"""Stands for "none" in every byte field that names a seat, slot, card, colour, rank or kind of move."""
NO_CARD = NOTHING
"""An empty slot of a hand, or a place of the deck beyond its last card."""

# `end_reason`
RUNNING = 0
OUT_OF_LIVES = 1
FULL_SCORE = 2
OUT_OF_CARDS = 3
"""Every seat had its further turn after the last card was drawn."""
OUT_OF_TURNS = 4
"""The variant's turn cap was reached."""

_CARDS = (MAX_PLAYERS, MAX_HAND_SIZE)

_FIELDS: list[tuple[Any, ...]] = [
    # Random stream of this game (see `offbelief.streams`): it shuffles each new deck and draws the first seat, nothing
    # else, so the n-th game of a record depends on its seed alone. An array of one, because streams travel in arrays.
    ("stream", np.uint64, (1,)),
    # --- the table -------------------------------------------------------------------------------------------------
    # How often this record was dealt anew: 0 for its first game.
    ("restarts", np.uint32),
    # Moves made so far.
    ("turn", np.uint16),
    # Seat to move; after the end the seat whose turn it would have been.
    ("acting_seat", np.uint8),
    # Seat that had the first turn.
    ("start_seat", np.uint8),
    # Hint tokens left.
    ("hint_tokens", np.uint8),
    # Strikes left before the game is lost.
    ("lives", np.uint8),
    # Cards drawn from the deck so far, opening hands included; ``deck[cards_drawn]`` is next.
    ("cards_drawn", np.uint8),
    # Turns left once the deck is empty; stays at the number of players until the last card has been drawn.
    ("turns_left", np.uint8),
    # Points so far as the variant scores them: cards played, and 0 after the last strike where that scores zero.
    ("score", np.uint8),
    # Whether the game has ended.
    ("is_over", np.bool_),
    # RUNNING, OUT_OF_LIVES, FULL_SCORE, OUT_OF_CARDS or OUT_OF_TURNS.
    ("end_reason", np.uint8),
    # Cards played of each colour, which is also the rank needed next; 0 for colours that the variant lacks.
    ("fireworks", np.uint8, (MAX_COLOURS,)),
    # Cards in each hand; 0 for seats that the variant lacks.
    ("hand_sizes", np.uint8, (MAX_PLAYERS,)),
    # --- the cards in hand, [seat, slot]; empty slots hold NO_CARD, NOTHING, 0, 0, 0, 0 --------------------------
    # Kind of the card.
    ("hands", np.uint8, _CARDS),
    # Place of the card in the deck: ``deck[deal_indices[seat, slot]] == hands[seat, slot]`` at all times.
    ("deal_indices", np.uint8, _CARDS),
    # Colours that hints leave possible, bit c for colour c; a hint that passed the card over counts too.
    ("possible_colours", np.uint8, _CARDS),
    # Ranks that hints leave possible, bit r for rank r.
    ("possible_ranks", np.uint8, _CARDS),
    # 1 if a hint named the card's colour, else 0 (numba knows no arrays of bool inside records). Not the same as a
    # single possible colour, which may also come from hints that passed the card over.
    ("colour_told", np.uint8, _CARDS),
    # 1 if a hint named the card's rank, else 0.
    ("rank_told", np.uint8, _CARDS),
    # --- the last move; NOTHING where it does not apply, everything NOTHING or 0 before the first move --------------
    # Seat that moved.
    ("last_actor", np.uint8),
    # PLAYED, DISCARDED, HINTED_COLOUR or HINTED_RANK.
    ("last_type", np.uint8),
    # Seat that was given a hint.
    ("last_target", np.uint8),
    # Colour or rank that was hinted.
    ("last_colour", np.uint8),
    ("last_rank", np.uint8),
    # Slots that the hint touched, bit s for slot s; 0 for other moves.
    ("last_touched", np.uint8),
    # Slot the card was played or discarded from, and the card's kind.
    ("last_slot", np.uint8),
    ("last_card", np.uint8),
    # Whether the played card scored.
    ("last_scored", np.bool_),
    # Whether the move returned a hint token.
    ("last_token_gained", np.bool_),
    # The move that the last actor says it would have made without exploring, plus 1; 0 if nothing is said, and then
    # it is the move made. The rules know nothing of it: `HanabiGame.announce` writes it for those who listen (SAD).
    ("announced", np.uint8),
    # --- cold ------------------------------------------------------------------------------------------------------
    # Cards out of the game, by kind: discarded or lost by a strike. Cards in the fireworks are not among them.
    ("discards", np.uint8, (MAX_KINDS,)),
    # Kinds in drawing order, cards already drawn included; the first seat's opening hand comes first, whole.
    ("deck", np.uint8, (MAX_DECK_SIZE,)),
    # Always 0. Rounds the record up to whole 64-bit words, so that no byte of it is padding that copies may lose.
    ("spare", np.uint8, (3,)),
]

HANABI_STATE = np.dtype(_FIELDS, align=True)
"""One game; see the comments beside the fields in this module. 272 bytes."""


def copy_states(states: AnyArray) -> AnyArray:
    """Copy games [...]; several times as fast as ``states.copy()``, since NumPy copies records field by field."""
    return np.ascontiguousarray(states).view(np.uint8).copy().view(HANABI_STATE)


def overwrite_states(target: AnyArray, source: AnyArray) -> None:
    """Write games [B] over others [B], both contiguous; as ``target[:] = source``, but as plain bytes and so faster."""
    target.view(np.uint8)[:] = source.view(np.uint8)
