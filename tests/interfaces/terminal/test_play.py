"""A person at the terminal: whole games typed line by line, stops, and going on."""

import builtins
import itertools
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from offbelief.games.hanabi.gamefiles import read_games
from offbelief.games.hanabi.moves import COLOUR_NAMES, read_move
from offbelief.games.hanabi.records import GameRecord
from offbelief.games.hanabi.replays import replay
from offbelief.interfaces.cli import main
from offbelief.interfaces.terminal.picture import SEAT_NAMES
from offbelief.interfaces.terminal.play import play_in_terminal
from offbelief.nouns import UserError


@pytest.fixture
def play(monkeypatch, tmp_path) -> Callable[..., int]:
    """Play with a person who types what an iterator says; its end is the end of input."""

    def play_with(lines: Iterator[str], *arguments: object, **options: object) -> int:
        def read(prompt: str) -> str:
            print(prompt, end="")
            for line in lines:
                return line
            raise EOFError

        monkeypatch.setattr(builtins, "input", read)
        return play_in_terminal(*arguments, folder=tmp_path, **options)

    return play_with


def saved(folder: Path) -> list[GameRecord]:
    return [record for path in sorted(folder.glob("*.jsonl")) for record in read_games(path)]


def typist(folder: Path, seed: int) -> Iterator[str]:
    """Types a random legal move of the game as it stands on disk, or of the deal before the first move."""
    generator = np.random.default_rng(seed)
    while True:
        records = saved(folder)
        if not records:
            yield "play 0"
            continue
        batch = records[-1].to_batch()
        legal = batch.legal_moves()[0]
        move = read_move(batch.variant, int(generator.choice(np.flatnonzero(legal))))
        target = SEAT_NAMES[(int(batch.acting_seats[0]) + move.offset) % batch.variant.players]
        if move.type in ("play", "discard"):
            yield f"{move.type} {move.value}"
        else:
            yield f"hint {COLOUR_NAMES[move.value] if move.type == 'colour' else move.value + 1} {target}"


@pytest.mark.parametrize(
    ("agents", "variant", "seat"),
    [
        (["bot:iggi"], "mini", 0),
        (["bot:iggi"], "mini", 1),
        (["bot:iggi", "bot:piers"], "full-3p", 2),
        (["bot:outer"], "full-5p", 0),
        (["bot:iggi"], "small+random-start", 0),
    ],
)
def test_whole_game_is_played_and_recorded(agents, variant, seat, play, tmp_path, capsys):
    assert 0 == play(typist(tmp_path, 1), agents, variant, 3, seat)
    shown = capsys.readouterr().out
    (record,) = saved(tmp_path)
    (result,) = replay([record])
    assert result.ok
    end = record.to_batch()
    assert end.is_over[0]
    assert f"Over after {result.turns} turns with {result.score} points" in shown
    assert ("you", variant) == (record.names[seat], record.variant.name)
    assert f"seed 3: you sit at seat {seat}" in shown


def test_own_cards_stay_hidden_until_the_end(play, tmp_path, capsys):
    play(typist(tmp_path, 2), ["bot:iggi"], "mini", 5, 0)
    shown = capsys.readouterr().out
    running, over, end = shown.partition("Over after")
    assert over
    own = re.findall(r"^. You  (.*)$", running, re.MULTILINE)
    assert len(own) > 3
    assert all(re.fullmatch(r"( *\d \?\? *)+", line) for line in own)
    assert re.search(r"^  You  0 [RYG][123]", end, re.MULTILINE)
    assert "Bob told You which cards" in running
    assert "You played " in running


def test_wrong_lines_are_answered_and_asked_again(play, tmp_path, capsys):
    lines = iter(["foo", "play 9", "discard 0", "hint", "help", "", "play 1"])
    assert 0 == play(lines, ["bot:iggi"], "mini", 1)
    shown = capsys.readouterr().out
    expected = ["Type play", "slots 0 to 2", "cannot discard", "what to hint", "show this list", "Type play"]
    places = [shown.index(sentence) for sentence in expected[:5]]
    assert sorted(places) == places
    assert 2 == shown.count("Type play, discard or hint, like")
    assert [2] == [len(record.moves) for record in saved(tmp_path)]  # ours and the partner's


@pytest.mark.parametrize("ending", [["quit"], ["q"], []])
def test_stop_keeps_the_game_and_says_how_to_go_on(ending, play, tmp_path, capsys):
    assert 0 == play(iter(["play 0", *ending]), ["bot:iggi"], "mini", 8)
    shown = capsys.readouterr().out.splitlines()[-1]
    path = next(tmp_path.glob("*.jsonl"))
    command = f"obl play bot:iggi --terminal --variant mini --seed 8 --games {tmp_path}"
    assert f"The game is saved in {path}. To go on: {command}" == shown


