"""Reasons in words, worked out by hand."""

import numpy as np
import pytest
from tests.games.hanabi.recording import sorted_deck

from offbelief.beliefs.counting import hand_marginals
from offbelief.evaluation.reasons import amount, chance, margin, reason_for_move
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.moves import MoveType, move_id
from offbelief.games.hanabi.variant import HanabiVariant

MINI = HanabiVariant.parse("mini")


def reason(batch: HanabiBatch, type: MoveType, value: int, offset: int = 0, **names: list[str]) -> str:
    belief = hand_marginals(batch.states, batch.variant)[0]
    return reason_for_move(batch.states[0], batch.variant, belief, move_id(batch.variant, type, value, offset), **names)


def test_reasons_are_as_worked_out_by_hand():
    # Seat 0 holds R1 R1 R1 and sees R2 R2 R3, so it has not seen 3 R1, 3+2+1 yellow and 3+2+1 green cards: 15, of which
    # 9 are ones (playable). Copies of one: Y3 and G3 (critical).
    batch = HanabiBatch.from_decks(MINI, [sorted_deck(MINI)])
    assert "Plays slot 1: P(playable) = 0.60" == reason(batch, "play", 1)
    assert "Discards slot 1: P(useless) = 0, P(critical) = 0.13" == reason(batch, "discard", 1)
    assert "Hints red: touches 3 cards, none of them playable now" == reason(batch, "colour", 0, 1)
    assert "Hints 3s: touches 1 card, not playable now" == reason(batch, "rank", 2, 1)
    batch.step([move_id(MINI, "rank", 1, 1)])
    # Seat 1 knows that its R2 R2 are twos, and no two is playable; it tells seat 0 that all its cards are red.
    assert "Hints red: touches 3 cards, 3 of them playable now" == reason(batch, "colour", 0, 1)
    assert "Plays slot 0: P(playable) = 0" == reason(batch, "play", 0)
    batch.step([move_id(MINI, "colour", 0, 1)])
    assert "Plays slot 2: P(playable) = 1" == reason(batch, "play", 2)  # red cards left to it: R1 R1 R1


def test_hints_name_whom_they_go_to_where_there_is_a_choice():
    batch = HanabiBatch("full-3p", 1, seed=2)
    rank = int(batch.states["hands"][0, 2, 0]) % 5
    said = reason(batch, "rank", rank, 2)
    assert said.startswith(f"Hints {rank + 1}s to seat 2: touches ")
    named = reason(batch, "rank", rank, 2, names=["Alice", "Bob", "Cathy"])
    assert said.replace("seat 2", "Cathy") == named


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([("play slot 0", 1.0)], "; it is the only legal move"),
        ([("play slot 0", 1.0), ("hint 1s", 0.79)], "; next best: hint 1s, 0.21 lower"),
        ([("play slot 0", 1.0), ("hint 1s", 0.999)], "; next best: hint 1s, less than 0.01 lower"),
        ([("play slot 0", 1.0), ("hint 1s", 1.0)], "; hint 1s is just as good"),
        ([("play slot 0", 0.5), ("hint 1s", 0.75)], "; best by value: hint 1s, 0.25 higher"),
        ([("play slot 0", None), ("hint 1s", None)], ""),
    ],
)
def test_margin_names_the_next_best(values, expected):
    assert expected == margin(values)


def test_only_certainty_reads_as_zero_or_one():
    assert "= 1" == chance(1.0 - 1e-15)
    assert "> 0.99" == chance(0.9951)
    assert "= 0.99" == chance(0.9949)
    assert "= 0.01" == chance(0.0051)
    assert "< 0.01" == chance(0.0049)
    assert "= 0" == chance(np.float64(0.0))
    assert "0.01" == amount(0.005001)
