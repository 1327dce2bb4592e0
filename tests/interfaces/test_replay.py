"""`obl replay`: what it prints, and how it ends."""

import copy
import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest
from tests.games.hanabi.recording import play_randomly

from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.gamefiles import write_games
from offbelief.games.hanabi.hanablive import write_json
from offbelief.games.hanabi.records import GameRecord, write_hle
from offbelief.games.hanabi.vectors import read_vectors, replay_vectors
from offbelief.games.hanabi.views.bits import to_hex
from offbelief.games.hanabi.views.canonical import observe_canonical
from offbelief.interfaces.cli import main

FULL_2P_DISCARD_0 = 0


def run_json(capsys, *words) -> tuple[int, list[dict]]:
    code = main(["replay", *map(str, words), "--json"])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def records() -> list[GameRecord]:
    return play_randomly("full-2p", 4)


def write_lines(path: Path, objects: list) -> Path:
    path.write_text("".join(json.dumps(data) + "\n" for data in objects))
    return path


def test_good_games_print_a_line_each_and_end_with_0(tmp_path, capsys, records):
    write_games(tmp_path / "games.jsonl.gz", records)
    assert main(["replay", str(tmp_path / "games.jsonl.gz")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [f"game {record.id}: ok, score {record.score} in {len(record.moves)} turns" for record in records] == lines


def test_json_has_one_object_per_game_with_the_agreed_keys(tmp_path, capsys, records):
    write_games(tmp_path / "games.jsonl", records)
    code, results = run_json(capsys, tmp_path / "games.jsonl")
    expected = [
        {"id": record.id, "score": record.score, "turns": len(record.moves), "ok": True, "error": None}
        for record in records
    ]
    assert (0, expected) == (code, results)


def test_a_wrong_game_is_named_with_its_turn_and_the_next_is_replayed(tmp_path, capsys, records):
    objects = [write_hle(record) for record in records]
    objects[1]["actions"] = [FULL_2P_DISCARD_0, *objects[1]["actions"]]  # a discard at full tokens
    objects[2]["score"] += 1
    path = write_lines(tmp_path / "games.jsonl", objects)
    code, results = run_json(capsys, path)
    assert (code, [result["ok"] for result in results]) == (1, [True, False, False, True])
    assert (results[1]["turns"], results[1]["score"]) == (0, 0)
    assert results[1]["error"].startswith("game 1: turn 1: ")
    assert f"the record says {objects[2]['score']}" in results[2]["error"]
    assert main(["replay", str(path)]) == 1
    assert capsys.readouterr().out.splitlines()[1].startswith("game 1: WRONG, turn 1: 'discard slot 0' is not allowed")


def test_several_files_of_several_formats_are_told_apart(tmp_path, capsys, records):
    write_games(tmp_path / "hle.jsonl", records[:1])
    single = tmp_path / "live.json"
    single.write_text(json.dumps(write_json(records[1]), indent=2))
    many = write_lines(tmp_path / "live.jsonl", [write_json(record) for record in records[2:]])
    assert main(["replay", str(tmp_path / "hle.jsonl"), str(single), str(many)]) == 0
    lines = capsys.readouterr().out.splitlines()
    starts = [f"{tmp_path / 'hle.jsonl'}: game 0", f"{single}: game 1", f"{many}: game 2", f"{many}: game 3"]
    assert starts == [line.partition(": ok")[0] for line in lines]


@pytest.mark.parametrize(
    "content", [b"no json", b"", b'{"deck": [1], "actions": []}', gzip.compress(b"{}" * 100, mtime=0)[:-9], b'{"a": 1}']
)
def test_a_file_that_cannot_be_read_is_one_sentence_and_nothing_is_replayed(tmp_path, capsys, records, content):
    write_games(tmp_path / "good.jsonl", records)
    (tmp_path / "bad.jsonl").write_bytes(content)
    assert main(["replay", str(tmp_path / "good.jsonl"), str(tmp_path / "bad.jsonl")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert (captured.err.count("\n"), "bad.jsonl" in captured.err) == (1, True)


def test_a_variant_that_is_not_plain_is_refused(tmp_path, capsys, records):
    data = {**write_json(records[0]), "options": {"variant": "Rainbow (5 Suits)"}}
    assert main(["replay", str(write_lines(tmp_path / "rainbow.json", [data]))]) == 2
    assert "'Rainbow (5 Suits)' is not plain Hanabi" in capsys.readouterr().err


def test_no_file_at_all_is_one_sentence(capsys):
    assert main(["replay"]) == 2
    assert "name at least one file" in capsys.readouterr().err


# ---------------------------------------------------------------------------------------------------------------------
# Step vectors
# ---------------------------------------------------------------------------------------------------------------------


def step_vectors(record: GameRecord) -> dict:
    """Write a game as HLE would have shown it; true because the engine and the encoder are judged elsewhere."""
    variant = record.variant
    batch = HanabiBatch.from_decks(variant, [record.deck], start_seats=[record.start_seat])
    deals = {int(card): seat for seat, card in _held(batch)}
    steps = []
    for move in record.moves:
        game = batch.states[0]
        steps.append(
            {
                "p": int(game["acting_seat"]),
                "legal": np.flatnonzero(batch.legal_moves()[0]).tolist(),
                "deck": variant.deck_size - int(game["cards_drawn"]),
                **_table(batch),
                "enc": [to_hex(observe_canonical(batch.states, variant, seat)[0]) for seat in range(variant.players)],
                "a": move,
            }
        )
        batch.step([move])
        deals.update({int(card): seat for seat, card in _held(batch)})
    settings = {
        "players": variant.players,
        "colors": variant.colours,
        "ranks": variant.ranks,
        "hand_size": variant.hand_size,
        "max_information_tokens": variant.hint_tokens,
        "max_life_tokens": variant.lives,
    }
    cards = [[deals[index], *divmod(record.deck[index], variant.ranks)] for index in range(len(deals))]
    return {"cfg": settings, "deals": cards, "steps": steps, "end": _table(batch)}


def _held(batch: HanabiBatch) -> list[tuple[int, int]]:
    game = batch.states[0]
    return [(seat, card) for seat in range(5) for card in game["deal_indices"][seat, : game["hand_sizes"][seat]]]


def _table(batch: HanabiBatch) -> dict:
    game = batch.states[0]
    return {
        "life": int(game["lives"]),
        "info": int(game["hint_tokens"]),
        "fw": game["fireworks"][: batch.variant.colours].tolist(),
        "score": int(game["score"]),
    }


def flip_bit(data: dict) -> None:
    text = data["steps"][2]["enc"][1]
    data["steps"][2]["enc"][1] = f"{text[:3]}{int(text[3], 16) ^ 1:x}{text[4:]}"  # bits 12 to 15 are in the digit 3


@pytest.mark.parametrize("variant", ["full-2p", "mini", "full-3p"])
def test_step_vectors_that_agree_are_ok(tmp_path, capsys, variant):
    (record,) = play_randomly(variant, 1)
    path = tmp_path / "vectors.jsonl"
    write_lines(path, [step_vectors(record)])
    code, (result,) = run_json(capsys, path)
    assert (0, True, record.score, len(record.moves)) == (code, result["ok"], result["score"], result["turns"])
    assert result["id"] == 1  # the line, for want of a name


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        (lambda data: data["steps"][2]["legal"].pop(), "turn 3: the legal moves are"),
        (lambda data: data["steps"][2].update(info=9), "turn 3: 'info' is"),
        (lambda data: data["steps"][2].update(life=9), "turn 3: 'life' is"),
        (lambda data: data["steps"][2].update(deck=9), "turn 3: 'deck' is"),
        (lambda data: data["steps"][2].update(score=9), "turn 3: 'score' is"),
        (lambda data: data["steps"][2]["fw"].reverse() or data["steps"][2]["fw"].pop(), "turn 3: 'fw' is"),
        (lambda data: data["steps"][2].update(p=1), "turn 3: 'p' is"),
        (lambda data: data["steps"][0].update(p=7), "turn 1: 'p' is"),
        (flip_bit, "turn 3: bit 15 of what seat 1 sees is"),
        (lambda data: data["steps"][2]["enc"].pop(), "turn 3: the file has observations of 1 seats"),
        (lambda data: data["steps"][2]["enc"].__setitem__(0, "xyz"), "turn 3: the observation of seat 0"),
        (lambda data: data["steps"][2].update(a=99), "turn 3: move 99 does not exist"),
        (lambda data: data["deals"][3].__setitem__(0, 1), "turn 1: seat 0 holds card number 3"),
        (lambda data: data.update(deals=data["deals"][:9]), "turn 1: 10 cards have been drawn, the file deals 9"),
        (lambda data: data.update(deals=data["deals"][:1] * 9), "the deals do not fit a deck"),
        (lambda data: data["end"].update(score=24), "at the end 'score' is"),
        (lambda data: data["end"].update(fw=[0]), "at the end 'fw' is"),
    ],
)
def test_step_vectors_that_differ_are_named_by_turn_and_field(spoil, error):
    data = step_vectors(play_randomly("full-2p", 1)[0])
    spoiled = copy.deepcopy(data)
    spoil(spoiled)
    assert replay_vectors(read_vectors(data)).ok
    assert (replay_vectors(read_vectors(spoiled)).error or "").startswith(error)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cfg": {}}, "'players' in 'cfg' is None"),
        ({"cfg": 1}, "'cfg' is missing"),
        ({"deals": [1]}, "1 in 'deals' is no deal"),
        ({"deals": [[0, 9, 9]]}, "is no card"),
        ({"steps": [3]}, "3 in 'steps' is no object"),
        ({"steps": [{"p": 0}]}, "'life' in 'steps' is None"),
        ({"end": {"score": 1}}, "in 'end' is None"),
    ],
)
def test_step_vectors_of_another_shape_end_with_2(tmp_path, capsys, change, message):
    data = {**step_vectors(play_randomly("mini", 1)[0]), **change}
    assert main(["replay", str(write_lines(tmp_path / "vectors.jsonl", [data]))]) == 2
    assert message in capsys.readouterr().err


# ---------------------------------------------------------------------------------------------------------------------
# Recorded data
# ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif("OFFBELIEF_DATA" not in os.environ, reason="set OFFBELIEF_DATA to the folder of recorded games")
def test_every_recorded_file_ends_with_0(capsys):
    folder = Path(os.environ["OFFBELIEF_DATA"])
    files = [*sorted(folder.glob("*.jsonl.gz")), folder / "hanablive_example_3p.json"]
    code, results = run_json(capsys, *files)
    assert (code, [result for result in results if not result["ok"]]) == (0, [])
    assert len(results) == 500 + 2 * 1129 + 2 * 62 + 21 + 1
