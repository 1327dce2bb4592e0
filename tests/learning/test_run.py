"""The loop over a run's folder as a display and a device see it; the rest is in test_train_policy.py."""

import pytest
import torch

from offbelief.learning import run
from offbelief.learning.config import RunConfig
from offbelief.learning.replay import ReplaySettings

TINY = RunConfig(
    game="very-small",
    steps=12,
    games=16,
    batch_size=16,
    replay=ReplaySettings(capacity=128),
    warmup=32,
    updates_per_step=2,
    evaluations=3,
    evaluation_games=20,
)


def test_ticks_tell_how_far_it_is_without_figures(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "TICK_SECONDS", 0.0)
    run.create_run(tmp_path / "run", TINY)
    ticks = []
    assert run.train(tmp_path / "run", report=lambda _: None, tick=ticks.append)
    assert list(range(1, 13)) == [tick.step for tick in ticks]
    assert [16 * step for step in range(1, 13)] == [tick.transitions for tick in ticks]
    assert all({} == tick.figures for tick in ticks)
    assert {"play", "encode", "learn", "evaluate"} == set(ticks[-1].shares)
    assert ticks[-1].games > 0


def test_finished_games_are_counted_over_a_resume(tmp_path):
    run.create_run(tmp_path / "run", TINY)
    asked = iter([False] * 10 + [True])
    assert not run.train(tmp_path / "run", report=lambda _: None, should_stop=lambda: next(asked))
    reports = []
    assert run.train(tmp_path / "run", report=reports.append)
    run.create_run(tmp_path / "whole", TINY)
    assert run.train(tmp_path / "whole", report=reports.append)
    resumed, whole = (report for report in reports if report.step == 12)
    assert whole.games == resumed.games > 0


@pytest.mark.parametrize("name", ["cpu", "meta"])
def test_networks_are_on_the_device_that_is_asked_for(name, tmp_path):
    run.create_run(tmp_path / "run", TINY)
    training = run.open_training(tmp_path / "run", torch.device(name))
    assert {name} == {tensor.device.type for tensor in training.delivered().values()}
