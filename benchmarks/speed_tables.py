"""How fast: the engine, beliefs, training and the web page beside their rivals."""

from typing import Any

from committed import read

MEANINGS = {
    "engine.step": "Hanabi steps/s (legal mask, random move, step, new deals)",
    "engine.step_observe": "... with one canonical observation per step, as bits",
    "engine.step_observe.float32": "... as float32",
    "engine.step.two_threads": "... bare, two threads",
    "belief.sample": "exact hands/s from the grounded belief",
    "belief.learned_sample": "hands/s from a learned belief, beside the policy's inference",
    "fictitious.transition": "imagined transitions/s (copy, redraw the hand, step)",
    "rollout.step": "moves/s in training with their imagined targets",
    "learner.update": "updates/s of the network, batches of 512",
    "training.step": "training level 1 as a whole: imagined transitions/s",
    "training.level_2": "training level 2 from a learned belief: imagined transitions/s",
}


def speed_table() -> str:
    """The table as Markdown, with machine, day and commands."""
    files = {name: read(name) for name in ("engine", "belief", "exact", "rollout", "learner")}
    engine, belief, exact, rollout, learner = files.values()
    lines = ["| one core, full two-player game | ours | rival, same run | ratio |", "|---|---|---|---|"]
    for row in [found for file in (engine, belief, rollout, learner) for found in file["results"]]:
        if row["name"] in MEANINGS:
            lines.append(_line(MEANINGS[row["name"]], row))
    for row in exact["results"]:
        what = f"exact OBL, {row['operator']} form, {row['histories']:,} decision histories: histories/s"
        lines.append(_line(what, row))
    largest = max(exact["results"], key=lambda row: (row["histories"], row["seconds"]))
    (whole,) = (row for row in learner["results"] if row["name"] == "training.step")
    shares = ", ".join(f"{stage} {share:.1%}" for stage, share in whole["shares"].items())
    lines += [
        "",
        f"Training makes {whole['updates_per_second']:.0f} updates per CPU-second in all. Its time goes to: {shares}.",
        *(
            f"In training level 2, drawing hands from the learned belief takes {row['belief_share']:.0%} of the time."
            for row in belief["results"]
            if row["name"] == "training.level_2"
        ),
        f"One exact level on {largest['histories']:,} decision histories takes {largest['seconds']:.1f} s and "
        f"{largest['peak_mb']:,.0f} MB (enumerating the game: {largest['enumeration_seconds']:.1f} s).",
        f"Made by {_made_by(files)}.",
    ]
    return "\n".join(lines)


def _made_by(files: dict[str, Any]) -> str:
    """The commands behind files, with the machine and day of each; those of one machine and day together."""
    commands: dict[str, list[str]] = {}
    for name, found in files.items():
        machine = found["machine"]
        where = f"{machine['processor']}, {machine['cpus']} processors, {machine['date']}"
        commands.setdefault(where, []).append(f"`obl bench {name}`")
    return "; by ".join(f"{', '.join(names)} on {where}" for where, names in commands.items())


def _line(what: str, row: dict[str, Any]) -> str:
    ours = f"{row['per_second']:,.0f}"
    if row["rival_per_second"] is None:
        return f"| {what} | {ours} | none | |"
    ratio = f"{row['ratio']:.2f}" if row["ratio"] < 10 else f"{row['ratio']:.0f}"
    return f"| {what} | {ours} | {row['rival_per_second']:,.0f} ({row['rival']}) | {ratio} |"


def play_table() -> str:
    """How long players wait for an agent on the web page."""
    found = read("play")
    lines = ["| 50 games at once | answers/s | median wait | 99th percentile |", "|---|---|---|---|"]
    whats = {"play.answer": "players pause for up to a second", "play.answer.no_pauses": "nobody ever pauses"}
    for row in found["results"]:
        waits = f"{row['median_ms']:.0f} ms | {row['percentile_99_ms']:.0f} ms"
        lines.append(f"| {whats[row['name']]} | {row['per_second']:.0f} | {waits} |")
    machine = found["machine"]
    made = f"Made by `obl bench play` on {machine['processor']}, {machine['cpus']} processors, {machine['date']}."
    return "\n".join([*lines, "", made])
