"""Tables: what a game becomes, and a clear sentence for everything that can be wrong with one state by state."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.naive.samples import NAMED_GAMES

from offbelief.errors import GameError
from offbelief.games.tables import GameTables, tabulate
from offbelief.games.toy_communication import ToyCommunicationGame
from offbelief.games.tree import unroll


class Corridor:
    """Two players take turns along a corridor of three moves; a right game that tests break in one place each."""

    name = "corridor"
    player_names = ("Ann", "Ben")
    max_length = 3
    public_actions = True
    private_legality = False

    def initial_states(self) -> Any:
        return [(1.0, ("room", 0))]

    def acting_player(self, state: Any) -> Any:
        return None if state[1] == 3 else state[1] % 2

    def legal_actions(self, state: Any) -> Any:
        return ("walk", "run")

    def transitions(self, state: Any, action: Any) -> Any:
        return [(1.0, float(action == "run"), ("room", state[1] + 1))]

    def public_observation(self, state: Any) -> Any:
        return None

    def private_observation(self, state: Any, player: int) -> Any:
        return None


def broken(**changes: Any) -> Corridor:
    """A corridor with some members replaced; functions take the place of methods."""
    game = Corridor()
    for name, change in changes.items():
        setattr(game, name, change)
    return game


def only_at(turn: int, wrong: Any, right: Callable[..., Any]) -> Callable[..., Any]:
    """Give the wrong answer in the state of one turn."""
    return lambda state, *rest: wrong if state == ("room", turn) else right(state, *rest)


CORRIDOR = Corridor()
ROOM_1 = "state ('room', 1) (after the moves walk)"
MISTAKES: dict[str, tuple[Corridor, str]] = {
    "no players": (broken(player_names=()), "The game has no players: give at least one name in player_names."),
    "length zero": (broken(max_length=0), "max_length is 0; it must be a whole number of moves, at least 1."),
    "length of half a move": (broken(max_length=2.5), "max_length is 2.5; it must be a whole number of moves"),
    "no start": (
        broken(initial_states=list),
        "The game has no start: give at least one (probability, state) in initial_states().",
    ),
    "start does not add up": (
        broken(initial_states=lambda: [(0.5, ("room", 0)), (0.4, ("room", 1))]),
        "The start of the game (initial_states): the probabilities add up to 0.9, not 1.",
    ),
    "start of probability zero": (
        broken(initial_states=lambda: [(1.0, ("room", 0)), (0.0, ("room", 1))]),
        "The start of the game (initial_states): a probability is 0.0; leave impossible outcomes out.",
    ),
    "state cannot be hashed": (
        broken(initial_states=lambda: [(1.0, ["room", 0])]),
        "The state ['room', 0] cannot be hashed; use tuples, strings, numbers or a frozen dataclass.",
    ),
    "not turn-based": (
        broken(acting_player=only_at(1, (1, 0), CORRIDOR.acting_player)),
        f"The game is not turn-based: in {ROOM_1} players [0, 1] move at once; convert it with "
        "offbelief.as_turn_based(game, order), or give the moves one after the other.",
    ),
    "player of another table": (
        broken(acting_player=only_at(1, 2, CORRIDOR.acting_player)),
        f"In {ROOM_1} acting_player is 2; it must be a player's number from 0 to 1, or None when the game is over.",
    ),
    "player by name": (
        broken(acting_player=only_at(1, "Ben", CORRIDOR.acting_player)),
        f"In {ROOM_1} acting_player is 'Ben'; it must be a player's number from 0 to 1",
    ),
    "no legal action": (
        broken(legal_actions=only_at(1, (), CORRIDOR.legal_actions)),
        f"In {ROOM_1} player Ben has no legal action; give one, or let acting_player return None if the game is over",
    ),
    "action twice": (
        broken(legal_actions=only_at(1, ("walk", "run", "walk"), CORRIDOR.legal_actions)),
        f"In {ROOM_1} an action is listed twice in ['walk', 'run', 'walk'].",
    ),
    "longer than it says": (
        broken(max_length=2),
        "The game is longer than max_length = 2: in state ('room', 2) (after the moves walk, walk) it goes on after "
        "that many moves; raise max_length, or end the game (a loop of states has no bounded length).",
    ),
    "counts on without end": (
        broken(acting_player=lambda state: 0),
        "The game is longer than max_length = 3: in state ('room', 3) (after the moves walk, walk, walk)",
    ),
    "comes back": (
        broken(transitions=only_at(2, [(1.0, 0.0, ("room", 0))], CORRIDOR.transitions)),
        "The game has no bounded length: in state ('room', 0) (at the start) play can come back to a state it has "
        "been in; put the number of the turn into the state and end the game after max_length moves.",
    ),
    "no outcome": (
        broken(transitions=only_at(1, [], CORRIDOR.transitions)),
        f"The outcomes after action walk in {ROOM_1}: there is no outcome; give at least one (probability, reward",
    ),
    "outcomes do not add up": (
        broken(transitions=only_at(1, [(0.5, 0.0, ("room", 2)), (0.6, 1.0, ("room", 2))], CORRIDOR.transitions)),
        f"The outcomes after action walk in {ROOM_1}: the probabilities add up to 1.1, not 1.",
    ),
    "negative probability": (
        broken(transitions=only_at(1, [(1.5, 0.0, ("room", 2)), (-0.5, 1.0, ("room", 2))], CORRIDOR.transitions)),
        f"The outcomes after action walk in {ROOM_1}: a probability is -0.5; leave impossible outcomes out.",
    ),
    "probability that is no number": (
        broken(transitions=only_at(1, [(float("nan"), 0.0, ("room", 2))], CORRIDOR.transitions)),
        f"The outcomes after action walk in {ROOM_1}: a probability is nan; leave impossible outcomes out.",
    ),
    "endless reward": (
        broken(transitions=only_at(1, [(1.0, float("inf"), ("room", 2))], CORRIDOR.transitions)),
        f"The reward after action walk in {ROOM_1} is inf; rewards must be finite numbers.",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_in_a_state_is_one_sentence_that_says_where(mistake: str) -> None:
    game, sentence = MISTAKES[mistake]
    with pytest.raises(GameError, match=re.escape(sentence)) as caught:
        unroll(game)
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


START = "state ('room', 0) (at the start)"
WRONG_KINDS: dict[str, tuple[Corridor, str]] = {
    "start is nothing": (broken(initial_states=lambda: None), "initial_states"),
    "start the wrong way round": (broken(initial_states=lambda: [(("room", 0), 1.0)]), "initial_states"),
    "actions are nothing": (broken(legal_actions=lambda state: None), START),
    "action cannot be hashed": (broken(legal_actions=lambda state: (["walk"],)), START),
    "outcomes are nothing": (broken(transitions=lambda state, action: None), START),
    "outcome lacks its reward": (broken(transitions=lambda state, action: [(1.0, ("room", 1))]), START),
    "probability as text": (broken(transitions=lambda state, action: [("1", 0.0, ("room", 1))]), START),
    "reward is nothing": (broken(transitions=lambda state, action: [(1.0, None, ("room", 1))]), START),
    "public observation cannot be hashed": (broken(public_observation=lambda state: ["light"]), START),
    "private observation cannot be hashed": (broken(private_observation=lambda state, player: {}), START),
    "two actions print alike": (broken(legal_actions=lambda state: (1, "1")), START),
    "two players of one name": (broken(player_names=("Ann", "Ann")), "Ann"),
}


@pytest.mark.parametrize("mistake", WRONG_KINDS)
def test_value_of_the_wrong_kind_is_one_sentence_that_says_where(mistake: str) -> None:
    game, place = WRONG_KINDS[mistake]
    with pytest.raises(GameError, match=re.escape(place)) as caught:
        unroll(game)
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


def test_right_game_passes() -> None:
    assert isinstance(tabulate(Corridor()), GameTables)


def test_nearly_one_is_one() -> None:
    thirds = [(1 / 3, ("room", 0)), (1 / 3, ("room", 1)), (1 - 2 / 3 + 1e-13, ("room", 2))]
    assert len(tabulate(broken(initial_states=lambda: thirds)).start_state) == 3


def test_tables_of_the_corridor_by_hand() -> None:
    tables = tabulate(Corridor())
    # Four rooms; two actions with one outcome each in the first three.
    assert ("walk", "run") == tables.action_names
    assert [0, 1, 0, -1] == tables.acting_player.tolist()
    assert [0, 2, 4, 6, 6] == tables.slot_start.tolist()
    assert [0, 1, 0, 1, 0, 1] == tables.slot_action.tolist()
    assert list(range(7)) == tables.edge_start.tolist()
    assert [1, 1, 2, 2, 3, 3] == tables.edge_state.tolist()
    assert [0, 1, 0, 1, 0, 1] == tables.edge_reward.tolist()
    assert np.ones(6).tolist() == tables.edge_probability.tolist()
    assert ([0], [1.0]) == (tables.start_state.tolist(), tables.start_probability.tolist())
    assert not tables.observation.any()
    assert (2, 4) == (tables.num_players, tables.num_states)


def test_states_are_stored_once_however_often_they_are_reached() -> None:
    # 2 pets x (start, three of Alice's actions) and the end
    assert tabulate(ToyCommunicationGame()).num_states == 9


def test_slots_are_ascending_by_action_whatever_the_game_lists_first() -> None:
    backwards = broken(legal_actions=only_at(1, ("run", "walk"), CORRIDOR.legal_actions))
    assert [0, 1, 0, 1, 0, 1] == tabulate(backwards).slot_action.tolist()
    assert [0, 1, 0, 1, 0, 1] == tabulate(backwards).edge_reward.tolist()


def test_observations_join_public_and_private_parts() -> None:
    game = broken(
        public_observation=lambda state: "light" if state[1] == 1 else None,
        private_observation=lambda state, player: "card" if state[1] == 1 and player == 1 else None,
    )
    tables = tabulate(game)
    names = [tables.observation_name(observer, 1) for observer in range(3)]
    assert ["light", "light, card", "light"] == names  # Ann, Ben, the public
    assert [False, True, False] == [bool(seen) for seen in map(tables.observation_name, (0, 0, 0), (0, 1, 2))]


def test_outcomes_of_one_action_stay_apart() -> None:
    coin = [(0.25, 1.0, ("room", 2)), (0.75, -1.0, ("room", 2))]
    tables = tabulate(broken(transitions=only_at(1, coin, CORRIDOR.transitions)))
    assert [0, 1, 2, 4, 6, 7, 8] == tables.edge_start.tolist()
    assert [0.25, 0.75] == tables.edge_probability[2:4].tolist()
    assert [1.0, -1.0] == tables.edge_reward[2:4].tolist()


@pytest.mark.parametrize("name", NAMED_GAMES)
def test_probabilities_of_every_action_add_up(name: str) -> None:
    tables = tabulate(NAMED_GAMES[name]())
    assert pytest.approx(1.0) == tables.start_probability.sum()
    assert pytest.approx(np.ones(len(tables.slot_action))) == np.add.reduceat(
        tables.edge_probability, tables.edge_start[:-1]
    )


def test_tables_are_passed_through() -> None:
    tables = tabulate(Corridor())
    assert tabulate(tables) is tables
