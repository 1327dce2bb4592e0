"""What moves come to mean: counted again one game at a time, and by hand."""

from itertools import pairwise

import numpy as np
import pytest

from offbelief.agents.scripted import scripted_policy
from offbelief.errors import UserError
from offbelief.evaluation.conventions import (
    CARDS,
    SOON,
    KeptGames,
    NextMoves,
    hint_meanings,
    keep_games,
    largest_changes,
    moves_per_game,
    next_moves,
)
from offbelief.evaluation.match import play_team
from offbelief.games.batched import NO_MOVE
from offbelief.games.hanabi.moves import read_move
from offbelief.games.hanabi.variant import HanabiVariant

MINI = HanabiVariant.parse("mini")
THREE = HanabiVariant.parse("3p-2c-3r-h3-i5-l3")


@pytest.fixture(scope="module", params=[MINI, THREE], ids=["two", "three"])
def kept(request):
    return keep_games(scripted_policy("piers"), request.param, 60, seed=3)


def test_kept_games_are_those_of_a_match(kept):
    result = play_team([scripted_policy("piers")] * kept.variant.players, kept.variant, 60, seed=3)
    assert np.array_equal(result.scores, kept.states[-1]["score"])
    assert all(kept.length(game) == kept.states[-1]["turn"][game] for game in range(60))
    assert len(set(kept.moves[-1].tolist()) - {NO_MOVE}) > 0  # the last turn is somebody's


def play_lists(kept):
    """Every game as a list of (state before, move)."""
    for game in range(kept.moves.shape[1]):
        yield [(kept.states[turn, game], int(kept.moves[turn, game])) for turn in range(kept.length(game))]


def naive_hints(kept):
    """The same counts, card by card: [cards, playable, played] by kind of hint and by which cards."""
    variant = kept.variant
    counts = {hint: {cards: [0, 0, 0] for cards in CARDS} for hint in ("colour", "rank")}
    for game in play_lists(kept):
        for turn, (state, move) in enumerate(game):
            meaning = read_move(variant, move)
            if meaning.type not in counts:
                continue
            owner = (int(state["acting_seat"]) + meaning.offset) % variant.players
            soon = [after for after in game[turn + 1 :] if after[0]["acting_seat"] == owner][:SOON]
            played = set()
            for after, answer in soon:
                answered = read_move(variant, answer)
                if answered.type == "play":
                    played.add(int(after["deal_indices"][owner, answered.value]))
            hand = [int(kind) for kind in state["hands"][owner][: int(state["hand_sizes"][owner])]]
            touched = [
                slot
                for slot, kind in enumerate(hand)
                if divmod(kind, variant.ranks)[0 if meaning.type == "colour" else 1] == meaning.value
            ]
            several = len(touched) > 1
            for slot, kind in enumerate(hand):
                told = state["colour_told"][owner, slot] or state["rank_told"][owner, slot]
                which = {
                    "touched": slot in touched,
                    "new": slot in touched and not told,
                    "newest": several and slot == touched[-1],
                    "oldest": several and slot == touched[0],
                    "untouched": slot not in touched,
                }
                colour, rank = divmod(kind, variant.ranks)
                found = (1, state["fireworks"][colour] == rank, int(state["deal_indices"][owner, slot]) in played)
                for cards, is_one in which.items():
                    if is_one:
                        counts[meaning.type][cards] = [
                            total + int(one) for total, one in zip(counts[meaning.type][cards], found, strict=True)
                        ]
    return counts


@pytest.mark.parametrize("turns", [7, 10, None], ids=["cut-7", "cut-10", "whole"])
def test_hints_mean_what_counting_card_by_card_says(kept, turns):
    """Also in games that are cut off, where the hinted seat has no turn left or only others have."""
    cut = KeptGames(kept.variant, kept.states[: turns and turns + 1], kept.moves[:turns])
    found = hint_meanings(cut)
    for hint, by_cards in naive_hints(cut).items():
        for cards, (total, playable, played) in by_cards.items():
            meaning = found[hint][cards]
            assert total == meaning.cards
            assert total > 0
            assert (playable / total, played / total) == pytest.approx((meaning.playable, meaning.played))


def test_hints_of_a_player_that_tells_about_playable_cards_mean_play():
    """IGGI tells about playable cards while there are any, and plays what it knows to be safe."""
    found = hint_meanings(keep_games(scripted_policy("iggi"), MINI, 100, seed=0))
    for hint in ("colour", "rank"):
        assert found[hint]["touched"].playable > found[hint]["untouched"].playable + 0.1
        assert found[hint]["touched"].played > found[hint]["untouched"].played


def test_pairs_of_moves_are_those_of_the_games(kept):
    expected = np.zeros((kept.variant.num_moves,) * 2, np.int64)
    for game in play_lists(kept):
        for (_, first), (_, second) in pairwise(game):
            expected[first, second] += 1
    found = next_moves(kept)
    assert np.array_equal(expected, found.counts)
    made = expected.sum(1) > 0
    assert np.allclose(1.0, found.shares[made].sum(1))
    assert 0.0 == found.shares[~made].sum()


def test_moves_per_game_add_up(kept):
    assert kept.states[-1]["turn"].mean() == pytest.approx(sum(moves_per_game(kept).values()))
    plays = (kept.moves >= kept.variant.first_play) & (kept.moves < 2 * kept.variant.first_play)
    assert plays.sum() / 60 == pytest.approx(moves_per_game(kept)["play"])


def two_answers(first, second):
    """Counts of two moves, 0 and 1: how often each was answered by 0 and by 1."""
    counts = np.zeros((MINI.num_moves,) * 2, np.int64)
    counts[:2, :2] = [first, second]
    return NextMoves(MINI, counts)


def test_information_is_none_for_equal_rows_and_a_bit_for_opposite_ones():
    assert 0.0 == pytest.approx(two_answers([30, 10], [30, 10]).information)
    assert np.log(2) == pytest.approx(two_answers([20, 0], [0, 20]).information)


def test_largest_changes_come_first_and_rare_moves_are_left_out():
    before, after = two_answers([90, 10], [1, 1]), two_answers([60, 40], [0, 2])
    (first, second) = largest_changes(before, after)
    assert ("discard slot 0", "discard slot 0", 0.9, 0.6) == (first.move, first.answer, first.before, first.after)
    assert ("discard slot 1", 0.1, 0.4) == (second.answer, second.before, second.after)
    assert 1 == len(largest_changes(before, after, most=1))
    assert 4 == len(largest_changes(before, after, rarest=1))
    with pytest.raises(UserError, match="same game"):
        largest_changes(before, NextMoves(THREE, np.zeros((THREE.num_moves,) * 2, np.int64)))


def test_games_without_hints_mean_nothing():
    kept = keep_games(scripted_policy("iggi"), MINI, 2, seed=0)
    silent = KeptGames(MINI, kept.states[:1], np.full((0, 2), NO_MOVE))
    meaning = hint_meanings(silent)["rank"]["touched"]
    assert {"cards": 0, "playable": None, "played": None} == meaning.as_json()
