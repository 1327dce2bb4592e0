"""Small games by name, as the command line spells them."""

import difflib
from collections.abc import Callable
from pathlib import Path

from offbelief.games.contract import Game
from offbelief.games.counterexamples import disagreement, no_improvement
from offbelief.games.json_game import load_json_game
from offbelief.games.random_game import RandomGameSettings, random_game
from offbelief.games.simultaneous import MatrixGame, as_turn_based
from offbelief.games.tables import GameTables
from offbelief.games.tiny_hanabi import TinyHanabi
from offbelief.games.toy_communication import ToyCommunicationGame
from offbelief.nouns import GameError

HANABI = "hanabi:"
"""Begins the name of a Hanabi variant that is to be unrolled."""

SMALL_GAMES: dict[str, Callable[[], Game | GameTables]] = {
    "toy": ToyCommunicationGame,
    "tiny-hanabi": TinyHanabi,
    "disagreement": disagreement,
    "no-improvement": no_improvement,
    "coordination": lambda: as_turn_based(MatrixGame([[1, 0], [0, 1]])),
    "random": lambda: random_game(0, RandomGameSettings(horizon=4)),
}


def find_game(name: str) -> Game | GameTables:
    """Find a game by its name, as a small Hanabi (``hanabi:2p-1c-3r-h2-i1-l1``), or read it from a JSON file.

    Raises:
        GameError: neither a known name nor a file.
    """
    if name in SMALL_GAMES:
        return SMALL_GAMES[name]()
    if name.startswith(HANABI):
        from offbelief.games.hanabi.as_table import hanabi_tables
        from offbelief.games.hanabi.variant import HanabiVariant

        return hanabi_tables(HanabiVariant.parse(name.removeprefix(HANABI))).tables
    if name.endswith(".json") or Path(name).exists():
        return load_json_game(name)
    close = difflib.get_close_matches(name, SMALL_GAMES, n=1)
    hint = f" Did you mean '{close[0]}'?" if close else ""
    raise GameError(
        f"There is no small game '{name}'; give one of {', '.join(SMALL_GAMES)}, a small Hanabi "
        f"(hanabi:2p-1c-3r-h2-i1-l1), or a JSON file (my_game.json).{hint}"
    )
