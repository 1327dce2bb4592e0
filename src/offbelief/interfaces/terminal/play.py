"""A person plays with agents in the terminal.

The game is saved after every move, and the same seed with the same agents goes on where it stopped. What a person types
is read by `commands`, the table is drawn by `picture`.
"""

import dataclasses
import io
import itertools
import json
import re
import secrets
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from offbelief.agents.loading import Agent, load_table
from offbelief.evaluation.reminding import remind
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.gamefiles import read_games
from offbelief.games.hanabi.records import GameRecord, write_hle
from offbelief.games.hanabi.replays import replay
from offbelief.games.hanabi.text import describe_last_move
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.interfaces.files import write_text_atomically
from offbelief.interfaces.terminal.commands import HELP, read_command
from offbelief.interfaces.terminal.picture import SEAT_NAMES, draw_table, new_console
from offbelief.nouns import UserError
from offbelief.streams import new_stream

GAMES = Path("runs/games")
"""Where games are saved unless the caller says otherwise."""
PERSON = "you"
"""What stands for a person among the seats of a record."""

_COINS = 13  # the purpose of the streams that agents flip coins with
_INTERRUPTED = 130
_LARGEST_SEED = 10**6  # short enough to type again


def play_in_terminal(
    agent_names: Sequence[str],
    variant: str | None = None,
    seed: int | None = None,
    human_seat: int = 0,
    *,
    folder: Path = GAMES,
) -> int:
    """Play one game with a person at one seat and agents at the others, and return the exit code.

    Args:
        agent_names: One agent for all other seats, or one for each of them in order.
        variant: The rules; those of the first trained agent if None, else full-2p.
        seed: The deal; a random one if None. An unfinished game with the same agents and seed goes on.
        human_seat: Where the person sits.
        folder: Where the game is saved after every move.

    Raises:
        UserError: an agent, the variant or the seat is wrong, or the saved game cannot be read.
    """
    loaded, rules = load_table(agent_names, variant)
    if not 0 <= human_seat < rules.players:
        raise UserError(f"There is no seat {human_seat}; {rules.name} has seats 0 to {rules.players - 1}.")
    partners = list(agent_names) * (rules.players - 1) if len(agent_names) == 1 else list(agent_names)
    if len(partners) != rules.players - 1:
        raise UserError(
            f"{rules.name} has {rules.players - 1} seats beside yours, but {len(partners)} agents were named; "
            "name one, or one for each."
        )
    seats = [*partners[:human_seat], PERSON, *partners[human_seat:]]
    if seed is None:
        seed = secrets.randbelow(_LARGEST_SEED)
    game = _Game(rules, seats, seed, folder)
    for agent in loaded.values():  # says at once if an agent cannot play this, and compiles before anybody waits
        agent.act(game.positions[0], rules, new_stream(seed, _COINS))
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # a stray byte is a typing error like any other
    try:
        _play(game, loaded, human_seat)
    except (KeyboardInterrupt, EOFError) as stopped:
        print()
        print(game.tell_how_to_go_on())
        return _INTERRUPTED if isinstance(stopped, KeyboardInterrupt) else 0
    return 0


