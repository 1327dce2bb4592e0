"""Reasons in words and numbers: what speaks for a move of Hanabi, and how far ahead of the next best it is.

Pure wording: beliefs and values are handed in, and come from `offbelief.evaluation.mind`.
"""

from collections.abc import Sequence

import numpy as np

from offbelief.games.hanabi.moves import read_move
from offbelief.games.hanabi.standing import card_standing
from offbelief.games.hanabi.text import label_move
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import FloatArray


def reason_for_move(
    game: np.void, variant: HanabiVariant, belief: FloatArray, move: int, *, names: Sequence[str] = ()
) -> str:
    """Say what the acting seat does with a move and what speaks for it, such as "Plays slot 2: P(playable) = 0.94".

    Own cards are spoken of as the belief [H, K] has them, other seats' cards as they are.
    """
    seat, meaning = int(game["acting_seat"]), read_move(variant, move)
    verb, _, what = label_move(variant, move, seat, names=names).partition(" ")
    does = f"{verb.capitalize()}s {what}"
    standing = card_standing(game, variant)
    if meaning.type == "play":
        return f"{does}: P(playable) {chance(belief[meaning.value][standing.playable].sum())}"
    if meaning.type == "discard":
        card = belief[meaning.value]
        useless, critical = card[standing.useless].sum(), card[standing.critical].sum()
        return f"{does}: P(useless) {chance(useless)}, P(critical) {chance(critical)}"
    target = (seat + meaning.offset) % variant.players
    kinds = game["hands"][target, : game["hand_sizes"][target]].astype(np.int64)
    values = kinds // variant.ranks if meaning.type == "colour" else kinds % variant.ranks
    touched = kinds[values == meaning.value]
    playable = int(standing.playable[touched].sum())
    if len(touched) == 1:
        return f"{does}: touches 1 card, {'playable' if playable else 'not playable'} now"
    return f"{does}: touches {len(touched)} cards, {playable or 'none'} of them playable now"


def margin(values: Sequence[tuple[str, float | None]]) -> str:
    """Say how far the next best move is behind, such as "; next best: hint 1s, 0.21 lower".

    Args:
        values: Labels and values of the chosen move, and after it of the others from the best on; None for no value.
            An agent that draws its moves may choose another than the best.
    """
    if len(values) == 1:
        return "; it is the only legal move"
    (_, value), (label, second) = values[:2]
    if value is None or second is None:
        return ""
    if value == second:
        return f"; {label} is just as good"
    if value < second:
        return f"; best by value: {label}, {amount(second - value)} higher"
    return f"; next best: {label}, {amount(value - second)} lower"


def chance(probability: float) -> str:
    """Write a probability so that only what is certain reads as 0 or 1: "= 0.94", "> 0.99", "= 1"."""
    if abs(probability - round(probability)) < 1e-9:  # sums of exact marginals round off by far less
        return f"= {round(probability)}"
    if probability > 0.995:
        return "> 0.99"
    return f"= {probability:.2f}" if probability >= 0.005 else "< 0.01"


def amount(difference: float) -> str:
    """Write a positive difference of values."""
    return f"{difference:.2f}" if difference >= 0.005 else "less than 0.01"
