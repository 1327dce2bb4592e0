import pytest

from offbelief.evaluation.plots import (
    draw_knowledge,
    draw_learning_curves,
    draw_learning_panels,
    draw_toy_crossplay,
    draw_toy_drift,
    save_figure,
)
from offbelief.evaluation.toy_experiment import ToySettings, run_toy_experiment


@pytest.fixture(scope="module")
def results():
    return run_toy_experiment(ToySettings(runs=2, obl_games=2_000, self_play_games=2_000, drift_levels=2))


def test_crossplay_figure_has_a_panel_per_method_and_level(results):
    figure = draw_toy_crossplay(results)
    titles = [axes.get_title() for axes in figure.axes]
    for panel in results.panels:
        assert panel.name in titles


def test_drift_figure_draws_self_play_and_cross_play_of_every_remedy(results):
    hot, mixed = draw_toy_drift(results).axes
    # The paper's operator stands in both pictures.
    assert 2 * (len(results.drifts) + 1) == len(hot.lines) + len(mixed.lines)


def test_figures_are_saved_as_png_and_pdf(results, tmp_path):
    paths = save_figure(draw_toy_drift(results), tmp_path / "figure")
    assert ["figure.png", "figure.pdf"] == [path.name for path in paths]
    assert all(path.stat().st_size > 1000 for path in paths)


def test_curves_have_a_line_each_and_references_are_named():
    lines = [{"cpu_minutes": 1.0, "score": 5.0, "sem": 0.1}, {"cpu_minutes": 2.0, "score": 6.0, "sem": 0.1}]
    figure = draw_learning_curves({"one": lines, "two": lines[:1]}, references={"paper": 20.92})
    (axes,), (legend,) = figure.axes, figure.legends
    assert ["one", "two"] == [text.get_text() for text in legend.get_texts()]
    assert ["paper: 20.92"] == [text.get_text() for text in axes.texts]
    assert [1.0, 2.0] == list(axes.containers[0].lines[0].get_xdata())


def test_panels_hold_their_curves_and_the_score_that_is_drawn_beside_them():
    lines = [{"cpu_minutes": 1.0, "score": 5.0, "sem": 0.1}, {"cpu_minutes": 2.0, "score": 20.0, "sem": 0.1}]
    figure = draw_learning_panels(
        {"one": {"a": lines, "b": lines}, "two": {"d": lines}, "three": {"c": lines}}, references={"one": 21}
    )
    one, two, three, empty = figure.axes
    assert ["a", "b"] == [text.get_text() for text in one.get_legend().get_texts()]
    assert ["paper: 21.00"] == [text.get_text() for text in one.texts]
    assert not three.texts
    assert one.get_ylim()[0] < 20.0 < 21.0 < one.get_ylim()[1]
    assert [True, True, True, False] == [axes.get_visible() for axes in (one, two, three, empty)]


def test_knowledge_bars_fill_a_hundred_percent_in_the_order_of_the_legend():
    shares = {"both": 0.5, "rank": 0.3, "colour": 0.2, "none": 0.0}
    (axes,) = draw_knowledge({"one": shares, "two": shares}).axes
    bars = [[(bar.get_x(), bar.get_width()) for bar in kind] for kind in axes.containers]
    assert [(0.0, 50.0), (50.0, 30.0), (80.0, 20.0), (100.0, 0.0)] == [pytest.approx(kind[0]) for kind in bars]
    assert ["two", "one"] == [label.get_text() for label in axes.get_yticklabels()]  # drawn from below
