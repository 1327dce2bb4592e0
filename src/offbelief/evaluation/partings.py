"""Where two agents part: how often one would have moved as the other did, and the turn at which it first would not.

`compare_moves` follows many games at once and counts. `tell_parting` tells one of them: the table at the first turn
where the two choose differently and mean it, and what goes on in both minds there (`mind.py`). Good moves are often
nearly equal, so that most first differences teach nothing.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from offbelief.agents.loading import Agent
from offbelief.agents.remembering import Seated
from offbelief.evaluation.conventions import KeptGames
from offbelief.evaluation.mind import Disagreement, disagreements, read_mind
from offbelief.evaluation.reminding import remind
from offbelief.evaluation.story import NAMES
from offbelief.games.batched import NO_MOVE, make_streams
from offbelief.games.hanabi.text import render
from offbelief.nouns import BoolArray

_COINS = 14  # the purpose of the streams that scripted players flip coins with here
MEANT = 0.1
"""Points by which both must hold the other's move for worse, so that a parting is worth telling."""


@dataclass(frozen=True, eq=False)
class Agreement:
    """How one agent would have played the games of another."""

    same: BoolArray
    """[T, B] whether it would have made the same move; False where a game is over"""
    made: BoolArray
    """[T, B] whether there was a move to make"""

    @property
    def share(self) -> float:
        """Share of the moves that it would have made too."""
        return float(self.same.sum() / max(1, self.made.sum()))

    @property
    def whole_games(self) -> float:
        """Share of the games in which it would have made every move."""
        return float((self.same == self.made).all(axis=0).mean())

    @property
    def first_turn(self) -> float:
        """Median of the first turn at which it would have moved otherwise, counted from 1; nan if there is none."""
        parted = (self.made & ~self.same).any(axis=0)
        if not parted.any():
            return float("nan")
        return float(np.median(1 + np.argmax(self.made & ~self.same, axis=0)[parted]))


@dataclass(frozen=True)
class Parting:
    """The first turn of a game at which two agents choose differently."""

    game: int
    """Which of the kept games."""
    turn: int
    """Moves made before it."""
    table: str
    """The game as the seat to move sees it, in lines of text."""
    move_a: str
    """What the agent that played the game does, such as "discard slot 0"."""
    move_b: str
    """What the other would do."""
    mind_a: str
    """Why, in the mind of the one."""
    mind_b: str
    """Why, in the mind of the other."""

    def as_json(self) -> dict[str, Any]:
        """The same as plain numbers and words."""
        return asdict(self)


def compare_moves(games: KeptGames, other: Agent) -> Agreement:
    """Ask another agent about every turn of kept games; it is shown all moves before, as if it sat there."""
    seated = [Seated(other, seat, games.states[0], games.variant) for seat in range(games.variant.players)]
    streams = make_streams(0, _COINS, games.moves.shape[1])
    made = games.moves != NO_MOVE
    same = np.zeros_like(made)
    for turn, moves in enumerate(games.moves):
        before, after = games.states[turn], games.states[turn + 1]
        for player in seated:
            mine = np.flatnonzero(made[turn] & (before["acting_seat"] == player.seat))
            if len(mine):
                same[turn, mine] = player.act(before, mine, streams) == moves[mine]
        for player in seated:
            player.watch(before, moves, after)
    return Agreement(same, made)


def tell_parting(games: KeptGames, game: int, agent: Agent, other: Agent, least: float = MEANT) -> Parting | None:
    """Tell where two agents part in one game.

    Args:
        games: Of the first agent.
        game: Which of them.
        agent: Who played it.
        other: Who is compared.
        least: By how much each must hold the other's move for worse, if it values moves at all; never for equal.

    Returns:
        The first turn where they choose different moves and mean it; None if there is none.
    """
    variant, length = games.variant, games.length(game)
    states, moves = np.ascontiguousarray(games.states[:length, game]), games.moves[:length, game].tolist()
    one, two = (remind(who, variant, states, moves) for who in (agent, other))
    parted = [found for found in disagreements(one, two, variant, states, names=NAMES) if _is_meant(found, least)]
    if not parted:
        return None
    turn = parted[0].turn
    present = states[turn : turn + 1]

    def think(who: Agent) -> str:
        minded = remind(who, variant, states[: turn + 1], moves[:turn], first=turn)
        return read_mind(minded, present, variant, make_streams(0, _COINS, 1), names=NAMES).sentence

    return Parting(
        game=game,
        turn=turn,
        table=render(present[0], variant, seat=parted[0].seat, names=NAMES),
        move_a=parted[0].label_a,
        move_b=parted[0].label_b,
        mind_a=think(agent),
        mind_b=think(other),
    )


def _is_meant(found: Disagreement, least: float) -> bool:
    return not found.is_tie and all(loss is None or loss >= least for loss in (found.loss_a, found.loss_b))


def tell_partings(games: KeptGames, agent: Agent, other: Agent, most: int = 3) -> list[Parting]:
    """Tell the first games, in order of deals, in which two agents part: at most so many."""
    found: list[Parting] = []
    for game in range(games.moves.shape[1]):
        if len(found) == most:
            break
        parting = tell_parting(games, game, agent, other)
        if parting is not None:
            found.append(parting)
    return found
