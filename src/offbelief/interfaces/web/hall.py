"""The hall: all tables, who sits at them, and what happens when somebody says something.

Everything here runs on the event loop and a change is made between two awaits, so no two messages can interleave in
one: two tabs on one seat cannot both move. Agents think elsewhere (`thinking`), and a table is looked at again when
their answer comes, games are written to disk elsewhere too, each move as it is made, and so are the many views of a
game that has ended drawn. A table that everybody has left is forgotten here as soon as `shelf` has it.
"""

import asyncio
import contextlib
import json
import logging
import secrets
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from offbelief.evaluation.mind import disagreements, imagine_transition, judge_move, read_mind
from offbelief.evaluation.reminding import remind
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.interfaces.web.imports import read_game_text
from offbelief.interfaces.web.messages import (
    Again,
    AskMind,
    Compare,
    Create,
    GiveUp,
    Imagine,
    Import,
    Join,
    Leave,
    Message,
    Play,
    Switch,
)
from offbelief.interfaces.web.offers import Offers
from offbelief.interfaces.web.shelf import Shelf
from offbelief.interfaces.web.table import HUMAN, MAX_SEED, Table, TableSettings
from offbelief.interfaces.web.thinking import Thinker
from offbelief.nouns import AnyArray, UserError
from offbelief.streams import new_stream

log = logging.getLogger(__name__)

MAX_VISITORS = 256
"""Pages that may be open at once."""
_OUTBOX = 512  # messages that may wait for a page that does not read them
_IMAGINATION = 13  # the purpose of the streams that imagined hands are drawn with


class Visitor:
    """Somebody with the page open.

    Args:
        is_local: Whether the page is open on the server's own machine.
    """

    def __init__(self, *, is_local: bool) -> None:
        self.is_local = is_local
        self.table: Table | None = None
        self.seat: int | None = None
        self.outbox: asyncio.Queue[str | None] = asyncio.Queue(_OUTBOX)
        """What is to be sent; None hangs up."""

    def tell(self, **message: Any) -> None:
        """Say something to the page."""
        self.send(_as_text(message))

    def send(self, text: str) -> None:
        """Send a message as it goes over the wire; a page that has stopped reading is hung up on."""
        if self.outbox.full():
            while not self.outbox.empty():
                self.outbox.get_nowait()
            self.outbox.put_nowait(None)
            return
        self.outbox.put_nowait(text)


