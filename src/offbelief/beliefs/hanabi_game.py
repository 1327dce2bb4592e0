"""Hanabi as learners see it: the `BatchedGame` contract over the engine, with one observation encoding and one belief.

It stands in this room, after games, because re-dealing needs a belief. The belief here is the grounded one
(`counting.py`), exact and in closed form; higher levels bring their own.
"""

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np

from offbelief.beliefs.counting import imagine
from offbelief.games.hanabi import kernels
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.colours import draw_permutations, permute_moves, permute_states
from offbelief.games.hanabi.memory import forget, new_memories, step_and_remember
from offbelief.games.hanabi.remembered import join, permute_remembered, split
from offbelief.games.hanabi.resample import put_hands
from offbelief.games.hanabi.state import HANABI_STATE
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.games.hanabi.views.announced import announced, lay_announced
from offbelief.games.hanabi.views.cardwise import cardwise, cardwise_layout, lay_cardwise
from offbelief.games.hanabi.views.layout import Layout, LayoutBuilder
from offbelief.games.hanabi.views.remembered import remembered, remembered_layout
from offbelief.games.hanabi.views.table import lay_last_move
from offbelief.games.hanabi.views.v0_belief import v0_belief, v0_belief_layout
from offbelief.nouns import AnyArray, BoolArray, FloatArray, IntArray, UserError

Encoding: TypeAlias = Literal["card-wise", "v0-belief"]

RECKLESS_WEIGHT = 0.15
"""How likely exploration plays a card on the last life, relative to other moves: losing all points at once is a coin
flip that teaches little, and a squared error would be made of little else."""

# Features that would differ if the hidden cards did; all others are public.
_PRIVATE_SECTIONS: dict[Encoding, tuple[str, ...]] = {
    "card-wise": (
        "own_cards.probability",
        "own_cards.playable",
        "own_cards.dead",
        "own_cards.critical",
        "partner_cards.card",
        "partner_cards.is_playable",
        "partner_cards.is_dead",
        "partner_cards.is_critical",
        "unseen",
    ),
    "v0-belief": ("hands",),
}

# What is remembered is public, but its probabilities count the cards that the seat sees.
_PRIVATE_MEMORY = ("card_memory.playable_then", "card_memory.playable_then_and_now", "card_memory.playable_first")


@dataclass(frozen=True, kw_only=True)
class ViewSettings:
    """What a seat's card-wise observation holds besides cards and table."""

    last_move: bool = False
    """The last move. Grounded play (level 1) needs it not; conventions live on it."""
    announced: bool = False
    """The move that the last actor would have made without exploring (SAD)."""
    memory: bool = False
    """What everybody remembers of every card and every seat's last move; levels 2 and up read it. Games are then
    records of `REMEMBERED_GAME`."""

    def __post_init__(self) -> None:
        if self.memory and (self.last_move or self.announced):
            raise UserError("A view with memory holds the last moves already; leave last_move and announced off.")


class HandBelief(Protocol):
    """What a seat may believe about its own hand."""

    def sample_hands(self, states: AnyArray, seats: IntArray, streams: AnyArray) -> IntArray:
        """Draw hands [B, H] that seats [B] may hold, oldest card first; streams [B] are advanced."""


