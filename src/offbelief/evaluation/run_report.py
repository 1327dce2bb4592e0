"""What a report of trained agents says: curves, scores, cross-play, what was known of played cards, a game, settings.

A section is a function from the findings to pieces of HTML (`report.py`); SECTIONS lists them in order. Playing the
games and writing the file is left to the verb.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from offbelief.agents.checkpoint import load_tensors
from offbelief.agents.loading import Agent, zoo_card, zoo_names
from offbelief.evaluation.ladder_report import (
    answers_section,
    beliefs_section,
    hints_section,
    levels_section,
    losses_section,
    partings_section,
)
from offbelief.evaluation.match import MatchResult
from offbelief.evaluation.plots import draw_crossplay_matrix, draw_knowledge, draw_learning_curves
from offbelief.evaluation.report import cards, command, drawing, folded, heading, page, paragraph, table
from offbelief.evaluation.story import NAMES, Story, tell_game, typical_deal
from offbelief.evaluation.tournament import Tournament
from offbelief.games.hanabi.moves import COLOUR_LETTERS
from offbelief.learning.levels import ladder_command, read_ladder

_FACTS = ("method", "seed", "steps", "cpu_minutes")


@dataclass(frozen=True)
class Origin:
    """Where an agent comes from."""

    facts: Mapping[str, Any]
    """``method``, ``seed``, ``steps`` and ``cpu_minutes``, as far as they are known"""
    command: str
    """What would train it again; "" for a scripted player"""
    curve: Sequence[Mapping[str, float]]
    """Evaluations in the course of training; empty if they were not kept"""
    settings: str
    """Everything else that is written down about it, as JSON; "" for nothing"""


@dataclass(frozen=True, eq=False)
class Findings:
    """All that a report is made from."""

    tournament: Tournament
    origins: Mapping[str, Origin]
    """By agent"""
    story: Story
    storytellers: Sequence[str]
    """The agents at the seats of the told game"""
    games: int
    """Of every team"""
    command: str
    """What makes the report again"""
    meanings: Mapping[str, Any] = field(default_factory=dict)
    """What moves came to mean (`ladder_account.py`): ``moves``, ``levels`` and ``beliefs``; empty if nobody looked"""

    def played_by_itself(self, agent: str) -> MatchResult:
        """The games of an agent's own team."""
        return self.tournament.results[self.tournament.agents.index(agent)]


def find_origin(name: str) -> Origin:
    """Look up where an agent comes from: a run's folder, the zoo, or a scripted player."""
    folder = Path(name)
    if folder.is_dir():
        return _origin_of_run(folder)
    if name in zoo_names():
        kept = zoo_card(name)
        facts = {key: kept[key] for key in _FACTS if key in kept}
        return Origin(facts, kept["command"], (), json.dumps(kept, indent=1))
    return Origin({"method": "scripted"}, "", (), "")


def _origin_of_run(folder: Path) -> Origin:
    text = (folder / "config.json").read_text(encoding="utf-8")
    config = json.loads(text)
    _, metadata = load_tensors(folder / "agent.safetensors")
    metrics = folder / "metrics.jsonl"
    lines = metrics.read_text(encoding="utf-8").splitlines() if metrics.exists() else []
    # A run that was resumed from an older checkpoint has evaluated some steps twice; the later line counts.
    by_step = {line["step"]: line for line in map(json.loads, lines)}
    facts = {
        "method": config["method"],
        "seed": config["seed"],
        "steps": metadata["step"],
        "cpu_minutes": metadata["cpu_minutes"],
    }
    again = f"obl train {config['preset']} --seed {config['seed']} --steps {metadata['step']}"
    if (precision := config.get("precision", "float32")) != "float32":
        again += f" --precision {precision}"
    if config.get("belief") and (folder.parent / "ladder.json").exists():  # the upper rungs have no preset of their own
        again = ladder_command(read_ladder(folder.parent), int(folder.name.rpartition("-")[2]))
    return Origin(facts, again, [by_step[step] for step in sorted(by_step)], text)


