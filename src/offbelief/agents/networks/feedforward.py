"""A plain dueling Q-network: fully connected layers over the whole observation, for any batched game."""

import itertools
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from offbelief.precision import exactly


@dataclass(frozen=True, kw_only=True)
class FeedForwardSettings:
    """The shape of the network."""

    width: int = 128
    """Of every hidden layer."""
    layers: int = 2
    """How many hidden layers."""


class FeedForwardNetwork(nn.Module):
    """Dueling Q-values of all moves.

    Args:
        observation_size: F, features of an observation.
        num_moves: A, moves of the game.
        settings: the shape.
    """

    def __init__(self, observation_size: int, num_moves: int, settings: FeedForwardSettings | None = None) -> None:
        super().__init__()
        self.settings = settings or FeedForwardSettings()
        sizes = [observation_size, *[self.settings.width] * self.settings.layers]
        layers: list[nn.Module] = []
        for inputs, outputs in itertools.pairwise(sizes):
            layers += [nn.Linear(inputs, outputs), nn.ReLU(inplace=True)]
        self.trunk = nn.Sequential(*layers)
        self.state_value = nn.Linear(sizes[-1], 1)
        self.advantages = nn.Linear(sizes[-1], num_moves)

    def forward(self, observations: Tensor, legal: Tensor) -> Tensor:
        """Value every move, [B, A]; those of illegal moves mean nothing."""
        return self.value(self.encode(observations), legal)

    @property
    def trunk_width(self) -> int:
        """Width of an encoding."""
        return self.settings.width

    def encode(self, observations: Tensor) -> Tensor:
        """Encode observations [B, F] as [B, trunk_width]."""
        hidden: Tensor = self.trunk(observations)
        return hidden

    def encode_moves(self, encoding: Tensor) -> Tensor:
        """What moves are valued by: the encoding itself."""
        return encoding

    def value(self, encoding: Tensor, legal: Tensor) -> Tensor:
        """Value every move, [B, A]."""
        return duel(exactly(self.state_value, encoding), exactly(self.advantages, encoding), legal)


def duel(state_value: Tensor, advantages: Tensor, legal: Tensor) -> Tensor:
    """Put a value [B, 1] and advantages [B, A] together; the mean that is taken off is over legal moves.

    Differs from the paper: the public code takes the mean over all outputs, with zeros for illegal ones.
    """
    count = legal.sum(1, keepdim=True).clamp(min=1)
    mean = torch.where(legal, advantages, 0.0).sum(1, keepdim=True) / count
    return state_value + advantages - mean
