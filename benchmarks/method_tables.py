"""Methods compared: the forms of off-belief learning, self-play beside it, and the exact solver on small Hanabi."""

import functools

from committed import RESULTS, knowledge, mean, read


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


def learner_settings_table() -> str:
    """What weights of certainty and a learning rate that stays high are worth."""
    found = read("learner_settings")
    way = [line["step"] for line in found["runs"][0]["on_the_way"][1:-1:2]]
    lines = [
        f"| changed | seed | {' | '.join(f'after {step:,} steps' for step in way)} | score at the end | third strike | "
        "CPU-minutes |",
        f"|---|---|{'---|' * len(way)}---|---|---|",
    ]
    for run in found["runs"]:
        changed = ", ".join(f"`{name}` {value:g}" for name, value in run["changes"].items()) or "nothing"
        scores = {line["step"]: line["score"] for line in run["on_the_way"]}
        lines.append(
            f"| {changed} | {run['seed']} | {' | '.join(f'{scores[step]:.2f}' for step in way)} | "
            f"{run['score']:.2f} ± {run['sem']:.2f} | {run['third_strike']:.1%} | {run['cpu_minutes']:.1f} |"
        )
    lines += [
        "",
        f"Level 1 of the full game, `{found['preset']}`, {found['steps']:,} steps; {found['games']:,} games at the "
        f"end, 1,000 on the way. Made by `{found['command']}` on {found['machine']['processor']}, {found['date']}.",
    ]
    return "\n".join(lines)


def exact_ladder_table() -> str:
    """Deep levels 1 and 2 beside exact ones."""
    lines = [
        "| variant | histories | level 1 earns, exact | deep | level 2 earns, exact | exact, on the deep level 1 | "
        "deep | moves of level 1 that differ | moves of level 2 that differ (level 1's would) | steps of level 1, "
        "belief, level 2 | CPU-seconds of training |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    found = read("exact_ladder")
    for row in found:
        earned = ("exact_1", "deep_1", "exact_2", "exact_2_on_deep_1", "deep_2")
        values = " | ".join(f"{row[name]:.3f}" for name in earned)
        steps = ", ".join(f"{steps:,}" for steps in row["steps"])
        lines.append(
            f"| `{row['variant']}` | {row['histories']:,} | {values} | {row['distance_1']:.0%} | "
            f"{row['distance_2']:.0%} ({row['distance_of_1_from_2']:.0%}) | {steps} | "
            f"{row['training_cpu_seconds']:.0f} |"
        )
    lines += [
        "",
        f"T = {found[0]['temperature']:g} for everybody; one seed. Made by `python experiments/exact_ladder.py`.",
    ]
    return "\n".join(lines)


def level_drift_table() -> str:
    """Exact levels 2 on levels 1 with a little noise, alone and with each other."""
    found = read("level_drift")
    noises = [noisy["noise"] for noisy in found["rows"][0]["noisy"]]
    heads = " | ".join(f"values off by {noise:g}: alone / with strangers" for noise in noises)
    lines = [f"| T | beliefs' rate of random moves | level 1 | level 2 | {heads} |", "|---" * (4 + len(noises)) + "|"]
    for row in found["rows"]:
        noisy = " | ".join(f"{one['self_play']:.3f} / {one['cross_play']:.3f}" for one in row["noisy"])
        exact = f"{row['level_1']:.3f} | {row['level_2']:.3f}"
        lines.append(f"| {row['temperature']:g} | {row['belief_rate']:g} | {exact} | {noisy} |")
    lines += [
        "",
        f"`{found['variant']}`, {found['histories']:,} histories, Bellman form, {found['runs']} runs. Made by `python "
        "experiments/level_drift.py`.",
    ]
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
        known = knowledge({key: mean(runs, "knowledge", key) for key in runs[0]["knowledge"]})
        speed = " | ".join(
            ", ".join("never" if run["minutes_to"][at] is None else f"{run['minutes_to'][at]:.1f}" for run in runs)
            for at in (first, second)
        )
        each = ", ".join(f"{run['score']:.2f}" for run in runs)
        lines.append(
            f"| `{name}` | {mean(runs, 'score'):.2f} | {each} | {speed} | "
            f"{mean(runs, 'third_strike'):.1%} | {known} % | {mean(runs, 'cpu_minutes'):.1f} | "
            f"{mean(runs, 'transitions'):,.0f} |"
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


FORMS = {f"forms-{game}": functools.partial(forms_table, game) for game in ("full-2p", "mini")}


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
        known = knowledge(method["knowledge"])
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
