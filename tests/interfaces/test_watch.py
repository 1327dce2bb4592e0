"""`obl watch` as a user calls it."""

import io
import json
import os
import select
import signal
import subprocess
import sys
import time

import pytest

from offbelief.agents.loading import load_agent
from offbelief.evaluation.match import play_team
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.interfaces.cli import main

KEYS = {"turn", "seat", "agent", "move", "label", "reward", "score", "over", "sentence", "table"}


def stream(capsys, *words: str) -> list[dict]:
    assert main(["watch", *words, "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize(("variant", "agents"), [("mini", 1), ("full-2p", 2), ("full-3p", 3), ("full-5p", 1)])
def test_stream_is_the_first_game_that_evaluate_plays(variant, agents, capsys):
    names = ["bot:flawed", "bot:iggi", "bot:piers"][:agents]
    moves = stream(capsys, *names, "--variant", variant, "--seed", "7")
    rules = HanabiVariant.parse(variant)
    seats = names * rules.players if agents == 1 else names
    batch = HanabiBatch(rules, 1, seed=7)
    for number, move in enumerate(moves, start=1):
        assert KEYS == set(move)
        assert (number, int(batch.acting_seats[0])) == (move["turn"], move["seat"])
        assert seats[move["seat"]] == move["agent"]
        assert int(batch.states["hint_tokens"][0]) == move["table"]["hint_tokens"]  # the table before the move
        assert float(batch.step([move["move"]])[0]) == move["reward"]
        assert int(batch.scores[0]) == move["score"]
        assert bool(batch.is_over[0]) == move["over"]
        assert move["sentence"].lower().startswith(move["label"].split()[0])
    assert batch.is_over[0]
    expected = play_team([load_agent(name) for name in seats], rules, 1, 7)
    assert expected.scores[0] == moves[-1]["score"]


def test_coins_are_those_of_evaluate(capsys):
    rules, random = HanabiVariant.parse("mini+cards-played"), load_agent("bot:random")
    expected = [int(play_team([random, random], rules, 1, seed).scores[0]) for seed in range(8)]
    words = ["bot:random", "--variant", rules.name, "--seed"]
    assert expected == [stream(capsys, *words, str(seed))[-1]["score"] for seed in range(8)]
    assert 2 < len(set(expected))


def test_trained_agent_says_what_moves_are_worth(capsys):
    moves = stream(capsys, "obl-1-a", "--seed", "2")
    assert ["obl-1-a"] * len(moves) == [move["agent"] for move in moves]
    assert sum("next best" in move["sentence"] for move in moves) > len(moves) / 2


def test_drawing_shows_every_turn_and_no_colours_in_a_pipe(capsys):
    moves = stream(capsys, "bot:iggi", "--variant", "mini")
    assert main(["watch", "bot:iggi", "--variant", "mini"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("mini, seed 1: Alice is bot:iggi, Bob is bot:iggi.\n")
    for move in moves:
        name = ("Alice", "Bob")[move["seat"]]
        assert f"\nTurn {move['turn']}: {name} to move\n" in shown
        assert f"\n{name} (bot:iggi): {move['sentence']}\n" in shown
    assert f"\nOver after {len(moves)} turns with {moves[-1]['score']} points" in shown
    assert "\x1b" not in shown
    assert shown.isascii()


def test_step_without_a_terminal_reads_lines_and_says_so(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n\nq\n"))
    assert main(["watch", "bot:iggi", "--variant", "mini", "--step"]) == 0
    shown = capsys.readouterr()
    assert "stdin is no terminal" in shown.err
    assert 3 == shown.out.count(" to move\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(["watch", "bot:iggi", "--variant", "mini", "--step", "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["over"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nobody"], "There is no agent 'nobody'"),
        (["bot:nobody"], "There is no scripted player 'nobody'"),
        (["bot:iggi", "--variant", "huge"], "Unknown Hanabi variant"),
        (["bot:iggi", "bot:piers", "bot:outer"], "full-2p has 2 seats, but 3 agents were given"),
        (["obl-1-a", "--variant", "mini"], "cannot play mini"),
        ([], "Name at least one agent"),
    ],
)
def test_bad_input_is_one_sentence(words, sentence, capsys):
    assert main(["watch", *words]) == 2
    shown = capsys.readouterr()
    assert sentence in shown.err
    assert 1 == shown.err.count("\n")
    assert "Turn" not in shown.out


@pytest.mark.slow
def test_ctrl_c_at_a_real_terminal_is_clean():
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "offbelief.interfaces.cli", "watch", "bot:iggi", "--step"]
    environment = {**os.environ, "TERM": "xterm-256color", "NO_COLOR": ""}
    # A shell that runs the tests in the background has them ignore Ctrl-C, and they would pass that on.
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
        )
    finally:
        signal.signal(signal.SIGINT, before)
    shown, deadline = b"", time.monotonic() + 120
    while b"stop --" not in shown:
        assert time.monotonic() < deadline, shown
        if select.select([ours], [], [], 1)[0]:
            shown += os.read(ours, 65536)
    assert b"\x1b[31mR0" in shown
    process.send_signal(signal.SIGINT)
    while process.poll() is None:  # reading on, since a terminal that nobody reads may hold its writer up
        if time.monotonic() > deadline + 60:
            process.kill()
        if select.select([ours], [], [], 0.2)[0]:
            shown += os.read(ours, 65536)
    assert 130 == process.wait()
    while select.select([ours], [], [], 0.2)[0]:
        shown += os.read(ours, 65536)
    assert b"stopped by Ctrl-C" in shown
    assert b"Traceback" not in shown
    os.close(theirs)
    os.close(ours)
