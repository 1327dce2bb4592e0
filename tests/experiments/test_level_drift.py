"""Small errors of level 1 become private conventions of level 2, and a temperature keeps them small."""

import pytest
from tests.experiments.loading import load_experiment

import offbelief
from offbelief.games.catalogue import find_game
from offbelief.learning.exact_obl import OblSettings

level_drift = load_experiment("level_drift")


def test_noise_in_level_one_pays_with_oneself_and_costs_with_strangers_unless_play_is_soft():
    tree = offbelief.unroll(find_game(f"hanabi:{level_drift.VARIANT}"))
    lost = {}
    for temperature in (0.05, 0.3):
        settings = OblSettings(operator="bellman", temperature=temperature, belief_epsilon=0.05)
        row = level_drift.disturb(tree, settings, [0.0, 0.01], runs=2)
        without, noisy = row["noisy"]
        assert without["self_play"] == pytest.approx(row["level_2"])
        assert without["cross_play"] == pytest.approx(row["level_2"])
        assert noisy["level_1"] == pytest.approx(row["level_1"], abs=0.01)
        lost[temperature] = noisy["self_play"] - noisy["cross_play"]
    assert lost[0.05] > 0.1
    assert lost[0.3] < 0.01
