"""Off-belief learning on a tree: the operator in both readings, and its levels.

The paper defines one operator and trains another; they share a name and differ from the third move of a game on
(docs/operator.md):

- **counterfactual** (Eqs. 1-3): `Q(a | h_i) = E_{tau ~ B_pi0(h_i)} [ R + V^pi1(tau') ]`. The belief is drawn once, and
  everybody plays on from the full trajectory.
- **bellman** (Eq. 4, and every fictitious transition): the value at i's next own turn is i's own Q there, so the belief
  is drawn again, and the partners' moves in between, really made by pi1, are interpreted as pi0's.

`continuation` (lambda) interpolates: 1 is the first, 0 the second.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from offbelief.agents.tabular import TabularPolicy, uniform_policy
from offbelief.beliefs.exact import Belief, exact_belief
from offbelief.games.tree import Tree
from offbelief.learning.backward import Ties, backward_induction
from offbelief.nouns import FloatArray, UserError

Operator: TypeAlias = Literal["counterfactual", "bellman"]
Temperature: TypeAlias = float | Literal["limit"]


@dataclass(frozen=True, kw_only=True)
class OblSettings:
    """What the operator leaves open."""

    operator: Operator = "counterfactual"
    """Which reading: Eqs. 1-3 or Eq. 4."""
    continuation: float | None = None
    """Lambda between the two; None for the operator's own (1 or 0)."""
    temperature: Temperature = 0.05
    """T of Eq. 3; 0 for the best action with nothing remembered of the others; "limit" for T -> 0."""
    ties: Ties = "uniform"
    """At temperature 0: who wins between actions of equal value. The limit always shares evenly, as softmax does."""
    belief_epsilon: float = 0.0
    """Beliefs are drawn from (1 - eps) pi_{k-1} + eps uniform; 0 is the paper's operator."""

    def __post_init__(self) -> None:
        if self.operator not in ("counterfactual", "bellman"):
            raise UserError(f"The operator is 'counterfactual' or 'bellman', not {self.operator!r}.")
        if self.continuation is not None and not 0.0 <= self.continuation <= 1.0:
            raise UserError(f"Lambda is {self.continuation}; it must lie between 0 and 1.")
        if self.temperature != "limit" and not (
            isinstance(self.temperature, int | float) and 0.0 <= self.temperature < np.inf
        ):
            raise UserError(f"The temperature is {self.temperature}; it must be 0 or more, or 'limit'.")
        if not 0.0 <= self.belief_epsilon <= 1.0:
            raise UserError(f"The belief's epsilon is {self.belief_epsilon}; it must lie between 0 and 1.")
        if self.temperature == "limit" and self.ties != "uniform":
            raise UserError("The limit T -> 0 of softmax shares ties evenly; choose ties='uniform' or temperature 0.")

    @property
    def lambda_(self) -> float:
        """The continuation that is used."""
        if self.continuation is not None:
            return self.continuation
        return 1.0 if self.operator == "counterfactual" else 0.0


@dataclass(frozen=True, eq=False)
class OblLevel:
    """One application of the operator."""

    policy: TabularPolicy
    """pi1"""
    q_values: FloatArray
    """[L] Q^{pi0 -> pi1}"""
    belief: Belief
    """B_pi0, from which the Q-values were computed"""


def obl(pi0: TabularPolicy, settings: OblSettings | None = None, *, noise: FloatArray | None = None) -> OblLevel:
    """Apply the OBL operator once: from pi0 to pi1 (Eq. 3; unique for T > 0 by Theorem 1).

    Args:
        pi0: the policy that past actions are interpreted with.
        settings: see `OblSettings`.
        noise: [L] added to the Q-values, as errors of learning would be.
    """
    settings = settings or OblSettings()
    belief = exact_belief(pi0.tree, pi0.mixed_with_uniform(settings.belief_epsilon))
    return obl_from_belief(belief, settings, noise=noise)


def obl_from_belief(
    belief: Belief, settings: OblSettings | None = None, *, noise: FloatArray | None = None
) -> OblLevel:
    """Apply the operator to a belief instead of the policy behind it, for instance the grounded belief B_G."""
    settings = settings or OblSettings()
    tree = belief.tree
    solution = backward_induction(
        tree,
        belief.at_decisions,
        free_players=np.ones(tree.num_players, np.bool_),
        fixed_probs=np.zeros(tree.num_entries),
        temperature=0.0 if settings.temperature == "limit" else settings.temperature,
        continuation=settings.lambda_,
        ties=settings.ties,
        noise=noise,
    )
    policy = solution.policy
    if settings.temperature == 0.0:  # at T = 0 proper, actions that are not best are simply never played
        policy = without_costs(policy)
    return OblLevel(policy, solution.q_values, belief)


def obl_levels(
    tree: Tree,
    num_levels: int,
    settings: OblSettings | None = None,
    *,
    pi0: TabularPolicy | None = None,
    noise: Callable[[int], FloatArray] | None = None,
) -> list[OblLevel]:
    """Iterate the operator (paper, Section 4.4).

    Args:
        tree: the unrolled game.
        num_levels: how many levels.
        settings: see `OblSettings`.
        pi0: what level 1 starts from; uniform if left out.
        noise: gives the errors [L] of a level's Q-values by the level's number.

    Returns:
        Levels 1 .. num_levels.
    """
    levels: list[OblLevel] = []
    policy = pi0 or uniform_policy(tree)
    for level in range(1, num_levels + 1):
        levels.append(obl(policy, settings, noise=noise(level) if noise else None))
        policy = levels[-1].policy
    return levels


def opposite_ties(settings: OblSettings) -> tuple[OblSettings, OblSettings]:
    """Give two settings that break ties in opposite orders; at T > 0 and in the limit there are none to break."""
    if settings.temperature != 0.0:
        return settings, settings
    return replace(settings, ties="first"), replace(settings, ties="last")


def counterfactual_q_values(belief: Belief, pi1: TabularPolicy) -> FloatArray:
    """Q^{pi0 -> pi1}(a | h) for any pi1 (Eq. 2): draw the trajectory from the belief, then everybody plays pi1."""
    tree = belief.tree
    return backward_induction(
        tree,
        belief.at_decisions,
        free_players=np.zeros(tree.num_players, np.bool_),
        fixed_probs=pi1.probs,
        temperature=0.0,
    ).q_values


def without_costs(policy: TabularPolicy) -> TabularPolicy:
    """Forget how unlikely the unplayed actions were: turn a limit into the policy at T = 0."""
    with np.errstate(divide="ignore"):
        return TabularPolicy(policy.tree, np.log(policy.probs))
