"""The command `obl` as a user meets it: in a process of its own."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from offbelief.interfaces.cli import VERBS, main

TOY = {
    "players": ["Alice", "Bob"],
    "start": {"a": 0.5, "b": 0.5},
    "states": {
        "a": {"player": "Alice", "private": {"Alice": "a"}, "actions": {"say": {"next": "said a"}}},
        "b": {"player": "Alice", "private": {"Alice": "b"}, "actions": {"say": {"next": "said b"}}},
        "said a": {"player": "Bob", "actions": {"guess a": {"reward": 1}, "guess b": {}}},
        "said b": {"player": "Bob", "actions": {"guess a": {}, "guess b": {"reward": 1}}},
    },
}


def obl(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "offbelief.interfaces.cli", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_help_lists_every_verb_in_under_half_a_second_of_cpu():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    shown = obl("--help")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert shown.returncode == 0
    for verb in VERBS:
        assert f"obl {verb}" in shown.stdout
    assert (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime) < 0.5


def test_help_loads_neither_numpy_nor_numba():
    code = "import sys; from offbelief.interfaces.cli import main; main(['--help']); print(sorted(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "'numpy'" not in shown
    assert "'numba'" not in shown


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself_with_an_example(verb, capsys):
    with pytest.raises(SystemExit) as ended:
        main([verb, "--help"])
    assert ended.value.code == 0
    assert f"obl {verb}" in capsys.readouterr().out.replace("\n", " ")


def test_unknown_verb_is_refused_with_a_suggestion(capsys):
    assert main(["slove"]) == 2
    assert "Did you mean 'solve'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["solve", "toy", "--levles", "3"], "--levles"),
        (["solve", "toy", "--operator", "belman"], "counterfactual"),
        (["solve", "toy", "--levels", "many"], "many"),
        (["solve"], "A small game by name"),
    ],
)
def test_wrong_option_is_one_line_that_names_it(words, named, capsys):
    assert main(words) == 2
    complaint = capsys.readouterr().err
    assert named in complaint
    assert 1 == complaint.count("\n")
    assert "│" not in complaint


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["solve", "nowhere"], "There is no small game 'nowhere'"),
        (["solve", "missing.json"], "cannot be read"),
        (["solve", "toy", "--levels", "0"], "at least one level"),
        (["solve", "toy", "--temperature", "warm"], "--temperature is 'warm'"),
        (["solve", "toy", "--temperature", "-1"], "must be 0 or more"),
        (["solve", "toy", "--lambda", "1.5"], "between 0 and 1"),
        (["solve", "toy", "--belief-eps", "2"], "between 0 and 1"),
        (["solve", "toy", "--ch", "poisson:x"], "poisson:TAU"),
        (["solve", "toy", "--ch", "poisson:-1"], "positive number"),
        (["solve", "toy", "--pi0", "missing.json"], "cannot be read"),
        (["toy", "--runs", "1", "--out", "x"], "at least two runs"),
        (["bench", "exact", "--threads", "0"], "at least 1"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(words, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    shown = capsys.readouterr()
    assert sentence in shown.err
    assert 1 == shown.err.count("\n")
    assert "" == shown.out


def write(path: Path, content: object) -> str:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def changed(**changes: object) -> dict[str, object]:
    return {**TOY, **changes}


@pytest.mark.parametrize(
    ("description", "sentence"),
    [
        (changed(start={"a": 0.5, "b": 0.6}), "add up to 1.1"),
        (changed(states={**TOY["states"], "a": {**TOY["states"]["a"], "player": ["Alice", "Bob"]}}), "not turn-based"),
        (
            changed(states={**TOY["states"], "said a": {"player": "Bob", "actions": {"wait": {"next": "a"}}}}),
            "no bounded length",
        ),
        (
            changed(states={**TOY["states"], "said a": {"player": "Bob", "actions": {"guess a": {}}}}),
            "Bob: Alice say",
        ),
        (
            changed(
                states={
                    **TOY["states"],
                    "a": {**TOY["states"]["a"], "actions": {"say": {"next": "said a"}, "shout": {"next": "said a"}}},
                }
            ),
            "Legality gives private information away at the history 'Alice: sees a'",
        ),
    ],
)
def test_broken_game_file_is_one_sentence_that_names_the_place(description, sentence, capsys, tmp_path):
    assert main(["solve", write(tmp_path / "game.json", description)]) == 2
    shown = capsys.readouterr()
    assert sentence in shown.err
    assert 1 == shown.err.count("\n")


def test_policy_with_weight_on_an_illegal_action_names_the_history(capsys, tmp_path):
    policy = write(tmp_path / "pi0.json", {"Bob: Alice light on": {"light on": 1.0}})
    assert main(["solve", "toy", "--pi0", policy]) == 2
    assert "At the history 'Bob: Alice light on' the policy puts weight on 'light on'" in capsys.readouterr().err


def test_reader_that_goes_away_is_no_error():
    shown = subprocess.run(
        f"{sys.executable} -m offbelief.interfaces.cli solve toy | head -n 1; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        check=False,
    )
    assert 0 == shown.returncode
    assert "Traceback" not in shown.stderr


def test_version_is_printed(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("offbelief ")
