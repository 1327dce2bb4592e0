"""What the last actor says: the move it would have made, or the move it made."""

import numpy as np
import pytest

from offbelief.beliefs.hanabi_game import HanabiGame, ViewSettings
from offbelief.games.hanabi.colours import draw_permutations, permute_observations
from offbelief.streams import new_stream


def announcing(variant):
    return HanabiGame(variant, view=ViewSettings(last_move=True, announced=True))


def said(game, states):
    return game.observe(states)[:, -game.num_moves :]


def random_moves(game, states, rng):
    return np.array([rng.choice(np.flatnonzero(row)) if row.any() else -1 for row in game.legal_moves(states)])


@pytest.mark.parametrize("variant", ["mini", "full-2p", "full-4p"])
def test_without_announcement_it_is_the_last_move(variant):
    game = announcing(variant)
    states = game.deal(32, 0)
    rng = np.random.default_rng(0)
    assert not said(game, states).any()
    for _ in range(12):
        moves = random_moves(game, states, rng)
        game.step(states, moves)
        playing = np.flatnonzero(moves >= 0)
        assert np.array_equal(np.eye(game.num_moves)[moves[playing]], said(game, states)[playing])


def test_announced_move_is_seen_until_the_next_move():
    game = announcing("mini")
    states = game.deal(8, 0)
    rng = np.random.default_rng(0)
    game.step(states, random_moves(game, states, rng))
    wished = np.arange(8)
    game.announce(states, wished)
    assert np.array_equal(np.eye(game.num_moves)[wished], said(game, states))
    moves = random_moves(game, states, rng)
    game.step(states, moves)
    assert np.array_equal(np.eye(game.num_moves)[moves], said(game, states))


def test_nothing_is_announced_in_a_fresh_game():
    game = announcing("mini")
    states = game.deal(8, 0)
    game.announce(states, np.arange(8))
    assert not said(game, states).any()


def test_rest_of_the_view_is_that_with_the_last_move():
    game, plain = announcing("full-3p"), HanabiGame("full-3p", view=ViewSettings(last_move=True))
    states = game.deal(8, 0)
    rng = np.random.default_rng(0)
    for _ in range(5):
        game.step(states, random_moves(game, states, rng))
    assert np.array_equal(plain.observe(states), game.observe(states)[:, : -game.num_moves])


def test_renaming_colours_renames_what_is_said():
    game = announcing("full-3p")
    states = game.deal(200, 0)
    rng = np.random.default_rng(0)
    game.step(states, random_moves(game, states, rng))
    game.announce(states, rng.integers(game.num_moves, size=200))
    names = draw_permutations(new_stream(0), 200, game.variant)
    expected = permute_observations(game.observe(states), game.layout, names)
    assert np.array_equal(expected, game.observe(game.rename(states, names)))
