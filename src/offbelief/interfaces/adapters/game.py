"""One game of Hanabi with one random stream: what the PettingZoo and the Gymnasium face share.

Imports neither library. For many games at once use `HanabiBatch`, which is far faster.
"""

import secrets
from typing import TypeAlias

import numpy as np

from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.state import OUT_OF_TURNS
from offbelief.games.hanabi.text import render
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.games.hanabi.views.canonical import canonical_layout, observe_canonical
from offbelief.nouns import AnyArray

Observation: TypeAlias = dict[str, AnyArray]
"""``observation``: [F] int8, HLE's encoding; ``action_mask``: [A] int8, legal moves (none if it is not your turn)."""


class SingleGame:
    """One table, dealt anew again and again.

    Args:
        variant: The rules, or their name.
    """

    def __init__(self, variant: HanabiVariant | str) -> None:
        self._batch = HanabiBatch(variant, 1)
        self._seed: int | None = None
        self._deals = 0

    @property
    def variant(self) -> HanabiVariant:
        """The rules."""
        return self._batch.variant

    @property
    def observation_size(self) -> int:
        """Number of features F of an observation."""
        return canonical_layout(self.variant).size

    @property
    def states(self) -> AnyArray:
        """[1] the game, as policies take it."""
        return self._batch.states

    @property
    def acting_seat(self) -> int:
        """Seat to move."""
        return int(self.states["acting_seat"][0])

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, for whatever reason."""
        return bool(self.states["is_over"][0])

    @property
    def is_cut_short(self) -> bool:
        """Whether the game has ended because the variant's turn cap was reached, which others call truncation."""
        return int(self.states["end_reason"][0]) == OUT_OF_TURNS

    @property
    def is_seeded(self) -> bool:
        """Whether a series of deals has begun, so that `deal` without a seed goes on with it."""
        return self._seed is not None

    @property
    def score(self) -> int:
        """Points so far."""
        return int(self.states["score"][0])

    def deal(self, seed: int | None) -> int:
        """Begin a new game.

        Args:
            seed: Begins a new series of deals, the same for the same seed. None goes on with the series, which begins
                from a random seed if none was ever given.

        Returns:
            The seed of the series.
        """
        if seed is not None or self._seed is None:
            self._seed = secrets.randbits(63) if seed is None else seed
            self._deals = 0
        self._batch.deal(self._seed, first_game=self._deals)
        self._deals += 1
        return self._seed

    def step(self, move: int) -> float:
        """Make a move and return its reward; an illegal move raises UserError and changes nothing."""
        return float(self._batch.step([move])[0])

    def observe(self, seat: int) -> Observation:
        """What a seat sees, and which moves it may make now."""
        features = observe_canonical(self.states, self.variant, seat)[0].astype(np.int8)
        mask = np.zeros(self.variant.num_moves, dtype=np.int8)
        if seat == self.acting_seat:
            mask[:] = self._batch.legal_moves()[0]
        return {"observation": features, "action_mask": mask}

    def render(self, *, seat: int | None = None, ansi: bool = False) -> str:
        """The game as text, with every card open or as a seat sees it."""
        return render(self.states[0], self.variant, seat=seat, ansi=ansi)
