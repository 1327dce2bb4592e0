import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from offbelief.agents.acting import Look
from offbelief.interfaces.bench import belief, exact, learned_belief, training
from offbelief.interfaces.bench.timing import BenchRow, median_seconds
from offbelief.interfaces.cli import main
from offbelief.interfaces.verbs.bench import describe_row
from offbelief.learning.presets import find_preset


def test_row_without_rival_leaves_nulls():
    row = BenchRow(name="x", per_second=2.0, unit="things").as_json()
    assert (None, None, None) == (row["rival"], row["rival_per_second"], row["ratio"])


def test_ratio_is_ours_over_the_rivals():
    row = BenchRow(name="x", per_second=6.0, unit="things", rival="y", rival_per_second=2.0)
    assert 3.0 == row.ratio


def test_line_for_people_has_whole_numbers_and_keeps_small_ones():
    row = BenchRow(name="x", per_second=7_696_415.0, unit="steps", rival="y", rival_per_second=45_965.0)
    assert "x: 7,696,415 steps/s (y: 45,965/s, 167 times as fast)" == describe_row(row)
    assert "x: 0.32 things/s" == describe_row(BenchRow(name="x", per_second=0.324, unit="things"))


def test_median_counts_only_after_a_warm_up():
    calls = []
    median_seconds(lambda: calls.append(0), repeats=3)
    assert 4 == len(calls)


@pytest.mark.slow
def test_exact_reports_sizes_memory_and_the_judge(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(exact, "HORIZONS", (4, 6))
    monkeypatch.setattr(exact, "RIVAL_HORIZONS", (4,))
    out = tmp_path / "bench" / "exact.json"
    assert main(["bench", "exact", "--json", "--out", str(out)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found == json.loads(out.read_text())
    assert {"processor", "cpus", "threads", "date"} <= set(found["machine"])
    rows = found["results"]
    assert 4 == len(rows)
    assert {"exact.level"} == {row["name"] for row in rows}
    assert {30, 126} == {row["histories"] for row in rows}
    for row in rows:
        assert row["seconds"] > 0
        assert row["peak_mb"] > 10
        assert (row["rival"] is not None) == (row["histories"] == 30)


def test_clock_counts_inner_calls_to_the_outer_stage(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(training, "CLOCK", lambda: now[0])

    def work(seconds):
        now[0] += seconds

    game = SimpleNamespace(look=lambda: work(1.0))
    game.step = lambda: (work(2.0), game.look())
    clock = training.StageClock()
    clock.wrap(game, "look", "encoding")
    clock.wrap(game, "step", "environment")
    game.look()
    game.step()
    assert {"encoding": 1.0, "environment": 3.0} == clock.seconds
    clock.restart()
    assert {"encoding": 0.0, "environment": 0.0} == clock.seconds


def test_share_that_no_stage_took_is_called_other():
    block = training.Block(seconds=4.0, stages={"encoding": 1.0, "learning": 2.0}, rows=1, ideal_rate=1.0)
    assert {"encoding": 0.25, "learning": 0.5, "other": 0.25} == block.shares


def test_operations_are_those_of_the_matrix_products():
    class Tiny(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(10, 4)

        def forward(self, observations, legal):
            return self.layer(observations)

    # A row: 10 x 4 multiplications and as many additions. Learning: as much again for the gradient of the weights.
    network = Tiny()
    found = training.count_operations(network, Look(torch.ones(8, 10), torch.ones(8, 4, dtype=torch.bool)))
    assert (80.0, 2 * 8 * 80.0) == found
    assert network.layer.weight.grad is None


@pytest.mark.slow
@pytest.mark.parametrize("what", ["rollout", "learner"])
def test_training_is_measured_by_stage_beside_an_ideal(what, capsys, monkeypatch):
    def small(name):
        return replace(find_preset(name), games=32, warmup=64, batch_size=32)

    monkeypatch.setattr(training, "find_preset", small)
    monkeypatch.setattr(training, "STEPS", 1)
    monkeypatch.setattr(training, "SPREAD_MOVES", 2)
    threads = torch.get_num_threads()
    try:
        assert main(["bench", what, "--json"]) == 0
    finally:
        torch.set_num_threads(threads)
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["results"]}
    assert ({"rollout.step"} if what == "rollout" else {"learner.update", "training.step"}) == set(rows)
    for row in rows.values():
        assert row["per_second"] > 0
        assert 0 < row["ratio"] < 1
    shares = rows["rollout.step" if what == "rollout" else "training.step"]["shares"]
    stages = {"environment", "belief", "encoding", "inference", "other"}
    assert stages | ({"learning"} if what == "learner" else set()) == set(shares)
    assert 1.0 == pytest.approx(sum(shares.values()))
    assert all(share > 0 for share in shares.values())


@pytest.mark.slow
def test_learned_hands_stand_beside_the_policys_inference_and_their_share_of_training(capsys, monkeypatch):
    config, settings = learned_belief.level_2()
    small = replace(config, games=32, warmup=64, batch_size=32)
    monkeypatch.setattr(learned_belief, "level_2", lambda: (small, settings))
    monkeypatch.setattr(training, "STEPS", 1)
    monkeypatch.setattr(learned_belief, "STEPS", 1)
    monkeypatch.setattr(training, "SPREAD_MOVES", 2)
    monkeypatch.setattr(belief, "BATCH", 64)
    threads = torch.get_num_threads()
    try:
        assert main(["bench", "belief", "--json"]) == 0
    finally:
        torch.set_num_threads(threads)
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["results"]}
    assert ["belief.sample", "fictitious.transition", "belief.learned_sample", "training.level_2"] == list(rows)
    learned, whole = rows["belief.learned_sample"], rows["training.level_2"]
    assert learned["rival_per_second"] > 0
    assert learned["per_second"] < rows["belief.sample"]["per_second"]
    assert "ladder-2p" == whole["preset"]
    assert whole["shares"]["belief"] == whole["belief_share"] > 0
    assert 1.0 == pytest.approx(sum(whole["shares"].values()))
