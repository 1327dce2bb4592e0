"""HanabiBatch: sameness for any size and thread count, refusals, restarts, copies."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.hanabi.test_variant import variants

from offbelief.games.hanabi.batch import HanabiBatch, RandomPlay
from offbelief.games.hanabi.kernels import NO_MOVE
from offbelief.games.hanabi.moves import Move, move_id, read_move, why_illegal
from offbelief.games.hanabi.state import NO_CARD
from offbelief.games.hanabi.variant import NAMED_VARIANTS, HanabiVariant
from offbelief.nouns import UserError
from offbelief.streams import new_stream


def first_legal(batch: HanabiBatch) -> np.ndarray:
    return np.where(batch.is_over, NO_MOVE, np.argmax(batch.legal_moves(), axis=1))


def last_legal(batch: HanabiBatch) -> np.ndarray:
    legal = batch.legal_moves()
    return np.where(batch.is_over, NO_MOVE, legal.shape[1] - 1 - np.argmax(legal[:, ::-1], axis=1))


# -------------------------------------------------------------------------------------------------------- sameness


@settings(max_examples=25, deadline=None)
@given(variants(), st.integers(0, 2**63), st.integers(1, 40), st.data())
def test_game_is_the_same_alone_and_in_a_batch(variant, seed, size, data):
    whole = HanabiBatch(variant, size, seed=seed)
    index = data.draw(st.integers(0, size - 1))
    alone = HanabiBatch(variant, 1, seed=seed, first_game=index)
    for _ in range(10):
        assert whole.states[index].tobytes() == alone.states[0].tobytes()
        whole.step(last_legal(whole))
        alone.step(last_legal(alone))
        whole.restart_finished()
        alone.restart_finished()


def test_stream_of_a_game_is_that_of_its_seed_and_number():
    batch = HanabiBatch("mini", 5, seed=99)
    before_dealing = [new_stream(99, index)[0] for index in range(5)]
    walk = batch.states["stream"][:, 0] - np.array(before_dealing)
    assert np.all(walk == walk[0])  # every game has drawn equally often from its own stream


def test_threads_change_nothing():
    results = []
    for threads in (1, 2, 3, 7):
        batch = HanabiBatch("full-3p+random-start", 101, seed=4, threads=threads)
        random_play = RandomPlay(batch, seed=5)
        random_play.play(30)
        rewards = batch.step(first_legal(batch))
        moves = [random_play.moves, random_play.rewards, random_play.ended, random_play.legal]
        results.append([batch.states.tobytes(), batch.legal_moves().tobytes(), rewards.tobytes(), *map(bytes, moves)])
    assert all(result == results[0] for result in results)


def test_turns_in_one_call_or_in_many_are_the_same():
    together, apart = HanabiBatch("small", 9, seed=1), HanabiBatch("small", 9, seed=1)
    RandomPlay(together, seed=2).play(25)
    random_play = RandomPlay(apart, seed=2)
    for _ in range(25):
        random_play.play()
    assert together.states.tobytes() == apart.states.tobytes()


def test_random_play_makes_legal_moves_and_restarts():
    batch, shadow = HanabiBatch("very-small", 50, seed=3), HanabiBatch("very-small", 50, seed=3)
    random_play = RandomPlay(batch, seed=8)
    for _ in range(40):
        random_play.play()
        assert np.array_equal(random_play.legal, shadow.legal_moves())
        assert np.array_equal(random_play.rewards, shadow.step(random_play.moves))
        assert np.array_equal(random_play.ended, shadow.is_over)
        assert np.array_equal(random_play.ended, shadow.restart_finished())
        assert batch.states.tobytes() == shadow.states.tobytes()
    assert batch.states["restarts"].min() > 0


def test_seeds_give_different_deals():
    decks = [HanabiBatch("full-2p", 1, seed=seed).states["deck"][0] for seed in (0, 1, 2**64 - 1)]
    assert len({deck.tobytes() for deck in decks}) == 3
    batch = HanabiBatch("full-2p", 200, seed=0)
    assert len({deck.tobytes() for deck in batch.states["deck"]}) == 200


def test_deal_begins_anew_from_a_seed():
    batch = HanabiBatch("full-4p", 6, seed=1)
    RandomPlay(batch).play(20)
    batch.deal(seed=2)
    assert HanabiBatch("full-4p", 6, seed=2).states.tobytes() == batch.states.tobytes()


# -------------------------------------------------------------------------------------------------------- refusals


def refused(batch: HanabiBatch, moves, message: str) -> None:
    before = batch.states.tobytes()
    with pytest.raises(UserError, match=message):
        batch.step(moves)
    assert before == batch.states.tobytes()


def test_illegal_move_names_game_and_reason_and_changes_no_game():
    batch = HanabiBatch("full-2p", 4, seed=0)
    refused(batch, [5, 6, 0, 7], r"Game 2, turn 1: 'discard slot 0' is not allowed while all 8 hint tokens are there")
    refused(batch, [5, 20, 5, 5], r"Game 1, turn 1: move 20 does not exist; full-2p has moves 0 to 19")
    refused(batch, [5, 5, 5, -1], r"Game 3, turn 1: move -1 does not exist")
    missing = int(np.flatnonzero(~batch.legal_moves()[0, 10:])[0]) + 10
    refused(batch, [missing, 5, 5, 5], r"Game 0, turn 1: 'hint .* to seat \+1' touches no card of seat 1")


def test_moves_of_the_wrong_shape_or_kind_are_refused():
    batch = HanabiBatch("mini", 3)
    for moves in ([3, 3], [[3, 3, 3]], [3.0, 3.0, 3.0], [True, True, True], "333"):
        refused(batch, moves, "moves must be 3 whole numbers")


def test_hint_without_tokens_is_refused():
    batch = HanabiBatch("2p-1c-5r-h2-i1-l1", 1, seed=1)
    hint = move_id(batch.variant, "colour", 0, 1)
    batch.step([hint])
    refused(batch, [hint], "needs a hint token and there is none left")


def test_empty_slot_is_refused():
    # Ten cards, three hands of three: one is left to draw. Whoever is short of a card after that has had its last turn,
    # so no game asks it to move again; the test hands it the turn to see the refusal.
    batch = HanabiBatch("3p-1c-5r-h3-i1-l9", 1)
    play = batch.variant.first_play
    batch.step([play])
    batch.step([play])
    batch.states["acting_seat"] = 1
    refused(batch, [play + 2], "'play slot 2' needs a card in that slot and seat 1 holds 2 cards")


def test_game_that_is_over_takes_only_no_move():
    batch = HanabiBatch("very-small", 30, seed=2)
    while not batch.is_over.any():
        batch.step(last_legal(batch) if batch.states["turn"][0] < 3 else np.full(30, batch.variant.first_play))
    over = int(np.argmax(batch.is_over))
    moves = first_legal(batch)
    moves[over] = 0
    refused(batch, moves, rf"Game {over}, turn \d+: the game is over because .*restart it or give it NO_MOVE")
    finished = batch.states[batch.is_over].tobytes()
    was_over = batch.is_over.copy()
    rewards = batch.step(first_legal(batch))
    assert finished == batch.states[was_over].tobytes() and not rewards[was_over].any()


@settings(max_examples=40, deadline=None)
@given(variants(), st.integers(0, 1000))
def test_reasons_agree_with_the_legal_mask(variant, seed):
    batch = HanabiBatch(variant, 2, seed=seed)
    random = np.random.default_rng(seed)
    while not batch.is_over.all():
        legal = batch.legal_moves()
        for game, row in zip(batch.states, legal, strict=True):
            reasons = [why_illegal(variant, game, move) for move in range(variant.num_moves)]
            assert list(row) == [reason is None for reason in reasons]
        noise = random.random(legal.shape)
        batch.step(np.where(batch.is_over, NO_MOVE, np.argmax(noise * legal, axis=1)))


@pytest.mark.parametrize("settings", [{"size": -1}, {"size": 1, "first_game": -1}, {"size": 1, "threads": 0}])
def test_impossible_batches_are_refused(settings):
    with pytest.raises(UserError):
        HanabiBatch("mini", **settings)


def test_seats_out_of_range_are_refused():
    batch = HanabiBatch("mini", 2)
    for seats in (2, -1, [0, 2], [0, 1, 0], 0.5):
        with pytest.raises(UserError, match="seats must be"):
            batch.private_counts(seats)


def test_empty_batch_is_fine():
    batch = HanabiBatch("full-2p", 0)
    assert batch.legal_moves().shape == (0, 20) and batch.step([]).shape == (0,) and len(batch) == 0


# ------------------------------------------------------------------------------------------------- given decks


def test_given_deck_is_dealt_in_order():
    random = np.random.default_rng(0)
    variant = NAMED_VARIANTS["full-3p"]
    deck = random.permutation(np.repeat(np.arange(25), variant.copies_by_kind))
    batch = HanabiBatch.from_decks("full-3p", deck[None], start_seats=[2])
    game = batch.states[0]
    assert list(deck[:15]) == list(game["hands"][:3].ravel())
    assert 2 == game["acting_seat"] == game["start_seat"]


def test_missing_cards_are_filled_in_order_of_kind():
    # mini has three colours (kinds 0-2, 3-5, 6-8), each with ranks of 3, 2 and 1 copies.
    deck = HanabiBatch.from_decks("mini", [[5, 4, 0, 8, NO_CARD, NO_CARD]]).states["deck"][0]
    assert list(deck[:18]) == [5, 4, 0, 8, 0, 0, 1, 1, 2, 3, 3, 3, 4, 6, 6, 6, 7, 7]
    assert np.all(deck[18:] == NO_CARD)


@pytest.mark.parametrize(
    ("deck", "message"),
    [
        ([5, 5], "holds card kind 5 2 times but mini has it 1 times"),
        ([9], "does not fit mini, which has 18 cards of kinds 0 to 8"),
        ([-1], "does not fit mini"),
        ([NO_CARD, 0], "does not fit mini"),
        ([0] * 19, "does not fit mini"),
    ],
)
def test_wrong_decks_are_refused(deck, message):
    with pytest.raises(UserError, match=message):
        HanabiBatch.from_decks("mini", [deck])


def test_decks_of_wrong_shape_are_refused():
    for decks in ([0, 1], [[0.5]], [["R1"]]):
        with pytest.raises(UserError, match="decks must be whole numbers"):
            HanabiBatch.from_decks("mini", decks)


# ------------------------------------------------------------------------------------------------------- copies


def test_save_and_restore_bring_the_games_back():
    batch = HanabiBatch("full-5p", 8, seed=5)
    RandomPlay(batch, seed=1).play(9)
    saved, twin = batch.save(), batch.copy()
    batch.step(first_legal(batch))
    assert saved.tobytes() != batch.states.tobytes() and saved.tobytes() == twin.states.tobytes()
    batch.restore(saved)
    assert saved.tobytes() == batch.states.tobytes()
    assert saved.tobytes() == HanabiBatch.from_states("full-5p", saved).states.tobytes()


def test_restoring_something_else_is_refused():
    batch = HanabiBatch("full-5p", 8)
    for states in (np.zeros(8), batch.states[:3]):
        with pytest.raises(UserError, match="give what `save` returned"):
            batch.restore(states)


def test_trusted_step_equals_checked_step():
    checked, trusted = HanabiBatch("mini", 20, seed=6), HanabiBatch("mini", 20, seed=6)
    while not checked.is_over.all():
        moves = last_legal(checked)
        assert np.array_equal(checked.step(moves), trusted.step_trusted(moves))
        assert checked.states.tobytes() == trusted.states.tobytes()


def test_rewards_add_up_to_the_score():
    batch = HanabiBatch("mini", 40, seed=6)
    total = np.zeros(40)
    while not batch.is_over.all():
        total += batch.step(last_legal(batch))
    assert np.array_equal(total, batch.scores)


# ---------------------------------------------------------------------------------------------------- moves in words


@pytest.mark.parametrize("name", NAMED_VARIANTS)
def test_move_ids_read_back(name):
    variant = HanabiVariant.parse(name)
    for move in range(variant.num_moves):
        meaning = read_move(variant, move)
        assert move == move_id(variant, meaning.type, meaning.value, meaning.offset)
    with pytest.raises(UserError):
        read_move(variant, variant.num_moves)
    with pytest.raises(UserError):
        move_id(variant, "play", variant.hand_size)


def test_moves_read_as_words():
    variant = NAMED_VARIANTS["full-3p"]
    assert str(read_move(variant, 0)) == "discard slot 0"
    assert str(read_move(variant, 9)) == "play slot 4"
    assert str(read_move(variant, 16)) == "hint colour Y to seat +2"
    assert Move(type="rank", offset=2, value=4) == read_move(variant, 29)
    assert str(read_move(variant, 29)) == "hint rank 5 to seat +2"
