"""Sections of a report that tell what moves came to mean: levels, hints, answers, partings, losses, beliefs.

Each is a function from the plain numbers of `ladder_account.py` to pieces of HTML (`report.py`), and gives nothing
where there is nothing to tell. The other sections of a report are in `run_report.py`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from offbelief.evaluation.convention_plots import (
    draw_changed_answers,
    draw_hint_meanings,
    draw_levels,
    draw_nats,
    draw_next_moves,
    draw_reliability,
)
from offbelief.evaluation.conventions import CARDS, HINTS
from offbelief.evaluation.report import drawing, folded, heading, paragraph, table

LOSSES = ("discards", "misplays", "time", "strikes")
"""What points are lost to."""
BESIDE = 4
"""So many matrices fit beside each other."""


def levels_section(levels: Sequence[Mapping[str, Any]], most: float) -> list[str]:
    """How the levels of one climb or several get along.

    Args:
        levels: What `ladder_account.account_for_levels` gives.
        most: The highest score there is.
    """
    if len(levels) < 2:
        return []
    parts = [heading("Levels with each other")]
    several = any(pair["across"] is not None for pair in levels)
    head = ["levels", "within a climb"]
    if several:  # for one climb the cross-play matrix of the agents shows the same
        caption = "Mean score of every pair of levels, both seat orders, on the same deals."
        parts.append(drawing(draw_levels(levels, most), caption))
        head += ["across climbs", "error over disjoint pairs", "error over all pairs", "error over games"]
    errors = ("across_sem", "across_sem_over_pairs", "across_sem_over_games")
    rows = [
        [
            " with ".join(map(str, pair["levels"])),
            f"{pair['within']:.2f}{_error(pair['within_sem'])}",
            *([f"{pair['across']:.2f}", *(_number(pair[error]) for error in errors)] if several else []),
        ]
        for pair in levels
    ]
    note = (
        "Levels of one climb grow out of each other and are no strangers. Pairs that share a climb are not "
        "independent, so the error over all pairs, which the paper gives, is too small; an error over disjoint pairs "
        "needs four climbs or more."
        if several
        else "Levels of one climb grow out of each other and are no strangers; give a second climb to see those."
    )
    return [*parts, table(head, rows), paragraph(note, "small")]


def hints_section(account: Mapping[str, Any]) -> list[str]:
    """What hints say about cards."""
    by_agent = {name: found["hints"] for name, found in account["agents"].items()}
    rows = []
    for hint in HINTS:
        for name, found in by_agent.items():
            cells = [_percents(found[hint][cards]) for cards in CARDS]
            rows.append([f"{hint}: {name}", f"{account['agents'][name]['moves_per_game'][hint]:.1f}", *cells])
    caption = (
        "Cards of a hand that was given a hint: those it touched; of these, those touched for the first time, the "
        "newest and the oldest of several; and those it did not touch. Above, the share that could be played when the "
        "hint was given; below, the share that their owner played within its next two turns."
    )
    return [
        heading("What hints came to mean"),
        drawing(draw_hint_meanings(by_agent), caption),
        table(["hint", "a game", *CARDS], rows),
        paragraph(
            f"Percent playable / played soon, over {account['games']:,} games of every agent with itself. A hint that "
            "means 'play this' touches playable cards far more often than it leaves them out.",
            "small",
        ),
    ]


def answers_section(account: Mapping[str, Any]) -> list[str]:
    """Which move follows which, and what changes from one agent to the next."""
    counts = {name: found["next_moves"]["counts"] for name, found in account["agents"].items()}
    parts = [heading("How moves are answered")]
    caption = (
        "Share of each move (row) that was answered by each other (column). d and p discard and play a slot, 0 holding "
        "the oldest card; letters and numbers are hints of a colour or rank."
    )
    for names in _few(list(counts)):
        parts.append(drawing(draw_next_moves(account["moves"], {name: counts[name] for name in names}), caption))
        caption = "The same for the next agents."
    told = ", ".join(f"{name} {found['next_moves']['information']:.3f}" for name, found in account["agents"].items())
    parts.append(paragraph(f"How much a move says about the next, in nats: {told}."))
    pairs = [(change["agents"][0], change["agents"][1]) for change in account["changes"]]
    for few in _few(pairs):
        drawn = draw_changed_answers(account["moves"], counts, few)
        parts.append(drawing(drawn, "How these shares change from one agent to the other."))
    rows = [
        [" → ".join(change["agents"]), one["move"], one["answer"], f"{one['before']:.0%}", f"{one['after']:.0%}"]
        for change in account["changes"]
        for one in change["largest"]
    ]
    head = ["largest changes", "move", "answer", "before", "after"]
    return [*parts, *([table(head, rows, style="text")] if rows else [])]


def partings_section(account: Mapping[str, Any]) -> list[str]:
    """Where one agent would leave the other's path."""
    if not account["changes"]:
        return []
    rows = [
        [
            *change["agents"],
            f"{change['same']:.1%}",
            f"{change['whole_games']:.1%}",
            "never" if change["first_turn"] is None else f"{change['first_turn']:.0f}",
        ]
        for change in account["changes"]
    ]
    parts = [
        heading("Where agents part"),
        paragraph("One agent plays; the other is shown the game and says at every turn what it would do."),
        table(["plays", "is asked", "same moves", "whole games", "first parts at turn (median)"], rows),
    ]
    for change in account["changes"]:
        first, second = change["agents"]
        for told in change["told"]:
            title = f"Deal {told['game']}, turn {told['turn'] + 1}: {first} would {told['move_a']}, {second} "
            title += f"would {told['move_b']}"
            text = f"{told['table']}\n\n{first}: {told['mind_a']}\n{second}: {told['mind_b']}"
            parts.append(folded(title, text))
    return parts


