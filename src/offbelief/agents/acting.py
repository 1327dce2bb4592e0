"""Acting in batches: Q-values of whole batches; greedy, Boltzmann and exploring moves.

`Look` is what networks see of a batch of games, computed once and shared by every network that is asked about it.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from offbelief.games.batched import BatchedGame
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, FloatArray, IntArray
from offbelief.streams import draw_unit

IMPOSSIBLE = -1e9
"""Stands for the value of an illegal move."""


@dataclass(frozen=True)
class Look:
    """What the acting seats of some games see."""

    observations: Tensor
    """[B, F]; or [B, P, F] if every seat looks, the acting one first."""
    legal: Tensor
    """[B, A] bool"""

    def __getitem__(self, chosen: AnyArray) -> "Look":
        index = torch.from_numpy(chosen).to(self.legal.device)
        return Look(self.observations[index], self.legal[index])


def look(game: BatchedGame, states: AnyArray, device: torch.device) -> Look:
    """Encode what the acting seats see, on the networks' device."""
    observations = torch.from_numpy(game.observe(states)).to(device)
    return Look(observations, torch.from_numpy(game.legal_moves(states)).to(device))


def look_around(game: BatchedGame, states: AnyArray, device: torch.device) -> Look:
    """Encode what every seat sees, the acting one first and the others in turn; the moves are the acting seat's."""
    acting = game.acting_seats(states)
    views = [game.observe(states, (acting + offset) % game.num_seats) for offset in range(game.num_seats)]
    observations = torch.from_numpy(np.stack(views, axis=1)).to(device)
    return Look(observations, torch.from_numpy(game.legal_moves(states)).to(device))


def value_moves(network: nn.Module, seen: Look) -> Tensor:
    """[B, A] Q-values without gradients; IMPOSSIBLE for illegal moves."""
    with torch.inference_mode():
        q_values: Tensor = network(seen.observations, seen.legal)
        return q_values.masked_fill(~seen.legal, IMPOSSIBLE)


def value_chosen(network: nn.Module, seen: Look, moves: Tensor) -> FloatArray:
    """[B] Q-values of chosen moves [B]."""
    values: FloatArray = value_moves(network, seen).gather(1, moves[:, None])[:, 0].cpu().numpy()
    return values


def greedy_moves(network: nn.Module, seen: Look) -> IntArray:
    """[B] best legal moves; the first of equals."""
    moves: IntArray = value_moves(network, seen).argmax(dim=1).cpu().numpy()
    return moves


def choose_moves(network: nn.Module, seen: Look, temperature: float, streams: AnyArray) -> IntArray:
    """[B] best legal moves if the temperature is 0, else moves drawn in proportion to exp(Q / T)."""
    if temperature == 0.0:
        return greedy_moves(network, seen)
    return boltzmann_moves(value_moves(network, seen), temperature, streams)


def boltzmann_moves(q_values: Tensor, temperature: float, streams: AnyArray) -> IntArray:
    """Draw moves in proportion to exp(Q / T), the softmax policy of the paper's Eq. 3.

    Args:
        q_values: [B, A], IMPOSSIBLE for illegal moves.
        temperature: T, positive.
        streams: [B] random streams of the players, advanced.
    """
    probabilities: FloatArray = torch.softmax(q_values.double() / temperature, dim=1).cpu().numpy()
    moves = np.zeros(len(probabilities), np.int64)
    _explore(moves, probabilities, np.ones(len(moves)), streams)
    return moves


def explore(moves: IntArray, weights: FloatArray, epsilons: FloatArray, streams: AnyArray) -> IntArray:
    """Replace moves by exploring ones: with a game's epsilon, a move drawn by the game's exploration weights.

    Args:
        moves: [B] what would be played.
        weights: [B, A] how likely exploration tries each move, up to a factor; 0 for illegal ones.
        epsilons: [B] how often to explore.
        streams: [B] random streams of the players, advanced.
    """
    explored = moves.copy()
    _explore(explored, weights, epsilons, streams)
    return explored


@kernel
def _explore(moves: IntArray, weights: FloatArray, epsilons: FloatArray, streams: AnyArray) -> None:
    for game in range(len(moves)):
        stream = streams[game : game + 1]
        if draw_unit(stream) < epsilons[game]:
            total = 0.0
            for move in range(weights.shape[1]):
                total += weights[game, move]
            left = draw_unit(stream) * total
            for move in range(weights.shape[1]):
                if weights[game, move] > 0.0:
                    moves[game] = move  # also the answer if rounding leaves nothing over
                    left -= weights[game, move]
                    if left < 0.0:
                        break


def paper_epsilons(count: int) -> FloatArray:
    """The paper's exploration rates 0.1^(1 + 7 i / (count - 1)) (Table 2)."""
    return np.asarray(0.1 ** (1.0 + 7.0 * np.arange(count) / max(count - 1, 1)))
