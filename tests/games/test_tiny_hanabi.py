"""Tiny Hanabi: open_spiel's game move by move, and the values of optimum, random play and the levels."""

import re

import numpy as np
import pytest
from tests.naive.exact import enumerate_trajectories, walk

from offbelief.agents.tabular import uniform_policy
from offbelief.errors import GameError
from offbelief.games.tiny_hanabi import OPEN_SPIEL_PAYOFFS, TinyHanabi
from offbelief.games.tree import Tree, unroll
from offbelief.learning.exact_baselines import self_play_optimum, value
from offbelief.learning.exact_obl import OblSettings, obl_levels


@pytest.fixture(scope="module")
def tree() -> Tree:
    return unroll(TinyHanabi())


def test_payoffs_and_rules_equal_open_spiel() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is the oracle of this test")
    spiel, game = pyspiel.load_game("tiny_hanabi"), TinyHanabi()
    assert (2, 2, 3, 3) == game.payoffs.shape
    for cards in np.ndindex(2, 2):
        for actions in np.ndindex(3, 3):
            state, ours = spiel.new_initial_state(), tuple(int(card) for card in cards)
            for card in ours:
                assert state.is_chance_node() and [(0, 0.5), (1, 0.5)] == state.chance_outcomes()
                state.apply_action(card)
            reward = 0.0
            for action in map(int, actions):
                assert state.current_player() == game.acting_player(ours)
                assert state.legal_actions() == list(game.legal_actions(ours))
                state.apply_action(action)
                ((_, reward, ours),) = game.transitions(ours, action)
            assert state.is_terminal() and game.acting_player(ours) is None
            assert [reward, reward] == state.returns()


def test_histories_tell_players_what_open_spiel_tells_them(tree: Tree) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is the oracle of this test")
    spiel = pyspiel.load_game("tiny_hanabi")
    alike: dict[str, set[object]] = {}
    for trajectory in walk(enumerate_trajectories(TinyHanabi())):
        state = spiel.new_initial_state()
        for move in trajectory.state:  # two cards, then the first action
            state.apply_action(move)
        alike.setdefault(state.information_state_string(), set()).add(trajectory.own_history)
    # One information state of theirs is one history of ours, and the other way round.
    assert all(len(histories) == 1 for histories in alike.values())
    assert tree.num_decisions == len(alike) == len(set.union(*alike.values()))


def test_optimum_is_ten_and_uniform_play_earns_3_722(tree: Tree) -> None:
    found = self_play_optimum(tree)
    assert found.is_exact
    assert pytest.approx(10.0) == found.value
    assert pytest.approx(134 / 36) == value(uniform_policy(tree))  # 3.722


@pytest.mark.parametrize("operator", ["counterfactual", "bellman"])
@pytest.mark.parametrize(
    ("temperature", "expected"),
    [("limit", [8, 9, 10, 10]), (1e-3, [8, 9, 10, 10]), (1e-4, [8, 9, 10, 10]), (0.0, [8, 8, 8, 8])],
)
def test_levels_climb_in_the_limit_but_not_at_temperature_zero(
    tree: Tree, operator: str, temperature: float, expected: list[float]
) -> None:
    levels = obl_levels(tree, 4, OblSettings(operator=operator, temperature=temperature))
    assert pytest.approx(expected, abs=1e-6) == [value(level.policy) for level in levels]


def test_other_payoffs_make_other_games() -> None:
    game = TinyHanabi(np.arange(2 * 3 * 2 * 4).reshape(2, 3, 2, 4))
    tree = unroll(game)
    assert len(list(game.initial_states())) == 6
    assert {2, 4} == set(np.diff(tree.arrays.entry_start)) - {0}
    # Entries grow along every axis, so everybody takes the last action.
    assert pytest.approx(game.payoffs[:, :, -1, -1].mean()) == self_play_optimum(tree).value


@pytest.mark.parametrize(
    ("payoffs", "shape"), [([[1.0, 2.0]], "(1, 2)"), (np.zeros((2, 2, 0, 3)), "(2, 2, 0, 3)"), (3.0, "()")]
)
def test_payoffs_of_another_shape_are_refused(payoffs: object, shape: str) -> None:
    sentence = f"A payoff table has four axes (card, card, action, action); this one has the shape {shape}."
    with pytest.raises(GameError, match=re.escape(sentence)):
        TinyHanabi(payoffs)


def test_default_table_is_open_spiels() -> None:
    assert np.asarray(OPEN_SPIEL_PAYOFFS).tolist() == TinyHanabi().payoffs.tolist()
