"""What people see of a run in training."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from offbelief.interfaces import progress as shown
from offbelief.learning.progress import Progress

EARLY = Progress(
    step=10,
    steps=100,
    cpu_minutes=1.0,
    transitions=1000,
    updates=40,
    games=20,
    loss=0.25,
    figures={},
    shares={"play": 0.5, "learn": 0.5},
)
LATER = replace(EARLY, step=20, transitions=3000, updates=80, games=40, cpu_minutes=2.0)
JUDGED = replace(LATER, figures={"score": 7.0, "sem": 0.1, "third_strike": 0.02})


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets: clock[0] is now."""
    now = [0.0]
    monkeypatch.setattr(shown.time, "monotonic", lambda: now[0])
    return now


def test_pace_is_per_second_between_the_looks(clock):
    pace = shown.Pace()
    pace.look(EARLY)
    assert ({}, None) == (pace.rates(), pace.seconds_left())
    clock[0] = 10.0
    pace.look(LATER)
    assert {"games": 2.0, "updates": 4.0, "transitions": 200.0} == pace.rates()
    # Ten steps took ten seconds, and eighty are left.
    assert 80.0 == pace.seconds_left()


def test_rates_forget_what_was_long_ago(clock):
    pace = shown.Pace()
    pace.look(replace(EARLY, transitions=0))
    for second in range(1, shown.WINDOW + 2):
        clock[0] = 1000.0 + second
        pace.look(replace(EARLY, transitions=1_000_000 + 5 * second))
    assert {"transitions": pytest.approx(5.0)} == pace.rates()


def test_nothing_is_foretold_before_the_number_of_steps_is_settled(clock):
    pace = shown.Pace()
    pace.look(replace(EARLY, steps=0))
    clock[0] = 10.0
    pace.look(replace(LATER, steps=0))
    assert pace.seconds_left() is None
    assert "timing the first steps" == shown.describe_share(replace(LATER, steps=0))


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ({"score": 7.0, "sem": 0.1, "third_strike": 0.02}, "score 7.00 ± 0.10  third strike 2.0%"),
        ({"nats_per_card": 1.338, "grounded": 1.437}, "nats per card 1.338  grounded 1.437"),
        ({}, ""),
    ],
)
def test_figures_of_any_run_are_shown_by_their_names(figures, expected):
    assert expected == shown.describe_figures(figures)


def test_without_a_terminal_there_is_a_line_per_evaluation_and_one_after_a_long_silence(clock, capsys):
    with shown.LineDisplay() as display:
        display.tick(EARLY)
        clock[0] = 10.0
        display.report(JUDGED)
        clock[0] = 10.0 + shown.QUIET_SECONDS
        display.tick(LATER)
        clock[0] += 1.0
        display.tick(LATER)
    first, second = capsys.readouterr().out.splitlines()
    assert (
        " 20%  score 7.00 ± 0.10  third strike 2.0%  2.0 CPU-min, 80 s to go  "
        "2 games/s  4 updates/s  200 transitions/s  loss 0.250  (playing 50%, learning 50%)"
    ) == first
    assert second.startswith(" 20%  2.0 CPU-min")


def test_live_display_shows_bar_figures_speed_and_stages(clock):
    output = io.StringIO()
    console = Console(file=output, force_terminal=True, width=100, color_system=None)
    display = shown.LiveDisplay("runs/one", console)
    with display:
        display.tick(EARLY)
        clock[0] = 10.0
        display.report(JUDGED)
        display.say("A checkpoint is broken.")
    with console.capture() as capture:
        console.print(display.picture(LATER))
    top, *facts = capture.get().splitlines()
    assert top.startswith("runs/one  ━")
    assert top.rstrip().endswith("20%  2.0 CPU-min, 80 s to go")
    assert "score 7.00 ± 0.10  third strike 2.0%  loss 0.250" in facts[0]  # of the last evaluation
    assert "2 games/s  4 updates/s  200 transitions/s" in facts[1]
    assert "playing 50%, learning 50%" in facts[2]
    assert " 20%  score 7.00 ± 0.10  third strike 2.0%  2.0 CPU-min  loss 0.250\n" in output.getvalue()
    assert "A checkpoint is broken.\n" in output.getvalue()


def test_display_is_live_in_a_terminal_only(monkeypatch):
    assert isinstance(shown.open_display("a"), shown.LineDisplay)
    monkeypatch.setattr(shown, "Console", lambda: Console(file=io.StringIO(), force_terminal=True))
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(shown.open_display("a"), shown.LiveDisplay)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(shown.open_display("a"), shown.LineDisplay)
