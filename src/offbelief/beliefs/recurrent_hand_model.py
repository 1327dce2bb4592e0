"""The paper's belief over the own hand: an LSTM over all that a seat has seen, and one over its cards (Section 4.6).

    what the seat sees at a step -> 512 -> 512 -> LSTM 512 -> LSTM 512 = context       (every step of the game)
    context and the card before  -> LSTM 512 -> log-odds of the card's kind            (every card, oldest first)

Steps are all moves of the game, the seat's own and those of others. The memory is private: it hears the hands of
others as they were. Hence the model is asked in real games only, never in imagined ones, whose past was another.
`hand_model.py` has the card-wise model for the laptop, which reads a public memory instead; `followed.py` keeps the
memories of games that are being played.

Differs from the paper: kinds that hints, counts or older cards rule out have probability zero, and the network's output
is added to the logarithm of the cards left, as in `hand_model.py`. So the model begins as card counting, every sample
is a legal hand, and none is rejected; the public code draws ten hands and drops those that do not fit.
"""

import itertools
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.beliefs.hand_model import (
    counted_logits,
    draw_kinds,
    gather_choices,
    hand_losses,
    hands_for_network,
)
from offbelief.games.hanabi.remembered import REMEMBERED_GAME, split
from offbelief.games.hanabi.state import NO_CARD
from offbelief.games.hanabi.variant import MAX_KINDS
from offbelief.nouns import AnyArray, FloatArray, IntArray, UserError


@dataclass(frozen=True, kw_only=True)
class RecurrentHandSettings:
    """The shape of the model; the paper's by default, with 7.05 million weights for two players."""

    width: int = 512
    """Of every layer, recurrent or not."""
    input_layers: int = 2
    """Layers that an observation passes before the LSTM."""
    lstm_layers: int = 2
    """Layers of the LSTM over the game."""
    card_width: int = 64
    """Of what the LSTM over cards hears of the card before."""

    def __post_init__(self) -> None:
        if min(self.width, self.input_layers, self.lstm_layers, self.card_width) < 1:
            raise UserError("width, input_layers, lstm_layers and card_width must be at least 1.")


