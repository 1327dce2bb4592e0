"""A memory of its own for every card: one recurrent cell that all cards share, and that follows them through hands.

A card's memory hears at every step what is public of that card (what everybody knows of it, and whether the last hint
touched it) and of the table. When an older card leaves a hand, memories move with their cards; a new card has none. So
whatever is learned about one slot holds for all, as in `cardwise.py`, and all of it is public, as an imagined world
needs it (paper, Section 4.6).

The paper has one LSTM for the whole table instead (`recurrent.py`).
"""

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from offbelief.games.hanabi.views.layout import Layout


class CardMemory(nn.Module):
    """Memories [N, P, H, width] of all cards on the table, the observer's own first.

    Args:
        layout: of the observations; it must name what everybody knows of every card, and the last move.
        context: features of the table that every card hears of.
        width: of a card's memory.
    """

    known_columns: Tensor
    actor_columns: Tensor
    target_columns: Tensor
    touched_columns: Tensor
    slot_columns: Tensor

    def __init__(self, layout: Layout, context: int, width: int) -> None:
        super().__init__()
        sections = {
            "known": "knowledge",
            "actor": "last_actor",
            "target": "last_target",
            "touched": "last_touched",
            "slot": "last_slot",
        }
        columns = {name: layout.view(np.arange(layout.size))[section] for name, section in sections.items()}
        for name, places in columns.items():
            self.register_buffer(f"{name}_columns", torch.from_numpy(places.copy()), persistent=False)
        players, cards, features = columns["known"].shape
        self.shape = (players, cards, width)
        """Of the memories of one game."""
        self.cell = nn.GRUCell(features + 1 + context, width)

    def forward(self, observations: Tensor, context: Tensor, memory: Tensor) -> Tensor:
        """Take in what is seen now.

        Args:
            observations: [N, F]
            context: [N, context] what every card hears of the table.
            memory: [N, P, H, width] up to the step before.
        """
        memory = self.follow(observations, memory)
        touched = observations[:, self.target_columns, None] * observations[:, None, self.touched_columns]
        known = observations[:, self.known_columns]  # [N, P, H, features]
        heard = torch.cat([known, touched[..., None], context[:, None, None].expand(*known.shape[:3], -1)], dim=-1)
        remembered: Tensor = self.cell(heard.flatten(0, 2), memory.flatten(0, 2))
        return remembered.view(memory.shape)

    def follow(self, observations: Tensor, memory: Tensor) -> Tensor:
        """Move memories with their cards: those behind a card that left a hand move up, and the newest is empty."""
        left = observations[:, self.actor_columns, None] * observations[:, None, self.slot_columns]  # [N, P, H]
        behind = left.cumsum(dim=-1)[..., None]
        return torch.lerp(memory, functional.pad(memory[:, :, 1:], (0, 0, 0, 1)), behind)
