"""From a config to the parts that it names: the game, the method, and the training that puts them together."""

from dataclasses import replace

import torch
from torch import nn

from offbelief.agents.loading import NetworkAgent, load_agent, load_belief
from offbelief.agents.memory_agent import MemoryAgent
from offbelief.agents.networks.building import NetworkSettings, build_network
from offbelief.agents.networks.cardwise import CardwiseNetwork, CardwiseSettings
from offbelief.agents.networks.feedforward import FeedForwardNetwork
from offbelief.agents.networks.heads import TrainedNetwork
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.beliefs.followed import FollowingBelief
from offbelief.beliefs.hanabi_game import Encoding, HanabiGame, ViewSettings
from offbelief.beliefs.recurrent_hand_model import RecurrentBelief
from offbelief.beliefs.table_game import TableGame
from offbelief.games.batched import BatchedGame
from offbelief.games.catalogue import SMALL_GAMES, find_game
from offbelief.games.tree import unroll
from offbelief.learning.config import RunConfig
from offbelief.learning.methods import Method
from offbelief.learning.methods.iql import IndependentQLearning
from offbelief.learning.methods.obl import off_belief_learning
from offbelief.learning.methods.other_play import RenamedGame
from offbelief.learning.methods.vdn import ValueDecomposition
from offbelief.nouns import UserError


def make_game(config: RunConfig, device: torch.device | None = None) -> BatchedGame:
    """A small game by name, or a Hanabi variant; what the trained policy is for."""
    if config.game in SMALL_GAMES:
        if config.view.announced or config.other_play or config.learner.card_task:
            raise UserError(f"SAD, AUX and Other-Play are about Hanabi; train {config.game} without them.")
        return TableGame(unroll(find_game(config.game)))
    is_recurrent = isinstance(config.network, RecurrentSettings)
    encoding: Encoding = "v0-belief" if is_recurrent else "card-wise"  # the paper's, for the paper's networks
    view = ViewSettings() if is_recurrent else config.view
    belief = load_belief(config.belief, device) if config.belief else None
    if isinstance(belief, RecurrentBelief):
        return HanabiGame(config.game, encoding, view, FollowingBelief(belief, config.games))
    return HanabiGame(config.game, encoding, view, belief, carries_memory=belief is not None)


def follower_of(game: BatchedGame) -> FollowingBelief | None:
    """The belief of a game, if it is one that must be told of every step."""
    belief = game.belief if isinstance(game, HanabiGame) else None
    return belief if isinstance(belief, FollowingBelief) else None


def make_played_game(config: RunConfig, game: BatchedGame) -> BatchedGame:
    """The game that is played for training: the game itself, or with Other-Play one of differently named colours."""
    if config.other_play and isinstance(game, HanabiGame):
        return RenamedGame(game, one_seat_keeps=config.method == "vdn")
    return game


def make_network(config: RunConfig, game: BatchedGame) -> nn.Module:
    """The Q-network, with the heads that the method needs to train it."""
    network = build_network(game, config.network)
    if config.start_from:
        begin_as(network, config.start_from)
    cards = game.variant.hand_size if config.learner.card_task and isinstance(game, HanabiGame) else 0
    waits, variances = config.method == "vdn", config.learner.certainty > 0
    if not (waits or cards or variances):
        return network
    if not isinstance(network, CardwiseNetwork | FeedForwardNetwork):
        raise UserError(
            "VDN, the card task and weights of certainty train card-wise and feed-forward networks only; choose one."
        )
    return TrainedNetwork(network, waits=waits, cards=cards, variances=variances)


def network_of(name: str) -> NetworkSettings:
    """The settings of a trained agent's network, for others that are to begin with its weights.

    Raises:
        UserError: it has none.
    """
    settings = getattr(getattr(load_agent(name), "network", None), "settings", None)
    if not isinstance(settings, CardwiseSettings | RecurrentSettings):
        raise UserError(f"{name} follows rules and has no weights to begin with; name a trained agent.")
    return settings


def begin_as(network: nn.Module, name: str) -> None:
    """Give a network the weights of an agent; what that agent does not see and residual layers it lacks add nothing.

    Raises:
        UserError: the agent's network has other widths, or sees more.
    """
    agent = load_agent(name)
    if not isinstance(agent, NetworkAgent | MemoryAgent):
        raise UserError(f"{name} has no network of this kind to start from; name a trained card-wise agent.")
    if not _can_take_over(network.settings, agent.network.settings):
        raise UserError(f"The network of {name} has other settings; train with those: {agent.network.settings}.")
    missing, unknown = network.load_state_dict(agent.network.state_dict(), strict=False)
    if unknown or any("_from_memory" not in key and "_residual" not in key for key in missing):
        raise UserError(f"The network of {name} sees other things; start from one of the same kind.")


def _can_take_over(mine: object, theirs: object) -> bool:
    """Whether weights fit.

    The slope may differ, so that units which died in plain ReLUs live again if leaky, and the network may have residual
    layers which the agent has not, so that a level may be deeper than the one below.
    """
    if isinstance(mine, CardwiseSettings) and isinstance(theirs, CardwiseSettings):
        residual = theirs.residual_width or mine.residual_width
        theirs = replace(theirs, slope=mine.slope, residual_width=residual)
    return mine == theirs


def make_method(config: RunConfig, game: BatchedGame, device: torch.device) -> Method:
    """The method, ready to collect from games of the config's number; what else it trains is on the device."""
    if config.method == "obl":
        return off_belief_learning(config, game, device)
    make = ValueDecomposition if config.method == "vdn" else IndependentQLearning
    return make(game, config.games, config.n_step, config.fictitious.discount)
