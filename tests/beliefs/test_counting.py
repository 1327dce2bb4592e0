"""The grounded belief in closed form: worked by hand, against enumeration and the definition, frequencies, laws."""

import math
import os
from fractions import Fraction

import numpy as np
import pytest
from tests.naive.hanabi_beliefs import (
    Belief,
    belief_by_drawing,
    belief_by_enumeration,
    belief_by_replay,
    check_record,
    late_games,
    play_randomly,
    what_seats_see,
)

from offbelief.beliefs.counting import (
    hand_entropy,
    hand_log_probs,
    hand_marginals,
    imagine_games,
    imagined_transitions,
    sample_hands,
)
from offbelief.games.hanabi import kernels
from offbelief.games.hanabi.batch import HanabiBatch, RandomPlay
from offbelief.games.hanabi.moves import move_id
from offbelief.games.hanabi.resample import resample
from offbelief.games.hanabi.state import NO_CARD
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import UserError
from offbelief.streams import new_stream

UNCOMPILED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
LONG_GAME = "2p-5c-5r-h5-i8-l50"  # random players reach the end of the deck when strikes hardly matter
ENUMERABLE = {  # variant: most unseen cards that leave few enough hands to enumerate
    "mini": 12,
    "small": 16,
    "very-small": 8,
    "2p-3c-2r-h4-i3-l9": 10,
    "3p-2c-3r-h3-i5-l3": 12,
    "5p-5c-5r-h4-i8-l50": 9,
    LONG_GAME: 9,
}


def streams_for(size: int, seed: int = 0) -> np.ndarray:
    streams = np.empty(size, dtype=np.uint64)
    kernels.draw_streams(new_stream(seed, 77), 0, streams)
    return streams


def told_then_drawn() -> HanabiBatch:
    """Seat 0 holds a card told to be a first rank, and a card drawn after that hint. One colour: kind = rank."""
    #                       seat 0  seat 1  deck
    deck = [0, 1, 2, 3, 0, 1, 0, 2]
    batch = HanabiBatch.from_decks("2p-1c-4r-h2-i8-l3", [deck])
    for move in (("rank", 2, 1), ("rank", 0, 1), ("play", 1, 0)):
        batch.step([move_id(batch.variant, *move)])
    return batch


# ---------------------------------------------------------------------------------------------------------- by hand


def test_belief_worked_by_hand():
    # Seat 0 misses three cards of rank 0, one of rank 1 (the other was just lost) and one of rank 2. Its older card is
    # one of the three zeros; the newer is one of the four cards that are then left, two of them zeros.
    batch = told_then_drawn()
    hands = [[[0, 0], [0, 1], [0, 2], [1, 0], [0, 3], [0, NO_CARD]]]
    log_probs = hand_log_probs(batch.states, batch.variant, 0, hands)
    assert hand_marginals(batch.states, batch.variant, 0)[0].tolist() == [[1, 0, 0, 0], [0.5, 0.25, 0.25, 0]]
    assert np.exp(log_probs)[0].tolist() == [0.5, 0.25, 0.25, 0, 0, 0]
    assert math.isclose(1.5 * math.log(2), hand_entropy(batch.states, batch.variant, 0)[0])


def test_other_orders_or_fixed_counts_are_biased_in_the_same_example():
    batch = told_then_drawn()
    oldest_first, _ = belief_by_drawing(batch.variant, batch.states[0], 0)
    newest_first, _ = belief_by_drawing(batch.variant, batch.states[0], 0, newest_first=True)
    fixed_counts, _ = belief_by_drawing(batch.variant, batch.states[0], 0, lower_counts=False)
    assert Fraction(1, 2) == oldest_first[0, 0]
    assert Fraction(3, 5) == newest_first[0, 0] == fixed_counts[0, 0]  # both forget that one zero is the older card


def test_empty_slots_have_no_probability():
    variant = HanabiVariant.parse(LONG_GAME)
    games = late_games(variant, seat=0, most_unseen=4, count=5, seed=8)
    assert np.all(games["hand_sizes"][:, 0] == 4)
    assert np.all(hand_marginals(games, variant, 0)[:, 4] == 0)
    assert np.all(sample_hands(games, variant, 0, streams_for(5))[:, 4] == NO_CARD)
    assert np.all(np.isfinite(hand_log_probs(games, variant, 0, games["hands"][:, 0])))


# ------------------------------------------------------------------------------------------------- why it is simple


