"""Games as JSON files: the format by example, a sentence for every kind of mistake, and no other way to fail."""

import copy
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from offbelief.agents.tabular import uniform_policy
from offbelief.errors import GameError
from offbelief.games.check import check_game
from offbelief.games.json_game import JsonGame, load_json_game
from offbelief.games.toy_communication import ToyCommunicationGame
from offbelief.games.tree import unroll
from offbelief.learning.exact_baselines import self_play_optimum, value

SIGNAL: dict[str, Any] = {
    "name": "signal",
    "players": ["Alice", "Bob"],
    "start": {"cat": 0.5, "dog": 0.5},
    "states": {
        "cat": {
            "player": "Alice",
            "private": {"Alice": "cat"},
            "actions": {"bail": {"reward": 1}, "meow": {"next": "cat told"}, "bark": {"next": "cat told"}},
        },
        "dog": {
            "player": "Alice",
            "private": {"Alice": "dog"},
            "actions": {"bail": {"reward": 1}, "meow": {"next": "dog told"}, "bark": {"next": "dog told"}},
        },
        "cat told": {
            "player": "Bob",
            "actions": {
                "guess cat": {"reward": 10},
                "gamble": [{"probability": 0.5, "reward": 20}, {"probability": 0.5}],
            },
        },
        "dog told": {
            "player": "Bob",
            "actions": {
                "guess cat": {"reward": -10},
                "gamble": [{"probability": 0.25, "reward": 4}, {"probability": 0.75, "reward": 0, "next": None}],
            },
        },
    },
}


def changed(*path: str | int, to: Any) -> dict[str, Any]:
    """The signal game with one value replaced; `path` says which."""
    game = copy.deepcopy(SIGNAL)
    place: Any = game
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return game


def without(*path: str) -> dict[str, Any]:
    game = copy.deepcopy(SIGNAL)
    place: Any = game
    for key in path[:-1]:
        place = place[key]
    del place[path[-1]]
    return game


# --- the format -------------------------------------------------------------------------------------------------------


def test_example_is_the_game_it_describes(tmp_path: Path) -> None:
    path = tmp_path / "signal.json"
    path.write_text(json.dumps(SIGNAL), encoding="utf-8")
    game = load_json_game(path)
    assert ("signal", ("Alice", "Bob"), 4) == (game.name, game.player_names, game.max_length)
    tree = unroll(game)
    # Told apart, a cat earns 10 (guess or gamble) and a dog 1 (gamble, or Alice bails).
    assert pytest.approx(5.5) == self_play_optimum(tree).value
    # uniform: 1/3 bail for 1; 2/3 told, half guess (10 - 10) / 2, half gamble (10 + 1) / 2
    assert pytest.approx(1 / 3 + 2 / 3 * 0.5 * 5.5) == value(uniform_policy(tree))


def test_toy_game_written_as_json_is_the_toy_game() -> None:
    toy, states = ToyCommunicationGame(), {}
    for pet in ("cat", "dog"):
        for alice in (None, "light on", "light off", "remove barrier"):
            state = (pet, alice)
            actions = {}
            for action in toy.legal_actions(state):
                ((_, reward, after),) = toy.transitions(state, action)
                actions[str(action)] = {"reward": reward, "next": None if after[0] == "over" else str(after)}
            private = {str(p): toy.private_observation(state, p) for p in range(2)}
            states[str(state)] = {"player": toy.acting_player(state), "private": private, "actions": actions}
    description = {
        "players": ["Alice", "Bob"],
        "start": {str((pet, None)): 0.5 for pet in ("cat", "dog")},
        "states": states,
    }
    tree, original = unroll(JsonGame(json.loads(json.dumps(description)))), unroll(toy)
    assert original.history_by_name == tree.history_by_name
    for field in ("parent", "decision", "history", "entry_start"):
        assert np.array_equal(getattr(original.arrays, field), getattr(tree.arrays, field))
    assert pytest.approx(value(uniform_policy(original))) == value(uniform_policy(tree))


def test_name_defaults_to_the_files(tmp_path: Path) -> None:
    path = tmp_path / "my_game.json"
    path.write_text(json.dumps(without("name")), encoding="utf-8")
    assert load_json_game(str(path)).name == "my_game"


def test_players_may_be_a_number_and_states_name_them_so() -> None:
    game = JsonGame(
        {
            "players": 2,
            "start": "s",
            "states": {
                "s": {"player": 1, "private": {"0": "x"}, "public": ["a", 1], "actions": {"end": {"reward": 2}}}
            },
        }
    )
    assert ("Player 0", "Player 1") == game.player_names
    assert ("x", None) == tuple(game.private_observation("s", player) for player in range(2))
    assert pytest.approx(2.0) == value(uniform_policy(unroll(game)))


def test_flags_say_what_is_hidden() -> None:
    game = JsonGame({**SIGNAL, "public_actions": False, "private_legality": True, "max_length": 7})
    assert (False, True, 7) == (game.public_actions, game.private_legality, game.max_length)
    # Bob no longer hears which signal it was.
    assert (1, 2) == tuple(
        sum(name.startswith("Bob") for name in unroll(one).history_by_name) for one in (game, JsonGame(SIGNAL))
    )


