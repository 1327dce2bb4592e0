import numpy as np
import pytest

from offbelief.evaluation.toy_experiment import LEVELS, ToySettings, as_json, exact_values, run_toy_experiment
from offbelief.games.toy_communication import ToyCommunicationGame
from offbelief.games.tree import unroll


@pytest.fixture(scope="module")
def results():
    return run_toy_experiment(ToySettings(runs=6))


def test_exact_values_are_the_published_ones():
    expected = {
        "random": [-0.875],
        "self-play optimum": [10],
        "OBL": [5, 5, 5, 5],
        "CH": [1, 1, 5, 5],
        "k-level": [1, 5, 5, 5],
    }
    actual = exact_values(unroll(ToyCommunicationGame()))
    assert set(expected) == set(actual)
    for method, values in expected.items():
        assert actual[method] == pytest.approx(values)


def test_self_play_panel_is_a_checkerboard_of_tens(results):
    matrix = results.panels[0].crossplay.matrix
    assert "SP" == results.panels[0].name
    assert np.diag(matrix) == pytest.approx(10)
    assert np.abs(matrix) == pytest.approx(10)


def test_level_one_panels_are_flat(results):
    by_name = {panel.name: panel.crossplay.matrix for panel in results.panels}
    assert by_name["OBL level 1"] == pytest.approx(5, abs=0.05)
    assert by_name["CH level 1"] == pytest.approx(1, abs=0.3)


def test_sampled_levels_drift_apart_as_in_the_paper(results):
    last = next(panel for panel in results.panels if panel.name == f"OBL level {LEVELS}")
    assert last.crossplay.self_play.mean > 6
    assert last.crossplay.cross_play.mean < 4


def test_mixed_belief_keeps_levels_together_and_temperature_does_not(results):
    for drift in results.drifts:
        together = drift.self_play[-1] - drift.cross_play[-1] < 0.1
        earns = drift.self_play[-1] > 4.9
        assert (together and earns) == (drift.belief_epsilon > 0)


def test_same_seed_gives_the_same_results_and_another_seed_others():
    small = {"runs": 2, "self_play_games": 200, "obl_games": 500, "hierarchy_games": 100, "drift_levels": 2}
    first, again, other = (as_json(run_toy_experiment(ToySettings(seed=seed, **small))) for seed in (1, 1, 2))
    assert first == again
    assert first["panels"] != other["panels"]
