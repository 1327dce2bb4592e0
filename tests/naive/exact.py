"""The slow judge of the exact part: off-belief learning in plain Python, written to be read beside the paper.

Trajectories are objects, histories are tuples, policies are dictionaries ``{history: {action: probability}}``, and
every quantity is the recursion that defines it. Nothing is shared with the package: a game is known through its
contract alone. `obl bench exact` measures the package against this solver.
"""

import math
import sys
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

History: TypeAlias = tuple[Hashable, ...]  # (player, seen at the start, action or None, seen then, ...)
Policy: TypeAlias = Mapping[History, Mapping[Hashable, float]]

TIE_TOLERANCE = 1e-9


class Trajectory:
    """tau_t: a state of the world together with everything that led to it."""

    __slots__ = ("chance", "children", "histories", "player", "state")

    def __init__(self, state: Hashable, player: int | None, chance: float, histories: tuple[History, ...]) -> None:
        self.state = state
        self.player = player  # whose turn it is; None where the game is over
        self.chance = chance  # probability of all draws of chance so far
        self.histories = histories  # tau^i_t of every player i
        self.children: dict[Hashable, list[tuple[float, float, Trajectory]]] = {}  # action: (probability, reward, next)

    @property
    def own_history(self) -> History:
        """The history of the player whose turn it is."""
        assert self.player is not None
        return self.histories[self.player]


class NaiveLevel(NamedTuple):
    """One application of the OBL operator."""

    policy: dict[History, dict[Hashable, float]]
    q_values: dict[History, dict[Hashable, float]]


# --- trajectories and histories ---------------------------------------------------------------------------------------


def enumerate_trajectories(game: Any) -> list[Trajectory]:
    """List the starts of a game; their descendants hang below them."""
    players = range(len(game.player_names))
    starts = []
    for probability, state in game.initial_states():
        seen = _observations(game, state, players)
        start = Trajectory(
            state, game.acting_player(state), probability, tuple((player, seen[player]) for player in players)
        )
        _grow(game, start, players)
        starts.append(start)
    return starts


def _grow(game: Any, trajectory: Trajectory, players: range) -> None:
    if trajectory.player is None:
        return
    for action in game.legal_actions(trajectory.state):
        outcomes = []
        for probability, reward, state in game.transitions(trajectory.state, action):
            seen = _observations(game, state, players)
            histories = tuple(
                (*before, action if game.public_actions or player == trajectory.player else None, seen[player])
                for player, before in enumerate(trajectory.histories)
            )
            child = Trajectory(state, game.acting_player(state), trajectory.chance * probability, histories)
            _grow(game, child, players)
            outcomes.append((probability, reward, child))
        trajectory.children[action] = outcomes


def _observations(game: Any, state: Hashable, players: range) -> list[Hashable]:
    public = game.public_observation(state)
    return [(public, game.private_observation(state, player)) for player in players]


def walk(trajectories: Iterable[Trajectory]) -> Iterator[Trajectory]:
    """Visit every trajectory at which somebody acts."""
    for trajectory in trajectories:
        if trajectory.player is not None:
            yield trajectory
            for outcomes in trajectory.children.values():
                yield from walk(child for _, _, child in outcomes)


def uniform(starts: Iterable[Trajectory]) -> dict[History, dict[Hashable, float]]:
    """Play every legal action with the same probability."""
    return {
        trajectory.own_history: dict.fromkeys(trajectory.children, 1 / len(trajectory.children))
        for trajectory in walk(starts)
    }


# --- beliefs ----------------------------------------------------------------------------------------------------------


def believe(
    starts: Iterable[Trajectory], pi0: Policy, *, everybody: bool = False
) -> dict[History, list[tuple[float, Trajectory]]]:
    """B_pi0(tau | tau^i) at every history whose player acts; with `everybody`, at every history of every player.

    The player's own moves do not count: it knows them. Where the others would never have led, actions say nothing.
    """
    weights: dict[History, list[tuple[float, Trajectory]]] = {}

    def visit(trajectory: Trajectory, reach: list[float]) -> None:
        """`reach[i]` is the probability of chance and of everybody's moves but player i's."""
        if trajectory.player is None:
            return
        for player in range(len(reach)) if everybody else (trajectory.player,):
            weights.setdefault(trajectory.histories[player], []).append((reach[player], trajectory))
        plays = pi0[trajectory.own_history]
        for action, outcomes in trajectory.children.items():
            after = [r if player == trajectory.player else r * plays[action] for player, r in enumerate(reach)]
            for probability, _, child in outcomes:
                visit(child, [r * probability for r in after])

    for start in starts:
        visit(start, [start.chance] * len(start.histories))
    return {history: _normalise(weighted) for history, weighted in weights.items()}


def believe_grounded(starts: Iterable[Trajectory]) -> dict[History, list[tuple[float, Trajectory]]]:
    """B_G(tau | tau^i): chance and observations count, actions do not (paper, Section 4.3)."""
    weights: dict[History, list[tuple[float, Trajectory]]] = {}
    for trajectory in walk(starts):
        for history in trajectory.histories:
            weights.setdefault(history, []).append((trajectory.chance, trajectory))
    return {history: _normalise(weighted) for history, weighted in weights.items()}


