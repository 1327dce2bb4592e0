"""One game at one table: its seats, its moves, who may see what, and its form on disk.

A table keeps its whole history, so that any turn can be looked at again and agents can be asked about any of them. It
knows neither sockets nor files nor agents: `hall` moves people and agents, `shelf` saves.
"""

import dataclasses
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from typing import Any

from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.hanablive import write_url
from offbelief.games.hanabi.records import GameRecord, read_hle, write_hle
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.interfaces.web.sight import see
from offbelief.nouns import AnyArray, UserError
from offbelief.streams import new_stream

HUMAN = "human"
"""What stands at a seat that a person takes; any other word is an agent's name."""
FORMAT = "offbelief-table-1"
MAX_SEED = 2**53 - 1
"""The largest whole number that a page can hold exactly."""
_LONGEST_NAME = 40  # of a seat or game from elsewhere, as it is shown
_COINS = 12  # the purpose of the streams that agents flip coins with


@dataclasses.dataclass(frozen=True, kw_only=True)
class TableSettings:
    """What is settled when a table is opened."""

    variant: HanabiVariant
    """The rules."""
    seats: tuple[str, ...]
    """HUMAN or the name of an agent, for every seat."""
    seed: int
    """Deals the cards."""
    is_seed_known: bool
    """Whether the players know the seed, because one of them chose it or has played the deal before. Otherwise it stays
    secret until the end: whoever knows the seed knows the deck."""
    is_recorded: bool = False
    """Whether the game was played elsewhere and is only looked at here."""

    def __post_init__(self) -> None:
        """Refuse what cannot be played."""
        if len(self.seats) != self.variant.players:
            raise UserError(
                f"{self.variant.name} has {self.variant.players} seats, but {len(self.seats)} were filled; "
                "fill every seat."
            )
        if not 0 <= self.seed <= MAX_SEED:
            raise UserError(f"The seed is {self.seed}; give a whole number from 0 to {MAX_SEED}.")

    @property
    def human_seats(self) -> list[int]:
        """The seats that people take."""
        return [seat for seat, who in enumerate(self.seats) if who == HUMAN and not self.is_recorded]


