"""What agents, and the levels of ladders, came to mean: everything that reports and docs tell of it, as plain numbers.

One nested dictionary, ready for JSON, so that a figure or a table can be made again from a file. The counting is done
by `conventions.py`, `partings.py`, `climbs.py` and `belief_account.py`; `ladder_report.py` puts it into words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from offbelief.agents.loading import Agent, load_belief
from offbelief.beliefs.hand_model import LearnedBelief
from offbelief.evaluation.belief_account import AccountSettings, account_for_belief
from offbelief.evaluation.climbs import Climb, cross_levels
from offbelief.evaluation.conventions import (
    KeptGames,
    hint_meanings,
    keep_games,
    largest_changes,
    moves_per_game,
    next_moves,
)
from offbelief.evaluation.losses import expect_of_discards, find_losses
from offbelief.evaluation.partings import compare_moves, tell_partings
from offbelief.evaluation.tournament import Tournament
from offbelief.games.hanabi.moves import COLOUR_LETTERS, Move, read_move
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.learning.levels import belief_config

DISCARDING_GAMES = 200
"""Games of a level whose discards are looked at."""


def account_for_agents(
    agents: Mapping[str, Agent],
    variant: HanabiVariant,
    games: int,
    seed: int,
    pairs: Sequence[tuple[str, str]],
    partings: int = 2,
) -> dict[str, Any]:
    """Say what the moves of agents mean, and what changes from one to another.

    Args:
        agents: By name.
        variant: The rules.
        games: Of every agent with itself.
        seed: Of the deals, the same for everybody.
        pairs: Who is compared with whom, by name: the first plays, and the second is asked what it would have done.
        partings: How many partings of each pair are told.

    Returns:
        ``games``, ``seed``, ``moves`` (a short name for every move), ``agents`` (by name: ``moves_per_game``,
        ``next_moves``, ``hints``, ``losses``) and ``changes`` (for every pair: ``agents``, the shares ``same`` and
        ``whole_games``, ``first_turn``, ``largest`` changes of answers, and ``told`` partings).
    """
    kept = {name: keep_games(agent, variant, games, seed) for name, agent in agents.items()}
    return {
        "games": games,
        "seed": seed,
        "moves": short_moves(variant),
        "agents": {name: _account_for_games(of) for name, of in kept.items()},
        "changes": [_compare(kept, agents, first, second, partings) for first, second in pairs],
    }


def _account_for_games(kept: KeptGames) -> dict[str, Any]:
    answers = next_moves(kept)
    hints = hint_meanings(kept)
    return {
        "moves_per_game": moves_per_game(kept),
        "next_moves": {"counts": answers.counts.tolist(), "information": answers.information},
        "hints": {hint: {cards: of.as_json() for cards, of in found.items()} for hint, found in hints.items()},
        "losses": find_losses(kept).as_json(),
    }


def _compare(
    kept: Mapping[str, KeptGames], agents: Mapping[str, Agent], first: str, second: str, partings: int
) -> dict[str, Any]:
    agreement = compare_moves(kept[first], agents[second])
    changes = largest_changes(next_moves(kept[first]), next_moves(kept[second]))
    told = tell_partings(kept[first], agents[first], agents[second], partings)
    return {
        "agents": [first, second],
        "same": agreement.share,
        "whole_games": agreement.whole_games,
        "first_turn": None if np.isnan(agreement.first_turn) else agreement.first_turn,
        "largest": [asdict(change) for change in changes],
        "told": [parting.as_json() for parting in told],
    }


def neighbours(names: Sequence[str], climbs: Sequence[Climb]) -> list[tuple[str, str]]:
    """Who is compared with whom: each level with the next of its climb, and agents of no climb in the order given."""
    pairs = [pair for climb in climbs for pair in pairwise(climb.levels[level] for level in sorted(climb.levels))]
    standing = {name for climb in climbs for name in climb.levels.values()}
    return pairs + list(pairwise(name for name in names if name not in standing))


def account_for_levels(tournament: Tournament, climbs: Sequence[Climb]) -> list[dict[str, Any]]:
    """How levels get along, as `climbs.cross_levels` says; nothing without climbs, or for more than two players."""
    if not climbs or tournament.variant.players != 2:
        return []
    return [pair.as_json() for pair in cross_levels(tournament, climbs)]


def account_for_beliefs(
    climbs: Sequence[Climb],
    agents: Mapping[str, Agent],
    settings: AccountSettings | None = None,
    device: torch.device | None = None,
) -> list[dict[str, Any]]:
    """Account for every learned belief of some climbs.

    Args:
        climbs: Whose.
        agents: The agents of the climbs, by the names that the climbs call them.
        settings: How much is measured.
        device: Where networks compute.

    Returns:
        For every belief its ``name``, the ``level`` whose moves it reads and that agent, ``of``, all that
        `account_for_belief` gives, and under ``discards`` what `expect_of_discards` finds in games of the level that
        was trained with it (null if there is none yet).
    """
    found = []
    for climb in climbs:
        for level, name in climb.beliefs.items():
            config = belief_config(name)
            of = climb.levels[level]
            belief = load_belief(name, device)
            if not isinstance(belief, LearnedBelief):
                continue  # one that remembers whole games cannot be asked about states
            # The judge knows moves that are the best or anything, none that are drawn by their values.
            measured = replace(settings or AccountSettings(), judged=0) if config.temperature else settings
            account = account_for_belief(belief, agents[of], config.exploration, measured)
            account["discards"] = None
            if above := climb.levels.get(level + 1):
                games = keep_games(agents[above], belief.game.variant, DISCARDING_GAMES, AccountSettings.seed)
                account["discards"] = {"by": above, **expect_of_discards(games, belief)}
            found.append({"name": f"{climb.name}/belief-{level}", "level": level, "of": of, **account})
    return found


def short_moves(variant: HanabiVariant) -> list[str]:
    """A name of two or three letters for every move: "d0" discards and "p0" plays slot 0, "R" and "1" are hints.

    With three players or more a hint says to whom: "R+1" to the next seat.
    """
    return [_short(read_move(variant, move), variant.players) for move in range(variant.num_moves)]


def _short(move: Move, players: int) -> str:
    if move.type in ("play", "discard"):
        return f"{move.type[0]}{move.value}"
    what = COLOUR_LETTERS[move.value] if move.type == "colour" else str(move.value + 1)
    return what if players == 2 else f"{what}+{move.offset}"
