"""Ladders that were climbed: which agents and beliefs stand on their rungs, and how levels get along across climbs.

A climb is named by the folder of its ladder, or as one of the zoo: ``zoo:a`` ends with ``obl-4-a`` and has its parents
on the rungs below. How a ladder is climbed is in `offbelief.learning.levels`; matches are played by `tournament.py`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from offbelief.agents.loading import zoo_names
from offbelief.evaluation.match import MatchResult
from offbelief.evaluation.tournament import Tournament
from offbelief.evaluation.uncertainty import Estimate, estimate_mean, estimate_over_disjoint_teams
from offbelief.learning.levels import ladder_command, read_ladder, rungs, standing_of
from offbelief.nouns import IntArray, UserError


@dataclass(frozen=True)
class Climb:
    """The finished rungs of a ladder."""

    name: str
    """Of its folder, or its letter in the zoo."""
    levels: Mapping[int, str]
    """Agents by level, as `load_agent` takes them"""
    beliefs: Mapping[int, str]
    """Beliefs by the level whose moves they read, as `load_belief` takes them"""
    command: str
    """What would climb it again, or shows the cards that say so."""


ZOO = "zoo:"


def is_climb(name: str) -> bool:
    """Whether a name is the folder of a ladder, or a climb of the zoo."""
    return name.startswith(ZOO) or (Path(name) / "ladder.json").exists()


def open_climb(name: str | Path) -> Climb:
    """Find the finished rungs of a ladder, by its folder or as ``zoo:LETTER``.

    Raises:
        UserError: the folder holds no ladder, no level of it is finished, or the zoo has no such climb.
    """
    return _open_zoo(str(name).removeprefix(ZOO)) if str(name).startswith(ZOO) else _open_folder(Path(name))


def _open_zoo(letter: str) -> Climb:
    """Follow the highest agent of a letter down to its first level."""
    named = [name.split("-") for name in zoo_names()]
    tops = [int(parts[1]) for parts in named if len(parts) == 3 and parts[0] == "obl" and parts[2] == letter]
    if max(tops, default=1) < 2:
        letters = sorted({parts[2] for parts in named if len(parts) == 3 and parts[:2] == ["obl", "2"]})
        raise UserError(f"The zoo has no climb '{letter}'; it has {', '.join(ZOO + each for each in letters)}.")
    top = f"obl-{max(tops)}-{letter}"
    levels, beliefs = _below(top)
    return Climb(letter, levels, beliefs, f"obl zoo info {top}")


def _below(agent: str) -> tuple[dict[int, str], dict[int, str]]:
    """Agents by level up to one of them, and the beliefs between them by the level that they read."""
    standing = standing_of(agent)[::-1]
    levels = {level: each.agent for level, each in enumerate(standing, 1)}
    return levels, {level: each.belief for level, each in enumerate(standing) if each.belief}


def _open_folder(folder: Path) -> Climb:
    ladder = read_ladder(folder)
    levels, beliefs = _below(ladder.on) if ladder.on else ({}, {})
    for rung in rungs(ladder, folder):
        kind, _, number = rung.name.rpartition("-")
        if (folder / rung.name / rung.product).exists():
            (levels if kind == "level" else beliefs)[int(number)] = str(folder / rung.name)
    if not levels:
        raise UserError(f"No level of {folder} is finished yet; go on with 'obl resume {folder}' first.")
    return Climb(folder.resolve().name, levels, beliefs, ladder_command(ladder))


# ---------------------------------------------------------------------------------------------------------------------
# Levels across climbs
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LevelPair:
    """How two levels get along (two players)."""

    levels: tuple[int, int]
    within: Estimate
    """Both of the same climb, over climbs: self-play where the levels are equal. Higher levels grow out of lower ones,
    so these are not strangers."""
    across: Estimate
    """Of different climbs. The error comes from pairs of climbs that share none."""
    across_sem_over_pairs: float
    """The paper's error: as if all pairs of climbs were independent; nan for a single pair."""
    across_sem_over_games: float
    """What the finite number of games alone contributes. Pairs play the same deals, so they count as one."""

    def as_json(self) -> dict[str, Any]:
        """The same as plain numbers, null for unknown ones."""
        found = {
            "levels": list(self.levels),
            **self.within.as_json("within"),
            **self.across.as_json("across"),
            "across_sem_over_pairs": self.across_sem_over_pairs,
            "across_sem_over_games": self.across_sem_over_games,
        }
        return {key: None if isinstance(value, float) and np.isnan(value) else value for key, value in found.items()}


def cross_levels(tournament: Tournament, climbs: Sequence[Climb]) -> list[LevelPair]:
    """Pair every level with itself and every other, within climbs and across them.

    Two agents of one climb are not independent, whatever their levels, so errors are estimated over pairs of *climbs*.

    Args:
        tournament: Of all agents of the climbs, two players.
        climbs: Whose levels.
    """
    if tournament.variant.players != 2:
        raise UserError("Levels are paired for two players; look at the teams of the tournament for more.")
    results = {frozenset(team): played for team, played in zip(tournament.teams, tournament.results, strict=True)}
    common = sorted(set.intersection(*(set(climb.levels) for climb in climbs)))
    pairs = []
    for place, low in enumerate(common):
        for high in common[place:]:
            within = [results[frozenset((climb.levels[low], climb.levels[high]))] for climb in climbs]
            teams = [
                (first, second)
                for first in range(len(climbs))
                for second in range(len(climbs))
                if (first < second if low == high else first != second)
            ]
            across = [results[frozenset((climbs[one].levels[low], climbs[two].levels[high]))] for one, two in teams]
            pairs.append(_pair((low, high), within, across, np.array(teams).reshape(-1, 2)))
    return pairs


def _pair(
    levels: tuple[int, int], within: Sequence[MatchResult], across: Sequence[MatchResult], teams: IntArray
) -> LevelPair:
    means = np.array([played.mean for played in across])
    own = estimate_mean(np.array([played.mean for played in within]))
    if len(within) == 1:  # then only its games can say how sure it is
        own = Estimate(own.mean, within[0].sem, 1)
    over_games = float(np.mean([played.sem for played in across])) if across else float("nan")
    return LevelPair(levels, own, estimate_over_disjoint_teams(means, teams), estimate_mean(means).sem, over_games)
