"""Cross-play of Hanabi agents: every agent with itself, and every team of distinct ones."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from offbelief.evaluation.match import Agent, MatchResult, play_all_orders
from offbelief.evaluation.uncertainty import Estimate, estimate_mean, estimate_over_disjoint_teams
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import FloatArray


@dataclass(frozen=True, eq=False)
class Tournament:
    """What every team scored."""

    agents: list[str]
    teams: list[tuple[str, ...]]
    results: list[MatchResult]
    variant: HanabiVariant
    seed: int

    @property
    def self_play(self) -> Estimate:
        """Mean over agents of their own teams."""
        return estimate_mean(np.array([played.mean for team, played in self._pairs() if len(set(team)) == 1]))

    @property
    def cross_play(self) -> Estimate:
        """Mean over teams of distinct agents; the error comes from teams that share none."""
        chosen = [(team, played) for team, played in self._pairs() if len(set(team)) > 1]
        numbers = np.array([[self.agents.index(name) for name in team] for team, _ in chosen])
        return estimate_over_disjoint_teams(np.array([played.mean for _, played in chosen]), numbers)

    @property
    def cross_play_sem_over_pairs(self) -> float:
        """The paper's error: as if all teams were independent."""
        return estimate_mean(np.array([played.mean for team, played in self._pairs() if len(set(team)) > 1])).sem

    @property
    def matrix(self) -> FloatArray:
        """[N, N] mean score of every pair, for two players."""
        matrix = np.full((len(self.agents), len(self.agents)), np.nan)
        for team, played in self._pairs():
            first, second = (self.agents.index(name) for name in team)
            matrix[first, second] = matrix[second, first] = played.mean
        return matrix

    def as_json(self) -> dict[str, object]:
        """The figures that `obl crossplay` reports."""
        over_pairs = self.cross_play_sem_over_pairs
        return {
            "agents": self.agents,
            "variant": self.variant.name,
            "seed": self.seed,
            **self.self_play.as_json("self_play"),
            **self.cross_play.as_json("cross_play"),
            "cross_play_sem_over_pairs": None if np.isnan(over_pairs) else over_pairs,
            "teams": [{"agents": list(team), **played.as_json()} for team, played in self._pairs()],
        }

    def _pairs(self) -> list[tuple[tuple[str, ...], MatchResult]]:
        return list(zip(self.teams, self.results, strict=True))


def play_tournament(agents: Mapping[str, Agent], variant: HanabiVariant, games: int, seed: int) -> Tournament:
    """Play every agent with itself and every team of distinct agents.

    Args:
        agents: By name.
        variant: The rules.
        games: Of every team, shared evenly by its seat orders.
        seed: Of the deals, the same for every team.
    """
    names = list(agents)
    teams = [(name,) * variant.players for name in names]
    teams += list(itertools.combinations(names, variant.players))
    results = [play_all_orders([agents[name] for name in team], variant, games, seed) for team in teams]
    return Tournament(names, teams, results, variant, seed)
