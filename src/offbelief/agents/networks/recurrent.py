r"""The paper's Q-networks: public-LSTM, LSTM and feed-forward, dueling (appendix B; Hu et al. 2021 for public-LSTM).

What a seat saw before may matter, so these networks carry a memory from step to step of the game, and a seat looks at
every step, whether or not it is its turn; then its only move is to wait, which is the last move of the network. With
the public-LSTM the memory hears public features alone and meets what is private in a product:

    private features -> 512 -> 512 -> 512 ----------\
                                                      (x) -> value, advantages, guesses about the own cards
    public features  -> 512 -> LSTM 512 -> LSTM 512 -/

So one memory serves the real game and every imagined one that looks the same in public, and a fictitious transition
recomputes the private stream only (paper, Section 4.6).

Beside the paper's, `card-gru` has a memory for every card in the place of the LSTM (`card_memory.py`).

A memory always includes the present step: `remember` takes in what is seen now, and `value` reads it. Nothing here
plays or trains; `agents/seat_views.py` makes the inputs.
"""

import itertools
import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from offbelief.agents.networks.card_memory import CardMemory
from offbelief.agents.networks.heads import CARD_CLASSES
from offbelief.games.hanabi.views.layout import Layout
from offbelief.nouns import IntArray, UserError


@dataclass(frozen=True, kw_only=True)
class RecurrentSettings:
    """The shape of the network; the paper's by default."""

    memory: Literal["public-lstm", "lstm", "none", "card-gru"] = "public-lstm"
    """What it remembers: what was public, all that its seat saw, nothing (feed-forward), or what was public of every
    card (Hanabi only)."""
    width: int = 512
    """Of every layer, recurrent or not."""
    lstm_layers: int = 2
    """Layers of the LSTM."""
    card_width: int = 32
    """Of what `card-gru` remembers of a card."""
    private_layers: int = 3
    """Layers that private features pass; one before a plain LSTM, whatever stands here."""
    mean_over: Literal["all", "legal"] = "all"
    """Dueling takes off the mean advantage over all moves, illegal ones counting 0, as in the paper's public code, or
    over legal moves."""

    def __post_init__(self) -> None:
        if self.memory not in ("public-lstm", "lstm", "none", "card-gru"):
            raise UserError(f"memory is 'public-lstm', 'lstm', 'none' or 'card-gru', not {self.memory!r}.")
        if self.mean_over not in ("all", "legal"):
            raise UserError(f"mean_over is 'all' or 'legal', not {self.mean_over!r}.")
        if min(self.width, self.lstm_layers, self.private_layers, self.card_width) < 1:
            raise UserError("width, lstm_layers, private_layers and card_width must be at least 1.")

    @property
    def is_public(self) -> bool:
        """Whether the memory hears nothing private, as a memory of imagined worlds must not."""
        return self.memory != "lstm"


