"""What a seat of Hanabi sees, card by card, as vectors: one small encoder for all own cards, one for all partners'.

It reads card-wise observations, with or without memory (`games/hanabi/views`). Cards pass through their encoder, are
summed, and meet the table's features in a trunk. Q-networks (`agents/networks/cardwise.py`) and the model of the own
hand (`hand_model.py`) are heads on top of it. Weights are shared over slots: what is learned of one holds for all.

Memory enters the first layers by weights of its own that begin at zero: a network with memory that takes over the
weights of one without begins as that one.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from offbelief.games.hanabi.views.layout import Layout

_INSIDE_SLOPE = 0.1  # of a residual layer: its units must not die, whatever those around it do


class CardEncoding(NamedTuple):
    """Vectors for cards and table."""

    trunk: Tensor
    """[B, trunk_width] of everything."""
    own: Tensor
    """[B, H, card_width] of own cards."""
    partner: Tensor
    """[B, P-1, H, card_width] of partners' cards."""
    partner_cards: Tensor
    """[B, P-1, H, F] what was seen of them."""


@dataclass(frozen=True, kw_only=True)
class EncoderSettings:
    """The widths of the encoder."""

    card_width: int = 96
    """Width of a card's encoding."""
    trunk_width: int = 256
    """Width of the two layers that everything meets in."""
    slope: float = 0.0
    """Of activations below zero; 0 is a plain ReLU, whose units can die: in a trained network half of the trunk's never
    were active again."""


class CardEncoder(nn.Module):
    """Encodes card-wise observations.

    Args:
        layout: Of the observations: `cardwise_layout`, more of the table behind it, or `remembered_layout`.
        settings: The widths.
    """

    def __init__(self, layout: Layout, settings: EncoderSettings) -> None:
        super().__init__()
        own, partner = layout["own_cards"], layout["partner_cards"]
        self._own_shape, self._partner_shape = own.shape, partner.shape
        self._partner_start, self._table_start = partner.start, layout["fireworks"].start
        self._remembers = any(section.name == "card_memory" for section in layout.sections)
        self._table_end = layout["card_memory"].start if self._remembers else layout.size
        width, trunk, slope = settings.card_width, settings.trunk_width, settings.slope
        self.own_encoder = two_layers(own.shape[-1], width, width, slope)
        self.partner_encoder = two_layers(partner.shape[-1], width, width, slope)
        self.trunk = two_layers(2 * width + self._table_end - self._table_start, trunk, trunk, slope)
        if self._remembers:
            cards, seats = layout["card_memory"], layout["seat_memory"]
            self._memory_shape, self._seats_start = cards.shape, seats.start
            self.own_from_memory = _from_zero(cards.shape[-1], width)
            self.partner_from_memory = _from_zero(cards.shape[-1], width)
            self.trunk_from_memory = _from_zero(seats.size, trunk)

    def forward(self, observations: Tensor) -> CardEncoding:
        """Encode observations [B, F]."""
        size = len(observations)
        own_cards = observations[:, : self._partner_start].reshape(size, *self._own_shape)
        partner_cards = observations[:, self._partner_start : self._table_start].reshape(size, *self._partner_shape)
        table = observations[:, self._table_start : self._table_end]
        if not self._remembers:
            own, partner = self.own_encoder(own_cards), self.partner_encoder(partner_cards)
            pooled = torch.cat([own.sum(1), partner.sum((1, 2)), table], dim=1)
            return CardEncoding(self.trunk(pooled), own, partner, partner_cards)
        # One copy each for the two products: rows that lie apart would halve their speed.
        seats, *card_shape = self._memory_shape
        memory = observations[:, self._table_end : self._seats_start].view(size, seats, -1)
        own_memory = memory[:, 0].reshape(size, *card_shape)
        partner_memory = memory[:, 1:].reshape(size, seats - 1, *card_shape)
        own = _after(self.own_encoder, own_cards, self.own_from_memory(own_memory))
        partner = _after(self.partner_encoder, partner_cards, self.partner_from_memory(partner_memory))
        pooled = torch.cat([own.sum(1), partner.sum((1, 2)), table], dim=1)
        trunk = _after(self.trunk, pooled, self.trunk_from_memory(observations[:, self._seats_start :]))
        return CardEncoding(trunk, own, partner, partner_cards)


class ResidualLayer(nn.Module):
    """Adds to its input what two layers make of it; at first nothing."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.inside = nn.Linear(width, hidden)
        self.added = nn.Linear(hidden, width)
        nn.init.zeros_(self.added.weight)
        nn.init.zeros_(self.added.bias)

    def forward(self, values: Tensor) -> Tensor:
        """Add to values [..., width]."""
        added: Tensor = self.added(functional.leaky_relu_(self.inside(values), _INSIDE_SLOPE))
        return values + added


def residual_layer(width: int, hidden: int) -> nn.Module:
    """A residual layer with so many units inside; with none it does nothing."""
    return ResidualLayer(width, hidden) if hidden else nn.Identity()


def two_layers(inputs: int, hidden: int, outputs: int, slope: float = 0.0) -> nn.Sequential:
    """Two fully connected layers, each followed by a ReLU, or a leaky one."""
    return nn.Sequential(nn.Linear(inputs, hidden), _relu(slope), nn.Linear(hidden, outputs), _relu(slope))


def _relu(slope: float) -> nn.Module:
    return nn.LeakyReLU(slope, inplace=True) if slope > 0.0 else nn.ReLU(inplace=True)


def _after(layers: nn.Sequential, inputs: Tensor, added: Tensor) -> Tensor:
    """Run layers with something added to what the first one gives."""
    first, activation, second, last = layers
    encoded: Tensor = last(second(activation(added.add_(first(inputs)))))
    return encoded


def _from_zero(inputs: int, outputs: int) -> nn.Linear:
    layer = nn.Linear(inputs, outputs, bias=False)
    nn.init.zeros_(layer.weight)
    return layer
