"""Backward induction on a tree: the one pass behind OBL, best responses and the value of a policy.

Depth by depth from the end, it gives every history the Q-values that its belief and its future say, lets the *free*
players act on them, and lets the others follow a given policy. What differs between the methods is who is free, which
belief is used, and what "the future" is worth at a player's next own turn:

    G_i(tau) = (1 - lambda) * sum_a pi1(a | h_i) Q(a | h_i)  +  lambda * sum_a pi1(a | h_i) [r + G_i(tau')]

at player i's own turns, and the plain expectation under pi1 at the others'. With lambda = 1 the future is the true
value V^pi1(tau) of everybody going on from the full trajectory (Eqs. 1-3); with lambda = 0 it is what player i, drawing
a new belief at its next own turn, will think (Eq. 4).
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from offbelief.agents.tabular import TabularPolicy
from offbelief.games.tree import Tree, TreeArrays
from offbelief.jit import kernel
from offbelief.nouns import BoolArray, FloatArray

Ties: TypeAlias = Literal["uniform", "first", "last"]
_TIES = {"uniform": 0, "first": 1, "last": 2}

TIE_TOLERANCE = 1e-9
"""Actions whose values differ by less than this (times the best value, if that is larger than 1) count as tied."""


@dataclass(frozen=True, eq=False)
class Solution:
    """What a backward pass found."""

    policy: TabularPolicy
    """The policy of all players: computed for the free ones, as given for the others."""
    q_values: FloatArray
    """[L] the value of every action at every history under the belief."""
    node_values: FloatArray
    """[1 or P, N] what every node is worth to every player (one row if lambda = 1: then all agree)."""

    @property
    def start_value(self) -> float:
        """Expected value over the starts, as the first player's future sees it; the return J if lambda = 1."""
        starts = self.policy.tree.arrays.start_probability
        return float(starts @ self.node_values[0, : len(starts)])


def backward_induction(
    tree: Tree,
    belief: FloatArray,
    *,
    free_players: BoolArray,
    fixed_probs: FloatArray,
    temperature: float,
    continuation: float = 1.0,
    ties: Ties = "uniform",
    noise: FloatArray | None = None,
) -> Solution:
    """Solve a game from its end.

    Args:
        tree: the unrolled game.
        belief: [N] probability of a node given the history of the player who acts there.
        free_players: [P] which players choose by their Q-values.
        fixed_probs: [L] what the other players do.
        temperature: softmax temperature of the free players; 0 for the best action.
        continuation: lambda, from 0 (Eq. 4) to 1 (Eqs. 1-3).
        ties: at temperature 0, how actions of equal value share: evenly, or all to the first or the last.
        noise: [L] added to the Q-values before anybody acts on them: a stand-in for errors of learning.
    """
    shared = continuation == 1.0
    node_values = np.zeros((1 if shared else tree.num_players, tree.num_nodes))
    q_values = np.zeros(tree.num_entries)
    probs = np.array(fixed_probs, np.float64)
    log_probs = np.empty(tree.num_entries)
    cost = np.zeros(tree.num_entries)
    _solve(
        tree.arrays,
        belief,
        np.asarray(free_players, np.bool_),
        float(temperature),
        float(continuation),
        _TIES[ties],
        noise if noise is not None else np.zeros(tree.num_entries),
        node_values,
        q_values,
        probs,
        log_probs,
        cost,
    )
    # The costs are what a limit T -> 0 remembers; whoever wants T = 0 itself drops them.
    policy = TabularPolicy(tree, log_probs, cost if temperature == 0.0 else None)
    return Solution(policy, q_values, node_values)


def policy_from_q_values(
    tree: Tree, q_values: FloatArray, temperature: float, *, ties: Ties = "uniform"
) -> TabularPolicy:
    """Act on Q-values [L]: softmax (Eq. 3), or the best actions at temperature 0."""
    log_probs, cost = np.empty(tree.num_entries), np.zeros(tree.num_entries)
    _act(tree.arrays, q_values, float(temperature), _TIES[ties], log_probs, cost)
    return TabularPolicy(tree, np.where(cost > 0.0, -np.inf, log_probs))


@kernel
def _act(
    arrays: TreeArrays, q_values: FloatArray, temperature: float, ties: int, log_probs: FloatArray, cost: FloatArray
) -> None:
    """Let every history act on its Q-values; fills log_probs and cost."""
    for history in range(len(arrays.history_player)):
        begin, end = arrays.entry_start[history], arrays.entry_start[history + 1]
        if begin < end:
            if temperature > 0.0:
                _soften_one(q_values, begin, end, temperature, log_probs)
            else:
                _maximise_one(q_values, begin, end, ties, log_probs, cost)


