"""hanab.live's JSON and URL."""

import dataclasses
import json
import os
from pathlib import Path

import pytest
from tests.games.hanabi.recording import play_randomly, sorted_deck

from offbelief.games.hanabi import hanablive
from offbelief.games.hanabi.gamefiles import read_games, replay_games
from offbelief.games.hanabi.moves import move_id
from offbelief.games.hanabi.records import GameRecord
from offbelief.games.hanabi.replays import replay
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import UserError

FULL = HanabiVariant()  # sorted deck: seat 0 holds R1 R1 R1 R2 R2 (cards 0-4), seat 1 R3 R3 R4 R4 R5 (5-9), Y1 is next


def live_game(*actions: tuple[int, ...], **changes: object) -> dict[str, object]:
    """A hanab.live object on the sorted deck; an action is (type, target) or (type, target, value)."""
    return {
        "players": ["Alice", "Bob"],
        "deck": [{"suitIndex": kind // 5, "rank": kind % 5 + 1} for kind in sorted_deck(FULL)],
        "actions": [dict(zip(("type", "target", "value"), action, strict=False)) for action in actions],
        **changes,
    }


def test_actions_become_the_moves_worked_out_by_hand():
    # Alice plays card 0 (slot 0), draws card 10; Bob tells Alice about red; Alice discards card 10, now her newest;
    # Bob tells Alice about rank 2.
    record = hanablive.read_json(live_game((0, 0), (2, 0, 0), (1, 10, 0), (3, 0, 2), id=5))
    expected = (
        move_id(FULL, "play", 0),
        move_id(FULL, "colour", 0, 1),
        move_id(FULL, "discard", 4),
        move_id(FULL, "rank", 1, 1),
    )
    assert expected == record.moves
    assert record.names == ("Alice", "Bob")
    assert (record.id, record.score, record.unreadable_move) == (5, None, None)
    assert tuple(getattr(replay([record])[0], field) for field in ("ok", "score", "turns")) == (True, 1, 4)


def test_an_end_game_action_ends_the_game_and_nothing_may_follow():
    ended = hanablive.read_json(live_game((0, 0), (4, 1, 4)))
    assert (len(ended.moves), ended.unreadable_move) == (1, None)
    assert replay([ended])[0].ok
    followed = hanablive.read_json(live_game((0, 0), (4, 1, 4), (2, 0, 0)))
    assert replay([followed])[0].error == "turn 2: the game was ended before it by an action of type 4"


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ((0, 0), "card number 0 of the deck is not in the hand of player 1"),  # already played
        ((0, 1), "is not in the hand of player 1"),  # Alice's
        ((1, 11), "is not in the hand"),  # not drawn yet
        ((0, -1), "is not in the hand"),
        ((2, 1, 0), "player 1 cannot give a clue to player 1"),
        ((2, 2, 0), "cannot give a clue to player 2"),
        ((2, 0, 5), "the value of the clue is 5, where it should be from 0 to 4"),
        ((3, 0, 0), "the value of the clue is 0, where it should be from 1 to 5"),
        ((3, 0), "the value of the clue is None"),
        ((5, 0), "there is no action of type 5"),
    ],
)
def test_actions_that_are_no_moves_are_reported_at_their_turn(action, reason):
    (result,) = replay([hanablive.read_json(live_game((0, 0), action, (0, 1)))])
    assert (result.ok, result.turns) == (False, 1)
    assert result.error.startswith("turn 2: ")
    assert reason in result.error


def test_the_first_error_is_the_one_reported():
    # Alice discards at full tokens (turn 1), and what Bob does then is no move at all.
    (result,) = replay([hanablive.read_json(live_game((1, 0), (0, 0)))])
    assert result.error.startswith("turn 1: ")
    # Three strikes end the game, so what follows is a move after the end, whatever it is.
    (result,) = replay([hanablive.read_json(live_game((0, 3), (0, 5), (0, 4), (9, 9)))])
    assert result.error == "turn 4: the game was over before it, because the last life was lost"