def test_lists_and_objects_are_observations_too() -> None:
    seen = [{"b": 1, "a": [1, 2]}, {"a": [1, 2], "b": 1}, {"a": [2, 1], "b": 1}]
    states = {f"s{number}": {"player": 0, "public": look, "actions": {"end": {}}} for number, look in enumerate(seen)}
    start = {"s0": 0.25, "s1": 0.25, "s2": 0.5}
    assert check_game(JsonGame({"players": 1, "start": start, "states": states})).histories == 2


# --- mistakes ---------------------------------------------------------------------------------------------------------

CAT = 'State "cat"'
MISTAKES: dict[str, tuple[Any, str]] = {
    "not an object": ([1, 2], "The game must be a JSON object, not [1, 2]."),
    "unknown key": (
        {**SIGNAL, "player": 2},
        'The game has the unknown key "player" (did you mean "players"?); known are',
    ),
    "no players": (without("players"), 'The game lacks "players".'),
    "no start": (without("start"), 'The game lacks "start".'),
    "no states": (without("states"), 'The game lacks "states".'),
    "states as a list": (changed("states", to=["cat"]), '"states" must be an object with at least one state'),
    "empty states": (changed("states", to={}), '"states" must be an object with at least one state'),
    "zero players": (changed("players", to=0), '"players" must be a number of at least 1, or a list of names'),
    "too many players": (changed("players", to=10**9), '"players" is a number of 10 digits; at most 100 can play.'),
    "players as text": (changed("players", to="Alice"), '"players" must be a number of at least 1, or a list of names'),
    "players with a number": (changed("players", to=["Alice", 2]), '"players" must be a number of at least 1'),
    "players true": (changed("players", to=True), '"players" must be a number of at least 1'),
    "same name twice": (
        changed("players", to=["Alice", "Alice"]),
        "\"players\" names somebody twice: ['Alice', 'Alice'].",
    ),
    "flag as a word": ({**SIGNAL, "public_actions": "no"}, "\"public_actions\" must be true or false, not 'no'."),
    "flag as a number": ({**SIGNAL, "private_legality": 1}, '"private_legality" must be true or false, not 1.'),
    "length zero": ({**SIGNAL, "max_length": 0}, '"max_length" is 0; it must be a whole number of moves, at least 1.'),
    "length of half a move": ({**SIGNAL, "max_length": 1.5}, '"max_length" is 1.5; it must be a whole number of moves'),
    "length true": ({**SIGNAL, "max_length": True}, '"max_length" is True; it must be a whole number of moves'),
    "too short": (
        {**SIGNAL, "max_length": 1},
        "The game is longer than max_length = 1: in state 'cat told' (after the",
    ),
    "state as text": (changed("states", "cat", to="x"), f"{CAT} must be a JSON object, not 'x'."),
    "state without player": (without("states", "cat", "player"), f'{CAT} lacks "player".'),
    "state without actions": (without("states", "cat", "actions"), f'{CAT} lacks "actions".'),
    "state with a misspelt key": (
        changed("states", "cat", "privat", to={}),
        f'{CAT} has the unknown key "privat" (did you mean "private"?); known are',
    ),
    "two players at once": (
        changed("states", "cat", "player", to=["Alice", "Bob"]),
        "The game is not turn-based: state \"cat\" lets ['Alice', 'Bob'] move at once; give their moves one after the "
        'other, with "public_actions": false to hide the first ones.',
    ),
    "stranger": (
        changed("states", "cat", "player", to="Carol"),
        f"{CAT}: there is no player 'Carol'; the players are Alice, Bob (or 0 to 1).",
    ),
    "player out of range": (changed("states", "cat", "player", to=2), f"{CAT}: there is no player 2; the players are"),
    "player true": (changed("states", "cat", "player", to=True), f"{CAT}: there is no player True; the players are"),
    "stranger looks on": (
        changed("states", "cat", "private", to={"Carol": "cat"}),
        f"{CAT}: there is no player 'Carol'; the players are Alice, Bob",
    ),
    "private as text": (
        changed("states", "cat", "private", to="cat"),
        f"{CAT}: \"private\" must be {{player: what it sees}}, not 'cat'.",
    ),
    "no action": (
        changed("states", "cat", "actions", to={}),
        f'{CAT}: "actions" must be an object with at least one action.',
    ),
    "actions as a list": (
        changed("states", "cat", "actions", to=["bail"]),
        f'{CAT}: "actions" must be an object with at least one action.',
    ),
    "no outcome": (
        changed("states", "cat", "actions", "bail", to=[]),
        f'{CAT}, action "bail": there is no outcome; give {{}} for a move that ends the game with no reward.',
    ),
    "outcome as a number": (
        changed("states", "cat", "actions", "bail", to=3),
        f'{CAT}, action "bail" must be a JSON object, not 3.',
    ),
    "outcome with a misspelt key": (
        changed("states", "cat", "actions", "bail", to={"rewards": 3}),
        f'{CAT}, action "bail" has the unknown key "rewards" (did you mean "reward"?); known are',
    ),
    "one of several without probability": (
        changed("states", "cat", "actions", "bail", to=[{"probability": 0.5}, {"reward": 1}]),
        f'{CAT}, action "bail" lacks "probability".',
    ),
    "reward as text": (
        changed("states", "cat", "actions", "bail", to={"reward": "1"}),
        f"{CAT}, action \"bail\": the reward is '1'; it must be a number.",
    ),
    "probability true": (
        changed("states", "cat", "actions", "bail", to={"probability": True}),
        f'{CAT}, action "bail": the probability is True; it must be a number.',
    ),
    "reward of four hundred digits": (
        changed("states", "cat", "actions", "bail", to={"reward": 10**400}),
        f'{CAT}, action "bail": the reward has 401 digits; rewards and probabilities must be finite numbers.',
    ),
    "reward that is no number": (
        changed("states", "cat", "actions", "bail", to={"reward": math.nan}),
        "The reward after action bail in state 'cat' (at the start) is nan; rewards must be finite numbers.",
    ),
    "next state unknown": (
        changed("states", "cat", "actions", "meow", to={"next": "cat tolt"}),
        f'{CAT}, action "meow": there is no state \'cat tolt\' (did you mean "cat told"?).',
    ),
    "next state as a list": (
        changed("states", "cat", "actions", "meow", to={"next": ["cat told"]}),
        f"{CAT}, action \"meow\": there is no state ['cat told']",
    ),
    "start unknown": (changed("start", to="bird"), "\"start\": there is no state 'bird'"),
    "start as a list": (changed("start", to=["cat"]), '"start" must be a state\'s name or {state: probability}.'),
    "start with a word": (
        changed("start", "cat", to="half"),
        '"start": the probability of "cat" is \'half\'; it must be a number.',
    ),
    "start does not add up": (changed("start", "cat", to=0.4), "the probabilities add up to 0.9, not 1."),
    "start empty": (changed("start", to={}), "The game has no start"),
    "outcomes do not add up": (
        changed("states", "cat told", "actions", "gamble", 0, "probability", to=0.75),
        "The outcomes after action gamble in state 'cat told' (after the moves meow): the probabilities add up to 1.25",
    ),
    "comes back": (
        changed("states", "cat told", "actions", "guess cat", to={"next": "cat"}),
        "The game has no bounded length: in state 'cat' (at the start) play can come back",
    ),
    "legality leaks": (
        without("states", "dog", "actions", "bark"),
        "Legality gives private information away at the history 'Alice: sees cat': legal are {bail, meow, bark} there, "
        "but {bail, meow} at 'Alice: sees dog'",
    ),
    "legality unknown to its player": (
        without("states", "dog told", "actions", "gamble"),
        "Bob cannot know its legal actions at the history 'Bob: Alice meow': they are {guess cat, gamble} in one state",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_is_one_sentence_that_says_where(mistake: str) -> None:
    description, sentence = MISTAKES[mistake]
    with pytest.raises(GameError, match=re.escape(sentence)) as caught:
        check_game(JsonGame(description))
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


def test_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.json"
    with pytest.raises(GameError, match=re.escape(f"The game file {path} cannot be read: No such file or directory.")):
        load_json_game(path)
    with pytest.raises(GameError, match=re.escape(f"The game file {tmp_path} cannot be read: Is a directory.")):
        load_json_game(tmp_path)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff\xfe{}", "is not text in UTF-8."),
        (b'{"players": 2,}', "is not JSON: "),
        (b'{"players": 2\n "start": 1}', "at line 2, column 2."),
        (b"", "is not JSON: Expecting value at line 1, column 1."),
        (b"[" * 100_000, "is nested too deeply to be a game."),
        (b'{"players": ' + b"9" * 5_000 + b"}", "holds a number with too many digits."),
        (b'{"players": 2, "players": 3}', 'The name "players" stands twice in the same object'),
        (b'{"states": {"a": {}, "a": {}}}', 'The name "a" stands twice in the same object'),
        (b"null", "The game must be a JSON object, not None."),
    ],
)
def test_file_that_cannot_be_read_is_one_sentence(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(GameError, match=re.escape(sentence)):
        load_json_game(path)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a description."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, item in inside for place in places(item, (*path, key)))]


NONSENSE = (None, True, -1, 0, 2, 0.5, 1e308, math.nan, math.inf, 10**400, "", "cat", "0", [], {}, ["cat"], {"cat": 1})


def test_nonsense_anywhere_is_a_game_or_one_sentence() -> None:
    refused = accepted = 0
    for place in places(SIGNAL):
        for nonsense in NONSENSE:
            try:
                check_game(JsonGame(changed(*place, to=nonsense) if place else nonsense))
                accepted += 1
            except GameError as error:
                assert str(error).endswith(".") and "\n" not in str(error)
                refused += 1
    assert refused > 400 and accepted > 50
