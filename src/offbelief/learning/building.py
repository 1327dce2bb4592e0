"""From a config to the parts that it names: the game, the method, and the training that puts them together."""

from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.beliefs.table_game import TableGame
from offbelief.games.batched import BatchedGame
from offbelief.games.catalogue import SMALL_GAMES, find_game
from offbelief.games.tree import unroll
from offbelief.learning.config import RunConfig
from offbelief.learning.methods import Method
from offbelief.learning.methods.iql import IndependentQLearning
from offbelief.learning.methods.obl import OffBeliefLearning


def make_game(config: RunConfig) -> BatchedGame:
    """A small game by name, or a Hanabi variant."""
    if config.game in SMALL_GAMES:
        return TableGame(unroll(find_game(config.game)))
    return HanabiGame(config.game)


def make_method(config: RunConfig, game: BatchedGame) -> Method:
    """The method, ready to collect from games of the config's number."""
    if config.method == "obl":
        return OffBeliefLearning(config.fictitious)
    return IndependentQLearning(game, config.games, config.fictitious.discount)
