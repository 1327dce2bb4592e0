"""The methods that OBL is compared with, exactly, on a tree.

The value of a joint policy, best response, k-level, cognitive hierarchy, the self-play optimum, and how far a policy
is from a subgame-perfect equilibrium. All of them are one backward pass (`backward.py`) with different players free.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from offbelief.agents.tabular import TabularPolicy, policy_from_probs, seat_together, uniform_policy
from offbelief.beliefs.exact import exact_belief
from offbelief.games.tree import Tree
from offbelief.learning.backward import Solution, Ties, backward_induction
from offbelief.learning.exact_obl import without_costs
from offbelief.nouns import FloatArray, UserError

Mixture: TypeAlias = Literal["uniform"] | tuple[Literal["poisson"], float]

EXHAUSTIVE_TRIES = 20_000
EXHAUSTIVE_WORK = 40_000_000
"""The optimum is searched exhaustively up to so many policies, and so many policies times nodes of the tree."""
CLIMBING_WORK = 300_000_000
"""Otherwise there are as many hill climbs as fit into so many visits of nodes, from 3 to 100."""


def value(policy: TabularPolicy) -> float:
    """Expected return J(pi) when everybody plays the policy."""
    return _follow(policy, np.zeros(policy.tree.num_nodes)).start_value


def node_values(policy: TabularPolicy) -> FloatArray:
    """V^pi(tau) [N]: expected future return from every trajectory when everybody plays the policy."""
    values: FloatArray = _follow(policy, np.zeros(policy.tree.num_nodes)).node_values[0]
    return values


def best_response(policy: TabularPolicy, player: int, *, ties: Ties = "uniform") -> Solution:
    """Let one player respond optimally to the others' policy.

    At histories that the others never lead to, the player believes the grounded belief (`beliefs/exact.py`).
    """
    tree = policy.tree
    free = np.zeros(tree.num_players, np.bool_)
    free[player] = True
    belief = exact_belief(tree, policy)
    return backward_induction(
        tree, belief.at_decisions, free_players=free, fixed_probs=policy.probs, temperature=0.0, ties=ties
    )


def respond_together(policy: TabularPolicy, *, ties: Ties = "uniform") -> TabularPolicy:
    """Let every player respond optimally to the others of one policy, all at once."""
    tree = policy.tree
    responses = [best_response(policy, player, ties=ties).policy for player in range(tree.num_players)]
    return without_costs(seat_together(responses))


def k_level(
    tree: Tree, num_levels: int, *, pi0: TabularPolicy | None = None, ties: Ties = "uniform"
) -> list[TabularPolicy]:
    """Iterate best responses: level k responds to partners of level k-1. Returns levels 1 .. num_levels."""
    levels = [pi0 or uniform_policy(tree)]
    for _ in range(num_levels):
        levels.append(respond_together(levels[-1], ties=ties))
    return levels[1:]


def cognitive_hierarchy(
    tree: Tree,
    num_levels: int,
    *,
    mixture: Mixture = "uniform",
    pi0: TabularPolicy | None = None,
    ties: Ties = "uniform",
) -> list[TabularPolicy]:
    """Level k responds to partners whose level is drawn, each for itself and once per game, from 0 .. k-1.

    Args:
        tree: the unrolled game.
        num_levels: how many levels.
        mixture: "uniform" over the lower levels, or ("poisson", tau): proportional to tau^l / l!.
        pi0: level 0; uniform if left out.
        ties: how actions of equal value share.

    Returns:
        Levels 1 .. num_levels.
    """
    levels = [pi0 or uniform_policy(tree)]
    for _ in range(num_levels):
        mixed = mix_by_game(levels, mixture_weights(mixture, len(levels)))
        levels.append(respond_together(mixed, ties=ties))
    return levels[1:]


def mixture_weights(mixture: Mixture, num_levels: int) -> FloatArray:
    """Weights of levels 0 .. num_levels-1."""
    if mixture == "uniform":
        return np.full(num_levels, 1.0 / num_levels)
    rate = mixture[1]
    if not (math.isfinite(rate) and rate > 0):
        raise UserError(f"The Poisson rate is {rate}; it must be a positive number.")
    weights: FloatArray = np.array([rate**level / math.factorial(level) for level in range(num_levels)])
    return np.asarray(weights / weights.sum())


def mix_by_game(policies: Sequence[TabularPolicy], weights: FloatArray) -> TabularPolicy:
    """Mix policies that are drawn once per game and player into one that behaves the same (Kuhn's theorem).

    A player's action at a history comes from those policies that would have led it there. Where none would, the
    weights decide.
    """
    tree = policies[0].tree
    weighted = np.zeros(tree.num_entries)
    reached = np.zeros(tree.num_histories)
    for policy, weight in zip(policies, weights, strict=True):
        own = own_reach(policy)
        weighted += weight * own[tree.entry_history] * policy.probs
        reached += weight * own
    plain = sum(weight * policy.probs for policy, weight in zip(policies, weights, strict=True))
    reached_here = reached[tree.entry_history]
    probs = np.where(reached_here > 0, weighted / np.where(reached_here > 0, reached_here, 1.0), plain)
    return policy_from_probs(tree, probs)


def own_reach(policy: TabularPolicy) -> FloatArray:
    """[H] probability of a player's own past actions at each of its histories."""
    tree = policy.tree
    arrays = tree.arrays
    probs = policy.probs
    own = np.ones(tree.num_histories)
    for depth in range(1, tree.depth + 1):
        histories = np.arange(arrays.history_start[depth], arrays.history_start[depth + 1])
        if len(histories) == 0:
            break
        node = tree.history_example[histories]
        before = arrays.parent[node]
        player = arrays.history_player[histories]
        own[histories] = own[arrays.history[player, before]]
        acted = arrays.acting_player[before] == player
        entry = arrays.entry_start[arrays.decision[before]] + arrays.edge_slot[arrays.edge[node]]
        own[histories[acted]] *= probs[entry[acted]]
    return own


@dataclass(frozen=True, eq=False)
class Optimum:
    """The best joint policy that was found."""

    value: float
    policy: TabularPolicy
    is_exact: bool
    """Every deterministic policy was tried; otherwise it is the best of `restarts` hill climbs."""
    restarts: int


def self_play_optimum(tree: Tree, *, restarts: int | None = None, seed: int = 0) -> Optimum:
    """Find the best joint policy (some deterministic one is best, since the reward is common).

    Exhaustive where that is feasible: all deterministic policies of all players but one, with the best response of
    that one. Otherwise the best of many hill climbs by alternating best responses from random deterministic starts.

    Args:
        tree: the unrolled game.
        restarts: how many hill climbs; None for as many as the size of the game allows.
        seed: of the random starts.
    """
    choices = np.ones(tree.num_players)
    counts = np.diff(tree.arrays.entry_start)
    for player in range(tree.num_players):
        own = counts[(tree.arrays.history_player == player) & (counts > 0)]
        choices[player] = float(np.sum(np.log(own)))
    responder = int(np.argmax(choices))
    log_tries = float(np.sum(choices) - choices[responder])
    tries = math.exp(min(log_tries, 100.0))
    if tries <= EXHAUSTIVE_TRIES and tries * tree.num_nodes <= EXHAUSTIVE_WORK:
        policy = _search_exhaustively(tree, responder)
        return Optimum(value(policy), policy, True, 0)
    if restarts is None:
        restarts = max(3, min(100, CLIMBING_WORK // (20 * tree.num_nodes)))
    best: TabularPolicy | None = None
    best_value = -math.inf
    for restart in range(restarts):
        policy = _climb(_random_deterministic(tree, seed, restart))
        if value(policy) > best_value:
            best, best_value = policy, value(policy)
    assert best is not None
    return Optimum(best_value, best, False, restarts)


def subgame_perfect_epsilon(policy: TabularPolicy) -> float:
    """How much one player could gain at most by deviating from some history on (Theorem 3).

    The largest gap, over all players and all of their decision histories, between responding optimally from there on
    and following the policy; beliefs are the policy's own.
    """
    tree = policy.tree
    belief = exact_belief(tree, policy)
    followed = _follow(policy, belief.at_decisions)
    stay = np.bincount(tree.entry_history, policy.probs * followed.q_values, tree.num_histories)
    largest = 0.0
    for player in range(tree.num_players):
        response = best_response(policy, player)
        deviate = np.full(tree.num_histories, -np.inf)
        np.maximum.at(deviate, tree.entry_history, response.q_values)
        acts = (tree.arrays.history_player == player) & (np.diff(tree.arrays.entry_start) > 0)
        if acts.any():
            largest = max(largest, float(np.max(deviate[acts] - stay[acts])))
    return largest


def _follow(policy: TabularPolicy, belief: FloatArray) -> Solution:
    """Backward pass in which nobody is free."""
    tree = policy.tree
    nobody = np.zeros(tree.num_players, np.bool_)
    return backward_induction(tree, belief, free_players=nobody, fixed_probs=policy.probs, temperature=0.0)


def _search_exhaustively(tree: Tree, responder: int) -> TabularPolicy:
    """Try every deterministic policy of the others with the responder's best response; keep the first best."""
    counts = np.diff(tree.arrays.entry_start)
    others = np.flatnonzero((tree.arrays.history_player != responder) & (counts > 0))
    probs = uniform_policy(tree).probs
    choice = np.zeros(len(others), np.int64)
    best_probs, best_value = probs, -math.inf
    first = tree.arrays.entry_start[others]
    for history, entry in zip(others, first, strict=True):
        probs[entry : entry + counts[history]] = 0.0
        probs[entry] = 1.0
    while True:
        response = best_response(policy_from_probs(tree, probs), responder, ties="first")
        if response.start_value > best_value:
            best_probs, best_value = response.policy.probs, response.start_value
        # Count up: the first digit that can still grow does, those before it start anew.
        for digit in range(len(others)):
            probs[first[digit] + choice[digit]] = 0.0
            choice[digit] = (choice[digit] + 1) % counts[others[digit]]
            probs[first[digit] + choice[digit]] = 1.0
            if choice[digit] > 0:
                break
        else:
            return policy_from_probs(tree, best_probs)


def _random_deterministic(tree: Tree, seed: int, restart: int) -> TabularPolicy:
    draws = np.random.default_rng((seed, restart)).random(tree.num_entries)
    largest = np.full(tree.num_histories, -1.0)
    np.maximum.at(largest, tree.entry_history, draws)
    return policy_from_probs(tree, (draws == largest[tree.entry_history]).astype(np.float64))


def _climb(policy: TabularPolicy) -> TabularPolicy:
    """Let the players respond in turn until nobody gains."""
    reached = value(policy)
    while True:
        before = reached
        for player in range(policy.tree.num_players):
            policy = without_costs(best_response(policy, player, ties="first").policy)
        reached = value(policy)
        if reached <= before + 1e-12:
            return policy
