"""Exact beliefs on a small game: B_pi0(tau | tau^i) for every history of every player.

Two beliefs, both by enumeration:

- `exact_belief`: what a player believes if everybody has played pi0 (paper, Section 3);
- `grounded_belief`: what a player believes if actions say nothing, B_G (paper, Section 4.3).

**Histories that pi0 never reaches.** A player knows its own moves, so they are left out of the product: a history that
only its own player's deviations lead to has a proper Bayesian belief. Where the *others* would never have led, Bayes'
rule is silent, and the grounded belief takes its place (`Belief.is_reached` says where).

Sums are formed in log space, and a limit policy's costs are compared before its probabilities, so that the limit
T -> 0 ranks histories that pi0 reaches with exponentially small probability.
"""

from dataclasses import dataclass

import numpy as np

from offbelief.games.tree import Tree, TreeArrays
from offbelief.jit import kernel
from offbelief.nouns import BoolArray, FloatArray, HistoryPolicy, IntArray

COST_TOLERANCE = 1e-9
EVERYONE_COUNTS = -1


@dataclass(frozen=True, eq=False)
class Belief:
    """A distribution over trajectories for every history of every player."""

    tree: Tree
    probs: FloatArray
    """[P, N] probability of a node, given player p's history there; 0 where the game is over."""
    is_reached: BoolArray
    """[H] the policy leads there if the history's own player wants it; elsewhere the grounded belief stands in."""

    @property
    def at_decisions(self) -> FloatArray:
        """[N] probability of a node, given the history of the player who acts there."""
        acting = self.tree.arrays.acting_player
        picked = self.probs[np.maximum(acting, 0), np.arange(len(acting))]
        return np.where(acting >= 0, picked, 0.0)


def exact_belief(tree: Tree, policy: HistoryPolicy) -> Belief:
    """Compute B_pi0 for every history of every player.

    Args:
        tree: the unrolled game.
        policy: pi0, the policy that everybody is believed to have played so far.
    """
    cost = policy.cost if policy.cost is not None else np.zeros(tree.num_entries)
    return _believe(tree, policy.log_probs, cost)


def grounded_belief(tree: Tree) -> Belief:
    """Compute B_G: chance and observations count, actions do not (paper, Section 4.3).

    With public actions this is the belief of any pi0 that depends on the public state alone (Theorem 4). Where actions
    are hidden, all of them count as equally likely.
    """
    return _believe(tree, np.zeros(tree.num_entries), np.zeros(tree.num_entries))


def reach_probs(tree: Tree, policy: HistoryPolicy) -> FloatArray:
    """Compute the probability of every trajectory [N] when everybody plays the policy."""
    with np.errstate(divide="ignore"):
        log_probs = np.log(policy.probs)
    log_reach, _ = _reach(tree.arrays, log_probs, np.zeros(len(log_probs)), EVERYONE_COUNTS)
    return np.exp(log_reach)


def _believe(tree: Tree, log_probs: FloatArray, cost: FloatArray) -> Belief:
    arrays = tree.arrays
    chance, _ = _reach(arrays, np.zeros(tree.num_entries), np.zeros(tree.num_entries), EVERYONE_COUNTS)
    probs = np.zeros((tree.num_players, tree.num_nodes))
    is_reached = np.zeros(tree.num_histories, np.bool_)
    for player in range(tree.num_players):
        log_reach, total_cost = _reach(arrays, log_probs, cost, player)
        _normalise(arrays.history[player], log_reach, total_cost, chance, probs[player], is_reached)
    return Belief(tree, probs, is_reached)


@kernel
def _reach(
    arrays: TreeArrays, log_probs: FloatArray, cost: FloatArray, silent_player: int
) -> tuple[FloatArray, FloatArray]:
    """Log-probability [N] and cost [N] of every node; the actions of the silent player do not count."""
    num_nodes = len(arrays.state)
    log_reach = np.empty(num_nodes)
    total_cost = np.zeros(num_nodes)
    for node in range(num_nodes):
        before = arrays.parent[node]
        if before < 0:
            log_reach[node] = np.log(arrays.start_probability[node])
            continue
        edge = arrays.edge[node]
        log_reach[node] = log_reach[before] + np.log(arrays.edge_probability[edge])
        total_cost[node] = total_cost[before]
        if arrays.acting_player[before] != silent_player:
            entry = arrays.entry_start[arrays.decision[before]] + arrays.edge_slot[edge]
            log_reach[node] += log_probs[entry]
            total_cost[node] += cost[entry]
    return log_reach, total_cost


@kernel
def _normalise(
    history: IntArray,
    log_reach: FloatArray,
    total_cost: FloatArray,
    log_chance: FloatArray,
    probs: FloatArray,
    is_reached: BoolArray,
) -> None:
    """Make the nodes of every history of one player add up to one, cheapest nodes only; fills probs and is_reached."""
    num_histories = len(is_reached)
    cheapest = np.full(num_histories, np.inf)
    for node in range(len(history)):
        if history[node] >= 0 and log_reach[node] > -np.inf:
            cheapest[history[node]] = min(cheapest[history[node]], total_cost[node])
    largest = np.full(num_histories, -np.inf)
    for node in range(len(history)):
        own = history[node]
        if own < 0:
            continue
        if cheapest[own] == np.inf:  # never reached: the grounded belief stands in
            largest[own] = max(largest[own], log_chance[node])
        elif total_cost[node] <= cheapest[own] + COST_TOLERANCE:
            largest[own] = max(largest[own], log_reach[node])
    total = np.zeros(num_histories)
    for node in range(len(history)):
        own = history[node]
        if own < 0:
            continue
        if cheapest[own] == np.inf:
            probs[node] = np.exp(log_chance[node] - largest[own])
        elif total_cost[node] <= cheapest[own] + COST_TOLERANCE:
            probs[node] = np.exp(log_reach[node] - largest[own])
            is_reached[own] = True
        total[own] += probs[node]
    for node in range(len(history)):
        if history[node] >= 0:
            probs[node] /= total[history[node]]
