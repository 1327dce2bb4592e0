"""Figures of what moves came to mean, from the plain numbers of `ladder_account.py`; nothing is computed here."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from offbelief.evaluation.conventions import CARDS, HINTS
from offbelief.evaluation.plots import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours that stay apart for colour-blind readers (Okabe and Ito), from low to high levels.
_LEVELS = ("#56B4E9", "#0072B2", "#009E73", "#E69F00", "#D55E00", "#CC79A7", "#999999", "#000000")
_SPEAKERS = {"grounded": "#BBBBBB", "learned": "#0072B2", "judge": "#E69F00"}


def draw_next_moves(moves: Sequence[str], counts: Mapping[str, Sequence[Sequence[int]]]) -> "Figure":
    """How often each move (row) is answered by each other (column), an agent beside the other.

    Args:
        moves: [A] short names.
        counts: [A, A] by agent.
    """
    figure = new_figure(0.9 + 3.7 * len(counts), 4.4)
    panels = figure.subplots(1, len(counts), squeeze=False)[0]
    image = None
    for axes, (name, table) in zip(panels, counts.items(), strict=True):
        image = axes.imshow(_shares(table), cmap="Blues", vmin=0.0, vmax=0.6)
        _name_moves(axes, moves)
        axes.set_title(name, fontsize=10)
    panels[0].set_ylabel("move")
    figure.supxlabel("next move", fontsize=10)
    assert image is not None
    figure.colorbar(image, ax=list(panels), shrink=0.75, label="share of the row", extend="max")
    return figure


def draw_changed_answers(
    moves: Sequence[str], counts: Mapping[str, Sequence[Sequence[int]]], pairs: Sequence[tuple[str, str]]
) -> "Figure":
    """How the answers change from one agent to another: the difference of two matrices, for every pair."""
    figure = new_figure(0.9 + 3.7 * len(pairs), 4.4)
    panels = figure.subplots(1, len(pairs), squeeze=False)[0]
    image = None
    for axes, (first, second) in zip(panels, pairs, strict=True):
        change = _shares(counts[second]) - _shares(counts[first])
        image = axes.imshow(change, cmap="RdBu_r", vmin=-0.5, vmax=0.5)
        _name_moves(axes, moves)
        axes.set_title(f"{first}\n→ {second}", fontsize=10)
    panels[0].set_ylabel("move")
    figure.supxlabel("next move", fontsize=10)
    assert image is not None
    figure.colorbar(image, ax=list(panels), shrink=0.75, label="change of the share", extend="both")
    return figure


def _shares(table: Sequence[Sequence[int]]) -> Any:
    counts = np.array(table)
    return counts / np.maximum(1, counts.sum(1, keepdims=True))


def _name_moves(axes: "Axes", moves: Sequence[str]) -> None:
    size = 7 if len(moves) <= 20 else 5
    axes.set_xticks(range(len(moves)), moves, fontsize=size, rotation=90 if len(moves) > 20 else 0)
    axes.set_yticks(range(len(moves)), moves, fontsize=size)
    axes.tick_params(length=0)


def draw_hint_meanings(hints: Mapping[str, Mapping[str, Mapping[str, Mapping[str, Any]]]]) -> "Figure":
    """Shares of hinted cards that were playable and that were played soon, by agent.

    Args:
        hints: By agent, then by kind of hint, then by which cards: ``playable`` and ``played``.
    """
    figure = new_figure(9.5, 5.2)
    panels = figure.subplots(2, 2, sharex=True, sharey=True)
    width = 0.8 / len(hints)
    for row, (what, label) in enumerate((("playable", "playable now"), ("played", "played within two turns"))):
        for axes, hint in zip(panels[row], HINTS, strict=True):
            for place, (name, found) in enumerate(hints.items()):
                heights = [100 * (found[hint][cards][what] or 0.0) for cards in CARDS]
                positions = np.arange(len(CARDS)) + (place - (len(hints) - 1) / 2) * width
                axes.bar(positions, heights, width, color=_LEVELS[place % len(_LEVELS)], label=name)
            axes.set_ylim(0, 100)
            axes.grid(axis="y", alpha=0.3)
            axes.set_axisbelow(True)
            axes.spines[["top", "right"]].set_visible(False)
            axes.set_xticks(range(len(CARDS)), CARDS)
            if row == 0:
                axes.set_title(f"{hint} hints", fontsize=10)
        panels[row][0].set_ylabel(f"percent {label}", fontsize=9)
    handles, names = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=min(4, len(hints)), fontsize=9, frameon=False)
    return figure


def draw_reliability(beliefs: Mapping[str, Mapping[str, Any]]) -> "Figure":
    """What beliefs said of cards against what happened, a panel per belief.

    Args:
        beliefs: By name, what `belief_account.measure` gives.
    """
    figure = new_figure(0.6 + 3.4 * len(beliefs), 3.6)
    panels = figure.subplots(1, len(beliefs), squeeze=False, sharey=True)[0]
    for axes, (name, found) in zip(panels, beliefs.items(), strict=True):
        axes.plot([0, 1], [0, 1], color="grey", linewidth=0.8, linestyle="--")
        for speaker, curve in found["reliability"].items():
            label = f"{speaker}, error {curve['error']:.3f}"
            axes.plot(curve["said"], curve["happened"], color=_SPEAKERS[speaker], marker="o", markersize=3, label=label)
        axes.set_title(name, fontsize=10)
        axes.set_xlabel("said")
        axes.grid(alpha=0.3)
        axes.set_aspect("equal")
        axes.legend(fontsize=8, loc="upper left", frameon=False)
    panels[0].set_ylabel("happened")
    return figure


def draw_nats(beliefs: Mapping[str, Mapping[str, Any]]) -> "Figure":
    """Nats per card of card counting, belief and judge; and of the first two by slot, by what hints named, by turn.

    Args:
        beliefs: By name, what `belief_account.measure` gives, with the judge's account under ``judged``.
    """
    figure = new_figure(11.5, 0.4 + 2.7 * len(beliefs))
    rows = figure.subplots(len(beliefs), 4, squeeze=False, sharey=True)
    for panels, (name, found) in zip(rows, beliefs.items(), strict=True):
        _bars(panels[0], {"all": found} | ({"judged": found["judged"]} if found["judged"] else {}))
        panels[0].set_ylabel(f"{name}\nnats per card")
        _bars(panels[1], {str(line["slot"]): line for line in found["by_slot"]})
        _bars(panels[2], found["by_hinted"])
        for speaker in ("grounded", "learned"):
            turns = [line["turn"] for line in found["by_turn"]]
            panels[3].plot(turns, [line[speaker] for line in found["by_turn"]], color=_SPEAKERS[speaker])
        for axes in panels:
            axes.grid(axis="y", alpha=0.3)
            axes.set_axisbelow(True)
            axes.spines[["top", "right"]].set_visible(False)
    for axes, label in zip(rows[-1], ("states", "slot, the oldest first", "named by hints", "turn"), strict=True):
        axes.set_xlabel(label)
    handles = [_patch(colour, speaker) for speaker, colour in _SPEAKERS.items()]
    figure.legend(handles=handles, loc="outside upper center", ncols=3, fontsize=9, frameon=False)
    return figure


def _bars(axes: "Axes", groups: Mapping[str, Mapping[str, Any]]) -> None:
    for place, found in enumerate(groups.values()):
        speakers = [speaker for speaker in _SPEAKERS if found.get(speaker) is not None]
        for index, speaker in enumerate(speakers):
            position = place + 0.26 * (index - (len(speakers) - 1) / 2)
            axes.bar(position, found[speaker], 0.24, color=_SPEAKERS[speaker])
    axes.set_xticks(range(len(groups)), list(groups))


def _patch(colour: str, label: str) -> Any:
    from matplotlib.patches import Patch

    return Patch(color=colour, label=label)


def draw_levels(levels: Sequence[Mapping[str, Any]], most: float) -> "Figure":
    """Scores of every pair of levels: within climbs, and across them where there are several.

    Args:
        levels: What `climbs.LevelPair.as_json` gives.
        most: The highest score there is.
    """
    kinds = [kind for kind in ("within", "across") if any(pair[kind] is not None for pair in levels)]
    numbers = sorted({level for pair in levels for level in pair["levels"]})
    figure = new_figure(1.4 + (0.8 + 1.0 * len(numbers)) * len(kinds), 1.3 + 0.8 * len(numbers))
    panels = figure.subplots(1, len(kinds), squeeze=False)[0]
    image = None
    lowest = np.floor(min(pair[kind] for pair in levels for kind in kinds if pair[kind] is not None)) - 1
    for axes, kind in zip(panels, kinds, strict=True):
        matrix = np.full((len(numbers), len(numbers)), np.nan)
        for pair in levels:
            low, high = (numbers.index(level) for level in pair["levels"])
            matrix[low, high] = matrix[high, low] = pair[kind]
            for row, column in {(low, high), (high, low)}:
                axes.text(column, row, f"{pair[kind]:.2f}", ha="center", va="center", fontsize=9)
        image = axes.imshow(matrix, cmap="RdYlGn", vmin=lowest, vmax=most)
        axes.set_xticks(range(len(numbers)), [f"level {number}" for number in numbers], fontsize=9)
        axes.set_yticks(range(len(numbers)), [f"level {number}" for number in numbers], fontsize=9)
        axes.set_title(f"{kind} climbs" if len(kinds) > 1 else "one climb", fontsize=10)
    assert image is not None
    figure.colorbar(image, ax=list(panels), shrink=0.8, label="score")
    return figure
