"""The card-wise observation: by hand, against the naive judge, and what a seat must not see."""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.hanabi.playing import careful_moves, random_moves
from tests.games.hanabi.test_variant import variants
from tests.naive import hanabi_views as judge

from offbelief.games.hanabi import HanabiBatch, HanabiVariant, RandomPlay, move_id
from offbelief.games.hanabi.views import cardwise_layout, observe_cardwise, split_cardwise

UNCOMPILED = os.environ.get("NUMBA_DISABLE_JIT") == "1"


def test_game_by_hand():
    # 3 colours, 3 ranks: of every colour three cards of rank 0, two of rank 1, one of rank 2.
    variant = HanabiVariant.parse("mini")
    cards = [(0, 0), (0, 2), (1, 0), (0, 1), (2, 0), (1, 2), (2, 2), (2, 1)]
    batch = HanabiBatch.from_decks(variant, [[variant.kind(*card) for card in cards]])
    batch.step([move_id(variant, "rank", 0, offset=1)])  # seat 0 touches seat 1's middle card
    batch.step([move_id(variant, "play", 1)])  # it scores; seat 1 draws (2, 2) and holds (0, 1) (1, 2) (2, 2)
    batch.step([move_id(variant, "discard", 1)])  # seat 0 loses (0, 2) and draws (2, 1)
    layout = cardwise_layout(variant, last_move=True)
    views = layout.view(observe_cardwise(batch.states, variant, 0, last_move=True)[0])

    # Seat 0 has not seen: 3 1 0, 3 2 0, 2 2 0, in all 13 cards; nothing was told about its own.
    unseen = np.array([[3, 1, 0], [3, 2, 0], [2, 2, 0]], dtype=np.float32)
    assert np.array_equal(np.tile(unseen / np.float32(13), (3, 1, 1)), views["own_cards.probability"])
    # Playable: (0, 0), (1, 0), (2, 1). Dead: (2, 0), which is played, and (0, 2), which is lost.
    assert views["own_cards.playable"][0] == np.float32(8) / np.float32(13)
    assert views["own_cards.dead"][0] == np.float32(2) / np.float32(13)
    # Critical: the last copies (1, 2) and (2, 2), both of which seat 0 sees in seat 1's hand.
    assert views["own_cards.critical"][0] == 0
    assert np.array_equal(views["own_cards.slot"], np.eye(3))

    assert np.array_equal(views["partner_cards.is_playable"], [[0, 0, 0]])
    assert np.array_equal(views["partner_cards.is_dead"], [[0, 0, 0]])
    assert np.array_equal(views["partner_cards.is_critical"], [[0, 1, 1]])
    assert np.array_equal(views["partner_cards.card"][0, 1], [[0, 0, 0], [0, 0, 1], [0, 0, 0]])
    # Everybody knows of seat 1's first card that it has rank 1 or 2; left are 2 0, 2 1, 2 1.
    public = np.array([[0, 2, 0], [0, 2, 1], [0, 2, 1]], dtype=np.float32) / np.float32(8)
    assert np.array_equal(public, views["partner_cards.probability"][0, 0])
    assert views["partner_cards.playable"][0, 0] == np.float32(2) / np.float32(8)
    assert views["partner_cards.critical"][0, 0] == np.float32(2) / np.float32(8)
    assert np.array_equal(views["partner_cards.possible_rank"][0], [[0, 1, 1], [0, 1, 1], [1, 1, 1]])
    assert not views["partner_cards.rank_told"].any()

    assert np.array_equal(views["fireworks"], [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]])
    assert np.array_equal(views["hint_tokens"], [1, 1, 1, 1, 1])
    assert views["deck"] == np.float32(10) / np.float32(12)
    assert (views["cards_played"], views["best_possible"]) == (
        np.float32(1) / np.float32(9),
        np.float32(8) / np.float32(9),
    )
    assert views["pace"] == np.float32(1 + 10 + 2 - 8) / np.float32(9)
    assert np.array_equal(views["discards"], [[0, 0, 0, 0, 0, 1], [0] * 6, [0] * 6])
    assert np.array_equal(unseen / np.float32([3, 2, 1]), views["unseen"])
    assert np.array_equal(views["last_slot"], [0, 1, 0])


