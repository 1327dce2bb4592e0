"""A trained recurrent network at the table: it remembers what its seat has seen, and plays its best move."""

import numpy as np
import torch
from torch import Tensor

from offbelief.agents.acting import IMPOSSIBLE
from offbelief.agents.networks.recurrent import RecurrentNetwork
from offbelief.agents.seat_views import SeatView, SeatViews
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.games.batched import NO_MOVE
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import AnyArray, FloatArray, IntArray, UserError


class RecurrentAgent:
    """A `RememberingPlayer`: memories are [B, *memory_shape] float32, up to the present step.

    Args:
        name: what reports call it.
        game: what it was trained for, in the v0-belief encoding.
        views: what it is given of it.
        network: the network, on its device.
    """

    def __init__(self, name: str, game: HanabiGame, views: SeatViews, network: RecurrentNetwork) -> None:
        self.name = name
        self.game = game
        self.views = views
        self.network = network

    def new_memory(self, states: AnyArray, seat: int) -> FloatArray:
        """Look at games that have just been dealt."""
        if np.any(states["turn"] != 0):
            raise UserError(f"{self.name} must see games from their first turn on; seat it when they are dealt.")
        memory: FloatArray = self.network.new_memory(len(states)).cpu().numpy()
        return self._remember(memory, states, seat)

    def remember(self, memory: AnyArray, before: AnyArray, moves: IntArray, after: AnyArray, seat: int) -> None:
        """Look at the games after a move; in place."""
        running = np.flatnonzero(~after["is_over"])
        memory[running] = self._remember(memory[running], after[running], seat)

    def act(
        self, states: AnyArray, variant: HanabiVariant, streams: AnyArray, memory: AnyArray | None = None
    ) -> IntArray:
        """[B] best moves; NO_MOVE where the game is over. Draws nothing from the streams."""
        if not plays_alike(variant, self.game.variant):
            raise UserError(f"{self.name} was trained for {self.game.name} and cannot play {variant.name}.")
        moves = self.value(states, memory)[:, :-1].argmax(axis=1)
        moves[states["is_over"]] = NO_MOVE
        return np.asarray(moves)

    def value(self, states: AnyArray, memory: AnyArray | None = None) -> FloatArray:
        """[B, A] Q-values of the acting seats; IMPOSSIBLE for illegal moves, waiting last."""
        seats = self.game.acting_seats(states)
        if memory is None:
            memory = self.network.new_memory(len(states)).cpu().numpy()
            for seat in np.unique(seats):
                memory[seats == seat] = self.new_memory(states[seats == seat], int(seat))
        seen = self.views.see(states, seats)
        with torch.inference_mode():
            legal = self._tensor(seen.legal)
            q_values = self.network.value(self._tensor(seen.observations), legal, self._tensor(memory))
            valued: FloatArray = q_values.masked_fill(~legal, IMPOSSIBLE).cpu().numpy()
        return valued

    def _remember(self, memory: AnyArray, states: AnyArray, seat: int) -> FloatArray:
        seen: SeatView = self.views.see(states, np.full(len(states), seat))
        with torch.inference_mode():
            remembered: FloatArray = (
                self.network.remember(self._tensor(seen.observations), self._tensor(memory)).cpu().numpy()
            )
        return remembered

    def _tensor(self, array: AnyArray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.network.state_value.weight.device)


def plays_alike(one: HanabiVariant, other: HanabiVariant) -> bool:
    """Whether two variants look alike from a seat: they may differ in who begins and in how a game is scored or cut."""
    return all(
        getattr(one, part) == getattr(other, part)
        for part in ("players", "colours", "ranks", "hand_size", "hint_tokens", "lives")
    )
