"""Games as text."""

import re

import numpy as np
import pytest
from tests.games.hanabi.recording import play_randomly, sorted_deck

from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.moves import move_id
from offbelief.games.hanabi.text import describe_last_move, describe_move, render
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import UserError

MINI = HanabiVariant.parse("mini")
PLAY_0, PLAY_2 = move_id(MINI, "play", 0), move_id(MINI, "play", 2)
HINT_RED, HINT_ONE = move_id(MINI, "colour", 0, 1), move_id(MINI, "rank", 0, 1)


def played(*moves: int) -> HanabiBatch:
    """Seat 0 holds R1 R1 R1, seat 1 R2 R2 R3; Y1 Y1 Y1 Y2 Y2 Y3 are drawn next."""
    batch = HanabiBatch.from_decks(MINI, [sorted_deck(MINI)])
    for move in moves:
        batch.step([move])
    return batch


def test_the_table_looks_as_drawn_by_hand():
    # Alice plays R1, Bob strikes with R3, Alice tells Bob which cards are red, Bob tells Alice which are 1.
    batch = played(PLAY_0, PLAY_2, HINT_RED, HINT_ONE)
    expected = """\
Turn 5: Alice to move
Fireworks R1 Y0 G0   Score 1 of 9
Hints 3 of 5   Lives 2 of 3   Deck 10
Discards R3

> Alice  0 ??     1 ??     2 ??
         RYG 1..  RYG 1..  RYG 1..

  Bob    0 R2     1 R2     2 Y1
         R.. 123  R.. 123  .YG 123

Bob told Alice which cards are 1: slots 0, 1, 2"""
    assert expected == render(batch.states[0], MINI, seat=0, names=["Alice", "Bob"])
    opened = expected.replace("0 ??     1 ??     2 ??", "0 R1     1 R1     2 Y1")
    assert opened == render(batch.states[0], MINI, names=["Alice", "Bob"])


def test_a_finished_game_says_why_it_ended():
    batch = played(PLAY_0, PLAY_2, PLAY_0, PLAY_2, PLAY_0)
    text = render(batch.states[0], MINI)
    assert text.startswith("Over after 5 turns with 0 points: the last life was lost\n")
    assert "> " not in text
    assert text.endswith("seat 0 played R1 from slot 0: a strike")


def test_a_new_game_has_no_last_move():
    text = render(played().states[0], MINI)
    assert "Discards none" in text
    assert describe_last_move(played().states[0], MINI) == ""
    assert text == text.rstrip()


def test_own_cards_stay_hidden_and_hiding_changes_nothing_else():
    for record in play_randomly("full-3p", 5):
        game = record.to_batch().states[0]
        for seat in range(3):
            seen, opened = render(game, record.variant, seat=seat), render(game, record.variant)
            assert int(game["hand_sizes"][seat]) == seen.count("??")
            assert len(seen) == len(opened)
            # Another hand would look the same to its owner.
            other = game.copy()
            other["hands"][seat] = np.where(other["hands"][seat] < 25, 24 - other["hands"][seat], 255)
            assert seen == render(other, record.variant, seat=seat)


def test_colour_codes_come_only_when_asked_for_and_change_nothing_else():
    game = play_randomly("full-2p", 1)[0].to_batch().states[0]
    variant = HanabiVariant()
    plain, painted = render(game, variant), render(game, variant, ansi=True)
    assert "\x1b" not in plain
    assert "\x1b[31mR" in painted
    assert plain == re.sub(r"\x1b\[\d+m", "", painted)


@pytest.mark.parametrize(
    ("type", "value", "offset", "words"),
    [
        ("discard", 4, 0, "Cy discards slot 4"),
        ("play", 0, 0, "Cy plays slot 0"),
        ("colour", 3, 1, "Cy tells Ann which cards are W"),
        ("rank", 4, 2, "Cy tells Bo which cards are 5"),
    ],
)
def test_moves_are_described_in_words(type, value, offset, words):
    variant = HanabiVariant(players=3)
    move = move_id(variant, type, value, offset)
    assert words == describe_move(variant, move, 2, names=("Ann", "Bo", "Cy"))
    nameless = words.replace("Ann", "seat 0").replace("Bo", "seat 1").replace("Cy", "seat 2")
    assert nameless == describe_move(variant, move, 2)


def test_a_move_that_does_not_exist_is_refused():
    with pytest.raises(UserError, match="Move 99 does not exist"):
        describe_move(MINI, 99, 0)


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        ((PLAY_0,), "seat 0 played R1 from slot 0: it scores"),
        ((PLAY_0, PLAY_2), "seat 1 played R3 from slot 2: a strike"),
        ((HINT_RED,), "seat 0 told seat 1 which cards are R: slots 0, 1, 2"),
        ((PLAY_0, PLAY_2, HINT_ONE), "seat 0 told seat 1 which cards are 1: slot 2"),
        ((HINT_RED, move_id(MINI, "discard", 1)), "seat 1 discarded R2 from slot 1, a hint token returns"),
        ((HINT_RED, PLAY_2, PLAY_0, PLAY_0, HINT_RED), "seat 0 told seat 1 which cards are R: slot 0"),
        ((HINT_RED, HINT_RED, PLAY_0, PLAY_0, PLAY_2, PLAY_0), "seat 1 played R2 from slot 0: a strike"),
    ],
)
def test_the_last_move_is_described_in_words(moves, words):
    assert words == describe_last_move(played(*moves).states[0], MINI)


def test_a_completed_firework_returns_a_token():
    # R1, then R2, then seat 0 strikes, then seat 1 plays R3 from slot 1 (R2 left at slot 0): the token returns.
    batch = played(PLAY_0, PLAY_0, HINT_RED, move_id(MINI, "play", 1))
    expected = "seat 1 played R3 from slot 1: it scores, a hint token returns"
    assert expected == describe_last_move(batch.states[0], MINI)
