"""What weights of certainty are worth, from end to end and with hardly a step."""

import json
from dataclasses import replace

import pytest
from tests.experiments.loading import load_experiment

from offbelief.learning.presets import find_preset
from offbelief.learning.run import read_config

CERTAINTY = load_experiment("certainty")


@pytest.mark.slow
def test_runs_differ_in_the_power_only(tmp_path, monkeypatch):
    few = {"games": 16, "warmup": 16, "evaluation_games": 10}
    monkeypatch.setattr(CERTAINTY, "find_preset", lambda name: replace(find_preset(name), **few))
    words = ["x", "--powers", "0", "1", "--steps", "4", "--games", "20"]
    monkeypatch.setattr("sys.argv", [*words, "--runs", str(tmp_path), "--out", str(tmp_path / "out")])
    CERTAINTY.main()
    found = json.loads((tmp_path / "out").read_text())
    assert [0.0, 1.0] == [run["certainty"] for run in found["runs"]]
    assert [1, 2, 3, 4] == [line["step"] for line in found["runs"][1]["on_the_way"]]
    plain, weighed = (read_config(tmp_path / f"power-{power}") for power in (0, 1))
    assert (0.0, 1.0) == (plain.learner.certainty, weighed.learner.certainty)
    assert plain == replace(weighed, learner=plain.learner)
