"""Many games played side by side by seats that remember: look, act, step, deal finished games anew.

Every seat looks at every step and carries a memory of its game, which is empty when the game begins. Finished games
come out as deals and moves (`PlayedGames`).
"""

import numpy as np
import torch
from torch import Tensor

from offbelief.agents.acting import IMPOSSIBLE, boltzmann_moves, explore
from offbelief.agents.networks.recurrent import RecurrentNetwork
from offbelief.agents.seat_views import SeatViews
from offbelief.beliefs.followed import FollowingBelief
from offbelief.games.batched import NO_MOVE, make_streams, pick_games
from offbelief.learning.sequence_replay import PlayedGames, put_games
from offbelief.nouns import AnyArray, FloatArray, IntArray
from offbelief.streams import draw_units

_EXPLORATION, _IMAGINATION, _RATES = 1, 2, 6  # purposes of the random streams; the games deal from their own


class SequenceRollout:
    """Games in progress, what their seats remember, and the random streams of those who play them.

    Args:
        views: what seats see of the game that is played.
        network: gives memories their shape.
        size: B, how many games.
        seed: of deals, exploration and imagination.
        exploration: rates; at the beginning of a game every seat draws one.
        temperature: of Boltzmann acting; 0 acts greedily.
        device: where the networks are.
        keeps_targets: whether `advance` is given targets, to be kept with the games.
        follower: a belief that remembers, told of every step; its memories are saved and loaded with the games.
    """

    def __init__(
        self,
        views: SeatViews,
        network: RecurrentNetwork,
        size: int,
        seed: int,
        exploration: tuple[float, ...],
        *,
        temperature: float,
        device: torch.device,
        keeps_targets: bool,
        follower: FollowingBelief | None = None,
    ) -> None:
        game = views.game
        self.views, self.game, self.device = views, game, device
        self.temperature = temperature
        self.follower = follower
        self.exploration = np.array(exploration)
        self.states = game.deal(size, seed)
        self.games = PlayedGames.make_room(
            self.states.copy(), game.num_seats, game.max_turns, greedy_moves=views.greedy_move, targets=keeps_targets
        )
        """[B] what has been played of them."""
        self.greedy_states = self.states.copy() if views.greedy_move else None
        """[B] the games had the last mover not explored, for SAD."""
        self.memory = torch.zeros(game.num_seats, size, *network.memory_shape, device=device)
        """[P, B, ...] what every seat remembers; up to the present step after `look`."""
        self.exploration_streams = make_streams(seed, _EXPLORATION, size)
        self.imagination_streams = make_streams(seed, _IMAGINATION, game.num_seats * size)
        """[P * B] one for every seat of every game, seats slow."""
        self.rate_streams = make_streams(seed, _RATES, size)
        self.epsilons = np.zeros((game.num_seats, size))
        """[P, B] how often every seat explores."""
        self.finished = 0
        """Games ever finished."""
        self._draw_rates(np.arange(size))
        if follower:
            follower.follow(self.states, np.ones(size, np.bool_))

    def look(self, network: RecurrentNetwork) -> None:
        """Let every seat see the present step and remember it; call it once per step."""
        seen = self.views.see_from_everywhere(self.states, self.greedy_states)
        self.observations = torch.from_numpy(seen.observations).to(self.device)
        self.legal = torch.from_numpy(seen.legal).to(self.device)
        with torch.no_grad():
            remembered = network.remember(self.observations.flatten(0, 1), self.memory.flatten(0, 1))
        self.memory = remembered.view(self.memory.shape)

    def act(self, network: RecurrentNetwork) -> IntArray:
        """Choose a move [B] in every game for the acting seat: by value, or exploring."""
        games = np.arange(len(self.states))
        seats = self.game.acting_seats(self.states)
        place = torch.from_numpy(seats).to(self.device), torch.from_numpy(games).to(self.device)
        q_values = value_moves_with_memory(network, self.observations[place], self.legal[place], self.memory[place])
        self.intended: IntArray = q_values.argmax(dim=1).cpu().numpy()
        return self.explore(q_values, self.epsilons[seats, games], self.exploration_streams)

    def explore(self, q_values: Tensor, epsilons: FloatArray, streams: AnyArray) -> IntArray:
        """Draw moves [N] as seats with these rates do, from Q-values [N, A] that are IMPOSSIBLE for illegal moves.

        As in the paper, exploration tries every legal move alike.
        """
        chosen: IntArray = q_values.argmax(dim=1).cpu().numpy()
        if self.temperature > 0:
            chosen = boltzmann_moves(q_values, self.temperature, streams)
        weights: FloatArray = (q_values > IMPOSSIBLE).float().cpu().numpy()
        return explore(chosen, weights, epsilons, streams)

    def advance(self, moves: IntArray, targets: FloatArray | None = None) -> PlayedGames:
        """Make the moves, deal finished games anew, and give the finished ones.

        Args:
            moves: [B]
            targets: [P, B] what the seats' moves, or their waiting, are worth; NaN where nothing is to be learned.
        """
        games, turns, size = self.games, self.games.lengths, np.arange(len(moves))
        games.moves[size, turns] = moves
        if games.targets is not None and targets is not None:
            games.targets[size, :, turns] = targets.T
        if self.greedy_states is not None and games.greedy_moves is not None:
            games.greedy_moves[size, turns] = self.intended
            put_games(self.greedy_states, size, self.states)
            self.game.step(self.greedy_states, self.intended)
        self.game.step(self.states, moves)
        turns += 1
        restarted = self.game.restart_finished(self.states)
        ended = np.flatnonzero(restarted)
        played = games.pick(ended)
        self._begin(ended)
        if self.follower:
            self.follower.follow(self.states, restarted)
        return played

    def _begin(self, fresh: IntArray) -> None:
        """Begin games anew that have just been dealt."""
        states, kept = pick_games(self.states, fresh), self.games
        room = PlayedGames.make_room(
            states,
            self.game.num_seats,
            self.game.max_turns,
            greedy_moves=kept.greedy_moves is not None,
            targets=kept.targets is not None,
        )
        kept.put(fresh, room)
        if self.greedy_states is not None:
            put_games(self.greedy_states, fresh, states)
        self.memory[:, torch.from_numpy(fresh).to(self.device)] = 0.0
        self.finished += len(fresh)
        self._draw_rates(fresh)

    def _draw_rates(self, games: IntArray) -> None:
        for seat in range(self.game.num_seats):
            drawn = draw_units(self.rate_streams, games) * len(self.exploration)
            self.epsilons[seat, games] = self.exploration[drawn.astype(np.int64)]

    def arrays(self) -> dict[str, AnyArray]:
        """Everything that changes but counter and memory, to be saved and loaded in place."""
        return {
            "states": self.states,
            **self.games.arrays("playing"),
            **({} if self.greedy_states is None else {"greedy_states": self.greedy_states}),
            "exploration_streams": self.exploration_streams,
            "imagination_streams": self.imagination_streams,
            "rate_streams": self.rate_streams,
            "epsilons": self.epsilons,
            **(self.follower.arrays() if self.follower else {}),
        }


