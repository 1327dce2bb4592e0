"""Where agents think: beside the event loop, so that no table waits for another's.

Moves that are asked for at the same time, by any number of tables, are chosen together: one call of `act` for each
agent and variant. Longer questions (minds, comparisons) have a thread of their own and never hold up a move.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.interfaces.web.offers import Offers
from offbelief.nouns import AnyArray

Answer = TypeVar("Answer")


@dataclass(frozen=True, eq=False)
class _Question:
    """A move to be chosen."""

    agent: str
    variant: HanabiVariant
    states: AnyArray
    """[1] the game"""
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

    async def choose(self, agent: str, variant: HanabiVariant, states: AnyArray, coins: AnyArray) -> int:
        """The move of an agent in a game [1].

        Raises:
            UserError: the agent cannot be loaded, or does not play the variant.
        """
        question = _Question(agent, variant, states, coins, asyncio.get_running_loop().create_future())
        self._waiting.append(question)
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        return await question.answer

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
                if (question.agent, question.variant) == (first.agent, first.variant)
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
        states = np.concatenate([question.states for question in group])
        coins = np.concatenate([question.coins for question in group])
        moves: list[int] = agent.act(states, group[0].variant, coins).tolist()
        return moves
