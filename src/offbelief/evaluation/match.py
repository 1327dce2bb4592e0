"""Seat any agents at Hanabi tables, play them on the same deals, keep every score.

An agent is anything with `act(states, variant, streams) -> moves`: scripted players, trained networks; those that
remember are shown every move (`agents/remembering.py`). With different agents every seat order is played, on the same
deals.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from offbelief.agents.remembering import Player, RememberingPlayer, Seated
from offbelief.games.batched import NO_MOVE, make_streams
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.knowledge import possible_kinds_one, private_counts_one
from offbelief.games.hanabi.state import OUT_OF_LIVES
from offbelief.games.hanabi.variant import CARD_KINDS, HAND_SIZE, RANKS, HanabiVariant
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, IntArray, UserError

_COINS = 11  # the purpose of the streams that agents flip coins with

KNOWLEDGE = ("none", "colour", "rank", "both")
"""What the acting seat knew of a card it played, from hints and from the cards it saw (paper, Fig. 4)."""


Agent: TypeAlias = Player | RememberingPlayer
"""Chooses for the seat whose turn it is, with or without a memory."""


@dataclass(frozen=True, eq=False)
class MatchResult:
    """The games of one team, or of all its seat orders."""

    scores: IntArray
    """[G] points of every game"""
    struck_out: IntArray
    """[G] bool, lost by the last strike"""
    known: IntArray
    """[4] cards played by what their player knew of them, in the order of KNOWLEDGE"""
    max_score: int

    @property
    def mean(self) -> float:
        """Mean score."""
        return float(self.scores.mean())

    @property
    def sem(self) -> float:
        """Its standard error."""
        return float(self.scores.std(ddof=1) / np.sqrt(len(self.scores))) if len(self.scores) > 1 else float("nan")

    def as_json(self) -> dict[str, object]:
        """The figures that `obl evaluate` reports."""
        shares = self.known / max(1, self.known.sum())
        return {
            "mean": self.mean,
            "sem": None if np.isnan(self.sem) else self.sem,
            "games": len(self.scores),
            "perfect": float((self.scores == self.max_score).mean()),
            "bomb": float(self.struck_out.mean()),
            "knowledge": {name: float(share) for name, share in zip(KNOWLEDGE, shares, strict=True)},
        }


def play_turns(
    team: Sequence[Agent], variant: HanabiVariant, games: int, seed: int
) -> Iterator[tuple[AnyArray, IntArray, AnyArray]]:
    """Play games with the i-th agent at seat i, turn by turn.

    Args:
        team: One agent per seat.
        variant: The rules.
        games: How many.
        seed: Game i has the deal of (seed, i), whoever plays.

    Yields:
        The states [B] before a turn, the moves [B], NO_MOVE where a game is over, and the states [B] after it. All are
        yours to keep.
    """
    if len(team) != variant.players:
        raise UserError(f"{variant.name} has {variant.players} seats, but {len(team)} agents were given.")
    if games < 1:
        raise UserError(f"{games} games cannot be played; ask for at least one.")
    batch = HanabiBatch(variant, games, seed=seed)
    streams = make_streams(seed, _COINS, games)
    seated = [Seated(agent, seat, batch.states, variant) for seat, agent in enumerate(team)]
    before = batch.save()
    while not batch.is_over.all():
        moves = np.full(games, NO_MOVE)
        for player in seated:
            mine = np.flatnonzero(~batch.is_over & (batch.acting_seats == player.seat))
            if len(mine):
                moves[mine] = player.act(batch.states, mine, streams)
        batch.step(moves)
        after = batch.save()
        for player in seated:
            player.watch(before, moves, after)
        yield before, moves, after
        before = after


def play_team(team: Sequence[Agent], variant: HanabiVariant, games: int, seed: int) -> MatchResult:
    """Play games with the i-th agent at seat i, on the deals of a seed, as `play_turns` does."""
    known = np.zeros(len(KNOWLEDGE), np.int64)
    for before, moves, after in play_turns(team, variant, games, seed):
        _count_knowledge(before, variant.parameters, moves, known)
        ended = after
    return MatchResult(ended["score"].astype(np.int64), ended["end_reason"] == OUT_OF_LIVES, known, variant.max_score)


def play_all_orders(team: Sequence[Agent], variant: HanabiVariant, games: int, seed: int) -> MatchResult:
    """Play every distinct seat order of a team on the same deals; `games` in total, shared evenly.

    Raises:
        UserError: the games cannot be shared evenly.
    """
    places = {id(agent): place for place, agent in reversed(list(enumerate(team)))}
    distinct = sorted(set(itertools.permutations([places[id(agent)] for agent in team])))
    if games < len(distinct):
        raise UserError(f"{games} games cannot be shared by {len(distinct)} seat orders; ask for more games.")
    share = games // len(distinct)
    results = [play_team([team[place] for place in order], variant, share, seed) for order in distinct]
    return MatchResult(
        np.concatenate([result.scores for result in results]),
        np.concatenate([result.struck_out for result in results]),
        np.sum([result.known for result in results], axis=0),
        variant.max_score,
    )


@kernel
def _count_knowledge(states: AnyArray, parameters: IntArray, moves: IntArray, known: IntArray) -> None:
    """Count the cards about to be played by what their player knows of them."""
    counts = np.empty(parameters[CARD_KINDS], np.int64)
    for index in range(len(states)):
        slot = moves[index] - parameters[HAND_SIZE]
        if 0 <= slot < parameters[HAND_SIZE]:
            game = states[index]
            seat = np.int64(game["acting_seat"])
            private_counts_one(game, parameters, seat, counts)
            possible = possible_kinds_one(game, parameters, seat, slot)
            colours, ranks = np.int64(0), np.int64(0)
            for kind in range(parameters[CARD_KINDS]):
                if (possible >> kind) & 1 and counts[kind] > 0:
                    colours |= np.int64(1) << (kind // parameters[RANKS])
                    ranks |= np.int64(1) << (kind % parameters[RANKS])
            colour_known = (colours & (colours - 1)) == 0
            rank_known = (ranks & (ranks - 1)) == 0
            known[colour_known + 2 * rank_known] += 1