@kernel
def _solve(
    arrays: TreeArrays,
    belief: FloatArray,
    free_players: BoolArray,
    temperature: float,
    continuation: float,
    ties: int,
    noise: FloatArray,
    node_values: FloatArray,
    q_values: FloatArray,
    probs: FloatArray,
    log_probs: FloatArray,
    cost: FloatArray,
) -> None:
    """One loop over depths, from the last to the first; fills the last five arguments."""
    shared = len(node_values) == 1
    for depth in range(len(arrays.node_start) - 2, -1, -1):
        first_node, last_node = arrays.node_start[depth], arrays.node_start[depth + 1]
        for node in range(first_node, last_node):
            if arrays.acting_player[node] >= 0 and belief[node] > 0.0:
                own = 0 if shared else arrays.acting_player[node]
                _add_action_values_one(arrays, node, belief[node], node_values[own], q_values)
        for history in range(arrays.history_start[depth], arrays.history_start[depth + 1]):
            begin, end = arrays.entry_start[history], arrays.entry_start[history + 1]
            if begin == end:
                continue
            for entry in range(begin, end):
                q_values[entry] += noise[entry]
            if free_players[arrays.history_player[history]]:
                if temperature > 0.0:
                    _soften_one(q_values, begin, end, temperature, log_probs)
                else:
                    _maximise_one(q_values, begin, end, ties, log_probs, cost)
                for entry in range(begin, end):
                    probs[entry] = np.exp(log_probs[entry]) if cost[entry] == 0.0 else 0.0
            else:
                for entry in range(begin, end):
                    log_probs[entry] = np.log(probs[entry]) if probs[entry] > 0.0 else -np.inf
        for node in range(first_node, last_node):
            actor = arrays.acting_player[node]
            if actor < 0:
                continue
            entry_begin = arrays.entry_start[arrays.decision[node]]
            for row in range(len(node_values)):
                future = _expected_value_one(arrays, node, entry_begin, node_values[row], probs)
                if not shared and row == actor:
                    believed = 0.0
                    for entry in range(entry_begin, arrays.entry_start[arrays.decision[node] + 1]):
                        believed += probs[entry] * q_values[entry]
                    future = (1.0 - continuation) * believed + continuation * future
                node_values[row, node] = future


@kernel
def _add_action_values_one(
    arrays: TreeArrays, node: int, weight: float, next_values: FloatArray, q_values: FloatArray
) -> None:
    """Add one node's share to the Q-values of its acting player's history."""
    state = arrays.state[node]
    first_edge = arrays.edge_start[arrays.slot_start[state]]
    last_edge = arrays.edge_start[arrays.slot_start[state + 1]]
    entry_begin = arrays.entry_start[arrays.decision[node]]
    child = arrays.first_child[node]
    for edge in range(first_edge, last_edge):
        worth = arrays.edge_reward[edge] + next_values[child]
        q_values[entry_begin + arrays.edge_slot[edge]] += weight * arrays.edge_probability[edge] * worth
        child += 1


@kernel
def _expected_value_one(
    arrays: TreeArrays, node: int, entry_begin: int, next_values: FloatArray, probs: FloatArray
) -> float:
    """Value of one node when its acting player follows probs."""
    state = arrays.state[node]
    first_edge = arrays.edge_start[arrays.slot_start[state]]
    last_edge = arrays.edge_start[arrays.slot_start[state + 1]]
    child = arrays.first_child[node]
    value = 0.0
    for edge in range(first_edge, last_edge):
        chance = probs[entry_begin + arrays.edge_slot[edge]] * arrays.edge_probability[edge]
        if chance > 0.0:
            value += chance * (arrays.edge_reward[edge] + next_values[child])
        child += 1
    return value


@kernel
def _soften_one(q_values: FloatArray, begin: int, end: int, temperature: float, log_probs: FloatArray) -> None:
    """Softmax policy of one history, as logarithms (Eq. 3)."""
    best = q_values[begin]
    for entry in range(begin + 1, end):
        best = max(best, q_values[entry])
    total = 0.0
    for entry in range(begin, end):
        total += np.exp((q_values[entry] - best) / temperature)
    for entry in range(begin, end):
        log_probs[entry] = (q_values[entry] - best) / temperature - np.log(total)


@kernel
def _maximise_one(
    q_values: FloatArray, begin: int, end: int, ties: int, log_probs: FloatArray, cost: FloatArray
) -> None:
    """Best actions of one history; `cost` is how much worse the others are."""
    best = q_values[begin]
    for entry in range(begin + 1, end):
        best = max(best, q_values[entry])
    tolerance = TIE_TOLERANCE * max(1.0, abs(best))
    chosen, tied = -1, 0
    for entry in range(begin, end):
        gap = best - q_values[entry]
        cost[entry] = gap if gap > tolerance else 0.0
        log_probs[entry] = 0.0
        if gap <= tolerance:
            tied += 1
            if chosen < 0 or ties == 2:
                chosen = entry
    for entry in range(begin, end):
        if ties == 0:  # costly actions too: in the limit their probability is exp(-cost / T) / tied
            log_probs[entry] = -np.log(float(tied))
        elif cost[entry] == 0.0 and entry != chosen:
            log_probs[entry] = -np.inf