def losses_section(account: Mapping[str, Any]) -> list[str]:
    """What the missing points were lost to."""
    head = ["agent", *LOSSES]
    rows = [[name, *(f"{found['losses'][cause]:.2f}" for cause in LOSSES)] for name, found in account["agents"].items()]
    note = (
        "Points a game misses, by their cause: put out of reach by discards, by cards that were played and did not "
        "fit, within reach when time ran out, lost with the last life. With the score they add up to the full one."
    )
    return [heading("Where points are lost"), table(head, rows), paragraph(note, "small")]


def beliefs_section(beliefs: Sequence[Mapping[str, Any]]) -> list[str]:
    """What learned beliefs know, and whether they can be trusted.

    Args:
        beliefs: What `ladder_account.account_for_beliefs` gives.
    """
    if not beliefs:
        return []
    rows = [row for found in beliefs for row in _belief_rows(found)]
    head = ["belief", "games", "grounded", "learned", "calibration error", "judged states", "learned", "judge"]
    parts = [
        heading("What the beliefs know"),
        paragraph(
            "Nats per card: how surprising the cards really held are, given the older ones; 0 for somebody who knows. "
            "Card counting (grounded) reads nothing into moves. The judge applies Bayes' rule along the whole history, "
            "allowing for exploration as the belief does; it is slow and looks at fewer states."
        ),
        table([*head, "gap"], rows),
    ]
    by_name = {found["name"]: found["noisy"] for found in beliefs}
    for names in _few(list(by_name)):
        few = {name: by_name[name] for name in names}
        caption = "Noisy games. Left to right: all states and judged ones; by slot; by what hints named; by turn."
        parts.append(drawing(draw_nats(few), caption))
        caption = (
            "What was said of a kind for a card, given the older cards, against how often it was so; kinds that were "
            "impossible or certain left out. The error is the mean distance over all predictions."
        )
        parts.append(drawing(draw_reliability(few), caption))
    return parts


def _belief_rows(found: Mapping[str, Any]) -> Iterator[list[str]]:
    for sort in ("greedy", "noisy"):
        measured, judged = found[sort], found[sort]["judged"]
        row = [found["name"], sort, f"{measured['grounded']:.3f}", f"{measured['learned']:.3f}"]
        row.append(f"{measured['reliability']['learned']['error']:.3f}")
        if judged:
            exact = "all exact" if judged["exact"] == judged["states"] else f"{judged['exact']} exact"
            row += [f"{judged['states']}, {exact}"]
            row += [f"{judged[speaker]:.3f}" for speaker in ("learned", "judge")]
            row.append(f"{judged['gap']:.3f}{_error(judged['gap_sem'], '.3f')}")
        yield row


def _few(all_: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """A few at a time, as many as fit beside each other."""
    for start in range(0, len(all_), BESIDE):
        yield all_[start : start + BESIDE]


def _percents(found: Mapping[str, Any]) -> str:
    return f"{found['playable']:.0%} / {found['played']:.0%}" if found["cards"] else ""


def _error(value: float | None, form: str = ".2f") -> str:
    return "" if value is None else f" ± {value:{form}}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