class RecurrentNetwork(nn.Module):
    """Dueling Q-values of all moves, given what was seen so far.

    Args:
        observation_size: F, features of an observation.
        public_columns: which of them are public.
        num_moves: A, moves of the game and waiting.
        settings: the shape.
        cards: H, how many own cards it tells the class of, for the auxiliary task (AUX); 0 for none.
        layout: names the features of an observation; for `card-gru`.
    """

    public_columns: Tensor

    def __init__(
        self,
        observation_size: int,
        public_columns: IntArray,
        num_moves: int,
        settings: RecurrentSettings | None = None,
        *,
        cards: int = 0,
        layout: Layout | None = None,
    ) -> None:
        super().__init__()
        self.settings = settings = settings or RecurrentSettings()
        width = settings.width
        self.register_buffer("public_columns", torch.from_numpy(public_columns.copy()), persistent=False)
        layers = 1 if settings.memory == "lstm" else settings.private_layers
        self.private = _layers(observation_size, width, layers)
        has_public_stream = settings.memory in ("public-lstm", "card-gru")
        self.public = _layers(len(public_columns), width, 1) if has_public_stream else None
        self.lstm = nn.LSTM(width, width, settings.lstm_layers) if settings.memory.endswith("lstm") else None
        self.card_memory: CardMemory | None = None
        if settings.memory == "card-gru":
            if layout is None:
                raise UserError("The memory 'card-gru' is one of cards: it plays Hanabi only; choose 'public-lstm'.")
            self.card_memory = CardMemory(layout, width, settings.card_width)
            self.from_cards = nn.Linear(math.prod(self.card_memory.shape), width)
        self.state_value = nn.Linear(width, 1)
        self.advantages = nn.Linear(width, num_moves)
        self.card_classes = nn.Linear(width, cards * CARD_CLASSES) if cards else None

    @property
    def memory_shape(self) -> tuple[int, ...]:
        """Of one seat of one game: (hidden and cell, layers, width) of an LSTM, or (players, cards, width)."""
        if self.card_memory is not None:
            return self.card_memory.shape
        return (2, self.settings.lstm_layers, self.settings.width) if self.lstm is not None else (0,)

    def new_memory(self, size: int) -> Tensor:
        """[N, *memory_shape] of seats that have seen nothing yet."""
        return self.state_value.weight.new_zeros(size, *self.memory_shape)

    def remember(self, observations: Tensor, memory: Tensor) -> Tensor:
        """Take in what is seen now.

        Args:
            observations: [N, F]
            memory: [N, *memory_shape] up to the step before; not changed.

        Returns:
            [N, *memory_shape] up to now.
        """
        if self.card_memory is not None:
            remembered: Tensor = self.card_memory(observations, self._heard(observations), memory)
            return remembered
        if self.lstm is None:
            return memory
        hidden, cell = memory.movedim(0, 2).contiguous()  # [2, layers, N, width]
        _, (hidden, cell) = self.lstm(self._heard(observations)[None], (hidden, cell))
        return torch.stack([hidden, cell]).movedim(2, 0)

    def value(self, observations: Tensor, legal: Tensor, memory: Tensor) -> Tensor:
        """Value every move.

        Args:
            observations: [N, F] what is seen now.
            legal: [N, A] bool.
            memory: [N, *memory_shape] up to now.

        Returns:
            [N, A] Q-values; those of illegal moves mean nothing.
        """
        return self._duel(self._hidden(observations, self._read(memory)), legal)

    def forward(self, observations: Tensor, legal: Tensor) -> tuple[Tensor, Tensor]:
        """Value every move of whole games, from an empty memory.

        Args:
            observations: [T, N, F]
            legal: [T, N, A] bool.

        Returns:
            [T, N, A] Q-values, and [T, N, width] what they were read from, for `guess_cards`.
        """
        remembered = None
        if self.lstm is not None:
            remembered = self.lstm(self._heard(observations))[0]
        elif self.card_memory is not None:
            memories = [self.new_memory(observations.shape[1])]
            for seen, heard in zip(observations, self._heard(observations), strict=True):
                memories.append(self.card_memory(seen, heard, memories[-1]))
            remembered = self.from_cards(torch.stack(memories[1:]).flatten(2))
        hidden = self._hidden(observations, remembered)
        return self._duel(hidden, legal), hidden

    def guess_cards(self, hidden: Tensor) -> Tensor:
        """Log-odds of what each own card is, [..., H, CARD_CLASSES]."""
        if self.card_classes is None:
            raise UserError("This network was built without the auxiliary task; give it a number of cards.")
        return torch.unflatten(self.card_classes(hidden), -1, (-1, CARD_CLASSES))

    def _read(self, memory: Tensor) -> Tensor | None:
        """What memories [N, ...] say now, [N, width]."""
        if self.card_memory is not None:
            said: Tensor = self.from_cards(memory.flatten(1))
            return said
        return memory[:, 0, -1] if self.lstm is not None else None

    def _heard(self, observations: Tensor) -> Tensor:
        """What the LSTM, or every card, hears."""
        heard: Tensor
        if self.public is None:
            heard = self.private(observations)
        else:
            heard = self.public(observations[..., self.public_columns])
        return heard

    def _hidden(self, observations: Tensor, remembered: Tensor | None) -> Tensor:
        if remembered is None:
            hidden: Tensor = self.private(observations)
            return hidden
        return remembered if self.public is None else remembered * self.private(observations)

    def _duel(self, hidden: Tensor, legal: Tensor) -> Tensor:
        value: Tensor = self.state_value(hidden)
        advantages = torch.where(legal, self.advantages(hidden), 0.0)
        if self.settings.mean_over == "all":
            return value + advantages - advantages.mean(-1, keepdim=True)
        return value + advantages - advantages.sum(-1, keepdim=True) / legal.sum(-1, keepdim=True).clamp(min=1)


def _layers(inputs: int, width: int, count: int) -> nn.Sequential:
    sizes = [inputs, *[width] * count]
    layers: list[nn.Module] = []
    for before, after in itertools.pairwise(sizes):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers)
