"""Play Hanabi with an agent, on a web page or in the terminal.

AGENT is an agent of the zoo (obl zoo), a run's folder, or a scripted player such as bot:iggi. The page lets you choose
others too, 2 to 5 seats and any variant; open the address that is printed. Games are saved after every move and offered
again after a restart. Only this machine can reach the page unless --host is given.

Example: obl play obl-1-a --port 8765
"""

import os
import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path

import tyro

from offbelief.nouns import UserError


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """With whom, and where."""

    agent: tyro.conf.Positional[str] = "obl-4-f"
    """Your partner."""
    port: int = 8765
    """Where the page is; 0 takes any free port."""
    host: str = "127.0.0.1"
    """Address to listen on; another than this machine's own lets others on the network in."""
    browser: bool = False
    """Open the page in a browser."""
    games: Path = Path("runs/games")
    """Folder of saved games."""
    runs: Path = Path("runs")
    """Folder whose finished runs the page offers as agents."""
    terminal: bool = False
    """Play here in the terminal, without a page."""
    variant: str | None = None
    """The rules, for --terminal; those of the agent if left out."""
    seed: int | None = None
    """The deal, for --terminal."""


def run(arguments: Arguments) -> int:
    """Play until the game ends or Ctrl-C."""
    from offbelief.agents.loading import load_table

    _, variant = load_table([arguments.agent], arguments.variant)
    if arguments.terminal:
        from offbelief.interfaces.terminal.play import play_in_terminal

        return play_in_terminal([arguments.agent], variant.name, arguments.seed, folder=arguments.games)
    if not 0 <= arguments.port <= 65535:
        raise UserError(f"--port is {arguments.port}; give a number from 0 to 65535.")
    if arguments.variant is not None or arguments.seed is not None:
        raise UserError("--variant and --seed go with --terminal; the page asks for them itself.")
    import torch

    from offbelief.interfaces.web.server import is_loopback, serve

    torch.set_num_threads(1)  # moves are chosen in small batches, which more threads only slow down
    # The thread that thinks asks for Python's lock at every operation of a network; 5 ms would be long for each.
    sys.setswitchinterval(0.0002)
    if not is_loopback(arguments.host):
        print(
            f"obl play: listening on {arguments.host}: everybody who can reach this machine can play, look at finished "
            "games and use its processor. Nothing is encrypted.",
            file=sys.stderr,
        )

    def announce(address: str) -> None:
        print(
            f"Play with {arguments.agent} at {address}  (Ctrl-C stops; games are kept in {arguments.games})", flush=True
        )
        if arguments.browser and _has_screen():
            webbrowser.open(address)

    try:
        serve(
            arguments.agent,
            host=arguments.host,
            port=arguments.port,
            games=arguments.games,
            runs=arguments.runs,
            announce=announce,
        )
    except KeyboardInterrupt:
        print("\nStopped. Unfinished games are offered when you start again.")
    return 0


def _has_screen() -> bool:
    """Whether a browser has somewhere to show itself; without, one for the terminal would take ours."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
