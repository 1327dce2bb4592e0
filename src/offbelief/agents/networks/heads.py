"""Heads that only training needs, around the Q-network that a run delivers.

- *The value of waiting.* VDN (Sunehag et al. 2018) values a joint move as a sum over seats; a seat whose turn it is not
  can only wait, and adds what waiting is worth in its own view.
- *What own cards are.* The auxiliary task (AUX; Hu and Foerster 2020) tells of every own card whether it is playable,
  already played, or neither, so that the encoding holds what hints mean before rewards have taught it.

What is trained with them is an ordinary Q-network, and only that is saved for playing.
"""

from typing import TypeAlias

from torch import Tensor, nn

from offbelief.agents.networks.cardwise import CardwiseNetwork
from offbelief.agents.networks.feedforward import FeedForwardNetwork
from offbelief.beliefs.card_encoder import CardEncoding
from offbelief.precision import exactly

QNetwork: TypeAlias = CardwiseNetwork | FeedForwardNetwork

CARD_CLASSES = 3
"""Playable now, already played, or neither."""


class TrainedNetwork(nn.Module):
    """A Q-network with heads for training.

    Args:
        policy: the Q-network.
        waits: whether it values waiting.
        cards: H, how many own cards it tells the class of; 0 for none.
    """

    def __init__(self, policy: QNetwork, *, waits: bool = False, cards: int = 0) -> None:
        super().__init__()
        self.policy = policy
        self.cards = cards
        self.waiting = nn.Linear(policy.trunk_width, 1) if waits else None
        self.card_classes: nn.Linear | None = None
        if cards and isinstance(policy, CardwiseNetwork):
            self.card_classes = nn.Linear(policy.card_width, CARD_CLASSES)
        elif cards:
            self.card_classes = nn.Linear(policy.trunk_width, cards * CARD_CLASSES)

    def forward(self, observations: Tensor, legal: Tensor) -> Tensor:
        """Value every move of the acting seat.

        Args:
            observations: [B, F] what the acting seat sees; or [B, P, F] what all seats see, the acting one first.
            legal: [B, A] bool.

        Returns:
            [B, A] Q-values of the acting seat alone; or, if all look, of the joint moves: the sum of its own and of
            what waiting is worth to every other seat. The best move is the same.
        """
        return self.forward_with_cards(observations, legal)[0]

    def forward_with_cards(self, observations: Tensor, legal: Tensor) -> tuple[Tensor, Tensor | None]:
        """As `forward`, and log-odds [B, H, CARD_CLASSES] of the acting seat's cards if there is such a head."""
        everybody = observations if observations.ndim == 3 else observations[:, None]
        acting = self.policy.encode(everybody[:, 0])
        values = self.policy.value(acting, legal)  # type: ignore[arg-type]  # each network values its own encoding
        others = everybody[:, 1:].flatten(0, 1)
        if len(others):
            values = values + self.value_waiting(others).reshape(len(values), -1).sum(1, keepdim=True)
        return values, self._classify(acting)

    def value_waiting(self, observations: Tensor) -> Tensor:
        """What waiting is worth to seats that see observations [N, F]; [N, 1]."""
        if self.waiting is None:
            raise ValueError("this network was built without a value of waiting")
        encoding = self.policy.encode(observations)
        return exactly(self.waiting, _trunk(encoding))

    def _classify(self, encoding: CardEncoding | Tensor) -> Tensor | None:
        if self.card_classes is None:
            return None
        if isinstance(self.policy, CardwiseNetwork) and isinstance(encoding, CardEncoding):
            return exactly(self.card_classes, self.policy.encode_cards(encoding))
        return exactly(self.card_classes, _trunk(encoding)).reshape(-1, self.cards, CARD_CLASSES)


def _trunk(encoding: CardEncoding | Tensor) -> Tensor:
    return encoding.trunk if isinstance(encoding, CardEncoding) else encoding
