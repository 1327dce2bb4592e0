"""Walking a tree at random: draws of starts, chance and weighted choices, shared by everything that samples games."""

import numpy as np

from offbelief.games.tree import Tree, TreeArrays
from offbelief.jit import kernel
from offbelief.nouns import FloatArray, IntArray, Real, Whole
from offbelief.streams import draw_unit


@kernel
def draw_start_one(arrays: TreeArrays, stream: IntArray) -> Whole:
    """Draw a node to begin at."""
    left = draw_unit(stream)
    node = 0
    while node < len(arrays.start_probability) - 1 and left >= arrays.start_probability[node]:
        left -= arrays.start_probability[node]
        node += 1
    return np.int64(node)


@kernel
def move_one(arrays: TreeArrays, node: Whole, slot: Whole, stream: IntArray) -> tuple[Whole, Real]:
    """Make one move: chance picks among the slot's edges. Returns the next node and the reward."""
    state = arrays.state[node]
    first_slot = arrays.slot_start[state]
    begin, end = arrays.edge_start[first_slot + slot], arrays.edge_start[first_slot + slot + 1]
    edge = begin
    if end - begin > 1:
        left = draw_unit(stream)
        while edge < end - 1 and left >= arrays.edge_probability[edge]:
            left -= arrays.edge_probability[edge]
            edge += 1
    child = arrays.first_child[node] + edge - arrays.edge_start[first_slot]
    return np.int64(child), arrays.edge_reward[edge]


@kernel
def draw_cumulative_one(until: FloatArray, begin: Whole, end: Whole, stream: IntArray) -> Whole:
    """Draw an index from 0 .. end-begin-1 by cumulative weights, by bisection."""
    threshold = draw_unit(stream) * until[end - 1]
    low, high = begin, end - 1
    while low < high:
        middle = (low + high) // 2
        if until[middle] > threshold:
            high = middle
        else:
            low = middle + 1
    return np.int64(low - begin)


def members_by_history(tree: Tree, belief: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """List the nodes of every history with their cumulative belief, so that a kernel can draw one.

    Args:
        tree: The unrolled game.
        belief: [N] probability of a node given the acting player's history, for decision histories only; or [P, N]
            given every player's history, for all.

    Returns:
        start [H+1], node and until: the members of history h are node[start[h]] .. node[start[h+1]-1].
    """
    history = (tree.arrays.decision if belief.ndim == 1 else tree.arrays.history).ravel()
    alive = np.flatnonzero(history >= 0)
    order = alive[np.argsort(history[alive], kind="stable")]
    counts = np.bincount(history[alive], minlength=tree.num_histories)
    start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    running = np.concatenate([[0.0], np.cumsum(belief.ravel()[order])])
    until = running[1:] - np.repeat(running[start[:-1]], counts)
    return start, order % tree.num_nodes, until
