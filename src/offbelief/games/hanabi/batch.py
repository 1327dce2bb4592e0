"""HanabiBatch: many games of Hanabi at once, the friendly face of `kernels`.

It checks what it is given, owns the array of games, and calls the compiled loops. Observations are in `views`.
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from offbelief.games.hanabi import kernels, knowledge
from offbelief.games.hanabi.moves import why_illegal
from offbelief.games.hanabi.state import HANABI_STATE, NO_CARD, copy_states, overwrite_states
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import AnyArray, BoolArray, FloatArray, IntArray, UserError
from offbelief.streams import new_stream
from offbelief.threads import share_games


class HanabiBatch:
    """A batch of games, stepped together.

    Games may end at different times: a game that is over has no legal moves, takes only NO_MOVE, and waits for
    `restart_finished`. Game i depends on the seed, on ``first_game + i`` and on its moves, and on nothing else.

    Args:
        variant: The rules, or their name (see `HanabiVariant.parse`).
        size: Number of games B.
        seed: Any whole number; the same seed gives the same deals.
        first_game: Number of the first game, so that ``HanabiBatch(variant, 10, seed=s, first_game=30)`` holds games
            30 to 39 of the larger batch with that seed.
        threads: Threads that share the games; it changes the speed and nothing else.
    """

    variant: HanabiVariant
    states: AnyArray
    """[B] the games, records of `HANABI_STATE`. Yours to read; write only what leaves a possible game."""

    def __init__(
        self, variant: HanabiVariant | str, size: int, *, seed: int = 0, first_game: int = 0, threads: int = 1
    ) -> None:
        if size < 0 or first_game < 0:
            raise UserError(f"A batch of {size} games from number {first_game} on cannot be; give numbers from 0.")
        self.variant = HanabiVariant.parse(variant) if isinstance(variant, str) else variant
        self.threads = _check_threads(threads)
        self.states = np.zeros(size, dtype=HANABI_STATE)
        self.deal(seed, first_game=first_game)

    @classmethod
    def from_decks(
        cls,
        variant: HanabiVariant | str,
        decks: npt.ArrayLike,
        *,
        start_seats: npt.ArrayLike | None = None,
        seed: int = 0,
        threads: int = 1,
    ) -> "HanabiBatch":
        """Begin games from given decks, for example those of recorded games.

        Args:
            variant: The rules, or their name.
            decks: [B, N] kinds in drawing order: the first ``hand_size`` cards go to seat 0, the next to seat 1, and so
                on. A deck may be known only in part: it may be shorter than the whole deck, or end in NO_CARD, and the
                missing cards then follow in order of kind.
            start_seats: [B] first seat to act, or None for seat 0.
            seed: Deals the games that follow a restart.
            threads: As for the class.
        """
        given = np.asarray(decks)
        if given.ndim != 2 or (given.size > 0 and given.dtype.kind not in "iu"):
            raise UserError(f"decks must be whole numbers of shape [games, cards], not {given.dtype} {given.shape}.")
        batch = cls(variant, len(given), seed=seed, threads=threads)
        for index, deck in enumerate(given.astype(np.int64)):
            batch.states["deck"][index, : batch.variant.deck_size] = _whole_deck(batch.variant, deck, index)
        batch.states["start_seat"] = 0 if start_seats is None else batch._check_seats(start_seats)
        kernels.open_games(batch.states, batch.variant.parameters)
        return batch

    @classmethod
    def from_states(cls, variant: HanabiVariant | str, states: AnyArray, *, threads: int = 1) -> "HanabiBatch":
        """Continue games from saved states [B], which are copied."""
        batch = cls(variant, len(states), threads=threads)
        batch.restore(states)
        return batch

    def __len__(self) -> int:
        return len(self.states)

    # ------------------------------------------------------------------------------------------------ start and end

    def deal(self, seed: int, *, first_game: int = 0) -> None:
        """Begin every game anew from a seed, as if the batch had just been made with it."""
        self.states.view(np.uint8)[:] = 0
        self.states["deck"] = NO_CARD
        streams = np.empty(len(self), dtype=np.uint64)
        kernels.draw_streams(new_stream(seed), first_game, streams)
        self.states["stream"][:, 0] = streams
        kernels.deal(self.states, self.variant.parameters)

    def restart_finished(self) -> BoolArray:
        """Begin a new game wherever one is over.

        Returns:
            [B] which games were begun anew.
        """
        restarted = np.empty(len(self), dtype=np.bool_)
        kernels.restart_finished(self.states, self.variant.parameters, restarted)
        return restarted

    # -------------------------------------------------------------------------------------------------------- playing

    def legal_moves(self) -> BoolArray:
        """Which moves the acting seats may make: [B, A]; none in a game that is over."""
        legal = np.empty((len(self), self.variant.num_moves), dtype=np.bool_)
        states, parameters = self.states, self.variant.parameters
        share_games(len(self), self.threads, lambda part: kernels.legal_moves(states[part], parameters, legal[part]))
        return legal

    def legal_bits(self) -> IntArray:
        """The same as `legal_moves`, one int64 a game: [B], bit m for move m."""
        bits = np.empty(len(self), dtype=np.int64)
        kernels.legal_bits(self.states, self.variant.parameters, bits)
        return bits

    def step(self, moves: npt.ArrayLike) -> FloatArray:
        """Make one move in every game.

        Args:
            moves: [B] move ids; NO_MOVE (-1) for games that are over.

        Returns:
            [B] float32 rewards: the change of each game's score. At the last strike it is minus the points so far,
            unless the variant scores the cards played.

        Raises:
            UserError: if a move is illegal; it names the first such game and the reason, and no game has changed.
        """
        checked = np.asarray(moves)
        if checked.shape != (len(self),) or (len(self) > 0 and checked.dtype.kind not in "iu"):
            raise UserError(
                f"moves must be {len(self)} whole numbers, one a game, not {checked.dtype} of shape {checked.shape}."
            )
        checked = np.ascontiguousarray(checked, dtype=np.int64)
        index = kernels.first_illegal(self.states, self.variant.parameters, checked)
        if index >= 0:
            reason = why_illegal(self.variant, self.states[index], int(checked[index]))
            raise UserError(f"Game {index}, turn {self.states['turn'][index] + 1}: {reason}. No game has been changed.")
        return self.step_trusted(checked)

    def step_trusted(self, moves: IntArray) -> FloatArray:
        """As `step`, without checks: ``moves`` must be a contiguous [B] int64 array of legal moves.

        An illegal move corrupts its game. Games that are over stay as they are, whatever their move.
        """
        rewards = np.empty(len(self), dtype=np.float32)
        states, parameters = self.states, self.variant.parameters
        share_games(
            len(self), self.threads, lambda part: kernels.step(states[part], parameters, moves[part], rewards[part])
        )
        return rewards

    # ------------------------------------------------------------------------------------------------ copies of games

    def save(self) -> AnyArray:
        """Copy the games: [B] states for `restore`, `from_states` or ``numpy.save``."""
        return copy_states(self.states)

    def restore(self, states: AnyArray) -> None:
        """Put the games back to saved states [B]."""
        if states.dtype != HANABI_STATE or states.shape != (len(self),):
            raise UserError(
                f"This batch restores {len(self)} records of HANABI_STATE, not shape {states.shape} of another kind; "
                "give what `save` returned."
            )
        overwrite_states(self.states, np.ascontiguousarray(states))

    def copy(self) -> "HanabiBatch":
        """An independent batch with the same games."""
        return HanabiBatch.from_states(self.variant, self.states, threads=self.threads)

    # ------------------------------------------------------------------------------------------------------ knowledge

    def possible_kinds(self, seats: npt.ArrayLike) -> BoolArray:
        """What hints, positive and negative, leave possible for the cards of one seat per game.

        Args:
            seats: [B] or a single seat: whose cards.

        Returns:
            [B, H, K]; all False for an empty slot. Counts of visible cards are not considered.
        """
        possible = np.empty((len(self), self.variant.hand_size, self.variant.card_kinds), dtype=np.bool_)
        knowledge.possible_kinds(self.states, self.variant.parameters, self._check_seats(seats), possible)
        return possible

    def public_counts(self) -> IntArray:
        """Cards by kind that have not left the game for all to see: in the deck or in any hand. [B, K] uint8."""
        counts = np.empty((len(self), self.variant.card_kinds), dtype=np.uint8)
        knowledge.public_counts(self.states, self.variant.parameters, counts)
        return counts

    def private_counts(self, seats: npt.ArrayLike) -> IntArray:
        """Cards by kind that a seat has not seen: in the deck or in its own hand.

        Args:
            seats: [B] or a single seat: who looks.

        Returns:
            [B, K] uint8.
        """
        counts = np.empty((len(self), self.variant.card_kinds), dtype=np.uint8)
        knowledge.private_counts(self.states, self.variant.parameters, self._check_seats(seats), counts)
        return counts

    @property
    def acting_seats(self) -> IntArray:
        """[B] int64 seat to move in each game, as other methods take it."""
        return self.states["acting_seat"].astype(np.int64)

    @property
    def is_over(self) -> BoolArray:
        """[B] whether each game has ended. A view into `states`."""
        return self._field("is_over")

    @property
    def scores(self) -> IntArray:
        """[B] points so far. A view into `states`."""
        return self._field("score")

    def _field(self, name: Literal["is_over", "score"]) -> AnyArray:
        field: AnyArray = self.states[name]
        return field

    def _check_seats(self, seats: npt.ArrayLike) -> IntArray:
        checked = np.asarray(seats)
        if checked.dtype.kind not in "iu" or checked.shape not in ((), (len(self),)):
            raise UserError(f"seats must be one whole number, or {len(self)} of them, one a game.")
        if np.any(checked < 0) or np.any(checked >= self.variant.players):
            raise UserError(f"seats must be from 0 to {self.variant.players - 1} in {self.variant.name}.")
        return np.ascontiguousarray(np.broadcast_to(checked, (len(self),)), dtype=np.int64)


class RandomPlay:
    """Uniformly random play of a batch with restarts, in one compiled loop: a benchmark and a source of games.

    Args:
        batch: The games, played in place.
        seed: Chooses the moves. The deals come from the batch's own seed.
    """

    def __init__(self, batch: HanabiBatch, *, seed: int = 0) -> None:
        self.batch = batch
        size = len(batch)
        self._move_streams = np.empty(size, dtype=np.uint64)
        # A path of its own, so that moves are unrelated to deals even when both seeds are the same number.
        kernels.draw_streams(new_stream(seed, 1), 0, self._move_streams)
        self.legal = np.empty((size, batch.variant.num_moves), dtype=np.bool_)
        """[B, A] what was legal before the last turn."""
        self.moves = np.empty(size, dtype=np.int64)
        """[B] the moves of the last turn."""
        self.rewards = np.empty(size, dtype=np.float32)
        """[B] their rewards."""
        self.ended = np.empty(size, dtype=np.bool_)
        """[B] whether they ended their games, which have begun anew since."""

    def play(self, turns: int = 1) -> None:
        """Play some turns of every game and restart those that end at once; no game may be over before.

        Threads need wide calls to pay, since waking one costs as much as a thousand turns: give them many turns at a
        time, or many thousands of games.
        """
        batch = self.batch

        def play_part(part: slice) -> None:
            kernels.random_turns(
                batch.states[part],
                batch.variant.parameters,
                self._move_streams[part],
                turns,
                self.legal[part],
                self.moves[part],
                self.rewards[part],
                self.ended[part],
            )

        share_games(len(batch), batch.threads, play_part)


def _check_threads(threads: int) -> int:
    """Refuse a number of threads below one."""
    if isinstance(threads, bool) or threads < 1:
        raise UserError(f"threads is {threads!r}; give a whole number from 1.")
    return threads


def _whole_deck(variant: HanabiVariant, deck: IntArray, index: int) -> IntArray:
    """Check one given deck and add the cards it leaves out, in order of kind."""
    known = deck[: len(deck) - int(np.argmax(np.append(deck[::-1] != NO_CARD, True)))]  # cut the NO_CARD at the end
    if len(known) > variant.deck_size or np.any((known < 0) | (known >= variant.card_kinds)):
        raise UserError(
            f"The deck of game {index} does not fit {variant.name}, which has {variant.deck_size} cards of kinds "
            f"0 to {variant.card_kinds - 1}; check the variant, and that kind = colour * {variant.ranks} + rank."
        )
    missing = np.array(variant.copies_by_kind) - np.bincount(known, minlength=variant.card_kinds)
    if np.any(missing < 0):
        kind = int(np.argmin(missing))
        raise UserError(
            f"The deck of game {index} holds card kind {kind} {variant.copies_by_kind[kind] - missing[kind]} times but "
            f"{variant.name} has it {variant.copies_by_kind[kind]} times; correct the deck or the variant."
        )
    return np.concatenate([known, np.repeat(np.arange(variant.card_kinds), missing)])
