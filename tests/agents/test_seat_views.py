"""Every seat sees what it should at every step, under the names it should."""

import numpy as np
import pytest

from offbelief.agents.seat_views import SeatViews, hanabi_views
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.beliefs.table_game import TableGame
from offbelief.errors import UserError
from offbelief.games.catalogue import find_game
from offbelief.games.hanabi.batch import HanabiBatch, RandomPlay
from offbelief.games.hanabi.colours import draw_permutations, permute_states
from offbelief.games.hanabi.views.v0_belief import observe_v0_belief
from offbelief.games.tree import unroll
from offbelief.streams import new_stream


def played(game, turns, size=32):
    batch = HanabiBatch(game.variant, size, seed=1)
    RandomPlay(batch).play(turns)
    return batch.states


@pytest.mark.parametrize("variant", ["full-2p", "3p-2c-3r-h3-i5-l3"])
def test_every_seat_sees_its_own_view_and_only_the_acting_one_may_move(variant):
    game = HanabiGame(variant, "v0-belief")
    views = SeatViews(game)
    states = played(game, 9)
    seen = views.see_from_everywhere(states)
    for seat in range(game.num_seats):
        assert np.array_equal(observe_v0_belief(states, game.variant, seat), seen.observations[seat])
        acts = states["acting_seat"] == seat
        assert np.array_equal(game.legal_moves(states)[acts], seen.legal[seat, acts, :-1])
        assert not seen.legal[seat, ~acts, :-1].any()
        assert np.array_equal(~acts, seen.legal[seat, :, -1])


def test_seats_of_a_finished_game_can_only_wait():
    game = HanabiGame("mini", "v0-belief")
    states = played(game, 3)
    states["is_over"] = True
    assert SeatViews(game).see_from_everywhere(states).legal[..., -1].all()


def test_greedy_move_is_shown_as_the_paper_shows_it():
    game = HanabiGame("full-2p", "v0-belief")
    views = hanabi_views(game, greedy_move=True)
    before = played(game, 5)
    legal = game.legal_moves(before)
    made, greedy = before.copy(), before.copy()
    game.step(made, legal.argmax(axis=1))
    game.step(greedy, legal.shape[1] - 1 - legal[:, ::-1].argmax(axis=1))
    for seat in (0, 1):
        seats = np.full(len(made), seat)
        seen = views.see(made, seats, greedy).observations
        assert np.array_equal(observe_v0_belief(made, game.variant, seat, greedy_states=greedy), seen)
        # Without exploration the two moves are the same.
        assert np.array_equal(
            observe_v0_belief(made, game.variant, seat, greedy_states=made), views.see(made, seats)[0]
        )
    assert 658 + 55 == views.observation_size
    assert 533 + 55 == len(views.public_columns)


def test_greedy_move_is_told_in_the_names_of_the_seat_that_looks():
    game = HanabiGame("full-2p", "v0-belief")
    states = played(game, 6)
    colours = draw_permutations(new_stream(3), len(states), game.variant)
    views = SeatViews(
        game, game.variant, greedy_move=True, as_seen=lambda games, seats: permute_states(games, game.variant, colours)
    )
    renamed = permute_states(states, game.variant, colours)
    for seat in (0, 1):
        expected = hanabi_views(game, greedy_move=True).see(renamed, np.full(len(states), seat)).observations[:, 658:]
        assert np.array_equal(expected, views.see(states, np.full(len(states), seat)).observations[:, 658:])


def test_what_cannot_be_is_one_sentence():
    toy = TableGame(unroll(find_game("toy")))
    with pytest.raises(UserError, match="v0-belief"):
        SeatViews(HanabiGame("mini"))
    with pytest.raises(UserError, match="SAD"):
        SeatViews(toy, greedy_move=True)