def test_interrupted_game_is_kept(play, tmp_path, capsys):
    def lines() -> Iterator[str]:
        yield "play 0"
        raise KeyboardInterrupt

    assert 130 == play(lines(), ["bot:iggi"], "mini", 8)
    assert "To go on: obl play" in capsys.readouterr().out
    assert 1 == len(saved(tmp_path))


def test_game_goes_on_as_if_it_had_not_stopped(play, tmp_path, capsys):
    variant = "2p-5c-5r-h5-i8-l40"  # no strikes to fear: a long game with many coin flips of the partner
    play(typist(tmp_path, 6), ["bot:flawed"], variant, 4)
    (expected,) = saved(tmp_path)
    next(tmp_path.glob("*.jsonl")).unlink()
    capsys.readouterr()
    lines = typist(tmp_path, 6)
    for count in (1, 3, 100):
        play(itertools.islice(lines, count), ["bot:flawed"], variant, 4)
    assert "it goes on after 8 moves" in capsys.readouterr().out
    assert [expected] == saved(tmp_path)
    assert 10 < len(expected.moves)


def test_finished_game_is_not_overwritten(play, tmp_path):
    play(typist(tmp_path, 1), ["bot:iggi"], "very-small", 2)
    (first,) = saved(tmp_path)
    play(iter(["play 0", "quit"]), ["bot:iggi"], "very-small", 2)
    assert 2 == len(saved(tmp_path))
    assert first in saved(tmp_path)


def test_nothing_played_is_nothing_saved(play, tmp_path, capsys):
    assert 0 == play(iter(["quit"]), ["bot:iggi"], "mini", 1)
    assert "No move was made. This deal again: obl play" in capsys.readouterr().out
    assert [] == list(tmp_path.iterdir())


def test_seed_is_drawn_and_told(play, tmp_path, capsys):
    seeds = set()
    for _ in range(3):
        play(iter([]), ["bot:iggi"], "mini")
        seeds.add(re.search(r"seed (\d+)", capsys.readouterr().out)[1])
    assert 1 < len(seeds)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((["nobody"],), "There is no agent 'nobody'"),
        ((["bot:iggi"], "huge"), "Unknown Hanabi variant"),
        ((["bot:iggi"], "mini", 1, 2), "There is no seat 2; mini has seats 0 to 1."),
        ((["bot:iggi", "bot:piers"], "full-5p"), "4 seats beside yours, but 2 agents were named"),
        ((["obl-1-a"], "mini"), "cannot play mini"),
    ],
)
def test_bad_input_is_one_sentence_before_anything_is_asked(arguments, sentence, play, capsys):
    with pytest.raises(UserError, match=re.escape(sentence)):
        play(iter([]), *arguments)
    assert "" == capsys.readouterr().out


def test_damaged_save_is_one_sentence(play, tmp_path):
    play(iter(["play 0"]), ["bot:iggi"], "mini", 1)
    path = next(tmp_path.glob("*.jsonl"))
    whole = json.loads(path.read_text())
    path.write_text(path.read_text()[:40])
    with pytest.raises(UserError, match=path.name):
        play(iter([]), ["bot:iggi"], "mini", 1)
    path.write_text(json.dumps({**whole, "actions": [0, 0]}))
    with pytest.raises(UserError, match="move it away"):
        play(iter([]), ["bot:iggi"], "mini", 1)


def test_bytes_that_are_no_text_are_a_typing_error(monkeypatch, tmp_path, capsys):
    with (tmp_path / "typed").open("wb") as file:
        file.write(b"play \xff\xfe\n\x00\nplay 0\n")
    with (tmp_path / "typed").open(encoding="utf-8") as typed:
        monkeypatch.setattr(sys, "stdin", typed)
        assert 0 == play_in_terminal(["bot:iggi"], "mini", 1, folder=tmp_path / "games")
    assert "slots 0 to 2" in capsys.readouterr().out
    assert 1 == len(saved(tmp_path / "games"))


def test_play_verb_saves_where_it_is_told(monkeypatch, tmp_path, capsys):
    lines = iter(["play 0", "quit"])
    monkeypatch.setattr(builtins, "input", lambda prompt: next(lines))
    words = ["play", "bot:iggi", "--terminal", "--variant", "mini", "--seed", "3", "--games", str(tmp_path)]
    assert 0 == main(words)
    assert shlex.join(["obl", *words]) in capsys.readouterr().out.replace("\n", " ")
    assert [2] == [len(record.moves) for record in saved(tmp_path)]
