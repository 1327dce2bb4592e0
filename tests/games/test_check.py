"""`check_game`: the size of every game in the box, and what a class still lacks."""

import re
from dataclasses import replace

import pytest
from tests.naive.exact import TablesAsGame
from tests.naive.samples import NAMED_GAMES, mixed_tree

from offbelief.errors import GameError
from offbelief.games.check import GameSize, check_game
from offbelief.games.contract import Game
from offbelief.games.counterexamples import disagreement
from offbelief.games.random_game import random_game
from offbelief.games.toy_communication import ToyCommunicationGame


def test_toy_game_has_the_size_counted_by_hand() -> None:
    size = check_game(ToyCommunicationGame())
    assert GameSize(players=2, longest=2, states=9, trajectories=28, histories=13, decisions=6) == size
    sentence = "2 players, at most 2 moves, 9 states, 28 trajectories, 13 histories of which 6 are decisions"
    assert sentence == str(size)


@pytest.mark.parametrize("name", NAMED_GAMES)
def test_every_game_in_the_box_satisfies_the_contract(name: str) -> None:
    game = NAMED_GAMES[name]()
    assert isinstance(game, Game)
    size = check_game(game)
    assert size.longest <= game.max_length and size.decisions <= size.histories


def test_random_games_satisfy_the_contract_through_the_judges_face_too() -> None:
    for seed in range(30):
        tables = mixed_tree(seed).tables
        size, by_contract = check_game(tables), check_game(TablesAsGame(tables))
        # Tables may hold states that play never reaches; a game in Python shows only those that it does.
        assert size.states >= by_contract.states
        assert replace(size, states=0) == replace(by_contract, states=0)


def test_tables_can_be_checked() -> None:
    assert check_game(random_game(0)).players == 2


def test_class_that_is_no_game_yet_is_told_what_it_lacks() -> None:
    class Half:
        name = "half"
        player_names = ("A",)
        max_length = 1

        def initial_states(self) -> list[object]:
            return []

    sentence = (
        "Half is not a game yet: it lacks public_actions, private_legality, acting_player, legal_actions, transitions, "
        "public_observation, private_observation (see offbelief.Game)."
    )
    with pytest.raises(GameError, match=re.escape(sentence)):
        check_game(Half())  # type: ignore[arg-type]


def test_anything_else_is_no_game_either() -> None:
    with pytest.raises(GameError, match=r"str is not a game yet: it lacks name, .*\(see offbelief\.Game\)"):
        check_game("toy")  # type: ignore[arg-type]


def test_mistakes_of_the_game_come_through() -> None:
    game = disagreement()
    game.max_length = 2
    with pytest.raises(GameError, match="longer than max_length = 2"):
        check_game(game)
