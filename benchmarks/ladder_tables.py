"""What the levels of a ladder came to mean, and what decides how a ladder climbs."""

from typing import Any

from committed import PAPER_LEVELS, RESULTS, knowledge, mean, read


def ladder_source() -> str:
    """Which ladders the page is about, and what made its numbers."""
    found = read("ladder")
    climbs = [
        f"{climb['name']}, `{climb['command']}` ({sum(climb['cpu_minutes'].values()):.0f} CPU-minutes of one core in "
        "all)"
        for climb in found["climbs"]
    ]
    return (
        f"The numbers and figures on this page are those of {_count(len(climbs), 'climb')} of `{found['game']}`: "
        f"{'; '.join(climbs)}. Made on {found['date']} by `{found['made_by']}`; everything is in "
        f"`benchmarks/results/ladder.json`. Scores are over {found['score_games']:,} games of every pair, meanings "
        f"over {found['moves']['games']:,} games of every agent with itself."
    )


def ladder_paper() -> str:
    """Every level of every climb alone, with its like of other climbs, and the paper's."""
    found = read("ladder")
    climbs = found["climbs"]
    alike = {pair["levels"][0]: pair for pair in found["levels"] if pair["levels"][0] == pair["levels"][1]}
    lines = [
        f"| level | {' | '.join(climb['name'] for climb in climbs)} | with each other | CPU-minutes, belief and "
        "level | paper, self-play / cross-play |",
        "|---" * (4 + len(climbs)) + "|",
    ]
    for level, pair in alike.items():
        alone = [found["scores"][climb["levels"][level - 1]] for climb in climbs]
        shown = [f"{played['mean']:.2f} ± {played['sem']:.2f}" for played in alone]
        rung = (f"belief-{level - 1}", f"level-{level}")
        minutes = [sum(climb["cpu_minutes"].get(run, 0.0) for run in rung) for climb in climbs]
        across = f"{pair['across']:.2f} ± {pair['across_sem_over_games']:.2f}" if len(climbs) > 1 else ""
        lines.append(
            f"| {level} | {' | '.join(shown)} | {across} | "
            f"{', '.join(f'{spent:.0f}' for spent in minutes)} | {_paper(found['game'], level)} |"
        )
    lines += [
        "",
        f"Greedy play over {found['score_games']:,} games of every pair, errors over games; CPU-minutes of one core. "
        f"Made by `{found['made_by']}`, {found['date']}.",
    ]
    return "\n".join(lines)


def _paper(game: str, level: int) -> str:
    """The paper's self-play and cross-play of a level, where it played the same game."""
    return "{:.2f} / {:.2f}".format(*PAPER_LEVELS[level]) if game == "full-2p" and level in PAPER_LEVELS else ""


def ladder_scores() -> str:
    """What every level scores with itself and knows of the cards it plays."""
    found = read("ladder")
    lines = [
        "| agent | score with itself | perfect | third strike | both / rank / colour / nothing known of cards played | "
        "plays / discards / colour hints / rank hints a game |",
        "|---|---|---|---|---|---|",
    ]
    for name, scores in found["scores"].items():
        known = knowledge(scores["knowledge"])
        moves = found["moves"]["agents"][name]["moves_per_game"]
        usual = " / ".join(f"{moves[kind]:.1f}" for kind in ("play", "discard", "colour", "rank"))
        lines.append(
            f"| {name} | {scores['mean']:.2f} ± {scores['sem']:.2f} | {scores['perfect']:.1%} | {scores['bomb']:.1%} | "
            f"{known} % | {usual} |"
        )
    return "\n".join(lines)


def ladder_levels() -> str:
    """How levels get along, beside the paper where it played the same game."""
    found = read("ladder")
    lines = [
        "| levels | within a climb | across climbs | error: disjoint pairs / all pairs / games | paper, self-play / "
        "cross-play |",
        "|---|---|---|---|---|",
    ]
    for pair in found["levels"]:
        low, high = pair["levels"]
        across = "" if pair["across"] is None else f"{pair['across']:.2f}"
        errors = [pair[f"across_sem{over}"] for over in ("", "_over_pairs", "_over_games")]
        told = " / ".join("unknown" if error is None else f"{error:.2f}" for error in errors) if across else ""
        within = f"{pair['within']:.2f}" + ("" if pair["within_sem"] is None else f" ± {pair['within_sem']:.2f}")
        beside = _paper(found["game"], low) if low == high else ""
        lines.append(f"| {low} with {high} | {within} | {across} | {told} | {beside} |")
    return "\n".join(lines)


