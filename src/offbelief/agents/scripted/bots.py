"""The scripted players by name: each a list of rules of which the first that fires makes the move.

`scripted_policy("iggi")` finds one, `ScriptedPolicy.act` plays it for a batch of games. The rules themselves are in
`rules`, what a seat can deduce is in `facts`; docs/games/hanabi-bots.md says the same in words.

IGGI, Piers, Internal, Outer, Flawed and Van den Bergh are the players of Walton-Rivers et al. (2017), "Evaluating and
Modelling Hanabi-Playing Agents"; Internal and Outer go back to Osawa (2015), Van den Bergh to van den Bergh et al.
(2016). Sources differ in the wording of the rules; ours is on that page.
"""

import dataclasses
from typing import NamedTuple

import numpy as np

from offbelief.agents.scripted.facts import SEAT_FACTS, look_one
from offbelief.agents.scripted.rules import (
    DISCARD_MOST_LIKELY_USELESS,
    DISCARD_OLDEST,
    DISCARD_OSAWA,
    DISCARD_RANDOM,
    DISCARD_SURELY_USELESS,
    MOVE_AT_RANDOM,
    PLAY_MOST_LIKELY,
    PLAY_SAFE,
    PLAY_TOLD,
    TELL_DISPENSABLE,
    TELL_MOST_NEW,
    TELL_PLAYABLE_TO_NEXT,
    TELL_RANDOM,
    TELL_RANDOM_TO_NEXT,
    TELL_UNKNOWN_TO_NEXT,
    TELL_USEFUL,
    TELL_USEFUL_TO_NEXT,
    apply_rule_one,
)
from offbelief.games.hanabi.kernels import NO_MOVE, Integer
from offbelief.games.hanabi.state import HANABI_STATE
from offbelief.games.hanabi.variant import DECK_SIZE, HanabiVariant
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, IntArray, UserError

# When a rule is tried.
ALWAYS = 0
LIVES_TO_SPARE = 1
"""One strike would not end the game."""
LAST_LIFE = 2
DECK_EMPTY_AND_LIVES_TO_SPARE = 3
FEW_HINT_TOKENS = 4
"""Fewer than four hint tokens are left."""


class Step(NamedTuple):
    """One line of a player's list."""

    rule: int
    """What is tried: a number from `rules`."""
    when: int = ALWAYS
    """Under which condition."""
    percent: int = 0
    """Least probability, for PLAY_MOST_LIKELY."""


_RULE, _WHEN, _PERCENT = 0, 1, 2  # columns of a list as an array

_LAST_RESORT = (Step(TELL_RANDOM), Step(DISCARD_RANDOM), Step(MOVE_AT_RANDOM))
"""Ends every list, for the rare turn on which its own rules have no legal move; a blind play comes last."""

RULE_LISTS: dict[str, tuple[Step, ...]] = {
    "random": (Step(MOVE_AT_RANDOM),),
    "iggi": (
        Step(PLAY_TOLD),
        Step(PLAY_SAFE),
        Step(TELL_USEFUL),
        Step(DISCARD_OSAWA),
        Step(DISCARD_OLDEST),
        Step(TELL_RANDOM_TO_NEXT),
        *_LAST_RESORT,
    ),
    "piers": (
        Step(PLAY_MOST_LIKELY, when=DECK_EMPTY_AND_LIVES_TO_SPARE),
        Step(PLAY_SAFE),
        Step(PLAY_MOST_LIKELY, when=LIVES_TO_SPARE, percent=60),
        Step(TELL_USEFUL),
        Step(TELL_DISPENSABLE, when=FEW_HINT_TOKENS),
        Step(DISCARD_OSAWA),
        Step(DISCARD_OLDEST),
        Step(TELL_RANDOM),
        Step(DISCARD_RANDOM),
        *_LAST_RESORT,
    ),
    "internal": (
        Step(PLAY_SAFE),
        Step(DISCARD_OSAWA),
        Step(TELL_PLAYABLE_TO_NEXT),
        Step(TELL_RANDOM),
        Step(DISCARD_RANDOM),
        *_LAST_RESORT,
    ),
    "outer": (
        Step(PLAY_SAFE),
        Step(DISCARD_OSAWA),
        Step(TELL_USEFUL_TO_NEXT),
        Step(TELL_UNKNOWN_TO_NEXT),
        Step(DISCARD_RANDOM),
        *_LAST_RESORT,
    ),
    "flawed": (
        Step(PLAY_SAFE),
        Step(PLAY_MOST_LIKELY, percent=25),
        Step(TELL_RANDOM),
        Step(DISCARD_OSAWA),
        Step(DISCARD_OLDEST),
        *_LAST_RESORT,
    ),
    "van-den-bergh": (
        Step(PLAY_MOST_LIKELY, when=LIVES_TO_SPARE, percent=60),
        Step(PLAY_SAFE, when=LAST_LIFE),
        Step(DISCARD_SURELY_USELESS),
        Step(TELL_USEFUL),
        Step(TELL_MOST_NEW),
        Step(DISCARD_MOST_LIKELY_USELESS),
        *_LAST_RESORT,
    ),
}
"""Every scripted player: the rules it tries, in order."""


