"""Tables in the terminal: with colours, without, and as JSON."""

import json
import re

import numpy as np
import pytest
from tests.games.hanabi.recording import sorted_deck

from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.moves import move_id
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.interfaces.terminal.picture import draw_table, new_console, table_as_json

MINI = HanabiVariant.parse("mini")
NAMES = ("Alice", "Bob")


def played(*moves: tuple[str, int, int]) -> np.void:
    batch = HanabiBatch.from_decks(MINI, [sorted_deck(MINI)])
    for type, value, offset in moves:
        batch.step([move_id(MINI, type, value, offset)])
    return batch.states[0]


LOST_R3 = (("play", 0, 0), ("play", 2, 0), ("colour", 0, 1), ("discard", 0, 0))


def drawn(capsys, game, **options) -> str:
    draw_table(new_console(), game, MINI, NAMES, **options)
    return capsys.readouterr().out


def test_table_counts_along_what_discards_cost(capsys):
    assert "Best possible" not in drawn(capsys, played())
    assert "Last copies" not in drawn(capsys, played())
    # R1 scores, R3 is lost by a strike, R2 is discarded: red ends at R2, of which one copy is left.
    assert "\nBest possible 8   Last copies R2\n" in drawn(capsys, played(*LOST_R3))


def test_own_cards_are_hidden_from_their_seat(capsys):
    shown = drawn(capsys, played(), seat=0)
    assert "> Alice  0 ??     1 ??     2 ??\n" in shown
    assert "  Bob    0 R2     1 R2     2 R3\n" in shown


def test_colours_are_for_terminals_that_want_them(capsys, monkeypatch):
    plain = drawn(capsys, played(*LOST_R3))
    assert "\x1b" not in plain
    assert plain.isascii()
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = drawn(capsys, played(*LOST_R3))
    assert "\x1b[31mR2\x1b[0m" in coloured
    assert plain == re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    monkeypatch.setenv("NO_COLOR", "1")
    assert plain == drawn(capsys, played(*LOST_R3))
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert plain == drawn(capsys, played(*LOST_R3))


def test_lines_are_left_whole_in_narrow_terminals(capsys, monkeypatch):
    wide = drawn(capsys, played())
    monkeypatch.setenv("COLUMNS", "20")
    assert wide == drawn(capsys, played())


def test_json_says_all_that_is_on_the_table():
    table = table_as_json(played(*LOST_R3), MINI)
    expected = {
        "fireworks": {"R": 1, "Y": 0, "G": 0},
        "hint_tokens": 5,
        "lives": 2,
        "deck": 9,
        "discards": ["R2", "R3"],
        "hands": [
            [
                {"card": "R1", "possible": "RYG 123"},
                {"card": "R1", "possible": "RYG 123"},
                {"card": "Y1", "possible": "RYG 123"},
            ],
            [
                {"card": "R2", "possible": "R.. 123"},
                {"card": "Y1", "possible": ".YG 123"},
                {"card": "Y1", "possible": "RYG 123"},
            ],
        ],
    }
    assert expected == json.loads(json.dumps(table))


@pytest.mark.parametrize("variant", ["full-5p", "very-small", "2p-1c-1r-h1-i0-l1"])
def test_any_variant_is_drawn(variant, capsys):
    batch = HanabiBatch(variant, 1, seed=1)
    names = ("Alice", "Bob", "Cathy", "Donald", "Emily")[: batch.variant.players]
    draw_table(new_console(), batch.states[0], batch.variant, names)
    shown = capsys.readouterr().out
    assert all(f" {name} " in shown for name in names)
    assert batch.variant.players == len(table_as_json(batch.states[0], batch.variant)["hands"])
