"""Records, their files and their replays; hanab.live's form has its own tests."""

import dataclasses
import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest
from tests.games.hanabi.recording import play_randomly, sorted_deck

from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.gamefiles import read_games, replay_games, write_games
from offbelief.games.hanabi.moves import move_id
from offbelief.games.hanabi.records import GameRecord, read_hle, write_hle
from offbelief.games.hanabi.replays import replay
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import UserError

MINI = HanabiVariant.parse("mini")  # 3 colours, 3 ranks, hands of 3, 5 hint tokens, 3 lives


def mini_record(*moves: int, **changes: object) -> GameRecord:
    return dataclasses.replace(GameRecord(variant=MINI, deck=sorted_deck(MINI), moves=moves, id="g"), **changes)


PLAY_0, DISCARD_0 = move_id(MINI, "play", 0), move_id(MINI, "discard", 0)
HINT_RED, HINT_YELLOW = move_id(MINI, "colour", 0, 1), move_id(MINI, "colour", 1, 1)
HINT_ONE, HINT_TWO = move_id(MINI, "rank", 0, 1), move_id(MINI, "rank", 1, 1)


def test_replay_of_a_game_worked_out_by_hand_gives_its_score_and_turns():
    # Seat 0 plays R1, seat 1 plays R2: two points. Nothing else happens, so the record is a prefix.
    (result,) = replay([mini_record(PLAY_0, PLAY_0, score=2)])
    assert (result.ok, result.score, result.turns, result.error) == (True, 2, 2, None)


@pytest.mark.parametrize(
    ("moves", "turn", "reason"),
    [
        ((DISCARD_0,), 1, "all 5 hint tokens"),  # discard at full tokens
        ((PLAY_0, PLAY_0, HINT_TWO, HINT_TWO), 4, "touches no card"),  # seat 0 holds R1 R1 Y1
        ((HINT_RED, HINT_YELLOW), 2, "touches no card"),
        ((HINT_RED,) * 6, 6, "no token|none left"),  # six hints from five tokens
        ((PLAY_0, 99), 2, "does not exist"),
        ((PLAY_0, -1), 2, "does not exist"),
        ((PLAY_0, 10**30), 2, "does not exist"),
    ],
)
def test_illegal_moves_are_named_by_their_turn(moves, turn, reason):
    (result,) = replay([mini_record(*moves, score=0)])
    assert not result.ok
    assert turn - 1 == result.turns
    assert result.error.startswith(f"turn {turn}: ")
    assert any(part in result.error for part in reason.split("|"))


def test_a_move_after_the_end_is_an_error_at_its_turn():
    # Three strikes: nobody can play rank 2 or a second 1. Seat 0: R1 scores, seat 1: R3 (slot 2) strikes, and so on.
    strike = move_id(MINI, "play", 2)
    whole = mini_record(PLAY_0, strike, PLAY_0, strike, PLAY_0, score=0)
    # Turn 1 R1 scores; turn 2 R3 strikes; turn 3 R1 strikes; turn 4 seat 1 plays slot 2 (Y1), which scores; turn 5 R1.
    (result,) = replay([whole])
    assert (result.ok, result.turns, result.score) == (True, 5, 0)
    (result,) = replay([dataclasses.replace(whole, moves=(*whole.moves, HINT_RED))])
    assert (result.turns, result.error) == (5, "turn 6: the game was over before it, because the last life was lost")


def test_a_wrong_score_is_an_error_and_a_missing_one_is_not():
    (result,) = replay([mini_record(PLAY_0, PLAY_0, score=3)])
    assert result.error == "the game replays to a score of 2, the record says 3"
    assert replay([mini_record(PLAY_0, PLAY_0)])[0].ok


@pytest.mark.parametrize(
    ("score", "exact", "ok"), [(0, True, True), (2, True, False), (0, False, True), (2, False, True)]
)
def test_a_lost_game_may_be_recorded_with_its_cards_played_unless_the_file_says_how_it_scores(score, exact, ok):
    strike = move_id(MINI, "play", 2)
    record = mini_record(PLAY_0, strike, PLAY_0, strike, PLAY_0, score=score, is_score_exact=exact)  # R1 and Y1 scored
    assert ok == replay([record])[0].ok
    assert not replay([dataclasses.replace(record, score=1)])[0].ok


