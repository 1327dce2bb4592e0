"""Write the speed table of README.md and docs/results/speed.md from benchmarks/results, so that no figure is typed.

Run the benchmarks first: `obl bench engine --out benchmarks/results/engine.json`, likewise `belief` and `exact`.
"""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
BEGIN, END = "<!-- speed: written by benchmarks/tables.py -->", "<!-- end of speed -->"

MEANINGS = {
    "engine.step": "Hanabi steps/s (legal mask, random move, step, new deals)",
    "engine.step_observe": "... with one canonical observation per step, as bits",
    "engine.step_observe.float32": "... as float32",
    "engine.step.two_threads": "... bare, two threads",
    "belief.sample": "exact hands/s from the grounded belief",
    "fictitious.transition": "imagined transitions/s (copy, redraw the hand, step)",
}


def read(name: str) -> dict[str, Any]:
    """One file of results."""
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def speed_table() -> str:
    """The table as Markdown, with machine, day and commands."""
    engine, belief, exact = read("engine"), read("belief"), read("exact")
    lines = ["| one core, full two-player game | ours | rival, same run | ratio |", "|---|---|---|---|"]
    for row in [*engine["results"], *belief["results"]]:
        if row["name"] in MEANINGS:
            lines.append(_line(MEANINGS[row["name"]], row))
    for row in exact["results"]:
        what = f"exact OBL, {row['operator']} form, {row['histories']:,} decision histories: histories/s"
        lines.append(_line(what, row))
    largest = max(exact["results"], key=lambda row: (row["histories"], row["seconds"]))
    machine = engine["machine"]
    lines += [
        "",
        f"One exact level on {largest['histories']:,} decision histories takes {largest['seconds']:.1f} s and "
        f"{largest['peak_mb']:,.0f} MB (enumerating the game: {largest['enumeration_seconds']:.1f} s).",
        f"Made by `obl bench engine`, `obl bench belief` and `obl bench exact` on {machine['processor']}, "
        f"{machine['cpus']} processors, {machine['date']}.",
    ]
    return "\n".join(lines)


def _line(what: str, row: dict[str, Any]) -> str:
    ours = f"{row['per_second']:,.0f}"
    if row["rival_per_second"] is None:
        return f"| {what} | {ours} | none | |"
    ratio = f"{row['ratio']:.2f}" if row["ratio"] < 10 else f"{row['ratio']:.0f}"
    return f"| {what} | {ours} | {row['rival_per_second']:,.0f} ({row['rival']}) | {ratio} |"


def with_table(text: str) -> str:
    """A page with its table renewed."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{speed_table()}\n{END}{after}"


def main() -> None:
    """Renew the pages."""
    for path in (ROOT / "README.md", ROOT / "docs" / "results" / "speed.md"):
        path.write_text(with_table(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
