"""What goes over the wire of one position: all that a seat may see, and nothing else.

The engine's record holds the whole truth (deck, hands, the stream that shuffled them). Nothing of it reaches a page but
through `see`, which copies field by field what the looking seat would see at a real table. Two things are less obvious
than the own hand: what a partner can rule out depends on the cards in *your* hand, and so does the list of hints that a
partner may give. Both are left out.
"""

from typing import Any

import numpy as np

from offbelief.beliefs.counting import marginals
from offbelief.games.hanabi.kernels import legal_moves
from offbelief.games.hanabi.knowledge import possible_kinds, public_counts
from offbelief.games.hanabi.moves import END_REASONS, why_illegal
from offbelief.games.hanabi.standing import card_standing
from offbelief.games.hanabi.state import NOTHING, RUNNING
from offbelief.games.hanabi.variant import DISCARDED, HINTED_COLOUR, HINTED_RANK, PLAYED, HanabiVariant
from offbelief.nouns import AnyArray, BoolArray

_TYPES = {PLAYED: "play", DISCARDED: "discard", HINTED_COLOUR: "colour", HINTED_RANK: "rank"}


def see(before: AnyArray | None, states: AnyArray, variant: HanabiVariant, looker: int | None) -> dict[str, Any]:
    """Describe a position as JSON.

    Args:
        before: [1] the position one move earlier, which knows the number of the card that was moved; None at the start.
        states: [1] the position.
        variant: The rules.
        looker: The seat that looks; its own cards are hidden. None sees every card.
    """
    game = states[0]
    standing = card_standing(game, variant)
    return {
        "turn": int(game["turn"]),
        "seat": int(game["acting_seat"]),
        "over": bool(game["is_over"]),
        "end": None if game["end_reason"] == RUNNING else END_REASONS[int(game["end_reason"])],
        "hints": int(game["hint_tokens"]),
        "lives": int(game["lives"]),
        "deck": variant.deck_size - int(game["cards_drawn"]),
        "turns_left": int(game["turns_left"]) if game["cards_drawn"] == variant.deck_size else None,
        "score": int(game["score"]),
        "best": standing.best_possible,
        "fireworks": game["fireworks"][: variant.colours].tolist(),
        "discards": game["discards"][: variant.card_kinds].tolist(),
        "playable": np.flatnonzero(standing.playable).tolist(),
        "useless": np.flatnonzero(standing.useless).tolist(),
        "critical": np.flatnonzero(standing.critical).tolist(),
        "hands": [_see_hand(states, variant, seat, looker) for seat in range(variant.players)],
        "last": _see_last_move(before, game),
        "refusals": _refusals(states, variant, looker),
    }


def _see_hand(states: AnyArray, variant: HanabiVariant, seat: int, looker: int | None) -> list[dict[str, Any]]:
    """One hand, oldest card first: number and hints of every card, its kind if the looker sees it."""
    game = states[0]
    orders, kinds = game["deal_indices"][seat].tolist(), game["hands"][seat].tolist()
    colour_told, rank_told = game["colour_told"][seat].tolist(), game["rank_told"][seat].tolist()
    possible = _possible_kinds(states, variant, seat, looker).tolist()
    return [
        {
            "order": orders[slot],
            "kind": None if seat == looker else kinds[slot],
            "possible": [kind for kind, is_possible in enumerate(possible[slot]) if is_possible],
            "colour_told": bool(colour_told[slot]),
            "rank_told": bool(rank_told[slot]),
        }
        for slot in range(int(game["hand_sizes"][seat]))
    ]


def _possible_kinds(states: AnyArray, variant: HanabiVariant, seat: int, looker: int | None) -> BoolArray:
    """[H, K] what the owner of a hand cannot rule out, as far as the looker can tell.

    The owner of another hand counts the cards in the looker's, which the looker must not see: those are left out.
    """
    seats, parameters = np.array([seat]), variant.parameters
    if looker is None or looker == seat:
        chances = np.empty((1, variant.hand_size, variant.card_kinds))
        marginals(states, parameters, seats, chances)
        counted: BoolArray = chances[0] > 0.0
        return counted
    by_hints = np.empty((1, variant.hand_size, variant.card_kinds), dtype=np.bool_)
    possible_kinds(states, parameters, seats, by_hints)
    unseen = np.empty((1, variant.card_kinds), dtype=np.int64)
    public_counts(states, parameters, unseen)
    for other in range(variant.players):
        if other not in (seat, looker):
            size = int(states["hand_sizes"][0, other])
            unseen[0] -= np.bincount(states["hands"][0, other, :size], minlength=variant.card_kinds)
    possible: BoolArray = by_hints[0] & (unseen[0] > 0)
    return possible


def _see_last_move(before: AnyArray | None, game: np.void) -> dict[str, Any] | None:
    """The last move: everything about it is public."""
    if before is None:
        return None
    actor, kind = int(game["last_actor"]), int(game["last_type"])
    last: dict[str, Any] = {"actor": actor, "type": _TYPES[kind]}
    if kind in (PLAYED, DISCARDED):
        slot = int(game["last_slot"])
        return {
            **last,
            "slot": slot,
            "order": int(before["deal_indices"][0, actor, slot]),
            "kind": int(game["last_card"]),
            "scored": bool(game["last_scored"]) if kind == PLAYED else None,
            "token_gained": bool(game["last_token_gained"]),
        }
    target = int(game["last_target"])
    value = game["last_colour"] if kind == HINTED_COLOUR else game["last_rank"]
    touched = int(game["last_touched"])
    orders = before["deal_indices"][0, target]
    return {
        **last,
        "target": target,
        "value": int(value),
        "touched": [int(order) for slot, order in enumerate(orders) if (touched >> slot) & 1 and order != NOTHING],
    }


def _refusals(states: AnyArray, variant: HanabiVariant, looker: int | None) -> list[str | None] | None:
    """Why each move cannot be made, None where it can; only for the seat to move, since hints tell of other hands."""
    game = states[0]
    if looker != game["acting_seat"] or game["is_over"]:
        return None
    legal = np.empty((1, variant.num_moves), dtype=np.bool_)
    legal_moves(states, variant.parameters, legal)
    return [None if can else why_illegal(variant, game, move) for move, can in enumerate(legal[0].tolist())]
