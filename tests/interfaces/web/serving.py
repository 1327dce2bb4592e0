"""A real server on loopback for tests, and a raw client of its socket."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from offbelief.interfaces.web.hall import Hall
from offbelief.interfaces.web.offers import Offers
from offbelief.interfaces.web.server import LOOPBACK, serve_in_thread
from offbelief.interfaces.web.shelf import Shelf

PATIENCE = 30.0


class Page:
    """What a page does, without a page: JSON out, JSON in."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.heard: list[str] = []
        """Everything that came over the wire."""

    def say(self, **message: Any) -> None:
        self.connection.send(json.dumps(message))

    def hear(self) -> dict[str, Any]:
        text = self.connection.recv(timeout=PATIENCE)
        assert isinstance(text, str)
        self.heard.append(text)
        heard: dict[str, Any] = json.loads(text)
        return heard

    def ask(self, **message: Any) -> dict[str, Any]:
        self.say(**message)
        return self.hear()

    def until(self, kind: str) -> dict[str, Any]:
        """Read on to the next message of a kind."""
        while (heard := self.hear())["type"] != kind:
            pass
        return heard

    def play_to_the_end(self, table: dict[str, Any], choose: Any) -> dict[str, Any]:
        """Answer every turn with ``choose(view)`` until the game is over."""
        view, described = table["views"][-1], table["table"]
        while not described["done"]:
            if view["refusals"] is not None:
                self.say(type="play", turn=described["turn"], move=choose(view))
            heard = self.hear()
            assert heard["type"] in ("turn", "table"), heard
            described = heard["table"]
            view = heard["view"] if heard["type"] == "turn" else heard["views"][-1]
        return heard


class Serving:
    """A running server."""

    def __init__(self, hall: Hall, address: str) -> None:
        self.hall = hall
        self.address = address
        self.port = int(address.rpartition(":")[2])

    @contextlib.contextmanager
    def page(self, **options: Any) -> Iterator[Page]:
        settings: dict[str, Any] = {"origin": self.address, "max_size": None, "proxy": None, **options}
        with connect(f"ws://{LOOPBACK}:{self.port}/socket", **settings) as connection:
            yield Page(connection)


@contextlib.contextmanager
def serving(games: Path, *, favourite: str = "bot:iggi", runs: Path | None = None, port: int = 0) -> Iterator[Serving]:
    """Serve in a thread until the block ends."""
    hall = Hall(Offers(favourite, runs or games / "no runs"), Shelf(games))
    with serve_in_thread(hall, port=port) as address:
        yield Serving(hall, address)


def first_legal(view: dict[str, Any]) -> int:
    return int(view["refusals"].index(None))


def careful(view: dict[str, Any]) -> int:
    """A hint if there is one to give, else a discard: a game that no strike of ours cuts short."""
    legal = [move for move, refusal in enumerate(view["refusals"]) if refusal is None]
    return legal[-1] if view["hints"] > 0 else legal[0]
