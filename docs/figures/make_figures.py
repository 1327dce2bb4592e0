"""Draw the pictures of the documentation. Every number in them is computed by the library on the spot.

    python docs/figures/make_figures.py [FOLDER] [--png]

writes the SVG files into FOLDER (this one if left out); `--png` adds a PNG of each on a light and on a dark page, to
look at. Text stands on its own pale ground and lines are mid grey, so that the pictures read well in both modes.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

import offbelief
from offbelief.games.counterexamples import disagreement

INK, LINE, PAPER = "#1f2933", "#8a94a0", "#f6f4ee"
BLUE, ORANGE, GREEN, SAND = "#cfe3f6", "#fbdcc0", "#d3ead2", "#f3ead0"
STRONG_BLUE, STRONG_ORANGE, STRONG_GREEN = "#2b6cb0", "#c2570c", "#2f7d32"

ROOMS = (
    ("games", "what can happen?", "toy game, tiny Hanabi,\nrandom games, JSON files,\nHanabi", BLUE),
    ("beliefs", "what might be true?", "exact belief of pi0,\ngrounded belief,\ncard counting", BLUE),
    ("agents", "who chooses?", "policies over histories,\nrule-based players", BLUE),
    ("learning", "how are policies found?", "the OBL operator,\nexact baselines,\nsampled learners", ORANGE),
    ("evaluation", "what did we get?", "values, cross-play,\nstandard errors", GREEN),
    ("interfaces", "how do people get in?", "the command obl,\nfigures, reports,\nbenchmarks", GREEN),
)
FOUNDATION = "shared by all rooms: errors, nouns, random streams, compile settings"


def draw_flow() -> Figure:
    """The rooms of the package and the one way that data flows through them."""
    width, height, gap_x, gap_y = 3.1, 1.75, 0.75, 0.85
    figure, axes = _canvas(3 * width + 2 * gap_x, 2 * height + gap_y + 0.75)
    lower, upper = 0.75, 0.75 + height + gap_y
    for number, (name, question, holds, colour) in enumerate(ROOMS):
        left = (number % 3) * (width + gap_x)
        bottom = upper if number < 3 else lower
        _box(axes, left, bottom, width, height, colour)
        middle = left + width / 2
        axes.text(middle, bottom + 1.43, name, ha="center", va="center", size=15, weight="bold", color=INK)
        axes.text(middle, bottom + 1.13, question, ha="center", va="center", size=10.5, style="italic", color=INK)
        axes.text(middle, bottom + 0.9, holds, ha="center", va="top", size=10.5, color=INK, linespacing=1.3)
        if number % 3 < 2:
            right, centre = left + width, bottom + height / 2
            _arrow(axes, [(right + 0.07, centre), (right + gap_x - 0.07, centre)])
    half_way = lower + height + gap_y / 2
    from_x, to_x = 2 * (width + gap_x) + width / 2, width / 2
    _arrow(axes, [(from_x, upper - 0.05), (from_x, half_way), (to_x, half_way), (to_x, lower + height + 0.05)])
    _box(axes, 0, 0.05, 3 * width + 2 * gap_x, 0.42, SAND)
    axes.text((3 * width + 2 * gap_x) / 2, 0.26, FOUNDATION, ha="center", va="center", size=10.5, color=INK)
    return figure


def draw_counterexample() -> Figure:
    """The game `disagreement` as a tree, with what each form of the operator makes of it."""
    tree = offbelief.unroll(disagreement())
    arrays, tables = tree.arrays, tree.tables
    forms = {
        name: offbelief.obl(offbelief.uniform_policy(tree), offbelief.OblSettings(operator=name, temperature="limit"))
        for name in ("counterfactual", "bellman")
    }
    pi0, pi1 = offbelief.uniform_policy(tree), forms["counterfactual"].policy
    assumed = offbelief.exact_belief(tree, pi0).at_decisions
    in_truth = offbelief.exact_belief(tree, pi1).at_decisions
    place = _lay_out(tree)
    figure, axes = _canvas(10.2, 7.0)
    top = (float(np.mean([place[node][0] for node in range(len(arrays.start_probability))])), 6.75)
    for node in range(tree.num_nodes):
        before = int(arrays.parent[node])
        start = top if before < 0 else place[before]
        axes.plot([start[0], place[node][0]], [start[1], place[node][1]], color=LINE, lw=1.6, zorder=1)
    for decision in np.unique(arrays.decision[arrays.decision >= 0]):
        members = np.flatnonzero(arrays.decision == decision)
        if len(members) > 1:  # the player cannot tell these nodes apart
            (left, height), (right, _) = place[int(members[0])], place[int(members[-1])]
            axes.plot([left, right], [height, height], color=STRONG_ORANGE, lw=1.6, ls=(0, (4, 3)), zorder=1)
    _label(axes, *top, "deal", SAND)
    for node in range(tree.num_nodes):
        x, y = place[node]
        before = int(arrays.parent[node])
        actor = int(arrays.acting_player[node])
        if before < 0:
            prize = tables.observation_name(1, int(arrays.state[node]))
            _label(axes, *_between(top, place[node]), f"{prize}\nprobability {tables.start_probability[node]:g}", PAPER)
        else:
            slot = int(arrays.edge_slot[arrays.edge[node]])
            entry = int(arrays.entry_start[arrays.decision[before]]) + slot
            said = tables.action_names[tree.entry_action[entry]]
            if tables.player_names[arrays.acting_player[before]] == "Bob":
                said += f"\nπ0 {pi0.probs[entry]:g}, π1 {pi1.probs[entry]:g}"
            _label(axes, *_between(place[before], place[node]), said, PAPER, size=9)
        if actor >= 0:
            _label(axes, x, y, tables.player_names[actor], BLUE if actor == 0 else ORANGE, size=11, weight="bold")
        else:
            _label(axes, x, y, f"{tables.edge_reward[arrays.edge[node]]:+g}".replace("+0", "0"), GREEN, size=11)
    second = tree.history_by_name["Alice: Alice go, Bob continue"]
    members = np.flatnonzero(arrays.decision == second)
    good, bad = (int(node) for node in members)
    middle = (place[good][0] + place[bad][0]) / 2
    note = (
        "good : bad, as Alice sees it here\n"
        f"drawn from π0   {assumed[good]:g} : {assumed[bad]:g}\n"
        f"if Bob plays π1   {in_truth[good]:g} : {in_truth[bad]:g}"
    )
    _label(axes, middle, place[good][1] + 1.05, note, SAND, size=9.5)
    go = [int(np.flatnonzero(tree.entry_action == tables.action_names.index(name))[0]) for name in ("safe", "go")]
    for column, (name, level) in enumerate(forms.items()):
        safe_value, go_value = level.q_values[go]
        chosen = "go" if go_value > safe_value else "safe"
        text = (
            f"{name} form\nQ(go) = {go_value:g}    Q(safe) = {safe_value:g}\n"
            f"Alice plays {chosen}, J = {offbelief.value(level.policy):g}"
        )
        _label(axes, middle + (5.2 * column - 2.6), 0.45, text, (GREEN, ORANGE)[column], size=11)
    return figure


def draw_drift() -> Figure:
    """Self-play and cross-play of noisy OBL levels on the toy game, with and without the mixed belief."""
    tree = offbelief.unroll(offbelief.ToyCommunicationGame())
    num_runs, num_levels, noise = 20, 6, 0.1
    cases = (
        ("T = 0.05, eps = 0", {"temperature": 0.05}, STRONG_ORANGE),
        ("T = 2, eps = 0", {"temperature": 2.0}, STRONG_BLUE),
        ("T = 0.05, eps = 0.01", {"temperature": 0.05, "belief_epsilon": 0.01}, STRONG_GREEN),
    )
    figure, axes = plt.subplots(figsize=(7.2, 3.9), facecolor="white", layout="constrained")
    for label, settings, colour in cases:
        runs = [
            offbelief.obl_levels(tree, num_levels, offbelief.OblSettings(**settings), noise=_noise(seed, tree, noise))
            for seed in range(num_runs)
        ]
        teams = [offbelief.crossplay([run[level].policy for run in runs]) for level in range(num_levels)]
        levels = range(1, num_levels + 1)
        axes.plot(levels, [team.self_play.mean for team in teams], "--", color=colour, lw=1.5)
        axes.plot(levels, [team.cross_play.mean for team in teams], "-", color=colour, lw=2.2, label=label)
    axes.plot([], [], "-", color=INK, lw=2.2, label="cross-play (solid)")
    axes.plot([], [], "--", color=INK, lw=1.5, label="self-play (dashed)")
    axes.set(xlabel="OBL level", ylabel="score", ylim=(0, 10.5), xticks=range(1, num_levels + 1))
    axes.set_title(f"Toy game, {num_runs} runs, noise of {noise:g} in the Q-values", size=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


FIGURES: dict[str, Callable[[], Figure]] = {
    "flow": draw_flow,
    "counterexample": draw_counterexample,
    "drift": draw_drift,
}


def _noise(seed: int, tree: Any, size: float) -> Callable[[int], Any]:
    return lambda level: np.random.default_rng((seed, level)).normal(0.0, size, tree.num_entries)


def _canvas(width: float, height: float) -> tuple[Figure, Axes]:
    """One axes over the whole picture, in units of an inch, on a transparent ground."""
    figure = plt.figure(figsize=(width + 0.2, height + 0.1))
    figure.patch.set_alpha(0.0)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(-0.1, width + 0.1), ylim=(0.0, height + 0.1))
    axes.axis("off")
    return figure, axes


def _box(axes: Axes, left: float, bottom: float, width: float, height: float, colour: str) -> None:
    shape = "round,pad=0,rounding_size=0.12"
    axes.add_patch(FancyBboxPatch((left, bottom), width, height, boxstyle=shape, fc=colour, ec=LINE, lw=1.2))


def _arrow(axes: Axes, corners: list[tuple[float, float]]) -> None:
    xs, ys = zip(*corners, strict=True)
    axes.plot(xs[:-1], ys[:-1], color=LINE, lw=2.5, solid_capstyle="round")
    shape = {"arrowstyle": "-|>,head_width=0.4,head_length=0.7", "color": LINE, "lw": 2.5, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", corners[-1], corners[-2], arrowprops=shape)


def _label(axes: Axes, x: float, y: float, text: str, ground: str, size: float = 10, weight: str = "normal") -> None:
    ground_shape = {"boxstyle": "round,pad=0.35", "fc": ground, "ec": LINE, "lw": 0.8}
    centred: dict[str, Any] = {"ha": "center", "va": "center", "linespacing": 1.35, "zorder": 3}
    axes.text(x, y, text, size=size, weight=weight, color=INK, bbox=ground_shape, **centred)


def _between(start: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    return (start[0] + end[0]) / 2, (start[1] + end[1]) / 2


def _lay_out(tree: Any) -> dict[int, tuple[float, float]]:
    """Leaves side by side, every other node above the middle of its children; one row per depth.

    Starts of the right half are mirrored, so that nodes that look alike to a player come to lie close together.
    """
    arrays = tree.arrays
    children: dict[int, list[int]] = {}
    for node, before in enumerate(arrays.parent):
        children.setdefault(int(before), []).append(node)
    depth = np.searchsorted(arrays.node_start, np.arange(tree.num_nodes), side="right") - 1
    place: dict[int, tuple[float, float]] = {}
    next_leaf = [0.45]

    def put(node: int, order: int) -> float:
        if node in children:
            x = float(np.mean([put(child, order) for child in children[node][::order]]))
        else:
            x = next_leaf[0]
            next_leaf[0] += 1.33
        place[node] = (x, 5.6 - 1.4 * depth[node])
        return x

    for number, start in enumerate(children[-1]):
        put(start, 1 if 2 * number < len(children[-1]) else -1)
    return place


def save(folder: Path, *, png: bool = False) -> list[Path]:
    """Draw every figure into a folder and say which files were written."""
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "offbelief", "svg.fonttype": "path", "font.family": "DejaVu Sans"})
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, draw in FIGURES.items():
        figure = draw()
        written.append(folder / f"{name}.svg")
        figure.savefig(written[-1], metadata={"Date": None})
        if png:
            see_through = figure.patch.get_alpha() == 0.0
            for page, colour in (("light", "#ffffff"), ("dark", "#0d1117")):
                if see_through:
                    figure.patch.set(facecolor=colour, alpha=1.0)
                figure.savefig(folder / f"{name}-{page}.png", dpi=90)
        plt.close(figure)
    return written


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Draw the pictures of the documentation.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent)
    parser.add_argument("--png", action="store_true", help="also PNGs on a light and a dark page")
    arguments = parser.parse_args()
    for path in save(arguments.folder, png=arguments.png):
        print(path)
