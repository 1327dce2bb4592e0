"""What moves come to mean: how agents answer each other, and what a hint says about the cards it touches.

Everything is counted over whole games of one agent with itself that are kept turn by turn (`keep_games`). The paper
looks at agents this way in Fig. 4 and its appendix on learned agents; how much players knew of the cards they played is
counted by `match.py`, where two agents part is found by `partings.py`, and pictures are drawn by `convention_plots.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from offbelief.evaluation.match import Agent, play_turns
from offbelief.games.batched import NO_MOVE
from offbelief.games.hanabi.moves import read_move
from offbelief.games.hanabi.state import HINTED_COLOUR, HINTED_RANK, NO_CARD
from offbelief.games.hanabi.text import label_move
from offbelief.games.hanabi.variant import OFFSET_BY_MOVE, TYPE_BY_MOVE, HanabiVariant
from offbelief.nouns import AnyArray, BoolArray, FloatArray, IntArray, UserError

HINTS = {"colour": HINTED_COLOUR, "rank": HINTED_RANK}
"""The two kinds of hints."""

CARDS = ("touched", "new", "newest", "oldest", "untouched")
"""Which cards of the hinted hand: those that the hint touched; of these, those that no hint had touched before, and the
newest and the oldest where it touched several; and those that it passed over, for comparison."""

SOON = 2
"""A touched card is played soon if its owner plays it within so many of its own turns."""


@dataclass(frozen=True, eq=False)
class KeptGames:
    """Games of one agent with itself, from the deal to the end."""

    variant: HanabiVariant
    states: AnyArray
    """[T + 1, B] every game before each turn, and after the last; a game that is over stays as it is"""
    moves: IntArray
    """[T, B] the moves, NO_MOVE where a game is over"""

    def length(self, game: int) -> int:
        """How many moves a game had."""
        return int((self.moves[:, game] != NO_MOVE).sum())


def keep_games(agent: Agent, variant: HanabiVariant, games: int, seed: int) -> KeptGames:
    """Let an agent play with itself and keep everything: about 20 kilobytes a game.

    Args:
        agent: Who sits at every seat.
        variant: The rules.
        games: How many.
        seed: Of the deals, as in `match.play_turns`.
    """
    turns = list(play_turns([agent] * variant.players, variant, games, seed))
    states = np.stack([turns[0][0], *(after for _, _, after in turns)])
    return KeptGames(variant, states, np.stack([moves for _, moves, _ in turns]))


# ---------------------------------------------------------------------------------------------------------------------
# What follows what
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class NextMoves:
    """How often each move is answered by each other."""

    variant: HanabiVariant
    counts: IntArray
    """[A, A] row: a move; column: the move that came next, by the next seat"""

    @property
    def shares(self) -> FloatArray:
        """[A, A] the same as shares of each row; 0 in the rows of moves that were never made."""
        return np.asarray(self.counts / np.maximum(1, self.counts.sum(1, keepdims=True)))

    @property
    def information(self) -> float:
        """Mutual information of a move and the next, in nats: how much the one says about the other on average."""
        joint = self.counts / max(1, self.counts.sum())
        alone = joint.sum(1, keepdims=True) * joint.sum(0, keepdims=True)
        seen = joint > 0
        return float((joint[seen] * np.log(joint[seen] / alone[seen])).sum())


@dataclass(frozen=True)
class Change:
    """An answer that became more or less usual from one agent to another."""

    move: str
    """What was done, such as "hint 1s"."""
    answer: str
    """What came next."""
    before: float
    """Share of such moves that one agent answered so."""
    after: float
    """The same for the other agent."""


def next_moves(games: KeptGames) -> NextMoves:
    """Count pairs of consecutive moves (the public code's action matrix, see docs/results/ladder.md).

    Differs from the public code: seats take turns in order here, so no moves need to be left out.
    """
    first, second = games.moves[:-1], games.moves[1:]
    both = second != NO_MOVE  # then the first was a move too
    size = games.variant.num_moves
    counts = np.bincount(first[both] * size + second[both], minlength=size * size)
    return NextMoves(games.variant, counts.reshape(size, size))


def largest_changes(before: NextMoves, after: NextMoves, most: int = 5, rarest: int = 50) -> list[Change]:
    """List the answers whose share changed most between two agents.

    Args:
        before: Of one agent.
        after: Of the other, at the same game.
        most: How many.
        rarest: Moves that either made less often are left out, since their shares are noise.
    """
    if before.variant != after.variant:
        raise UserError("Only agents of the same game can be compared; count both in one variant.")
    usual = np.minimum(before.counts.sum(1), after.counts.sum(1)) >= rarest
    change = np.where(usual[:, None], after.shares - before.shares, 0.0)
    order = np.argsort(-np.abs(change), axis=None, kind="stable")[:most]
    found = []
    for move, answer in zip(*np.unravel_index(order, change.shape), strict=True):
        if change[move, answer] != 0.0:
            made, answered = (label_move(before.variant, int(which), 0) for which in (move, answer))
            shares = (float(found_by.shares[move, answer]) for found_by in (before, after))
            found.append(Change(made, answered, *shares))
    return found


def moves_per_game(games: KeptGames) -> dict[str, float]:
    """How many plays, discards, colour hints and rank hints a game has on average."""
    size = games.variant.num_moves
    counts = np.bincount(games.moves[games.moves != NO_MOVE], minlength=size) / games.moves.shape[1]
    totals = dict.fromkeys(("play", "discard", "colour", "rank"), 0.0)
    for move in range(size):
        totals[read_move(games.variant, move).type] += float(counts[move])
    return totals


# ---------------------------------------------------------------------------------------------------------------------
# What hints say
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HintMeaning:
    """What became of some cards of hinted hands."""

    cards: int
    """How many there were."""
    playable: float
    """Share that would have scored if played when the hint was given; nan if there were none."""
    played: float
    """Share that their owner played within its next SOON turns (the game may end before); nan if there were none."""

    def as_json(self) -> dict[str, Any]:
        """The same as plain numbers, null for unknown ones."""
        if self.cards == 0:
            return {"cards": 0, "playable": None, "played": None}
        return {"cards": self.cards, "playable": self.playable, "played": self.played}


def hint_meanings(games: KeptGames) -> dict[str, dict[str, HintMeaning]]:
    """Say what hints told about cards: by kind of hint (HINTS), then by which cards (CARDS).

    Cards that the same hints passed over give the rate to compare with: a hint that means "play this" touches playable
    cards far more often than it leaves them out.
    """
    counts = {hint: {cards: np.zeros(3, np.int64) for cards in CARDS} for hint in HINTS}
    for seen in _hints_of(games):
        for cards, among in _which_cards(seen).items():
            for hint, kind in HINTS.items():
                chosen = among & (seen.types == kind)[:, None]
                counts[hint][cards] += (chosen.sum(), (chosen & seen.playable).sum(), (chosen & seen.played).sum())
    return {
        hint: {cards: _meaning(*found.tolist()) for cards, found in by_cards.items()}
        for hint, by_cards in counts.items()
    }


@dataclass(frozen=True, eq=False)
class _Hints:
    """The hints of one turn: M of them, with the hands [M, H] that they were given to."""

    types: IntArray
    held: BoolArray
    touched: BoolArray
    told: BoolArray
    playable: BoolArray
    played: BoolArray


def _hints_of(games: KeptGames) -> Iterator[_Hints]:
    variant, parameters = games.variant, games.variant.parameters
    slots = np.arange(variant.hand_size)
    for turn, moves in enumerate(games.moves):
        types = np.where(moves == NO_MOVE, -1, parameters[TYPE_BY_MOVE + np.maximum(moves, 0)])
        given = np.flatnonzero((types == HINTED_COLOUR) | (types == HINTED_RANK))
        if not len(given):
            continue
        before, after = games.states[turn][given], games.states[turn + 1][given]
        offsets = parameters[OFFSET_BY_MOVE + moves[given]]
        hinted = after["last_target"].astype(np.int64)
        of_target = (np.arange(len(given))[:, None], hinted[:, None], slots)
        kinds = after["hands"][of_target].astype(np.int64)
        held = kinds != NO_CARD
        kinds = np.where(held, kinds, 0)
        heights = np.take_along_axis(after["fireworks"], kinds // variant.ranks, axis=1)
        yield _Hints(
            types=types[given],
            held=held,
            touched=((after["last_touched"][:, None] >> slots) & 1).astype(np.bool_),
            told=(before["colour_told"][of_target] | before["rank_told"][of_target]).astype(np.bool_),
            playable=held & (heights == kinds % variant.ranks),
            played=_played_soon(games, turn + offsets, given, hinted, after["deal_indices"][of_target]) & held,
        )


def _played_soon(
    games: KeptGames, first_turns: IntArray, given: IntArray, hinted: IntArray, deals: IntArray
) -> BoolArray:
    """[M, H] whether cards were played by the hinted seats [M] at their first turns [M] after the hint or soon after.

    A card is known by its place in the deck, which stays when others leave the hand and it moves up.
    """
    variant, (turns, _) = games.variant, games.moves.shape
    played = np.zeros(deals.shape, np.bool_)
    for round_ in range(SOON):
        # Past the last turn, that one is looked at again: not the hinted seat's, or one of its first turns already.
        when = np.minimum(first_turns + round_ * variant.players, turns - 1)
        states = games.states[when, given]
        slots = games.moves[when, given] - variant.first_play
        plays = (slots >= 0) & (slots < variant.hand_size) & (states["acting_seat"] == hinted)
        places = states["deal_indices"][np.arange(len(given)), hinted, np.where(plays, slots, 0)]
        played |= plays[:, None] & (deals == places[:, None])
    return played


def _which_cards(seen: _Hints) -> dict[str, BoolArray]:
    """[M, H] for each of CARDS."""
    touched = seen.touched & seen.held
    several = touched.sum(1, keepdims=True) > 1
    size = touched.shape[1]
    newest = np.arange(size) == size - 1 - np.argmax(touched[:, ::-1], axis=1)[:, None]
    oldest = np.arange(size) == np.argmax(touched, axis=1)[:, None]
    return {
        "touched": touched,
        "new": touched & ~seen.told,
        "newest": touched & several & newest,
        "oldest": touched & several & oldest,
        "untouched": seen.held & ~seen.touched,
    }


def _meaning(cards: int, playable: int, played: int) -> HintMeaning:
    return HintMeaning(cards, *((playable / cards, played / cards) if cards else (float("nan"), float("nan"))))
