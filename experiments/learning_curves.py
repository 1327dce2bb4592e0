"""Draw the learning curves of the zoo's agents from benchmarks/results/curves.

Example: python experiments/learning_curves.py

Writes docs/results/learning-curves.svg (and, with --png, a PNG to look at).
"""

import argparse
import json
from pathlib import Path

from offbelief.evaluation.plots import draw_learning_panels, figure_as_svg

ROOT = Path(__file__).parents[1]
CURVES = ROOT / "benchmarks" / "results" / "curves"
FIGURE = ROOT / "docs" / "results" / "learning-curves"
PAPER = {"OBL level 1": 20.92, "OBL level 2": 23.41, "OBL level 3": 23.93, "OBL level 4": 24.10}


def main() -> None:
    """Draw one line per agent, a panel per level, beside the paper's scores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--png", action="store_true", help="write a PNG too")
    arguments = parser.parse_args()
    panels: dict[str, dict[str, list[dict[str, float]]]] = {title: {} for title in PAPER}
    for path in sorted(CURVES.glob("*.jsonl")):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        panels.setdefault(panel_of(path.stem), {})[path.stem] = lines
    figure = draw_learning_panels(panels, references=PAPER)
    figure.patch.set_facecolor("white")
    FIGURE.with_suffix(".svg").write_bytes(figure_as_svg(figure))
    if arguments.png:
        figure.savefig(FIGURE.with_suffix(".png"), dpi=150)


def panel_of(name: str) -> str:
    """Where an agent of the zoo is drawn: two players by level, everything else by itself."""
    method, *rest = name.split("-")
    if method != "obl":
        return method.upper()
    return f"OBL level {rest[0]}" + (", three players" if "3p" in rest else "")


if __name__ == "__main__":
    main()
