import json

import pytest

from offbelief.interfaces.bench import play
from offbelief.interfaces.cli import main


@pytest.mark.slow
def test_play_reports_how_long_answers_take(capsys, monkeypatch):
    monkeypatch.setattr(play, "AGENT", "bot:iggi")
    monkeypatch.setattr(play, "GAMES", 3)
    monkeypatch.setattr(play, "ARRIVING", 0.2)
    monkeypatch.setattr(play, "SECONDS", 1.0)
    monkeypatch.setattr(play, "PAUSE", 0.1)
    assert main(["bench", "play", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["results"]
    assert ["play.answer", "play.answer.no_pauses"] == [row["name"] for row in rows]
    for row in rows:
        assert row["per_second"] > 1
        assert 0 < row["median_ms"] <= row["percentile_99_ms"]
    assert rows[1]["per_second"] > rows[0]["per_second"]  # whoever does not pause plays more
