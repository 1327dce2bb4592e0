"""A learned belief over the own hand: an auto-regressive model, oldest card first (paper, Section 4.6 and Eq. 6).

The probability of card i, given what the seat saw and the older cards, is that of card counting (`counting.py`) times
the exponential of a network's output, normalised. The network's last layer begins at zero, so the model begins as the
exact grounded belief and learns only what the moves of others say beyond the hints. A kind that hints, counts or older
cards rule out has probability zero whatever the network says, and dealing the oldest card first never ends in a hand
that cannot be completed (docs/methods/grounded-belief.md): every sample is a legal hand, and none is rejected.

Asked only in real states, it may use all that its seat knows: here the records of the public memory and what the seat
sees now. A whole public history would lose nothing by that, with any number of players; its records do
(docs/methods/ladder.md).

Differs from the paper: it feeds the private history to an LSTM (`recurrent_hand_model.py` has that one) and does not
rule out impossible cards.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from offbelief.beliefs.card_encoder import CardEncoder, CardEncoding, EncoderSettings, residual_layer
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.games.batched import make_streams
from offbelief.games.hanabi.knowledge import possible_kinds_one, private_counts_one
from offbelief.games.hanabi.remembered import split
from offbelief.games.hanabi.state import NO_CARD
from offbelief.games.hanabi.variant import CARD_KINDS, HAND_SIZE, MAX_KINDS
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, FloatArray, IntArray, UserError
from offbelief.precision import exactly
from offbelief.streams import draw_unit

_MARGINALS = 41  # the purpose of the streams that estimate them
IMPOSSIBLE = -1e9
"""Stands for the logarithm of no card."""


@dataclass(frozen=True, kw_only=True)
class HandModelSettings:
    """The widths of the model."""

    card_width: int = 96
    """Width of a card's encoding."""
    trunk_width: int = 256
    """Width of the two layers that everything meets in."""
    head_width: int = 128
    """Width of the layer that tells a card's kind."""
    older_width: int = 64
    """Width of what is kept of each older card."""
    slope: float = 0.0
    """Of the encoder's activations below zero; 0 is a plain ReLU, as beliefs of the zoo had whose weights do not say
    otherwise."""
    residual_width: int = 0
    """Width inside a residual layer behind the trunk; inside the one behind a card's hidden layer it is half of this.
    0 has no such layers."""


