import json

import pytest

from offbelief.interfaces.bench import exact
from offbelief.interfaces.bench.timing import BenchRow, median_seconds
from offbelief.interfaces.cli import main


def test_row_without_rival_leaves_nulls():
    row = BenchRow(name="x", per_second=2.0, unit="things").as_json()
    assert (None, None, None) == (row["rival"], row["rival_per_second"], row["ratio"])


def test_ratio_is_ours_over_the_rivals():
    row = BenchRow(name="x", per_second=6.0, unit="things", rival="y", rival_per_second=2.0)
    assert 3.0 == row.ratio


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
