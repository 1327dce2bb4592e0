"""The compiled rules: worked by hand, against the naive judge, and laws that hold for every game."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.games.hanabi.test_variant import variants
from tests.naive.hanabi import naive_twin

from offbelief.games.hanabi import kernels
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.moves import move_id
from offbelief.games.hanabi.state import (
    DISCARDED,
    FULL_SCORE,
    HANABI_STATE,
    HINTED_COLOUR,
    HINTED_RANK,
    NO_CARD,
    NOTHING,
    OUT_OF_CARDS,
    OUT_OF_LIVES,
    OUT_OF_TURNS,
    PLAYED,
    RUNNING,
)
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.streams import new_stream

UNCOMPILED = os.environ.get("NUMBA_DISABLE_JIT") == "1"

VARIANTS = [
    "full-2p",
    "full-3p+random-start",
    "full-4p",
    "full-5p+random-start",
    "small",
    "very-small",
    "mini",
    "mini+cards-played+cap12",
    "3p-2c-3r-h3-i5-l3",
    "5p-5c-5r-h5-i8-l3",
    "2p-5c-1r-h1-i1-l1",
    "4p-1c-4r-h2-i0-l2",  # no hint and no discard is ever legal; the hands are the whole deck
    "2p-3c-2r-h4-i3-l9",
    "3p-4c-5r-h1-i8-l50+random-start",
]


def play(batch: HanabiBatch, moves: list[tuple], game: int = 0) -> list[float]:
    """Make moves given as (type, value, offset) in a batch of one."""
    return [float(batch.step([move_id(batch.variant, *move)])[game]) for move in moves]


def tiny_game(deck: list[tuple[int, int]], variant: str = "2p-2c-3r-h2-i3-l2", **more) -> HanabiBatch:
    """A game with a known deck of (colour, rank) pairs; two colours, three ranks, hands of two by default."""
    ranks = HanabiVariant.parse(variant).ranks
    return HanabiBatch.from_decks(variant, [[colour * ranks + rank for colour, rank in deck]], **more)


# --------------------------------------------------------------------------------------------------------- by hand

R1, R2, R3, Y1, Y2, Y3 = (0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)


def test_deal_gives_seat_0_its_whole_hand_first():
    game = tiny_game([R1, R2, Y1, Y2, R3]).states[0]
    assert list(game["hands"][0, :2]) == [0, 1] and list(game["hands"][1, :2]) == [3, 4]
    assert list(game["deal_indices"][1, :2]) == [2, 3]
    assert game["cards_drawn"] == 4


def test_play_scores_and_the_new_card_joins_at_the_end():
    batch = tiny_game([R1, R2, Y1, Y2, R3])
    assert play(batch, [("play", 0)]) == [1.0]
    game = batch.states[0]
    assert list(game["hands"][0, :2]) == [1, 2]  # R2 moved up, R3 was drawn
    assert list(game["deal_indices"][0, :2]) == [1, 4]
    assert (game["score"], game["fireworks"][0], game["acting_seat"]) == (1, 1, 1)
    last = [game[f"last_{name}"] for name in ("actor", "type", "target", "slot", "card", "scored", "token_gained")]
    assert last == [0, PLAYED, NOTHING, 0, 0, True, False]


def test_colour_hint_tells_both_ways():
    batch = tiny_game([R1, R2, Y1, R3, R1])
    assert play(batch, [("colour", 1, 1)]) == [0.0]  # yellow touches the older card of seat 1 only
    game = batch.states[0]
    assert list(game["possible_colours"][1, :2]) == [0b10, 0b01]
    assert list(game["possible_ranks"][1, :2]) == [0b111, 0b111]
    assert list(game["colour_told"][1, :2]) == [1, 0] and list(game["rank_told"][1, :2]) == [0, 0]
    assert game["hint_tokens"] == 2
    last = [game[f"last_{name}"] for name in ("actor", "type", "target", "colour", "rank", "touched", "slot", "card")]
    assert last == [0, HINTED_COLOUR, 1, 1, NOTHING, 0b01, NOTHING, NOTHING]


def test_rank_hint_tells_both_ways():
    batch = tiny_game([R1, R2, Y1, R1, R3])
    play(batch, [("rank", 0, 1)])
    game = batch.states[0]
    assert list(game["possible_ranks"][1, :2]) == [0b001, 0b001] and list(game["rank_told"][1, :2]) == [1, 1]
    last = [game[f"last_{name}"] for name in ("type", "colour", "rank", "touched")]
    assert last == [HINTED_RANK, NOTHING, 0, 0b11]


def test_knowledge_moves_with_its_card():
    batch = tiny_game([R1, R2, Y1, R3, R1, R2])
    play(batch, [("rank", 2, 1), ("play", 0)])  # told: slot 1 of seat 1 is a 3; then slot 0 leaves
    game = batch.states[0]
    assert list(game["possible_ranks"][1, :2]) == [0b100, 0b111]
    assert list(game["rank_told"][1, :2]) == [1, 0]


def test_discard_returns_a_token_and_is_illegal_when_all_are_there():
    batch = tiny_game([R1, R2, Y1, Y2, R3])
    assert not batch.legal_moves()[0, :2].any()
    play(batch, [("rank", 0, 1), ("discard", 1)])
    game = batch.states[0]
    assert game["hint_tokens"] == 3 and game["discards"][4] == 1  # Y2
    assert (game["last_type"], game["last_token_gained"], game["last_card"]) == (DISCARDED, True, 4)


def test_completed_firework_returns_a_token_only_below_the_maximum():
    batch = tiny_game([R1, R3, R2, Y1, Y1, Y2])
    play(batch, [("play", 0), ("play", 0), ("play", 0)])
    assert (batch.states["fireworks"][0, 0], batch.states["hint_tokens"][0]) == (3, 3)
    assert not batch.states["last_token_gained"][0]

    batch = tiny_game([R1, R3, R2, Y1, Y1, Y2])
    play(batch, [("play", 0), ("play", 0), ("colour", 1, 1), ("colour", 1, 1), ("play", 0)])
    assert (batch.states["fireworks"][0, 0], batch.states["hint_tokens"][0]) == (3, 2)
    assert batch.states["last_token_gained"][0]


@pytest.mark.parametrize(("suffix", "rewards", "score"), [("", [1, 0, -1], 0), ("+cards-played", [1, 0, 0], 1)])
def test_last_strike_ends_the_game_and_draws_no_card(suffix, rewards, score):
    batch = tiny_game([R1, R3, Y3, Y2, Y1, R2], "2p-2c-3r-h2-i3-l2" + suffix)
    assert rewards == play(batch, [("play", 0), ("play", 0), ("play", 0)])  # R1 scores, Y3 and R3 are strikes
    game = batch.states[0]
    assert (True, OUT_OF_LIVES, score) == (game["is_over"], game["end_reason"], game["score"])
    assert game["hand_sizes"][0] == 1 and game["hands"][0, 1] == NO_CARD
    assert not batch.legal_moves().any()


def test_full_score_ends_the_game():
    batch = tiny_game([(0, 0), (1, 0), (0, 0), (1, 0)], "2p-2c-1r-h1-i3-l2")  # seats hold R1 and Y1
    assert play(batch, [("play", 0), ("play", 0)]) == [1, 1]
    assert tuple(batch.states[name][0] for name in ("is_over", "end_reason", "score")) == (True, FULL_SCORE, 2)


def test_every_seat_has_one_turn_after_the_last_card():
    # 2 colours of 1 rank: 6 cards, hands of 2, so 2 cards to draw; five lives.
    batch = tiny_game([(0, 0), (0, 0), (0, 0), (1, 0), (1, 0), (1, 0)], "2p-2c-1r-h2-i2-l5")
    play(batch, [("play", 0), ("play", 0)])  # seat 1 draws the last card
    assert tuple(batch.states[name][0] for name in ("cards_drawn", "turns_left", "end_reason")) == (6, 2, RUNNING)
    play(batch, [("play", 0)])
    assert tuple(batch.states[name][0] for name in ("turns_left", "end_reason")) == (1, RUNNING)
    play(batch, [("colour", 1, 1)])
    assert tuple(batch.states[name][0] for name in ("turns_left", "end_reason", "is_over")) == (0, OUT_OF_CARDS, True)


def test_turn_cap_ends_the_game_and_keeps_its_points():
    batch = tiny_game([R1, R2, R2, Y1, Y1], "2p-2c-3r-h2-i3-l2+cap2")
    assert play(batch, [("play", 0), ("play", 0)]) == [1, 1]
    assert (batch.states["end_reason"][0], batch.states["score"][0]) == (OUT_OF_TURNS, 2)


def test_random_move_takes_every_legal_move_equally_often():
    bits, stream = 0b1001_0010_0100 | (1 << 49), new_stream(5)
    moves = [int(kernels.random_move_one(bits, stream)) for _ in range(5000)]
    counts = np.bincount(moves, minlength=50)
    assert list(np.flatnonzero(counts)) == [2, 5, 8, 11, 49]
    assert np.all(np.abs(counts[counts > 0] - 1000) < 6 * np.sqrt(800))  # six standard errors
    assert kernels.random_move_one(0, stream) == kernels.NO_MOVE


def test_shuffle_puts_every_card_everywhere_equally_often():
    # 6 cards R1 R1 R1 Y1 Y1 Y1: each place holds red half the time; also the C(6,3) = 20 orders are equally frequent.
    size = 200 if UNCOMPILED else 20_000
    states = HanabiBatch("2p-2c-1r-h1-i1-l1", size, seed=11).states
    orders = states["deck"][:, :6] @ (1 << np.arange(6))
    counts = np.bincount(orders, minlength=64)
    seen = counts[counts > 0]
    assert len(seen) == 20
    assert np.sum((seen - size / 20) ** 2 / (size / 20)) < 55  # chi-square with 19 degrees of freedom, p about 3e-5


def test_random_start_takes_every_seat():
    size = 100 if UNCOMPILED else 5000
    states = HanabiBatch("full-5p+random-start", size, seed=2).states
    counts = np.bincount(states["start_seat"], minlength=5)
    assert np.all(np.abs(counts - size / 5) < 6 * np.sqrt(size * 0.16))
    assert np.array_equal(states["start_seat"], states["acting_seat"])


# ----------------------------------------------------------------------------------------------------------- judge


def assert_same_game(naive_record: np.void, game: np.void) -> None:
    for name in HANABI_STATE.names:
        if name not in ("stream", "restarts"):
            assert np.array_equal(naive_record[name], game[name]), name


def play_beside_judge(variant: HanabiVariant, size: int, seed: int, prefer_hints: bool = False) -> None:
    """Play random games through kernels and judge, comparing everything at every step."""
    batch = HanabiBatch(variant, size, seed=seed)
    judges = [naive_twin(variant, game) for game in batch.states]
    random = np.random.default_rng(seed)
    turns = 0
    while not batch.is_over.all():
        legal, bits = batch.legal_moves(), batch.legal_bits()
        moves = np.full(size, kernels.NO_MOVE)
        expected_rewards = np.zeros(size)
        seats = random.integers(variant.players, size=size)
        possible = batch.possible_kinds(seats)
        public, private = batch.public_counts(), batch.private_counts(seats)
        for index, judge in enumerate(judges):
            legal_ids = judge.legal_moves()
            assert legal_ids == list(np.flatnonzero(legal[index]))
            assert sum(1 << move for move in legal_ids) == bits[index]
            assert_same_game(judge.as_record(), batch.states[index])
            hand = judge.possible_kinds(seats[index])
            assert hand == [set(np.flatnonzero(row)) for row in possible[index, : len(hand)]]
            assert not possible[index, len(hand) :].any()
            assert judge.unseen(None) == list(public[index])
            assert judge.unseen(seats[index]) == list(private[index])
            if legal_ids:
                # Blind play ends early by strikes; preferring hints and discards reaches the end of the deck.
                safe = [move for move in legal_ids if not variant.hand_size <= move < 2 * variant.hand_size]
                pool = safe if prefer_hints and safe and random.random() < 0.9 else legal_ids
                moves[index] = random.choice(pool)
                expected_rewards[index] = judge.step(int(moves[index]))
        assert np.array_equal(expected_rewards, batch.step(moves))
        turns += 1
        assert turns <= variant.max_turns
    for judge, game in zip(judges, batch.states, strict=True):
        assert_same_game(judge.as_record(), game)


@pytest.mark.parametrize("prefer_hints", [False, True], ids=["blind", "careful"])
@pytest.mark.parametrize("name", VARIANTS)
def test_random_games_equal_the_judge(name, prefer_hints):
    play_beside_judge(HanabiVariant.parse(name), 1 if UNCOMPILED else 12, seed=7, prefer_hints=prefer_hints)


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_thousands_of_random_games_equal_the_judge(name):
    for seed, prefer_hints in ((100, False), (101, True)):
        play_beside_judge(HanabiVariant.parse(name), 120, seed=seed, prefer_hints=prefer_hints)


@settings(max_examples=5 if UNCOMPILED else 60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(variants(), st.integers(0, 2**64 - 1), st.booleans())
def test_any_variant_equals_the_judge(variant, seed, prefer_hints):
    play_beside_judge(variant, 2, seed=seed, prefer_hints=prefer_hints)


# ------------------------------------------------------------------------------------------------------------ laws


@settings(max_examples=5 if UNCOMPILED else 40, deadline=None)
@given(variants(), st.integers(0, 2**32))
def test_deck_always_adds_up(variant, seed):
    batch = HanabiBatch(variant, 4, seed=seed)
    random = np.random.default_rng(seed)
    copies = np.array(variant.copies_by_kind)
    kinds = variant.card_kinds
    while not batch.is_over.all():
        for game in batch.states:
            in_deck = np.bincount(game["deck"][game["cards_drawn"] : variant.deck_size], minlength=kinds)
            held = game["hands"] != NO_CARD
            in_hands = np.bincount(game["hands"][held], minlength=kinds)
            ranks_played = np.arange(variant.ranks) < game["fireworks"][: variant.colours, None]
            played = ranks_played.ravel().astype(int)
            assert np.array_equal(copies, in_deck + in_hands + game["discards"][:kinds] + played)
            assert np.array_equal(held.sum(axis=1), game["hand_sizes"])
            assert np.array_equal(game["deck"][game["deal_indices"][held]], game["hands"][held])
            # what hints leave possible always includes the truth
            assert np.all(game["possible_colours"][held] >> (game["hands"][held] // variant.ranks) & 1)
            assert np.all(game["possible_ranks"][held] >> (game["hands"][held] % variant.ranks) & 1)
            assert 0 <= game["hint_tokens"] <= variant.hint_tokens and game["lives"] <= variant.lives
            assert game["is_over"] or game["score"] == game["fireworks"].sum()
        legal = batch.legal_moves()
        noise = random.random(legal.shape)
        assert np.all(legal.any(axis=1) != batch.is_over)  # there is always a legal move until the end
        batch.step(np.where(batch.is_over, kernels.NO_MOVE, np.argmax(noise * legal, axis=1)))


# ------------------------------------------------------------------------------------------------------ uncompiled


@pytest.mark.slow
@pytest.mark.skipif(UNCOMPILED, reason="this is the uncompiled run")
def test_everything_holds_uncompiled():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", __file__]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]


@pytest.mark.skipif(UNCOMPILED, reason="this is the uncompiled run")
def test_uncompiled_kernels_play_the_same_games():
    program = (
        "import warnings; warnings.simplefilter('ignore')\n"  # the random streams wrap around, and NumPy says so
        "from offbelief.games.hanabi import HanabiBatch, RandomPlay\n"
        "batch = HanabiBatch('full-3p+random-start', 3, seed=5); RandomPlay(batch, seed=6).play(40)\n"
        "print(batch.states.tobytes().hex())"
    )
    outputs = []
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled}
        outputs.append(
            subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
        )
    assert outputs[0].stdout == outputs[1].stdout
