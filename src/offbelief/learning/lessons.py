"""What a card-wise belief is taught: moments of a frozen agent's games, and the hands really held there (Eq. 6).

`game_lessons.py` teaches whole games to recurrent models; `train_belief.py` learns from either.
"""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from offbelief.agents.loading import Agent
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.beliefs.hand_model import counted_logits, hands_for_network, true_hands
from offbelief.learning.belief_config import BeliefConfig
from offbelief.learning.frozen_play import FrozenPlay, states_of_games
from offbelief.learning.replay import ReplaySettings, TransitionReplay
from offbelief.nouns import AnyArray
from offbelief.streams import new_stream

REPLAY, COLOURS = 3, 4  # purposes of random streams
EVALUATION_SEED = 900_002
"""Deals of the games whose states measure the belief."""
MEASURED_STATES = 8192
"""At most so many of their states, about."""


class Lesson(NamedTuple):
    """What `card_losses` needs, for states [B] or for every step of sequences [T, B]."""

    observations: Tensor
    """[..., F] of the seats that hold the hands"""
    hands: Tensor
    """[..., H] what they hold; K where there is nothing to learn"""
    counted: Tensor
    """[..., H, K] logarithm of the cards left, given the older cards"""
    steps: float = 1.0
    """Of a sequence, on average; its losses are summed over them, as in the paper's public code."""


class _Replay(Protocol):
    added: int

    def __len__(self) -> int: ...


class Lessons(Protocol):
    """Where a belief's lessons come from."""

    play: FrozenPlay

    @property
    def replay(self) -> _Replay:
        """What is kept."""

    def watch(self) -> None:
        """Play one move in every game, and keep it."""

    def draw(self, size: int) -> Lesson:
        """Draw something to learn from, uniformly."""

    def exam(self) -> Iterator[Lesson]:
        """What the belief is measured on: acting seats in games without exploration, the same every time."""

    def arrays(self) -> dict[str, AnyArray]:
        """Everything that changes but the replay's counter, to be saved and loaded in place."""


class StateLessons:
    """States of games in progress, drawn one by one.

    Args:
        config: what to train.
        agent: whose games.
        game: Hanabi with the public memory.
        device: where the model is.
    """

    def __init__(self, config: BeliefConfig, agent: Agent, game: HanabiGame, device: torch.device) -> None:
        self.config, self.agent, self.game, self.device = config, agent, game, device
        self.play = FrozenPlay(agent, game, config.games, config.seed, config.exploration)
        self.replay = TransitionReplay(ReplaySettings(capacity=config.capacity), self.play.states.dtype)
        self.replay_stream = new_stream(config.seed, REPLAY)
        self.colour_stream = new_stream(config.seed, COLOURS)
        self._measured: AnyArray | None = None

    def watch(self) -> None:
        """Keep the states of all games, and go on."""
        nothing = np.zeros(len(self.play.states))
        self.replay.add(self.play.states, nothing.astype(np.int64), nothing.astype(np.float32))
        self.play.advance()

    def draw(self, size: int) -> Lesson:
        """Draw states [B]."""
        drawn = self.replay.sample(size, self.replay_stream)
        states = drawn.states
        if self.config.shuffle_colours:
            states, _ = self.game.relabel(states, drawn.moves, self.colour_stream)
        return self._look(states)

    def exam(self) -> Iterator[Lesson]:
        """States of whole games, at random."""
        if self._measured is None:
            games = self.config.evaluation_games
            self._measured = states_of_games(self.agent, self.game, games, EVALUATION_SEED, (0.0,), MEASURED_STATES)
        yield self._look(self._measured)

    def arrays(self) -> dict[str, AnyArray]:
        """Games, replay and random streams."""
        streams = {"replay_stream": self.replay_stream, "colour_stream": self.colour_stream}
        return {**self.replay.arrays(), **streams, **self.play.arrays()}

    def _look(self, states: AnyArray) -> Lesson:
        seats = self.game.acting_seats(states)
        hands = true_hands(states, seats, self.game.variant.hand_size)
        return Lesson(
            torch.from_numpy(self.game.observe(states, seats)).to(self.device),
            hands_for_network(hands, self.game.variant.card_kinds).to(self.device),
            torch.from_numpy(counted_logits(states, self.game, seats, hands)).to(self.device),
        )
