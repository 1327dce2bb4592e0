"""Other cards in a copied game: the owner notices nothing, every card is somewhere, the real game is untouched."""

import itertools
import math
import os

import numpy as np
import pytest
from tests.naive.hanabi_beliefs import check_record, play_randomly, what_seats_see

from offbelief.games.hanabi import kernels
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.moves import move_id
from offbelief.games.hanabi.resample import resample
from offbelief.games.hanabi.state import HANABI_STATE, NO_CARD
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.games.hanabi.views import observe_canonical
from offbelief.nouns import UserError
from offbelief.streams import new_stream

UNCOMPILED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
VARIANTS = ["full-2p", "2p-5c-5r-h5-i8-l50", "full-3p+random-start", "full-5p", "mini", "small", "4p-1c-4r-h2-i0-l2"]


def streams_for(size: int, seed: int = 0) -> np.ndarray:
    streams = np.empty(size, dtype=np.uint64)
    kernels.draw_streams(new_stream(seed, 78), 0, streams)
    return streams


def some_hands(variant: HanabiVariant, batch: HanabiBatch, seats: np.ndarray, seed: int) -> np.ndarray:
    """Possible hands from no particular distribution: shuffle the unseen cards until they fit, else the true hand."""
    generator = np.random.default_rng(seed)
    hands = np.array([game["hands"][seat, : variant.hand_size] for game, seat in zip(batch.states, seats, strict=True)])
    possible = batch.possible_kinds(seats)
    for index, (counts, game) in enumerate(zip(batch.private_counts(seats), batch.states, strict=True)):
        size = game["hand_sizes"][seats[index]]
        for _ in range(200):
            hand = generator.permutation(np.repeat(np.arange(variant.card_kinds), counts))[:size]
            if np.all(possible[index, np.arange(size), hand]):
                hands[index, :size] = hand
                break
    return hands


@pytest.mark.parametrize("name", VARIANTS)
def test_owner_notices_nothing_and_every_card_is_somewhere(name):
    variant = HanabiVariant.parse(name)
    changed = 0
    for seed in range(3):
        batch = play_randomly(variant, 8 if UNCOMPILED else 60, 3 + 11 * seed, seed=seed)
        seats = np.arange(len(batch)) % variant.players
        hands = some_hands(variant, batch, seats, seed)
        before, streams = batch.save(), streams_for(len(batch))
        copies = resample(batch.states, variant, seats, hands, streams)
        assert np.array_equal(before, batch.states)
        assert np.array_equal(what_seats_see(variant, before, seats), what_seats_see(variant, copies, seats))
        assert np.array_equal(observe_canonical(before, variant, seats), observe_canonical(copies, variant, seats))
        for copy, seat, hand in zip(copies, seats, hands, strict=True):
            assert np.array_equal(hand, copy["hands"][seat, : variant.hand_size])
            check_record(variant, copy)
        twin = HanabiBatch.from_states(variant, copies)
        for quantity in ("possible_kinds", "private_counts"):
            assert np.array_equal(getattr(batch, quantity)(seats), getattr(twin, quantity)(seats))
        own_turn = batch.acting_seats == seats
        assert np.array_equal(batch.legal_moves()[own_turn], twin.legal_moves()[own_turn])
        changed += np.count_nonzero(copies["hands"] != before["hands"])
        assert np.unique(np.concatenate([copies["stream"][:, 0], before["stream"][:, 0], streams])).size == 3 * len(
            batch
        )
    assert changed > 0 or name == "4p-1c-4r-h2-i0-l2"


def test_copy_leaves_no_trace_of_the_real_cards():
    # A game, and one that differs in what the seat cannot see; then the same hand and stream: the same copy.
    variant = HanabiVariant.parse("2p-5c-5r-h5-i8-l50")
    batch = play_randomly(variant, 30, 20, seed=2)
    seats = np.arange(30) % 2
    other_truth = resample(batch.states, variant, seats, some_hands(variant, batch, seats, 5), streams_for(30, seed=1))
    assert not np.array_equal(other_truth["deck"], batch.states["deck"])
    hands = some_hands(variant, batch, seats, 6)
    copies = [resample(games, variant, seats, hands, streams_for(30)) for games in (batch.states, other_truth)]
    assert np.array_equal(*copies)