def test_a_bad_deck_is_an_error_and_the_next_game_is_replayed_nonetheless():
    deck = sorted_deck(MINI)
    bad = mini_record(PLAY_0, deck=(1, *deck[1:]), score=1)
    short = mini_record(PLAY_0, deck=deck[:-1], score=1)
    strange = mini_record(PLAY_0, deck=(9, *deck[1:]), score=1)
    good = mini_record(PLAY_0, score=1)
    results = replay([bad, short, strange, good])
    assert [result.ok for result in results] == [False, False, False, True]
    assert results[0].error == "the deck holds R1 2 times, where mini has it 3 times"
    assert results[1].error == "the deck holds G3 0 times, where mini has it 1 times"
    assert "kind 9" in results[2].error
    assert [result.score for result in results] == [None, None, None, 1]


def test_games_of_several_variants_keep_their_order():
    records = play_randomly("mini", 4) + play_randomly("full-3p+random-start", 4) + play_randomly("mini", 4, seed=2)
    mixed = [records[index] for index in np.random.default_rng(0).permutation(12)]
    results = replay(mixed)
    assert [record.score for record in mixed] == [result.score for result in results]
    assert [len(record.moves) for record in mixed] == [result.turns for result in results]
    assert all(result.ok for result in results)


def test_a_batch_game_becomes_a_record_and_a_batch_again():
    for record in play_randomly("full-2p+random-start", 5):
        batch = record.to_batch()
        again = GameRecord.from_batch(batch, 0, record.moves, id=record.id)
        assert record == again
        assert record.score == batch.scores[0]


def test_a_record_must_be_given_all_moves():
    batch = HanabiBatch("mini", 1)
    with pytest.raises(UserError, match="0 turns but 1 moves"):
        GameRecord.from_batch(batch, 0, [3])


def test_a_record_refuses_seats_that_are_not_there():
    with pytest.raises(UserError, match="start_seat is 2"):
        mini_record(start_seat=2)
    with pytest.raises(UserError, match="3 names"):
        mini_record(names=("a", "b", "c"))


def test_hle_objects_round_trip():
    for record in play_randomly("3p-2c-3r-h3-i5-l3+random-start+cards-played", 5):
        named = dataclasses.replace(record, names=("Ann", "Bo", "Cy"))
        assert named == read_hle(json.loads(json.dumps(write_hle(named))))
    assert mini_record(PLAY_0) == read_hle(write_hle(mini_record(PLAY_0)))  # without names and score


def test_hle_objects_are_read_in_every_dialect():
    variant = HanabiVariant()
    deck = sorted_deck(variant)
    letters = {"i": 7, "deck": [f"{'RYGWB'[kind // 5]}{kind % 5 + 1}" for kind in deck], "actions": [5], "score": 1}
    numbers = {
        "n": 2,
        "deck": [[kind // 5, kind % 5] for kind in deck],
        "actions": [5],
        "score": 1,
        "hle_score": 0,
        "seat_types": ["human", "bot"],
    }
    first, second = read_hle(letters), read_hle(numbers, line=12)
    assert (deck, deck) == (first.deck, second.deck)
    assert (first.id, second.id) == (7, 12)
    assert (first.score, second.score) == (1, 0)
    assert (first.is_score_exact, second.is_score_exact) == (False, True)
    assert second.names == ("human", "bot")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"deck": "R1"}, "'deck' is missing or no list"),
        ({"deck": ["R6"]}, "'R6' is no card"),
        ({"deck": ["X1"]}, "'X1' is no card"),
        ({"deck": [[0, 5]]}, "is no card"),
        ({"deck": [[0, -1]]}, "is no card"),
        ({"deck": [["R", 1]]}, "no whole number"),
        ({"deck": [7]}, "7 is no card"),
        ({"actions": ["play"]}, "a move is 'play'"),
        ({"actions": [True]}, "a move is True"),
        ({"actions": [1.0]}, "a move is 1.0"),
        ({"n": 9}, "players is 9"),
        ({"n": "2"}, "number of players"),
        ({"variant": 3}, "'variant' is 3"),
        ({"variant": "chess"}, "Unknown Hanabi variant"),
        ({"id": [1]}, "'id' is"),
        ({"score": "high"}, "'score' is 'high'"),
        ({"names": "Ann"}, "list of strings"),
        ({"names": ["Ann"]}, "1 names"),
        ({"start_seat": 2}, "start_seat is 2"),
    ],
)
def test_hle_objects_of_another_shape_are_refused_with_a_sentence(change, message):
    with pytest.raises(UserError, match=message):
        read_hle({"deck": [], "actions": [], **change})


@pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz"])
def test_files_round_trip(tmp_path, name):
    records = play_randomly("full-4p", 6)
    write_games(tmp_path / name, records)
    assert (name.endswith(".gz")) == (tmp_path / name).read_bytes().startswith(b"\x1f\x8b")
    assert records == read_games(tmp_path / name)
    content = (tmp_path / name).read_bytes()
    write_games(tmp_path / name, records)
    assert content == (tmp_path / name).read_bytes()


def test_names_may_hold_any_character(tmp_path):
    record = dataclasses.replace(play_randomly("mini", 1)[0], names=("line\u2028separator", "Zoë\n"))
    text = json.dumps(write_hle(record), ensure_ascii=False)
    (tmp_path / "games.jsonl").write_text(f"\ufeff{text}\r\n\n{text}", encoding="utf-8")
    assert [record, record] == read_games(tmp_path / "games.jsonl")


def good_lines(count: int) -> bytes:
    return b"".join(json.dumps(write_hle(record)).encode() + b"\n" for record in play_randomly("mini", count))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no games"),
        (b" \n\n", "holds no games"),
        (b"hello", "line 1: this is no JSON"),
        (b"hello\nworld", "is no JSON file"),
        (b"[" * 100_000, "no JSON"),
        (b"\xff\xfe\x00", "is no text"),
        (b"3", "line 1: this is no recorded game"),
        (b"[]", "line 1: this is no recorded game"),
        (b'{"players": 2}', "line 1: this is no recorded game"),
        (b'{"steps": []}', "'cfg' is missing"),
        (good_lines(2) + b'{"deck": [], "act', "line 3: this is no JSON .* cut off"),
        (good_lines(2) + b'{"deck": []}', "line 3: this is no recorded game"),
        (good_lines(2) + b'\n{"deck": 1, "actions": []}', "line 4: 'deck' is missing"),
        (gzip.compress(good_lines(2), mtime=0)[:-20], "damaged or was cut off"),
        (gzip.compress(good_lines(2), mtime=0)[:12], "damaged or was cut off"),
        (gzip.compress(good_lines(2), mtime=0)[:-4] + b"1234", "damaged or was cut off"),
        (gzip.compress(good_lines(2), mtime=0) + b"garbage", "damaged or was cut off"),
    ],
)
def test_files_that_cannot_be_read_to_their_end_are_refused_with_one_sentence(tmp_path, content, message):
    path = tmp_path / "games.jsonl"
    path.write_bytes(content)
    with pytest.raises(UserError, match=message) as caught:
        read_games(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_only_claims_to_be_compressed_is_refused(tmp_path):
    (tmp_path / "games.jsonl.gz").write_bytes(good_lines(1))
    with pytest.raises(UserError, match="does not decompress"):
        read_games(tmp_path / "games.jsonl.gz")


def test_missing_files_and_folders_are_refused(tmp_path):
    with pytest.raises(UserError, match="No such file"):
        read_games(tmp_path / "nothing")
    with pytest.raises(UserError, match="Is a directory"):
        read_games(tmp_path)


# ---------------------------------------------------------------------------------------------------------------------
# Recorded data
# ---------------------------------------------------------------------------------------------------------------------

DATA = os.environ.get("OFFBELIEF_DATA")
needs_data = pytest.mark.skipif(DATA is None, reason="set OFFBELIEF_DATA to the folder of recorded games")


@needs_data
@pytest.mark.parametrize(
    ("name", "games"),
    [
        ("obl1_games_0000_0499.jsonl.gz", 500),
        ("human_2p_hanabidata_dev.hle.jsonl.gz", 1129),
        ("human_3p_ah2ac2_dev.hle.jsonl.gz", 62),
        ("hle_full_2p_dev.jsonl.gz", 8),
        ("hle_full_3p_dev.jsonl.gz", 5),
        ("hle_mini_3c3r_2p_dev.jsonl.gz", 4),
        ("hle_small_2p_dev.jsonl.gz", 4),
    ],
)
def test_recorded_games_replay_to_their_scores(name, games):
    results = replay_games(read_games(Path(DATA) / name))
    assert games == len(results)
    assert [(result.id, result.error) for result in results if not result.ok] == []