def test_a_bad_deck_is_left_to_the_replay():
    (result,) = replay([hanablive.read_json(live_game((0, 0), deck=live_game()["deck"][:-1]))])
    assert result.error == "the deck holds B5 0 times, where full-2p has it 1 times"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"options": {"variant": "Rainbow (6 Suits)"}}, "'Rainbow \\(6 Suits\\)' is not plain Hanabi"),
        ({"options": {"variant": "6 Suits"}}, "is not plain Hanabi"),
        ({"options": {"variant": 0}}, "is not plain Hanabi"),
        ({"options": {"oneLessCard": True}}, "'oneLessCard', which changes the rules"),
        ({"options": [1]}, "'options' must be an object"),
        ({"options": {"startingPlayer": 2}}, "'startingPlayer' is 2"),
        ({"players": ["Alice", 2]}, "list of names"),
        ({"players": ["Alice"]}, "players is 1"),
        ({"deck": [3]}, "3 in 'deck' is no card"),
        ({"deck": [{"suitIndex": 5, "rank": 1}]}, "suitIndex 5 with rank 1"),
        ({"deck": [{"suitIndex": 0, "rank": 0}]}, "suitIndex 0 with rank 0"),
        ({"deck": [{"rank": 1}]}, "a suitIndex is None"),
        ({"actions": [3]}, "3 in 'actions' is no action"),
        ({"actions": [{"type": 0}]}, "the target of an action is None"),
        ({"actions": [{"type": "0", "target": 1}]}, "the type of an action is '0'"),
        ({"actions": None}, "'actions' is missing"),
    ],
)
def test_what_is_not_plain_hanabi_is_refused_with_a_sentence(change, message):
    with pytest.raises(UserError, match=message):
        hanablive.read_json(live_game(**change))


def test_harmless_options_are_accepted():
    options = {"variant": "No Variant", "deckPlays": True, "timed": True, "oneLessCard": False}
    assert len(hanablive.read_json(live_game(options=options)).moves) == 0
    assert len(hanablive.read_json(live_game(options=None)).moves) == 0


def test_an_old_game_may_name_its_starting_player():
    record = hanablive.read_json(live_game((0, 5), (0, 0), options={"startingPlayer": 1}))  # Bob plays his oldest
    assert (record.start_seat, record.moves) == (1, (5, 5))


@pytest.mark.parametrize(
    "variant", ["full-2p", "full-3p", "full-4p", "full-5p", "2p-3c-5r-h5-i8-l3", "4p-4c-5r-h4-i8-l3"]
)
def test_json_and_url_round_trip(variant):
    for record in play_randomly(variant, 5):
        named = dataclasses.replace(record, names=tuple(["Ann", "Bo", "Cy", "Di", "Ed"][: record.variant.players]))
        assert named == hanablive.read_json(json.loads(json.dumps(hanablive.write_json(named))))
        bare = dataclasses.replace(record, score=None, id="")
        assert bare == hanablive.read_url(hanablive.write_url(record))


def test_a_game_that_another_seat_began_is_written_with_the_seats_turned():
    records = play_randomly("full-3p+random-start", 12)
    assert {0, 1, 2} == {record.start_seat for record in records}
    for record in records:
        names = ("Ann", "Bo", "Cy")
        turned = hanablive.read_json(hanablive.write_json(dataclasses.replace(record, names=names)))
        assert (0, names[record.start_seat]) == (turned.start_seat, turned.names[0])
        assert record.moves == turned.moves
        before, after = record.to_batch().states[0], turned.to_batch().states[0]
        for seat in range(3):
            assert before["hands"][(seat + record.start_seat) % 3].tolist() == after["hands"][seat].tolist()
        assert (True, record.score) == (replay([turned])[0].ok, replay([turned])[0].score)


def test_a_url_is_read_with_all_that_hanab_live_adds_to_it():
    deck = "".join("abcdefghijklmnopqrstuvwxyz"[kind] for kind in sorted_deck(FULL))
    # Some writers give plays and discards the value 0, so that a play is (0 + 1) * 4 + 0 = 4, "e", in place of "a".
    url = f"https://hanab.live/shared-replay-json/215{deck},03ea-gafkpa-,0,p2v0s1#4"
    expected = hanablive.read_json(live_game((0, 0), (2, 0, 0), (1, 10), (3, 0, 2))).moves
    record = hanablive.read_url(url)
    assert (FULL, sorted_deck(FULL), expected) == (record.variant, record.deck, record.moves)


