"""The web server: routes, who may talk to it, and how it starts and stops.

It serves one page, its modules, some JSON, and one socket. A foreign page cannot drive it: the Host header must name
this server (so that no foreign name can be pointed at it) and a socket's Origin must be the page that we served.
"""

import asyncio
import contextlib
import ipaddress
import json
import logging
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from offbelief.games.hanabi.hanablive import write_json, write_url
from offbelief.games.hanabi.records import write_hle
from offbelief.games.hanabi.variant import NAMED_VARIANTS
from offbelief.interfaces.web.hall import Hall, Visitor
from offbelief.interfaces.web.messages import read_message
from offbelief.interfaces.web.offers import Offers
from offbelief.interfaces.web.shelf import Shelf
from offbelief.interfaces.web.table import Table
from offbelief.nouns import UserError

log = logging.getLogger(__name__)

STATIC = Path(__file__).parent / "static"
LOOPBACK = "127.0.0.1"
HARD_LIMIT = 4 * 1024 * 1024
"""A message longer than this is not even received: the socket closes. Below it, a long one is answered and ignored."""

_LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")
_HEADERS = {
    # Nothing is fetched from elsewhere, nobody frames the page, and no address leaks to hanab.live with a click.
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


class Gate:
    """Turns away requests that name another host, and sockets that another page opens; adds the headers to the rest.

    Args:
        app: What is behind the gate.
        host: What the server was told to listen on.
    """

    def __init__(self, app: ASGIApp, host: str) -> None:
        self.app = app
        self.host = host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        named = headers.get("host", "")
        foreign = not is_own_host(named, self.host)
        if scope["type"] == "websocket":
            if foreign or headers.get("origin") not in (f"http://{named}", f"https://{named}"):
                await receive()
                await send({"type": "websocket.close", "code": 1008, "reason": "another page's socket"})
                return
            await self.app(scope, receive, send)
            return
        if foreign:
            answer = PlainTextResponse("This server goes by another name; use the address that it printed.\n", 421)
            await answer(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [
                    *message.get("headers", []),
                    *((key.lower().encode(), value.encode()) for key, value in _HEADERS.items()),
                ]
            await send(message)

        await self.app(scope, receive, send_with_headers)


def is_own_host(named: str, host: str) -> bool:
    """Whether a Host header names this server.

    A server on loopback answers to loopback names alone. One that was opened to a network answers to any plain address
    (an attacker can point a name of theirs at us, but not an address) and to the name it was started with.
    """
    name = named[: named.rindex(":")] if ":" in named and not named.endswith("]") else named
    if name.lower() in _LOCAL_NAMES:
        return True
    if is_loopback(host):
        return False
    if name.lower() in (host.lower(), socket.gethostname().lower()):
        return True
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def build_app(hall: Hall, *, host: str = LOOPBACK) -> Starlette:
    """Put the routes together."""

    async def front_page(request: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def lobby(request: Request) -> Response:
        agents = await asyncio.to_thread(hall.offers.offered)
        games = await asyncio.to_thread(hall.shelf.newest)
        variants = [{"name": name, "players": variant.players} for name, variant in NAMED_VARIANTS.items()]
        return JSONResponse(
            {"agents": agents, "favourite": hall.offers.favourite, "variants": variants, "games": games}
        )

    async def record(request: Request) -> Response:
        return _download(hall, request, lambda table: write_hle(table.record()), "record")

    async def hanablive(request: Request) -> Response:
        return _download(hall, request, lambda table: write_json(table.record()), "hanablive")

    async def link(request: Request) -> Response:
        return _download(hall, request, lambda table: {"url": write_url(table.record())}, None)

    async def talk(websocket: WebSocket) -> None:
        await _talk(hall, websocket)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        hall.close()

    app = Starlette(
        routes=[
            Route("/", front_page),
            Route("/api/lobby", lobby),
            Route("/api/games/{id}/record", record),
            Route("/api/games/{id}/hanablive", hanablive),
            Route("/api/games/{id}/link", link),
            WebSocketRoute("/socket", talk),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        lifespan=lifespan,
    )
    app.add_middleware(Gate, host=host)
    return app


def _download(hall: Hall, request: Request, write: Callable[[Table], Any], name: str | None) -> Response:
    """A finished game in one of its written forms. A running game's record holds the deck, so there is none of it."""
    id = request.path_params["id"]
    try:
        table = hall.tables.get(id) or hall.shelf.load(id)
        if not table.is_done:
            raise UserError(
                "The game is still running, and its record holds every card; finish it or give it up first."
            )
        written = write(table)
    except UserError as error:
        return JSONResponse({"error": str(error)}, 404)
    headers = {} if name is None else {"Content-Disposition": f'attachment; filename="{table.id}.{name}.json"'}
    return Response(json.dumps(written) + "\n", media_type="application/json", headers=headers)


async def _talk(hall: Hall, websocket: WebSocket) -> None:
    """One page's socket, from hello to good-bye."""
    await websocket.accept()
    client = websocket.client
    visitor = Visitor(is_local=client is not None and is_loopback(client.host))
    try:
        hall.enter(visitor)
    except UserError as error:
        await websocket.send_json({"type": "error", "about": None, "sentence": str(error)})
        await websocket.close(1013)
        return
    writer = asyncio.create_task(_write(websocket, visitor))
    try:
        while True:
            received = await websocket.receive()
            if received["type"] == "websocket.disconnect":
                break
            await _hear(hall, visitor, received.get("text"))
    except (WebSocketDisconnect, RuntimeError):  # the latter when the writer has hung up
        pass
    finally:
        hall.leave(visitor)
        writer.cancel()


async def _hear(hall: Hall, visitor: Visitor, text: str | None) -> None:
    """Act on one message; whatever is wrong with it, the page is told and nothing else happens."""
    about = None
    try:
        message = read_message(text)
        about = type(message).__name__.lower()
        await hall.hear(visitor, message)
    except UserError as error:
        visitor.tell(type="error", about=about, sentence=str(error))
    except Exception:
        log.exception("a message failed")
        visitor.tell(type="error", about=about, sentence="Something went wrong; the server's log says what.")


async def _write(websocket: WebSocket, visitor: Visitor) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while (text := await visitor.outbox.get()) is not None:
            await websocket.send_text(text)
        await websocket.close(1008)


def open_socket(host: str, port: int) -> socket.socket:
    """Take a port, or say in a sentence why not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, or asyncio would not switch off Nagle's delay, which costs 40 ms a move.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host.strip("[]"), port))
        listening.listen(128)
    except (OSError, OverflowError) as error:
        listening.close()
        raise UserError(
            f"Cannot listen on {host}, port {port} ({getattr(error, 'strerror', None) or error}); "
            "choose another with --port, or --port 0 for any free one."
        ) from None
    return listening


def build_server(hall: Hall, *, host: str = LOOPBACK) -> uvicorn.Server:
    """Put the server together; its `run` takes the sockets to listen on."""
    config = uvicorn.Config(
        build_app(hall, host=host),
        log_level="warning",
        ws="websockets-sansio",
        ws_max_size=HARD_LIMIT,
        ws_per_message_deflate=False,  # packing costs more than loopback does
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config)


@contextlib.contextmanager
def serve_in_thread(hall: Hall, *, port: int = 0) -> Iterator[str]:
    """Serve the page on loopback from a thread until the block ends; gives its address. For tests and pictures."""
    with open_socket(LOOPBACK, port) as listening:
        server = build_server(hall)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield f"http://{LOOPBACK}:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def serve(favourite: str, *, host: str, port: int, games: Path, runs: Path, announce: Callable[[str], None]) -> None:
    """Serve the page until Ctrl-C.

    Args:
        favourite: The agent that the page proposes.
        host: Where to listen.
        port: On which port; 0 takes any free one.
        games: Folder of saved games.
        runs: Folder whose finished runs are offered as agents.
        announce: Called with the address when the server listens.
    """
    with open_socket(host, port) as listening:
        server = build_server(Hall(Offers(favourite, runs), Shelf(games)), host=host)
        named = f"[{host}]" if ":" in host else host
        announce(f"http://{named}:{listening.getsockname()[1]}/")
        server.run(sockets=[listening])
