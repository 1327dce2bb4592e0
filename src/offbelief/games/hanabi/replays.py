"""Replaying records: play every recorded move by the rules, and say at which turn a game breaks them.

Games of the same variant are stepped together. Step vectors, which hold much more than moves, are compared by
`vectors`.
"""

import dataclasses
from collections.abc import Sequence

import numpy as np

from offbelief.games.hanabi import kernels
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.moves import END_REASONS, why_illegal
from offbelief.games.hanabi.records import GameRecord
from offbelief.games.hanabi.state import OUT_OF_LIVES
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import AnyArray


@dataclasses.dataclass(frozen=True, kw_only=True)
class Replay:
    """What came of replaying one record."""

    id: str | int
    """What the game is called in its file."""
    score: int | None
    """Points after the last move that could be made; None if the deck is wrong, so that nothing could be played."""
    turns: int
    """Moves that could be made."""
    error: str | None
    """Why the record does not hold; an illegal move is named by its turn, counted from 1. None if it holds."""

    @property
    def ok(self) -> bool:
        """Whether every move was legal and the score is the recorded one."""
        return self.error is None


def replay(records: Sequence[GameRecord]) -> list[Replay]:
    """Replay recorded games.

    A record that stops before the end of its game is fine; a move after the end is not.

    Returns:
        One result per record, in the same order. Nothing is raised for a record that breaks the rules.
    """
    results: dict[int, Replay] = {}
    by_variant: dict[HanabiVariant, list[int]] = {}
    for index, record in enumerate(records):
        problem = record.deck_problem()
        if problem is not None:
            results[index] = Replay(id=record.id, score=None, turns=0, error=problem)
        else:
            by_variant.setdefault(record.variant, []).append(index)
    for variant, indices in by_variant.items():
        outcomes = _replay_together(variant, [records[index] for index in indices])
        results.update(zip(indices, outcomes, strict=True))
    return [results[index] for index in range(len(records))]


def move_problem(variant: HanabiVariant, game: np.void, move: int) -> str | None:
    """Say why a recorded move cannot be the next one of a game, naming its turn, or return None if it can."""
    reason = why_illegal(variant, game, move)
    return None if reason is None else _at_turn(game, reason)


def _at_turn(game: np.void, reason: str) -> str:
    """Name the turn of a move that cannot be made; a game that is over is reason enough."""
    if game["is_over"]:
        reason = f"the game was over before it, because {END_REASONS[int(game['end_reason'])]}"
    return f"turn {int(game['turn']) + 1}: {reason}"


def _score_problem(record: GameRecord, game: np.void) -> str | None:
    """Say that the score is not the recorded one, or return None if it is or none was recorded."""
    scores = {int(game["score"])}
    if not record.is_score_exact and game["end_reason"] == OUT_OF_LIVES:
        scores.add(int(game["fireworks"].sum()))
    if record.score is None or record.score in scores:
        return None
    return f"the game replays to a score of {game['score']}, the record says {record.score}"


def _replay_together(variant: HanabiVariant, records: list[GameRecord]) -> list[Replay]:
    """Replay records of one variant, whose decks are sound, turn by turn."""
    batch = HanabiBatch.from_decks(
        variant, [record.deck for record in records], start_seats=[record.start_seat for record in records]
    )
    states = batch.states
    errors: dict[int, str] = {}
    playing = np.arange(len(records))
    for turn in range(max((len(record.moves) for record in records), default=0)):
        # Who has a move left and has not gone wrong; the others keep their last state.
        playing = np.array([game for game in playing if len(records[game].moves) > turn], dtype=np.int64)
        for game in _illegal_moves(variant, states, playing, records, turn):
            problem = move_problem(variant, states[game], records[game].moves[turn])
            assert problem is not None  # the kernel and `why_illegal` agree
            errors[game] = problem
        playing = np.array([game for game in playing if game not in errors], dtype=np.int64)
        moves = np.array([records[game].moves[turn] for game in playing], dtype=np.int64)
        stepped = states[playing]
        kernels.step(stepped, variant.parameters, moves, np.empty(len(playing), dtype=np.float32))
        states[playing] = stepped
    return [_outcome(record, states[game], errors.get(game)) for game, record in enumerate(records)]


def _illegal_moves(
    variant: HanabiVariant, states: AnyArray, playing: AnyArray, records: list[GameRecord], turn: int
) -> list[int]:
    """List the games among ``playing`` whose move of this turn is illegal."""
    bits = np.empty(len(playing), dtype=np.int64)
    kernels.legal_bits(states[playing], variant.parameters, bits)
    illegal = []
    for game, legal in zip(playing.tolist(), bits.tolist(), strict=True):
        move = records[game].moves[turn]
        if not 0 <= move < variant.num_moves or not (legal >> move) & 1:
            illegal.append(game)
    return illegal


def _outcome(record: GameRecord, game: np.void, error: str | None) -> Replay:
    """Sum up a game that was played as far as it goes."""
    if error is None and record.unreadable_move is not None:
        error = _at_turn(game, record.unreadable_move)
    if error is None:
        error = _score_problem(record, game)
    return Replay(id=record.id, score=int(game["score"]), turns=int(game["turn"]), error=error)
