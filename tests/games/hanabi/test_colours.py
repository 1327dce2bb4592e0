"""Colour permutations commute with everything: stepping, observing, counting and choosing."""

import itertools
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.hanabi.playing import random_moves
from tests.games.hanabi.test_variant import variants
from tests.games.hanabi.test_views_layout import layouts_of

from offbelief.games.hanabi import NO_CARD, NO_MOVE, HanabiBatch, HanabiVariant, RandomPlay, move_id
from offbelief.games.hanabi.colours import (
    draw_permutations,
    invert_permutations,
    permute_by_kind,
    permute_by_move,
    permute_kinds,
    permute_moves,
    permute_observations,
    permute_packed,
    permute_states,
)
from offbelief.games.hanabi.views import (
    canonical_layout,
    observe_canonical,
    observe_canonical_packed,
    observe_cardwise,
    observe_v0_belief,
    pack_bits,
)
from offbelief.nouns import UserError
from offbelief.streams import new_stream

UNCOMPILED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
FEW = 3 if UNCOMPILED else 30


def test_state_by_hand():
    variant = HanabiVariant.parse("mini")
    cards = [(0, 0), (0, 2), (1, 0), (0, 1), (2, 0), (1, 2), (2, 2), (2, 1)]
    batch = HanabiBatch.from_decks(variant, [[variant.kind(*card) for card in cards]])
    batch.step([move_id(variant, "colour", 2, offset=1)])
    batch.step([move_id(variant, "play", 1)])
    # Colour 0 becomes 1, colour 1 becomes 2, colour 2 becomes 0.
    permuted = permute_states(batch.states, variant, np.array([[1, 2, 0]]))[0]
    assert permuted["fireworks"].tolist() == [1, 0, 0, 0, 0]
    assert permuted["hands"][0, :3].tolist() == [variant.kind(1, 0), variant.kind(1, 2), variant.kind(2, 0)]
    assert permuted["hands"][1, :3].tolist() == [variant.kind(1, 1), variant.kind(2, 2), variant.kind(0, 2)]
    assert permuted["possible_colours"][1, :3].tolist() == [0b110, 0b110, 0b111]
    assert permuted["last_card"] == variant.kind(0, 0)
    assert permuted["deck"][7] == variant.kind(0, 1)
    hint = move_id(variant, "colour", 2, offset=1)
    assert permute_moves(np.array([hint]), variant, np.array([[1, 2, 0]])).tolist() == [hint - 2]


@st.composite
def games(draw):
    """A batch somewhere in its games, and permutations for it."""
    variant = draw(variants())
    seed = draw(st.integers(0, 1000))
    batch = HanabiBatch(variant, 5, seed=seed)
    generator = np.random.default_rng(seed)
    for _ in range(draw(st.integers(0, 25))):
        batch.step(random_moves(batch, generator))
    return batch, draw_permutations(new_stream(seed), 5, variant), generator


@settings(deadline=None, max_examples=FEW)
@given(games())
def test_permuting_commutes_with_stepping(drawn):
    batch, permutations, generator = drawn
    variant = batch.variant
    permuted = HanabiBatch.from_states(variant, permute_states(batch.states, variant, permutations))
    while True:
        assert np.array_equal(permute_by_move(batch.legal_moves(), variant, permutations), permuted.legal_moves())
        moves = random_moves(batch, generator)
        expected = batch.step(moves)
        assert np.array_equal(expected, permuted.step(permute_moves(moves, variant, permutations)))
        assert np.array_equal(permute_states(batch.states, variant, permutations), permuted.states)
        if batch.is_over.all():
            break


@settings(deadline=None, max_examples=FEW)
@given(games())
def test_permuting_commutes_with_observing(drawn):
    batch, permutations, _ = drawn
    variant, states = batch.variant, batch.states
    permuted = permute_states(states, variant, permutations)
    layouts = layouts_of(variant)

    def check(name, observe):
        observed = observe(states)
        expected = permute_observations(observed, layouts[name], permutations)
        assert np.array_equal(expected, observe(permuted)), name

    check("canonical", lambda games: observe_canonical(games, variant))
    check("canonical", lambda games: observe_canonical(games, variant, 0, dtype=np.float32))
    check("card-wise", lambda games: observe_cardwise(games, variant, 1))
    check("card-wise with last move", lambda games: observe_cardwise(games, variant, last_move=True))
    for part in ("full", "private", "public"):
        check(f"v0-belief {part}", lambda games, part=part: observe_v0_belief(games, variant, part=part))
    check(
        "v0-belief private with greedy move",
        lambda games: observe_v0_belief(games, variant, greedy_states=games),
    )
    packed = observe_canonical_packed(states, variant)
    expected = permute_packed(packed, layouts["canonical"], permutations)
    assert np.array_equal(expected, observe_canonical_packed(permuted, variant))
    plain = permute_observations(observe_canonical(states, variant), layouts["canonical"], permutations)
    assert np.array_equal(pack_bits(plain), expected)


