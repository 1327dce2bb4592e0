"""A compact observation, card by card, for networks that share weights over the slots of a hand.

Every own card has the same features, every partner's card has the same features, and the rest is global; a
network encodes each card with the same weights and pools. All three lie in one row, so a batch is one array and
`Layout.view` (or `split_cardwise`) gives [B, H, F_own], [B, P-1, H, F_partner] and [B, F_global] without copying.

Probabilities are exact where they can be: sums are made of whole numbers and divided once, so that shuffling colours
shuffles the features and changes no digit.
"""

import functools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from offbelief.games.hanabi.kernels import Integer
from offbelief.games.hanabi.knowledge import possible_kinds_one, private_counts_one, public_counts_one
from offbelief.games.hanabi.variant import (
    CARD_KINDS,
    COLOURS,
    COPIES_BY_KIND,
    DECK_SIZE,
    HAND_SIZE,
    HINT_TOKENS,
    LIVES,
    MAX_SCORE,
    PLAYERS,
    RANKS,
    HanabiVariant,
)
from offbelief.games.hanabi.views.bits import spread_bits_one, spread_words_one, write_bits_one
from offbelief.games.hanabi.views.inputs import check_out, check_seats, check_states
from offbelief.games.hanabi.views.layout import Layout, LayoutBuilder
from offbelief.games.hanabi.views.table import discard_bits_one, last_move_bit_count, last_move_bits_one, lay_last_move
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, FloatArray, IntArray
from offbelief.threads import share_games

GLOBAL_WORDS = 4
"""Words of scratch that `cardwise_one` needs: at most 30 + 50 + 50 + 5 + 1 + 50 bits."""

_ONE = np.int64(1)

# See `_mark_kinds_one`; the order of the marks is that of the features.
_COUNT = np.int64(0xFFFF)
_PLAYABLE = np.int64(1) << np.int64(16)
_DEAD = np.int64(1) << np.int64(32)
_CRITICAL = np.int64(1) << np.int64(48)


class CardwiseObservation(NamedTuple):
    """The three blocks of card-wise observations, views of one array."""

    own_cards: FloatArray
    """[..., H, F_own]"""
    partner_cards: FloatArray
    """[..., P-1, H, F_partner], next seat first."""
    table: FloatArray
    """[..., F_global] everything that is not about one card."""


@functools.cache
def cardwise_layout(variant: HanabiVariant, *, last_move: bool = False) -> Layout:
    """Name the features of the card-wise observation.

    For the full two-player game F_own = 45, F_partner = 74, F_global = 123 (178 with the last move).

    Args:
        variant: The rules.
        last_move: Whether the last move is among the global features (level 1 needs it not).
    """
    builder = LayoutBuilder("card-wise" + (" with last move" if last_move else ""), variant)
    lay_cardwise(builder)
    if last_move:
        lay_last_move(builder, "last")
    return builder.build()


def lay_cardwise(builder: LayoutBuilder) -> None:
    """Lay the sections of a card-wise observation."""
    known = [
        ("possible_colour", ["colour"], "1 if hints leave the colour possible"),
        ("possible_rank", ["rank"], "1 if hints leave the rank possible"),
        ("colour_told", [], "1 if a hint named the card's colour"),
        ("rank_told", [], "1 if a hint named the card's rank"),
        ("slot", ["slot"], "1 at the card's slot, oldest first"),
    ]
    builder.add_group(
        "own_cards",
        ["slot"],
        "the observer's cards; 0s for an empty slot",
        [
            ("probability", ["colour", "rank"], "of the card, given hints and every card the observer sees"),
            ("playable", [], "probability that it can be played now"),
            ("dead", [], "probability that it can never score"),
            ("critical", [], "probability that it can still score and is the last of its kind"),
            *known,
        ],
    )
    builder.add_group(
        "partner_cards",
        ["partner", "slot"],
        "the other seats' cards, next seat first; 0s for an empty slot",
        [
            ("card", ["colour", "rank"], "1 at the card's colour and rank"),
            ("is_playable", [], "1 if it can be played now"),
            ("is_dead", [], "1 if it can never score"),
            ("is_critical", [], "1 if it can still score and is the last of its kind"),
            ("probability", ["colour", "rank"], "public: of the card, given hints, discards and fireworks"),
            ("playable", [], "public probability that it can be played now"),
            ("dead", [], "public probability that it can never score"),
            ("critical", [], "public probability that it can still score and is the last of its kind"),
            *known,
            ("seat", ["partner"], "1 at the partner who holds it, next seat first"),
        ],
    )
    builder.add("fireworks", ["colour", "cards played"], "1 at the number of cards played of the colour")
    builder.add("hint_tokens", ["token"], "thermometer of hint tokens left")
    builder.add("lives", ["life"], "thermometer of lives left")
    builder.add("turns_left", ["seat"], "thermometer of the turns after the last card was drawn; full until then")
    builder.add("deck_is_empty", [], "1 once the last card has been drawn")
    builder.add("discards", ["colour", "copy"], "for each rank in turn a thermometer of its copies that are discarded")
    builder.add("unseen", ["colour", "rank"], "share of the card's copies that the observer has not seen")
    builder.add("deck", [], "cards in the deck / cards in the deck at the start")
    builder.add("cards_played", [], "cards played / full score")
    builder.add("best_possible", [], "most cards that can be played, given discards / full score")
    builder.add("pace", [], "(cards played + deck + turns_left - best possible) / full score: plays that may be missed")


