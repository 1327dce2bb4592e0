import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.interfaces.web.test_table import deal, finish

from offbelief.games.hanabi.hanablive import write_json, write_url
from offbelief.games.hanabi.records import write_hle
from offbelief.interfaces.web.imports import read_game_text
from offbelief.interfaces.web.table import Table
from offbelief.nouns import UserError


@pytest.fixture(scope="module")
def record():
    return finish(deal()).record()


def test_every_form_of_a_game_is_read(record):
    forms = [json.dumps(write_json(record), indent=1), json.dumps(write_hle(record)), write_url(record)]
    assert [record.moves] * 3 == [read_game_text(text).moves for text in forms]
    assert record.moves == read_game_text("\n".join([json.dumps(write_hle(record))] * 2)).moves  # first of a jsonl


def test_imported_game_is_open_and_done(record):
    table = Table.from_record(read_game_text(write_url(record)))
    assert table.is_done
    assert None is table.acting_seat
    assert None is table.describe(None)["seed"]
    assert len(record.moves) == table.turn


def test_long_names_are_cut(record):
    data = {**write_hle(record), "names": ["x" * 5000, "y"], "id": "z" * 5000}
    table = Table.from_record(read_game_text(json.dumps(data)))
    assert ["x" * 40, "y"] == table.describe(None)["seats"]
    assert 40 == len(table.describe(None)["name"])


def test_illegal_game_is_refused_with_its_turn(record):
    data = {**write_hle(record), "actions": [0, *record.moves]}
    with pytest.raises(UserError, match="turn 1"):
        Table.from_record(read_game_text(json.dumps(data)))


@pytest.mark.parametrize(
    "text",
    ["", "  ", "hello", "{}", "[]", "{", '{"players": [], "deck": [], "actions": []}', "https://hanab.live/replay/1"],
)
def test_what_is_no_game_is_refused(text):
    with pytest.raises(UserError):
        read_game_text(text)


@given(st.text())
def test_any_text_is_a_game_or_refused(text):
    with pytest.raises(UserError):
        read_game_text(text)
