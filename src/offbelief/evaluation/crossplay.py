"""Cross-play on small games: players from independent runs seated together, exactly.

A *team* names the run that sits at each seat. Self-play teams come from one run, cross-play teams from all different
ones (paper, Section 5 and Table 1; triples of distinct runs for three players, and so on).
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offbelief.agents.tabular import TabularPolicy, seat_together
from offbelief.evaluation.uncertainty import Estimate, estimate_mean, estimate_over_disjoint_teams
from offbelief.learning.exact_baselines import value
from offbelief.nouns import BoolArray, FloatArray, IntArray, UserError

MAX_TEAMS = 20_000


@dataclass(frozen=True, eq=False)
class CrossPlay:
    """The value of every team."""

    teams: IntArray
    """[M, P] run at every seat"""
    values: FloatArray
    """[M]"""
    num_runs: int

    @property
    def is_self_play(self) -> BoolArray:
        """[M] bool: one run at all seats."""
        return np.asarray((self.teams == self.teams[:, :1]).all(axis=1))

    @property
    def is_cross_play(self) -> BoolArray:
        """[M] bool: a different run at every seat."""
        in_order = np.sort(self.teams, axis=1)
        return np.asarray((in_order[:, 1:] != in_order[:, :-1]).all(axis=1))

    @property
    def self_play(self) -> Estimate:
        """Mean over runs."""
        return estimate_mean(self.values[self.is_self_play])

    @property
    def cross_play(self) -> Estimate:
        """Mean over teams of distinct runs; the error comes from teams that share no run."""
        chosen = self.is_cross_play
        return estimate_over_disjoint_teams(self.values[chosen], self.teams[chosen])

    @property
    def matrix(self) -> FloatArray:
        """[R, R] value of (run at seat 0, run at seat 1), for two players."""
        if self.teams.shape[1] != 2:
            raise UserError("Only two-player cross-play is a matrix; use teams and values.")
        matrix = np.full((self.num_runs, self.num_runs), np.nan)
        matrix[self.teams[:, 0], self.teams[:, 1]] = self.values
        return matrix


def crossplay(policies: Sequence[TabularPolicy], *, seed: int = 0) -> CrossPlay:
    """Seat players from independent runs together in every way and compute each team's exact value.

    Args:
        policies: one joint policy per run, on the same tree.
        seed: with more than MAX_TEAMS possible teams, as many are drawn at random besides the self-play ones.
    """
    num_runs = len(policies)
    num_players = policies[0].tree.num_players
    if num_runs**num_players <= MAX_TEAMS:
        teams = np.array(list(itertools.product(range(num_runs), repeat=num_players)))
    else:
        drawn = np.random.default_rng(seed).integers(num_runs, size=(MAX_TEAMS, num_players))
        same = np.repeat(np.arange(num_runs)[:, None], num_players, axis=1)
        teams = np.unique(np.concatenate([same, drawn]), axis=0)
    values = np.array([value(seat_together([policies[run] for run in team])) for team in teams])
    return CrossPlay(teams, values, num_runs)
