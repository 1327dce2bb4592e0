"""Where agents think: beside the event loop, so that no table waits for another's.

Moves that are asked for at the same time, by any number of tables, are chosen together: one call of `act` for each
agent and variant. Longer questions (minds, comparisons) have a thread of their own and never hold up a move.

An agent with a memory (`agents/remembering.py`) is shown the whole game, whoever moved. What it remembers of a running
game is kept from one of its turns to the next; of any other turn it is recalled from the beginning.
"""

import asyncio
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from offbelief.agents.remembering import RememberingPlayer, Seated
from offbelief.interfaces.web.offers import Offers
from offbelief.interfaces.web.table import Table
from offbelief.nouns import AnyArray

Answer = TypeVar("Answer")


@dataclass(frozen=True, eq=False)
class _Question:
    """A move to be chosen."""

    agent: str
    table: Table
    seat: int
    positions: tuple[AnyArray, ...]
    """The game [1] at every turn, from the deal to the present."""
    moves: tuple[int, ...]
    """The moves between them."""
    coins: AnyArray
    """[1] the agent's random stream"""
    answer: "asyncio.Future[int]"


class Thinker:
    """Asks agents, off the event loop.

    Args:
        offers: Who there is.
    """

    def __init__(self, offers: Offers) -> None:
        self.offers = offers
        self._moves = ThreadPoolExecutor(1, thread_name_prefix="moves")
        self._minds = ThreadPoolExecutor(1, thread_name_prefix="minds")
        self._waiting: list[_Question] = []
        self._worker: asyncio.Task[None] | None = None
        self._seated: weakref.WeakKeyDictionary[Table, dict[int, tuple[int, Seated]]] = weakref.WeakKeyDictionary()
        """By table and seat: how many moves a remembering agent has seen, and its memory. For the thread that moves."""

    async def choose(self, table: Table) -> int:
        """The move of the agent whose turn it is at a table.

        Raises:
            UserError: the agent cannot be loaded, or does not play the variant.
        """
        agent, seat = table.acting_agent, table.acting_seat
        assert agent is not None and seat is not None
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        positions, moves = tuple(table.positions), tuple(table.moves)
        self._waiting.append(_Question(agent, table, seat, positions, moves, table.coins(table.turn), future))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        return await future

    async def ask(self, question: Callable[[], Answer]) -> Answer:
        """Answer a longer question in the thread for minds."""
        return await asyncio.get_running_loop().run_in_executor(self._minds, question)

    def close(self) -> None:
        """Let the threads end."""
        for pool in (self._moves, self._minds):
            pool.shutdown(wait=False, cancel_futures=True)

    async def _work(self) -> None:
        """Answer everything that waits, group by group, until nothing does."""
        while self._waiting:
            first = self._waiting[0]
            group = [
                question
                for question in self._waiting
                if (question.agent, question.table.variant) == (first.agent, first.table.variant)
            ]
            self._waiting = [question for question in self._waiting if question not in group]
            try:
                moves = await asyncio.get_running_loop().run_in_executor(self._moves, self._choose_together, group)
            except Exception as error:  # whoever asked is told; the thread goes on for the others
                for question in group:
                    if not question.answer.done():
                        question.answer.set_exception(error)
            else:
                for question, move in zip(group, moves, strict=True):
                    if not question.answer.done():
                        question.answer.set_result(move)

    def _choose_together(self, group: list[_Question]) -> list[int]:
        """[B] moves of questions to one agent, in one call."""
        agent = self.offers.load(group[0].agent)
        variant = group[0].table.variant
        states = np.concatenate([question.positions[-1] for question in group])
        coins = np.concatenate([question.coins for question in group])
        if isinstance(agent, RememberingPlayer):
            memories = np.concatenate([self._memory(agent, question) for question in group])
            moves = agent.act(states, variant, coins, memories)
        else:
            moves = agent.act(states, variant, coins)
        return [int(move) for move in moves]

    def _memory(self, agent: RememberingPlayer, question: _Question) -> AnyArray:
        """[1, ...] what the agent remembers now: shown the moves since its last turn."""
        seats = self._seated.setdefault(question.table, {})
        seen, seated = seats.get(question.seat, (0, None))
        if seated is None:
            seated = Seated(agent, question.seat, question.positions[0], question.table.variant)
        for turn in range(seen, len(question.moves)):
            seated.watch(question.positions[turn], np.array([question.moves[turn]]), question.positions[turn + 1])
        seats[question.seat] = (len(question.moves), seated)
        assert seated.memory is not None
        return seated.memory
