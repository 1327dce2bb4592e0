"""`obl train`, `resume`, `evaluate`, `crossplay` and `zoo` as a user calls them."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from offbelief.agents.checkpoint import load_tensors
from offbelief.interfaces.cli import main
from offbelief.interfaces.training import configure
from offbelief.nouns import UserError
from offbelief.precision import bfloat16_speed


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "mini"
    assert main(["train", "obl-1-mini", "--steps", "20", "--out", str(folder)]) == 0
    return folder


def test_trained_run_is_evaluated(run, capsys):
    assert main(["evaluate", str(run), "--games", "20", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = {"mean", "sem", "games", "perfect", "bomb", "knowledge", "seconds", "players", "agents"}
    assert expected <= set(found)
    assert {"both", "rank", "colour", "none"} == set(found["knowledge"])
    assert ("mini", 20, [str(run)] * 2) == (found["variant"], found["games"], found["agents"])


def test_same_command_gives_the_same_weights(run, tmp_path):
    again = tmp_path / "again"
    assert main(["train", "obl-1-mini", "--steps", "20", "--out", str(again)]) == 0
    assert (run / "agent.safetensors").read_bytes()[-4096:] == (again / "agent.safetensors").read_bytes()[-4096:]


def test_rounded_products_are_written_down_and_give_other_weights(run, tmp_path):
    if bfloat16_speed() is None:
        pytest.skip("this processor cannot multiply in bfloat16")
    rounded = tmp_path / "rounded"
    assert main(["train", "obl-1-mini", "--steps", "20", "--precision", "bfloat16", "--out", str(rounded)]) == 0
    assert "bfloat16" == json.loads((rounded / "config.json").read_text())["precision"]
    exact, other = (load_tensors(folder / "agent.safetensors")[0]["state_value.weight"] for folder in (run, rounded))
    assert 0.0 < float((exact - other).abs().max()) < 0.1 * float(exact.abs().max())


def test_trained_run_plays_with_a_scripted_player(run, capsys):
    assert main(["evaluate", str(run), "bot:iggi", "--games", "20"]) == 0
    assert f"{run} with bot:iggi, mini" in capsys.readouterr().out


def test_crossplay_keeps_every_score(capsys, tmp_path):
    words = ["crossplay", "bot:iggi", "bot:outer", "--games", "10", "--variant", "mini", "--out", str(tmp_path)]
    assert main(words) == 0
    assert "self-play" in capsys.readouterr().out
    saved = json.loads((tmp_path / "crossplay.json").read_text())
    assert [10, 10, 10] == [len(scores) for scores in saved["scores"]]
    assert (tmp_path / "crossplay.png").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["train", "obl-7"], "There is no preset 'obl-7'"),
        (["train", "obl-1-mini", "--minutes", "0"], "positive number"),
        (["resume", "nowhere"], "is no run"),
        (["evaluate", "nobody"], "There is no agent 'nobody'"),
        (["evaluate", "bot:nobody"], "nobody"),
        (["evaluate", "bot:iggi", "--variant", "huge"], "Unknown Hanabi variant"),
        (["evaluate", "bot:iggi", "bot:outer", "bot:piers"], "2 seats, but 3 agents"),
        (["crossplay", "bot:iggi"], "at least two different agents"),
        (["zoo", "info"], "Say whose card"),
        (["zoo", "info", "nobody"], "There is no 'nobody' in the zoo"),
    ],
)
def test_bad_input_is_one_sentence(words, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    shown = capsys.readouterr().err
    assert sentence in shown
    assert 1 == shown.count("\n")


def test_run_folder_in_use_is_refused(run, capsys):
    assert main(["train", "obl-1-mini", "--out", str(run)]) == 2
    assert "obl resume" in capsys.readouterr().err


def test_zoo_lists_its_agents(capsys):
    assert main(["zoo", "--json"]) == 0
    for name, card in json.loads(capsys.readouterr().out).items():
        assert main(["zoo", "info", name, "--json"]) == 0
        assert card == json.loads(capsys.readouterr().out)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_saves_and_resume_finishes(number, tmp_path):
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "offbelief.interfaces.cli"]
    words = ["train", "obl-1-mini", "--steps", "2000", "--out", str(folder)]
    process = subprocess.Popen([*command, *words], stderr=subprocess.PIPE, text=True)
    while not (folder / "metrics.jsonl").exists():
        assert process.poll() is None
        time.sleep(0.2)
    os.kill(process.pid, number)
    _, said = process.communicate(timeout=120)
    assert 130 == process.returncode
    assert f"obl resume {folder}" in said
    assert 1 == len(list(folder.glob("checkpoint-*.safetensors")))
    # The rest is long; it is enough to see that it goes on from there.
    config = json.loads((folder / "config.json").read_text())
    steps = int(next(folder.glob("checkpoint-*")).stem.partition("-")[2])
    (folder / "config.json").write_text(json.dumps({**config, "steps": steps + 5}))
    assert 0 == subprocess.run([*command, "resume", str(folder)], check=False).returncode


def test_agent_of_the_zoo_is_trained_again_with_its_own_settings():
    config = configure("obl-1-a", seed=5, minutes=None, steps=7)
    assert ("obl-1-2p", 131_072, 5, 7) == (config.preset, config.replay.capacity, config.seed, config.steps)
    config = configure("obl-2-a", seed=1, minutes=3.0, steps=None)
    assert ("obl-1-a", "belief-1-a", 3.0, 0) == (config.start_from, config.belief, config.minutes, config.steps)
    assert "obl-1-a" == configure("belief-1-a", seed=1, minutes=None, steps=None).of
    with pytest.raises(UserError, match="leave --of out"):
        configure("belief-1-a", seed=1, minutes=None, steps=None, of="bot:iggi")
