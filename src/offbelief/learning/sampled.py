"""Sampled tabular learners: the bridge from exact to deep learning.

They play games instead of summing over them, and each converges to an exact twin:

| learner | learns from | exact twin |
|---|---|---|
| `self_play_q_learning` | its own games, epsilon-greedy | an equilibrium; often the self-play optimum |
| `learn_best_response` | games with given partners | `exact_baselines.best_response` |
| `q_obl`, continuation 1 (Monte-Carlo returns) | pi0 until t, pi1 after; trained at t | OBL, counterfactual form |
| `q_obl`, continuation 0 (bootstraps at its next turn) | the same | OBL, Bellman form |
| `lb_obl` | fictitious transitions from a belief, in its own games | either, by its continuation |

The paper (Section 4.6) describes Q-OBL with pi1's real play after t; which operator that estimates depends on where its
target ends, as the table says. LB-OBL as trained by the paper is the Bellman form.
"""

from dataclasses import dataclass

import numpy as np

from offbelief.agents.tabular import TabularPolicy
from offbelief.beliefs.exact import Belief, grounded_belief
from offbelief.games.tree import Tree, TreeArrays
from offbelief.games.walking import draw_cumulative_one, draw_start_one, members_by_history, move_one
from offbelief.jit import kernel
from offbelief.learning.backward import policy_from_q_values
from offbelief.nouns import FloatArray, IntArray, Real, UserError, Whole
from offbelief.streams import draw_below, draw_unit, new_stream

EVERYBODY_LEARNS = -1


@dataclass(frozen=True, kw_only=True)
class SampledSettings:
    """How much and how fast a sampled learner learns."""

    games: int = 100_000
    """Games to play; Q-OBL learns one decision in each."""
    temperature: float = 0.0
    """Softmax temperature of the learned policy; 0 for the best action."""
    continuation: float = 0.0
    """Lambda: at its own later turns a target goes on with this probability and else ends in a Q-value."""
    exploration: float = 0.1
    """Share of uniformly random moves in a learner's own games."""
    rate_exponent: float = 0.7
    """The n-th update of an entry moves it by n^-exponent towards its target; 1 averages all targets evenly."""

    def __post_init__(self) -> None:
        if self.games < 1:
            raise UserError(f"A sampled learner needs at least one game, not {self.games}.")
        if not 0.0 <= self.continuation <= 1.0 or not 0.0 <= self.exploration <= 1.0:
            raise UserError("Continuation and exploration must lie between 0 and 1.")
        if self.temperature < 0.0:
            raise UserError(f"The temperature is {self.temperature}; it must be 0 or more.")
        if not 0.5 < self.rate_exponent <= 1.0:
            raise UserError(f"rate_exponent is {self.rate_exponent}; learning converges from above 0.5 to 1.")


@dataclass(frozen=True, eq=False)
class Learned:
    """What a sampled learner found."""

    policy: TabularPolicy
    q_values: FloatArray
    """[L]"""
    visits: IntArray
    """[L] how often each entry was trained"""


def self_play_q_learning(tree: Tree, settings: SampledSettings, seed: int) -> Learned:
    """Independent Q-learning in self-play: every seat learns from its own view of the same games."""
    nobody = np.zeros((1, tree.num_entries))
    return _learn_in_games(tree, nobody, np.ones(1), EVERYBODY_LEARNS, settings, seed)


def learn_best_response(
    partners: list[TabularPolicy], weights: FloatArray, settings: SampledSettings, seed: int
) -> Learned:
    """Learn, for every seat, a best response to partners drawn once per game and seat from weighted policies.

    With one partner policy this is sampled k-level, with all lower levels a sampled cognitive hierarchy.
    """
    tree = partners[0].tree
    probs = np.stack([policy.probs for policy in partners])
    q_values, visits = np.zeros(tree.num_entries), np.zeros(tree.num_entries, np.int64)
    for player in range(tree.num_players):
        learned = _learn_in_games(tree, probs, np.cumsum(weights), player, settings, seed)
        own = tree.arrays.history_player[tree.entry_history] == player
        q_values[own], visits[own] = learned.q_values[own], learned.visits[own]
    return Learned(policy_from_q_values(tree, q_values, settings.temperature), q_values, visits)


