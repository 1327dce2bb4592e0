"""Waiting for a key, in a pseudo-terminal and in a pipe."""

import io
import os
import sys
import threading
import time

import pytest

from offbelief.interfaces.terminal.keys import KeyWaiter

termios = pytest.importorskip("termios", reason="single keys are read on POSIX only")


@pytest.fixture
def keyboard(monkeypatch):
    """The other end of a terminal that stands in for stdin."""
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "r", encoding="utf-8") as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        yield ours
    os.close(ours)


def press(keyboard: int, keys: bytes) -> None:
    # Pressed a little later, as people do: keys typed before a terminal reads singly may be held back for a whole line.
    threading.Thread(target=lambda: (time.sleep(0.1), os.write(keyboard, keys)), daemon=True).start()


@pytest.mark.parametrize(
    ("keys", "goes_on"), [(b" ", True), (b"\n", True), (b"\x1b[C", True), (b"q", False), (b"Q", False)]
)
def test_one_key_is_enough_in_a_terminal(keyboard, keys, goes_on, capsys):
    before = termios.tcgetattr(sys.stdin.fileno())
    waiter = KeyWaiter()
    press(keyboard, keys)
    assert goes_on == waiter.wants_more()
    assert before == termios.tcgetattr(sys.stdin.fileno())  # the terminal is as it was
    shown = capsys.readouterr()
    assert "any key" in shown.err
    assert "" == shown.out


def test_end_of_input_in_a_terminal_stops_the_waiting(keyboard):
    waiter = KeyWaiter()
    press(keyboard, b"\x04")
    assert waiter.wants_more()
    assert waiter.wants_more()  # would hang if it still waited


def test_pipe_is_read_by_lines_and_says_so(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("\nanything\nq\n"))
    waiter = KeyWaiter()
    assert "stdin is no terminal" in capsys.readouterr().err
    assert [True, True, False] == [waiter.wants_more() for _ in range(3)]


def test_end_of_a_pipe_plays_on(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    waiter = KeyWaiter()
    assert [True, True] == [waiter.wants_more() for _ in range(2)]
