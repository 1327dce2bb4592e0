"""A belief that remembers, in games that are being played: told of every real step, it can be asked at any.

A `HandBelief` for exactly those games, in their order. Imagined games never reach it: what a seat remembers of the real
game is what it believes by, however the imagined one goes on.
"""

import numpy as np

from offbelief.beliefs.recurrent_hand_model import RecurrentBelief
from offbelief.nouns import AnyArray, BoolArray, FloatArray, IntArray, UserError


class FollowingBelief:
    """What every seat of some games believes by its own history.

    Args:
        belief: The model in use.
        size: B, how many games it follows.
    """

    def __init__(self, belief: RecurrentBelief, size: int) -> None:
        self.belief = belief
        self.memory: FloatArray = np.stack([belief.new_memory(size)] * belief.game.num_seats)
        """[P, B, ...] of every seat, up to the present step."""
        self.turns = np.full(size, -1)
        """[B] the turn that every game was last seen at."""

    def follow(self, states: AnyArray, fresh: BoolArray) -> None:
        """See the present step of games [B]; call it after every move, and once when they have been dealt.

        Args:
            states: [B] all games that it follows, with or without public memory.
            fresh: [B] which of them have just been dealt; the games before them are forgotten.
        """
        self.memory[:, fresh] = 0.0
        for seat, memory in enumerate(self.memory):
            memory[:] = self.belief.remember(states, np.full(len(states), seat), memory)
        self.turns[:] = states["turn"]

    def sample_hands(self, states: AnyArray, seats: IntArray, streams: AnyArray) -> IntArray:
        """Draw hands [B, H] that seats [B] of the games that it follows may hold now; streams [B] are advanced."""
        if len(states) != len(self.turns) or np.any(states["turn"] != self.turns):
            raise UserError(
                f"This belief remembers the {len(self.turns)} games that it follows and can be asked about no others; "
                "tell it of every step before asking."
            )
        return self.belief.sample_hands(states, seats, streams, self.memory[seats, np.arange(len(states))])

    def arrays(self) -> dict[str, AnyArray]:
        """Everything that changes, to be saved and loaded in place."""
        return {"belief_memory": self.memory, "belief_turns": self.turns}
