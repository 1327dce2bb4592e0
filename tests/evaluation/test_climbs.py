"""Ladders as reports see them: finished rungs, and levels paired within climbs and across."""

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from offbelief.errors import UserError
from offbelief.evaluation.climbs import Climb, cross_levels, is_climb, open_climb
from offbelief.evaluation.match import MatchResult
from offbelief.evaluation.tournament import Tournament
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.learning.ladder_presets import LADDER_PRESETS
from offbelief.learning.levels import belief_config, create_ladder

MINI = HanabiVariant.parse("mini")
LADDER = replace(LADDER_PRESETS["ladder-mini"][1](), levels=3, seed=7)


def finish(folder: Path, *rungs: str) -> None:
    for rung in rungs:
        (folder / rung).mkdir()
        (folder / rung / f"{'agent' if rung.startswith('level') else 'belief'}.safetensors").touch()


def test_a_climb_is_its_finished_rungs(tmp_path):
    folder = tmp_path / "up"
    create_ladder(folder, LADDER)
    finish(folder, "level-1", "belief-1", "level-2")
    (folder / "belief-2").mkdir()  # begun, not finished
    climb = open_climb(folder)
    assert {1: str(folder / "level-1"), 2: str(folder / "level-2")} == climb.levels
    assert {1: str(folder / "belief-1")} == climb.beliefs
    assert ("up", "obl train ladder-mini --levels 3 --seed 7") == (climb.name, climb.command)
    assert is_climb(str(folder))
    assert not is_climb(str(folder / "level-1"))


def test_a_climb_may_stand_on_somebody(tmp_path):
    folder = tmp_path / "up"
    create_ladder(folder, replace(LADDER, on="obl-2-a"))
    finish(folder, "belief-2", "level-3")
    climb = open_climb(folder)
    assert {1: "obl-1-a", 2: "obl-2-a", 3: str(folder / "level-3")} == climb.levels
    assert {1: "belief-1-a", 2: str(folder / "belief-2")} == climb.beliefs
    assert climb.command.endswith(" --on obl-2-a")


def test_a_climb_that_has_not_begun_is_refused(tmp_path):
    create_ladder(tmp_path / "up", LADDER)
    with pytest.raises(UserError, match="is finished yet"):
        open_climb(tmp_path / "up")
    with pytest.raises(UserError, match="holds no ladder"):
        open_climb(tmp_path)


def test_a_climb_of_the_zoo_is_its_top_and_its_parents():
    climb = open_climb("zoo:a")
    assert {1: "obl-1-a", 2: "obl-2-a", 3: "obl-3-a", 4: "obl-4-a"} == climb.levels
    assert {1: "belief-1-a", 2: "belief-2-a", 3: "belief-3-a"} == climb.beliefs
    assert ("a", "obl zoo info obl-4-a") == (climb.name, climb.command)
    assert is_climb("zoo:a")
    assert "obl-3-a" == belief_config("belief-3-a").of
    with pytest.raises(UserError, match=r"no climb 'q'; it has zoo:a"):
        open_climb("zoo:q")


def played(*scores):
    return MatchResult(np.array(scores), np.zeros(len(scores), bool), np.zeros(4, np.int64), 9)


def make_tournament(climbs):
    """Level i of climb x and level j of climb y score 10 i + 10 j + (0 in one climb, else x + y), give or take one."""
    places = {name: (x, level) for x, climb in enumerate(climbs) for level, name in climb.levels.items()}
    teams = [(name, name) for name in places] + list(itertools.combinations(places, 2))
    means = []
    for one, two in teams:
        (x, i), (y, j) = places[one], places[two]
        means.append(10 * i + 10 * j + (0 if x == y else x + y))
    return Tournament(list(places), teams, [played(mean - 1, mean + 1) for mean in means], MINI, 0)


def make_climbs(count):
    return [Climb(f"c{x}", {1: f"c{x}-1", 2: f"c{x}-2"}, {}, "") for x in range(count)]


def test_levels_across_climbs_by_hand():
    climbs = make_climbs(4)
    pairs = {pair.levels: pair for pair in cross_levels(make_tournament(climbs), climbs)}
    assert [(1, 1), (1, 2), (2, 2)] == list(pairs)
    # Pairs of different climbs have x + y = 1, 2, 3, 3, 4, 5 in order; (0, 1) and (2, 3) are disjoint: 1 and 5.
    same = pairs[1, 1]
    assert (20.0, 0.0) == (same.within.mean, same.within.sem)
    assert 23.0 == same.across.mean
    assert np.std([1, 5], ddof=1) / np.sqrt(2) == pytest.approx(same.across.sem)
    assert np.std([1, 2, 3, 3, 4, 5], ddof=1) / np.sqrt(6) == pytest.approx(same.across_sem_over_pairs)
    assert np.std([-1, 1], ddof=1) / np.sqrt(2) == pytest.approx(same.across_sem_over_games)
    # Different levels: level 1 of x with level 2 of y is another team than the other way round, but no other climbs.
    different = pairs[1, 2]
    assert (30.0, 33.0) == (different.within.mean, different.across.mean)
    assert same.across.sem == pytest.approx(different.across.sem)
    assert np.std([1, 2, 3, 3, 4, 5] * 2, ddof=1) / np.sqrt(12) == pytest.approx(different.across_sem_over_pairs)


def test_one_climb_has_nothing_across_and_the_error_of_its_games():
    climbs = make_climbs(1)
    found = cross_levels(make_tournament(climbs), climbs)[1].as_json()
    assert ([1, 2], 30.0, 1.0) == (found["levels"], found["within"], found["within_sem"])
    assert {None} == {found[key] for key in found if key.startswith("across")}


def test_two_climbs_have_one_disjoint_pair_and_so_no_error():
    climbs = make_climbs(2)
    found = cross_levels(make_tournament(climbs), climbs)[1].as_json()
    assert (31.0, None, 0.0) == (found["across"], found["across_sem"], found["across_sem_over_pairs"])


def test_climbs_are_compared_where_both_stand():
    climbs = make_climbs(2)
    shorter = [climbs[0], replace(climbs[1], levels={1: "c1-1"})]
    assert [(1, 1)] == [pair.levels for pair in cross_levels(make_tournament(climbs), shorter)]


def test_three_players_are_refused():
    with pytest.raises(UserError, match="two players"):
        cross_levels(replace(make_tournament(make_climbs(1)), variant=HanabiVariant.parse("full-3p")), make_climbs(1))
