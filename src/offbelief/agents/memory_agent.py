"""A trained network that reads the public memory of a game: agents of level 2 and up.

Its memory is a record of `games/hanabi/memory.py` per game, the same for every seat, so one memory serves the real game
and every imagined one.
"""

import torch
from torch import nn

from offbelief.agents.acting import choose_moves, look
from offbelief.agents.recurrent_agent import plays_alike
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.beliefs.hand_model import LearnedBelief
from offbelief.games.batched import NO_MOVE
from offbelief.games.hanabi.memory import new_memories, remember
from offbelief.games.hanabi.remembered import join
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import AnyArray, IntArray, UserError


class MemoryAgent:
    """Plays its best move, given what everybody remembers, or softly around it.

    Args:
        name: what reports call it.
        game: what it was trained for; its view has memory.
        network: the network.
        device: where the network is; the CPU if left out.
        belief: what it was trained to believe of others' moves, for those who want to see; it plays without it.
    """

    def __init__(
        self,
        name: str,
        game: HanabiGame,
        network: nn.Module,
        device: torch.device | None = None,
        belief: LearnedBelief | None = None,
    ) -> None:
        self.name = name
        self.game = game
        self.network = network
        self.device = device or torch.device("cpu")
        self.belief = belief
        self.temperature = 0.0
        """Of its moves; 0 plays the best one."""

    def act(
        self, states: AnyArray, variant: HanabiVariant, streams: AnyArray, memory: AnyArray | None = None
    ) -> IntArray:
        """[B] moves; NO_MOVE where the game is over. Without memories [B] only fresh games can be played."""
        if not plays_alike(variant, self.game.variant):
            raise UserError(f"{self.name} was trained for {self.game.name} and cannot play {variant.name}.")
        records = join(states, new_memories(states) if memory is None else memory)
        moves = choose_moves(self.network, look(self.game, records, self.device), self.temperature, streams)
        moves[states["is_over"]] = NO_MOVE
        return moves

    def new_memory(self, states: AnyArray, seat: int) -> AnyArray:
        """[B] memories of games that have just been dealt."""
        return new_memories(states)

    def remember(self, memory: AnyArray, before: AnyArray, moves: IntArray, after: AnyArray, seat: int) -> None:
        """Bring memories from before a move to after it, in place."""
        remember(memory, self.game.variant, before, moves, after)
