"""Asking agents about any turn of a kept game, those with a memory too.

`remind` shows a remembering agent (`offbelief.agents.remembering`) the game from its deal on and gives back a
`Reminded` agent, which answers about the chosen turns like one without memory; `recall` does so for an agent that sits
in a running game. Agents without memory are given back as they are, so callers need not tell them apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from offbelief.agents.loading import Agent
from offbelief.agents.remembering import RememberingPlayer, Seated
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import AnyArray, IntArray


@dataclass(frozen=True, eq=False)
class Reminded:
    """A remembering agent together with what it remembers of some positions."""

    agent: RememberingPlayer
    memory: AnyArray
    """[B, ...] the memories of the acting seats at the positions [B] that it will be asked about"""

    def act(self, states: AnyArray, variant: HanabiVariant, streams: AnyArray) -> IntArray:
        """[B] moves at those positions."""
        return self.agent.act(states, variant, streams, self.memory)


Minded: TypeAlias = Agent | Reminded
"""Whoever can be asked about a position."""


def recall(seated: Seated, agent: Agent) -> Minded:
    """An agent that sits in a running game [1], as it remembers the present position; it must be its turn."""
    if isinstance(agent, RememberingPlayer) and seated.memory is not None:
        return Reminded(agent, seated.memory)
    return agent


def remind(
    agent: Agent,
    variant: HanabiVariant,
    positions: AnyArray | Sequence[AnyArray],
    moves: Sequence[int],
    first: int = 0,
) -> Minded:
    """Give an agent with a memory what it would remember at turns ``first`` and later.

    Args:
        agent: Whom.
        variant: The rules.
        positions: [T] one game at every turn from the deal on, or a list of [1]; at none of them it is over.
        moves: The moves between them; further ones are not looked at.
        first: The first turn that the agent will be asked about; all later ones follow.
    """
    if not isinstance(agent, RememberingPlayer):
        return agent
    states = np.concatenate(positions) if isinstance(positions, Sequence) else positions
    seats = states["acting_seat"].tolist()
    seated = {seat: Seated(agent, seat, states[:1], variant) for seat in set(seats[first:])}
    memories = []
    for turn, seat in enumerate(seats):
        if turn > 0:
            for one in seated.values():
                one.watch(states[turn - 1 : turn], np.array(moves[turn - 1 : turn]), states[turn : turn + 1])
        if turn >= first:
            memory = seated[seat].memory
            assert memory is not None
            memories.append(memory.copy())
    return Reminded(agent, np.concatenate(memories))
