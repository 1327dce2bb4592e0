"""A Q-network for Hanabi that knows that cards are alike: one encoder for every slot, one head for every hint.

It reads card-wise observations through `beliefs/card_encoder.py`: own cards and partners' cards pass through one small
encoder each and meet the table's features in a trunk. Every own card then gets its two values (play, discard) from its
own encoding and the trunk, and every hint from the encodings of the cards it would touch. So weights are shared over
slots and over hints of one sort, and what is learned about one slot holds for all.

Residual layers can make it deeper. They begin as nothing, so a level of the ladder that has them can begin with the
weights of one that has not.

Differs from the paper: its public-LSTM (appendix B) reads a flat vector through 512-wide layers; this network has a
twentieth of the parameters and learns in minutes on one core.
"""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from offbelief.agents.networks.feedforward import duel
from offbelief.beliefs.card_encoder import CardEncoder, CardEncoding, EncoderSettings, residual_layer
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.games.hanabi.views.cardwise import cardwise_layout
from offbelief.games.hanabi.views.layout import Layout
from offbelief.precision import exactly


@dataclass(frozen=True, kw_only=True)
class CardwiseSettings:
    """The widths of the network."""

    card_width: int = 96
    """Width of a card's encoding."""
    trunk_width: int = 256
    """Width of the two layers that everything meets in."""
    head_width: int = 64
    """Width of the hidden layer behind a card's or a hint's value."""
    slope: float = 0.0
    """Of activations below zero; 0 is a plain ReLU, as agents of the zoo had whose weights do not say otherwise."""
    residual_width: int = 0
    """Width inside a residual layer behind the trunk; inside those behind every card's and hint's hidden layer it is a
    third of this. 0 has no such layers."""


class MoveEncoding(NamedTuple):
    """Vectors for everything that can be done, in the light of everything that is seen."""

    trunk: Tensor
    """[B, trunk_width] of the position."""
    cards: Tensor
    """[B, H, head_width] of own cards, to be discarded or played."""
    hints: Tensor
    """[B, P-1, C + R, head_width] of hints, by the cards they would touch."""


class CardwiseNetwork(nn.Module):
    """Dueling Q-values of all moves from card-wise observations.

    Args:
        variant: The rules; they fix the sizes.
        settings: The widths.
        layout: Of the observations, if they hold more than the plain card-wise ones.
    """

    def __init__(
        self, variant: HanabiVariant, settings: CardwiseSettings | None = None, layout: Layout | None = None
    ) -> None:
        super().__init__()
        self.variant = variant
        self.settings = settings or CardwiseSettings()
        layout = layout or cardwise_layout(variant)
        width, trunk, head = self.settings.card_width, self.settings.trunk_width, self.settings.head_width
        self.encoder = CardEncoder(
            layout, EncoderSettings(card_width=width, trunk_width=trunk, slope=self.settings.slope)
        )
        self.state_value = nn.Linear(trunk, 1)
        # A head reads (encoding, trunk). The trunk's share of its first layer is the same for every card or hint, so it
        # is computed once and added.
        self.card_from_trunk = nn.Linear(trunk, head)
        self.card_from_encoding = nn.Linear(width, head, bias=False)
        self.card_values = nn.Linear(head, 2)  # discard, play
        self.hint_from_trunk = nn.Linear(trunk, head)
        self.hint_from_encoding = nn.Linear(width, head, bias=False)
        self.hint_from_sort = nn.Parameter(torch.zeros(1 + variant.ranks, head))  # any colour, or the rank itself
        self.hint_values = nn.Linear(head, 1)
        residual = self.settings.residual_width
        self.trunk_residual = residual_layer(trunk, residual)
        self.card_residual = residual_layer(head, residual // 3)
        self.hint_residual = residual_layer(head, residual // 3)
        self.hints_of_kind: Tensor
        self.register_buffer("hints_of_kind", _hints_of_kinds(variant), persistent=False)

    def forward(self, observations: Tensor, legal: Tensor) -> Tensor:
        """Value every move.

        Args:
            observations: [B, F] card-wise observations.
            legal: [B, A] bool, which moves are legal.

        Returns:
            [B, A] Q-values; those of illegal moves mean nothing.
        """
        return self.value(self.encode_moves(self.encode(observations)), legal)

    @property
    def trunk_width(self) -> int:
        """Width of an encoding's trunk."""
        return self.settings.trunk_width

    def encode(self, observations: Tensor) -> CardEncoding:
        """Encode cards and table of observations [B, F]."""
        encoding: CardEncoding = self.encoder(observations)
        return encoding._replace(trunk=self.trunk_residual(encoding.trunk))

    def encode_moves(self, encoding: CardEncoding) -> MoveEncoding:
        """Encode every own card and every hint in the light of everything else."""
        return MoveEncoding(encoding.trunk, self._encode_cards(encoding), self._encode_hints(encoding))

    def value(self, moves: MoveEncoding, legal: Tensor) -> Tensor:
        """Value every move, [B, A]."""
        advantages = self.in_order(exactly(self.card_values, moves.cards), exactly(self.hint_values, moves.hints))
        return duel(exactly(self.state_value, moves.trunk), advantages, legal)

    def _encode_cards(self, encoding: CardEncoding) -> Tensor:
        from_trunk = self.card_from_trunk(encoding.trunk)[:, None]
        encoded: Tensor = self.card_residual(self._activate(self.card_from_encoding(encoding.own).add_(from_trunk)))
        return encoded

    def _activate(self, values: Tensor) -> Tensor:
        """A ReLU or a leaky one, in place."""
        slope = self.settings.slope
        return functional.leaky_relu_(values, slope) if slope > 0.0 else functional.relu_(values)

    def _encode_hints(self, encoding: CardEncoding) -> Tensor:
        colours, ranks = self.variant.colours, self.variant.ranks
        touches = encoding.partner_cards[..., : colours * ranks] @ self.hints_of_kind  # [B, P-1, H, C + R]
        touched = touches.transpose(-1, -2) @ self.hint_from_encoding(encoding.partner)  # [B, P-1, C + R, head]
        sort = torch.cat([self.hint_from_sort[:1].expand(colours, -1), self.hint_from_sort[1:]])
        from_trunk = self.hint_from_trunk(encoding.trunk)[:, None, None]
        encoded: Tensor = self.hint_residual(self._activate(touched.add_(sort).add_(from_trunk)))
        return encoded

    def in_order(self, cards: Tensor, hints: Tensor) -> Tensor:
        """Put numbers of own cards [B, H, 2] and of hints [B, P-1, C + R, 1] into the order of moves, [B, A].

        Those are discards, plays, then hints, colours of all partners first.
        """
        by_colour, by_rank = hints[..., : self.variant.colours, 0], hints[..., self.variant.colours :, 0]
        return torch.cat([cards.transpose(1, 2).flatten(1), by_colour.flatten(1), by_rank.flatten(1)], dim=1)


def _hints_of_kinds(variant: HanabiVariant) -> Tensor:
    """[K, C + R] 1 where a hint of a colour or rank touches a kind of card."""
    kinds = torch.arange(variant.card_kinds)
    colours = functional.one_hot(kinds // variant.ranks, variant.colours)
    return torch.cat([colours, functional.one_hot(kinds % variant.ranks, variant.ranks)], dim=1).float()
