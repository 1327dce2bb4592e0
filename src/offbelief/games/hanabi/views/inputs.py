"""Checks that every view makes on its inputs: the games, who looks at them, and where the result goes."""

import numpy as np
import numpy.typing as npt

from offbelief.games.hanabi.state import HANABI_STATE
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import AnyArray, IntArray, UserError


def check_states(states: AnyArray) -> None:
    """Refuse what is not an array of games."""
    if not isinstance(states, np.ndarray) or states.dtype != HANABI_STATE or states.ndim != 1:
        raise UserError(
            "states must be a one-dimensional array of HANABI_STATE records; give `batch.states`, or a slice of it "
            "such as `batch.states[:1]` for a single game."
        )


def check_seats(states: AnyArray, variant: HanabiVariant, seats: npt.ArrayLike | None) -> IntArray:
    """Say who looks at each game: [B] int64.

    Args:
        states: [B] games.
        variant: Their rules.
        seats: One seat, or [B] seats, or None for the acting seat of each game.
    """
    if seats is None:
        acting: IntArray = states["acting_seat"].astype(np.int64)
        return acting
    checked = np.asarray(seats)
    if checked.dtype.kind not in "iu" or checked.shape not in ((), states.shape):
        raise UserError(
            f"seats must be one whole number, {len(states)} of them (one a game), or None for the acting seats; "
            f"got {checked.dtype} of shape {checked.shape}."
        )
    if np.any(checked < 0) or np.any(checked >= variant.players):
        raise UserError(f"seats must be from 0 to {variant.players - 1} in {variant.name}.")
    return np.ascontiguousarray(np.broadcast_to(checked, states.shape), dtype=np.int64)


def check_out(out: AnyArray | None, shape: tuple[int, ...], dtype: npt.DTypeLike) -> AnyArray:
    """Return ``out`` if it fits, or a new array if it is None."""
    if out is None:
        return np.empty(shape, dtype=dtype)
    if out.shape != shape or out.dtype != dtype or not out.flags.c_contiguous:
        raise UserError(
            f"out must be a contiguous array of shape {shape} and type {np.dtype(dtype)}, not {out.dtype} "
            f"{out.shape}; leave it out to get a new one."
        )
    return out
