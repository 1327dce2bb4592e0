"""Which variants there are, how they are named, and which are refused."""

import dataclasses
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbelief.games.hanabi import variant as v
from offbelief.games.hanabi.variant import NAMED_VARIANTS, HanabiVariant
from offbelief.nouns import UserError


@st.composite
def variants(draw: st.DrawFn) -> HanabiVariant:
    """Any variant that can be played."""
    players, colours, ranks = draw(st.integers(2, 5)), draw(st.integers(1, 5)), draw(st.integers(1, 5))
    deck_size = colours * {1: 3, 2: 4, 3: 6, 4: 8, 5: 10}[ranks]
    if players > deck_size:
        players = 2
    return HanabiVariant(
        players=players,
        colours=colours,
        ranks=ranks,
        hand_size=draw(st.integers(1, min(5, deck_size // players))),
        hint_tokens=draw(st.integers(0, 8)),
        lives=draw(st.integers(1, 4)),
        third_strike_scores=draw(st.sampled_from(["zero", "cards-played"])),
        random_start=draw(st.booleans()),
        turn_cap=draw(st.none() | st.integers(1, 60)),
    )


def test_default_is_the_full_two_player_game():
    assert HanabiVariant.parse("full-2p") == HanabiVariant()


@pytest.mark.parametrize(
    ("name", "players", "colours", "ranks", "hand_size", "hint_tokens", "lives", "deck_size", "num_moves"),
    [
        ("full-2p", 2, 5, 5, 5, 8, 3, 50, 20),
        ("full-3p", 3, 5, 5, 5, 8, 3, 50, 30),
        ("full-4p", 4, 5, 5, 4, 8, 3, 50, 38),
        ("full-5p", 5, 5, 5, 4, 8, 3, 50, 48),
        ("small", 2, 2, 5, 2, 3, 1, 20, 11),
        ("very-small", 2, 1, 5, 2, 3, 1, 10, 10),
        ("mini", 2, 3, 3, 3, 5, 3, 18, 12),
        ("3p-2c-3r-h3-i5-l3", 3, 2, 3, 3, 5, 3, 12, 16),
    ],
)
def test_named_variants_are_as_in_the_rules(
    name, players, colours, ranks, hand_size, hint_tokens, lives, deck_size, num_moves
):
    variant = HanabiVariant.parse(name)
    expected = (players, colours, ranks, hand_size, hint_tokens, lives, deck_size, num_moves)
    assert expected == (
        variant.players,
        variant.colours,
        variant.ranks,
        variant.hand_size,
        variant.hint_tokens,
        variant.lives,
        variant.deck_size,
        variant.num_moves,
    )
    assert name == variant.name


def test_copies_are_three_then_two_then_one():
    assert HanabiVariant().copies_by_rank == (3, 2, 2, 2, 1)
    assert HanabiVariant(ranks=2).copies_by_rank == (3, 1)
    assert HanabiVariant(ranks=1).copies_by_rank == (3,)  # HLE asks for the first rank before the last
    assert len(HanabiVariant().copies_by_kind) == 25


def test_move_ids_start_where_hle_puts_them():
    variant = HanabiVariant.parse("full-3p")
    assert (variant.first_play, variant.first_colour_hint, variant.first_rank_hint) == (5, 10, 20)
    assert variant.max_score == 25


@given(variants())
def test_name_reads_back_to_the_same_variant(variant):
    assert variant == HanabiVariant.parse(variant.name)


def test_options_follow_the_name():
    variant = HanabiVariant.parse("mini+cards-played+random-start+cap80")
    assert (variant.third_strike_scores, variant.random_start, variant.turn_cap) == ("cards-played", True, 80)
    assert variant.name == "mini+cards-played+random-start+cap80"


@pytest.mark.parametrize("text", ["", "huge", "full-6p", "3p-2c-3r", "mini+cap", "mini+fast"])
def test_unknown_name_is_refused_with_the_names_there_are(text):
    with pytest.raises(UserError, match=r"full-2p.*very-small.*3p-2c-3r-h3-i5-l3|\+cards-played"):
        HanabiVariant.parse(text)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"players": 1}, "players is 1; Hanabi needs a whole number from 2 to 5"),
        ({"players": 6}, "players is 6"),
        ({"players": 2.0}, "players is 2.0"),
        ({"players": True}, "players is True"),
        ({"colours": 0}, "colours is 0"),
        ({"ranks": 6}, "ranks is 6"),
        ({"hand_size": -1}, "hand_size is -1"),
        ({"hand_size": 6}, "hand_size is 6"),
        ({"hint_tokens": -1}, "hint_tokens is -1"),
        ({"lives": 0}, "lives is 0"),
        ({"turn_cap": 0}, "turn_cap is 0"),
        ({"third_strike_scores": "half"}, "third_strike_scores is 'half'"),
        ({"random_start": 1}, "random_start is 1"),
        ({"players": 5, "colours": 1, "ranks": 5}, "5 hands of 4 need 20 cards but the deck .* has 10"),
    ],
)
def test_nonsense_is_refused_with_a_sentence(settings, message):
    with pytest.raises(UserError, match=message):
        HanabiVariant(**settings)


