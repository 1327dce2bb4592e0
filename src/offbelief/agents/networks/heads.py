"""Heads that only training needs, around the Q-network that a run delivers.

- *The value of waiting.* VDN (Sunehag et al. 2018) values a joint move as a sum over seats; a seat whose turn it is not
  can only wait, and adds what waiting is worth in its own view.
- *What own cards are.* The auxiliary task (AUX; Hu and Foerster 2020) tells of every own card whether it is playable,
  already played, or neither, so that the encoding holds what hints mean before rewards have taught it.
- *How far targets lie apart.* The variance of the targets of every move, by which the learner weighs its errors
  (`learning/weighing.py`). It reads the network's encodings and does not shape them.

What is trained with them is an ordinary Q-network, and only that is saved for playing.
"""

from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor, nn

from offbelief.agents.networks.cardwise import CardwiseNetwork, MoveEncoding
from offbelief.agents.networks.feedforward import FeedForwardNetwork
from offbelief.beliefs.card_encoder import CardEncoding
from offbelief.precision import exactly

QNetwork: TypeAlias = CardwiseNetwork | FeedForwardNetwork

CARD_CLASSES = 3
"""Playable now, already played, or neither."""

LOG_VARIANCES = (-9.0, 6.0)
"""Variances outside of this range are not told apart: less than 0.0001, or more than 400, are no targets of Hanabi."""


class Trained(NamedTuple):
    """What a network in training says of a batch."""

    q_values: Tensor
    """[B, A]"""
    guesses: Tensor | None = None
    """[B, H, CARD_CLASSES] log-odds of what own cards are, if there is such a head."""
    log_variances: Tensor | None = None
    """[B, A] logarithm of the variance of every move's targets, if there is such a head."""


class TrainedNetwork(nn.Module):
    """A Q-network with heads for training.

    Args:
        policy: the Q-network.
        waits: whether it values waiting.
        cards: H, how many own cards it tells the class of; 0 for none.
        variances: whether it tells the variance of every move's targets.
    """

    def __init__(self, policy: QNetwork, *, waits: bool = False, cards: int = 0, variances: bool = False) -> None:
        super().__init__()
        self.policy = policy
        self.cards = cards
        self.waiting = nn.Linear(policy.trunk_width, 1) if waits else None
        self.card_classes: nn.Linear | None = None
        if cards and isinstance(policy, CardwiseNetwork):
            self.card_classes = nn.Linear(policy.settings.head_width, CARD_CLASSES)
        elif cards:
            self.card_classes = nn.Linear(policy.trunk_width, cards * CARD_CLASSES)
        self.variances = _VarianceHead(policy) if variances else None

    def forward(self, observations: Tensor, legal: Tensor) -> Tensor:
        """Value every move of the acting seat.

        Args:
            observations: [B, F] what the acting seat sees; or [B, P, F] what all seats see, the acting one first.
            legal: [B, A] bool.

        Returns:
            [B, A] Q-values of the acting seat alone; or, if all look, of the joint moves: the sum of its own and of
            what waiting is worth to every other seat. The best move is the same.
        """
        if observations.ndim == 2:
            own: Tensor = self.policy(observations, legal)
            return own
        return self.forward_all(observations, legal).q_values

    def forward_all(self, observations: Tensor, legal: Tensor) -> Trained:
        """As `forward`, with what the other heads say of the acting seat."""
        everybody = observations if observations.ndim == 3 else observations[:, None]
        # Each network encodes and values its own kind.
        moves = self.policy.encode_moves(self.policy.encode(everybody[:, 0]))  # type: ignore[arg-type]
        values = self.policy.value(moves, legal)  # type: ignore[arg-type]
        others = everybody[:, 1:].flatten(0, 1)
        if len(others):
            values = values + self.value_waiting(others).reshape(len(values), -1).sum(1, keepdim=True)
        return Trained(values, self._classify(moves), None if self.variances is None else self.variances(moves))

    def value_waiting(self, observations: Tensor) -> Tensor:
        """What waiting is worth to seats that see observations [N, F]; [N, 1]."""
        if self.waiting is None:
            raise ValueError("this network was built without a value of waiting")
        encoding = self.policy.encode(observations)
        return exactly(self.waiting, _trunk(encoding))

    def _classify(self, moves: MoveEncoding | Tensor) -> Tensor | None:
        if self.card_classes is None:
            return None
        if isinstance(moves, MoveEncoding):
            return exactly(self.card_classes, moves.cards)
        return exactly(self.card_classes, moves).reshape(-1, self.cards, CARD_CLASSES)


class _VarianceHead(nn.Module):
    """Log-variances of the targets of all moves, read from a Q-network's encodings; all alike at first."""

    def __init__(self, policy: QNetwork) -> None:
        super().__init__()
        self.of_state = nn.Linear(policy.trunk_width, 1)
        if isinstance(policy, CardwiseNetwork):
            self.of_cards = nn.Linear(policy.settings.head_width, 2)  # discard, play
            self.of_hints = nn.Linear(policy.settings.head_width, 1)
            self.in_order = policy.in_order
        else:
            self.of_moves = nn.Linear(policy.trunk_width, policy.advantages.out_features)
        for parameter in self.parameters():
            nn.init.zeros_(parameter)

    def forward(self, moves: MoveEncoding | Tensor) -> Tensor:
        """[B, A]; no gradient flows into the encodings."""
        if isinstance(moves, MoveEncoding):
            trunk, cards, hints = (part.detach() for part in moves)
            of_moves = self.in_order(exactly(self.of_cards, cards), exactly(self.of_hints, hints))
        else:
            trunk = moves.detach()
            of_moves = exactly(self.of_moves, trunk)
        return torch.clamp(exactly(self.of_state, trunk) + of_moves, *LOG_VARIANCES)


def _trunk(encoding: CardEncoding | Tensor) -> Tensor:
    return encoding.trunk if isinstance(encoding, CardEncoding) else encoding
