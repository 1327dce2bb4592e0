"""Draw the learning curves of the zoo's agents from benchmarks/results/curves.

Example: python experiments/learning_curves.py

Writes docs/results/learning-curves.svg (and, with --png, a PNG to look at).
"""

import argparse
import json
from pathlib import Path

from offbelief.evaluation.plots import draw_learning_curves, figure_as_svg

ROOT = Path(__file__).parents[1]
CURVES = ROOT / "benchmarks" / "results" / "curves"
FIGURE = ROOT / "docs" / "results" / "learning-curves"
PAPER = {"paper, level 1": 20.92, "paper, level 2": 23.41, "paper, level 3": 23.93, "paper, level 4": 24.10}


def main() -> None:
    """Draw one line per agent of the full two-player game, beside the paper's scores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--png", action="store_true", help="write a PNG too")
    arguments = parser.parse_args()
    curves = {
        path.stem: [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for path in sorted(CURVES.glob("*.jsonl"))
    }
    figure = draw_learning_curves(curves, references=PAPER)
    figure.patch.set_facecolor("white")
    (axes,) = figure.axes
    axes.set_xlabel("CPU-minutes of one core")
    axes.set_ylim(18, 24.5)
    FIGURE.with_suffix(".svg").write_bytes(figure_as_svg(figure))
    if arguments.png:
        figure.savefig(FIGURE.with_suffix(".png"), dpi=150)


if __name__ == "__main__":
    main()