def _normalise(weighted: list[tuple[float, Trajectory]]) -> list[tuple[float, Trajectory]]:
    total = math.fsum(weight for weight, _ in weighted)
    if total == 0:
        weighted = [(trajectory.chance, trajectory) for _, trajectory in weighted]
        total = math.fsum(weight for weight, _ in weighted)
    return [(weight / total, trajectory) for weight, trajectory in weighted]


# --- the operator -----------------------------------------------------------------------------------------------------


def solve_level(
    game: Any,
    *,
    operator: str,
    temperature: float,
    pi0: Policy | None = None,
    continuation: float | None = None,
    ties: str = "uniform",
) -> NaiveLevel:
    """Apply the OBL operator to pi0 (uniform if left out).

    Args:
        game: anything that satisfies the contract, or the starts that `enumerate_trajectories` gave for it.
        operator: "counterfactual" (Eqs. 1-3) or "bellman" (Eq. 4).
        temperature: T of Eq. 3; 0 for the best action.
        pi0: the policy that past moves are interpreted with.
        continuation: lambda between the two operators; None for the operator's own.
        ties: at temperature 0, "uniform", "first" or "last" of the best actions.
    """
    starts = game if isinstance(game, list) else enumerate_trajectories(game)
    belief = believe(starts, uniform(starts) if pi0 is None else pi0)
    weight = {"counterfactual": 1.0, "bellman": 0.0}[operator] if continuation is None else continuation
    policy: dict[History, dict[Hashable, float]] = {}
    q_values: dict[History, dict[Hashable, float]] = {}
    known: dict[tuple[int, int], float] = {}

    def act(history: History) -> dict[Hashable, float]:
        """pi1(. | tau^i), Eq. 3."""
        if history not in policy:
            policy[history] = softmax(value_actions(history), temperature, ties)
        return policy[history]

    def value_actions(history: History) -> dict[Hashable, float]:
        """Q^{pi0 -> pi1}(. | tau^i): draw the trajectory from B_pi0, try the action, go on (Eqs. 2 and 4)."""
        if history not in q_values:
            player = history[0]
            q_values[history] = {
                action: sum(
                    believed * sum(p * (reward + future(player, child)) for p, reward, child in tau.children[action])
                    for believed, tau in belief[history]
                    if believed > 0
                )
                for action in belief[history][0][1].children
            }
        return q_values[history]

    def future(me: Any, tau: Trajectory) -> float:
        """What player `me` expects from here on when everybody plays pi1."""
        if tau.player is None:
            return 0.0
        key = (-1 if weight == 1.0 else me, id(tau))  # everybody expects the same if nothing is drawn again
        if key not in known:
            plays = act(tau.own_history)
            going_on = sum(
                plays[action] * p * (reward + future(me, child))
                for action, outcomes in tau.children.items()
                for p, reward, child in outcomes
            )
            if tau.player == me and weight < 1.0:
                drawn_again = sum(plays[action] * q for action, q in value_actions(tau.own_history).items())
                going_on = (1 - weight) * drawn_again + weight * going_on
            known[key] = going_on
        return known[key]

    sys.setrecursionlimit(max(sys.getrecursionlimit(), 10_000))
    for history in belief:
        act(history)
    return NaiveLevel(policy, q_values)


def softmax(values: Mapping[Hashable, float], temperature: float, ties: str = "uniform") -> dict[Hashable, float]:
    """Eq. 3; at temperature 0 the best actions share evenly, or the first or last takes all."""
    best = max(values.values())
    if temperature > 0:
        weights = {action: math.exp((value - best) / temperature) for action, value in values.items()}
    else:
        margin = TIE_TOLERANCE * max(1.0, abs(best))
        tied = [action for action, value in values.items() if best - value <= margin]
        if ties != "uniform":
            tied = [tied[0 if ties == "first" else -1]]
        weights = {action: float(action in tied) for action in values}
    total = math.fsum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


# --- values and best responses ----------------------------------------------------------------------------------------


def future_value(tau: Trajectory, policy: Policy) -> float:
    """V^pi(tau): expected return from here on when everybody plays the policy."""
    if tau.player is None:
        return 0.0
    plays = policy[tau.own_history]
    return sum(
        plays[action] * p * (reward + future_value(child, policy))
        for action, outcomes in tau.children.items()
        for p, reward, child in outcomes
    )


def value(game: Any, policy: Policy) -> float:
    """J(pi): expected return of a game when everybody plays the policy."""
    starts = game if isinstance(game, list) else enumerate_trajectories(game)
    return sum(start.chance * future_value(start, policy) for start in starts)


