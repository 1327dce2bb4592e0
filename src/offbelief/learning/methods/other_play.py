"""Other-Play (Hu et al. 2020): self-play in a game whose seats name the colours differently.

Hanabi does not change when its colours are renamed, so nothing can tell two players how to agree on what "red" stands
for in a convention. Other-Play trains for partners who may have agreed on any other naming: before a game every seat
draws its own names, sees the game in them and says its moves in them. Nothing else differs: `RenamedGame` is that game,
and any method can be trained in it.

With independent learners every seat draws its names; with a joint value one seat, drawn at random, keeps the true ones,
which is the same up to renaming everything (both as in the public code).

How this relates to renaming colours in what is learned from (`shuffle_colours`): docs/methods/self-play.md.
"""

import numpy as np

from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.games.hanabi.colours import invert_permutations
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, BoolArray, FloatArray, IntArray
from offbelief.streams import draw_below, draw_bits, mix


class RenamedGame:
    """Hanabi in which every seat has its own names for the colours, drawn anew for every game.

    The names are a function of the game's random stream, which changes from deal to deal and at no other time; so they
    need no place of their own, and a stored game keeps them.

    Args:
        game: the plain game.
        one_seat_keeps: whether one seat, drawn anew for every game, keeps the true names.
    """

    def __init__(self, game: HanabiGame, *, one_seat_keeps: bool = False) -> None:
        self.plain = game
        self.one_seat_keeps = one_seat_keeps
        self.name, self.num_seats, self.num_moves = game.name, game.num_seats, game.num_moves
        self.observation_size, self.public_columns = game.observation_size, game.public_columns
        self.max_turns = game.max_turns
        self.deal, self.restart_finished = game.deal, game.restart_finished
        self.acting_seats, self.is_over = game.acting_seats, game.is_over

    def names(self, states: AnyArray, seats: IntArray) -> IntArray:
        """[B, C] what seats [B] call every colour."""
        names = np.empty((len(states), self.plain.variant.colours), np.int64)
        _draw_names(states["stream"], seats.astype(np.int64), self.num_seats, self.one_seat_keeps, names)
        return names

    def legal_moves(self, states: AnyArray) -> BoolArray:
        """What the acting seats may do, in their names."""
        return self.plain.legal_moves(self._as_seen(states, self.acting_seats(states)))

    def exploration_weights(self, states: AnyArray, legal: BoolArray) -> FloatArray:
        """As in the plain game, where no colour is favoured."""
        return self.plain.exploration_weights(states, legal)

    def step(self, states: AnyArray, moves: IntArray) -> FloatArray:
        """Make moves, said in the acting seats' names, in place."""
        return self.plain.step(states, self._in_true_names(states, self.acting_seats(states), moves))

    def observe(self, states: AnyArray, seats: IntArray | None = None) -> FloatArray:
        """What seats see, in their names; by default the acting ones."""
        seats = self.acting_seats(states) if seats is None else seats
        return self.plain.observe(self._as_seen(states, seats), seats)

    def redeal(self, states: AnyArray, streams: AnyArray, seats: IntArray | None = None) -> AnyArray:
        """Draw what seats cannot see anew; the names stay."""
        copies = self.plain.redeal(states, streams, seats)
        copies["stream"] = states["stream"]
        return copies

    def relabel(self, states: AnyArray, moves: IntArray, stream: AnyArray) -> tuple[AnyArray, IntArray]:
        """Draw every seat's names anew."""
        seats = self.acting_seats(states)
        renamed = states.copy()
        _draw_streams(renamed["stream"], stream)
        true = self._in_true_names(states, seats, moves)
        return renamed, self.plain.rename_moves(true, self.names(renamed, seats))

    def announce(self, states: AnyArray, moves: IntArray) -> None:
        """As in the plain game; the last actors said their moves in their own names."""
        actors = np.where(states["turn"] > 0, states["last_actor"], 0)
        self.plain.announce(states, self._in_true_names(states, actors, moves))

    def _as_seen(self, states: AnyArray, seats: IntArray) -> AnyArray:
        return self.plain.rename(states, self.names(states, seats))

    def _in_true_names(self, states: AnyArray, seats: IntArray, moves: IntArray) -> IntArray:
        return self.plain.rename_moves(moves, invert_permutations(self.names(states, seats)))


@kernel
def _draw_names(streams: AnyArray, seats: IntArray, num_seats: int, one_seat_keeps: bool, names: IntArray) -> None:
    """Shuffle the colours of every game for a seat; from streams of the game's own, which are not advanced."""
    stream = np.empty(1, np.uint64)
    for game in range(len(names)):
        stream[0] = mix(~streams[game, 0])
        keeper = draw_below(stream, num_seats)
        stream[0] = mix(stream[0] + np.uint64(seats[game]))
        for colour in range(names.shape[1]):
            swap = draw_below(stream, colour + 1)
            names[game, colour] = names[game, swap]
            names[game, swap] = colour
        if one_seat_keeps and seats[game] == keeper:
            for colour in range(names.shape[1]):
                names[game, colour] = colour


@kernel
def _draw_streams(streams: AnyArray, stream: AnyArray) -> None:
    for game in range(len(streams)):
        streams[game, 0] = draw_bits(stream)