class Table:
    """A game being played or looked at.

    Args:
        id: What links and files call it.
        settings: What was settled at the start.
        record: The deal, and the moves of a game that goes on; they must be legal.
        open_hand: Whether people see their own cards.
        open_mind: Whether people may ask what the agents think while the game runs.
        is_given_up: Whether the game was ended early, to look at it.
        key_hashes: By seat, who may sit there; see `hand_out_key`.
    """

    def __init__(
        self,
        id: str,
        settings: TableSettings,
        record: GameRecord,
        *,
        open_hand: bool = False,
        open_mind: bool = False,
        is_given_up: bool = False,
        key_hashes: Mapping[int, list[str]] | None = None,
    ) -> None:
        self.id = id
        self.settings = settings
        self.open_hand = open_hand
        self.open_mind = open_mind
        self.is_given_up = is_given_up
        self.key_hashes: dict[int, list[str]] = {seat: list(keys) for seat, keys in (key_hashes or {}).items()}
        self.moves: list[int] = []
        self._start = record
        self._batch = HanabiBatch.from_decks(settings.variant, [record.deck], start_seats=[record.start_seat])
        self.positions: list[AnyArray] = [self._batch.save()]
        for move in record.moves:
            self.play(move)

    @classmethod
    def deal(cls, settings: TableSettings, *, open_hand: bool = False, open_mind: bool = False) -> "Table":
        """Open a table with a fresh deal."""
        batch = HanabiBatch(settings.variant, 1, seed=settings.seed)
        record = GameRecord.from_batch(batch, 0, (), names=settings.seats)
        return cls(new_id(), settings, record, open_hand=open_hand, open_mind=open_mind)

    @classmethod
    def from_record(cls, record: GameRecord) -> "Table":
        """Put a recorded game on a table, to look at.

        Raises:
            UserError: the deck does not fit the variant, or a move is illegal.
        """
        problem = record.deck_problem()
        if problem is not None:
            raise UserError(f"The recorded game cannot be shown: {problem}.")
        if record.unreadable_move is not None:
            raise UserError(f"Turn {len(record.moves) + 1} of the recorded game is no move: {record.unreadable_move}.")
        settings = TableSettings(
            variant=record.variant,
            seats=tuple(name[:_LONGEST_NAME] for name in record.names)
            or tuple(f"seat {seat}" for seat in range(record.variant.players)),
            seed=0,
            is_seed_known=False,
            is_recorded=True,
        )
        return cls(new_id(), settings, record)

    # ------------------------------------------------------------------------------------------------------- the game

    @property
    def variant(self) -> HanabiVariant:
        """The rules."""
        return self.settings.variant

    @property
    def turn(self) -> int:
        """Moves made so far."""
        return len(self.moves)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended by the rules."""
        return bool(self._batch.is_over[0])

    @property
    def is_done(self) -> bool:
        """Whether nobody moves any more, so that nothing is secret."""
        return self.is_over or self.is_given_up or self.settings.is_recorded

    @property
    def acting_seat(self) -> int | None:
        """Whose turn it is; None when nobody moves any more."""
        return None if self.is_done else int(self._batch.acting_seats[0])

    @property
    def acting_agent(self) -> str | None:
        """The agent whose turn it is; None if it is a person's turn or nobody's."""
        seat = self.acting_seat
        return None if seat is None or seat in self.settings.human_seats else self.settings.seats[seat]

    def play(self, move: int) -> None:
        """Make a move.

        Raises:
            UserError: it is illegal; nothing has changed.
        """
        self._batch.step([move])
        self.moves.append(move)
        self.positions.append(self._batch.save())

    def coins(self, turn: int) -> AnyArray:
        """[1] the random stream of whoever moves at a turn: the same whenever the agent is asked again."""
        return new_stream(self.settings.seed, _COINS, turn)

    def record(self) -> GameRecord:
        """The game so far, with its whole deck: not for players while it runs."""
        return dataclasses.replace(
            self._start,
            moves=tuple(self.moves),
            names=self.settings.seats,
            score=int(self._batch.scores[0]),
            id=self._start.id if self.settings.is_recorded and self._start.id != "" else self.id,
        )

    # -------------------------------------------------------------------------------------------------- who sees what

    def looker(self, seat: int | None) -> int | None:
        """The seat through whose eyes somebody at ``seat`` looks; None sees every card.

        Raises:
            UserError: somebody without a seat looks at a running game of people.
        """
        if self.is_done or self.open_hand or not self.settings.human_seats:
            return None
        if seat is None:
            raise UserError("This game is still running; only its players can see it.")
        return seat

    def view(self, turn: int, seat: int | None) -> dict[str, Any]:
        """What somebody at a seat (None: a visitor) sees of the position after ``turn`` moves."""
        before = self.positions[turn - 1] if turn > 0 else None
        view = see(before, self.positions[turn], self.variant, self.looker(seat))
        if seat is None or seat != self.acting_seat or turn != self.turn:
            view["refusals"] = None
        elif view["refusals"] is None:  # an open hand: the seat sees all, and still has to move
            view["refusals"] = see(before, self.positions[turn], self.variant, seat)["refusals"]
        return view

    def describe(self, seat: int | None) -> dict[str, Any]:
        """All that a page shows beside the positions, for somebody at a seat."""
        variant = self.variant
        is_seed_shown = (self.settings.is_seed_known or self.is_done) and not self.settings.is_recorded
        return {
            "id": self.id,
            "variant": variant.name,
            "colours": variant.colours,
            "ranks": variant.ranks,
            "players": variant.players,
            "hand_size": variant.hand_size,
            "max_hints": variant.hint_tokens,
            "max_lives": variant.lives,
            "max_score": variant.max_score,
            "copies": list(variant.copies_by_rank),
            "seats": list(self.settings.seats),
            "humans": self.settings.human_seats,
            "seat": seat,
            "seed": self.settings.seed if is_seed_shown else None,
            "recorded": self.settings.is_recorded,
            "done": self.is_done,
            "given_up": self.is_given_up,
            "open_hand": self.open_hand,
            "open_mind": self.open_mind,
            "can_switch": self.can_switch,
            "turn": self.turn,
            "moves": list(self.moves),
            "has_hanablive": self.is_done and _is_on_hanablive(self._start),
            "name": str(self._start.id)[:_LONGEST_NAME] if self.settings.is_recorded else self.id,
        }

    @property
    def can_switch(self) -> bool:
        """Whether the switches may be turned: with several people, one would show the cards of all."""
        return len(self.settings.human_seats) == 1

    def switch(self, *, open_hand: bool, open_mind: bool) -> None:
        """Open or close own hand and the agents' minds."""
        if not self.can_switch:
            raise UserError(
                "Open hand and open mind stay as they were when the table was opened: several people play here."
            )
        self.open_hand, self.open_mind = open_hand, open_mind

    # ----------------------------------------------------------------------------------------------------------- keys

    def hand_out_key(self, seat: int) -> str:
        """Let somebody sit down: make a key for a seat, of which the table keeps only a hash."""
        key = secrets.token_urlsafe(18)
        self.key_hashes.setdefault(seat, []).append(_hash(key))
        return key

    def seat_of(self, key: str) -> int | None:
        """The seat that a key opens; None if it opens none."""
        hashed = _hash(key)
        for seat, hashes in self.key_hashes.items():
            if any(hmac.compare_digest(hashed, known) for known in hashes):
                return seat
        return None

    # ----------------------------------------------------------------------------------------------------------- disk

    def as_json(self) -> dict[str, Any]:
        """The table as it is saved; `from_json` reads it back."""
        return {
            "format": FORMAT,
            "id": self.id,
            "seats": list(self.settings.seats),
            "seed": self.settings.seed,
            "is_seed_known": self.settings.is_seed_known,
            "is_recorded": self.settings.is_recorded,
            "open_hand": self.open_hand,
            "open_mind": self.open_mind,
            "is_given_up": self.is_given_up,
            "is_done": self.is_done,
            "key_hashes": {str(seat): hashes for seat, hashes in self.key_hashes.items()},
            "record": write_hle(self.record()),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Table":
        """Read a saved table.

        Raises:
            UserError: it is damaged, or a move in it is illegal.
        """
        if data.get("format") != FORMAT:
            raise UserError("It was not saved by this version of offbelief.")
        try:
            record = read_hle(data["record"])
            settings = TableSettings(
                variant=record.variant,
                seats=tuple(str(who) for who in data["seats"]),
                seed=int(data["seed"]),
                is_seed_known=bool(data["is_seed_known"]),
                is_recorded=bool(data["is_recorded"]),
            )
            return cls(
                str(data["id"]),
                settings,
                record,
                open_hand=bool(data["open_hand"]),
                open_mind=bool(data["open_mind"]),
                is_given_up=bool(data["is_given_up"]),
                key_hashes={int(seat): [str(key) for key in keys] for seat, keys in data["key_hashes"].items()},
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise UserError(f"It is damaged ({type(error).__name__}: {error}).") from None


def _is_on_hanablive(record: GameRecord) -> bool:
    """Whether hanab.live plays the variant, so that a game can be shown there."""
    try:
        write_url(dataclasses.replace(record, moves=()))
    except UserError:
        return False
    return True


def new_id() -> str:
    """A fresh name for a table: short enough for a link, too long to guess."""
    return secrets.token_hex(8)


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
