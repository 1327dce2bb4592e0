"""Solve a small game exactly: OBL levels, baselines and cross-play.

GAME is toy, tiny-hanabi, disagreement, no-improvement, coordination, random, a small Hanabi such as
hanabi:2p-1c-3r-h2-i1-l1, or a JSON file (docs/games/json.md).

Example: obl solve toy --operator bellman --levels 4 --temperature 0.05
"""

import itertools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from offbelief.agents.tabular import TabularPolicy, policy_from_mapping, seat_together, uniform_policy
from offbelief.games.catalogue import find_game
from offbelief.games.tree import Tree, unroll
from offbelief.learning.exact_baselines import (
    Mixture,
    cognitive_hierarchy,
    k_level,
    self_play_optimum,
    value,
)
from offbelief.learning.exact_obl import OblSettings, Operator, Temperature, obl_levels, opposite_ties
from offbelief.nouns import UserError

SHOWN_HISTORIES = 24
"""A policy is written out whole up to so many decision histories; beyond, only where levels differ most."""
DIFFERENCE = 0.01
"""Policies differ at a history if their total variation is larger than this."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """What to solve, and how."""

    game: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="GAME")]
    """A small game by name, or a JSON file."""
    operator: Operator = "counterfactual"
    """counterfactual: Eqs. 1-3, the belief is drawn once; bellman: Eq. 4, drawn again at every own turn."""
    levels: int = 4
    """How many OBL levels (and levels of the baselines)."""
    temperature: str = "0.05"
    """T of Eq. 3; 0 for T = 0 with the grounded belief off the path; 'limit' for T -> 0."""
    continuation: Annotated[float | None, tyro.conf.arg(name="lambda")] = None
    """Interpolate between the operators: 0 is bellman, 1 counterfactual."""
    belief_eps: float = 0.0
    """Draw beliefs from (1 - eps) pi_{k-1} + eps uniform."""
    ch: str = "uniform"
    """Mixture of lower levels in the cognitive hierarchy: uniform, or poisson:TAU."""
    pi0: Path | None = None
    """A JSON file {history: {action: probability}} to start from; uniform where it says nothing."""
    save_policy: Path | None = None
    """Write the last level's policy as such a file."""
    seed: int = 0
    """Of the random starts, where the self-play optimum is too large to search exhaustively."""
    json: bool = False
    """Print one JSON object instead of tables."""


def run(arguments: Arguments) -> int:
    """Solve the game, print what was found."""
    if arguments.levels < 1:
        raise UserError(f"--levels is {arguments.levels}; ask for at least one level.")
    settings = OblSettings(
        operator=arguments.operator,
        continuation=arguments.continuation,
        temperature=_read_temperature(arguments.temperature),
        belief_epsilon=arguments.belief_eps,
    )
    mixture = _read_mixture(arguments.ch)
    tree = unroll(find_game(arguments.game))
    pi0 = _read_policy(tree, arguments.pi0) if arguments.pi0 else uniform_policy(tree)
    first, last = (
        [level.policy for level in obl_levels(tree, arguments.levels, one_order, pi0=pi0)]
        for one_order in opposite_ties(settings)
    )
    levels = [
        {"level": number, "self_play": value(one), "cross_play": _value_across(one, other)}
        for number, (one, other) in enumerate(zip(first, last, strict=True), start=1)
    ]
    optimum = self_play_optimum(tree, seed=arguments.seed)
    found = {
        "game": tree.tables.name,
        "operator": settings.operator,
        "lambda": settings.lambda_,
        "temperature": settings.temperature,
        "belief_eps": settings.belief_epsilon,
        "levels": levels,
        "baselines": {
            "self_play_optimum": optimum.value,
            "self_play_optimum_is_exact": optimum.is_exact,
            "k_level": [value(policy) for policy in k_level(tree, arguments.levels, pi0=pi0)],
            "cognitive_hierarchy": [
                value(policy) for policy in cognitive_hierarchy(tree, arguments.levels, mixture=mixture, pi0=pi0)
            ],
            "random": value(uniform_policy(tree)),
        },
        "size": {
            "players": tree.num_players,
            "trajectories": tree.num_nodes,
            "histories": tree.num_histories,
            "decisions": tree.num_decisions,
        },
    }
    if arguments.save_policy:
        arguments.save_policy.write_text(json.dumps(first[-1].to_mapping(), indent=1) + "\n", encoding="utf-8")
    if arguments.json:
        print(json.dumps(found))
    else:
        _print_tables(found, pi0, first, optimum.restarts)
    return 0


def _value_across(one: TabularPolicy, other: TabularPolicy) -> float:
    """Mean value of the teams that mix both solves."""
    seatings = itertools.product((one, other), repeat=one.tree.num_players)
    mixed = [value(seat_together(team)) for team in seatings if len({id(policy) for policy in team}) > 1]
    return float(np.mean(mixed)) if mixed else value(one)


