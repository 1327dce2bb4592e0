"""The shared words of the library: array types and errors that every room speaks. Imports no room."""

from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

AnyArray: TypeAlias = npt.NDArray[Any]
FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
IntArray: TypeAlias = npt.NDArray[np.integer[Any]]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
Whole: TypeAlias = int | np.integer[Any]
"""A whole number inside a kernel: a Python int in plain mode, a machine integer when compiled."""
Real: TypeAlias = float | np.floating[Any]
"""Likewise a real number."""


class HistoryPolicy(Protocol):
    """A joint policy over the (history, legal action) entries of a tree, as beliefs need it."""

    @property
    def log_probs(self) -> FloatArray:
        """[L] log-probability of every entry."""

    @property
    def cost(self) -> FloatArray | None:
        """[L] in a limit T -> 0, the probability of an entry is exp(log_probs - cost / T)."""

    @property
    def probs(self) -> FloatArray:
        """[L] the probabilities that are played."""


class UserError(ValueError):
    """Something the user gave is wrong; the message is one sentence that says what, and what to do.

    The command line prints the message alone and ends with exit code 2.
    """


class GameError(UserError):
    """A game breaks the contract; the message names the state or history."""


class PolicyError(UserError):
    """A policy does not fit its game; the message names the history."""
