"""Networks from their settings, and the settings as plain data."""

import dataclasses
from typing import Any, TypeAlias

from torch import nn

from offbelief.agents.networks.cardwise import CardwiseNetwork, CardwiseSettings
from offbelief.agents.networks.feedforward import FeedForwardNetwork, FeedForwardSettings
from offbelief.agents.networks.recurrent import RecurrentNetwork, RecurrentSettings
from offbelief.agents.seat_views import SeatViews, hanabi_views
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.games.batched import BatchedGame
from offbelief.nouns import UserError

NetworkSettings: TypeAlias = CardwiseSettings | FeedForwardSettings | RecurrentSettings

_KINDS: dict[str, type[NetworkSettings]] = {
    "card-wise": CardwiseSettings,
    "feed-forward": FeedForwardSettings,
    "recurrent": RecurrentSettings,
}


def write_network(settings: NetworkSettings) -> dict[str, Any]:
    """Write the settings of a network as plain data, with the kind of network."""
    kind = next(name for name, known in _KINDS.items() if isinstance(settings, known))
    return {"kind": kind, **dataclasses.asdict(settings)}


def read_network(values: dict[str, Any]) -> NetworkSettings:
    """Read them back."""
    widths = dict(values)
    return _KINDS[widths.pop("kind")](**widths)


def build_network(game: BatchedGame, settings: NetworkSettings) -> nn.Module:
    """Make a network that fits a game, with fresh weights from torch's generator."""
    if isinstance(settings, RecurrentSettings):
        return build_recurrent(hanabi_views(game) if isinstance(game, HanabiGame) else SeatViews(game), settings)
    if isinstance(settings, FeedForwardSettings):
        return FeedForwardNetwork(game.observation_size, game.num_moves, settings)
    if not isinstance(game, HanabiGame) or game.encoding != "card-wise":
        raise UserError(f"The card-wise network plays Hanabi only; choose a feed-forward one for {game.name}.")
    return CardwiseNetwork(game.variant, settings, game.layout)


def build_recurrent(views: SeatViews, settings: RecurrentSettings, *, cards: int = 0) -> RecurrentNetwork:
    """Make a recurrent network that fits what seats see; `cards` is how many own cards it tells the class of (AUX)."""
    return RecurrentNetwork(
        views.observation_size, views.public_columns, views.num_moves, settings, cards=cards, layout=views.layout
    )
