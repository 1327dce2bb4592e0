"""Simultaneous moves one after the other (paper, Section 4.5): same values, and the order decides."""

import itertools
import re

import numpy as np
import pytest
from tests.naive.samples import RandomSimultaneousGame

from offbelief.agents.tabular import policy_from_mapping, uniform_policy
from offbelief.errors import GameError
from offbelief.games.check import check_game
from offbelief.games.simultaneous import MatrixGame, as_turn_based
from offbelief.games.tree import Tree, unroll
from offbelief.learning.exact_baselines import self_play_optimum, value
from offbelief.learning.exact_obl import OblSettings, obl

COORDINATION = [[1.0, 0.0], [0.0, 1.0]]


def by_player(tree: Tree, policy: object) -> dict[str, dict[str, float]]:
    """What each player of a matrix game does; each has one decision."""
    return {name.split(":")[0]: policy.at(name) for name in tree.history_by_name}


# --- the paper's example ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_order_decides_between_the_equilibria_of_a_coordination_game(order: tuple[int, int]) -> None:
    # Who chooses second believes that the first chose by pi0, and so prefers what pi0's partner makes good; the first
    # knows what the second will do. pi0 leans one way for Row and the other way for Column.
    tree = unroll(as_turn_based(MatrixGame(COORDINATION), order))
    names = {name.split(":")[0]: name for name in tree.history_by_name}
    pi0 = policy_from_mapping(tree, {names["Row"]: {"0": 0.9, "1": 0.1}, names["Column"]: {"0": 0.2, "1": 0.8}})
    level = obl(pi0, OblSettings(temperature="limit"))
    chosen = "0" if order == (0, 1) else "1"  # what the first to choose would do in pi0
    for plays in by_player(tree, level.policy).values():
        assert pytest.approx(1.0) == plays[chosen]
    assert pytest.approx(1.0) == value(level.policy)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_uniform_pi0_leaves_the_coordination_game_undecided(order: tuple[int, int]) -> None:
    tree = unroll(as_turn_based(MatrixGame(COORDINATION), order))
    level = obl(uniform_policy(tree), OblSettings(temperature=0.1))
    for plays in by_player(tree, level.policy).values():
        assert pytest.approx({"0": 0.5, "1": 0.5}) == plays
    assert pytest.approx(0.5) == value(level.policy)


def test_order_matters_for_uniform_pi0_in_an_uneven_game() -> None:
    # Who chooses second answers a uniform partner, and the first adapts. Column second: column 0 has 2.0 on average
    # against 1.1, so row 0 and 3. Row second: row 1 has 1.6 on average against 1.5, so column 1 and 2.2.
    game, earned = MatrixGame([[3.0, 0.0], [1.0, 2.2]]), []
    for order in ((0, 1), (1, 0)):
        pi0 = uniform_policy(unroll(as_turn_based(game, order)))
        earned.append(value(obl(pi0, OblSettings(temperature="limit")).policy))
    assert pytest.approx([3.0, 2.2]) == earned


# --- equivalence ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_values_of_policies_do_not_depend_on_the_order(seed: int) -> None:
    # A policy of the simultaneous game depends on what a player has seen of its rounds, in whatever order it is asked.
    values = []
    for order in itertools.permutations(range(2 + seed % 2)):
        game = as_turn_based(RandomSimultaneousGame(seed), order)
        tree = unroll(game)
        mapping = {}
        for name in tree.history_by_name:
            player, seen = name.split(": ", 1)
            simultaneous = ", ".join(event for event in seen.split(", ") if event != "a hidden move")
            rng = np.random.default_rng(list((player + simultaneous).encode()))
            legal = sorted(uniform_policy(tree).at(name))
            mapping[name] = dict(zip(legal, rng.dirichlet(np.ones(len(legal))).tolist(), strict=True))
        values.append(value(policy_from_mapping(tree, mapping)))
        assert game.max_length >= check_game(game).longest
    assert len(values) >= 2
    assert pytest.approx(np.full(len(values), values[0])) == values


def test_optimum_does_not_depend_on_the_order() -> None:
    payoffs = np.random.default_rng(0).normal(size=(3, 4))
    for order in ((0, 1), (1, 0)):
        found = self_play_optimum(unroll(as_turn_based(MatrixGame(payoffs.tolist()), order)))
        assert pytest.approx(payoffs.max()) == found.value


def test_choices_stay_hidden_until_all_have_chosen() -> None:
    tree = unroll(as_turn_based(RandomSimultaneousGame(2), (1, 0)))  # two players, choices shown after the round
    second = [name for name in tree.history_by_name if name.startswith("Ann") and name.count("hidden") == 1]
    first_round = [name for name in second if "left" not in name and "right" not in name]
    # Ann chooses after Ben and knows her type, not his choice.
    assert ["Ann: sees x, a hidden move", "Ann: sees y, a hidden move"] == sorted(first_round)
    assert any("('left', 'wait')" in name for name in tree.history_by_name)  # in the order of the players, by then


def test_game_that_hides_all_choices_shows_none() -> None:
    tree = unroll(as_turn_based(RandomSimultaneousGame(3)))
    assert not any("(" in name for name in tree.history_by_name)


def test_player_who_sits_out_is_not_asked() -> None:
    game = as_turn_based(RandomSimultaneousGame(0))  # Ann moves in the first round only
    tree = unroll(game)
    assert tree.depth == 3
    assert game.max_length == 4  # two rounds of two


def test_default_order_is_by_number() -> None:
    game = as_turn_based(MatrixGame(COORDINATION))
    assert game.order == (0, 1)
    assert game.name == "matrix (order Row, Column)"
    assert game.public_actions is False


@pytest.mark.parametrize("order", [(0,), (0, 0), (1, 2), (0, 1, 2), ()])
def test_order_that_is_no_order_is_refused(order: tuple[int, ...]) -> None:
    sentence = f"The order {order} must name every player from 0 to 1 once."
    with pytest.raises(GameError, match=re.escape(sentence)):
        as_turn_based(MatrixGame(COORDINATION), order)


@pytest.mark.parametrize("payoffs", [[1.0, 2.0], [[]], [[[1.0]]]])
def test_payoffs_that_are_no_matrix_are_refused(payoffs: list[object]) -> None:
    with pytest.raises(GameError, match="A matrix game needs a matrix of payoffs, not an array of shape"):
        MatrixGame(payoffs)


def test_simultaneous_game_as_it_is_is_refused_with_advice() -> None:
    class Both(MatrixGame):
        def acting_player(self, state: str) -> object:
            return self.acting_players(state) or None

    with pytest.raises(GameError, match=r"The game is not turn-based: .* players \[0, 1\] move at once; convert it"):
        check_game(Both(COORDINATION))  # type: ignore[arg-type]
    with pytest.raises(GameError, match="MatrixGame is not a game yet: it lacks acting_player"):
        check_game(MatrixGame(COORDINATION))  # type: ignore[arg-type]
