"""Agents with memory, and agents without, at one table.

A memory is a NumPy array [B, ...] with one entry per game and nothing outside: `memory[games]` selects, copying the
array copies the memories, and saving them is saving an array. What an entry holds is the agent's business: the states
of an LSTM, or a record of `games/hanabi/memory.py`. It always includes the present position.

`Seated` is how to play with agents of either sort: it owns the memory of one seat, and is told of every move of the
game, whoever made it. `evaluation/match.py` plays this way.
"""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import AnyArray, IntArray


class Player(Protocol):
    """Chooses for the seat whose turn it is."""

    def act(self, states: AnyArray, variant: HanabiVariant, streams: AnyArray) -> IntArray:
        """[B] moves; NO_MOVE where the game is over. Streams [B] are for coin flips, and advanced."""


@runtime_checkable
class RememberingPlayer(Protocol):
    """Chooses by what its seat has seen so far."""

    def act(
        self, states: AnyArray, variant: HanabiVariant, streams: AnyArray, memory: AnyArray | None = None
    ) -> IntArray:
        """As a `Player`, with the memories [B] of the acting seats, which it does not change.

        Without memories only games that have just been dealt can be played.
        """

    def new_memory(self, states: AnyArray, seat: int) -> AnyArray:
        """[B, ...] what a seat remembers of games [B] that have just been dealt."""

    def remember(self, memory: AnyArray, before: AnyArray, moves: IntArray, after: AnyArray, seat: int) -> None:
        """Bring memories [B, ...] of a seat from before a move to after it, in place.

        Args:
            memory: changed in place; where the game was over before or is over after, it does not matter how.
            before: [B] states before the move.
            moves: [B] the moves.
            after: [B] states after the move, not restarted yet.
            seat: whose memory; not necessarily the seat that moved.
        """


class Seated:
    """An agent at a seat of some games, with its memory if it has one.

    Args:
        agent: who.
        seat: where.
        states: [B] games that have just been dealt.
        variant: their rules.
    """

    def __init__(self, agent: Player | RememberingPlayer, seat: int, states: AnyArray, variant: HanabiVariant) -> None:
        self.agent = agent
        self.seat = seat
        self.variant = variant
        self.memory = agent.new_memory(states, seat) if isinstance(agent, RememberingPlayer) else None

    @classmethod
    def after(
        cls,
        agent: Player | RememberingPlayer,
        seat: int,
        positions: Sequence[AnyArray],
        moves: Sequence[IntArray],
        variant: HanabiVariant,
    ) -> "Seated":
        """Seat an agent in games that have gone on for a while.

        Args:
            agent: who.
            seat: where.
            positions: the states [B] at every turn, from the deal to the present.
            moves: the moves [B] between them, one fewer.
            variant: the rules.
        """
        seated = cls(agent, seat, positions[0], variant)
        for before, made, after in zip(positions[:-1], moves, positions[1:], strict=True):
            seated.watch(before, made, after)
        return seated

    @property
    def remembers(self) -> bool:
        """Whether it has a memory, so that `watch` is not in vain."""
        return self.memory is not None

    def act(self, states: AnyArray, games: IntArray, streams: AnyArray) -> IntArray:
        """Choose the moves [M] of the games [M] in which it is this seat's turn.

        Args:
            states: [B] all games.
            games: [M] indices into them.
            streams: [B] random streams, those of the chosen games advanced.
        """
        coins = np.ascontiguousarray(streams[games])
        if isinstance(self.agent, RememberingPlayer) and self.memory is not None:
            moves = self.agent.act(states[games], self.variant, coins, self.memory[games])
        else:
            moves = self.agent.act(states[games], self.variant, coins)
        streams[games] = coins
        return moves

    def watch(self, before: AnyArray, moves: IntArray, after: AnyArray) -> None:
        """See the moves [B] that led from states [B] to states [B]; call it after every turn, whoever moved."""
        if isinstance(self.agent, RememberingPlayer) and self.memory is not None:
            self.agent.remember(self.memory, before, moves, after, self.seat)
