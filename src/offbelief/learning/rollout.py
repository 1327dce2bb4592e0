"""Many games played side by side, for ever: act, explore, step, deal finished games anew."""

import numpy as np
import torch
from torch import Tensor, nn

from offbelief.agents.acting import Look, explore, look, value_moves
from offbelief.games.batched import BatchedGame, make_streams
from offbelief.nouns import AnyArray, BoolArray, FloatArray, IntArray

_EXPLORATION = 1  # purposes of the random streams; the games deal from their own
_IMAGINATION = 2


class Rollout:
    """Games in progress and the random streams of those who play them.

    Args:
        game: what is played.
        size: how many games.
        seed: of deals, exploration and imagination.
        exploration: rates; game i uses the one at i modulo their number.
        device: where the networks are.
    """

    def __init__(
        self, game: BatchedGame, size: int, seed: int, exploration: tuple[float, ...], device: torch.device
    ) -> None:
        self.game = game
        self.device = device
        self.states = game.deal(size, seed)
        self.finished = 0
        """Games ever finished."""
        self.exploration_streams = make_streams(seed, _EXPLORATION, size)
        self.imagination_streams = make_streams(seed, _IMAGINATION, size)
        self.epsilons = np.resize(np.array(exploration, np.float64), size)

    def act(self, network: nn.Module) -> tuple[Look, Tensor, IntArray]:
        """Choose a move in every game: greedy, or exploring. Returns what was seen, Q-values [B, A], moves [B]."""
        seen = look(self.game, self.states, self.device)
        q_values = value_moves(network, seen)
        legal: BoolArray = seen.legal.cpu().numpy()
        weights = self.game.exploration_weights(self.states, legal)
        greedy: IntArray = q_values.argmax(dim=1).cpu().numpy()
        return seen, q_values, explore(greedy, weights, self.epsilons, self.exploration_streams)

    def advance(self, moves: IntArray) -> tuple[FloatArray, BoolArray]:
        """Make the moves and deal finished games anew. Returns rewards [B] and which games ended [B]."""
        rewards = self.game.step(self.states, moves)
        ended = self.game.restart_finished(self.states)
        self.finished += int(ended.sum())
        return rewards, ended

    def arrays(self) -> dict[str, AnyArray]:
        """Everything that changes, to be saved and loaded in place."""
        return {
            "states": self.states,
            "exploration_streams": self.exploration_streams,
            "imagination_streams": self.imagination_streams,
        }
