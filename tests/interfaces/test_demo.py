"""`obl demo` and `obl report` as a user calls them; `make run` is the first of them."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from offbelief.interfaces.cli import main
from offbelief.interfaces.verbs import demo

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The folder of a demo, and what it printed."""
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        printed = []
        patch.setattr("builtins.print", lambda *words, **_: printed.append(" ".join(map(str, words))))
        assert main(["demo", "--steps", "12", "--games", "20", "--out", "out"]) == 0
    return folder, "\n".join(printed)


def test_demo_trains_two_seeds_pairs_them_and_says_what_next(shown):
    folder, printed = shown
    for seed in (0, 1):
        assert (folder / "out" / f"obl-1-mini-{seed}" / "agent.safetensors").exists()
        config = json.loads((folder / "out" / f"obl-1-mini-{seed}" / "config.json").read_text())
        assert (seed, 12) == (config["seed"], config["steps"])
    assert "out/obl-1-mini-0 with itself: " in printed
    assert "out/obl-1-mini-0 with out/obl-1-mini-1: " in printed
    for command in ("obl watch out/obl-1-mini-0 out/obl-1-mini-1", "obl play", "obl train obl-1-2p"):
        assert f"  {command}  " in printed


def test_second_demo_trains_nothing_anew(shown, capsys, monkeypatch):
    folder, _ = shown
    monkeypatch.chdir(folder)
    monkeypatch.setattr(demo, "train_with_display", lambda *_, **__: pytest.fail("it is trained already"))
    assert main(["demo", "--steps", "12", "--games", "20", "--out", "out"]) == 0
    assert 2 == capsys.readouterr().out.count("is trained already")


def test_stopped_demo_goes_on(shown, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "train_with_display", lambda folder, device: False)
    assert main(["demo", "--steps", "12", "--out", "out"]) == 130
    assert "the same command goes on" in capsys.readouterr().err
    assert main(["demo", "--steps", "12", "--out", "out"]) == 130
    assert "out/obl-1-mini-0: going on where it stopped" in capsys.readouterr().out


def test_report_holds_every_section_and_needs_nothing_from_outside(shown):
    page = (shown[0] / "out" / "report.html").read_text()
    titles = re.findall("<h2>(.*?)</h2>", page)
    assert [
        "Learning curves",
        "Cross-play",
        "What was known of the cards played",
        "What hints came to mean",
        "How moves are answered",
        "Where agents part",
        "Where points are lost",
        "A game, move by move",
        "Settings",
    ] == titles
    assert "Alice is out/obl-1-mini-0, Bob is out/obl-1-mini-1" in page
    assert "obl train obl-1-mini --seed 1 --steps 12" in page
    assert 6 == page.count("data:image/svg+xml;base64,")
    assert "<script" not in page
    assert "http" not in page


def test_report_of_one_agent_pairs_nobody(shown, capsys, monkeypatch, tmp_path):
    folder, _ = shown
    monkeypatch.chdir(folder)
    out = tmp_path / "new" / "one.html"
    assert main(["report", "out/obl-1-mini-1", "--games", "10", "--out", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [["out/obl-1-mini-1"] * 2] == [team["agents"] for team in found["teams"]]
    page = out.read_text()
    assert "Cross-play" not in page
    assert "out/obl-1-mini-1 sits at every seat" in page


def test_report_takes_scripted_players_and_three_seats(capsys, tmp_path):
    words = ["report", "bot:iggi", "bot:outer", "bot:piers", "--variant", "3p-2c-3r-h3-i5-l3", "--games", "12"]
    assert main([*words, "--out", str(tmp_path / "bots.html")]) == 0
    page = (tmp_path / "bots.html").read_text()
    assert "bot:iggi with bot:outer with bot:piers" in page
    assert "Learning curves" not in page
    assert "bot:piers: a scripted player" in page


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["report", "nobody"], "There is no agent 'nobody'"),
        (["report", "bot:iggi", "--device", "toaster"], "is no device"),
        (["demo", "--agents", "0"], "at least 1"),
        (["demo", "nothing"], "There is no preset 'nothing'"),
        (["demo", "--minutes", "1", "--steps", "1"], "not both"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(words, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    assert sentence in capsys.readouterr().err
    assert [] == list(tmp_path.iterdir())


def test_make_run_is_the_demo_and_the_toy_experiment_has_a_target_of_its_own():
    told = subprocess.run(["make", "-n", "run", "toy"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "obl demo --out runs/demo" in told
    assert "obl toy --runs 10 --out runs/toy" in told


def test_runs_are_ignored_by_git():
    assert "runs/" in (ROOT / ".gitignore").read_text().splitlines()
