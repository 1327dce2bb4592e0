"""A belief that follows games: the same hands as when each game is stepped alone, and a fresh start with every deal."""

import numpy as np
import pytest
import torch

from offbelief.beliefs.building import build_belief
from offbelief.beliefs.followed import FollowingBelief
from offbelief.beliefs.hanabi_game import HanabiGame, ViewSettings
from offbelief.beliefs.recurrent_hand_model import RecurrentHandSettings
from offbelief.errors import UserError
from offbelief.games.batched import make_streams


def make_game(variant, size):
    torch.manual_seed(3)
    belief = build_belief(variant, RecurrentHandSettings(width=12, card_width=5))
    for parameter in belief.model.parameters():
        torch.nn.init.normal_(parameter, std=0.5)
    return HanabiGame(variant, view=ViewSettings(memory=True), belief=FollowingBelief(belief, size))


def random_moves(game, states, rng):
    return np.array([rng.choice(np.flatnonzero(row)) for row in game.legal_moves(states)])


@pytest.mark.parametrize("variant", ["mini", "3p-2c-3r-h2-i3-l2"])
def test_memories_are_those_of_every_game_followed_alone(variant):
    game, rng = make_game(variant, 6), np.random.default_rng(0)
    states = game.deal(6, 0)
    game.belief.follow(states, np.ones(6, bool))
    histories = [[states[index : index + 1].copy()] for index in range(6)]
    restarted = 0
    for _ in range(30):
        game.step(states, random_moves(game, states, rng))
        ended = game.restart_finished(states)
        restarted += ended.sum()
        game.belief.follow(states, ended)
        for index, history in enumerate(histories):
            if ended[index]:
                history.clear()
            history.append(states[index : index + 1].copy())
    assert restarted > 0
    for index, history in enumerate(histories):
        for seat in range(game.num_seats):
            memory = game.belief.belief.new_memory(1)
            for position in history:
                memory = game.belief.belief.remember(position, np.array([seat]), memory)
            assert np.allclose(memory[0], game.belief.memory[seat, index], atol=1e-5)


def test_games_imagined_from_it_look_the_same_and_have_other_hands():
    game, rng = make_game("mini", 32), np.random.default_rng(1)
    states = game.deal(32, 1)
    game.belief.follow(states, np.ones(32, bool))
    for _ in range(8):
        game.step(states, random_moves(game, states, rng))
        game.belief.follow(states, game.restart_finished(states))
    for seats in (game.acting_seats(states), np.zeros(32, np.int64)):
        copies = game.redeal(states, make_streams(0, 1, 32), seats)
        assert np.array_equal(game.observe(states, seats), game.observe(copies, seats))
        assert np.any(copies["hands"] != states["hands"])


def test_games_that_it_does_not_follow_are_refused():
    game, rng = make_game("mini", 4), np.random.default_rng(2)
    states = game.deal(4, 2)
    streams = make_streams(0, 1, 4)
    with pytest.raises(UserError, match="tell it of every step"):
        game.redeal(states, streams)
    game.belief.follow(states, np.ones(4, bool))
    game.redeal(states, streams)
    with pytest.raises(UserError, match="remembers the 4 games"):
        game.redeal(states[:2].copy(), streams[:2])
    game.step(states, random_moves(game, states, rng))
    with pytest.raises(UserError, match="tell it of every step"):
        game.redeal(states, streams)