@dataclasses.dataclass(frozen=True)
class ScriptedPolicy:
    """A player that follows a list of rules; it remembers nothing between moves.

    Args:
        name: what it is called.
        steps: the rules it tries, in order. The last should fire always, as MOVE_AT_RANDOM does.
    """

    name: str
    steps: tuple[Step, ...]

    def act(self, states: AnyArray, variant: HanabiVariant, streams: AnyArray) -> IntArray:
        """Choose a move for the seat whose turn it is, in every game, from what that seat can see.

        Args:
            states: [B] games (HANABI_STATE) of the variant, not changed.
            variant: what is played.
            streams: [B] uint64, one random stream per game for the coin flips of this player; advanced in place. They
                belong to the caller; never pass the games' own streams.

        Returns:
            [B] int64 legal moves; NO_MOVE (-1) for games that are over.
        """
        if states.dtype != HANABI_STATE or states.ndim != 1:
            raise UserError(
                f"states must be a row of HANABI_STATE records, not shape {states.shape} of {states.dtype}."
            )
        if streams.dtype != np.uint64 or streams.shape != states.shape or not streams.flags.c_contiguous:
            raise UserError(
                f"streams must be a contiguous array of {len(states)} uint64 numbers, one a game, "
                f"not {streams.dtype} of shape {streams.shape}."
            )
        moves = np.empty(len(states), dtype=np.int64)
        steps = np.array(self.steps, dtype=np.int64).reshape(-1, len(Step._fields))
        choose_moves(np.ascontiguousarray(states), variant.parameters, steps, streams, moves)
        return moves


def scripted_policy(name: str) -> ScriptedPolicy:
    """Find a scripted player by name: random, iggi, piers, internal, outer, flawed or van-den-bergh."""
    if name not in RULE_LISTS:
        raise UserError(f"There is no scripted player {name!r}; choose one of {', '.join(RULE_LISTS)}.")
    return ScriptedPolicy(name, RULE_LISTS[name])


@kernel
def choose_moves(states: AnyArray, parameters: IntArray, steps: IntArray, streams: AnyArray, moves: IntArray) -> None:
    """Write the moves of a player with the rule list ``steps`` [R, 3] into ``moves`` [B]."""
    facts = np.zeros(1, dtype=SEAT_FACTS)
    for index in range(len(states)):
        moves[index] = choose_move_one(states[index], parameters, steps, facts[0], streams[index : index + 1])


@kernel
def choose_move_one(game: np.void, parameters: IntArray, steps: IntArray, facts: np.void, stream: AnyArray) -> Integer:
    """The move of the first rule that fires; NO_MOVE if the game is over."""
    if game["is_over"]:
        return np.int64(NO_MOVE)
    look_one(game, parameters, facts)
    for index in range(len(steps)):
        if holds_one(steps[index, _WHEN], game, parameters):
            move = apply_rule_one(steps[index, _RULE], steps[index, _PERCENT], game, parameters, facts, stream)
            if move != NO_MOVE:
                return move
    return np.int64(NO_MOVE)


@kernel
def holds_one(when: Integer, game: np.void, parameters: IntArray) -> bool:
    """Whether the condition of a step holds."""
    if when == LIVES_TO_SPARE:
        return bool(game["lives"] > 1)
    if when == LAST_LIFE:
        return bool(game["lives"] == 1)
    if when == DECK_EMPTY_AND_LIVES_TO_SPARE:
        return bool(game["lives"] > 1 and game["cards_drawn"] == parameters[DECK_SIZE])
    if when == FEW_HINT_TOKENS:
        return bool(game["hint_tokens"] < 4)
    return True
