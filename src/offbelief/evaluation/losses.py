"""Where the points go: what a discard or a misplayed card put out of reach, what time ran out for, what strikes cost.

At any moment of a game some score can still be reached. A discard or a failed play of the last card of its kind lowers
it, and what is within reach at the end but not scored was lost to time; so every missing point has one cause. And since
most are lost by discards, `expect_of_discards` asks what a player believed of the cards that it threw away.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from offbelief.beliefs.counting import sample_hands
from offbelief.beliefs.hand_model import LearnedBelief
from offbelief.evaluation.conventions import KeptGames
from offbelief.games.batched import NO_MOVE, make_streams
from offbelief.games.hanabi.memory import new_memories
from offbelief.games.hanabi.remembered import join, split
from offbelief.games.hanabi.variant import DISCARDED, PLAYED, TYPE_BY_MOVE, HanabiVariant
from offbelief.nouns import AnyArray, BoolArray, FloatArray, IntArray

_LEARNED, _COUNTED = 51, 52  # purposes of random streams


def reachable(states: AnyArray, variant: HanabiVariant) -> tuple[IntArray, BoolArray]:
    """How many points games [B] can still reach [B], and which kinds are critical: needed, and the last of their kind.

    The same as `card_standing` says of one game.
    """
    ranks = np.arange(variant.ranks)
    heights = states["fireworks"][..., : variant.colours, np.newaxis].astype(np.int64)
    left = np.array(variant.copies_by_kind) - states["discards"][..., : variant.card_kinds]
    left = left.reshape(*left.shape[:-1], variant.colours, variant.ranks)
    lost = (left == 0) & (ranks >= heights)
    tops = np.where(lost.any(-1), lost.argmax(-1), variant.ranks)
    critical = (left == 1) & (ranks >= heights) & (ranks < tops[..., np.newaxis])
    return tops.sum(-1), critical.reshape(*critical.shape[:-2], -1)


@dataclass(frozen=True)
class Losses:
    """Points that a game misses on average, by their cause; with the score they add up to the full one."""

    discards: float
    """Put out of reach by discards."""
    misplays: float
    """Put out of reach by cards that were played and did not fit."""
    time: float
    """Within reach when the game ended by its last card."""
    strikes: float
    """All that was scored or within reach in games that ended by the last life."""

    def as_json(self) -> dict[str, float]:
        """The same as plain numbers."""
        return {"discards": self.discards, "misplays": self.misplays, "time": self.time, "strikes": self.strikes}


def find_losses(games: KeptGames) -> Losses:
    """Say what the missing points of some games were lost to."""
    within_reach, _ = reachable(games.states, games.variant)  # [T + 1, B]
    put_out = within_reach[:-1] - within_reach[1:]
    types = games.variant.parameters[TYPE_BY_MOVE + np.maximum(games.moves, 0)]
    made = games.moves != NO_MOVE
    last, struck_out = games.states[-1], games.states[-1]["lives"] == 0
    at_end = within_reach[-1]
    unplayed = at_end - last["fireworks"][:, : games.variant.colours].sum(1)
    return Losses(
        discards=float((put_out * (made & (types == DISCARDED))).sum(0).mean()),
        misplays=float((put_out * (made & (types == PLAYED))).sum(0).mean()),
        time=float(np.where(struck_out, 0, unplayed).mean()),
        strikes=float(np.where(struck_out, at_end, 0).mean()),
    )


def expect_of_discards(
    games: KeptGames, belief: LearnedBelief, *, most_games: int = 200, samples: int = 32, seed: int = 0
) -> dict[str, Any]:
    """What a belief, and card counting, made of the cards that were discarded, beside what they were.

    Args:
        games: Of the agent that was trained with the belief.
        belief: What it reads moves by.
        most_games: Only so many of the games are looked at.
        samples: Hands drawn from either belief at every discard.
        seed: Of the hands.

    Returns:
        The number of ``discards`` and the probability that the discarded card was critical: ``learned`` and
        ``counted``, on average over discards, and how often it ``was``.
    """
    variant, game = games.variant, belief.game
    kept = slice(0, most_games)
    states = join(games.states[0, kept].copy(), new_memories(games.states[0, kept].copy()))
    found: list[FloatArray] = []
    for turn, moves in enumerate(games.moves[:, kept]):
        throwing = np.flatnonzero((moves != NO_MOVE) & (variant.parameters[TYPE_BY_MOVE + moves] == DISCARDED))
        if len(throwing):
            found.append(_look_at_discards(states[throwing], moves[throwing], belief, samples, seed + turn))
        game.step(states, moves)
    means = np.concatenate(found).mean(0) if found else np.full(3, np.nan)
    shares = dict(zip(("learned", "counted", "was"), means.tolist(), strict=True))
    return {"discards": sum(map(len, found)), **shares}


def _look_at_discards(states: AnyArray, slots: IntArray, belief: LearnedBelief, samples: int, seed: int) -> FloatArray:
    """Probability [B, 3] that the cards in slots [B] of the acting seats are critical: learned, counted, true."""
    variant, seats = belief.game.variant, belief.game.acting_seats(states)
    many, whose = np.repeat(states, samples), np.repeat(seats, samples)
    hands = [
        belief.sample_hands(many, whose, make_streams(seed, _LEARNED, len(many))),
        sample_hands(split(many)[0], variant, whose, make_streams(seed, _COUNTED, len(many))),
        states["hands"][np.arange(len(states)), seats],
    ]
    games = np.arange(len(states))
    cards = [held.reshape(len(states), -1, held.shape[-1])[games, :, slots] for held in hands]  # [B, samples] or [B, 1]
    _, critical = reachable(states, variant)
    return np.stack([critical[games[:, np.newaxis], kinds].mean(1) for kinds in cards], axis=1)
