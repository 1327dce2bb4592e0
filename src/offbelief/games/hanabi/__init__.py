"""Batched Hanabi for 2-5 players, with the rules of DeepMind's Hanabi Learning Environment.

`HanabiVariant` says which rules, `HANABI_STATE` is one game, `HanabiBatch` plays many.
"""

from offbelief.games.hanabi.batch import HanabiBatch, RandomPlay
from offbelief.games.hanabi.kernels import NO_MOVE
from offbelief.games.hanabi.moves import Move, move_id, read_move, why_illegal
from offbelief.games.hanabi.state import HANABI_STATE, NO_CARD
from offbelief.games.hanabi.variant import NAMED_VARIANTS, HanabiVariant

__all__ = [
    "HANABI_STATE",
    "NAMED_VARIANTS",
    "NO_CARD",
    "NO_MOVE",
    "HanabiBatch",
    "HanabiVariant",
    "Move",
    "RandomPlay",
    "move_id",
    "read_move",
    "why_illegal",
]
