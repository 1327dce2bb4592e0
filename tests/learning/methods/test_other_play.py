"""The game of Other-Play: a fair renaming for every seat, drawn with the deal, and otherwise the same game."""

import collections

import numpy as np
import pytest
from tests.agents.networks.test_cardwise import middle_games

from offbelief.beliefs.hanabi_game import HanabiGame, ViewSettings
from offbelief.games.batched import check_batched_game
from offbelief.games.hanabi.colours import invert_permutations
from offbelief.learning.methods.other_play import RenamedGame
from offbelief.streams import new_stream


@pytest.mark.parametrize("keeps", [False, True])
@pytest.mark.parametrize("view", [ViewSettings(), ViewSettings(memory=True), ViewSettings(announced=True)])
def test_renamed_game_keeps_the_contract(view, keeps):
    check_batched_game(RenamedGame(HanabiGame("mini", view=view), one_seat_keeps=keeps), games=16, turns=40)


def test_every_naming_is_equally_likely_and_seats_draw_their_own():
    game = RenamedGame(HanabiGame("mini"))
    states = game.deal(12_000, 0)
    names = [game.names(states, np.full(len(states), seat)) for seat in (0, 1)]
    pairs = collections.Counter((*map(tuple, pair),) for pair in zip(*names, strict=True))
    assert 36 == len(pairs)
    expected = 12_000 / 36
    assert all(abs(count - expected) < 5 * np.sqrt(expected) for count in pairs.values())


def test_one_seat_keeps_the_true_names_if_asked():
    game = RenamedGame(HanabiGame("full-3p"), one_seat_keeps=True)
    states = game.deal(6000, 0)
    kept = np.stack([(game.names(states, np.full(6000, seat)) == np.arange(5)).all(axis=1) for seat in range(3)])
    assert kept.any(axis=0).all()
    assert np.allclose(1 / 3 + 2 / 3 / 120, kept.mean(axis=1), atol=0.03)


def test_names_stay_for_a_game_and_change_with_the_next():
    game = RenamedGame(HanabiGame("mini"))
    states = game.deal(200, 0)
    seats = np.zeros(200, np.int64)
    first = game.names(states, seats)
    rng = np.random.default_rng(0)
    while not game.is_over(states).all():
        assert np.array_equal(first, game.names(states, seats))
        legal = game.legal_moves(states)
        game.step(states, np.array([rng.choice(np.flatnonzero(row)) if row.any() else -1 for row in legal]))
    game.restart_finished(states)
    assert abs(1 / 6 - (game.names(states, seats) == first).all(axis=1).mean()) < 0.1


def test_moves_are_said_in_the_names_of_their_seat():
    plain, states = middle_games("mini", size=64, turns=4)
    game = RenamedGame(plain)
    seats = game.acting_seats(states)
    names = game.names(states, seats)
    rng = np.random.default_rng(0)
    true = np.array([rng.choice(np.flatnonzero(row)) for row in plain.legal_moves(states)])
    expected, found = states.copy(), states.copy()
    plain.step(expected, true)
    game.step(found, plain.rename_moves(true, names))
    assert np.array_equal(expected, found)
    assert not np.array_equal(true, plain.rename_moves(true, names))


def test_seats_see_the_game_in_their_own_names():
    plain, states = middle_games("mini", size=64, turns=4)
    game = RenamedGame(plain)
    for seat in (0, 1):
        seats = np.full(64, seat)
        seen = plain.observe(plain.rename(states, game.names(states, seats)), seats)
        assert np.array_equal(seen, game.observe(states, seats))


def test_relabelling_draws_new_names_for_the_same_game_and_move():
    plain, states = middle_games("mini", size=64, turns=4)
    game = RenamedGame(plain)
    seats = game.acting_seats(states)
    moves = np.array([np.flatnonzero(row)[-1] for row in game.legal_moves(states)])
    renamed, moves_again = game.relabel(states, moves, new_stream(0, 1))
    before, after = (invert_permutations(game.names(batch, seats)) for batch in (states, renamed))
    assert np.array_equal(plain.rename_moves(moves, before), plain.rename_moves(moves_again, after))
    assert not np.array_equal(before, after)
    renamed["stream"] = states["stream"]
    assert np.array_equal(states, renamed)


def test_announced_moves_reach_others_in_their_names():
    plain = HanabiGame("mini", view=ViewSettings(announced=True))
    game = RenamedGame(plain)
    states = game.deal(64, 3)
    actors = game.acting_seats(states)
    names = game.names(states, actors)
    moves = np.array([np.flatnonzero(row)[0] for row in game.legal_moves(states)])
    hint = plain.variant.first_colour_hint + names[:, 1]  # everybody would rather have hinted colour 1
    game.step(states, moves)
    game.announce(states, hint)
    assert np.all(states["announced"] == plain.variant.first_colour_hint + 1 + 1)
    listeners = game.acting_seats(states)
    said = plain.layout.view(game.observe(states))["said_colour"][:, 0]
    assert np.array_equal(game.names(states, listeners)[:, 1], said.argmax(axis=1))