@pytest.mark.parametrize(
    "name", ["full-2p+cards-played", LONG_GAME, "3p-5c-5r-h5-i8-l50", "5p-5c-5r-h4-i8-l50", "mini"]
)
def test_older_card_is_possible_inside_or_outside_a_newer_one(name):
    # The property that everything rests on, in thousands of games with plays and discards from every slot.
    variant = HanabiVariant.parse(name)
    batch = HanabiBatch(variant, 8 if UNCOMPILED else 1000, seed=4)
    random_play = RandomPlay(batch, seed=5)
    inside = outside = 0
    for _ in range(60):
        random_play.play()
        for seat in range(variant.players):
            possible = batch.possible_kinds(seat)  # [B, H, K]
            for newer in range(variant.hand_size):
                for older in range(newer):
                    meets = np.any(possible[:, older] & possible[:, newer], axis=-1)
                    sticks_out = np.any(possible[:, older] & ~possible[:, newer], axis=-1)
                    assert not np.any(meets & sticks_out)
                    newer_is_larger = np.any(possible[:, newer] & ~possible[:, older], axis=-1)
                    inside += np.count_nonzero(meets & newer_is_larger)
                    outside += np.count_nonzero(sticks_out & newer_is_larger)
    assert inside > 0 and outside > 0  # the games had both cases to show
    assert UNCOMPILED or batch.states["restarts"].sum() + len(batch) > 1000


@pytest.mark.parametrize("name", ENUMERABLE)
def test_drawing_oldest_first_is_exact_and_never_runs_dry(name):
    variant = HanabiVariant.parse(name)
    biased = {"newest_first": 0, "fixed_counts": 0}
    for game in late_games(variant, seat=1, most_unseen=min(8, ENUMERABLE[name]), count=12, seed=21):
        exact = belief_by_enumeration(variant, game, 1)
        assert (exact, 0) == belief_by_drawing(variant, game, 1)
        biased["newest_first"] += exact != belief_by_drawing(variant, game, 1, newest_first=True)[0]
        biased["fixed_counts"] += exact != belief_by_drawing(variant, game, 1, lower_counts=False)[0]
    if variant.hand_size > 2:
        assert biased["newest_first"] > 0 and biased["fixed_counts"] > 0


# --------------------------------------------------------------------------------------------------- against judges


