"""What settings of the learner are worth, from end to end and with hardly a step."""

import json
from dataclasses import replace

import pytest
from tests.experiments.loading import load_experiment

from offbelief.learning.presets import find_preset
from offbelief.learning.run import read_config

SETTINGS = load_experiment("learner_settings")


@pytest.mark.slow
def test_trials_differ_in_one_setting_of_the_learner_only(tmp_path, monkeypatch):
    few = {"games": 16, "warmup": 16, "evaluation_games": 10}
    monkeypatch.setattr(SETTINGS, "find_preset", lambda name: replace(find_preset(name), **few))
    words = ["x", "--steps", "6", "--seeds", "4", "--games", "20"]
    monkeypatch.setattr("sys.argv", [*words, "--runs", str(tmp_path), "--out", str(tmp_path / "out")])
    SETTINGS.main()
    found = json.loads((tmp_path / "out").read_text())
    assert list(SETTINGS.TRIALS) == [run["trial"] for run in found["runs"]]
    assert [1, 2, 3, 4, 5, 6] == [line["step"] for line in found["runs"][0]["on_the_way"]]
    plain = read_config(tmp_path / "as-it-is-4")
    assert find_preset("obl-1-2p").learner == plain.learner
    for trial, changes in SETTINGS.TRIALS.items():
        assert replace(plain, learner=replace(plain.learner, **changes)) == read_config(tmp_path / f"{trial}-4")
