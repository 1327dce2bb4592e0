"""Step vectors: games recorded from HLE with everything it showed at every step, and their comparison with our engine.

One JSON object a game: ``cfg`` (HLE's settings), ``deals`` (``[seat, colour, rank]`` in the order of the deal, as far
as it went), ``steps`` (``p`` who acts, ``legal`` move ids, ``life``, ``info``, ``deck``, ``fw``, ``score``, ``enc`` =
the canonical observation of every seat as hexadecimal text, ``a`` the move made) and ``end``.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.records import read_card, read_id, read_list, read_whole
from offbelief.games.hanabi.replays import Replay, move_problem
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.games.hanabi.views.bits import from_hex
from offbelief.games.hanabi.views.canonical import canonical_layout, observe_canonical
from offbelief.nouns import UserError

_NUMBERS = ("p", "life", "info", "deck", "score", "a")
_END_NUMBERS = ("life", "info", "score")


@dataclasses.dataclass(frozen=True, kw_only=True)
class StepVectors:
    """A game recorded from HLE step by step."""

    variant: HanabiVariant
    """The rules."""
    deals: tuple[tuple[int, int], ...]
    """Seat and kind of every card dealt, in order."""
    steps: tuple[Mapping[str, Any], ...]
    """What HLE showed before each move, and the move; keys as the module says."""
    end: Mapping[str, Any]
    """What HLE showed after the last move; empty if the file does not say."""
    id: str | int = ""
    """What the game is called in its file."""


def read_vectors(data: Mapping[str, Any], *, line: int = 1) -> StepVectors:
    """Read a game of step vectors from its JSON object.

    Raises:
        UserError: if the object has another shape.
    """
    settings = data.get("cfg")
    if not isinstance(settings, Mapping):
        raise UserError("'cfg' is missing or no object")
    variant = HanabiVariant(
        players=_read_setting(settings, "players"),
        colours=_read_setting(settings, "colors"),
        ranks=_read_setting(settings, "ranks"),
        hand_size=_read_setting(settings, "hand_size"),
        hint_tokens=_read_setting(settings, "max_information_tokens"),
        lives=_read_setting(settings, "max_life_tokens"),
    )
    deals = []
    for deal in read_list(data, "deals"):
        if not isinstance(deal, list) or len(deal) != 3:
            raise UserError(f"{deal!r} in 'deals' is no deal; give [seat, colour, rank]")
        deals.append((read_whole(deal[0], "a seat"), read_card(variant, deal[1:])))
    steps = read_list(data, "steps")
    for step in steps:
        _check_shape(step, _NUMBERS, ("legal", "fw", "enc"), "'steps'")
    end = data.get("end") or {}
    if end:
        _check_shape(end, _END_NUMBERS, ("fw",), "'end'")
    return StepVectors(variant=variant, deals=tuple(deals), steps=tuple(steps), end=end, id=read_id(data, line))


def replay_vectors(vectors: StepVectors) -> Replay:
    """Play a recorded game and compare, at every step, all that HLE showed with what our engine says."""
    variant = vectors.variant
    kinds = [kind for _, kind in vectors.deals]
    first = vectors.steps[0]["p"] if vectors.steps else 0
    start_seat = first if first in range(variant.players) else 0  # a seat that is not there shows at turn 1
    try:
        batch = HanabiBatch.from_decks(variant, [kinds], start_seats=[start_seat])
    except UserError:
        return Replay(id=vectors.id, score=None, turns=0, error=f"the deals do not fit a deck of {variant.name}")
    error = None
    for step in vectors.steps:
        error = (
            _deal_problem(batch, vectors)
            or _difference(batch, step)
            or move_problem(variant, batch.states[0], step["a"])
        )
        if error is not None:
            break
        batch.step([step["a"]])
    if error is None:
        error = _deal_problem(batch, vectors) or _end_difference(batch, vectors.end)
    game = batch.states[0]
    return Replay(id=vectors.id, score=int(game["score"]), turns=int(game["turn"]), error=error)


def _read_setting(settings: Mapping[str, Any], name: str) -> int:
    return read_whole(settings.get(name), f"'{name}' in 'cfg'")


def _difference(batch: HanabiBatch, step: Mapping[str, Any]) -> str | None:
    """Say what differs before a move, naming the turn, or return None if nothing does."""
    game = batch.states[0]
    turn = f"turn {int(game['turn']) + 1}"
    ours = {
        "p": int(game["acting_seat"]),
        "legal": np.flatnonzero(batch.legal_moves()[0]).tolist(),
        "deck": batch.variant.deck_size - int(game["cards_drawn"]),
        **_table(batch),
    }
    for key, value in ours.items():
        if key == "legal":
            if sorted(step[key]) != value:
                return f"{turn}: the legal moves are {value} here and {sorted(step[key])} in the file"
        elif step[key] != value:
            return f"{turn}: '{key}' is {value} here and {step[key]} in the file"
    if len(step["enc"]) != batch.variant.players:
        return f"{turn}: the file has observations of {len(step['enc'])} seats, the game {batch.variant.players}"
    size = canonical_layout(batch.variant).size
    for seat, text in enumerate(step["enc"]):
        try:
            recorded = from_hex(text, size)
        except UserError:
            return f"{turn}: the observation of seat {seat} in the file is not one of {size} bits"
        observed = observe_canonical(batch.states, batch.variant, seat)[0]
        if np.any(observed != recorded):
            bit = int(np.argmax(observed != recorded))
            return f"{turn}: bit {bit} of what seat {seat} sees is {observed[bit]} here and {recorded[bit]} in the file"
    return None


def _deal_problem(batch: HanabiBatch, vectors: StepVectors) -> str | None:
    """Check that the cards in the hands are those that the file deals to these seats."""
    game = batch.states[0]
    turn = f"turn {int(game['turn']) + 1}"
    if int(game["cards_drawn"]) > len(vectors.deals):
        return f"{turn}: {game['cards_drawn']} cards have been drawn, the file deals {len(vectors.deals)}"
    for seat in range(batch.variant.players):
        for card in game["deal_indices"][seat, : game["hand_sizes"][seat]]:
            if vectors.deals[card][0] != seat:
                return f"{turn}: seat {seat} holds card number {card}, which the file deals to another seat"
    return None


def _end_difference(batch: HanabiBatch, end: Mapping[str, Any]) -> str | None:
    """Say what differs after the last move, or return None if nothing does."""
    for key, value in _table(batch).items():
        if key in end and end[key] != value:
            return f"at the end '{key}' is {value} here and {end[key]} in the file"
    return None


def _table(batch: HanabiBatch) -> dict[str, Any]:
    """What lies on the table, under HLE's short names."""
    game = batch.states[0]
    return {
        "life": int(game["lives"]),
        "info": int(game["hint_tokens"]),
        "fw": game["fireworks"][: batch.variant.colours].tolist(),
        "score": int(game["score"]),
    }


def _check_shape(step: object, numbers: tuple[str, ...], lists: tuple[str, ...], where: str) -> None:
    """Refuse a step that lacks something."""
    if not isinstance(step, Mapping):
        raise UserError(f"{step!r} in {where} is no object")
    for key in numbers:
        read_whole(step.get(key), f"'{key}' in {where}")
    for key in lists:
        values = read_list(step, key)
        if not all(isinstance(value, str if key == "enc" else int) for value in values):
            raise UserError(f"'{key}' in {where} holds {values!r}")
