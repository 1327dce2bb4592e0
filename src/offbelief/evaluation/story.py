"""One game of Hanabi told move by move: what happened, how the table stood, and why the mover did it.

Told from the players' minds (`mind.py`); pictures of it are drawn by reports and interfaces.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offbelief.agents.loading import Agent
from offbelief.agents.remembering import Seated
from offbelief.evaluation.match import MatchResult
from offbelief.evaluation.mind import read_mind
from offbelief.evaluation.reminding import recall
from offbelief.games.batched import make_streams
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.moves import END_REASONS
from offbelief.games.hanabi.text import describe_last_move
from offbelief.games.hanabi.variant import HanabiVariant

NAMES = ("Alice", "Bob", "Carol", "Dave", "Eve")
"""What the seats are called."""

_COINS = 13  # the purpose of the streams that scripted players flip coins with here


@dataclass(frozen=True)
class ToldTurn:
    """One move and the table after it."""

    what: str
    """What happened, such as "Alice played R1 from slot 2: it scores"."""
    why: str
    """What spoke for it in the mover's eyes, in numbers."""
    fireworks: tuple[int, ...]
    """[colours] height of every stack"""
    hint_tokens: int
    lives: int
    score: int


@dataclass(frozen=True)
class Story:
    """A whole game."""

    deal: int
    """The game's number under its seed."""
    hands: tuple[tuple[int, ...], ...]
    """[players][hand size] kinds of the cards that were dealt first"""
    turns: tuple[ToldTurn, ...]
    score: int
    ending: str
    """How the game ended, in words."""


def tell_game(team: Sequence[Agent], variant: HanabiVariant, seed: int, deal: int) -> Story:
    """Play one game and tell it.

    Args:
        team: One agent per seat.
        variant: The rules.
        seed: Of the deals, as in `match.play_team`.
        deal: Which of them.
    """
    batch = HanabiBatch(variant, 1, seed=seed, first_game=deal)
    streams = make_streams(seed, _COINS, 1)
    hands = tuple(tuple(int(kind) for kind in hand[: variant.hand_size]) for hand in batch.states["hands"][0])
    seated = [Seated(agent, seat, batch.states, variant) for seat, agent in enumerate(team)]
    turns = []
    while not batch.is_over[0]:
        seat = int(batch.acting_seats[0])
        mind = read_mind(recall(seated[seat], team[seat]), batch.states, variant, streams, names=NAMES)
        before, moves = batch.states.copy(), np.array([mind.chosen])
        batch.step(moves)
        for one in seated:
            one.watch(before, moves, batch.states)
        game = batch.states[0]
        turns.append(
            ToldTurn(
                what=describe_last_move(game, variant, names=NAMES),
                why=mind.sentence,
                fireworks=tuple(int(height) for height in game["fireworks"][: variant.colours]),
                hint_tokens=int(game["hint_tokens"]),
                lives=int(game["lives"]),
                score=int(game["score"]),
            )
        )
    ending = END_REASONS[int(batch.states["end_reason"][0])]
    return Story(deal, hands[: variant.players], tuple(turns), int(batch.scores[0]), ending)


def typical_deal(result: MatchResult, deals: int) -> int:
    """The first deal that was worth the median score.

    Args:
        result: Games of a team; its first ones are those of the first seat order, deal by deal.
        deals: How many these are.
    """
    scores = result.scores[:deals]
    median = np.sort(scores)[(len(scores) - 1) // 2]
    return int(np.flatnonzero(scores == median)[0])