@settings(deadline=None, max_examples=FEW)
@given(games())
def test_permuting_commutes_with_knowledge(drawn):
    batch, permutations, _ = drawn
    variant = batch.variant
    permuted = HanabiBatch.from_states(variant, permute_states(batch.states, variant, permutations))
    for seat in range(variant.players):
        expected = permute_by_kind(batch.possible_kinds(seat), variant, permutations)
        assert np.array_equal(expected, permuted.possible_kinds(seat))
        expected = permute_by_kind(batch.private_counts(seat), variant, permutations)
        assert np.array_equal(expected, permuted.private_counts(seat))
    expected = permute_kinds(batch.states["hands"], variant, permutations)
    assert np.array_equal(expected, permuted.states["hands"])


@settings(deadline=None, max_examples=FEW)
@given(games())
def test_inverse_undoes_everything(drawn):
    batch, permutations, _ = drawn
    variant, inverse = batch.variant, invert_permutations(permutations)
    forth = permute_states(batch.states, variant, permutations)
    assert np.array_equal(batch.states, permute_states(forth, variant, inverse))
    moves = np.arange(5) % variant.num_moves
    assert np.array_equal(moves, permute_moves(permute_moves(moves, variant, permutations), variant, inverse))
    layout = canonical_layout(variant)
    observed = observe_canonical(batch.states, variant)
    there = permute_observations(observed, layout, permutations)
    assert np.array_equal(observed, permute_observations(there, layout, inverse))


def test_every_permutation_is_drawn_about_equally_often():
    count = 600 if UNCOMPILED else 12_000
    permutations = draw_permutations(new_stream(4), count, HanabiVariant(colours=3))
    expected = [list(order) for order in itertools.permutations(range(3))]
    orders, counts = np.unique(permutations, axis=0, return_counts=True)
    assert expected == orders.tolist()
    assert np.sum((counts - count / 6) ** 2 / (count / 6)) < 30  # chi-square with 5 degrees of freedom, p about 1e-5


def test_states_stay_untouched_unless_asked():
    batch = HanabiBatch("mini", 4, seed=1)
    RandomPlay(batch, seed=1).play(5)
    before = batch.save()
    permutations = draw_permutations(new_stream(1), 4, batch.variant)
    permuted = permute_states(batch.states, batch.variant, permutations)
    assert np.array_equal(before, batch.states)
    out = np.zeros_like(before)
    assert permute_states(batch.states, batch.variant, permutations, out=out) is out
    assert np.array_equal(permuted, out)
    assert permute_states(batch.states, batch.variant, permutations, out=batch.states) is batch.states
    assert np.array_equal(permuted, batch.states)


def test_nothing_stays_nothing():
    variant = HanabiVariant.parse("mini")
    permutations = np.array([[2, 0, 1]])
    assert permute_moves(np.array([NO_MOVE]), variant, permutations).tolist() == [NO_MOVE]
    assert permute_kinds(np.array([[NO_CARD, 0]], dtype=np.uint8), variant, permutations).tolist() == [[NO_CARD, 6]]


@pytest.mark.parametrize(
    ("permutations", "complaint"),
    [
        (np.array([[0, 1, 2]]), "of shape"),
        (np.array([[0, 1], [1, 0]]), "of shape"),
        (np.array([[0.0, 1, 2], [0, 1, 2]]), "whole numbers"),
        (np.array([[0, 1, 2], [0, 2, 2]]), "each of 0 to 2 once"),
        (np.array([[0, 1, 2], [1, 2, 3]]), "each of 0 to 2 once"),
    ],
)
def test_wrong_permutations_are_refused(permutations, complaint):
    batch = HanabiBatch("mini", 2)
    layout = canonical_layout(batch.variant)
    with pytest.raises(UserError, match=complaint):
        permute_states(batch.states, batch.variant, permutations)
    with pytest.raises(UserError, match=complaint):
        permute_observations(observe_canonical(batch.states, batch.variant), layout, permutations)


def test_observations_of_another_layout_are_refused():
    batch = HanabiBatch("mini", 2)
    identity = np.array([[0, 1, 2]] * 2)
    with pytest.raises(UserError, match="give those of the same variant"):
        permute_observations(observe_cardwise(batch.states, batch.variant), canonical_layout(batch.variant), identity)
    with pytest.raises(UserError, match="give those of the same variant"):
        permute_packed(observe_canonical(batch.states, batch.variant), canonical_layout(batch.variant), identity)
