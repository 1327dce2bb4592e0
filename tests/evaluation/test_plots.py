import pytest

from offbelief.evaluation.plots import draw_toy_crossplay, draw_toy_drift, save_figure
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
