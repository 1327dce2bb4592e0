"""The shared words of the library: array types and errors that every room speaks. Imports no room."""

from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from offbelief.errors import GameError as GameError
from offbelief.errors import PolicyError as PolicyError
from offbelief.errors import UserError as UserError

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
