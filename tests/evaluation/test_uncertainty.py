"""Means and their errors."""

import math

import numpy as np
import pytest

from offbelief.evaluation.uncertainty import Estimate, estimate_mean, estimate_over_disjoint_teams


def test_mean_and_standard_error_by_hand() -> None:
    # Squared distances from 3: 4, 1, 0, 1, 4; 10 / 4 = 2.5; sqrt(2.5 / 5)
    estimate = estimate_mean(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert (3.0, 5) == (estimate.mean, estimate.count)
    assert pytest.approx(math.sqrt(0.5)) == estimate.sem


def test_one_value_has_no_error_and_none_has_no_mean() -> None:
    one, none = estimate_mean(np.array([2.0])), estimate_mean(np.array([]))
    assert one.mean == 2.0 and math.isnan(one.sem)
    assert math.isnan(none.mean) and math.isnan(none.sem) and none.count == 0


def test_estimate_reads_as_mean_and_error() -> None:
    assert str(Estimate(1.234, 0.056, 10)) == "1.23 ± 0.06"
    assert str(Estimate(1.234, math.nan, 1)) == "1.23"


def test_disjoint_teams_share_no_run() -> None:
    teams = np.array([[0, 1], [1, 0], [0, 2], [2, 3], [3, 2], [4, 4]])
    values = np.array([1.0, 10.0, 100.0, 3.0, 1000.0, 5.0])
    estimate = estimate_over_disjoint_teams(values, teams)
    assert pytest.approx(values.mean()) == estimate.mean  # all teams
    assert estimate.count == 3  # (0, 1), (2, 3), (4, 4)
    assert pytest.approx(np.std([1.0, 3.0, 5.0], ddof=1) / math.sqrt(3)) == estimate.sem


def test_error_over_disjoint_teams_covers_the_spread_between_runs() -> None:
    # A team earns the sum of its two runs' strengths. The error over all teams as if independent is far too small.
    rng = np.random.default_rng(0)
    covered = naive = 0
    for _ in range(300):
        strength = rng.normal(size=20)
        teams = np.array([(i, j) for i in range(20) for j in range(20) if i != j])
        values = strength[teams].sum(axis=1)
        estimate = estimate_over_disjoint_teams(values, teams)
        covered += abs(estimate.mean) < 2 * estimate.sem
        naive += abs(values.mean()) < 2 * estimate_mean(values).sem
    assert covered > 0.85 * 300
    assert naive < 0.6 * 300


def test_no_teams_have_no_mean() -> None:
    estimate = estimate_over_disjoint_teams(np.array([]), np.zeros((0, 2), int))
    assert math.isnan(estimate.mean) and estimate.count == 0
