"""Watch a game of Hanabi in the terminal, move by move, with what each agent thinks.

An agent is a run's folder, an agent of the zoo (obl zoo), or a scripted player such as bot:iggi. One agent plays with
itself, else name one per seat. The game is the first one of 'obl evaluate' with the same seed and seats.

Example: obl watch obl-1-a bot:iggi --seed 3 --step
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import tyro

from offbelief.agents.loading import Agent, load_table
from offbelief.agents.remembering import Seated
from offbelief.evaluation.mind import Mind, read_mind
from offbelief.evaluation.reminding import recall
from offbelief.games.batched import make_streams
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.interfaces.terminal.keys import KeyWaiter
from offbelief.interfaces.terminal.picture import SEAT_NAMES, draw_table, new_console, table_as_json
from offbelief.nouns import UserError

_COINS = 11  # as `evaluation.match` has it, so that a game of 'obl evaluate' can be watched


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Who plays, and how to show it."""

    agents: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="AGENT [AGENT ...]")]
    """One agent, or one per seat."""
    seed: int = 1
    """Of the deal."""
    variant: str | None = None
    """The rules; those of the first trained agent if left out, else full-2p."""
    step: bool = False
    """Wait for a key before the next move."""
    json: bool = False
    """Print one JSON object per move and line: turn, seat, agent, move, label, reward, score, over, sentence, table."""


def run(arguments: Arguments) -> int:
    """Play the game and show it."""
    if not arguments.agents:
        raise UserError("Name at least one agent.")
    loaded, variant = load_table(arguments.agents, arguments.variant)
    seats = arguments.agents * variant.players if len(arguments.agents) == 1 else arguments.agents
    if len(seats) != variant.players:
        raise UserError(
            f"{variant.name} has {variant.players} seats, but {len(seats)} agents were given; name one, or one per "
            "seat, or another --variant such as full-3p."
        )
    turns = _play([loaded[name] for name in seats], variant, arguments.seed)
    waiter = KeyWaiter() if arguments.step else None
    if arguments.json:
        _stream(turns, seats, variant, waiter)
    else:
        _draw(turns, seats, variant, arguments.seed, waiter)
    return 0


class _Turn(NamedTuple):
    """One move of a game."""

    before: np.void
    """The game as the seat to move found it."""
    mind: Mind
    """What the seat thought."""
    reward: float
    after: np.void
    """The game after the move."""


def _play(team: Sequence[Agent], variant: HanabiVariant, seed: int) -> Iterator[_Turn]:
    """Play a game with the i-th agent at seat i, a move whenever one is asked for."""
    batch, coins = HanabiBatch(variant, 1, seed=seed), make_streams(seed, _COINS, 1)
    seated = [Seated(agent, seat, batch.states, variant) for seat, agent in enumerate(team)]
    names = SEAT_NAMES[: variant.players]
    while not batch.is_over[0]:
        before, seat = batch.save(), int(batch.acting_seats[0])
        mind = read_mind(recall(seated[seat], team[seat]), before, variant, coins, names=names)
        reward = float(batch.step([mind.chosen])[0])
        for one in seated:
            one.watch(before, np.array([mind.chosen]), batch.states)
        yield _Turn(before[0], mind, reward, batch.save()[0])


def _draw(
    turns: Iterator[_Turn], seats: Sequence[str], variant: HanabiVariant, seed: int, waiter: KeyWaiter | None
) -> None:
    """Draw every table with the thought of the seat to move, and the last table."""
    console, names = new_console(), SEAT_NAMES[: variant.players]
    who = ", ".join(f"{name} is {agent}" for name, agent in zip(names, seats, strict=True))
    console.print(f"{variant.name}, seed {seed}: {who}.")
    for turn in turns:
        console.print()
        draw_table(console, turn.before, variant, names)
        console.print(f"\n{names[turn.mind.seat]} ({seats[turn.mind.seat]}): {turn.mind.sentence}")
        if waiter is not None and not waiter.wants_more():
            return
    console.print()
    draw_table(console, turn.after, variant, names)


def _stream(turns: Iterator[_Turn], seats: Sequence[str], variant: HanabiVariant, waiter: KeyWaiter | None) -> None:
    """Print one object per move, with the table as it was before."""
    for turn in turns:
        mind = turn.mind
        found = {
            "turn": int(turn.after["turn"]),
            "seat": mind.seat,
            "agent": seats[mind.seat],
            "move": mind.chosen,
            "label": next(known.label for known in mind.moves if known.move == mind.chosen),
            "reward": turn.reward,
            "score": int(turn.after["score"]),
            "over": bool(turn.after["is_over"]),
            "sentence": mind.sentence,
            "table": table_as_json(turn.before, variant),
        }
        print(json.dumps(found), flush=True)
        if waiter is not None and not waiter.wants_more():
            return