def assert_belief(exact: Belief, variant: HanabiVariant, game: np.void, seat: int) -> None:
    games = np.array([game])
    hands = np.full((1, len(exact), variant.hand_size), NO_CARD)
    marginals = np.zeros((variant.hand_size, variant.card_kinds))
    for number, (hand, probability) in enumerate(exact.items()):
        hands[0, number, : len(hand)] = hand
        marginals[np.arange(len(hand)), list(hand)] += float(probability)
    probabilities = np.array([float(probability) for probability in exact.values()])
    entropy = -np.sum(probabilities * np.log(probabilities))
    np.testing.assert_allclose(np.exp(hand_log_probs(games, variant, seat, hands)[0]), probabilities, rtol=1e-12)
    np.testing.assert_allclose(hand_marginals(games, variant, seat)[0], marginals, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(hand_entropy(games, variant, seat)[0], entropy, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ENUMERABLE)
def test_belief_equals_enumeration(name):
    variant = HanabiVariant.parse(name)
    for seat in range(variant.players):
        for game in late_games(variant, seat, ENUMERABLE[name], count=3 if UNCOMPILED else 8, seed=30 + seat):
            assert_belief(belief_by_enumeration(variant, game, seat), variant, game, seat)


@pytest.mark.parametrize("name", ["mini", "2p-2c-3r-h3-i4-l3", "3p-2c-3r-h2-i5-l3"])
def test_belief_equals_its_definition_by_replay(name):
    # Which deals would have shown the seat the same history? No knowledge in the record is used.
    variant = HanabiVariant.parse(name)
    checked = 0
    for seed in range(40):
        batch = HanabiBatch(variant, 1, seed=seed)
        start, moves, stream = batch.states[0].copy(), [], new_stream(seed, 5)
        while not batch.is_over[0]:
            seat = seed % variant.players
            unseen = variant.deck_size - batch.states["cards_drawn"][0] + batch.states["hand_sizes"][0, seat]
            if unseen <= 6 and len(moves) >= 4:
                assert_belief(belief_by_replay(variant, start, moves, seat), variant, batch.states[0], seat)
                checked += 1
                break
            moves.append(int(kernels.random_move_one(batch.legal_bits()[0], stream)))
            batch.step([moves[-1]])
    assert checked >= 8


def test_belief_of_full_hands_agrees_with_itself():
    # Mid-game hands of the full game are too many to enumerate: 100,000 samples must agree with marginals and entropy.
    variant = HanabiVariant.parse(LONG_GAME)
    count = 200 if UNCOMPILED else 20_000
    games = play_randomly(variant, 5, 30, seed=6).states
    hands = sample_hands(games, variant, 0, streams_for(5), num_samples=count)
    frequencies = np.stack([(hands == kind).mean(axis=1) for kind in range(variant.card_kinds)], axis=-1)
    np.testing.assert_allclose(frequencies, hand_marginals(games, variant, 0), atol=1.9 / math.sqrt(count))
    surprise = -hand_log_probs(games, variant, 0, hands)
    error = surprise.std(axis=1) / math.sqrt(count)
    assert np.all(np.abs(surprise.mean(axis=1) - hand_entropy(games, variant, 0)) < 4 * error + 1e-12)


# ------------------------------------------------------------------------------------------------------ frequencies


def surprise_of_frequencies(hands: np.ndarray, belief: Belief, size: int) -> float:
    """Pearson's chi-square of samples [S, H] against a belief, in standard deviations above its mean.

    Hands expected fewer than five times share one cell.
    """
    digits = 25 ** np.arange(size)
    codes, counts = np.unique(hands[:, :size] @ digits, return_counts=True)
    seen = dict(zip(codes.tolist(), counts.tolist(), strict=True))
    observed = np.array([seen.pop(int(np.dot(hand, digits)), 0) for hand in belief])
    assert seen == {}, "a sample is impossible"
    expected = np.array([float(probability) for probability in belief.values()]) * len(hands)
    rare = expected < 5
    cells = [*zip(observed[~rare], expected[~rare], strict=True)]
    if expected[rare].sum() > 0:
        cells.append((observed[rare].sum(), expected[rare].sum()))
    freedom = len(cells) - 1
    if freedom == 0:
        return 0.0
    return float((sum((count - mean) ** 2 / mean for count, mean in cells) - freedom) / math.sqrt(2 * freedom))


@pytest.mark.skipif(UNCOMPILED, reason="needs many samples; the compiled run tests the same code")
@pytest.mark.parametrize("name", ENUMERABLE)
def test_sampler_has_the_frequencies_of_the_belief(name):
    # Fixed seeds; eight standard deviations for each of 12 games, since a chi-square has a fat right tail.
    variant = HanabiVariant.parse(name)
    games = late_games(variant, seat=0, most_unseen=min(8, ENUMERABLE[name]), count=12, seed=51)
    samples = sample_hands(games, variant, 0, streams_for(12, seed=52), num_samples=20_000)
    noticed = {"newest_first": 0.0, "fixed_counts": 0.0}
    for game, hands in zip(games, samples, strict=True):
        size = int(game["hand_sizes"][0])
        assert surprise_of_frequencies(hands, belief_by_enumeration(variant, game, 0), size) < 8
        for wrong, how in (("newest_first", {"newest_first": True}), ("fixed_counts", {"lower_counts": False})):
            biased, dry = belief_by_drawing(variant, game, 0, **how)
            biased = {hand: probability / (1 - dry) for hand, probability in biased.items()}
            noticed[wrong] = max(noticed[wrong], surprise_of_frequencies(hands, biased, size))
    if name in ("mini", "5p-5c-5r-h4-i8-l50", LONG_GAME):  # this very test would see a sampler that drew in another way
        assert min(noticed.values()) > 50


# ------------------------------------------------------------------------------------------------------------- laws


def test_samples_depend_on_what_the_seat_sees_and_on_the_stream_alone():
    variant = HanabiVariant.parse(LONG_GAME)
    batch = play_randomly(variant, 40, 25, seed=12)
    seats = np.arange(40) % 2
    other_truth = imagine_games(batch.states, variant, seats, streams_for(40, seed=1))
    assert not np.array_equal(other_truth["hands"], batch.states["hands"])
    first, second = (sample_hands(games, variant, seats, streams_for(40)) for games in (batch.states, other_truth))
    assert np.array_equal(first, second)
    assert np.array_equal(
        imagine_games(batch.states, variant, seats, streams_for(40)),
        imagine_games(other_truth, variant, seats, streams_for(40)),
    )
    assert not np.array_equal(first, sample_hands(batch.states, variant, seats, streams_for(40, seed=2)))


def test_samples_do_not_depend_on_the_batch_and_leave_the_games_alone():
    variant = HanabiVariant.parse("full-3p")
    batch = play_randomly(variant, 20, 15, seed=13)
    before, streams = batch.save(), streams_for(20)
    several = sample_hands(batch.states, variant, 2, streams, num_samples=3)
    assert np.array_equal(before, batch.states)
    assert not np.any(streams == streams_for(20))  # every stream moved on
    alone = [
        sample_hands(before[i : i + 1], variant, 2, streams_for(20)[i : i + 1], num_samples=3)[0] for i in range(20)
    ]
    assert np.array_equal(alone, several)
    assert np.array_equal(several[:, 0], sample_hands(batch.states, variant, 2, streams_for(20)))
    assert not np.array_equal(several[:, 0], several[:, 1])


def test_imagining_is_sampling_and_putting_the_hand_in():
    variant = HanabiVariant.parse(LONG_GAME)
    batch = play_randomly(variant, 50, 33, seed=14)
    seats, streams = (np.arange(50) // 3) % 2, streams_for(50)
    before = batch.save()
    imagined = imagine_games(batch.states, variant, seats, streams)
    assert np.array_equal(before, batch.states)
    again = streams_for(50)
    hands = sample_hands(batch.states, variant, seats, again)
    assert np.array_equal(resample(batch.states, variant, seats, hands, again), imagined)
    assert np.array_equal(streams, again)
    assert np.array_equal(what_seats_see(variant, before, seats), what_seats_see(variant, imagined, seats))
    for game in imagined:
        check_record(variant, game)
    acting = imagine_games(batch.states, variant, batch.acting_seats, streams_for(50))
    assert np.array_equal(acting, imagine_games(batch.states, variant, None, streams_for(50)))
    several = imagine_games(batch.states, variant, seats, streams_for(50), num_samples=2)
    assert np.array_equal(imagined, several[:, 0])
    assert len(np.unique(several["stream"])) == 100  # a stream of its own for every copy


@pytest.mark.parametrize("name", ["full-2p", LONG_GAME, "full-4p+cards-played", "mini", "2p-3c-2r-h4-i3-l9"])
def test_imagined_transition_is_a_legal_step_of_an_imagined_game(name):
    variant = HanabiVariant.parse(name)
    batch = HanabiBatch(variant, 5 if UNCOMPILED else 60, seed=15)
    stream = new_stream(16)
    while not batch.is_over.all():
        moves = np.array([kernels.random_move_one(bits, stream) for bits in batch.legal_bits()])
        before = batch.save()
        after, rewards = imagined_transitions(batch.states, variant, moves, streams_for(len(batch)))
        assert np.array_equal(before, batch.states)
        imagined = imagine_games(batch.states, variant, batch.acting_seats, streams_for(len(batch)))
        twin = HanabiBatch.from_states(variant, imagined)
        assert np.array_equal(batch.legal_moves(), twin.legal_moves())
        assert np.array_equal(twin.step(moves), rewards)
        assert np.array_equal(twin.states, after)
        batch.step(moves)
    for game in after:
        check_record(variant, game)


# ----------------------------------------------------------------------------------------------------------- errors


def test_bad_input_is_refused_in_a_sentence():
    batch = HanabiBatch("mini", 3)
    variant, states, streams = batch.variant, batch.states, streams_for(3)
    for message, call in {
        "seats must be from 0 to 1 in mini": lambda: hand_marginals(states, variant, 2),
        "seats must be one whole number, 3 of them": lambda: hand_entropy(states, variant, [0, 1]),
        "no possible game of full-2p": lambda: hand_marginals(states, HanabiVariant(), 0),
        "states must be a one-dimensional array of HANABI_STATE": lambda: hand_entropy(
            states.reshape(3, 1), variant, 0
        ),
        "streams must be a contiguous array of 3 uint64": lambda: sample_hands(states, variant, 0, streams[:2]),
        "num_samples is 0": lambda: sample_hands(states, variant, 0, streams, num_samples=0),
        "hands must be whole numbers": lambda: hand_log_probs(states, variant, 0, np.zeros((3, 2), dtype=int)),
        "out must be a contiguous array": lambda: imagine_games(states, variant, 0, streams, out=states[:2].copy()),
        "Game 0: .* is not allowed while all 5": lambda: imagined_transitions(states, variant, [0, 0, 0], streams),
        "moves must be 3 whole numbers": lambda: imagined_transitions(states, variant, [0.5, 0, 0], streams),
    }.items():
        with pytest.raises(UserError, match=message):
            call()