class Hall:
    """The tables of one server.

    Args:
        offers: Which agents there are.
        shelf: Where games are saved.
    """

    def __init__(self, offers: Offers, shelf: Shelf) -> None:
        self.offers = offers
        self.shelf = shelf
        self.thinker = Thinker(offers)
        self.visitors: set[Visitor] = set()
        self.tables: dict[str, Table] = {}
        """Tables that somebody sits at, by id."""
        self._turns: dict[str, asyncio.Task[None]] = {}
        """Agents that are about to move, by table."""
        self._unwritten: dict[str, str] = {}
        """By table, what is still to be written to disk."""
        self._failed: set[str] = set()
        """Tables that could not be written, and must not be forgotten."""
        self._writer: asyncio.Task[None] | None = None
        self._writing: str | None = None
        """The table that is being written."""
        self._disk = ThreadPoolExecutor(1, thread_name_prefix="disk")
        self._endings: set[asyncio.Task[None]] = set()
        """Games that have ended and are being drawn."""
        self._easel = ThreadPoolExecutor(1, thread_name_prefix="easel")

    # ------------------------------------------------------------------------------------------------ coming and going

    def enter(self, visitor: Visitor) -> None:
        """Let somebody in."""
        if len(self.visitors) >= MAX_VISITORS:
            raise UserError(f"The hall is full: {MAX_VISITORS} pages are open. Close one.")
        self.visitors.add(visitor)

    def leave(self, visitor: Visitor) -> None:
        """Let somebody go; the game stays."""
        self._get_up(visitor)
        self.visitors.discard(visitor)

    async def hear(self, visitor: Visitor, message: Message) -> None:
        """Do what somebody asks for.

        Raises:
            UserError: it is not allowed or not possible; nothing has changed.
        """
        match message:
            case Create():
                self._create(visitor, message)
            case Join():
                self._join(visitor, message)
            case Leave():
                self._get_up(visitor)
                visitor.tell(type="left")
            case Play():
                self._play(visitor, message)
            case Switch():
                table = self._table_of(visitor, must_sit=True)
                table.switch(open_hand=message.open_hand, open_mind=message.open_mind)
                self._save(table)
                self._show_all(table)
            case GiveUp():
                self._give_up(visitor)
            case Again():
                self._again(visitor)
            case Import():
                table = Table.from_record(read_game_text(message.text))
                self._open(visitor, table)
            case AskMind():
                await self._tell_mind(visitor, message)
            case Imagine():
                await self._imagine(visitor, message)
            case Compare():
                await self._compare(visitor, message)

    def close(self) -> None:
        """Stop the agents, and write what is still to be written."""
        for task in [*self._turns.values(), *self._endings]:
            task.cancel()
        self.thinker.close()
        self._easel.shutdown(wait=False, cancel_futures=True)
        self._disk.shutdown(wait=True)
        for id, text in self._unwritten.items():
            with contextlib.suppress(OSError):
                self.shelf.write(id, text)

    # --------------------------------------------------------------------------------------------------- opening tables

    def _create(self, visitor: Visitor, message: Create) -> None:
        variant = HanabiVariant.parse(message.variant)
        for who in message.seats:
            if who != HUMAN:
                self.offers.check(who, variant)
        settings = TableSettings(
            variant=variant,
            seats=message.seats,
            seed=secrets.randbelow(MAX_SEED) if message.seed is None else message.seed,
            is_seed_known=message.seed is not None,
        )
        self._open(visitor, Table.deal(settings, open_hand=message.open_hand, open_mind=message.open_mind))

    def _again(self, visitor: Visitor) -> None:
        old = self._table_of(visitor)
        if old.settings.is_recorded:
            raise UserError("A recorded game cannot be dealt again; open a table of your own.")
        if not old.is_done:
            raise UserError("The same deal can be had again when this game is over.")
        settings = TableSettings(
            variant=old.variant, seats=old.settings.seats, seed=old.settings.seed, is_seed_known=True
        )
        self._open(visitor, Table.deal(settings, open_hand=old.open_hand, open_mind=old.open_mind))

    def _open(self, visitor: Visitor, table: Table) -> None:
        self.tables[table.id] = table
        self._sit_down(visitor, table, None)
        self._save(table)

    def _join(self, visitor: Visitor, message: Join) -> None:
        table = self.tables.get(message.table) or self.shelf.load(message.table)
        self.tables[table.id] = table
        try:
            self._sit_down(visitor, table, message.key)
        finally:
            self._forget_if_empty(table)

    def _sit_down(self, visitor: Visitor, table: Table, key: str | None) -> None:
        """Give somebody the seat of a key, else a free one, else a look at a game that is nobody's secret."""
        seat = None if key is None else table.seat_of(key)
        new_key = None
        humans = table.settings.human_seats
        if seat is None:
            free = [human for human in humans if human not in table.key_hashes]
            if not free and len(humans) == 1 and visitor.is_local and not table.is_done:
                free = humans  # the one player, back in another browser; there is no partner to deceive
            if free and not table.is_done:
                seat, new_key = free[0], table.hand_out_key(free[0])
            else:
                table.looker(None)  # refuses visitors of a running game
        self._get_up(visitor, but_keep=table)
        visitor.table, visitor.seat = table, seat
        if new_key is not None:
            self._save(table)
        visitor.tell(**_whole(table, seat, new_key))
        self._let_agents_move(table)

    def _get_up(self, visitor: Visitor, but_keep: Table | None = None) -> None:
        table, visitor.table, visitor.seat = visitor.table, None, None
        if table is not None and table is not but_keep:
            self._forget_if_empty(table)

    def _forget_if_empty(self, table: Table) -> None:
        watched = any(visitor.table is table for visitor in self.visitors)
        busy = table.id in self._turns or table.id in self._unwritten or table.id == self._writing
        if not watched and not busy and table.id not in self._failed:
            self.tables.pop(table.id, None)

    # ----------------------------------------------------------------------------------------------------------- moves

    def _play(self, visitor: Visitor, message: Play) -> None:
        table = self._table_of(visitor, must_sit=True)
        if table.is_done:
            raise UserError("The game is over; no more moves are made.")
        if message.turn != table.turn:
            raise UserError(f"That move was meant for turn {message.turn + 1}, but it is turn {table.turn + 1}.")
        if visitor.seat != table.acting_seat:
            raise UserError("It is not your turn.")
        table.play(message.move)
        self._after_move(table)

    def _give_up(self, visitor: Visitor) -> None:
        table = self._table_of(visitor, must_sit=True)
        if table.is_done:
            raise UserError("The game is over already.")
        table.is_given_up = True
        self._save(table)
        self._show_ending(table)

    def _after_move(self, table: Table) -> None:
        self._save(table)
        if table.is_done:
            self._show_ending(table)
        else:
            for visitor in self._at(table):
                view = table.view(table.turn, visitor.seat)
                visitor.tell(type="turn", table=table.describe(visitor.seat), view=view)
            self._let_agents_move(table)

    def _let_agents_move(self, table: Table) -> None:
        """Start the agents' turns, unless somebody thinks already."""
        if table.acting_agent is not None and table.id not in self._turns:
            self._turns[table.id] = asyncio.create_task(self._move_agents(table))

    async def _move_agents(self, table: Table) -> None:
        """Ask agents for moves until it is a person's turn or the game is over."""
        try:
            while (agent := table.acting_agent) is not None:
                turn = table.turn
                move = await self.thinker.choose(table)
                if table.turn == turn and table.acting_agent == agent:  # nobody gave up meanwhile
                    table.play(move)
                    self._after_move(table)
        except UserError as error:
            self._tell_all(table, f"{agent} cannot move: {error}")
        except Exception:
            log.exception("an agent failed")
            self._tell_all(table, f"{agent} cannot move: something went wrong; the server's log says what.")
        finally:
            del self._turns[table.id]
            self._forget_if_empty(table)

    # ----------------------------------------------------------------------------------------------------------- minds

    async def _tell_mind(self, visitor: Visitor, message: AskMind) -> None:
        table = self._table_of(visitor)
        states, _ = self._thoughts_at(table, message.agent, message.turn)
        made = table.moves[message.turn] if message.turn < table.turn else None
        coins = table.coins(message.turn)
        positions, moves = table.positions[: message.turn + 1], list(table.moves)

        def answer() -> dict[str, Any]:
            agent = remind(self.offers.load(message.agent), table.variant, positions, moves, message.turn)
            if made is None:
                return {"mind": read_mind(agent, states, table.variant, coins).as_json(), "judged": None}
            judged = judge_move(agent, states, made, table.variant, coins).as_json()
            return {"mind": judged.pop("mind"), "judged": judged}

        found = await self.thinker.ask(answer)
        visitor.tell(type="mind", id=table.id, turn=message.turn, agent=message.agent, **found)

    async def _imagine(self, visitor: Visitor, message: Imagine) -> None:
        table = self._table_of(visitor)
        states, seat = self._thoughts_at(table, message.agent, message.turn)
        # An imagined game of a partner goes on with your real cards: not before you may see them.
        if table.looker(visitor.seat) not in (None, seat):
            raise UserError("What a partner imagines shows your cards; open your hand, or finish the game first.")
        if not 0 <= message.sample < 1000:
            raise UserError("There are samples 0 to 999.")
        made = table.moves[message.turn] if message.turn < table.turn else None
        wanted = made if message.move is None else message.move
        coins = table.coins(message.turn)
        dreams = new_stream(table.settings.seed, _IMAGINATION, message.turn, message.sample)
        positions, moves = table.positions[: message.turn + 1], list(table.moves)

        def answer() -> dict[str, Any]:
            agent = remind(self.offers.load(message.agent), table.variant, positions, moves, message.turn)
            move = int(agent.act(states, table.variant, coins)[0]) if wanted is None else wanted
            return {"move": move, **imagine_transition(agent, states, move, table.variant, dreams).as_json()}

        found = await self.thinker.ask(answer)
        visitor.tell(
            type="imagined",
            id=table.id,
            turn=message.turn,
            agent=message.agent,
            sample=message.sample,
            imagined=found,
        )

    async def _compare(self, visitor: Visitor, message: Compare) -> None:
        table = self._table_of(visitor)
        for name in (message.agent, message.other):
            self._check_mind_is_open(table)
            self.offers.check(name, table.variant)
        positions = [states for states in table.positions if not states["is_over"][0]]
        states, moves = np.concatenate(positions), list(table.moves)

        def answer() -> list[dict[str, Any]]:
            names = (message.agent, message.other)
            one, other = (remind(self.offers.load(name), table.variant, positions, moves, 0) for name in names)
            return [found.as_json() for found in disagreements(one, other, table.variant, states)]

        turns = await self.thinker.ask(answer)
        visitor.tell(
            type="compared",
            id=table.id,
            agent=message.agent,
            other=message.other,
            asked=len(positions),
            turns=turns,
        )

    def _thoughts_at(self, table: Table, agent: str, turn: int) -> tuple[AnyArray, int]:
        """[1] the position at a turn and who moves there, if its thoughts are open."""
        self._check_mind_is_open(table)
        self.offers.check(agent, table.variant)
        if not 0 <= turn <= table.turn:
            raise UserError(f"There is no turn {turn + 1} yet.")
        states = table.positions[turn]
        if states["is_over"][0]:
            raise UserError("The game is over there, so nobody has a move to think about.")
        return states, int(states["acting_seat"][0])

    def _check_mind_is_open(self, table: Table) -> None:
        if not (table.open_mind or table.is_done or not table.settings.human_seats):
            raise UserError("The agents' minds are closed in this game; switch on 'open mind', or finish it first.")

    # --------------------------------------------------------------------------------------------------------- helpers

    def _table_of(self, visitor: Visitor, *, must_sit: bool = False) -> Table:
        if visitor.table is None:
            raise UserError("Open or join a table first.")
        if must_sit and visitor.seat is None:
            raise UserError("You only watch this game; you have no seat in it.")
        return visitor.table

    def _at(self, table: Table) -> list[Visitor]:
        return [visitor for visitor in self.visitors if visitor.table is table]

    def _show_all(self, table: Table) -> None:
        for visitor in self._at(table):
            visitor.tell(**_whole(table, visitor.seat))

    def _show_ending(self, table: Table) -> None:
        """Show a game that nobody changes any more: all cards are open now, also those of earlier turns.

        That is a hundred views, so other tables must not wait for them.
        """
        ending = asyncio.create_task(self._draw_ending(table))
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)

    async def _draw_ending(self, table: Table) -> None:
        def draw(seat: int | None) -> str:
            return _as_text(_whole(table, seat))

        for visitor in self._at(table):
            text = await asyncio.get_running_loop().run_in_executor(self._easel, draw, visitor.seat)
            if visitor.table is table:  # who has left meanwhile is not called back
                visitor.send(text)

    def _tell_all(self, table: Table, sentence: str) -> None:
        for visitor in self._at(table):
            visitor.tell(type="error", about="move", sentence=sentence)

    def _save(self, table: Table) -> None:
        """Have a table written as it stands now; of several that wait, the newest counts."""
        self._unwritten[table.id] = self.shelf.text_of(table)
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write())

    async def _write(self) -> None:
        """Write what waits, table by table; on a full disk the game goes on, and its players know."""
        while self._unwritten:
            id = next(iter(self._unwritten))
            text = self._unwritten.pop(id)
            self._writing = id
            try:
                await asyncio.get_running_loop().run_in_executor(self._disk, self.shelf.write, id, text)
            except OSError as error:
                self._failed.add(id)
                if id in self.tables:
                    told = f"The game could not be saved ({error.strerror or error}); it goes on."
                    self._tell_all(self.tables[id], told)
            else:
                self._failed.discard(id)
            finally:
                self._writing = None
            if id in self.tables:
                self._forget_if_empty(self.tables[id])


def _whole(table: Table, seat: int | None, key: str | None = None) -> dict[str, Any]:
    """The message that shows somebody at a seat a whole game, and a key to the seat if it has just been given out."""
    views = [table.view(turn, seat) for turn in range(table.turn + 1)]
    return {"type": "table", "key": key, "table": table.describe(seat), "views": views}


def _as_text(message: dict[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"))
