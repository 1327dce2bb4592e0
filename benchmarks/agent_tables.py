"""How good the zoo's agents are, and level 1 seed by seed."""

import json

from committed import PAPER, PAPER_LEVELS, RESULTS, ZOO, knowledge, read


def zoo_table() -> str:
    """The agents of the zoo with what they score, beside the paper's agents of the same kind."""
    cards = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(ZOO.glob("*.json"))]
    lines = [
        "| agent | game | score | paper | third strike | cards played with both / rank / colour / nothing known | "
        "CPU-minutes |",
        "|---|---|---|---|---|---|---|",
    ]
    for card in cards:
        known = knowledge(card["knowledge"])
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
            "games. CPU-minutes are those of the agent's own run; the runs that it began with come on top (`obl-2-c` "
            "goes on from `obl-2-shallow-c`, `obl-3-a` from `obl-3-shallow-a`). `obl zoo info NAME` prints an agent's "
            "card, with the command that "
            "trained it.",
        ]
    return "\n".join(lines)


# Of the published level-1 agent, over 10,000 games.
PUBLISHED_LEVEL_1 = "| published agent | 20.84 |  |  |  |  |  | 2.4% | 65 / 28 / 3 / 4 % |"


def level1_rows(agents: str) -> list[str]:
    """Level-1 agents of the zoo: where they ended and how fast they got there."""
    lines = [
        "| agent | score | CPU-minutes | at minute 12 | first above 20.5 | above 20.8 | above 20.95 | third strike | "
        "both / rank / colour / nothing known of cards played |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for path in sorted(ZOO.glob(f"{agents}.json")):
        card = json.loads(path.read_text(encoding="utf-8"))
        text = (RESULTS / "curves" / f"{card['name']}.jsonl").read_text(encoding="utf-8")
        curve = [json.loads(line) for line in text.splitlines()]
        near_12 = min(curve, key=lambda at: abs(at["cpu_minutes"] - 12))
        firsts = [next((at for at in curve if at["score"] > score), None) for score in (20.5, 20.8, 20.95)]
        minutes = " | ".join("never" if at is None else f"{at['cpu_minutes']:.1f}" for at in firsts)
        lines.append(
            f"| `{card['name']}` | {card['score']:.2f} ± {card['sem']:.2f} | {card['cpu_minutes']:.0f} | "
            f"{near_12['score']:.2f} ± {near_12['sem']:.2f} | {minutes} | {card['third_strike']:.1%} | "
            f"{knowledge(card['knowledge'])} % |"
        )
    return lines


def level1_seeds_table() -> str:
    """Level 1 of the full two-player game, seed by seed."""
    lines = level1_rows("obl-1-?")
    lines += [
        f"| paper | {PAPER['obl-1', 'full-2p']} | days |  |  |  |  |  | more than 60 / 28 |",
        PUBLISHED_LEVEL_1,
        "",
        "Scores at the end are over 5,000 games, those on the way over 1,000 games of the averaged network; minutes "
        "are CPU-minutes of one core, as the run's own log counts them.",
    ]
    return "\n".join(lines)


def level1_three_players_table() -> str:
    """Level 1 of the full three-player game."""
    return "\n".join([*level1_rows("obl-1-3p-?"), f"| paper | {PAPER['obl-1', 'full-3p']} |  |  |  |  |  |  |  |"])


def level1_crossplay_table() -> str:
    """Seeds of level 1 with each other."""
    return crossplay_grid("crossplay_level1")


def forms_hour_table() -> str:
    """Level-1 agents of an hour each, by the form that they were trained in."""
    lines = [*level1_rows("obl-1-bellman-?"), *level1_rows("obl-1-[abc]")[2:], "", crossplay_grid("crossplay_forms")]
    return "\n".join(lines)


def crossplay_grid(name: str) -> str:
    """Level-1 agents with each other, from what `obl crossplay --json` printed."""
    found = read(name)
    names, (alone, together) = found["agents"], PAPER_LEVELS[1]
    means = {frozenset(team["agents"]): team for team in found["teams"]}
    lines = [f"| | {' | '.join(f'`{name}`' for name in names)} |", "|---" * (len(names) + 1) + "|"]
    for one in names:
        teams = (means[frozenset((one, other))] for other in names)
        cells = (f"{team['mean']:.2f} ± {team['sem']:.2f}" for team in teams)
        lines.append(f"| `{one}` | {' | '.join(cells)} |")
    games = found["teams"][0]["games"]
    lines += [
        "",
        f"Self-play {found['self_play']:.2f}, cross-play {found['cross_play']:.2f} (paper: {alone} and {together}), "
        f"{games:,} games of every pair on the same deals: `obl crossplay {' '.join(names)} --games {games} --json`.",
    ]
    return "\n".join(lines)


def level1_agreement_table() -> str:
    """How often level-1 agents make the same move, on the games of the published one."""
    found = read("agreement_level1")
    lines = ["| | same move | exactly tied | tied within 0.001 / 0.01 / 0.1 |", "|---|---|---|---|"]
    rows = [(f"{name} x published", row) for name, row in found["with_recorded"].items()]
    for name, row in [*rows, *found["with_each_other"].items()]:
        near = " / ".join(f"{share:.1%}" for share in row["nearly_tied"])
        lines.append(f"| {name} | {row['same']:.1%} | {row['exactly_tied']:.1%} | {near} |")
    return "\n".join(lines)


LEVEL_1 = {
    "level1-seeds": level1_seeds_table,
    "level1-crossplay": level1_crossplay_table,
    "level1-agreement": level1_agreement_table,
    "level1-three-players": level1_three_players_table,
}