def test_a_url_is_written_as_worked_out_by_hand():
    record = hanablive.read_json(live_game((0, 0), (2, 0, 0), (1, 10), (3, 0, 2)))
    url = hanablive.write_url(record)
    assert url.startswith("https://hanab.live/replay-json/215aaabbccddefffgghh-")
    text = url.rpartition("/")[2]
    assert {20} == {len(part) for part in text.split("-")[:-1]}
    # Types 0 to 3: play card 0 "aa"; colour 0 to player 0: (0 + 1) * 4 + 2 = 6 "ga"; discard card 10: 1 "bk"; rank 2 to
    # player 0: (2 + 1) * 4 + 3 = 15 "pa".
    assert text.replace("-", "").split(",")[1:] == ["03aagabkpa", "0"]
    assert record.moves == hanablive.read_url(text).moves
    empty = GameRecord(variant=FULL, deck=sorted_deck(FULL), moves=())
    assert hanablive.write_url(empty).endswith(",00,0")
    assert empty == hanablive.read_url(hanablive.write_url(empty) + ",seed#3")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("https://hanab.live/replay/123", "is no hanab.live replay"),
        ("", "is no hanab.live replay"),
        ("215abc,03a,0", "is no hanab.live replay"),
        ("x15abc,03,0", "'x' in place of a digit"),
        ("215ab!,03,0", "'!' stands for nothing"),
        ("251abc,03,0", "lowest rank"),
        ("215abc,30,0", "lowest rank"),
        ("215abc,03,16", "variant number 16 is not plain Hanabi"),
        ("215abc,03,x", "variant number x is not plain"),
        ("215Z,03,0", "is no card"),
        ("915abc,03,0", "players is 9"),
    ],
)
def test_texts_that_are_no_replay_are_refused_with_a_sentence(url, message):
    with pytest.raises(UserError, match=message):
        hanablive.read_url(url)


@pytest.mark.parametrize("variant", ["mini", "small", "full-2p", "5p-2c-5r-h4-i8-l3", "full-4p"])
def test_only_what_hanab_live_plays_is_written(variant):
    (record,) = play_randomly(variant, 1)
    if variant.startswith("full"):
        assert hanablive.write_json(record)
    else:
        with pytest.raises(UserError, match="does not play"):
            hanablive.write_json(record)
        with pytest.raises(UserError, match="does not play"):
            hanablive.write_url(record)


def test_a_record_with_an_impossible_move_is_not_written():
    with pytest.raises(UserError, match="Move 77 does not exist"):
        hanablive.write_json(GameRecord(variant=FULL, deck=sorted_deck(FULL), moves=(77,)))
    short = GameRecord(variant=FULL, deck=sorted_deck(FULL)[:10], moves=(5, 5, 9))  # seat 0 has four cards left
    with pytest.raises(UserError, match="turn 3: 'play slot 4' needs a card"):
        hanablive.write_json(short)


# ---------------------------------------------------------------------------------------------------------------------
# Recorded data
# ---------------------------------------------------------------------------------------------------------------------

DATA = os.environ.get("OFFBELIEF_DATA")
needs_data = pytest.mark.skipif(DATA is None, reason="set OFFBELIEF_DATA to the folder of recorded games")


@needs_data
@pytest.mark.parametrize(
    ("name", "games"),
    [
        ("human_2p_hanabidata_dev.hanablive.jsonl.gz", 1129),
        ("human_3p_ah2ac2_dev.hanablive.jsonl.gz", 62),
        ("hanablive_example_3p.json", 1),
    ],
)
def test_recorded_games_replay_to_their_scores(name, games):
    results = replay_games(read_games(Path(DATA) / name))
    assert games == len(results)
    assert [(result.id, result.error) for result in results if not result.ok] == []


@needs_data
@pytest.mark.parametrize("name", ["human_2p_hanabidata_dev", "human_3p_ah2ac2_dev"])
def test_both_forms_of_the_same_games_are_the_same_records(name):
    hle = read_games(Path(DATA) / f"{name}.hle.jsonl.gz")
    live = read_games(Path(DATA) / f"{name}.hanablive.jsonl.gz")
    for ours, theirs in zip(hle, live, strict=True):
        assert (ours.id, ours.deck, ours.moves) == (theirs.id, theirs.deck, theirs.moves)
        written = hanablive.write_json(ours)
        assert theirs.moves == hanablive.read_json(written).moves
        assert theirs.moves == hanablive.read_url(hanablive.write_url(ours)).moves
