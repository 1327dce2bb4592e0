"""What a recurrent belief is taught: whole games of a frozen agent, as one seat saw them, from the deal on (Eq. 6).

Games are kept as deals and moves (`sequence_replay.py`) and played again when they are learned from. Every move of the
game is a step, whoever made it, and at every step the seat's hand is to be told.
"""

from collections.abc import Iterator

import numpy as np
import torch

from offbelief.agents.loading import Agent
from offbelief.beliefs.hanabi_game import HanabiGame, ViewSettings
from offbelief.beliefs.hand_model import counted_logits, hands_for_network, true_hands
from offbelief.games.batched import pick_games
from offbelief.games.hanabi.remembered import split
from offbelief.learning.belief_config import BeliefConfig
from offbelief.learning.frozen_play import FrozenPlay
from offbelief.learning.lessons import COLOURS, EVALUATION_SEED, MEASURED_STATES, REPLAY, Lesson
from offbelief.learning.replay import ReplaySettings
from offbelief.learning.sequence_replay import GameReplay, PlayedGames
from offbelief.learning.sequence_training import rename_colours
from offbelief.nouns import AnyArray, IntArray
from offbelief.streams import new_stream

_TOGETHER = 64  # games of an exam that are unrolled at once


class GameLessons:
    """Finished games, drawn as sequences: what one seat saw of one game.

    Args:
        config: what to train; its batches and capacity count sequences.
        agent: whose games.
        game: Hanabi as the belief sees it, in the v0-belief encoding.
        device: where the model is.
    """

    def __init__(self, config: BeliefConfig, agent: Agent, game: HanabiGame, device: torch.device) -> None:
        self.config, self.agent, self.game, self.device = config, agent, game, device
        self.play = FrozenPlay(agent, _remembered(game), config.games, config.seed, config.exploration)
        self.playing = self._make_room(split(self.play.states)[0])
        """[B] what has been played of the games in progress."""
        self.replay = GameReplay(
            ReplaySettings(capacity=config.capacity),
            self.playing.starts.dtype,
            num_seats=game.num_seats,
            max_turns=game.max_turns,
        )
        self.replay_stream = new_stream(config.seed, REPLAY)
        self.colour_stream = new_stream(config.seed, COLOURS)
        self._measured: PlayedGames | None = None

    def watch(self) -> None:
        """Go on, and keep the games that ended."""
        moves, ended = self.play.advance()
        self._write_down(self.playing, moves)
        self.replay.add(self.playing.pick(ended))
        self.playing.put(ended, self._make_room(split(pick_games(self.play.states, ended))[0]))

    def draw(self, size: int) -> Lesson:
        """Draw sequences [T, B]."""
        drawn = self.replay.sample(size, self.replay_stream)
        if self.config.shuffle_colours:
            drawn = rename_colours(drawn, self.game, self.colour_stream)
        return review(self.game, drawn.games, drawn.seats[:, 0], self.device)

    def exam(self) -> Iterator[Lesson]:
        """Whole games without exploration, from every seat, its own turns measured."""
        if self._measured is None:
            self._measured = self._games_to_measure()
        size = len(self._measured.lengths)
        for first in range(0, size, _TOGETHER):
            some = self._measured.pick(np.arange(first, min(first + _TOGETHER, size)))
            for seat in range(self.game.num_seats):
                seats = np.full(len(some.lengths), seat)
                yield review(self.game, some, seats, self.device, own_turns_only=True)

    def arrays(self) -> dict[str, AnyArray]:
        """Games, replay and random streams."""
        streams = {"replay_stream": self.replay_stream, "colour_stream": self.colour_stream}
        return {**self.replay.arrays(), **self.playing.arrays("playing"), **streams, **self.play.arrays()}

    def _games_to_measure(self) -> PlayedGames:
        play = FrozenPlay(
            self.agent, _remembered(self.game), self.config.evaluation_games, EVALUATION_SEED, exploration=(0.0,)
        )
        played = self._make_room(split(play.states)[0])
        while not self.game.is_over(play.states).all():
            moves, _ = play.advance(restart=False)
            self._write_down(played, moves)
        fitting = np.cumsum(played.lengths, dtype=np.int64) <= MEASURED_STATES
        return played.pick(np.arange(max(1, int(fitting.sum()))))

    def _make_room(self, starts: AnyArray) -> PlayedGames:
        return PlayedGames.make_room(
            starts, self.game.num_seats, self.game.max_turns, greedy_moves=False, targets=False
        )

    def _write_down(self, games: PlayedGames, moves: IntArray) -> None:
        made = np.flatnonzero(moves >= 0)
        games.moves[made, games.lengths[made]] = moves[made]
        games.lengths[made] += 1


def review(
    game: HanabiGame, played: PlayedGames, seats: IntArray, device: torch.device, *, own_turns_only: bool = False
) -> Lesson:
    """Play games [B] again as seats [B] saw them.

    Args:
        game: how they are seen.
        played: the games.
        seats: who looks.
        device: where the model is.
        own_turns_only: whether there is something to learn at the seats' own turns only, as when measuring.

    Returns:
        [T, B] steps, padded to the longest game; nothing is to be learned after the end.
    """
    variant, size, turns = game.variant, len(seats), int(played.lengths.max())
    observations = np.empty((turns, size, game.observation_size), np.float32)
    hands = np.empty((turns, size, variant.hand_size), np.int64)
    counted = np.empty((turns, size, variant.hand_size, variant.card_kinds), np.float32)
    states = pick_games(played.starts, np.arange(size))
    for turn in range(turns):
        held = true_hands(states, seats, variant.hand_size)
        observations[turn] = game.observe(states, seats)
        counted[turn] = counted_logits(states, game, seats, held)
        asked = ~game.is_over(states)
        if own_turns_only:
            asked &= game.acting_seats(states) == seats
        hands[turn] = np.where(asked[:, None], hands_for_network(held, variant.card_kinds).numpy(), variant.card_kinds)
        game.step(states, played.moves[:, turn].astype(np.int64))
    return Lesson(
        torch.from_numpy(observations).to(device),
        torch.from_numpy(hands).to(device),
        torch.from_numpy(counted).to(device),
        float(played.lengths.mean()),
    )


def _remembered(game: HanabiGame) -> HanabiGame:
    """The same rules, in records that agents of every kind can play from."""
    return HanabiGame(game.variant, view=ViewSettings(memory=True))
