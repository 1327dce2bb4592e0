"""Cross-play between runs: every team, any number of players, and how their values are pooled."""

import itertools

import numpy as np
import pytest
from tests.naive.samples import random_policy

from offbelief.agents.tabular import seat_together
from offbelief.errors import UserError
from offbelief.evaluation import crossplay as room
from offbelief.evaluation.crossplay import crossplay
from offbelief.games.random_game import RandomGameSettings, random_game
from offbelief.games.toy_communication import ToyCommunicationGame
from offbelief.games.tree import Tree, unroll
from offbelief.learning.exact_baselines import value


@pytest.fixture(scope="module")
def toy() -> Tree:
    return unroll(ToyCommunicationGame())


@pytest.fixture(scope="module")
def three() -> Tree:
    return unroll(random_game(3, RandomGameSettings(players=3)))


def test_matrix_holds_the_value_of_row_at_seat_0_and_column_at_seat_1(toy: Tree) -> None:
    runs = [random_policy(toy, seed) for seed in range(4)]
    table = crossplay(runs)
    for row, column in itertools.product(range(4), repeat=2):
        assert pytest.approx(value(seat_together([runs[row], runs[column]]))) == table.matrix[row, column]
    assert len(table.values) == 16


def test_self_play_is_the_diagonal_and_cross_play_the_rest(toy: Tree) -> None:
    table = crossplay([random_policy(toy, seed) for seed in range(5)])
    diagonal = np.eye(5, dtype=bool)
    assert pytest.approx(table.matrix[diagonal].mean()) == table.self_play.mean
    assert pytest.approx(table.matrix[~diagonal].mean()) == table.cross_play.mean
    assert table.self_play.count == 5
    assert pytest.approx(np.std(table.matrix[diagonal], ddof=1) / np.sqrt(5)) == table.self_play.sem


def test_three_players_cross_play_is_all_different(three: Tree) -> None:
    runs = [random_policy(three, seed) for seed in range(4)]
    table = crossplay(runs)
    assert (64, 3) == table.teams.shape
    assert table.is_self_play.sum() == 4
    assert table.is_cross_play.sum() == 4 * 3 * 2
    expected = [value(seat_together([runs[run] for run in team])) for team in itertools.permutations(range(4), 3)]
    assert pytest.approx(np.mean(expected)) == table.cross_play.mean
    with pytest.raises(UserError, match="Only two-player cross-play is a matrix; use teams and values"):
        table.matrix  # noqa: B018


def test_same_run_in_all_seats_makes_cross_play_equal_self_play(three: Tree) -> None:
    policy = random_policy(three, 1)
    table = crossplay([policy] * 4)
    assert pytest.approx(value(policy)) == table.self_play.mean
    assert pytest.approx(value(policy)) == table.cross_play.mean


def test_single_run_has_no_cross_play(toy: Tree) -> None:
    table = crossplay([random_policy(toy, 0)])
    assert np.isnan(table.cross_play.mean) and table.cross_play.count == 0
    assert np.isnan(table.self_play.sem)


def test_too_many_teams_are_sampled_and_keep_self_play(three: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MAX_TEAMS", 50)
    runs = [random_policy(three, seed) for seed in range(6)]  # 216 teams
    table, again, other = (crossplay(runs, seed=seed) for seed in (1, 1, 2))
    assert table.is_self_play.sum() == 6
    assert 40 < len(table.values) <= 56
    assert len({tuple(team) for team in table.teams.tolist()}) == len(table.teams)
    assert np.array_equal(table.teams, again.teams) and not np.array_equal(table.teams, other.teams)
    for team, earned in zip(table.teams, table.values, strict=True):
        assert pytest.approx(value(seat_together([runs[run] for run in team]))) == earned
