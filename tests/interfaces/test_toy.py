import json

import pytest

from offbelief.interfaces.cli import main


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toy")
    assert main(["toy", "--runs", "2", "--out", str(folder)]) == 0
    return folder


def test_toy_writes_figures_results_and_report(toy):
    expected = {"toy_crossplay.png", "toy_crossplay.pdf", "toy_levels.png", "toy_levels.pdf"}
    assert expected | {"results.json", "report.html"} == {path.name for path in toy.iterdir()}
    assert b"\x89PNG" == (toy / "toy_crossplay.png").read_bytes()[:4]
    assert b"%PDF" == (toy / "toy_levels.pdf").read_bytes()[:4]


def test_report_needs_nothing_from_outside(toy):
    report = (toy / "report.html").read_text()
    assert "<script" not in report
    assert "http" not in report
    assert 2 == report.count("data:image/png;base64,")


def test_results_hold_every_panel(toy):
    results = json.loads((toy / "results.json").read_text())
    names = [panel["name"] for panel in results["panels"]]
    levels = range(1, 5)
    assert names == ["SP", *(f"OBL level {k}" for k in levels), *(f"CH level {k}" for k in levels)]
    assert all(2 == len(panel["matrix"]) == len(panel["matrix"][0]) for panel in results["panels"])


def test_json_is_printed_alone(capsys, toy):
    assert main(["toy", "--runs", "2", "--out", str(toy), "--json"]) == 0
    assert json.loads((toy / "results.json").read_text()) == json.loads(capsys.readouterr().out)
