"""Figures of what moves came to mean: they show the numbers given, and the committed ones those of the file."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from offbelief.evaluation.convention_plots import (
    draw_changed_answers,
    draw_hint_meanings,
    draw_levels,
    draw_nats,
    draw_next_moves,
    draw_reliability,
)
from offbelief.evaluation.conventions import CARDS

ROOT = Path(__file__).parents[2]
COUNTS = {"one": [[3, 1], [0, 0]], "two": [[1, 3], [2, 2]]}


def test_matrices_are_shares_of_rows_and_their_differences():
    panels = draw_next_moves(["a", "b"], COUNTS).axes
    assert [[0.75, 0.25], [0.0, 0.0]] == panels[0].images[0].get_array().tolist()
    (panel, _) = draw_changed_answers(["a", "b"], COUNTS, [("one", "two")]).axes
    assert [[-0.5, 0.5], [0.5, 0.5]] == panel.images[0].get_array().tolist()


def test_bars_are_as_high_as_shares_and_missing_ones_flat():
    cell = {"cards": 5, "playable": 0.8, "played": 0.4}
    none = {"cards": 0, "playable": None, "played": None}
    hints = {"colour": dict.fromkeys(CARDS, cell), "rank": dict.fromkeys(CARDS, none)}
    panels = draw_hint_meanings({"somebody": hints}).axes
    heights = [{round(bar.get_height(), 6) for bar in axes.patches} for axes in panels]
    assert [{80.0}, {0.0}, {40.0}, {0.0}] == heights


def test_levels_are_written_into_both_halves():
    pairs = [{"levels": [1, 1], "within": 7.0, "across": None}, {"levels": [1, 2], "within": 8.0, "across": None}]
    pairs.append({"levels": [2, 2], "within": 8.5, "across": None})
    panel, _ = draw_levels(pairs, 9).axes
    assert ["7.00", "8.00", "8.00", "8.50"] == sorted(text.get_text() for text in panel.texts)


def test_beliefs_have_a_row_and_a_curve_each():
    part = {"cards": 2, "grounded": 1.5, "learned": 1.0}
    curve = {"said": [0.2], "happened": [0.3], "count": [4], "error": 0.1}
    belief = {
        **part,
        "by_slot": [{"slot": 0, **part}],
        "by_hinted": {"not": part, "both": {"cards": 0, "grounded": None, "learned": None}},
        "by_turn": [{"turn": 3, **part}],
        "reliability": {"grounded": curve, "learned": curve},
    }
    beliefs = {"judged": belief | {"judged": {**part, "judge": 0.7}}, "not judged": belief | {"judged": None}}
    rows = draw_nats(beliefs).axes
    assert 8 == len(rows)
    assert [5, 2] == [len(rows[place].patches) for place in (0, 4)]
    assert ["grounded, error 0.100", "learned, error 0.100"] == [
        text.get_text() for text in draw_reliability(beliefs).axes[0].get_legend().get_texts()
    ]


def texts_of(picture):
    return re.findall(r"<!-- (.*?) -->", picture.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.slow
def test_committed_figures_show_the_committed_file(tmp_path):
    """Renew them with `python experiments/ladder_account.py --from-file`."""
    command = [sys.executable, str(ROOT / "experiments" / "ladder_account.py"), "--from-file"]
    subprocess.run([*command, "--figures", str(tmp_path)], check=True)
    committed = sorted((ROOT / "docs" / "results").glob("ladder-*.svg"))
    assert [path.name for path in committed] == sorted(path.name for path in tmp_path.iterdir())
    for path in committed:
        assert texts_of(path) == texts_of(tmp_path / path.name), f"{path} is out of date"
    assert "level 1" in json.dumps([texts_of(path) for path in committed])