def value_moves_with_memory(network: RecurrentNetwork, observations: Tensor, legal: Tensor, memory: Tensor) -> Tensor:
    """[N, A] Q-values without gradients, given memories up to now; IMPOSSIBLE for illegal moves."""
    with torch.no_grad():
        return network.value(observations, legal, memory).masked_fill(~legal, IMPOSSIBLE)


def play_greedy_games(
    views: SeatViews, network: RecurrentNetwork, states: AnyArray, device: torch.device
) -> FloatArray:
    """Play games [B] to their end, in place, every seat by its best moves; gives what they earned [B]."""
    game = views.game
    earned = np.zeros(len(states), np.float64)
    memory = torch.zeros(game.num_seats, len(states), *network.memory_shape, device=device)
    while len(running := np.flatnonzero(~game.is_over(states))):
        now = pick_games(states, running)
        seen = views.see_from_everywhere(now)
        observations, legal = (torch.from_numpy(part).to(device) for part in seen)
        index = torch.from_numpy(running).to(device)
        with torch.no_grad():
            memories = network.remember(observations.flatten(0, 1), memory[:, index].flatten(0, 1))
        memory[:, index] = memories = memories.view(game.num_seats, len(running), *network.memory_shape)
        place = torch.from_numpy(game.acting_seats(now)).to(device), torch.arange(len(running), device=device)
        q_values = value_moves_with_memory(network, observations[place], legal[place], memories[place])
        moves = np.full(len(states), NO_MOVE)
        moves[running] = q_values.argmax(dim=1).cpu().numpy()
        earned += game.step(states, moves)
    return earned