def q_obl(pi0: TabularPolicy, settings: SampledSettings, seed: int) -> Learned:
    """Q-OBL (paper, Section 4.6): play pi0 until t, train the decision at t, play pi1 after it.

    Needs pi0 > 0 everywhere that pi1 should be learned.
    """
    tree = pi0.tree
    q_values, visits = np.zeros(tree.num_entries), np.zeros(tree.num_entries, np.int64)
    _q_obl(
        tree.arrays,
        pi0.probs,
        settings.games,
        settings.temperature,
        settings.continuation,
        settings.rate_exponent,
        new_stream(seed),
        q_values,
        visits,
    )
    return Learned(policy_from_q_values(tree, q_values, settings.temperature), q_values, visits)


def lb_obl(tree: Tree, belief: FloatArray, settings: SampledSettings, seed: int) -> Learned:
    """LB-OBL (paper, Section 4.6): Q-learning on fictitious transitions drawn from a belief.

    Args:
        tree: the unrolled game.
        belief: [N] probability of a node given the acting player's history, exact (`Belief.at_decisions`) or learned
            (`learn_belief`).
        settings: see `SampledSettings`.
        seed: of all draws.
    """
    q_values, visits = np.zeros(tree.num_entries), np.zeros(tree.num_entries, np.int64)
    member_start, member_node, member_until = members_by_history(tree, belief)
    _lb_obl(
        tree.arrays,
        member_start,
        member_node,
        member_until,
        settings.games,
        settings.temperature,
        settings.continuation,
        settings.exploration,
        settings.rate_exponent,
        new_stream(seed),
        q_values,
        visits,
    )
    return Learned(policy_from_q_values(tree, q_values, settings.temperature), q_values, visits)


def learn_belief(pi0: TabularPolicy, games: int, seed: int) -> FloatArray:
    """Estimate B_pi0 by counting games of pi0 (the tabular twin of Eq. 6).

    Returns:
        [N] share of a node among the visits of its acting player's history; the grounded belief where there were none.
    """
    tree = pi0.tree
    counts = np.zeros(tree.num_nodes)
    _count_visits(tree.arrays, pi0.probs, games, new_stream(seed), counts)
    decision = tree.arrays.decision
    alive = decision >= 0
    total = np.bincount(decision[alive], counts[alive], tree.num_histories)
    seen = np.where(alive, total[decision], 0.0) > 0
    grounded: Belief = grounded_belief(tree)
    return np.where(seen, counts / np.where(seen, total[decision], 1.0), grounded.at_decisions)


def _learn_in_games(
    tree: Tree, partner_probs: FloatArray, cumulative: FloatArray, learner: int, settings: SampledSettings, seed: int
) -> Learned:
    q_values, visits = np.zeros(tree.num_entries), np.zeros(tree.num_entries, np.int64)
    _q_learning(
        tree.arrays,
        partner_probs,
        cumulative,
        learner,
        settings.games,
        settings.temperature,
        settings.exploration,
        settings.rate_exponent,
        new_stream(seed, learner + 1),
        q_values,
        visits,
    )
    return Learned(policy_from_q_values(tree, q_values, settings.temperature), q_values, visits)


