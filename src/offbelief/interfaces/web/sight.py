"""What goes over the wire of one position: all that a seat may see, and nothing else.

The engine's record holds the whole truth (deck, hands, the stream that shuffled them). Nothing of it reaches a page but
through `see`, which copies field by field what the looking seat would see at a real table. Two things are less obvious
than the own hand: what a partner can rule out depends on the cards in *your* hand, and so does the list of hints that a
partner may give. Both are left out.
"""

from typing import Any

import numpy as np

from offbelief.beliefs.counting import hand_marginals
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.moves import END_REASONS, why_illegal
from offbelief.games.hanabi.standing import card_standing
from offbelief.games.hanabi.state import NOTHING, RUNNING
from offbelief.games.hanabi.variant import DISCARDED, HINTED_COLOUR, HINTED_RANK, PLAYED, HanabiVariant
from offbelief.nouns import AnyArray

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
    batch = HanabiBatch.from_states(variant, states)
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
        "hands": [_see_hand(batch, seat, looker) for seat in range(variant.players)],
        "last": _see_last_move(before, game),
        "refusals": _refusals(batch, looker),
    }


def _see_hand(batch: HanabiBatch, seat: int, looker: int | None) -> list[dict[str, Any]]:
    """One hand, oldest card first: number and hints of every card, its kind if the looker sees it."""
    game = batch.states[0]
    possible = _possible_kinds(batch, seat, looker)
    return [
        {
            "order": int(game["deal_indices"][seat, slot]),
            "kind": None if seat == looker else int(game["hands"][seat, slot]),
            "possible": np.flatnonzero(possible[slot]).tolist(),
            "colour_told": bool(game["colour_told"][seat, slot]),
            "rank_told": bool(game["rank_told"][seat, slot]),
        }
        for slot in range(int(game["hand_sizes"][seat]))
    ]


def _possible_kinds(batch: HanabiBatch, seat: int, looker: int | None) -> AnyArray:
    """[H, K] what the owner of a hand cannot rule out, as far as the looker can tell.

    The owner of another hand counts the cards in the looker's, which the looker must not see: those are left out.
    """
    if looker is None or looker == seat:
        known: AnyArray = hand_marginals(batch.states, batch.variant, seat)[0] > 0.0
        return known
    unseen = batch.public_counts()[0].astype(np.int64)
    for other in range(batch.variant.players):
        if other not in (seat, looker):
            size = int(batch.states["hand_sizes"][0, other])
            unseen -= np.bincount(batch.states["hands"][0, other, :size], minlength=batch.variant.card_kinds)
    possible: AnyArray = batch.possible_kinds(seat)[0] & (unseen > 0)
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


def _refusals(batch: HanabiBatch, looker: int | None) -> list[str | None] | None:
    """Why each move cannot be made, None where it can; only for the seat to move, since hints tell of other hands."""
    game = batch.states[0]
    if looker != game["acting_seat"] or game["is_over"]:
        return None
    legal = batch.legal_moves()[0]
    return [None if can else why_illegal(batch.variant, game, move) for move, can in enumerate(legal)]
