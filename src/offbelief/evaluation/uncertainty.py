"""Means and their errors: how runs, teams and games are pooled."""

from dataclasses import dataclass

import numpy as np

from offbelief.nouns import FloatArray, IntArray


@dataclass(frozen=True)
class Estimate:
    """A mean with its standard error."""

    mean: float
    sem: float
    """Standard error of the mean; nan where one number says nothing about its spread."""
    count: int

    def as_json(self, name: str) -> dict[str, float | None]:
        """The mean and its error under a name; JSON has no nan, so an unknown error is null."""
        return {name: self.mean, f"{name}_sem": None if np.isnan(self.sem) else self.sem}

    def __str__(self) -> str:
        return f"{self.mean:.2f}" if np.isnan(self.sem) else f"{self.mean:.2f} ± {self.sem:.2f}"


def estimate_mean(values: FloatArray) -> Estimate:
    """Mean and standard error of independent values."""
    count = len(values)
    if count == 0:
        return Estimate(float("nan"), float("nan"), 0)
    sem = float(np.std(values, ddof=1) / np.sqrt(count)) if count > 1 else float("nan")
    return Estimate(float(np.mean(values)), sem, count)


def estimate_over_disjoint_teams(values: FloatArray, teams: IntArray) -> Estimate:
    """Mean over all teams, with an error from teams that share no run.

    Teams that share a run are not independent, so the usual error over all teams is too small. Here the error comes
    from disjoint teams alone: in the order given, a team is taken if none of its runs was taken before.

    Args:
        values: [M] score of every team.
        teams: [M, P] the runs in every team.
    """
    taken: set[int] = set()
    disjoint: list[int] = []
    for index, team in enumerate(teams):
        runs = {int(run) for run in team}
        if not runs & taken:
            taken |= runs
            disjoint.append(index)
    spread = estimate_mean(np.asarray(values)[disjoint])
    return Estimate(float(np.mean(values)) if len(values) else float("nan"), spread.sem, len(disjoint))