class RecurrentHandModel(nn.Module):
    """Log-odds of kinds for every own card, given the older ones and the game so far, relative to card counting.

    A memory always includes the present step, as in `agents/networks/recurrent.py`.

    Args:
        game: Gives the variant and the size of observations.
        settings: The shape.
    """

    def __init__(self, game: HanabiGame, settings: RecurrentHandSettings | None = None) -> None:
        super().__init__()
        self.settings = settings = settings or RecurrentHandSettings()
        self.kinds = game.variant.card_kinds
        sizes = [game.observation_size, *[settings.width] * settings.input_layers]
        layers = [part for before, after in itertools.pairwise(sizes) for part in (nn.Linear(before, after), nn.ReLU())]
        self.encoder = nn.Sequential(*layers)
        self.history = nn.LSTM(settings.width, settings.width, settings.lstm_layers)
        self.card_before = nn.Linear(self.kinds, settings.card_width, bias=False)
        self.hand = nn.LSTM(settings.width + settings.card_width, settings.width)
        self.kind_odds = nn.Linear(settings.width, self.kinds)
        nn.init.zeros_(self.kind_odds.weight)
        nn.init.zeros_(self.kind_odds.bias)

    @property
    def memory_shape(self) -> tuple[int, int, int]:
        """Of one seat of one game: (hidden and cell, layers, width)."""
        return 2, self.settings.lstm_layers, self.settings.width

    def forward(self, observations: Tensor, hands: Tensor) -> Tensor:
        """Odds of every card at every step of whole games, given the true older ones (teacher forcing).

        Args:
            observations: [T, B, F] of the seats that hold the hands, from the deal on.
            hands: [T, B, H] kinds, oldest card first; K for an empty slot.

        Returns:
            [T, B, H, K] to be added to the logarithm of the cards left.
        """
        context, _ = self.history(self.encoder(observations))
        odds = self.odds(context.flatten(0, 1), hands.flatten(0, 1))
        return odds.view(*hands.shape, self.kinds)

    def remember(self, observations: Tensor, memory: Tensor) -> Tensor:
        """Take in what is seen now, [B, F], into memories [B, *memory_shape] of the steps before; gives new ones."""
        hidden, cell = memory.movedim(0, 2).contiguous()  # [2, layers, B, width]
        _, (hidden, cell) = self.history(self.encoder(observations)[None], (hidden, cell))
        return torch.stack([hidden, cell]).movedim(2, 0)

    def odds(self, context: Tensor, hands: Tensor) -> Tensor:
        """Odds [B, H, K] of cards of hands [B, H] given the older ones and a context [B, width]."""
        before = functional.pad(hands[:, :-1], (1, 0), value=self.kinds)
        told, _ = self.hand(self._hear(context, before.T))
        odds: Tensor = self.kind_odds(told)
        return odds.transpose(0, 1)

    def next_odds(
        self, context: Tensor, before: Tensor, state: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Odds [B, K] of the next card after the cards ``before`` [B], and the state of the LSTM over cards."""
        told, state = self.hand(self._hear(context, before[None]), state)
        odds: Tensor = self.kind_odds(told[0])
        return odds, state

    def _hear(self, context: Tensor, before: Tensor) -> Tensor:
        """What the LSTM over cards hears, [H, B, width + card_width], of cards before [H, B]; nothing of no card."""
        one_hot = functional.one_hot(before, self.kinds + 1)[..., : self.kinds].to(context.dtype)
        return torch.cat([context.expand(len(before), -1, -1), self.card_before(one_hot)], dim=-1)


class RecurrentBelief:
    """A recurrent hand model in use: remembers, draws hands and gives their probabilities.

    Memories are NumPy arrays with one entry per seat of a game, owned by the caller.

    Args:
        game: How games are seen, in the v0-belief encoding; what the model was built for.
        model: The model, on its device.
        device: Where it is.
    """

    def __init__(self, game: HanabiGame, model: RecurrentHandModel, device: torch.device | None = None) -> None:
        if game.encoding != "v0-belief":
            raise UserError("A recurrent belief reads the v0-belief encoding of Hanabi; make the game with it.")
        self.game = game
        self.model = model
        self.device = device or torch.device("cpu")

    def new_memory(self, size: int) -> FloatArray:
        """[B, *memory_shape] of seats that have seen nothing yet."""
        return np.zeros((size, *self.model.memory_shape), np.float32)

    def remember(self, states: AnyArray, seats: IntArray, memory: FloatArray) -> FloatArray:
        """What seats [B] remember once they have seen the present step of games [B].

        Args:
            states: [B] games, with or without public memory.
            seats: [B] who looks.
            memory: [B, *memory_shape] up to the step before; not changed.
        """
        with torch.inference_mode():
            observations = torch.from_numpy(self.game.observe(_plain(states), seats)).to(self.device)
            remembered = self.model.remember(observations, torch.from_numpy(memory).to(self.device))
            new: FloatArray = remembered.cpu().numpy()
        return new

    def sample_hands(self, states: AnyArray, seats: IntArray, streams: AnyArray, memory: FloatArray) -> IntArray:
        """Draw one hand per game.

        Args:
            states: [B] games, with or without public memory.
            seats: [B] whose hands.
            streams: [B] random streams, advanced.
            memory: [B, *memory_shape] of these seats, up to now.

        Returns:
            [B, H] kinds, oldest card first, NO_CARD in empty slots; all of them legal hands.
        """
        variant = self.game.variant
        left = np.zeros((len(states), MAX_KINDS), np.int64)
        possible = np.zeros((len(states), variant.hand_size), np.int64)
        gather_choices(_plain(states), variant.parameters, seats, left, possible)
        hands = np.full((len(states), variant.hand_size), NO_CARD, np.int64)
        before, state = hands_for_network(hands[:, 0], variant.card_kinds).to(self.device), None
        with torch.inference_mode():
            context = self._context(memory)
            for slot in range(variant.hand_size):
                odds, state = self.model.next_odds(context, before, state)
                draw_kinds(odds.cpu().numpy(), possible[:, slot], left, streams, hands[:, slot])
                before = hands_for_network(hands[:, slot], variant.card_kinds).to(self.device)
        return hands

    def log_probs(self, states: AnyArray, seats: IntArray, hands: IntArray, memory: FloatArray) -> FloatArray:
        """Log-probability [B, H] of every card of hands [B, H] given the older ones; 0 for empty slots."""
        counted = torch.from_numpy(counted_logits(_plain(states), self.game, seats, hands)).to(self.device)
        given = hands_for_network(hands, self.game.variant.card_kinds).to(self.device)
        with torch.inference_mode():
            losses = hand_losses(self.model.odds(self._context(memory), given), given, counted)
        log_probs: FloatArray = -losses.cpu().numpy()
        return log_probs

    def _context(self, memory: FloatArray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(memory[:, 0, -1])).to(self.device)


def _plain(states: AnyArray) -> AnyArray:
    """Games without their public memory."""
    return split(states)[0] if states.dtype == REMEMBERED_GAME else states
