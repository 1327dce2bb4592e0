"""Every game that learners use keeps the contract, and a game that breaks it is found out."""

import numpy as np
import pytest

import offbelief
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.beliefs.table_game import TableGame
from offbelief.errors import GameError
from offbelief.games.batched import check_batched_game, make_streams
from offbelief.games.catalogue import SMALL_GAMES, find_game


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_small_games_keep_the_contract(name):
    check_batched_game(TableGame(offbelief.unroll(find_game(name))), games=16, turns=20)


def test_small_game_with_three_players_and_chance_keeps_the_contract():
    settings = offbelief.RandomGameSettings(players=3, horizon=5, chance=2, ragged=True, ending=0.1)
    check_batched_game(TableGame(offbelief.unroll(offbelief.random_game(3, settings))), games=16, turns=20)


@pytest.mark.parametrize("variant", ["full-2p", "full-3p", "full-5p", "mini", "very-small", "2p-1c-3r-h2-i3-l2"])
@pytest.mark.parametrize("encoding", ["card-wise", "v0-belief"])
def test_hanabi_keeps_the_contract(variant, encoding):
    check_batched_game(HanabiGame(variant, encoding), games=16, turns=100)


class _Broken(HanabiGame):
    """Hanabi with one law broken."""

    def __init__(self, law):
        super().__init__("mini")
        self.law = law

    def redeal(self, states, streams, seats=None):
        if self.law == "redeal must leave the real games alone":
            states["turn"] += 1
        copies = super().redeal(states, streams, seats)
        if self.law == "redeal must not change what the seat sees":
            copies["hint_tokens"] -= 1
        return copies

    @property
    def max_turns(self):
        return 3 if self.law == "a game must not have more moves than max_turns" else super().max_turns

    def step(self, states, moves):
        rewards = super().step(states, moves)
        if self.law == "a step must depend on state and move alone":
            states["turn"] += np.random.default_rng().integers(2, size=len(states)).astype(np.uint16)
        return rewards

    def legal_moves(self, states):
        legal = super().legal_moves(states)
        if self.law == "a running game must have a legal move":
            legal[0] = False
        return legal

    def exploration_weights(self, states, legal):
        weights = super().exploration_weights(states, legal)
        if self.law == "exploration must not try an illegal move":
            weights += 1.0
        return weights

    def relabel(self, states, moves, stream):
        states, moves = super().relabel(states, moves, stream)
        if self.law == "relabel must turn legal moves into legal moves":
            moves = (moves + 5) % self.num_moves
        return states, moves


@pytest.mark.parametrize(
    "law",
    [
        "redeal must leave the real games alone",
        "redeal must not change what the seat sees",
        "a game must not have more moves than max_turns",
        "a step must depend on state and move alone",
        "a running game must have a legal move",
        "exploration must not try an illegal move",
        "relabel must turn legal moves into legal moves",
    ],
)
def test_broken_law_is_named(law):
    with pytest.raises(GameError, match=law):
        check_batched_game(_Broken(law), games=16, turns=30)


def test_streams_of_games_and_purposes_are_unrelated():
    drawn = np.concatenate([make_streams(seed, purpose, 50) for seed in (0, 1) for purpose in (1, 2)])
    assert len(drawn) == len(np.unique(drawn))
    assert np.array_equal(make_streams(0, 1, 50)[:10], make_streams(0, 1, 10))


def test_public_columns_do_not_depend_on_hidden_hands():
    # Re-dealing the acting seat's hand changes what its *partner* sees, but not the public part of it.
    game = HanabiGame("mini")
    states = game.deal(64, 0)
    copies = game.redeal(states, make_streams(0, 1, 64))
    for seat in (0, 1):
        for batch in (states, copies):
            batch["acting_seat"] = seat
        one, other = game.observe(states), game.observe(copies)
        assert np.array_equal(one[:, game.public_columns], other[:, game.public_columns])
    private = np.setdiff1d(np.arange(game.observation_size), game.public_columns)
    assert not np.array_equal(one[:, private], other[:, private])
