"""From kept games to what a recurrent network learns from: games are played again and every step is encoded anew."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from offbelief.agents.seat_views import SeatViews
from offbelief.games.batched import pick_games
from offbelief.learning.sequence_replay import DrawnGames
from offbelief.nouns import AnyArray, IntArray


class SequenceBatch(NamedTuple):
    """Sequences, padded to the longest: N of them, each of W seats that are valued together, so M = N * W views."""

    observations: Tensor
    """[T, M, F]"""
    legal: Tensor
    """[T, M, A] bool"""
    moves: Tensor
    """[T, M] what the seat did: its move, or waiting"""
    rewards: Tensor
    """[T, N]"""
    running: Tensor
    """[T, N] bool, False after the end"""
    targets: Tensor | None
    """[T, N] what the move was worth, where that was kept; NaN where nothing is to be learned"""
    labels: Tensor | None
    """[T, M, H] what the seat's own cards are, for the auxiliary task; -1 for none"""


def play_again(
    views: SeatViews,
    drawn: DrawnGames,
    device: torch.device,
    label_cards: Callable[[AnyArray, IntArray], IntArray] | None = None,
) -> SequenceBatch:
    """Play drawn games again and encode what their seats saw.

    Args:
        views: what seats see; of the game that was played.
        drawn: [N] sequences.
        device: where the network is.
        label_cards: gives the classes [M, H] of the cards of seats [M] in games [M]; None for no auxiliary task.
    """
    game, (starts, all_moves, lengths, greedy_moves, targets) = views.game, drawn.games
    size, together = drawn.seats.shape
    turns = int(lengths.max())
    seats = drawn.seats.ravel()
    views_of = np.repeat(np.arange(size), together)  # the game of every view
    observations = np.empty((turns, size * together, views.observation_size), np.float32)
    legal = np.empty((turns, size * together, views.num_moves), np.bool_)
    moves = np.full((turns, size * together), views.waiting)
    rewards = np.empty((turns, size), np.float32)
    labels: list[IntArray] = []
    states, greedy_states = pick_games(starts, np.arange(size)), None
    for turn in range(turns):
        made = all_moves[:, turn].astype(np.int64)
        looked_at = pick_games(states, views_of)
        told = None if greedy_states is None else pick_games(greedy_states, views_of)
        observations[turn], legal[turn] = views.see(looked_at, seats, told)
        acts = ~legal[turn, :, views.waiting]
        moves[turn, acts] = made[views_of[acts]]
        if label_cards is not None:
            labels.append(label_cards(looked_at, seats))
        if greedy_moves is not None:
            greedy_states = pick_games(states, np.arange(size))
            game.step(greedy_states, greedy_moves[:, turn].astype(np.int64))
        rewards[turn] = game.step(states, made)

    def tensor(array: AnyArray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(device)

    return SequenceBatch(
        observations=tensor(observations),
        legal=tensor(legal),
        moves=tensor(moves),
        rewards=tensor(rewards),
        running=tensor(np.arange(turns)[:, None] < lengths),
        targets=None if targets is None else tensor(targets[np.arange(size), drawn.seats[:, 0], :turns].T),
        labels=tensor(np.stack(labels)) if labels else None,
    )