def observe_cardwise(
    states: AnyArray,
    variant: HanabiVariant,
    seats: npt.ArrayLike | None = None,
    *,
    last_move: bool = False,
    threads: int = 1,
    out: FloatArray | None = None,
) -> FloatArray:
    """Encode what a seat of every game sees, card by card.

    Args:
        states: [B] games.
        variant: Their rules.
        seats: Who looks: one seat, [B] seats, or None for the acting seat of each game.
        last_move: Append the last move.
        threads: Threads that share the games.
        out: [B, F] float32 array to write into, or None for a new one.

    Returns:
        [B, F] float32, F = ``cardwise_layout(variant, last_move=...).size``; `split_cardwise` gives the blocks.
    """
    check_states(states)
    rows = check_out(out, (len(states), cardwise_layout(variant, last_move=last_move).size), np.float32)
    checked = check_seats(states, variant, seats)
    parameters = variant.parameters
    share_games(
        len(states), threads, lambda part: cardwise(states[part], parameters, checked[part], last_move, rows[part])
    )
    return rows


def split_cardwise(observations: FloatArray, variant: HanabiVariant, *, last_move: bool = False) -> CardwiseObservation:
    """Show the three blocks of card-wise observations [..., F]; they share memory with ``observations``."""
    layout = cardwise_layout(variant, last_move=last_move)
    views = layout.view(observations)
    return CardwiseObservation(
        views["own_cards"], views["partner_cards"], observations[..., layout["fireworks"].start :]
    )


@kernel
def reach_one(game: np.void, parameters: IntArray, colour: Integer) -> Integer:
    """Most cards of a colour that can ever be played: up to the first rank that is discarded for good."""
    reach = np.int64(game["fireworks"][colour])
    while reach < parameters[RANKS]:
        kind = colour * parameters[RANKS] + reach
        if np.int64(game["discards"][kind]) == parameters[COPIES_BY_KIND + kind]:
            break
        reach += 1
    return reach


@kernel
def _mark_kinds_one(game: np.void, parameters: IntArray, counts: IntArray) -> None:
    """Mark in ``counts`` [N, K] which kinds are playable, dead and critical.

    A count of cards becomes four counts in one number, 16 bits each: all cards, playable, dead and critical ones. A
    card's four totals are then one sum over the kinds that are possible for it.
    """
    ranks = parameters[RANKS]
    for colour in range(parameters[COLOURS]):
        height, reach = np.int64(game["fireworks"][colour]), reach_one(game, parameters, colour)
        for rank in range(ranks):
            kind = colour * ranks + rank
            marks = _ONE
            if rank < height or rank >= reach:
                marks |= _DEAD
            else:
                if rank == height:
                    marks |= _PLAYABLE
                if np.int64(game["discards"][kind]) + 1 == parameters[COPIES_BY_KIND + kind]:
                    marks |= _CRITICAL
            for row in range(len(counts)):
                counts[row, kind] *= marks


@kernel
def _write_card_one(
    game: np.void, parameters: IntArray, seat: Integer, slot: Integer, counts: IntArray, row: FloatArray
) -> None:
    """Write what hints and marked ``counts`` [K] say about a card in hand: "probability" to "slot" of the layout."""
    kinds, colours, ranks = parameters[CARD_KINDS], parameters[COLOURS], parameters[RANKS]
    possible = possible_kinds_one(game, parameters, seat, slot)
    totals = np.int64(0)
    for kind in range(kinds):
        totals += ((possible >> kind) & 1) * counts[kind]
    total = np.float32(totals & _COUNT)
    probabilities = row[:kinds]
    for kind in range(kinds):
        probabilities[kind] = np.float32(((possible >> kind) & 1) * (counts[kind] & _COUNT)) / total
    for mark in range(3):
        row[kinds + mark] = np.float32((totals >> (16 * mark + 16)) & _COUNT) / total
    bits = np.int64(game["possible_colours"][seat, slot])
    bits |= np.int64(game["possible_ranks"][seat, slot]) << colours
    bits |= np.int64(game["colour_told"][seat, slot]) << (colours + ranks)
    bits |= np.int64(game["rank_told"][seat, slot]) << (colours + ranks + 1)
    bits |= _ONE << (colours + ranks + 2 + slot)
    spread_bits_one(bits, row[kinds + 3 : kinds + 3 + colours + ranks + 2 + parameters[HAND_SIZE]])


