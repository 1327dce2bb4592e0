"""Draw the learning curves of the zoo's agents from benchmarks/results/curves.

Example: python experiments/learning_curves.py

Writes docs/results/learning-curves.svg (and, with --png, a PNG to look at).
"""

import argparse
import json
from pathlib import Path

from offbelief.evaluation.plots import new_figure

ROOT = Path(__file__).parents[1]
CURVES = ROOT / "benchmarks" / "results" / "curves"
FIGURE = ROOT / "docs" / "results" / "learning-curves"
PAPER_LEVEL_1 = 20.92


def main() -> None:
    """Draw one line per agent, beside the paper's level-1 score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--png", action="store_true", help="write a PNG too")
    arguments = parser.parse_args()
    figure = new_figure(7.0, 4.0)
    figure.patch.set_facecolor("white")
    axes = figure.subplots()
    for path in sorted(CURVES.glob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        minutes, scores = [line["cpu_minutes"] for line in lines], [line["score"] for line in lines]
        errors = [line["sem"] for line in lines]
        axes.errorbar(minutes, scores, yerr=errors, marker="o", markersize=3, linewidth=1.2, label=path.stem)
    axes.axhline(PAPER_LEVEL_1, color="grey", linestyle="--", label=f"paper, level 1: {PAPER_LEVEL_1}")
    axes.set_xlabel("CPU-minutes of one core")
    axes.set_ylabel("score of the averaged network, 1,000 games")
    axes.set_ylim(18, 21.5)
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(FIGURE.with_suffix(".svg"), metadata={"Date": None})
    if arguments.png:
        figure.savefig(FIGURE.with_suffix(".png"), dpi=150)


if __name__ == "__main__":
    main()
