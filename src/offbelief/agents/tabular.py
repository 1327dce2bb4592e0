"""A joint policy on a small game, as an array over (history, legal action).

The array holds all players at once, since a history belongs to one player; `seat_together` makes a joint policy out of
players from different runs.

Policies are kept as logarithms, so that an action of probability exp(-4000) still counts when a belief compares two
histories that are both very unlikely. The limit of softmax policies for temperature T -> 0 goes one step further: an
action has the probability exp(log_probs - cost / T), and `cost` says how fast it vanishes (the limit is not the same
as the policy at T = 0, which has forgotten the costs; see docs/operator.md).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from offbelief.games.tree import Tree
from offbelief.nouns import FloatArray, PolicyError

SUM_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class TabularPolicy:
    """What every player does at every history.

    Args:
        tree: the unrolled game.
        log_probs: [L] log-probability of every policy entry; -inf for never.
        cost: [L] for a limit T -> 0: how much worse than the best an action is; None for an ordinary policy.
    """

    tree: Tree
    log_probs: FloatArray
    cost: FloatArray | None = None

    @cached_property
    def probs(self) -> FloatArray:
        """[L] the probabilities that are played."""
        played = np.exp(self.log_probs)
        return played if self.cost is None else np.where(self.cost == 0.0, played, 0.0)

    def at(self, history: str) -> dict[str, float]:
        """Look up the action probabilities at a named history."""
        number = self.tree.history_by_name.get(history)
        if number is None:
            raise PolicyError(_unknown_history(self.tree, history))
        begin, end = self.tree.arrays.entry_start[number : number + 2]
        names, probs = self.tree.tables.action_names, self.probs
        return {names[self.tree.entry_action[entry]]: float(probs[entry]) for entry in range(begin, end)}

    def mixed_with_uniform(self, epsilon: float) -> "TabularPolicy":
        """Play uniformly with probability epsilon at every move (the belief mixture of docs/operator.md)."""
        if epsilon == 0.0:
            return self
        mixed = (1.0 - epsilon) * self.probs + epsilon * uniform_policy(self.tree).probs
        return TabularPolicy(self.tree, np.log(mixed))

    def to_mapping(self) -> dict[str, dict[str, float]]:
        """Spell the policy out by names; `policy_from_mapping` reads it back."""
        return {name: self.at(name) for name in self.tree.history_by_name}


def uniform_policy(tree: Tree) -> TabularPolicy:
    """Play every legal action with the same probability: the paper's usual pi0."""
    counts = np.diff(tree.arrays.entry_start)
    return TabularPolicy(tree, -np.log(np.repeat(counts, counts).astype(np.float64)))


def policy_from_probs(tree: Tree, probs: FloatArray) -> TabularPolicy:
    """Make a policy from probabilities [L] and check that they add up at every history.

    Raises:
        PolicyError: names the history.
    """
    probs = np.asarray(probs, np.float64)
    if probs.shape != (tree.num_entries,):
        raise PolicyError(f"The policy has the shape {probs.shape}; this game needs ({tree.num_entries},).")
    bad = np.flatnonzero(~np.isfinite(probs) | (probs < 0))
    if len(bad):
        name = tree.history_name(int(tree.entry_history[bad[0]]))
        raise PolicyError(f"At the history '{name}' a probability is {float(probs[bad[0]])!r}; it must be 0 or more.")
    total = np.bincount(tree.entry_history, probs, tree.num_histories)
    acts = np.diff(tree.arrays.entry_start) > 0
    off = np.flatnonzero(acts & (np.abs(total - 1) > SUM_TOLERANCE))
    if len(off):
        name = tree.history_name(int(off[0]))
        raise PolicyError(f"At the history '{name}' the probabilities add up to {total[off[0]]:.9g}, not 1.")
    with np.errstate(divide="ignore"):
        return TabularPolicy(tree, np.log(probs / total[tree.entry_history]))


def policy_from_mapping(tree: Tree, mapping: Mapping[str, Mapping[str, float]]) -> TabularPolicy:
    """Make a policy from ``{history name: {action name: probability}}``; histories left out are played uniformly.

    Raises:
        PolicyError: an unknown history, an illegal action or probabilities that do not add up, by name.
    """
    probs = uniform_policy(tree).probs
    names = tree.tables.action_names
    for history_name, actions in mapping.items():
        history = tree.history_by_name.get(history_name)
        if history is None:
            raise PolicyError(_unknown_history(tree, history_name))
        if not isinstance(actions, Mapping):
            raise PolicyError(f"At the history '{history_name}' give {{action: probability}}, not {actions!r}.")
        begin, end = tree.arrays.entry_start[history : history + 2]
        legal = {names[tree.entry_action[entry]]: entry for entry in range(begin, end)}
        probs[begin:end] = 0.0
        for action, probability in actions.items():
            if action not in legal:
                raise PolicyError(
                    f"At the history '{history_name}' the policy puts weight on '{action}', which is illegal there; "
                    f"legal are {', '.join(legal)}."
                )
            if isinstance(probability, bool) or not isinstance(probability, int | float):
                raise PolicyError(f"At the history '{history_name}' the probability of '{action}' is no number.")
            probs[legal[action]] = probability
    return policy_from_probs(tree, probs)


def seat_together(policies: Sequence[TabularPolicy]) -> TabularPolicy:
    """Seat player i of the i-th policy at seat i: the joint policy of a cross-play team."""
    tree = policies[0].tree
    if len(policies) != tree.num_players:
        raise PolicyError(f"The game has {tree.num_players} seats, but {len(policies)} policies were given.")
    if any(policy.tree is not tree for policy in policies):
        raise PolicyError("The policies belong to different trees; unroll the game once and use that tree for all.")
    player = tree.arrays.history_player[tree.entry_history]
    log_probs = np.choose(player, [policy.log_probs for policy in policies])
    if all(policy.cost is None for policy in policies):
        return TabularPolicy(tree, log_probs)
    with np.errstate(divide="ignore"):
        played = [np.log(policy.probs) for policy in policies]
    return TabularPolicy(tree, np.choose(player, played))


def _unknown_history(tree: Tree, name: str) -> str:
    some = ", ".join(f"'{known}'" for known in list(tree.history_by_name)[:4])
    return f"There is no decision history '{name}' in this game; its histories read like {some}."
