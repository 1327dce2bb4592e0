"""Exact level 1 of Hanabi variants whose whole tree fits: how large they are, and what each form of OBL scores.

Example: python experiments/small_hanabi.py

Writes benchmarks/results/small_hanabi.json; `python benchmarks/tables.py` puts it into docs/games/hanabi.md. The
largest takes 3 GB and half a minute of one core.
"""

import argparse
import json
import time
from pathlib import Path

from offbelief.beliefs.exact import grounded_belief
from offbelief.games.catalogue import HANABI, find_game
from offbelief.games.tree import unroll
from offbelief.learning.exact_baselines import value
from offbelief.learning.exact_obl import OblSettings, obl_from_belief

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "small_hanabi.json"
VARIANTS = {
    "2p-1c-2r-h1-i1-l1": "the smallest",
    "2p-1c-3r-h2-i1-l2": "the forms differ",
    "3p-1c-3r-h1-i1-l1": "three players",
    "2p-1c-3r-h2-i3-l1": "three hint tokens",
    "2p-2c-2r-h1-i1-l1": "two colours",
    "2p-2c-2r-h3-i1-l1": "the largest",
}


def main() -> None:
    """Solve every variant by both forms, from the grounded belief, in the limit T -> 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("variants", nargs="*", default=list(VARIANTS), help="other variants than the usual")
    parser.add_argument("--out", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    rows = []
    for name in arguments.variants:
        started = time.process_time()
        tree = unroll(find_game(f"{HANABI}{name}"))
        belief = grounded_belief(tree)
        rows.append(
            {
                "variant": name,
                "why": VARIANTS.get(name, ""),
                "trajectories": tree.num_nodes,
                "histories": tree.num_histories,
                "decisions": tree.num_decisions,
                **{
                    form: value(obl_from_belief(belief, OblSettings(operator=form, temperature="limit")).policy)
                    for form in ("counterfactual", "bellman")
                },
                "cpu_seconds": round(time.process_time() - started, 1),
            }
        )
        print(json.dumps(rows[-1]), flush=True)
    arguments.out.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
