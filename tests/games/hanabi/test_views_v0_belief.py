"""The v0-belief observation: by hand, against the naive judge, and the laws that fictitious play rests on."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.hanabi.playing import careful_moves, random_moves
from tests.games.hanabi.test_variant import variants
from tests.naive import hanabi_views as judge

from offbelief.games.hanabi import HanabiBatch, HanabiVariant, RandomPlay, move_id
from offbelief.games.hanabi.views import observe_v0_belief, v0_belief_layout
from offbelief.nouns import UserError

UNCOMPILED = os.environ.get("NUMBA_DISABLE_JIT") == "1"


def test_probabilities_by_hand():
    # 3 colours, 3 ranks: of every colour three cards of rank 0, two of rank 1, one of rank 2.
    variant = HanabiVariant.parse("mini")
    cards = [(0, 0), (0, 0), (1, 0), (0, 1), (2, 0), (1, 2)]
    batch = HanabiBatch.from_decks(variant, [[variant.kind(*card) for card in cards]])
    batch.step([move_id(variant, "rank", 0, offset=1)])  # touches seat 1's middle card
    batch.step([move_id(variant, "play", 1)])  # colour 2 rank 0 scores
    layout = v0_belief_layout(variant, "full")
    views = layout.view(observe_v0_belief(batch.states, variant, 0, part="full")[0])
    # Left in the game: 3 2 1, 3 2 1, 2 2 1. Seat 0 was told nothing, so 17 cards are possible for each of its cards,
    # those it can see in seat 1's hand included.
    expected = np.array([[3, 2, 1], [3, 2, 1], [2, 2, 1]], dtype=np.float32) / np.float32(17)
    assert np.array_equal(np.tile(expected, (3, 1, 1)), views["knowledge.probability"][0])
    # Seat 1's first card was passed over by the hint: ranks 1 and 2 are left, nine cards.
    expected = np.array([[0, 2, 1], [0, 2, 1], [0, 2, 1]], dtype=np.float32) / np.float32(9)
    assert np.array_equal(expected, views["knowledge.probability"][1, 0])
    assert not views["knowledge.told_rank"].any()  # the card that was told has been played
    assert np.array_equal(views["own_hand"][0], [[1, 0, 0], [0, 0, 0], [0, 0, 0]])
    assert np.array_equal(views["hands"][0, 1], [[0, 0, 0], [0, 0, 1], [0, 0, 0]])  # moved up by one slot


@settings(deadline=None, max_examples=3 if UNCOMPILED else 25)
@given(variant=variants(), seed=st.integers(0, 1000), hide_action=st.booleans())
def test_every_seat_of_random_games_sees_what_the_judge_says(variant, seed, hide_action):
    generator = np.random.default_rng(seed)
    batch = HanabiBatch(variant, 2, seed=seed)
    while not batch.is_over.all():
        for seat in range(variant.players):
            observed = observe_v0_belief(batch.states, variant, seat, part="full", hide_action=hide_action)
            expected = [judge.v0_belief(game, variant, seat, hide_action) for game in batch.states]
            assert np.array_equal(np.array(expected, dtype=np.float32), observed)
        batch.step(random_moves(batch, generator))


@pytest.mark.parametrize("name", ["full-2p", "full-3p", "mini"])
def test_smaller_parts_are_the_end_of_the_full_observation(name):
    batch = HanabiBatch(name, 20, seed=1)
    RandomPlay(batch, seed=2).play(15)
    variant = batch.variant
    full = observe_v0_belief(batch.states, variant, part="full")
    for part in ("private", "public"):
        size = v0_belief_layout(variant, part).size
        assert np.array_equal(full[:, -size:], observe_v0_belief(batch.states, variant, part=part))
    views = v0_belief_layout(variant, "full").view(full)
    for name_in_part, view in v0_belief_layout(variant, "public").view(full[:, -size:]).items():
        assert np.array_equal(views[name_in_part], view)


@pytest.mark.parametrize("name", ["full-2p", "full-3p", "full-4p", "full-5p"])
def test_full_games_look_as_the_judge_says_at_any_time(name):
    generator = np.random.default_rng(1)
    batch = HanabiBatch(name, 1 if UNCOMPILED else 4, seed=8)
    variant = batch.variant
    while not batch.is_over.all():
        if generator.random() < 0.2:
            seat = int(generator.integers(variant.players))
            expected = [judge.v0_belief(game, variant, seat) for game in batch.states]
            assert np.array_equal(
                np.array(expected, dtype=np.float32), observe_v0_belief(batch.states, variant, seat, part="full")
            )
        batch.step(careful_moves(batch, generator))


@settings(deadline=None, max_examples=3 if UNCOMPILED else 30)
@given(variant=variants(), seed=st.integers(0, 1000), turns=st.integers(0, 30))
def test_public_part_depends_on_no_hand_and_private_part_not_on_the_own(variant, seed, turns):
    batch = HanabiBatch(variant, 3, seed=seed)
    generator = np.random.default_rng(seed)
    for _ in range(turns):
        batch.step(random_moves(batch, generator))
    for seat in range(variant.players):
        own, all_hands = batch.save(), batch.save()
        for changed, hands in ((own, [seat]), (all_hands, range(variant.players))):
            for other in hands:
                held = changed["hands"][:, other] < variant.card_kinds
                changed["hands"][:, other][held] = generator.integers(variant.card_kinds, size=int(held.sum()))
            changed["deck"] = 0
        private = observe_v0_belief(batch.states, variant, seat, part="private")
        assert np.array_equal(private, observe_v0_belief(own, variant, seat, part="private"))
        public = observe_v0_belief(batch.states, variant, seat, part="public")
        assert np.array_equal(public, observe_v0_belief(all_hands, variant, seat, part="public"))


def test_public_parts_of_two_seats_differ_by_the_order_of_seats():
    batch = HanabiBatch("full-3p", 20, seed=3)
    RandomPlay(batch, seed=4).play(12)
    layout = v0_belief_layout(batch.variant, "public")
    first, second = (
        layout.view(observe_v0_belief(batch.states, batch.variant, seat, part="public")) for seat in (0, 1)
    )
    for section in layout.sections:
        turned = first[section.name]
        if "seat" in section.axes:
            turned = np.roll(turned, -1, axis=1 + section.axes.index("seat"))
        assert np.array_equal(turned, second[section.name])


def test_hidden_action_leaves_everything_else():
    batch = HanabiBatch("full-2p", 20, seed=3)
    RandomPlay(batch, seed=4).play(2)  # too few turns for a game to end
    layout = v0_belief_layout(batch.variant, "private")
    shown = observe_v0_belief(batch.states, batch.variant)
    hidden = observe_v0_belief(batch.states, batch.variant, hide_action=True)
    start, end = layout["last_actor"].start, layout["knowledge"].start
    assert end - start == 55
    assert np.all(shown[:, start:end].sum(axis=1) > 0)
    assert not hidden[:, start:end].any()
    shown[:, start:end] = 0
    assert np.array_equal(shown, hidden)


def test_greedy_move_is_appended_as_a_second_last_move():
    batch = HanabiBatch("full-2p", 20, seed=3)
    generator = np.random.default_rng(5)
    for _ in range(6):
        batch.step(random_moves(batch, generator))
    greedy = batch.copy()
    greedy.step(random_moves(greedy, generator))
    batch.step(random_moves(batch, generator))
    variant = batch.variant
    observed = observe_v0_belief(batch.states, variant, 1, part="full", greedy_states=greedy.states)
    assert observed.shape == (20, 838)
    assert np.array_equal(observe_v0_belief(batch.states, variant, 1, part="full"), observed[:, :783])
    expected = [judge.last_move(game, variant, 1) for game in greedy.states]
    assert np.array_equal(expected, observed[:, 783:])
    with pytest.raises(UserError, match="greedy_states has 19 games"):
        observe_v0_belief(batch.states, variant, 1, greedy_states=greedy.states[1:])


def test_unknown_part_is_refused():
    batch = HanabiBatch("mini", 1)
    with pytest.raises(UserError, match="choose 'full', 'private' or 'public'"):
        observe_v0_belief(batch.states, batch.variant, part="own")
