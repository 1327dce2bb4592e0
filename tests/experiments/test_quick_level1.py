"""Level 1 in twelve minutes, from end to end and with hardly a step."""

import json
from dataclasses import replace

import pytest
from tests.experiments.loading import load_experiment

from offbelief.learning.presets import find_preset

QUICK = load_experiment("quick_level1")


@pytest.mark.slow
def test_seeds_are_trained_once_and_measured(tmp_path, monkeypatch):
    few = {"steps": 3, "games": 16, "warmup": 16, "evaluations": 1, "evaluation_games": 10}
    monkeypatch.setattr(QUICK, "find_preset", lambda name: replace(find_preset(name), **few))
    words = [
        "x",
        "--seeds",
        "4",
        "5",
        "--games",
        "20",
        "--runs",
        str(tmp_path / "runs"),
        "--out",
        str(tmp_path / "out"),
    ]
    monkeypatch.setattr("sys.argv", words)
    QUICK.main()
    first = json.loads((tmp_path / "out").read_text())
    assert [(4, 3), (5, 3)] == [(run["seed"], run["steps"]) for run in first["runs"]]
    weights = (tmp_path / "runs" / "seed-4" / "agent.safetensors").stat().st_mtime_ns
    QUICK.main()
    assert weights == (tmp_path / "runs" / "seed-4" / "agent.safetensors").stat().st_mtime_ns
    assert first["runs"] == json.loads((tmp_path / "out").read_text())["runs"]
