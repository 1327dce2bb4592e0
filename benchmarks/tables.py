"""Write the tables of README.md and docs/results from committed results, so that no figure is typed.

Speed comes from benchmarks/results: run `obl bench engine --out benchmarks/results/engine.json`, likewise `belief`,
`exact`, `rollout`, `learner` and `play`. Scores come from the cards of the zoo (`experiments/add_to_zoo.py`),
what levels came to mean from `experiments/ladder_account.py`.
"""

import functools
import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
ZOO = ROOT / "src" / "offbelief" / "agents" / "zoo"
BEGIN, END = "<!-- {}: written by benchmarks/tables.py -->", "<!-- end of {} -->"

# Paper, Tables 1 and 3: self-play, mean and standard error over seeds.
PAPER = {
    ("obl-1", "full-2p"): "20.92 ± 0.07",
    ("obl-2", "full-2p"): "23.41 ± 0.03",
    ("obl-3", "full-2p"): "23.93 ± 0.01",
    ("obl-4", "full-2p"): "24.10 ± 0.01",
    ("obl-1", "full-3p"): "20.52 ± 0.05",
}

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
        *(
            f"In training level 2, drawing hands from the learned belief takes {row['belief_share']:.0%} of the time."
            for row in belief["results"]
            if row["name"] == "training.level_2"
        ),
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


def _known(shares: dict[str, float]) -> str:
    """What was known of the cards that were played, in percent."""
    return " / ".join(f"{100 * shares[key]:.0f}" for key in ("both", "rank", "colour", "none"))


def zoo_table() -> str:
    """The agents of the zoo with what they score, beside the paper's agents of the same kind."""
    cards = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(ZOO.glob("*.json"))]
    lines = [
        "| agent | game | score | paper | third strike | cards played with both / rank / colour / nothing known | "
        "CPU-minutes |",
        "|---|---|---|---|---|---|---|",
    ]
    for card in cards:
        known = _known(card["knowledge"])
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
            f"{_known(card['knowledge'])} % |"
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
    """Three seeds of level 1 with each other."""
    found = read("crossplay_level1")
    names = found["agents"]
    means = {frozenset(team["agents"]): team for team in found["teams"]}
    lines = [f"| | {' | '.join(f'`{name}`' for name in names)} |", "|---" * (len(names) + 1) + "|"]
    for one in names:
        teams = (means[frozenset((one, other))] for other in names)
        cells = (f"{team['mean']:.2f} ± {team['sem']:.2f}" for team in teams)
        lines.append(f"| `{one}` | {' | '.join(cells)} |")
    lines += [
        "",
        f"Self-play {found['self_play']:.2f}, cross-play {found['cross_play']:.2f} (paper: 20.92 and 20.85), "
        f"{found['teams'][0]['games']:,} games of every pair on the same deals: "
        f"`obl crossplay {' '.join(names)} --json`.",
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


# Paper, Table 1: self-play and cross-play by level, full two-player game.
PAPER_LEVELS = {1: (20.92, 20.85), 2: (23.41, 23.24), 3: (23.93, 23.68), 4: (24.10, 23.76)}


def ladder_source() -> str:
    """Which ladders the page is about, and what made its numbers."""
    found = read("ladder")
    climbs = [
        f"`{climb['command']}` ({sum(climb['cpu_minutes'].values()):.0f} CPU-minutes of one core in all)"
        for climb in found["climbs"]
    ]
    return (
        f"The numbers and figures on this page are those of {_count(len(climbs), 'climb')} of `{found['game']}`: "
        f"{'; '.join(climbs)}. Made on {found['date']} by `python experiments/ladder_account.py`; everything is in "
        f"`benchmarks/results/ladder.json`. Scores are over {found['score_games']:,} games of every pair, meanings "
        f"over {found['moves']['games']:,} games of every agent with itself."
    )


def ladder_scores() -> str:
    """What every level scores with itself and knows of the cards it plays."""
    found = read("ladder")
    lines = [
        "| agent | score with itself | perfect | third strike | both / rank / colour / nothing known of cards played | "
        "plays / discards / colour hints / rank hints a game |",
        "|---|---|---|---|---|---|",
    ]
    for name, scores in found["scores"].items():
        known = _known(scores["knowledge"])
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
        paper = PAPER_LEVELS.get(low) if low == high and found["game"] == "full-2p" else None
        across = "" if pair["across"] is None else f"{pair['across']:.2f}"
        errors = [pair[f"across_sem{over}"] for over in ("", "_over_pairs", "_over_games")]
        told = " / ".join("unknown" if error is None else f"{error:.2f}" for error in errors) if across else ""
        within = f"{pair['within']:.2f}" + ("" if pair["within_sem"] is None else f" ± {pair['within_sem']:.2f}")
        beside = f"{paper[0]:.2f} / {paper[1]:.2f}" if paper else ""
        lines.append(f"| {low} with {high} | {within} | {across} | {told} | {beside} |")
    return "\n".join(lines)


def ladder_hints() -> str:
    """What hints say about cards."""
    found = read("ladder")["moves"]["agents"]
    kinds = ("touched", "new", "newest", "oldest", "untouched")
    lines = [f"| hint | {' | '.join(kinds)} |", "|---" * (1 + len(kinds)) + "|"]
    for hint in ("colour", "rank"):
        for name, agent in found.items():
            cells = [agent["hints"][hint][cards] for cards in kinds]
            shares = [f"{cell['playable']:.0%} / {cell['played']:.0%}" if cell["cards"] else "" for cell in cells]
            lines.append(f"| {hint}, {name} | {' | '.join(shares)} |")
    return "\n".join(lines)


def ladder_answers() -> str:
    """The answers that changed most from level to level."""
    lines = ["| from, to | move | answer | before | after |", "|---|---|---|---|---|"]
    for change in read("ladder")["moves"]["changes"]:
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
    """How often a level would have played as the one below, and the first turn of one game where it would not."""
    changes = read("ladder")["moves"]["changes"]
    lines = ["| plays | is asked | same moves | whole games | first parts at turn (median) |", "|---|---|---|---|---|"]
    for change in changes:
        first = "never" if change["first_turn"] is None else f"{change['first_turn']:.0f}"
        lines.append(
            f"| {' | '.join(change['agents'])} | {change['same']:.0%} | {change['whole_games']:.1%} | {first} |"
        )
    for change in changes:
        one, two = change["agents"]
        for told in change["told"][:1]:
            lines += [
                "",
                f"The first deal in which {two} would leave the path of {one}, at turn {told['turn'] + 1}:",
                "",
            ]
            lines += ["```text", told["table"], "", f"{one}: {told['mind_a']}", f"{two}: {told['mind_b']}", "```"]
    return "\n".join(lines)


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
    "ladder-scores": ladder_scores,
    "ladder-levels": ladder_levels,
    "ladder-hints": ladder_hints,
    "ladder-answers": ladder_answers,
    "ladder-partings": ladder_partings,
    "ladder-beliefs": ladder_beliefs,
}


