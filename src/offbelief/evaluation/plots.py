"""Figures from saved results; nothing is computed here. Imports matplotlib only when a figure is drawn."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from offbelief.evaluation.match import KNOWLEDGE
from offbelief.evaluation.tournament import Tournament
from offbelief.evaluation.toy_experiment import LEVELS, Drift, Panel, ToyResults

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

# Colours that stay apart for colour-blind readers (Okabe and Ito).
_COLOURS = ("#D55E00", "#E69F00", "#CC79A7", "#0072B2", "#009E73", "#56B4E9", "#666666")
_MARKERS = ("o", "^", "s")


def new_figure(width: float, height: float) -> "Figure":
    """Make a figure without a window, so that no display is needed."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save_figure(figure: "Figure", stem: Path) -> list[Path]:
    """Write a figure as PNG and PDF beside each other."""
    paths = [stem.with_suffix(".png"), stem.with_suffix(".pdf")]
    for path in paths:
        figure.savefig(path, dpi=150)
    return paths


def figure_as_svg(figure: "Figure") -> bytes:
    """A figure as SVG, for a page; the same figure gives the same bytes."""
    import matplotlib

    buffer = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "offbelief"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


def draw_toy_crossplay(results: ToyResults) -> "Figure":
    """Cross-play matrices of SP, OBL and CH as in the paper's Fig. 2, with the exact values below each."""
    figure = new_figure(12.0, 6.4)
    grid = figure.add_gridspec(2, LEVELS + 1)
    by_name = {panel.name: panel for panel in results.panels}
    image = None
    for row, method in enumerate(("OBL", "CH")):
        for level in range(1, LEVELS + 1):
            axes = figure.add_subplot(grid[row, level])
            image = _draw_panel(axes, by_name[f"{method} level {level}"])
    _draw_panel(figure.add_subplot(grid[0, 0]), by_name["SP"])
    _draw_toy_table(figure.add_subplot(grid[1, 0]), results)
    assert image is not None
    bar = figure.colorbar(image, ax=figure.axes, shrink=0.7, label="return")
    bar.set_ticks([-10, -5, 0, 1, 5, 10])
    figure.suptitle(
        f"Toy communication game: cross-play of {results.settings.runs} independent runs (row: Alice's, column: Bob's)"
    )
    return figure


def _draw_panel(axes: "Axes", panel: Panel) -> "AxesImage":
    image = axes.imshow(panel.crossplay.matrix, cmap="RdYlGn", vmin=-10, vmax=10)
    axes.set_xticks([])
    axes.set_yticks([])
    own, cross = panel.crossplay.self_play, panel.crossplay.cross_play
    axes.set_title(panel.name, fontsize=11)
    axes.set_xlabel(f"self-play {own.mean:.2f} (exact {panel.exact:g})\ncross-play {cross.mean:.2f}", fontsize=9)
    return image


def _draw_toy_table(axes: "Axes", results: ToyResults) -> None:
    axes.axis("off")
    lines = ["Exact values", ""]
    for method, values in results.exact.items():
        lines.append(f"{method}: {', '.join(f'{number:g}' for number in values)}")
    axes.text(0.0, 0.95, "\n".join(lines), va="top", ha="left", fontsize=9, transform=axes.transAxes)


def draw_toy_drift(results: ToyResults) -> "Figure":
    """What keeps the levels together: a hotter policy against a belief mixed with uniform play."""
    figure = new_figure(10.0, 4.6)
    axes = figure.subplots(1, 2, sharey=True)
    paper = results.drifts[0]
    hot = [paper, *(drift for drift in results.drifts if drift.temperature != paper.temperature)]
    mixed = [drift for drift in results.drifts if drift.temperature == paper.temperature]
    _draw_drifts(axes[0], hot, [f"T = {drift.temperature:g}" for drift in hot])
    axes[0].set_title("Higher temperature (belief from $\\pi_{k-1}$)")
    _draw_drifts(axes[1], mixed, [f"$\\epsilon$ = {drift.belief_epsilon:g}" for drift in mixed])
    axes[1].set_title(f"Belief from $(1-\\epsilon)\\pi_{{k-1}} + \\epsilon$ uniform (T = {paper.temperature:g})")
    axes[0].set_ylabel("return")
    noise = results.settings.drift_noise
    figure.suptitle(f"OBL levels with errors of {noise:g} in every Q-value: self-play (solid), cross-play (dashed)")
    return figure


def _draw_drifts(axes: "Axes", drifts: list[Drift], labels: list[str]) -> None:
    for index, (drift, label) in enumerate(zip(drifts, labels, strict=True)):
        colour = _COLOURS[index % len(_COLOURS)]
        levels = range(1, len(drift.self_play) + 1)
        # Curves that lie on each other stay visible: earlier markers are larger.
        size = 4.0 + 1.5 * (len(drifts) - index - 1)
        axes.plot(levels, drift.self_play, color=colour, marker="o", markersize=size, label=label)
        axes.plot(levels, drift.cross_play, color=colour, marker="s", markersize=size, linestyle="--")
    axes.set_xlabel("level")
    axes.set_xticks(range(1, len(drifts[0].self_play) + 1))
    axes.set_ylim(-1, 10.5)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=len(drifts), markerscale=0.7)