class _Game:
    """A game and its file.

    Args:
        variant: The rules.
        seats: PERSON or the name of an agent, for every seat.
        seed: The deal.
        folder: Where the file is.
    """

    def __init__(self, variant: HanabiVariant, seats: Sequence[str], seed: int, folder: Path) -> None:
        self.variant = variant
        self.seats = seats
        self.seed = seed
        self.batch = HanabiBatch(variant, 1, seed=seed)
        self.moves: list[int] = []
        self.positions = [self.batch.save()]
        """The game [1] at every turn, from the deal on: what agents with a memory are shown."""
        stem = re.sub(r"[^\w.+-]+", "_", f"terminal-{variant.name}-{'-'.join(seats)}-seed-{seed}")
        for number in itertools.count(1):
            self.path = folder / (f"{stem}.jsonl" if number == 1 else f"{stem}-{number}.jsonl")
            if not self.path.exists():
                return
            record = _read_saved(self.path)
            if not record.to_batch().is_over[0]:
                self.batch = dataclasses.replace(record, moves=()).to_batch()
                self.positions = [self.batch.save()]
                for move in record.moves:
                    self._step(move)
                return

    def make(self, move: int) -> None:
        """Make a move and save the game."""
        self._step(move)
        record = GameRecord.from_batch(self.batch, 0, self.moves, names=self.seats, id=self.path.stem)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_text_atomically(self.path, json.dumps(write_hle(record), separators=(",", ":")) + "\n")

    def _step(self, move: int) -> None:
        self.batch.step([move])
        self.moves.append(move)
        self.positions.append(self.batch.save())

    @property
    def command(self) -> str:
        """What to type for the same game."""
        partners = [name for name in self.seats if name != PERSON]
        if self.seats[0] != PERSON or len(set(partners)) > 1:  # the command line offers one agent and the first seat
            return f"the same players with seed {self.seed}"
        options = ["--variant", self.variant.name, "--seed", str(self.seed)]
        if self.path.parent != GAMES:
            options += ["--games", str(self.path.parent)]
        return shlex.join(["obl", "play", partners[0], "--terminal", *options])

    def tell_how_to_go_on(self) -> str:
        """Say where the game is and how to continue it."""
        if not self.moves:
            return f"No move was made. This deal again: {self.command}"
        return f"The game is saved in {self.path}. To go on: {self.command}"


def _read_saved(path: Path) -> GameRecord:
    """Read a saved game, which must obey the rules."""
    record = read_games(path)[0]
    if isinstance(record, GameRecord) and replay([record])[0].ok:
        return record
    raise UserError(f"{path} holds no game that can go on; move it away to begin anew.")


def _play(game: _Game, agents: dict[str, Agent], human_seat: int) -> None:
    """Play until the end, or until the person wants to stop (EOFError)."""
    variant, batch, console = game.variant, game.batch, new_console()
    names = list(SEAT_NAMES[: variant.players])
    names[human_seat] = "You"
    partners = ", ".join(f"{names[seat]} is {name}" for seat, name in enumerate(game.seats) if seat != human_seat)
    goes_on = f"; it goes on after {len(game.moves)} moves" if game.moves else ""
    console.print(f"{variant.name}, seed {game.seed}: you sit at seat {human_seat}, {partners}{goes_on}.")
    console.print("Type play, discard or hint; 'help' explains them.\n")
    news: list[str] = []  # moves since the table was drawn last; the drawing itself tells the last one
    while not batch.is_over[0]:
        seat = int(batch.acting_seats[0])
        if seat == human_seat:
            console.print("\n".join([*news[:-1], ""]) if len(news) > 1 else "")
            draw_table(console, batch.states[0], variant, names, seat=human_seat)
            news.clear()
            game.make(_ask(game, names))
        else:
            agent = remind(agents[game.seats[seat]], variant, game.positions, game.moves, len(game.moves))
            coins = new_stream(game.seed, _COINS, len(game.moves))  # by turn, so that a game that goes on is the same
            game.make(int(agent.act(batch.states, variant, coins)[0]))
        news.append(describe_last_move(batch.states[0], variant, names=names))
    console.print("\n".join(["", *news[:-1]]))
    draw_table(console, batch.states[0], variant, names)
    console.print(f"\nThe game is saved in {game.path}; the same deal again: {game.command}")


def _ask(game: _Game, names: Sequence[str]) -> int:
    """Ask until a legal move is typed; raises EOFError if the person wants to stop."""
    while True:
        try:
            command = read_command(input("Your move: "), game.batch.states[0], game.variant, names)
        except UserError as error:
            print(error)
            continue
        if command == "help":
            print(HELP)
        elif command == "quit":
            raise EOFError
        else:
            return command
