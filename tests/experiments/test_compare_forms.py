"""The comparison of forms: what it compares, what it keeps, and what it writes; training itself is tested elsewhere."""

import json

import pytest
from tests.experiments.loading import load_experiment

from offbelief.agents.loading import load_agent
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.learning.presets import find_preset

COMPARE = load_experiment("compare_forms")
MINI = HanabiVariant.parse("mini")


@pytest.fixture
def runs(tmp_path):
    """Two finished runs, as far as the comparison looks at them."""
    for name, scores in (("lambda-0-1", (6.0, 7.2, 7.4)), ("critic-1", (7.1, 7.0, 7.6))):
        folder = tmp_path / name
        folder.mkdir()
        lines = [
            {"cpu_minutes": 0.3 * (1 + at), "score": score, "steps": 90, "transitions": 30 * (1 + at)}
            for at, score in enumerate(scores)
        ]
        (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def test_forms_differ_in_where_an_imagined_game_ends():
    forms = COMPARE.forms("mini")
    assert ["lambda-0", "lambda-0.5", "lambda-0.7", "lambda-1", "critic", "settling"] == list(forms)
    assert [0, 3, 4, MINI.max_turns] == [form.max_rounds for form in forms.values()][:4]
    assert find_preset("obl-1-2p").fictitious == COMPARE.forms("full-2p")["lambda-0"]


def test_run_is_described_once(runs):
    iggi, folder = load_agent("bot:iggi"), runs / "lambda-0-1"
    found = COMPARE.describe("lambda-0", 1, folder, iggi, MINI, 4)
    assert (90, 90, 0.9) == (found["steps"], found["transitions"], found["cpu_minutes"])
    assert {"7": 0.6, "7.5": None} == found["minutes_to"]
    kept = folder / "final-4.json"
    kept.write_text(
        kept.read_text().replace('"games": 4', '"games": 5').replace(str(json.loads(kept.read_text())["mean"]), "1.5")
    )
    assert 1.5 == COMPARE.describe("lambda-0", 1, folder, iggi, MINI, 4)["score"]


def test_two_best_forms_are_those_with_the_best_means():
    scores = [("critic", 3.0), ("lambda-0", 7.0), ("lambda-1", 6.0), ("lambda-0", 1.0), ("settling", 5.0)]
    assert ["lambda-1", "settling"] == COMPARE.two_best([{"form": form, "score": score} for form, score in scores])


def test_pairs_are_played_once_and_averaged_by_form(tmp_path):
    agents = {(form, seed): load_agent("bot:iggi") for form in ("lambda-0", "critic") for seed in (1, 2)}
    (tmp_path / "pairs-2.json").write_text(json.dumps({"lambda-0-1 x critic-1": 100.0}))
    found = COMPARE.pair(tmp_path, agents, MINI, 2)
    assert [["lambda-0", "lambda-0"], ["lambda-0", "critic"], ["critic", "critic"]] == [row["forms"] for row in found]
    assert [1, 4, 1] == [row["pairs"] for row in found]
    assert found[1]["score"] > 25.0  # one of the four was kept
    assert 6 == len(json.loads((tmp_path / "pairs-2.json").read_text()))


def test_planned_steps_are_kept(tmp_path):
    kept = {"critic": 7, "lambda-0": 9}
    (tmp_path / "steps.json").write_text(json.dumps(kept))
    compared = {name: COMPARE.forms("mini")[name] for name in kept}
    assert kept == COMPARE.plan_steps(tmp_path, find_preset("obl-1-mini"), compared)


def test_curves_are_drawn_by_form(runs):
    described = [
        COMPARE.describe(form, 1, runs / f"{form}-1", load_agent("bot:iggi"), MINI, 2)
        for form in ("lambda-0", "critic")
    ]
    drawn = COMPARE.draw(described)
    assert drawn.startswith(b"<?xml")
    assert drawn == COMPARE.draw(described)
