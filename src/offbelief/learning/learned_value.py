"""A value that is learned beside the policy: a network, its learner, and a replay of its own.

What the value is of, and what its targets are, others decide: `critic.py` (a state, to someone who sees everything) and
`one_step.py` (waiting, to a seat in its own view).
"""

from typing import Protocol

import numpy as np
import torch

from offbelief.agents.acting import Look, value_moves
from offbelief.agents.networks.values import build_value
from offbelief.games.batched import BatchedGame
from offbelief.learning.config import RunConfig
from offbelief.learning.learner import Learner
from offbelief.learning.replay import ReplaySettings, TransitionReplay
from offbelief.nouns import AnyArray, FloatArray, IntArray
from offbelief.streams import new_stream

_REPLAY, _COLOURS = 21, 22  # purposes of random streams


class Eye(Protocol):
    """What somebody sees of a state."""

    def beside(self, game: BatchedGame) -> tuple[int, int]:
        """(things, features of each) that follow the observation of card-wise Hanabi."""

    def see(self, game: BatchedGame, states: AnyArray, seats: IntArray) -> FloatArray:
        """[B, F] what seats [B] see of running games [B], the observation first."""


class LearnedValue:
    """What states are worth to those who see them through an eye.

    Args:
        name: of what is saved.
        game: what is played.
        eye: what the network sees.
        config: of the run; the network gets its widths, and the learner its settings, from the policy's.
        device: where the network computes.
    """

    def __init__(self, name: str, game: BatchedGame, eye: Eye, config: RunConfig, device: torch.device) -> None:
        self.name, self.game, self.eye, self.config, self.device = name, game, eye, config, device
        example = game.deal(1, 0)
        features = eye.see(game, example, game.acting_seats(example)).shape[1]
        network = build_value(game, eye.beside(game), features, config.network)
        self.learner = Learner(network.to(device), config.learner, config.precision)
        # A replay of transitions whose "move" is the seat that looks.
        self._replay = TransitionReplay(ReplaySettings(capacity=config.replay.capacity), example.dtype)
        self._added = np.zeros(1, np.int64)
        self._replay_stream = new_stream(config.seed, _REPLAY)
        self._colour_stream = new_stream(config.seed, _COLOURS)

    def values(self, states: AnyArray, seats: IntArray) -> FloatArray:
        """[B] what running games are worth to seats [B]: the target network's answer."""
        values: FloatArray = value_moves(self.learner.target, self._look(states, seats))[:, 0].cpu().numpy()
        return values

    def remember(self, states: AnyArray, seats: IntArray, targets: FloatArray) -> None:
        """Keep what running games [M] turned out to be worth to seats [M]."""
        self._replay.added = int(self._added[0])
        self._replay.add(states, seats, targets)
        self._added[0] = self._replay.added

    def learn(self, share_done: float) -> None:
        """Make one update."""
        self._replay.added = int(self._added[0])
        drawn = self._replay.sample(self.config.batch_size, self._replay_stream)
        states, seats = drawn.states, drawn.moves
        if self.config.shuffle_colours:
            states, _ = self.game.relabel(states, np.zeros(len(states), np.int64), self._colour_stream)
        moves = torch.zeros(len(states), dtype=torch.int64, device=self.device)
        targets = torch.from_numpy(drawn.targets).to(self.device)
        self.learner.update(self._look(states, seats), moves, targets, None, share_done)

    def arrays(self) -> dict[str, AnyArray]:
        """Everything that changes but the network, to be saved and loaded in place."""
        streams = {"replay_stream": self._replay_stream, "colour_stream": self._colour_stream}
        kept = {**self._replay.arrays(), **streams, "added": self._added}
        return {f"{self.name}_{key}": array for key, array in kept.items()}

    def _look(self, states: AnyArray, seats: IntArray) -> Look:
        seen = torch.from_numpy(self.eye.see(self.game, states, seats)).to(self.device)
        return Look(seen, torch.ones((len(states), 1), dtype=torch.bool, device=self.device))
