"""Waiting for a key: one press in a terminal, one line from anything else."""

import os
import sys

_PROMPT = "-- Enter or any key: next move, q: stop --"


class KeyWaiter:
    """Waits between moves until the reader wants to go on.

    In a terminal any key does. Where stdin is a pipe or a file, a line does, and its end means to go on without
    waiting, which is said at the start. Everything is said on stderr, so that stdout holds the game alone.
    """

    def __init__(self) -> None:
        self._is_terminal = sys.stdin.isatty()
        self._has_ended = False
        if not self._is_terminal:
            _say("stdin is no terminal, so --step waits for a line instead of a key; at its end the game plays on.\n")

    def wants_more(self) -> bool:
        """Wait; False if the reader wants to stop."""
        if self._has_ended:
            return True
        if self._is_terminal:
            _say(_PROMPT)
            pressed = _read_key()
            _say("\r" + " " * len(_PROMPT) + "\r")
        else:
            pressed = sys.stdin.readline()
        self._has_ended = pressed == ""
        return pressed.strip().lower() != "q"


def _say(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)


def _read_key() -> str:
    """Read one key, or a line where single keys cannot be read; "" at the end of input."""
    try:
        import termios
        import tty
    except ImportError:  # not on Windows
        return sys.stdin.readline()
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal)  # not raw: Ctrl-C still interrupts
        pressed = os.read(terminal, 32)  # an arrow or function key sends several bytes and counts as one press
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    return "" if pressed == b"\x04" else pressed.decode(errors="replace")  # Ctrl-D ends input here as in line mode