def ladder_losses() -> str:
    """What the missing points were lost to, and what players believed of the cards that they discarded."""
    found = read("ladder")
    expected = {belief["discards"]["by"]: belief["discards"] for belief in found["beliefs"] if belief["discards"]}
    lines = [
        "| agent | discards | misplays | time | third strike | discarded card was critical | as its belief said | by "
        "counting |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, agent in found["moves"]["agents"].items():
        lost = " | ".join(f"{agent['losses'][cause]:.2f}" for cause in ("discards", "misplays", "time", "strikes"))
        thrown = expected.get(name)
        shares = [f"{thrown[who]:.1%}" for who in ("was", "learned", "counted")] if thrown else [""] * 3
        lines.append(f"| {name} | {lost} | {' | '.join(shares)} |")
    return "\n".join(lines)


def ladder_hints() -> str:
    """What hints say about cards, level by level; climbs count alike, and how far they are apart is said too."""
    found = read("ladder")
    agents, climbs = found["moves"]["agents"], [climb["levels"] for climb in found["climbs"]]
    kinds = ("touched", "new", "newest", "oldest", "untouched")
    lines = [f"| hint | {' | '.join(kinds)} |", "|---" * (1 + len(kinds)) + "|"]
    for hint in ("colour", "rank"):
        for level, names in enumerate(zip(*climbs, strict=True), 1):
            cells = [_meant([agents[name]["hints"][hint][cards] for name in names]) for cards in kinds]
            lines.append(f"| {hint}, level {level} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _meant(found: list[dict[str, Any]]) -> str:
    """Percent playable and played, from the lowest to the highest of some agents."""
    seen = [cell for cell in found if cell["cards"]]
    return " / ".join(_range([100 * cell[what] for cell in seen]) for what in ("playable", "played")) if seen else ""


def _range(values: list[float]) -> str:
    low, high = f"{min(values):.0f}", f"{max(values):.0f}"
    return f"{low}%" if low == high else f"{low}-{high}%"


def ladder_answers() -> str:
    """The answers that changed most from level to level, of the first climb."""
    lines = ["| from, to | move | answer | before | after |", "|---|---|---|---|---|"]
    for change in _of_first_climb(read("ladder")):
        for one in change["largest"]:
            lines.append(
                f"| {', '.join(change['agents'])} | {one['move']} | {one['answer']} | {one['before']:.0%} | "
                f"{one['after']:.0%} |"
            )
    told = [
        f"{name} {agent['next_moves']['information']:.3f}" for name, agent in read("ladder")["moves"]["agents"].items()
    ]
    return "\n".join([*lines, "", f"How much a move says about the next, in nats: {', '.join(told)}."])


def ladder_partings() -> str:
    """How often a level would have played as the one below; of the first climb, also the first turn where not."""
    changes = read("ladder")["moves"]["changes"]
    lines = ["| plays | is asked | same moves | whole games | first parts at turn (median) |", "|---|---|---|---|---|"]
    for change in changes:
        first = "never" if change["first_turn"] is None else f"{change['first_turn']:.0f}"
        lines.append(
            f"| {' | '.join(change['agents'])} | {change['same']:.0%} | {change['whole_games']:.1%} | {first} |"
        )
    for change in _of_first_climb(read("ladder")):
        one, two = change["agents"]
        for told in change["told"][:1]:
            lines += [
                "",
                f"The first deal in which {two} would leave the path of {one} and both mean it, at turn "
                f"{told['turn'] + 1}:",
                "",
            ]
            lines += ["```text", told["table"], "", f"{one}: {told['mind_a']}", f"{two}: {told['mind_b']}", "```"]
    return "\n".join(lines)


def _of_first_climb(found: dict[str, Any]) -> list[dict[str, Any]]:
    first = set(found["climbs"][0]["levels"])
    return [change for change in found["moves"]["changes"] if set(change["agents"]) <= first]


def ladder_beliefs() -> str:
    """Nats per card of every belief, and its calibration."""
    lines = [
        "| belief of | games | grounded | learned | calibration error, grounded / learned | judged states | grounded | "
        "learned | judge | learned - judge |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for belief in read("ladder")["beliefs"]:
        for sort in ("greedy", "noisy"):
            measured, judged = belief[sort], belief[sort]["judged"]
            errors = " / ".join(f"{measured['reliability'][who]['error']:.3f}" for who in ("grounded", "learned"))
            line = f"| {belief['of']} | {sort} | {measured['grounded']:.3f} | {measured['learned']:.3f} | {errors} |"
            if judged:
                line += f" {judged['states']}, {judged['exact']} exact | {judged['grounded']:.3f} | "
                line += f"{judged['learned']:.3f} | {judged['judge']:.3f} | {judged['gap']:.3f}"
                line += "" if judged["gap_sem"] is None else f" ± {judged['gap_sem']:.3f}"
            lines.append(line + (" |" if judged else " | | | | |"))
    return "\n".join(lines)


def _count(number: int, thing: str) -> str:
    return f"{'one' if number == 1 else number} {thing}{'s' * (number != 1)}"


LADDER = {
    "ladder-source": ladder_source,
    "ladder-paper": ladder_paper,
    "ladder-scores": ladder_scores,
    "ladder-levels": ladder_levels,
    "ladder-losses": ladder_losses,
    "ladder-hints": ladder_hints,
    "ladder-answers": ladder_answers,
    "ladder-partings": ladder_partings,
    "ladder-beliefs": ladder_beliefs,
}


def mini_ladders_table() -> str:
    """Ladders on `mini` that differ in their beliefs and beginnings, level by level."""
    if not (RESULTS / "mini_ladders.json").exists():
        return "Not measured yet: `python experiments/mini_ladders.py` does it."
    found = read("mini_ladders")
    lines = [
        "| ladder | level | self-play | cross-play | its error as in the paper | lost with strangers |",
        "|---|---|---|---|---|---|",
        _paired("(all)", "1", found["level_1"]),
    ]
    for name, by_level in found["kinds"].items():
        lines += [_paired(f"`{name}`", level, row) for level, row in by_level.items()]
    rates = ", ".join(f"{rate:g}" for rate in found["exploration"])
    lines += [
        "",
        f"`plain`: the belief reads best moves only; `mixed`: random moves among them at rates {rates}; `soft`: moves "
        f"drawn at temperature {found['temperature']:g}; `from-scratch`: as `mixed`, every level from fresh weights. "
        f"{found['seeds']} seeds of each on the same level 1, {found['minutes_per_rung']:g} CPU-minutes a rung, "
        f"{found['games']:,} games of every pair. Errors are over runs; that of cross-play comes from pairs that share "
        f"no run. Made by `python experiments/mini_ladders.py --seeds {found['seeds']} --minutes-per-rung "
        f"{found['minutes_per_rung']:g}`, {found['date']}.",
    ]
    return "\n".join(lines)


def _paired(name: str, level: str, row: dict[str, Any]) -> str:
    own, cross = (
        f"{row[play]:.2f}" + ("" if row[f"{play}_sem"] is None else f" ± {row[f'{play}_sem']:.2f}")
        for play in ("self_play", "cross_play")
    )
    lost = row["self_play"] - row["cross_play"]
    return f"| {name} | {level} | {own} | {cross} | ± {row['cross_play_sem_over_pairs']:.2f} | {lost:.2f} |"


def level2_limits_table() -> str:
    """Where two levels 2 go from where they had stopped, on either belief and with a deeper network."""
    if not (RESULTS / "level2_limits.json").exists():
        return "Not measured yet: `python experiments/level2_limits.py` does it."
    found = read("level2_limits")
    lines = [
        "| level 2 | goes on, reading | network | steps, learning rate | score before | after | CPU-minutes |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in found["trials"]:
        before, network = found["before"][row["start"]], "deeper" if row["residual_width"] else "the same"
        lines.append(
            f"| `{row['start']}` | `{row['belief']}` | {network} | {row['steps']}, {row['learning_rate']:g} | "
            f"{before['score']:.2f} ± {before['sem']:.2f} | {row['score']:.2f} ± {row['sem']:.2f} | "
            f"{row['cpu_minutes']:.1f} |"
        )
    lines += ["", f"{found['games']:,} games. Made by `python experiments/level2_limits.py`, {found['date']}."]
    return "\n".join(lines)


def level2_memory_table() -> str:
    """What a policy of level 2 is worth with different memories."""
    if not (RESULTS / "level2_memory.json").exists():
        return "Not measured yet: `python experiments/level2_memory.py` does it."
    found = read("level2_memory")
    lines = [
        "| memory | score, mean of seeds | each seed | CPU-minutes | moves played in training |",
        "|---|---|---|---|---|",
    ]
    for name, runs in found["kinds"].items():
        each = ", ".join(f"{run['score']:.2f}" for run in runs)
        lines.append(
            f"| {name} | {mean(runs, 'score'):.2f} | {each} | {mean(runs, 'cpu_minutes'):.1f} | "
            f"{mean(runs, 'transitions'):,.0f} |"
        )
    first = found["level_1"]
    lines += [
        "",
        f"Level 2 of `mini` from fresh weights on one belief of one level 1 ({first['score']:.2f}), one core, "
        f"{found['games']:,} games. Made by `python experiments/level2_memory.py`, {found['date']}.",
    ]
    return "\n".join(lines)