def draw_crossplay_matrix(result: Tournament) -> "Figure":
    """Mean score of every pair of agents, self-play on the diagonal."""
    count = len(result.agents)
    figure = new_figure(2.8 + 0.9 * count, 1.8 + 0.75 * count)
    axes = figure.subplots()
    image = axes.imshow(result.matrix, cmap="RdYlGn", vmin=0, vmax=result.variant.max_score)
    for row in range(count):
        for column in range(count):
            axes.text(column, row, f"{result.matrix[row, column]:.2f}", ha="center", va="center", fontsize=9)
    axes.set_xticks(range(count), result.agents, rotation=30, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(count), result.agents)
    figure.colorbar(image, ax=axes, shrink=0.8, label="score")
    axes.set_title(f"Cross-play, {result.variant.name}")
    return figure


def draw_learning_curves(
    curves: Mapping[str, Sequence[Mapping[str, float]]], *, references: Mapping[str, float] | None = None
) -> "Figure":
    """Score against CPU-minutes.

    Args:
        curves: by name, the lines of metrics.jsonl: cpu_minutes, score, sem.
        references: scores of others by name, drawn as horizontal lines.
    """
    figure = new_figure(7.5, max(4.0, 0.3 + 0.2 * len(curves)))  # room for every name of the legend
    axes = figure.subplots()
    _draw_curves(axes, curves, references or {})
    axes.set_xlabel("CPU-minutes")
    axes.set_ylabel("score of the averaged network")
    figure.legend(loc="outside right upper", fontsize=9, frameon=False)  # curves go everywhere, so it stays outside
    return figure


def draw_learning_panels(
    panels: Mapping[str, Mapping[str, Sequence[Mapping[str, float]]]], *, references: Mapping[str, float] | None = None
) -> "Figure":
    """The same for many runs: a panel per group of them, each with its own legend.

    Args:
        panels: curves as above, by the title of their panel.
        references: score of others by the title of the panel in which it is drawn.
    """
    columns = 2
    rows = -(-len(panels) // columns)
    figure = new_figure(5.2 * columns, 3.3 * rows)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, (title, curves) in zip(grid, panels.items(), strict=False):
        reference = (references or {}).get(title)
        _draw_curves(axes, curves, {} if reference is None else {"paper": reference})
        ends = [lines[-1]["score"] for lines in curves.values()]
        highest = max([line["score"] for lines in curves.values() for line in lines] + [reference or 0.0])
        axes.set_ylim(min(ends) - 1.2, highest + 0.2)  # the first minutes are steep, and alike
        axes.set_title(title, fontsize=10)
        axes.legend(loc="lower right", fontsize=8, frameon=False, ncols=2)
    for axes in grid[len(panels) :]:
        axes.set_visible(False)
    figure.supxlabel("CPU-minutes of one core", fontsize=10)
    figure.supylabel("score of the averaged network", fontsize=10)
    return figure


def _draw_curves(
    axes: "Axes", curves: Mapping[str, Sequence[Mapping[str, float]]], references: Mapping[str, float]
) -> None:
    for index, (name, lines) in enumerate(curves.items()):
        minutes, scores, errors = ([line[key] for line in lines] for key in ("cpu_minutes", "score", "sem"))
        colour = _COLOURS[(3 + index) % len(_COLOURS)]  # from the calm end
        marker = _MARKERS[index // len(_COLOURS) % len(_MARKERS)]  # where colours come again
        axes.errorbar(
            minutes, scores, yerr=errors, color=colour, marker=marker, markersize=3.5, linewidth=1.4, label=name
        )
    for name, score in references.items():
        axes.axhline(score, color="grey", linestyle="--", linewidth=1)
        beside = axes.get_yaxis_transform()
        axes.text(1.01, score, f"{name}: {score:.2f}", transform=beside, va="center", fontsize=7, color="grey")
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def draw_knowledge(shares_by_name: Mapping[str, Mapping[str, float]]) -> "Figure":
    """What players knew of the cards they played, a bar per team (paper, Fig. 4).

    Args:
        shares_by_name: fraction of the cards played by what their player knew of them, see `match.KNOWLEDGE`.
    """
    names = list(shares_by_name)[::-1]  # bars are drawn from below
    figure = new_figure(7.5, 1.3 + 0.45 * len(names))
    axes = figure.subplots()
    left = [0.0] * len(names)
    for kind, colour in zip(reversed(KNOWLEDGE), ("#0072B2", "#56B4E9", "#E69F00", "#BBBBBB"), strict=True):
        shares = [100.0 * shares_by_name[name][kind] for name in names]
        axes.barh(names, shares, left=left, color=colour, label=kind, height=0.65)
        for row, share in enumerate(shares):
            if share >= 4:  # a number needs room
                ink = "white" if kind == "both" else "black"
                axes.text(left[row] + share / 2, row, f"{share:.0f}", ha="center", va="center", fontsize=9, color=ink)
        left = [start + share for start, share in zip(left, shares, strict=True)]
    axes.set_xlim(0, 100)
    axes.set_xlabel("percent of the cards played")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=4, fontsize=9, frameon=False)
    return figure
