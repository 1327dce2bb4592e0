"""Value networks: what a state is worth to someone, whatever is done next. Training needs them, playing does not.

They answer in the shape of a Q-network with a single move, so that one `Learner` trains both.
"""

from torch import Tensor, cat, nn

from offbelief.agents.networks.building import NetworkSettings
from offbelief.agents.networks.cardwise import CardwiseSettings
from offbelief.agents.networks.feedforward import FeedForwardNetwork, FeedForwardSettings
from offbelief.beliefs.card_encoder import CardEncoder, EncoderSettings, two_layers
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.games.batched import BatchedGame
from offbelief.games.hanabi.views.layout import Layout
from offbelief.nouns import UserError
from offbelief.precision import exactly


class CardwiseValue(nn.Module):
    """The value of a state of Hanabi to someone who sees a card-wise observation and something beside it.

    Args:
        layout: Of the observation.
        beside: (things, features of each) that follow the observation: own true cards, for example.
        settings: The widths.
    """

    def __init__(self, layout: Layout, beside: tuple[int, int], settings: CardwiseSettings) -> None:
        super().__init__()
        self._observation_size, self._beside = layout.size, beside
        width, trunk, slope = settings.card_width, settings.trunk_width, settings.slope
        self.encoder = CardEncoder(layout, EncoderSettings(card_width=width, trunk_width=trunk, slope=slope))
        self.beside_encoder = two_layers(beside[1], width, width, slope)
        self.value = nn.Sequential(nn.Linear(trunk + width, trunk), nn.ReLU(inplace=True), nn.Linear(trunk, 1))

    def forward(self, features: Tensor, legal: Tensor) -> Tensor:
        """Value states [B, F] as [B, 1]; ``legal`` is not looked at."""
        beside = features[:, self._observation_size :].reshape(len(features), *self._beside)
        trunk = self.encoder(features[:, : self._observation_size]).trunk
        *layers, last = self.value
        inside = cat([trunk, self.beside_encoder(beside).sum(1)], dim=1)
        for layer in layers:
            inside = layer(inside)
        return exactly(last, inside)


def build_value(game: BatchedGame, beside: tuple[int, int], features: int, settings: NetworkSettings) -> nn.Module:
    """Make a value network of the same kind and widths as a Q-network.

    Args:
        game: What is played.
        beside: As for `CardwiseValue`; for card-wise Hanabi only.
        features: F, the size of what it sees, where it is read as one flat row.
        settings: Of the Q-network.
    """
    if isinstance(settings, FeedForwardSettings):
        return FeedForwardNetwork(features, 1, settings)
    if isinstance(settings, CardwiseSettings) and isinstance(game, HanabiGame):
        return CardwiseValue(game.layout, beside, settings)
    raise UserError("A learned value needs a card-wise network on Hanabi, or a feed-forward one; choose one of these.")