@kernel
def _write_globals_one(game: np.void, parameters: IntArray, counts: IntArray, words: IntArray, row: FloatArray) -> None:
    """Write the features from "fireworks" to "pace"; ``counts`` [K] are the marked private ones."""
    players, kinds, deck_size = parameters[PLAYERS], parameters[CARD_KINDS], parameters[DECK_SIZE]
    colours, ranks = parameters[COLOURS], parameters[RANKS]
    cards_played, best_possible = np.int64(0), np.int64(0)
    turns_left, deck = np.int64(game["turns_left"]), deck_size - np.int64(game["cards_drawn"])
    for word in range(len(words)):
        words[word] = 0
    position: Integer = np.int64(0)
    for colour in range(colours):
        height = np.int64(game["fireworks"][colour])
        position = write_bits_one(words, position, _ONE << height, ranks + 1)
        cards_played += height
        best_possible += reach_one(game, parameters, colour)
    tokens = (_ONE << np.int64(game["hint_tokens"])) - 1
    position = write_bits_one(words, position, tokens, parameters[HINT_TOKENS])
    position = write_bits_one(words, position, (_ONE << np.int64(game["lives"])) - 1, parameters[LIVES])
    position = write_bits_one(words, position, (_ONE << turns_left) - 1, players)
    position = write_bits_one(words, position, np.int64(deck == 0), 1)
    position = write_bits_one(words, position, discard_bits_one(game, parameters), deck_size)
    spread_words_one(words, position, row)

    unseen = row[position : position + kinds]
    for kind in range(kinds):
        unseen[kind] = np.float32(counts[kind] & _COUNT) / np.float32(parameters[COPIES_BY_KIND + kind])
    position += kinds
    row[position] = np.float32(deck) / np.float32(max(deck_size - players * parameters[HAND_SIZE], 1))
    full_score = np.float32(parameters[MAX_SCORE])
    row[position + 1] = np.float32(cards_played) / full_score
    row[position + 2] = np.float32(best_possible) / full_score
    row[position + 3] = np.float32(cards_played + deck + turns_left - best_possible) / full_score


@kernel
def cardwise_one(
    game: np.void,
    parameters: IntArray,
    observer: Integer,
    last_move: bool,
    counts: IntArray,
    words: IntArray,
    row: FloatArray,
) -> None:
    """Write one observation into ``row`` [F]; ``counts`` [2, K] and ``words`` [GLOBAL_WORDS] are scratch."""
    players, hand_size, kinds = parameters[PLAYERS], parameters[HAND_SIZE], parameters[CARD_KINDS]
    private, public = counts[0], counts[1]
    private_counts_one(game, parameters, observer, private)
    public_counts_one(game, parameters, public)
    _mark_kinds_one(game, parameters, counts)

    for place in range(len(row)):
        row[place] = 0
    own_features = kinds + 3 + parameters[COLOURS] + parameters[RANKS] + 2 + hand_size
    for slot in range(np.int64(game["hand_sizes"][observer])):
        _write_card_one(game, parameters, observer, slot, private, row[slot * own_features :])
    position = hand_size * own_features

    partner_features = kinds + 3 + own_features + players - 1
    for partner in range(players - 1):
        seat = (observer + partner + 1) % players
        for slot in range(np.int64(game["hand_sizes"][seat])):
            start = position + slot * partner_features
            card = np.int64(game["hands"][seat, slot])
            row[start + card] = 1
            for mark in range(3):
                row[start + kinds + mark] = min((public[card] >> (16 * mark + 16)) & _COUNT, 1)
            _write_card_one(game, parameters, seat, slot, public, row[start + kinds + 3 :])
            row[start + kinds + 3 + own_features + partner] = 1
        position += hand_size * partner_features

    _write_globals_one(game, parameters, private, words, row[position:])
    if last_move:
        bits = last_move_bits_one(game, parameters, observer)
        spread_bits_one(bits, row[len(row) - last_move_bit_count(parameters) :])


@kernel
def cardwise(states: AnyArray, parameters: IntArray, seats: IntArray, last_move: bool, rows: FloatArray) -> None:
    """Encode every game as seen by ``seats`` [B] into ``rows`` [B, F]."""
    counts = np.empty((2, parameters[CARD_KINDS]), dtype=np.int64)
    words = np.empty(GLOBAL_WORDS, dtype=np.int64)
    for index in range(len(states)):
        cardwise_one(states[index], parameters, seats[index], last_move, counts, words, rows[index])
