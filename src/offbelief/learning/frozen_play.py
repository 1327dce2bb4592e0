"""Games of an agent that no longer learns, side by side, for ever: what its belief is learned from."""

import numpy as np

from offbelief.agents.acting import explore
from offbelief.agents.remembering import Player, RememberingPlayer
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.games.batched import NO_MOVE, make_streams
from offbelief.games.hanabi.remembered import split
from offbelief.nouns import AnyArray, FloatArray, IntArray

_EXPLORATION, _COINS = 21, 22  # purposes of random streams


class FrozenPlay:
    """Games in progress of one agent at every seat.

    Args:
        agent: who plays, with or without a memory of its own.
        game: Hanabi with the public memory.
        size: how many games.
        seed: of deals, exploration and the agent's coins.
        exploration: rates; game i uses the one at i modulo their number.
    """

    def __init__(
        self,
        agent: Player | RememberingPlayer,
        game: HanabiGame,
        size: int,
        seed: int,
        exploration: tuple[float, ...],
    ) -> None:
        self.agent = agent
        self.game = game
        self.states = game.deal(size, seed)
        self.exploration_streams = make_streams(seed, _EXPLORATION, size)
        self.coins = make_streams(seed, _COINS, size)
        self.epsilons: FloatArray = np.resize(np.array(exploration, np.float64), size)
        self.memories: list[AnyArray] = []
        if isinstance(agent, RememberingPlayer):
            fresh, _ = split(self.states)
            self.memories = [agent.new_memory(fresh, seat) for seat in range(game.num_seats)]
        self.finished = 0
        """Games played to their end."""

    def choose(self) -> IntArray:
        """The moves [B] of the acting seats, exploring ones among them."""
        legal = self.game.legal_moves(self.states)
        return explore(self._choose(), legal.astype(np.float32), self.epsilons, self.exploration_streams)

    def advance(self, *, restart: bool = True) -> tuple[IntArray, IntArray]:
        """One move in every game; finished games are dealt anew, or left as they are.

        Returns:
            The moves [B], NO_MOVE in games that were over, and which games [M] were dealt anew.
        """
        moves = np.where(self.game.is_over(self.states), NO_MOVE, self.choose())
        before, _ = split(self.states)
        self.game.step(self.states, moves)
        if isinstance(self.agent, RememberingPlayer):
            after, _ = split(self.states)
            for seat, memory in enumerate(self.memories):
                self.agent.remember(memory, before, moves, after, seat)
        return moves, self._restart() if restart else np.zeros(0, np.int64)

    def _restart(self) -> IntArray:
        ended = np.flatnonzero(self.game.restart_finished(self.states))
        self.finished += len(ended)
        if len(ended) and isinstance(self.agent, RememberingPlayer):
            fresh, _ = split(self.states[ended])
            for seat, memory in enumerate(self.memories):
                memory[ended] = self.agent.new_memory(fresh, seat)
        return ended

    def _choose(self) -> IntArray:
        games, _ = split(self.states)
        if not isinstance(self.agent, RememberingPlayer):
            return self.agent.act(games, self.game.variant, self.coins)
        moves = np.full(len(games), NO_MOVE)
        acting = self.game.acting_seats(self.states)
        for seat, memory in enumerate(self.memories):
            mine = np.flatnonzero((acting == seat) & ~games["is_over"])
            if len(mine):
                coins = self.coins[mine]
                moves[mine] = self.agent.act(games[mine], self.game.variant, coins, memory[mine])
                self.coins[mine] = coins
        return moves

    def arrays(self) -> dict[str, AnyArray]:
        """Everything that changes, to be saved and loaded in place."""
        memories = {f"agent_memory_{seat}": memory for seat, memory in enumerate(self.memories)}
        streams = {"exploration_streams": self.exploration_streams, "coins": self.coins}
        return {"states": self.states, **streams, **memories}


def states_of_games(
    agent: Player | RememberingPlayer,
    game: HanabiGame,
    games: int,
    seed: int,
    exploration: tuple[float, ...],
    most: int,
) -> AnyArray:
    """Play whole games and give their states [N], at most so many, drawn at random: what beliefs are measured on."""
    play = FrozenPlay(agent, game, games, seed, exploration)
    seen = []
    while not (over := game.is_over(play.states)).all():
        seen.append(play.states[~over].copy())
        play.advance(restart=False)
    states = np.concatenate(seen)
    chosen: AnyArray = states[np.random.default_rng(seed).permutation(len(states))[:most]]
    return chosen
