"""A sum tree: draw an index in proportion to its weight, and change weights, in logarithmic time.

Leaves hold the weights; every inner node holds the sum of its two children, so a draw walks from the root to a leaf.
Prioritised replay (Schaul et al. 2016) keeps its priorities in one.
"""

import numpy as np

from offbelief.jit import kernel
from offbelief.nouns import AnyArray, FloatArray, IntArray, UserError
from offbelief.streams import draw_unit


class SumTree:
    """Weights of a fixed number of indices.

    Args:
        size: how many indices; all weights begin at 0.
    """

    def __init__(self, size: int) -> None:
        if size < 1:
            raise UserError(f"A sum tree needs at least one index, not {size}.")
        self.size = size
        self._leaves = 1 << (size - 1).bit_length()
        self.sums = np.zeros(2 * self._leaves)
        """Node 1 is the root, nodes 2i and 2i+1 are the children of i; leaves come last. Node 0 is unused."""

    @property
    def total(self) -> float:
        """Sum of all weights."""
        return float(self.sums[1])

    def weights_of(self, indices: IntArray) -> FloatArray:
        """Look weights up."""
        return np.asarray(self.sums[self._leaves + indices])

    def put(self, indices: IntArray, weights: FloatArray) -> None:
        """Set weights; of an index that stands there twice, the last one counts."""
        if len(indices) and (np.min(indices) < 0 or np.max(indices) >= self.size):
            raise UserError(f"An index lies outside 0 to {self.size - 1}.")
        if not np.all(np.isfinite(weights)) or np.any(weights < 0):
            raise UserError("Weights must be finite and 0 or more.")
        _put(self.sums, self._leaves, indices, weights)

    def draw(self, count: int, stream: AnyArray) -> IntArray:
        """Draw indices in proportion to their weights, one from each of `count` equal shares of the total."""
        if not self.total > 0:
            raise UserError("All weights are 0; put some before drawing.")
        drawn = np.empty(count, np.int64)
        _draw(self.sums, self._leaves, self.size, stream, drawn)
        return drawn


@kernel
def _put(sums: FloatArray, leaves: int, indices: IntArray, weights: FloatArray) -> None:
    for place in range(len(indices)):
        node = leaves + indices[place]
        sums[node] = weights[place]
        node //= 2
        while node >= 1:
            sums[node] = sums[2 * node] + sums[2 * node + 1]  # added anew, so that no rounding error piles up
            node //= 2


@kernel
def _draw(sums: FloatArray, leaves: int, size: int, stream: AnyArray, drawn: IntArray) -> None:
    share = sums[1] / len(drawn)
    for place in range(len(drawn)):
        left = (place + draw_unit(stream)) * share
        node = np.int64(1)
        while node < leaves:
            node *= 2
            # Go right past the left child's share, but never into an empty half.
            if left >= sums[node] and sums[node + 1] > 0.0:
                left -= sums[node]
                node += 1
        drawn[place] = min(np.int64(node - leaves), np.int64(size - 1))
