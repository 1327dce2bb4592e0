"""A small game as a JSON file, for `obl solve my_game.json`.

The format, by example (docs/games/json.md has the details)::

    {
      "name": "signal",
      "players": ["Alice", "Bob"],
      "start": {"cat": 0.5, "dog": 0.5},
      "states": {
        "cat": {"player": "Alice", "private": {"Alice": "cat"},
                "actions": {"bail": {"reward": 1},
                            "meow": {"next": "cat told"}}},
        ...
        "cat told": {"player": "Bob",
                     "actions": {"guess cat": {"reward": 10},
                                 "gamble": [{"probability": 0.5, "reward": 20}, {"probability": 0.5}]}}
      }
    }

A move without "next" ends the game. "public" and "private" say what is seen on reaching a state; actions are seen by
everybody unless "public_actions" is false.
"""

import difflib
import json
import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from offbelief.nouns import GameError

_MAX_FLOAT = sys.float_info.max
_MAX_PLAYERS = 100
_OVER = None
_GAME_KEYS = ("name", "players", "start", "states", "max_length", "public_actions", "private_legality")
_STATE_KEYS = ("player", "public", "private", "actions")
_OUTCOME_KEYS = ("probability", "reward", "next")


def load_json_game(path: str | Path) -> "JsonGame":
    """Read a game file.

    Raises:
        GameError: the file cannot be read, is not JSON, or does not describe a game; one sentence says where.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise GameError(f"The game file {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise GameError(f"The game file {path} is not text in UTF-8.") from None
    try:
        description = json.loads(text, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as error:
        raise GameError(
            f"The game file {path} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from None
    except RecursionError:
        raise GameError(f"The game file {path} is nested too deeply to be a game.") from None
    except ValueError as error:
        if isinstance(error, GameError):
            raise
        raise GameError(f"The game file {path} holds a number with too many digits.") from None
    return JsonGame(description, default_name=path.stem)


class JsonGame:
    """A game described by the contents of a JSON file.

    Args:
        description: the parsed JSON.
        default_name: the game's name if the description has none.
    """

    def __init__(self, description: Any, default_name: str = "game") -> None:
        _check_object(description, "The game", _GAME_KEYS, required=("players", "start", "states"))
        self.name = str(description.get("name", default_name))
        self.player_names = _read_players(description["players"])
        self.public_actions = _read_flag(description, "public_actions", True)
        self.private_legality = _read_flag(description, "private_legality", False)
        states = description["states"]
        if not isinstance(states, dict) or not states:
            raise GameError('"states" must be an object with at least one state: {"name": {...}}.')
        self._states = {name: self._read_state(name, state) for name, state in states.items()}
        self._start = self._read_start(description["start"])
        for name, state in self._states.items():
            for action, outcomes in state["actions"].items():
                for outcome in outcomes:
                    self._check_next(outcome["next"], f'State "{name}", action "{action}"')
        length = description.get("max_length", len(self._states))
        if isinstance(length, bool) or not isinstance(length, int) or length < 1:
            raise GameError(f'"max_length" is {length!r}; it must be a whole number of moves, at least 1.')
        self.max_length = length

    def initial_states(self) -> Iterable[tuple[float, str]]:
        """The distribution under "start"."""
        return self._start

    def acting_player(self, state: str | None) -> int | None:
        """The state's "player"."""
        return None if state is _OVER else int(self._states[state]["player"])

    def legal_actions(self, state: str) -> Sequence[Hashable]:
        """The names under the state's "actions"."""
        return tuple(self._states[state]["actions"])

    def transitions(self, state: str, action: Hashable) -> Iterable[tuple[float, float, str | None]]:
        """The outcomes listed for an action."""
        return [
            (outcome["probability"], outcome["reward"], outcome["next"])
            for outcome in self._states[state]["actions"][action]
        ]

    def public_observation(self, state: str | None) -> Hashable:
        """The state's "public"."""
        return None if state is _OVER else self._states[state]["public"]

    def private_observation(self, state: str | None, player: int) -> Hashable:
        """The state's "private" for one player."""
        return None if state is _OVER else self._states[state]["private"].get(player)

    def _read_state(self, name: str, state: Any) -> dict[str, Any]:
        where = f'State "{name}"'
        _check_object(state, where, _STATE_KEYS, required=("player", "actions"))
        if isinstance(state["player"], list):
            raise GameError(
                f"The game is not turn-based: {where[0].lower()}{where[1:]} lets {state['player']} move at once; give "
                'their moves one after the other, with "public_actions": false to hide the first ones.'
            )
        private = state.get("private", {})
        if not isinstance(private, dict):
            raise GameError(f'{where}: "private" must be {{player: what it sees}}, not {private!r}.')
        actions = state["actions"]
        if not isinstance(actions, dict) or not actions:
            raise GameError(f'{where}: "actions" must be an object with at least one action.')
        return {
            "player": self._read_player(state["player"], where),
            "public": _freeze(state.get("public")),
            "private": {self._read_player(player, where): _freeze(seen) for player, seen in private.items()},
            "actions": {action: _read_outcomes(f'{where}, action "{action}"', out) for action, out in actions.items()},
        }

    def _read_start(self, start: Any) -> list[tuple[float, str]]:
        if isinstance(start, str):
            start = {start: 1.0}
        if not isinstance(start, dict):
            raise GameError('"start" must be a state\'s name or {state: probability}.')
        for name, probability in start.items():
            self._check_next(name, '"start"')
            _check_number(probability, f'"start": the probability of "{name}"')
        return [(float(probability), name) for name, probability in start.items()]

    def _read_player(self, player: Any, where: str) -> int:
        if isinstance(player, str) and player in self.player_names:
            return self.player_names.index(player)
        if isinstance(player, str) and player.isdigit():  # keys of JSON objects are strings
            player = int(player)
        if isinstance(player, int) and not isinstance(player, bool) and 0 <= player < len(self.player_names):
            return player
        raise GameError(
            f"{where}: there is no player {player!r}; the players are {', '.join(self.player_names)} "
            f"(or 0 to {len(self.player_names) - 1})."
        )

    def _check_next(self, name: Any, where: str) -> None:
        if name is not _OVER and (not isinstance(name, str) or name not in self._states):
            raise GameError(f"{where}: there is no state {name!r}{_suggestion(str(name), self._states)}.")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a JSON object, refusing a key that stands there twice (JSON would quietly keep the last)."""
    built = dict(pairs)
    if len(built) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise GameError(f'The name "{twice}" stands twice in the same object of the game file; rename one.')
    return built


def _read_players(players: Any) -> tuple[str, ...]:
    if isinstance(players, int) and not isinstance(players, bool) and players >= 1:
        if players > _MAX_PLAYERS:
            raise GameError(f'"players" is a number of {len(str(players))} digits; at most {_MAX_PLAYERS} can play.')
        return tuple(f"Player {player}" for player in range(players))
    if isinstance(players, list) and players and all(isinstance(name, str) for name in players):
        if len(set(players)) < len(players):
            raise GameError(f'"players" names somebody twice: {players}.')
        return tuple(players)
    raise GameError('"players" must be a number of at least 1, or a list of names such as ["Alice", "Bob"].')


def _read_flag(description: Mapping[str, Any], key: str, default: bool) -> bool:
    flag = description.get(key, default)
    if not isinstance(flag, bool):
        raise GameError(f'"{key}" must be true or false, not {flag!r}.')
    return flag


def _read_outcomes(where: str, outcomes: Any) -> list[dict[str, Any]]:
    listed = outcomes if isinstance(outcomes, list) else [outcomes]
    if not listed:
        raise GameError(f"{where}: there is no outcome; give {{}} for a move that ends the game with no reward.")
    read = []
    for outcome in listed:
        _check_object(outcome, where, _OUTCOME_KEYS, required=("probability",) if len(listed) > 1 else ())
        entry = {"probability": 1.0, "reward": 0.0, "next": _OVER, **outcome}
        _check_number(entry["probability"], f"{where}: the probability")
        _check_number(entry["reward"], f"{where}: the reward")
        read.append(entry)
    return read


def _check_number(number: Any, what: str) -> None:
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise GameError(f"{what} is {number!r}; it must be a number.")
    if isinstance(number, int) and abs(number) > _MAX_FLOAT:
        raise GameError(f"{what} has {len(str(number))} digits; rewards and probabilities must be finite numbers.")


def _check_object(value: Any, where: str, known: tuple[str, ...], required: tuple[str, ...]) -> None:
    if not isinstance(value, dict):
        raise GameError(f"{where} must be a JSON object, not {value!r}.")
    for key in value:
        if key not in known:
            raise GameError(f'{where} has the unknown key "{key}"{_suggestion(key, known)}; known are {known}.')
    for key in required:
        if key not in value:
            raise GameError(f'{where} lacks "{key}".')


def _suggestion(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1)
    return f' (did you mean "{close[0]}"?)' if close else ""


def _freeze(seen: Any) -> Hashable:
    """Make an observation hashable; lists and objects are compared by what they say."""
    if isinstance(seen, list | dict):
        return json.dumps(seen, sort_keys=True)
    return seen  # type: ignore[no-any-return]