@kernel
def _q_learning(
    arrays: TreeArrays,
    partner_probs: FloatArray,
    cumulative: FloatArray,
    learner: Whole,
    games: Whole,
    temperature: float,
    exploration: float,
    rate_exponent: float,
    stream: IntArray,
    q_values: FloatArray,
    visits: IntArray,
) -> None:
    """Q-learning from own turn to own turn, for one seat or for all."""
    num_players = len(arrays.history)
    last_entry = np.full(num_players, -1, np.int64)
    collected = np.zeros(num_players)
    level = np.zeros(num_players, np.int64)
    slot: Whole
    for _ in range(games):
        last_entry[:] = -1
        for player in range(num_players):
            level[player] = draw_cumulative_one(cumulative, 0, len(cumulative), stream)
        node = draw_start_one(arrays, stream)
        while arrays.acting_player[node] >= 0:
            player = arrays.acting_player[node]
            begin = arrays.entry_start[arrays.decision[node]]
            end = arrays.entry_start[arrays.decision[node] + 1]
            if learner == EVERYBODY_LEARNS or learner == player:
                if last_entry[player] >= 0:
                    target = collected[player] + _soft_value_one(q_values, begin, end, temperature)
                    _learn_one(q_values, visits, last_entry[player], target, rate_exponent)
                if draw_unit(stream) < exploration:
                    slot = draw_below(stream, end - begin)
                else:
                    slot = _draw_by_value_one(q_values, begin, end, temperature, stream)
                last_entry[player] = begin + slot
                collected[player] = 0.0
            else:
                slot = _draw_by_probs_one(partner_probs[level[player]], begin, end, stream)
            node, reward = move_one(arrays, node, slot, stream)
            collected += reward
        for player in range(num_players):
            if last_entry[player] >= 0:
                _learn_one(q_values, visits, last_entry[player], collected[player], rate_exponent)


@kernel
def _q_obl(
    arrays: TreeArrays,
    pi0: FloatArray,
    games: Whole,
    temperature: float,
    continuation: float,
    rate_exponent: float,
    stream: IntArray,
    q_values: FloatArray,
    visits: IntArray,
) -> None:
    """Play pi0 until a random t, try a random action there, learn what pi1 makes of it."""
    num_turns = len(arrays.node_start) - 2
    for _ in range(games):
        turn = draw_below(stream, num_turns)
        node = draw_start_one(arrays, stream)
        while turn > 0 and arrays.acting_player[node] >= 0:
            decision = arrays.decision[node]
            slot = _draw_by_probs_one(pi0, arrays.entry_start[decision], arrays.entry_start[decision + 1], stream)
            node, _ = move_one(arrays, node, slot, stream)
            turn -= 1
        if arrays.acting_player[node] < 0:
            continue
        begin = arrays.entry_start[arrays.decision[node]]
        slot = draw_below(stream, arrays.entry_start[arrays.decision[node] + 1] - begin)
        target = _play_on_one(arrays, node, slot, q_values, temperature, continuation, stream)
        _learn_one(q_values, visits, begin + slot, target, rate_exponent)


@kernel
def _lb_obl(
    arrays: TreeArrays,
    member_start: IntArray,
    member_node: IntArray,
    member_until: FloatArray,
    games: Whole,
    temperature: float,
    continuation: float,
    exploration: float,
    rate_exponent: float,
    stream: IntArray,
    q_values: FloatArray,
    visits: IntArray,
) -> None:
    """Play games of the learned policy; learn each decision from a state that the belief imagines."""
    slot: Whole
    for _ in range(games):
        node = draw_start_one(arrays, stream)
        while arrays.acting_player[node] >= 0:
            decision = arrays.decision[node]
            begin, end = arrays.entry_start[decision], arrays.entry_start[decision + 1]
            if draw_unit(stream) < exploration:
                slot = draw_below(stream, end - begin)
            else:
                slot = _draw_by_value_one(q_values, begin, end, temperature, stream)
            first, last = member_start[decision], member_start[decision + 1]
            imagined = member_node[first + draw_cumulative_one(member_until, first, last, stream)]
            target = _play_on_one(arrays, imagined, slot, q_values, temperature, continuation, stream)
            _learn_one(q_values, visits, begin + slot, target, rate_exponent)
            node, _ = move_one(arrays, node, slot, stream)


