"""Write the tables of README.md and docs/results from committed results, so that no figure is typed.

Speed comes from benchmarks/results: run `obl bench engine --out benchmarks/results/engine.json`, likewise `belief`,
`exact`, `rollout` and `learner`. Scores come from the cards of the zoo (`experiments/add_to_zoo.py`).
"""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
ZOO = ROOT / "src" / "offbelief" / "agents" / "zoo"
BEGIN, END = "<!-- {}: written by benchmarks/tables.py -->", "<!-- end of {} -->"

# Paper, Tables 1 and 3: self-play, mean and standard error over seeds.
PAPER = {("obl-1", "full-2p"): "20.92 ± 0.07", ("obl-1", "full-3p"): "20.52 ± 0.05"}

MEANINGS = {
    "engine.step": "Hanabi steps/s (legal mask, random move, step, new deals)",
    "engine.step_observe": "... with one canonical observation per step, as bits",
    "engine.step_observe.float32": "... as float32",
    "engine.step.two_threads": "... bare, two threads",
    "belief.sample": "exact hands/s from the grounded belief",
    "fictitious.transition": "imagined transitions/s (copy, redraw the hand, step)",
    "rollout.step": "moves/s in training with their imagined targets",
    "learner.update": "updates/s of the network, batches of 512",
    "training.step": "training level 1 as a whole: imagined transitions/s",
}


def read(name: str) -> dict[str, Any]:
    """One file of results."""
    found: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return found


def speed_table() -> str:
    """The table as Markdown, with machine, day and commands."""
    engine, belief, exact, rollout, learner = map(read, ("engine", "belief", "exact", "rollout", "learner"))
    lines = ["| one core, full two-player game | ours | rival, same run | ratio |", "|---|---|---|---|"]
    for row in [found for file in (engine, belief, rollout, learner) for found in file["results"]]:
        if row["name"] in MEANINGS:
            lines.append(_line(MEANINGS[row["name"]], row))
    for row in exact["results"]:
        what = f"exact OBL, {row['operator']} form, {row['histories']:,} decision histories: histories/s"
        lines.append(_line(what, row))
    largest = max(exact["results"], key=lambda row: (row["histories"], row["seconds"]))
    machine = engine["machine"]
    (whole,) = (row for row in learner["results"] if row["name"] == "training.step")
    shares = ", ".join(f"{stage} {share:.1%}" for stage, share in whole["shares"].items())
    lines += [
        "",
        f"Training makes {whole['updates_per_second']:.0f} updates per CPU-second in all. Its time goes to: {shares}.",
        f"One exact level on {largest['histories']:,} decision histories takes {largest['seconds']:.1f} s and "
        f"{largest['peak_mb']:,.0f} MB (enumerating the game: {largest['enumeration_seconds']:.1f} s).",
        f"Made by `obl bench` with `engine`, `belief`, `exact`, `rollout` and `learner` on {machine['processor']}, "
        f"{machine['cpus']} processors, {machine['date']}.",
    ]
    return "\n".join(lines)


def _line(what: str, row: dict[str, Any]) -> str:
    ours = f"{row['per_second']:,.0f}"
    if row["rival_per_second"] is None:
        return f"| {what} | {ours} | none | |"
    ratio = f"{row['ratio']:.2f}" if row["ratio"] < 10 else f"{row['ratio']:.0f}"
    return f"| {what} | {ours} | {row['rival_per_second']:,.0f} ({row['rival']}) | {ratio} |"


def zoo_table() -> str:
    """The agents of the zoo with what they score, beside the paper's agents of the same kind."""
    cards = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(ZOO.glob("*.json"))]
    lines = [
        "| agent | game | score | paper | third strike | cards played with both / rank / colour / nothing known | "
        "CPU-minutes |",
        "|---|---|---|---|---|---|---|",
    ]
    for card in cards:
        known = " / ".join(f"{100 * card['knowledge'][key]:.0f}" for key in ("both", "rank", "colour", "none"))
        kind = card["name"].rpartition("-")[0].replace("-3p", "")
        paper = PAPER.get((kind, card["game"]), "")
        lines.append(
            f"| `{card['name']}` | {card['game']} | {card['score']:.2f} ± {card['sem']:.2f} | {paper} | "
            f"{card['third_strike']:.1%} | {known} % | {card['cpu_minutes']:.0f} |"
        )
    if cards:
        lines += [
            "",
            f"Greedy self-play over {cards[0]['games']:,} games whose deals are used for nothing else; errors are over "
            "games. `obl zoo info NAME` prints an agent's card, with the command that trained it.",
        ]
    return "\n".join(lines)


TABLES = {"speed": speed_table, "zoo": zoo_table}
PAGES = {
    ROOT / "README.md": ("speed", "zoo"),
    ROOT / "docs" / "results" / "speed.md": ("speed",),
    ROOT / "docs" / "results" / "zoo.md": ("zoo",),
}


def with_tables(path: Path) -> str:
    """A page with its tables renewed."""
    text = path.read_text(encoding="utf-8")
    for name in PAGES[path]:
        before, _, rest = text.partition(BEGIN.format(name))
        _, _, after = rest.partition(END.format(name))
        text = f"{before}{BEGIN.format(name)}\n{TABLES[name]()}\n{END.format(name)}{after}"
    return text


def main() -> None:
    """Renew the pages."""
    for path in PAGES:
        path.write_text(with_tables(path), encoding="utf-8")


if __name__ == "__main__":
    main()
