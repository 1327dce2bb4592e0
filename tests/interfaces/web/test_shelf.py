import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.interfaces.web.test_table import deal, finish

from offbelief.interfaces.web.shelf import Shelf
from offbelief.nouns import UserError


def test_game_is_found_again(tmp_path):
    table = deal()
    Shelf(tmp_path / "new" / "folder").save(table)
    assert table.as_json() == Shelf(tmp_path / "new" / "folder").load(table.id).as_json()


@pytest.mark.parametrize(
    "id", ["", "..", "../secret", "/etc/passwd", "0" * 15, "0" * 17, "A" * 16, "0" * 15 + "\n", "０" * 16]
)
def test_name_that_is_none_leads_nowhere(tmp_path, id):
    (tmp_path / "secret.json").write_text("{}")
    with pytest.raises(UserError, match="no name of a game"):
        Shelf(tmp_path / "games").load(id)


@given(st.text(max_size=40))
def test_any_name_stays_in_the_folder(id):
    with pytest.raises(UserError):
        Shelf(Path("nowhere")).load(id)


def test_list_shows_what_anybody_may_know(tmp_path):
    shelf = Shelf(tmp_path)
    running, done = deal(seed=123456789), finish(deal(variant="mini", seed=987654321))
    key = running.hand_out_key(0)
    shelf.save(running)
    shelf.save(done)
    listed = {game["id"]: game for game in shelf.newest()}
    assert {running.id, done.id} == set(listed)
    assert None is listed[running.id]["score"]
    assert int(done.positions[-1]["score"][0]) == listed[done.id]["score"]
    shown = json.dumps(shelf.newest())
    assert not any(secret in shown for secret in ("123456789", "deck", key, running.key_hashes[0][0]))


def test_damaged_game_is_left_out_of_the_list_and_explained_when_opened(tmp_path):
    shelf = Shelf(tmp_path)
    table = deal()
    shelf.save(table)
    (tmp_path / f"{table.id}.json").write_text('{"half": ')
    (tmp_path / ("0" * 16 + ".json")).write_text("[]")
    assert [] == shelf.newest()
    with pytest.raises(UserError, match="cannot be read"):
        shelf.load(table.id)


def test_game_under_another_name_is_refused(tmp_path):
    shelf = Shelf(tmp_path)
    table = deal()
    shelf.save(table)
    (tmp_path / f"{table.id}.json").rename(tmp_path / ("a" * 16 + ".json"))
    with pytest.raises(UserError, match="another"):
        shelf.load("a" * 16)