def test_spelled_out_hand_of_zero_is_refused():
    with pytest.raises(UserError, match="hand_size is 0"):
        HanabiVariant.parse("2p-2c-3r-h0-i5-l3")


def test_hands_may_take_the_whole_deck():
    assert HanabiVariant(players=3, colours=1, ranks=1, hand_size=1).max_turns == 3  # one turn each, as in HLE


def test_turn_bound_counts_tokens_and_draws():
    # 40 draws, 8 + 39 hints before the last draw, then one turn each.
    assert HanabiVariant().max_turns == 8 + 39 + 40 + 2
    assert HanabiVariant(turn_cap=7).max_turns == 7


@given(variants())
def test_parameters_say_what_the_variant_says(variant):
    parameters = variant.parameters
    assert parameters is variant.parameters
    assert parameters.shape == (v.PARAMETER_COUNT,) and parameters.dtype == np.int64
    assert variant.players == parameters[v.PLAYERS] and variant.hand_size == parameters[v.HAND_SIZE]
    assert variant.num_moves == parameters[v.NUM_MOVES] <= v.MAX_MOVES
    assert (variant.turn_cap or 0) == parameters[v.TURN_CAP]
    deck = parameters[v.SORTED_DECK : v.SORTED_DECK + variant.deck_size]
    assert list(variant.copies_by_kind) == list(np.bincount(deck, minlength=variant.card_kinds))
    for kind in range(variant.card_kinds):
        colour, rank = parameters[v.COLOUR_BY_KIND + kind], parameters[v.RANK_BY_KIND + kind]
        assert kind == variant.kind(colour, rank)
        assert 2**colour + 2 ** (variant.colours + rank) == parameters[v.HINTS_BY_KIND + kind]


def test_tables_do_not_overlap():
    assert v.COLOUR_BY_KIND == v.COPIES_BY_KIND + v.MAX_KINDS
    assert v.RANK_BY_KIND == v.COLOUR_BY_KIND + v.MAX_KINDS
    assert v.HINTS_BY_KIND == v.RANK_BY_KIND + v.MAX_KINDS
    assert v.SORTED_DECK == v.HINTS_BY_KIND + v.MAX_KINDS
    assert v.TYPE_BY_MOVE == v.SORTED_DECK + v.MAX_DECK_SIZE
    assert v.OFFSET_BY_MOVE == v.TYPE_BY_MOVE + v.MAX_MOVES
    assert v.VALUE_BY_MOVE == v.OFFSET_BY_MOVE + v.MAX_MOVES


def test_variant_is_frozen_hashable_and_travels():
    variant = NAMED_VARIANTS["mini"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        variant.players = 3
    twin = pickle.loads(pickle.dumps(variant))
    assert {variant: 1}[twin] == 1
    assert np.array_equal(variant.parameters, twin.parameters) and not twin.parameters.flags.writeable