@kernel
def _count_visits(arrays: TreeArrays, pi0: FloatArray, games: Whole, stream: IntArray, counts: FloatArray) -> None:
    """Play games of a policy and count the nodes that they pass."""
    for _ in range(games):
        node = draw_start_one(arrays, stream)
        while arrays.acting_player[node] >= 0:
            counts[node] += 1.0
            decision = arrays.decision[node]
            slot = _draw_by_probs_one(pi0, arrays.entry_start[decision], arrays.entry_start[decision + 1], stream)
            node, _ = move_one(arrays, node, slot, stream)


@kernel
def _play_on_one(
    arrays: TreeArrays,
    node: Whole,
    slot: Whole,
    q_values: FloatArray,
    temperature: float,
    continuation: float,
    stream: IntArray,
) -> Real:
    """Target of a fictitious transition: try an action, let everybody play pi1 until the actor's own later turn."""
    me = arrays.acting_player[node]
    node, total = move_one(arrays, node, slot, stream)
    while arrays.acting_player[node] >= 0:
        begin = arrays.entry_start[arrays.decision[node]]
        end = arrays.entry_start[arrays.decision[node] + 1]
        if arrays.acting_player[node] == me and continuation < 1.0 and draw_unit(stream) >= continuation:
            return total + _soft_value_one(q_values, begin, end, temperature)
        slot = _draw_by_value_one(q_values, begin, end, temperature, stream)
        node, reward = move_one(arrays, node, slot, stream)
        total += reward
    return total


@kernel
def _draw_by_probs_one(probs: FloatArray, begin: Whole, end: Whole, stream: IntArray) -> Whole:
    """Draw a slot with the probabilities of a history's entries."""
    left = draw_unit(stream)
    chosen: Whole = np.int64(0)
    for entry in range(begin, end):
        if probs[entry] > 0.0:
            chosen = entry - begin  # also the answer if rounding leaves nothing over
            if left < probs[entry]:
                break
            left -= probs[entry]
    return chosen


@kernel
def _draw_by_value_one(q_values: FloatArray, begin: Whole, end: Whole, temperature: float, stream: IntArray) -> Whole:
    """Draw a slot from the softmax policy; at temperature 0 a best one, ties at random."""
    best = q_values[begin]
    for entry in range(begin + 1, end):
        best = max(best, q_values[entry])
    if temperature == 0.0:
        tied = 0
        for entry in range(begin, end):
            tied += q_values[entry] == best
        skip = draw_below(stream, tied) if tied > 1 else np.int64(0)
        for entry in range(begin, end):
            if q_values[entry] == best:
                if skip == 0:
                    return np.int64(entry - begin)
                skip -= 1
    total = 0.0
    for entry in range(begin, end):
        total += np.exp((q_values[entry] - best) / temperature)
    left = draw_unit(stream) * total
    for entry in range(begin, end - 1):
        left -= np.exp((q_values[entry] - best) / temperature)
        if left < 0.0:
            return np.int64(entry - begin)
    return np.int64(end - 1 - begin)


@kernel
def _soft_value_one(q_values: FloatArray, begin: Whole, end: Whole, temperature: float) -> Real:
    """Value of a history under its own softmax policy."""
    best: Real = q_values[begin]
    for entry in range(begin + 1, end):
        best = max(best, q_values[entry])
    if temperature == 0.0:
        return best
    total: Real = 0.0
    weighted: Real = 0.0
    for entry in range(begin, end):
        weight = np.exp((q_values[entry] - best) / temperature)
        total += weight
        weighted += weight * q_values[entry]
    return weighted / total


@kernel
def _learn_one(q_values: FloatArray, visits: IntArray, entry: Whole, target: Real, rate_exponent: float) -> None:
    """Move one entry towards its target."""
    visits[entry] += 1
    q_values[entry] += (target - q_values[entry]) * visits[entry] ** -rate_exponent