def test_copies_do_not_depend_on_the_batch_and_can_be_written_in_place():
    variant = HanabiVariant.parse("full-3p")
    batch = play_randomly(variant, 10, 9, seed=3)
    hands = some_hands(variant, batch, np.ones(10, dtype=int), 4)
    room = np.zeros(10, dtype=HANABI_STATE)
    together = resample(batch.states, variant, 1, hands, streams_for(10), out=room)
    alone = [
        resample(batch.states[i : i + 1], variant, 1, hands[i : i + 1], streams_for(10)[i : i + 1]) for i in range(10)
    ]
    assert together is room
    assert np.array_equal(np.concatenate(alone), together)


@pytest.mark.parametrize("name", ["2p-5c-5r-h5-i8-l50", "full-4p", "mini"])
def test_copied_game_plays_on_like_any_other(name):
    variant = HanabiVariant.parse(name)
    batch = play_randomly(variant, 20, 12, seed=7)
    copies = resample(batch.states, variant, 0, some_hands(variant, batch, np.zeros(20, dtype=int), 8), streams_for(20))
    twin = HanabiBatch.from_states(variant, copies)
    stream = new_stream(9)
    while not twin.is_over.all():
        twin.step([int(kernels.random_move_one(bits, stream)) for bits in twin.legal_bits()])
        for game in twin.states:
            check_record(variant, game)
    assert twin.restart_finished().all()
    assert len({game["deck"].tobytes() for game in twin.states}) == 20  # streams of their own deal different games


@pytest.mark.skipif(UNCOMPILED, reason="needs many copies; the compiled run tests the same code")
def test_undrawn_deck_has_every_order_equally_often():
    # Seat 0 holds the same cards as before, so four cards 0, 0, 1, 2 are left: 12 orders, 24,000 copies.
    batch = HanabiBatch.from_decks("2p-1c-4r-h2-i8-l3", [[0, 1, 2, 3, 0, 0, 1, 2]])
    states = np.repeat(batch.states, 24_000)
    copies = resample(states, batch.variant, 0, np.repeat([[0, 1]], 24_000, axis=0), streams_for(24_000))
    orders, counts = np.unique(copies["deck"][:, 4:8], axis=0, return_counts=True)
    assert sorted(set(itertools.permutations([0, 0, 1, 2]))) == [tuple(order) for order in orders.tolist()]
    assert np.all(np.abs(counts - 2000) < 4.5 * math.sqrt(2000 * 11 / 12))


def test_impossible_hands_are_refused_in_a_sentence():
    # One colour, kinds 0, 0, 0, 1, 1, 2, 2, 3. Seat 1 sees 0 and 1, and was told that its older card is a 2.
    batch = HanabiBatch.from_decks("2p-1c-4r-h2-i8-l3", [[0, 1, 2, 0, 0, 1, 2, 3]] * 2)
    batch.step([move_id(batch.variant, "rank", 2, 1)] * 2)
    before = batch.save()
    good = [2, 3]
    resample(batch.states, batch.variant, 1, [good, good], streams_for(2))
    for bad in ([3, 0], [2, 2], [1, 0], [2, NO_CARD], [2, 4], [2, -1], [NO_CARD, 2]):
        with pytest.raises(UserError, match=rf"Game 1: seat 1 cannot hold the kinds \[{bad[0]}, {bad[1]}\]"):
            resample(batch.states, batch.variant, 1, [good, bad], streams_for(2))
    with pytest.raises(UserError, match="Game 0: seat 0"):  # the only 3 may be with seat 0, but not twice
        resample(batch.states, batch.variant, 0, [[3, 3], [3, 0]], streams_for(2))
    with pytest.raises(UserError, match=r"hands must be whole numbers of shape \[2, 2\]"):
        resample(batch.states, batch.variant, 1, good, streams_for(2))
    with pytest.raises(UserError, match="streams must be"):
        resample(batch.states, batch.variant, 1, [good, good], np.zeros(2, dtype=np.int64))
    with pytest.raises(UserError, match="check the variant"):
        resample(batch.states, HanabiVariant.parse("2p-1c-5r-h2-i8-l3"), 1, [good, good], streams_for(2))
    assert np.array_equal(before, batch.states)


@pytest.mark.parametrize("name", ["full-4p", "mini", "small", "2p-5c-4r-h5-i8-l3", "2p-5c-5r-h4-i8-l3"])
def test_games_of_another_variant_are_refused(name):
    batch = play_randomly(HanabiVariant.parse("full-2p"), 4, 7, seed=1)
    variant = HanabiVariant.parse(name)
    with pytest.raises(UserError, match="check the variant"):
        resample(batch.states, variant, 0, np.zeros((4, variant.hand_size), dtype=int), streams_for(4))