def small_hanabi_table() -> str:
    """Hanabi variants whose tree fits, and exact level 1 there."""
    lines = [
        "| variant | | trajectories | histories | level 1, counterfactual form | level 1, Bellman form |",
        "|---|---|---|---|---|---|",
    ]
    for row in read("small_hanabi"):
        scores = f"{row['counterfactual']:.3f} | {row['bellman']:.3f}"
        lines.append(
            f"| `{row['variant']}` | {row['why']} | {row['trajectories']:,} | {row['histories']:,} | {scores} |"
        )
    return "\n".join(lines)


def exact_ladder_table() -> str:
    """Deep levels 1 and 2 beside exact ones."""
    lines = [
        "| variant | histories | level 1, exact | level 1, deep | level 2, exact | ... on the deep level 1 | "
        "level 2, deep | CPU-seconds of training |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in read("exact_ladder"):
        earned = ("exact_1", "deep_1", "exact_2", "exact_2_on_deep_1", "deep_2")
        values = " | ".join(f"{row[name]:.3f}" for name in earned)
        lines.append(f"| `{row['variant']}` | {row['histories']:,} | {values} | {row['training_cpu_seconds']:.0f} |")
    return "\n".join(lines)


def forms_table(game: str) -> str:
    """The forms of OBL at one budget: what they score, how fast, and with each other."""
    if not (RESULTS / f"forms-{game}.json").exists():
        return f"Not measured yet: `python experiments/compare_forms.py --game {game}` does it."
    found = read(f"forms-{game}")
    first, second = (f"{threshold:g}" for threshold in found["thresholds"])
    lines = [
        f"| form | score, mean of seeds | each seed | minutes to {first} | minutes to {second} | third strike | both / "
        "rank / colour / nothing known of cards played | CPU-minutes | transitions |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    names = list(dict.fromkeys(run["form"] for run in found["runs"]))
    for name in names:
        runs = [run for run in found["runs"] if run["form"] == name]
        known = _known({key: _mean(runs, "knowledge", key) for key in runs[0]["knowledge"]})
        speed = " | ".join(
            ", ".join("never" if run["minutes_to"][at] is None else f"{run['minutes_to'][at]:.1f}" for run in runs)
            for at in (first, second)
        )
        each = ", ".join(f"{run['score']:.2f}" for run in runs)
        lines.append(
            f"| `{name}` | {_mean(runs, 'score'):.2f} | {each} | {speed} | "
            f"{_mean(runs, 'third_strike'):.1%} | {known} % | {_mean(runs, 'cpu_minutes'):.1f} | "
            f"{_mean(runs, 'transitions'):,.0f} |"
        )
    lines += ["", f"| cross-play | {' | '.join(f'`{name}`' for name in names)} |", "|---" * (len(names) + 1) + "|"]
    pairs = {tuple(sorted(row["forms"])): row["score"] for row in found["cross_play"]}
    for one in names:
        scores = (pairs.get(tuple(sorted((one, other)))) for other in names)
        lines.append(f"| `{one}` | {' | '.join('' if score is None else f'{score:.2f}' for score in scores)} |")
    error = max(run["sem"] for run in found["runs"])
    lines += [
        "",
        f"Scores are over {found['games']:,} games each (standard error {error:.3f} at most), cross-play over "
        f"{found['pair_games']:,} games of every pair of different runs. Made by `{found['command']}` on "
        f"{found['date']}; minutes are those of one core, timed on a machine that did other things too.",
    ]
    return "\n".join(lines)


def _mean(runs: list[dict[str, Any]], *path: str) -> float:
    values = []
    for run in runs:
        value: Any = run
        for key in path:
            value = value[key]
        values.append(value)
    return float(sum(values) / len(values))


def mini_crossplay_table() -> str:
    """Self-play and cross-play of the methods on `mini`."""
    found = read("mini_crossplay")
    lines = [
        "| preset | runs | self-play | cross-play | its error as in the paper | third strike, self-play / cross-play | "
        "cards played with both / rank / colour / nothing known | CPU-minutes a run |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, method in found["methods"].items():
        runs = len(method["matrix"])
        own, cross, over_pairs = f"{method['self_play']:.2f}", "", ""
        strikes = f"{method['third_strike']:.1%}"
        if runs > 1:
            own += f" ± {method['self_play_sem']:.2f}"
            cross = f"{method['cross_play']:.2f} ± {method['cross_play_sem']:.2f}"
            over_pairs = f"± {method['cross_play_sem_over_pairs']:.2f}"
            strikes += f" / {method['third_strike_cross_play']:.1%}"
        known = _known(method["knowledge"])
        minutes = sum(method["cpu_minutes"]) / runs
        lines.append(
            f"| `{name}-mini` | {runs} | {own} | {cross} | {over_pairs} | {strikes} | {known} % | {minutes:.1f} |"
        )
    lines += [
        "",
        f"Every run has {found['steps']} steps. Errors are over runs; that of cross-play comes from pairs that share "
        "no run (two of them), and the paper's, which takes all pairs for independent, stands beside it. Made by "
        f"`python experiments/mini_crossplay.py`, {found['date']}.",
    ]
    return "\n".join(lines)


FORMS = {f"forms-{game}": functools.partial(forms_table, game) for game in ("full-2p", "mini")}


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
        f"no run. Made by `python experiments/mini_ladders.py`, {found['date']}.",
    ]
    return "\n".join(lines)


def _paired(name: str, level: str, row: dict[str, Any]) -> str:
    own, cross = (
        f"{row[play]:.2f}" + ("" if row[f"{play}_sem"] is None else f" ± {row[f'{play}_sem']:.2f}")
        for play in ("self_play", "cross_play")
    )
    lost = row["self_play"] - row["cross_play"]
    return f"| {name} | {level} | {own} | {cross} | ± {row['cross_play_sem_over_pairs']:.2f} | {lost:.2f} |"


def level2_memory_table() -> str:
    """What a policy of level 2 is worth with different memories."""
    if not (RESULTS / "level2_memory.json").exists():
        return "Not measured yet: `python experiments/level2_memory.py` does it."
    found = read("level2_memory")
    lines = ["| memory | score, mean of seeds | each seed | moves played in training |", "|---|---|---|---|"]
    for name, runs in found["kinds"].items():
        each = ", ".join(f"{run['score']:.2f}" for run in runs)
        lines.append(f"| {name} | {_mean(runs, 'score'):.2f} | {each} | {_mean(runs, 'transitions'):,.0f} |")
    first = found["level_1"]
    lines += [
        "",
        f"Level 2 of `mini` from fresh weights on one belief of one level 1 ({first['score']:.2f}), "
        f"{found['minutes']:g} CPU-minutes of one core each, {found['games']:,} games. Made by "
        f"`python experiments/level2_memory.py`, {found['date']}.",
    ]
    return "\n".join(lines)


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


LEVEL_1 = {
    "level1-seeds": level1_seeds_table,
    "level1-crossplay": level1_crossplay_table,
    "level1-agreement": level1_agreement_table,
    "level1-three-players": level1_three_players_table,
}
TABLES = {
    "speed": speed_table,
    "play": play_table,
    "zoo": zoo_table,
    **LEVEL_1,
    **LADDER,
    **FORMS,
    "small-hanabi": small_hanabi_table,
    "exact-ladder": exact_ladder_table,
    "mini-crossplay": mini_crossplay_table,
    "mini-ladders": mini_ladders_table,
    "level2-memory": level2_memory_table,
}
PAGES = {
    ROOT / "README.md": ("speed", "zoo"),
    ROOT / "docs" / "results" / "speed.md": ("speed",),
    ROOT / "docs" / "results" / "zoo.md": ("zoo",),
    ROOT / "docs" / "results" / "level-1.md": tuple(LEVEL_1),
    ROOT / "docs" / "play.md": ("play",),
    ROOT / "docs" / "results" / "ladder.md": (*LADDER, "mini-ladders"),
    ROOT / "docs" / "methods" / "ladder.md": ("level2-memory",),
    ROOT / "docs" / "results" / "forms.md": tuple(FORMS),
    ROOT / "docs" / "games" / "hanabi.md": ("small-hanabi", "exact-ladder"),
    ROOT / "docs" / "methods" / "self-play.md": ("mini-crossplay",),
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
