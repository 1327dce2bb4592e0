"""The fictitious transition of the paper's public code: one move of the game, and the value of waiting in between.

At every move of a real game every seat imagines. The acting seat draws its hand, makes its real move, and ends in what
waiting is worth to it then. Each waiting seat draws its own hand too, lets the acting seat choose in that imagined
world, and learns from it what waiting was worth. So the paper's target from own turn to own turn is made of single
moves, with a new draw of the hand at each.

For two players this converges to the Bellman form (Eq. 4), as the own-turn transition without continuation does: in
between lies one move of the partner's, whose draw averages to the same. For three or more it does not: the hand is
drawn anew between two partners' moves, so that the first one's move, made by pi1, is read as pi0's.

Differs from the public code: the others' imagined moves are greedy (there they explore at their own rate), and waiting
has a network of its own (there it is one more move of the Q-network).
"""

import numpy as np

from offbelief.agents.acting import look, value_moves
from offbelief.games.batched import BatchedGame, pick_games
from offbelief.learning.fictitious import Imagination
from offbelief.learning.learned_value import LearnedValue
from offbelief.nouns import AnyArray, FloatArray, IntArray


class WaitingEye:
    """Sees what a waiting seat sees, and how long it has to wait."""

    def beside(self, game: BatchedGame) -> tuple[int, int]:
        """One thing: how many seats come before this one's turn."""
        return 1, game.num_seats

    def see(self, game: BatchedGame, states: AnyArray, seats: IntArray) -> FloatArray:
        """The seat's observation, and a one-hot of its distance from the acting seat."""
        distance = np.zeros((len(states), game.num_seats), np.float32)
        distance[np.arange(len(states)), (seats - game.acting_seats(states)) % game.num_seats] = 1.0
        return np.concatenate([game.observe(states, seats), distance], axis=1)


def one_step_targets(
    imagination: Imagination, waiting: LearnedValue, states: AnyArray, moves: IntArray, streams: AnyArray
) -> FloatArray:
    """Compute the targets [B] of the acting seats' real moves [B], and let waiting seats remember what theirs gave."""
    game, settings = imagination.game, imagination.settings
    total = np.zeros((game.num_seats, len(states)), np.float32)
    seats = [(game.acting_seats(states) + offset) % game.num_seats for offset in range(game.num_seats)]
    for _ in range(settings.samples):
        for offset, me in enumerate(seats):
            imagined = game.redeal(states, streams, me)
            made = moves
            if offset > 0:
                q_values = value_moves(imagination.online, look(game, imagined, imagination.device))
                made = imagination.choose(q_values, streams, np.arange(len(states)))
            total[offset] += game.step(imagined, made)
            running = np.flatnonzero(~game.is_over(imagined))
            later = _value(imagination, waiting, pick_games(imagined, running), me[running])
            total[offset, running] += np.float32(settings.discount) * later
    total /= settings.samples
    for offset in range(1, game.num_seats):
        waiting.remember(states, seats[offset], total[offset])
    acting: FloatArray = total[0]
    return acting


def _value(imagination: Imagination, waiting: LearnedValue, states: AnyArray, seats: IntArray) -> FloatArray:
    """[B] what running games are worth to seats [B]: their policy's value where they act, else that of waiting."""
    acts = imagination.game.acting_seats(states) == seats
    values = np.zeros(len(states), np.float32)
    if acts.any():
        seen = look(imagination.game, pick_games(states, np.flatnonzero(acts)), imagination.device)
        values[acts] = imagination.value(seen, value_moves(imagination.online, seen))
    if not acts.all():
        values[~acts] = waiting.values(pick_games(states, np.flatnonzero(~acts)), seats[~acts])
    return values