@settings(deadline=None, max_examples=3 if UNCOMPILED else 12)
@given(variant=variants(), seed=st.integers(0, 1000), last_move=st.booleans())
def test_every_seat_of_random_games_sees_what_the_judge_says(variant, seed, last_move):
    generator = np.random.default_rng(seed)
    batch = HanabiBatch(variant, 2, seed=seed)
    while True:
        for seat in range(variant.players):
            expected = [judge.cardwise(game, variant, seat, last_move) for game in batch.states]
            observed = observe_cardwise(batch.states, variant, seat, last_move=last_move)
            assert np.array_equal(np.array(expected, dtype=np.float32), observed)
        if batch.is_over.all():
            break
        batch.step(random_moves(batch, generator))


@pytest.mark.parametrize("name", ["full-2p", "full-3p", "full-4p", "full-5p"])
def test_full_games_look_as_the_judge_says_at_any_time(name):
    generator = np.random.default_rng(1)
    batch = HanabiBatch(name, 1 if UNCOMPILED else 4, seed=8)
    variant = batch.variant
    while not batch.is_over.all():
        if generator.random() < 0.2:
            seat = int(generator.integers(variant.players))
            expected = [judge.cardwise(game, variant, seat) for game in batch.states]
            assert np.array_equal(np.array(expected, dtype=np.float32), observe_cardwise(batch.states, variant, seat))
        batch.step(careful_moves(batch, generator))


@settings(deadline=None, max_examples=3 if UNCOMPILED else 25)
@given(variant=variants(), seed=st.integers(0, 1000), turns=st.integers(0, 30))
def test_own_hand_and_deck_are_not_seen(variant, seed, turns):
    batch = HanabiBatch(variant, 3, seed=seed)
    generator = np.random.default_rng(seed)
    for _ in range(turns):
        batch.step(random_moves(batch, generator))
    for seat in range(variant.players):
        changed = batch.save()
        held = changed["hands"][:, seat] < variant.card_kinds
        changed["hands"][:, seat][held] = generator.integers(variant.card_kinds, size=int(held.sum()))
        changed["deck"] = 0
        expected = observe_cardwise(batch.states, variant, seat, last_move=True)
        assert np.array_equal(expected, observe_cardwise(changed, variant, seat, last_move=True))


@pytest.mark.parametrize("last_move", [False, True])
def test_blocks_are_views_of_one_buffer(last_move):
    batch = HanabiBatch("full-4p", 6, seed=1)
    RandomPlay(batch, seed=2).play(9)
    flat = observe_cardwise(batch.states, batch.variant, last_move=last_move)
    blocks = split_cardwise(flat, batch.variant, last_move=last_move)
    assert blocks.own_cards.shape == (6, 4, 25 + 3 + 10 + 2 + 4)
    assert blocks.partner_cards.shape == (6, 3, 4, 28 + 44 + 3)
    assert sum(block[0].size for block in blocks) == flat.shape[1]
    for block in blocks:
        assert np.shares_memory(block, flat)
    blocks.partner_cards[2, 0, 0, 0] = 77
    assert np.count_nonzero(flat == 77) == 1


def test_threads_and_given_buffers_change_nothing():
    batch = HanabiBatch("full-2p", 33, seed=1)
    RandomPlay(batch, seed=2).play(20)
    expected = observe_cardwise(batch.states, batch.variant)
    out = np.full_like(expected, 7)
    assert observe_cardwise(batch.states, batch.variant, out=out) is out
    assert np.array_equal(expected, out)
    assert np.array_equal(expected, observe_cardwise(batch.states, batch.variant, threads=2))