def _read_temperature(text: str) -> Temperature:
    if text == "limit":
        return "limit"
    try:
        return float(text)
    except ValueError:
        raise UserError(f"--temperature is '{text}'; give a number of 0 or more, or 'limit' for T -> 0.") from None


def _read_mixture(text: str) -> Mixture:
    if text == "uniform":
        return "uniform"
    kind, _, rate = text.partition(":")
    try:
        if kind == "poisson":
            return "poisson", float(rate)
    except ValueError:
        pass
    raise UserError(f"--ch is '{text}'; give 'uniform' or 'poisson:TAU', such as poisson:1.5.")


def _read_policy(tree: Tree, path: Path) -> TabularPolicy:
    try:
        mapping = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"The policy file {path} cannot be read: {error.strerror}.") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"The policy file {path} is not JSON: {error}.") from None
    if not isinstance(mapping, dict):
        raise UserError(f"The policy file {path} must hold one object {{history: {{action: probability}}}}.")
    return policy_from_mapping(tree, mapping)


def _print_tables(found: dict[str, Any], pi0: TabularPolicy, policies: list[TabularPolicy], restarts: int) -> None:
    from rich.table import Table
    from rich.text import Text

    from offbelief.interfaces.console import TableConsole

    tree = pi0.tree
    console = TableConsole(
        markup=False, emoji=False
    )  # names of games and actions are the user's: print them as they are
    size, baselines = found["size"], found["baselines"]
    described = (
        f": {size['players']} players, at most {tree.depth} moves, "
        f"{size['histories']:,} histories of which {size['decisions']:,} are decisions, "
        f"{size['trajectories']:,} trajectories"
    )
    console.print(Text.assemble((found["game"], "bold"), described))
    console.print(
        f"OBL, {found['operator']} form, lambda = {found['lambda']:g}, T = {found['temperature']}, "
        f"belief eps = {found['belief_eps']:g}\n",
        highlight=False,
    )
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("level", "self-play", "cross-play", "differs from the level below at", "k-level", "CH"):
        table.add_column(column, justify="right")
    below = pi0
    for index, level in enumerate(found["levels"]):
        count = len(_where_different(below, policies[index]))
        table.add_row(
            str(level["level"]),
            f"{level['self_play']:.4f}",
            f"{level['cross_play']:.4f}",
            f"{count:,} of {size['decisions']:,} histories",
            f"{baselines['k_level'][index]:.4f}",
            f"{baselines['cognitive_hierarchy'][index]:.4f}",
        )
        below = policies[index]
    console.print(table)
    how = "exact" if baselines["self_play_optimum_is_exact"] else f"best of {restarts} hill climbs, maybe not the best"
    console.print(
        f"\nself-play optimum {baselines['self_play_optimum']:.4f} ({how}); random play {baselines['random']:.4f}\n",
        highlight=False,
    )
    _print_policies(console, Table(box=None, header_style="bold", pad_edge=False), tree, policies)


def _print_policies(console: Any, table: Any, tree: Tree, policies: list[TabularPolicy]) -> None:
    """What every level does: the likeliest action and its probability, marked where it differs from the level below."""
    histories = [int(history) for history in np.flatnonzero(np.diff(tree.arrays.entry_start))]
    if len(histories) > SHOWN_HISTORIES:
        different = {history for one, other in itertools.pairwise(policies) for history in _where_different(one, other)}
        histories = [history for history in histories if history in different][:SHOWN_HISTORIES]
        if not histories:
            console.print("The levels do the same at every history.")
            return
        console.print(f"Where the levels differ ({len(different):,} histories; * differs from the level below):")
    else:
        console.print("What the levels do (* differs from the level below):")
    table.add_column("history", overflow="fold")
    for number in range(1, len(policies) + 1):
        table.add_column(f"level {number}", overflow="fold")
    changed = [set(_where_different(one, other)) for one, other in itertools.pairwise(policies)]
    for history in histories:
        cells = []
        for index, policy in enumerate(policies):
            begin, end = tree.arrays.entry_start[history : history + 2]
            probs = policy.probs[begin:end]
            best = int(np.argmax(probs))
            action = tree.tables.action_names[tree.entry_action[begin + best]]
            mark = " *" if index > 0 and history in changed[index - 1] else ""
            cells.append(f"{action} {probs[best]:.2f}{mark}")
        table.add_row(tree.history_name(history), *cells)
    console.print(table)


def _where_different(one: TabularPolicy, other: TabularPolicy) -> list[int]:
    """Histories where two policies differ, the most different first."""
    tree = one.tree
    variation = 0.5 * np.bincount(tree.entry_history, np.abs(one.probs - other.probs), tree.num_histories)
    different = np.flatnonzero(variation > DIFFERENCE)
    return [int(history) for history in different[np.argsort(-variation[different], kind="stable")]]