def best_response(
    game: Any, policy: Policy, player: int
) -> tuple[dict[History, dict[Hashable, float]], dict[History, dict[Hashable, float]]]:
    """Respond optimally to the others; returns the joint policy with the response in it, and its Q-values."""
    starts = game if isinstance(game, list) else enumerate_trajectories(game)
    belief = believe(starts, policy)
    joint = {history: dict(plays) for history, plays in policy.items()}
    q_values: dict[History, dict[Hashable, float]] = {}
    # A longer history depends on no shorter one.
    for history in sorted(belief, key=len, reverse=True):
        if history[0] == player:
            q_values[history] = {
                action: sum(
                    believed
                    * sum(p * (reward + future_value(child, joint)) for p, reward, child in tau.children[action])
                    for believed, tau in belief[history]
                )
                for action in belief[history][0][1].children
            }
            joint[history] = softmax(q_values[history], 0.0)
    return joint, q_values


# --- how the judge and the tables understand each other ---------------------------------------------------------------


class TablesAsGame:
    """The contract's face of a `GameTables`: states are numbers, actions are names."""

    def __init__(self, tables: Any) -> None:
        self.name = tables.name
        self.player_names = tables.player_names
        self.max_length = tables.max_length
        self.public_actions = tables.public_actions
        self.private_legality = tables.private_legality
        self._start = list(zip(tables.start_probability.tolist(), tables.start_state.tolist(), strict=True))
        self._acting = tables.acting_player.tolist()
        self._observation = tables.observation.tolist()
        self._moves: list[dict[str, list[tuple[float, float, int]]]] = []
        slot_start, edge_start = tables.slot_start.tolist(), tables.edge_start.tolist()
        edges = list(
            zip(tables.edge_probability.tolist(), tables.edge_reward.tolist(), tables.edge_state.tolist(), strict=True)
        )
        for state in range(len(self._acting)):
            self._moves.append(
                {
                    tables.action_names[tables.slot_action[slot]]: edges[edge_start[slot] : edge_start[slot + 1]]
                    for slot in range(slot_start[state], slot_start[state + 1])
                }
            )

    def initial_states(self) -> list[tuple[float, int]]:
        return self._start

    def acting_player(self, state: int) -> int | None:
        return None if self._acting[state] < 0 else self._acting[state]

    def legal_actions(self, state: int) -> list[str]:
        return list(self._moves[state])

    def transitions(self, state: int, action: str) -> list[tuple[float, float, int]]:
        return self._moves[state][action]

    def public_observation(self, state: int) -> int:
        return self._observation[-1][state]

    def private_observation(self, state: int, player: int) -> int:
        return self._observation[player][state]


class Pairing(NamedTuple):
    """Which trajectory, history and (history, action) of the judge is which number of the package's tree."""

    node: dict[int, Trajectory]
    history: dict[int, History]
    entry: dict[int, tuple[History, Hashable]]


def pair_up(tree: Any, starts: list[Trajectory]) -> Pairing:
    """Walk a `Tree` and the judge's trajectories side by side; fails if they are not the same game."""
    arrays, tables = tree.arrays, tree.tables
    nodes: dict[int, Trajectory] = {}
    histories: dict[int, History] = {}
    entries: dict[int, tuple[History, Hashable]] = {}

    def visit(node: int, tau: Trajectory) -> None:
        nodes[node] = tau
        assert (-1 if tau.player is None else tau.player) == arrays.acting_player[node]
        if tau.player is None:
            return
        for player, history in enumerate(tau.histories):
            assert histories.setdefault(int(arrays.history[player, node]), history) == history
        state = arrays.state[node]
        by_name = {str(action): action for action in tau.children}
        child = int(arrays.first_child[node])
        first_entry = int(arrays.entry_start[arrays.decision[node]])
        slots = range(tables.slot_start[state], tables.slot_start[state + 1])
        assert len(slots) == len(tau.children)
        for place, slot in enumerate(slots):
            action = by_name[tables.action_names[tables.slot_action[slot]]]
            pair = (tau.own_history, action)
            assert entries.setdefault(first_entry + place, pair) == pair
            for _, _, next_tau in tau.children[action]:
                visit(child, next_tau)
                child += 1

    assert len(starts) == arrays.node_start[1]
    for node, start in enumerate(starts):
        visit(node, start)
    assert len(nodes) == tree.num_nodes
    assert len(histories) == tree.num_histories == len(set(histories.values()))
    assert len(entries) == tree.num_entries == len(set(entries.values()))
    return Pairing(nodes, histories, entries)


def as_naive_policy(pairing: Pairing, probs: Any) -> dict[History, dict[Hashable, float]]:
    """Turn an array over policy entries into the judge's dictionary."""
    policy: dict[History, dict[Hashable, float]] = {}
    for entry, (history, action) in pairing.entry.items():
        policy.setdefault(history, {})[action] = float(probs[entry])
    return policy


def as_entries(pairing: Pairing, values: Mapping[History, Mapping[Hashable, float]]) -> list[float]:
    """Turn the judge's dictionary into a list over policy entries."""
    return [values[history][action] for history, action in (pairing.entry[e] for e in range(len(pairing.entry)))]