class HanabiGame:
    """Batches of Hanabi for learners.

    Args:
        variant: The rules, or their name.
        encoding: What the acting seat's observation looks like (docs/games/hanabi-observation.md).
        view: What a card-wise observation holds besides; v0-belief has the last move always.
        belief: What `redeal` draws hands from; None is the grounded belief.
        carries_memory: Whether games are records of `REMEMBERED_GAME` though the view does not show it: a belief may
            read what the seats do not see, or remember in their own way.
    """

    def __init__(
        self,
        variant: HanabiVariant | str,
        encoding: Encoding = "card-wise",
        view: ViewSettings | None = None,
        belief: HandBelief | None = None,
        *,
        carries_memory: bool = False,
    ) -> None:
        self.variant = HanabiVariant.parse(variant) if isinstance(variant, str) else variant
        if encoding not in _PRIVATE_SECTIONS:
            raise UserError(f"The encoding is 'card-wise' or 'v0-belief', not {encoding!r}.")
        self.encoding = encoding
        self.view = view or ViewSettings()
        self.belief = belief
        self.carries_memory = carries_memory or self.view.memory
        if encoding != "card-wise" and self.view != ViewSettings():
            raise UserError("Only the card-wise encoding can be given a view; v0-belief has the last move always.")
        self.layout: Layout = (
            _cardwise_layout(self.variant, self.view) if encoding == "card-wise" else v0_belief_layout(self.variant)
        )
        private = _PRIVATE_SECTIONS[encoding] + (_PRIVATE_MEMORY if self.view.memory else ())
        self.public_columns = _public_columns(self.layout, private)

    @property
    def name(self) -> str:
        """The variant's name."""
        return self.variant.name

    @property
    def num_seats(self) -> int:
        """How many players."""
        return self.variant.players

    @property
    def num_moves(self) -> int:
        """HLE's moves."""
        return self.variant.num_moves

    @property
    def max_turns(self) -> int:
        """As long as tokens and cards allow."""
        return self.variant.max_turns

    @property
    def observation_size(self) -> int:
        """Features of the encoding."""
        return self.layout.size

    def deal(self, size: int, seed: int, first_game: int = 0) -> AnyArray:
        """Begin games."""
        states = HanabiBatch(self.variant, size, seed=seed, first_game=first_game).states
        return join(states, new_memories(states)) if self.carries_memory else states

    def restart_finished(self, states: AnyArray) -> BoolArray:
        """Deal finished games anew in place."""
        restarted = np.empty(len(states), np.bool_)
        games, memories = self._parts(states)
        kernels.restart_finished(games, self.variant.parameters, restarted)
        if memories is not None:
            forget(memories, restarted)
            join(games, memories, out=states)
        return restarted

    def acting_seats(self, states: AnyArray) -> IntArray:
        """Whose turn it is."""
        seats: IntArray = states["acting_seat"].astype(np.int64)
        return seats

    def is_over(self, states: AnyArray) -> BoolArray:
        """Which games have ended."""
        over: BoolArray = states["is_over"].copy()
        return over

    def legal_moves(self, states: AnyArray) -> BoolArray:
        """What the acting seats may do."""
        legal = np.empty((len(states), self.num_moves), np.bool_)
        kernels.legal_moves(self._parts(states)[0], self.variant.parameters, legal)
        return legal

    def exploration_weights(self, states: AnyArray, legal: BoolArray) -> FloatArray:
        """Every legal move alike, but few plays on the last life."""
        weights = legal.astype(np.float32)
        plays = slice(self.variant.first_play, self.variant.first_play + self.variant.hand_size)
        weights[states["lives"] == 1, plays] *= RECKLESS_WEIGHT
        return weights

    def step(self, states: AnyArray, moves: IntArray) -> FloatArray:
        """Make moves in place, unchecked."""
        rewards = np.empty(len(states), np.float32)
        games, memories = self._parts(states)
        if memories is None:
            kernels.step(games, self.variant.parameters, moves, rewards)
        else:
            step_and_remember(games, memories, self.variant.parameters, moves, rewards)
            join(games, memories, out=states)
        return rewards

    def observe(self, states: AnyArray, seats: IntArray | None = None) -> FloatArray:
        """What seats see; by default the acting ones."""
        rows = np.empty((len(states), self.layout.size), np.float32)
        seats = self.acting_seats(states) if seats is None else seats
        games, memories = self._parts(states)
        if memories is not None and self.view.memory:
            remembered(games, memories, self.variant.parameters, seats, cardwise_layout(self.variant).size, rows)
        elif self.encoding == "card-wise":
            said = self.num_moves if self.view.announced else 0
            seen = rows[:, : rows.shape[1] - said] if said else rows
            cardwise(games, self.variant.parameters, seats, self.view.last_move, seen)
            if said:
                announced(games, self.variant.parameters, rows[:, -said:])
        else:
            v0_belief(games, self.variant.parameters, seats, 1, False, rows)
        return rows

    def redeal(self, states: AnyArray, streams: AnyArray, seats: IntArray | None = None) -> AnyArray:
        """Draw the seats' hands anew from the belief, shuffle the rest of the deck, keep the (public) memory."""
        seats = self.acting_seats(states) if seats is None else seats
        games, memories = self._parts(states)
        copies = np.empty((len(states), 1), HANABI_STATE)
        if self.belief is None:
            imagine(games, self.variant.parameters, seats, streams, copies)
        else:
            hands = self.belief.sample_hands(states, seats, streams)
            impossible = put_hands(games, self.variant.parameters, seats, hands, streams, copies[:, 0])
            if impossible >= 0:
                raise UserError(f"The belief gave seat {seats[impossible]} of game {impossible} an impossible hand.")
        return copies[:, 0] if memories is None else join(copies[:, 0], memories)

    def relabel(self, states: AnyArray, moves: IntArray, stream: AnyArray) -> tuple[AnyArray, IntArray]:
        """Shuffle the colours of every game."""
        permutations = draw_permutations(stream, len(states), self.variant)
        return self.rename(states, permutations), self.rename_moves(moves, permutations)

    def rename(self, states: AnyArray, permutations: IntArray) -> AnyArray:
        """Copy games with their colours renamed; permutations [B, C] give each colour's new name."""
        if self.carries_memory:
            return permute_remembered(states, self.variant, permutations)
        return permute_states(states, self.variant, permutations)

    def rename_moves(self, moves: IntArray, permutations: IntArray) -> IntArray:
        """The same moves [B] in renamed games."""
        return permute_moves(moves, self.variant, permutations)

    def announce(self, states: AnyArray, moves: IntArray) -> None:
        """Let everybody know what the last actor would have done without exploring; fresh games have none."""
        states["announced"] = np.where(states["turn"] > 0, moves + 1, 0)

    def _parts(self, states: AnyArray) -> tuple[AnyArray, AnyArray | None]:
        """The games, and their memories if they have any; copies in that case."""
        return split(states) if self.carries_memory else (states, None)


def _cardwise_layout(variant: HanabiVariant, view: ViewSettings) -> Layout:
    if view.memory:
        return remembered_layout(variant)
    if not view.announced:
        return cardwise_layout(variant, last_move=view.last_move)
    builder = LayoutBuilder("card-wise with announced move", variant)
    lay_cardwise(builder)
    if view.last_move:
        lay_last_move(builder, "last")
    lay_announced(builder)
    return builder.build()


def _public_columns(layout: Layout, private: tuple[str, ...]) -> IntArray:
    marked = np.zeros(layout.size, np.float32)
    named = layout.view(marked)
    for name in private:
        named[name][...] = 1.0
    return np.flatnonzero(marked == 0.0)