def gather(
    tournament: Tournament,
    agents: Mapping[str, Agent],
    origins: Mapping[str, Origin],
    made_by: str,
    meanings: Mapping[str, Any] | None = None,
) -> Findings:
    """Put together what a report is made from, and let the first agents play the game that is told.

    Args:
        tournament: The games.
        agents: Who played them, by name.
        origins: Where they come from, by name.
        made_by: The command that makes the report again.
        meanings: What moves came to mean, if somebody looked.
    """
    # The first team of different agents, if there is one: strangers at one table are what this is about.
    place = len(tournament.agents) if len(tournament.teams) > len(tournament.agents) else 0
    team, played = tournament.teams[place], tournament.results[place]
    orders = 1 if len(set(team)) == 1 else math.factorial(len(team))
    deal = typical_deal(played, len(played.scores) // orders)
    story = tell_game([agents[name] for name in team], tournament.variant, tournament.seed, deal)
    return Findings(tournament, origins, story, team, len(played.scores), made_by, meanings or {})


# ---------------------------------------------------------------------------------------------------------------------
# Sections
# ---------------------------------------------------------------------------------------------------------------------


def scores_section(found: Findings) -> list[str]:
    """What everybody scores with itself, and how it was made."""
    rows = []
    for name in found.tournament.agents:
        played, origin = found.played_by_itself(name), found.origins[name]
        figures = played.as_json()
        rows.append(
            [
                name,
                str(origin.facts.get("method", "")),
                _number(origin.facts.get("seed")),
                _score(played),
                f"{figures['perfect']:.1%}",
                f"{figures['bomb']:.1%}",
                _number(origin.facts.get("steps")),
                _number(origin.facts.get("cpu_minutes"), ".1f"),
            ]
        )
    head = ["agent", "method", "seed", "score with itself", "perfect", "third strike", "steps", "CPU-minutes"]
    return [
        paragraph(_lead(found), "lead"),
        table(head, rows),
        paragraph(
            f"{found.tournament.variant.name}, at most {found.tournament.variant.max_score} points; {found.games:,} "
            "games of every team. Errors of a team are standard errors over its games; errors of a mean over teams "
            "come from teams that share no agent. A third strike costs all points.",
            "small",
        ),
    ]


def curves_section(found: Findings) -> list[str]:
    """How the score grew in training."""
    curves = {
        name: origin.curve for name, origin in found.origins.items() if origin.curve and "score" in origin.curve[0]
    }
    if not curves:
        return []
    caption = (
        "Greedy self-play of the averaged network in the course of training, on deals that are used for nothing else; "
        "bars are standard errors over games."
    )
    return [heading("Learning curves"), drawing(draw_learning_curves(curves), caption)]


def crossplay_section(found: Findings) -> list[str]:
    """How the agents get along with each other."""
    result = found.tournament
    if len(result.teams) == len(result.agents):
        return []
    parts = [
        heading("Cross-play"),
        paragraph(
            f"Self-play {result.self_play}, cross-play {_cross_play(result)} on average. Agents "
            "that rely on private conventions lose points here; agents that share an understanding do not."
        ),
    ]
    if result.variant.players == 2:
        caption = (
            "Mean score of every pair, both seat orders, on the same deals; every agent with itself on the diagonal."
        )
        return [*parts, drawing(draw_crossplay_matrix(result), caption)]
    teams = zip(result.teams, result.results, strict=True)
    rows = [[" with ".join(team), _score(played)] for team, played in teams]
    return [*parts, table(["team", "score"], rows)]


def knowledge_section(found: Findings) -> list[str]:
    """What the agents knew of the cards they played."""
    shares: dict[str, Any] = {
        name: found.played_by_itself(name).as_json()["knowledge"] for name in found.tournament.agents
    }
    caption = (
        "What hints and visible cards had told players of a card when they played it: both colour and rank, one of "
        "them, or nothing. Grounded play needs both more often; conventions fill in what is not known."
    )
    return [heading("What was known of the cards played"), drawing(draw_knowledge(shares), caption)]


def meanings_section(found: Findings) -> list[str]:
    """What moves came to mean (`ladder_report.py`)."""
    if not found.meanings:
        return []
    moves = found.meanings["moves"]
    return [
        *levels_section(found.meanings["levels"], found.tournament.variant.max_score),
        *hints_section(moves),
        *answers_section(moves),
        *partings_section(moves),
        *losses_section(moves),
        *beliefs_section(found.meanings["beliefs"]),
    ]


def story_section(found: Findings) -> list[str]:
    """A game told move by move."""
    story, variant = found.story, found.tournament.variant
    if len(set(found.storytellers)) == 1:
        seats = f"{found.storytellers[0]} sits at every seat"
    else:
        seats = ", ".join(f"{NAMES[seat]} is {name}" for seat, name in enumerate(found.storytellers))
    hands = [
        [NAMES[seat], cards((COLOUR_LETTERS[kind // variant.ranks], kind % variant.ranks + 1) for kind in hand)]
        for seat, hand in enumerate(story.hands)
    ]
    rows = [
        [
            str(number),
            turn.what,
            cards(zip(COLOUR_LETTERS, turn.fireworks, strict=False)),
            str(turn.hint_tokens),
            str(turn.lives),
            turn.why,
        ]
        for number, turn in enumerate(story.turns, start=1)
    ]
    return [
        heading("A game, move by move"),
        paragraph(
            f"{seats}. Deal {story.deal} of seed {found.tournament.seed}, the first that was worth the median: "
            f"{story.score} points after {len(story.turns)} moves; {story.ending}. Slot 0 holds the oldest card."
        ),
        table(["", "first hand, slot 0 to the left"], hands, style="text"),
        table(["", "what happened", "fireworks", "hints", "lives", "why"], rows, style="text"),
    ]


def settings_section(found: Findings) -> list[str]:
    """How every agent was made."""
    parts = [heading("Settings")]
    for name, origin in found.origins.items():
        if origin.settings:
            parts.append(folded(f"{name}: {origin.command}", origin.settings))
        else:
            parts.append(paragraph(f"{name}: a scripted player"))
    return [*parts, paragraph("This page was made by:"), command(found.command)]


SECTIONS: tuple[Callable[[Findings], list[str]], ...] = (
    scores_section,
    curves_section,
    crossplay_section,
    knowledge_section,
    meanings_section,
    story_section,
    settings_section,
)


def write_report(found: Findings, title: str) -> str:
    """The report as one HTML page."""
    return page(title, [piece for section in SECTIONS for piece in section(found)])


def _lead(found: Findings) -> str:
    result = found.tournament
    if len(result.agents) == 1:
        (name,) = result.agents
        return f"{name} scores {_score(found.played_by_itself(name))} of {result.variant.max_score} with itself."
    if len(result.teams) == len(result.agents):
        return f"{len(result.agents)} agents score {result.self_play} with themselves."
    return (
        f"{len(result.agents)} agents score {result.self_play} of {result.variant.max_score} with themselves "
        f"and {_cross_play(result)} with each other."
    )


def _cross_play(result: Tournament) -> str:
    """The mean over teams; of a single team, the mean over its games."""
    alone = len(result.teams) == len(result.agents) + 1
    return _score(result.results[-1]) if alone else str(result.cross_play)


def _score(played: MatchResult) -> str:
    return f"{played.mean:.2f} ± {played.sem:.2f}"


def _number(value: Any, form: str = ",") -> str:
    return "" if value is None else f"{value:{form}}"
