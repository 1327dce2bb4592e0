"""Many games played side by side, for ever: act, explore, step, deal finished games anew."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from offbelief.agents.acting import Look, boltzmann_moves, explore, look, value_moves
from offbelief.beliefs.followed import FollowingBelief
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
        temperature: of Boltzmann acting; 0 acts greedily.
        announce: told after every step the games and the moves [B] that would have been made without exploring (SAD).
        follower: a belief that remembers, told of every step; its memories are saved and loaded with the games.
    """

    def __init__(
        self,
        game: BatchedGame,
        size: int,
        seed: int,
        exploration: tuple[float, ...],
        device: torch.device,
        *,
        temperature: float = 0.0,
        announce: Callable[[AnyArray, IntArray], None] | None = None,
        follower: FollowingBelief | None = None,
    ) -> None:
        self.game = game
        self.device = device
        self.temperature = temperature
        self.announce = announce
        self.follower = follower
        self.states = game.deal(size, seed)
        self.finished = 0
        """Games ever finished."""
        self.exploration_streams = make_streams(seed, _EXPLORATION, size)
        self.imagination_streams = make_streams(seed, _IMAGINATION, size)
        self.epsilons = np.resize(np.array(exploration, np.float64), size)
        if follower:
            follower.follow(self.states, np.ones(size, np.bool_))

    def act(self, network: nn.Module) -> tuple[Look, Tensor, IntArray]:
        """Choose a move in every game: by value, or exploring. Returns what was seen, Q-values [B, A], moves [B]."""
        seen = look(self.game, self.states, self.device)
        q_values = value_moves(network, seen)
        legal: BoolArray = seen.legal.cpu().numpy()
        weights = self.game.exploration_weights(self.states, legal)
        self.intended: IntArray = q_values.argmax(dim=1).cpu().numpy()
        chosen = self.intended
        if self.temperature > 0:
            chosen = boltzmann_moves(q_values, self.temperature, self.exploration_streams)
        return seen, q_values, explore(chosen, weights, self.epsilons, self.exploration_streams)

    def advance(self, moves: IntArray) -> tuple[FloatArray, BoolArray]:
        """Make the moves and deal finished games anew. Returns rewards [B] and which games ended [B]."""
        rewards = self.game.step(self.states, moves)
        ended = self.game.restart_finished(self.states)
        self.finished += int(ended.sum())
        if self.announce:
            self.announce(self.states, self.intended)
        if self.follower:
            self.follower.follow(self.states, ended)
        return rewards, ended

    def arrays(self) -> dict[str, AnyArray]:
        """Everything that changes, to be saved and loaded in place."""
        return {
            "states": self.states,
            "exploration_streams": self.exploration_streams,
            "imagination_streams": self.imagination_streams,
            **(self.follower.arrays() if self.follower else {}),
        }