class HandModel(nn.Module):
    """Log-odds of kinds for every own card, given the older ones, relative to card counting.

    Args:
        game: Gives the variant and the layout of observations.
        settings: The widths.
    """

    def __init__(self, game: HanabiGame, settings: HandModelSettings | None = None) -> None:
        super().__init__()
        self.settings = settings or HandModelSettings()
        kinds = game.variant.card_kinds
        width, trunk = self.settings.card_width, self.settings.trunk_width
        head, older = self.settings.head_width, self.settings.older_width
        self.encoder = CardEncoder(
            game.layout, EncoderSettings(card_width=width, trunk_width=trunk, slope=self.settings.slope)
        )
        self.head_from_trunk = nn.Linear(trunk, head)
        self.head_from_card = nn.Linear(width, head, bias=False)
        self.head_from_older = nn.Linear(older, head, bias=False)
        # What an older card turned out to be, and what was known of it, for all that come after.
        self.older_from_kind = nn.Embedding(kinds + 1, older)  # the last stands for an empty slot
        self.older_from_card = nn.Linear(width, older)
        self.kind_odds = nn.Linear(head, kinds)
        self.trunk_residual = residual_layer(trunk, self.settings.residual_width)
        self.head_residual = residual_layer(head, self.settings.residual_width // 2)
        nn.init.zeros_(self.kind_odds.weight)
        nn.init.zeros_(self.kind_odds.bias)

    def forward(self, observations: Tensor, hands: Tensor) -> Tensor:
        """Odds of every card given the true older ones (teacher forcing).

        Args:
            observations: [B, F] of the seats that hold the hands.
            hands: [B, H] kinds, oldest card first; K for an empty slot.

        Returns:
            [B, H, K] to be added to the logarithm of the cards left.
        """
        encoding = self.encode(observations)
        older = self.keep(encoding, hands)
        before = functional.pad(older.cumsum(1)[:, :-1], (0, 0, 1, 0))  # [B, H, older]: of all older cards
        return self.odds(self.begin(encoding), before)

    def encode(self, observations: Tensor) -> CardEncoding:
        """Encode cards and table of observations [B, F]."""
        encoding: CardEncoding = self.encoder(observations)
        return encoding._replace(trunk=self.trunk_residual(encoding.trunk))

    def begin(self, encoding: CardEncoding) -> Tensor:
        """What the head gets from all but the older cards, [B, H, head]."""
        from_card: Tensor = self.head_from_card(encoding.own)
        from_trunk: Tensor = self.head_from_trunk(encoding.trunk)
        return from_card + from_trunk[:, None]

    def keep(self, encoding: CardEncoding, hands: Tensor) -> Tensor:
        """What is kept of cards for those that come after, [B, H, older]."""
        kept: Tensor = self.older_from_kind(hands) + self.older_from_card(encoding.own)
        return functional.relu(kept)

    def odds(self, begun: Tensor, before: Tensor) -> Tensor:
        """Odds of kinds, [..., K], from `begin` and the sum of `keep` over older cards."""
        hidden = functional.relu(begun + self.head_from_older(before))
        return exactly(self.kind_odds, self.head_residual(hidden))


class LearnedBelief:
    """A hand model in use: draws hands and gives their probabilities.

    Args:
        game: How games are seen; what the model was built for.
        model: The model, on its device.
        device: Where it is.
    """

    def __init__(self, game: HanabiGame, model: HandModel, device: torch.device | None = None) -> None:
        if not game.view.memory:
            raise UserError("A learned belief reads games with memory; give a game whose view has memory.")
        self.game = game
        self.model = model
        self.device = device or torch.device("cpu")

    def sample_hands(self, states: AnyArray, seats: IntArray, streams: AnyArray) -> IntArray:
        """Draw one hand per game.

        Args:
            states: [B] games with memory.
            seats: [B] whose hands.
            streams: [B] random streams, advanced.

        Returns:
            [B, H] kinds, oldest card first, NO_CARD in empty slots; all of them legal hands.
        """
        variant = self.game.variant
        left = np.zeros((len(states), MAX_KINDS), np.int64)
        possible = np.zeros((len(states), variant.hand_size), np.int64)
        gather_choices(split(states)[0], variant.parameters, seats, left, possible)
        hands = np.full((len(states), variant.hand_size), NO_CARD, np.int64)
        with torch.inference_mode():
            encoding = self.model.encode(torch.from_numpy(self.game.observe(states, seats)).to(self.device))
            begun = self.model.begin(encoding)
            from_card = self.model.older_from_card(encoding.own)
            before = torch.zeros((len(states), self.model.settings.older_width), device=self.device)
            for slot in range(variant.hand_size):
                odds = self.model.odds(begun[:, slot], before).cpu().numpy()
                draw_kinds(odds, possible[:, slot], left, streams, hands[:, slot])
                drawn = torch.from_numpy(_for_network(hands[:, slot], variant.card_kinds)).to(self.device)
                before += functional.relu(self.model.older_from_kind(drawn) + from_card[:, slot])
        return hands

    def log_probs(self, states: AnyArray, seats: IntArray, hands: IntArray) -> FloatArray:
        """Log-probability [B, H] of every card of hands [B, H] given the older ones; 0 for empty slots."""
        observations = torch.from_numpy(self.game.observe(states, seats)).to(self.device)
        counted = counted_logits(states, self.game, seats, hands)
        with torch.inference_mode():
            losses = card_losses(
                self.model,
                observations,
                torch.from_numpy(_for_network(hands, self.game.variant.card_kinds)).to(self.device),
                torch.from_numpy(counted).to(self.device),
            )
        log_probs: FloatArray = -losses.cpu().numpy()
        return log_probs

    def marginals(self, states: AnyArray, seats: IntArray, *, samples: int = 256, seed: int = 0) -> FloatArray:
        """Probability [B, H, K] of every kind for every card, estimated from so many hands a game."""
        streams = make_streams(seed, _MARGINALS, len(states) * samples)
        drawn = self.sample_hands(np.repeat(states, samples), np.repeat(seats, samples), streams)
        kinds = np.arange(self.game.variant.card_kinds)
        shares: FloatArray = (drawn[..., None] == kinds).reshape(len(states), samples, *drawn.shape[1:], -1).mean(1)
        return shares


def card_losses(model: nn.Module, observations: Tensor, hands: Tensor, counted: Tensor) -> Tensor:
    """Negative log-probability of every card given the older ones: the belief loss of Eq. 6, card by card.

    Args:
        model: A hand model.
        observations: [..., F] as the model takes them.
        hands: [..., H] true kinds; K for an empty slot.
        counted: [..., H, K] logarithm of the cards left, from `counted_logits`.

    Returns:
        [..., H] in nats; 0 for an empty slot.
    """
    return hand_losses(model(observations, hands), hands, counted)


def hand_losses(odds: Tensor, hands: Tensor, counted: Tensor) -> Tensor:
    """The same, from the odds [..., H, K] that a model gives."""
    log_probs = torch.log_softmax(odds + counted, dim=-1)
    filled = hands < log_probs.shape[-1]
    chosen = log_probs.gather(-1, hands.clamp(max=log_probs.shape[-1] - 1)[..., None])[..., 0]
    return torch.where(filled, -chosen, 0.0)


def true_hands(states: AnyArray, seats: IntArray, hand_size: int) -> IntArray:
    """[B, H] the hands that seats [B] really hold, NO_CARD in empty slots: what the belief is taught."""
    held: IntArray = states["hands"][np.arange(len(states)), seats, :hand_size].astype(np.int64)
    return held


def counted_logits(states: AnyArray, game: HanabiGame, seats: IntArray, hands: IntArray) -> FloatArray:
    """Logarithm of the cards left of every kind for every card, given the older cards of hands [B, H].

    Returns:
        [B, H, K] float32; IMPOSSIBLE for a kind that hints or counts rule out. Their softmax is the grounded belief.
    """
    variant = game.variant
    logits = np.empty((len(states), variant.hand_size, variant.card_kinds), np.float32)
    left = np.zeros((len(states), MAX_KINDS), np.int64)
    possible = np.zeros((len(states), variant.hand_size), np.int64)
    plain = split(states)[0] if game.view.memory else states
    gather_choices(plain, variant.parameters, seats, left, possible)
    _counted_logits(left, possible, hands, logits)
    return logits


def hands_for_network(hands: IntArray, kinds: int) -> Tensor:
    """Hands with the number of kinds in place of NO_CARD, as hand models take them."""
    return torch.from_numpy(_for_network(hands, kinds))


def _for_network(hands: IntArray, kinds: int) -> IntArray:
    return np.where(hands == NO_CARD, kinds, hands)


@kernel
def gather_choices(states: AnyArray, parameters: IntArray, seats: IntArray, left: IntArray, possible: IntArray) -> None:
    """Write the unseen cards [B, MAX_KINDS] and the kinds possible for every card [B, H] as bits, 0 for no card."""
    for index in range(len(states)):
        private_counts_one(states[index], parameters, seats[index], left[index])
        for kind in range(parameters[CARD_KINDS], MAX_KINDS):
            left[index, kind] = 0
        for slot in range(parameters[HAND_SIZE]):
            possible[index, slot] = possible_kinds_one(states[index], parameters, seats[index], slot)


@kernel
def _counted_logits(left: IntArray, possible: IntArray, hands: IntArray, logits: FloatArray) -> None:
    logarithms = np.empty(MAX_KINDS, np.float32)
    for count in range(1, MAX_KINDS):
        logarithms[count] = np.log(np.float32(count))
    logarithms[0] = IMPOSSIBLE
    for index in range(len(left)):
        for slot in range(hands.shape[1]):
            for kind in range(logits.shape[2]):
                count = left[index, kind] * ((possible[index, slot] >> kind) & 1)
                logits[index, slot, kind] = logarithms[count]
            if hands[index, slot] != NO_CARD:
                left[index, hands[index, slot]] -= 1


@kernel
def draw_kinds(odds: FloatArray, possible: IntArray, left: IntArray, streams: AnyArray, drawn: IntArray) -> None:
    """Draw the next card of every hand from counts times exp(odds) [B, K], and take it out of ``left``."""
    weights = np.empty(odds.shape[1], np.float64)
    for index in range(len(odds)):
        if possible[index] == 0:
            continue  # an empty slot
        highest = -np.inf
        for kind in range(odds.shape[1]):
            if left[index, kind] * ((possible[index] >> kind) & 1) > 0:
                highest = max(highest, np.float64(odds[index, kind]))
        total = 0.0
        for kind in range(odds.shape[1]):
            count = left[index, kind] * ((possible[index] >> kind) & 1)
            weights[kind] = 0.0
            if count > 0:
                weights[kind] = count * np.exp(np.float64(odds[index, kind]) - highest)
            total += weights[kind]
        rest = draw_unit(streams[index : index + 1]) * total
        for kind in range(odds.shape[1]):
            if weights[kind] > 0.0:
                drawn[index] = kind  # also the answer if rounding leaves nothing over
                rest -= weights[kind]
                if rest < 0.0:
                    break
        left[index, drawn[index]] -= 1
