"""Games and policies to judge on: mixed random games, random policies, and the same game under other labels."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from offbelief.agents.tabular import TabularPolicy, policy_from_probs
from offbelief.games.contract import Game
from offbelief.games.counterexamples import disagreement, no_improvement, softmax_gap
from offbelief.games.json_game import JsonGame
from offbelief.games.random_game import RandomGameSettings, random_game
from offbelief.games.simultaneous import MatrixGame, as_turn_based
from offbelief.games.tables import GameTables
from offbelief.games.tiny_hanabi import TinyHanabi
from offbelief.games.toy_communication import ToyCommunicationGame
from offbelief.games.tree import Tree, unroll
from offbelief.nouns import FloatArray, IntArray

LARGEST = 2_500


def mixed_shape(seed: int) -> RandomGameSettings:
    """Draw the shape of a small game: every feature of the generator turns up, in all combinations."""
    rng = np.random.default_rng((seed, 1))
    while True:
        shape = RandomGameSettings(
            players=int(rng.integers(2, 4)),
            horizon=int(rng.integers(2, 6)),
            types=int(rng.integers(1, 4)),
            actions=int(rng.integers(2, 4)),
            chance=int(rng.integers(1, 3)),
            ragged=bool(rng.random() < 0.3),
            ending=float(rng.choice([0.0, 0.0, 0.2])),
        )
        if shape.types**shape.players * (shape.actions * shape.chance) ** shape.horizon <= LARGEST:
            return shape


@cache
def mixed_tree(seed: int) -> Tree:
    """Unroll the mixed game with this number."""
    return unroll(random_game(seed, mixed_shape(seed)))


def random_policy(tree: Tree, seed: int, *, zeros: bool = False) -> TabularPolicy:
    """Draw a policy with full support; with `zeros`, one that never plays about half of the actions."""
    rng = np.random.default_rng((seed, 2))
    weights = rng.gamma(1.0, size=tree.num_entries) + 1e-3
    if zeros:
        kept = rng.random(tree.num_entries) < 0.5
        last = tree.arrays.entry_start[1:][np.diff(tree.arrays.entry_start) > 0] - 1
        kept[last] |= np.bincount(tree.entry_history, kept, tree.num_histories)[tree.entry_history[last]] == 0
        weights = np.where(kept, weights, 0.0)
    return policy_from_probs(tree, share_out(tree, weights))


def public_policy(tree: Tree, seed: int) -> TabularPolicy:
    """Draw a policy with full support that depends on nothing but the public history."""
    rng = np.random.default_rng((seed, 3))
    table = rng.gamma(1.0, size=(int(tree.public_history.max()) + 1, len(tree.tables.action_names))) + 1e-3
    public = tree.public_history[tree.history_example[tree.entry_history]]
    return policy_from_probs(tree, share_out(tree, table[public, tree.entry_action]))


def share_out(tree: Tree, weights: FloatArray) -> FloatArray:
    """Scale weights [L] so that they add up to one at every history."""
    return weights / np.bincount(tree.entry_history, weights, tree.num_histories)[tree.entry_history]


def fully_observable(tables: GameTables) -> GameTables:
    """Show the whole state to everybody."""
    everything = np.tile(np.arange(tables.num_states, dtype=np.int32), (tables.num_players + 1, 1))
    return replace(tables, observation=everything, observation_name=lambda player, state: f"state {state}")


class RandomSimultaneousGame:
    """Two rounds of simultaneous moves by players with private types; every third game hides all choices.

    In every fifth game the first player sits out the second round.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.name = f"simultaneous-{seed}"
        self.player_names: Sequence[str] = ("Ann", "Ben", "Cas")[: 2 + seed % 2]
        self.max_length = 2
        self.public_actions = seed % 3 > 0
        self.private_legality = False
        self.second_round = tuple(range(1 if seed % 5 == 0 else 0, len(self.player_names)))
        self._rewards: dict[object, float] = {}

    def initial_states(self) -> list[tuple[float, tuple[object, ...]]]:
        deals = list(itertools.product("xy", repeat=len(self.player_names)))
        return [(1 / len(deals), (deal,)) for deal in deals]

    def acting_players(self, state: tuple[object, ...]) -> Sequence[int]:
        return (range(len(self.player_names)), self.second_round, ())[len(state) - 1]

    def legal_actions(self, state: tuple[object, ...], player: int) -> Sequence[str]:
        return ("left", "right", "wait")[: 2 + (player == 1)]

    def transitions(self, state: tuple[object, ...], actions: tuple[object, ...]) -> list[tuple[float, float, object]]:
        after = (*state, actions)
        if after not in self._rewards:
            # From the moves alone, so that the order in which a game is explored does not matter.
            self._rewards[after] = float(np.random.default_rng([self.seed, *repr(after).encode()]).normal())
        return [(1.0, self._rewards[after], after)]

    def public_observation(self, state: tuple[object, ...]) -> None:
        return None

    def private_observation(self, state: tuple[object, ...], player: int) -> object:
        return state[0][player] if len(state) == 1 else None  # type: ignore[index]


def hint_game() -> JsonGame:
    """A hint must touch a card, so the legal hints say what the partner holds: legality is private.

    Bob holds red cards only, or red and blue ones. Alice sees them; she may hint a colour that is there, or pass. Bob
    then bets on having one colour or two, or abstains.
    """
    states = {}
    for hand, colours in (("one colour", ("red",)), ("two colours", ("red", "blue"))):
        bets = {
            "bet one": {"reward": 1.0 if hand == "one colour" else -1.2},
            "bet two": {"reward": 1.0 if hand == "two colours" else -1.2},
            "abstain": {},
        }
        actions = {f"hint {colour}": {"next": f"{hand}, {colour}"} for colour in colours}
        states[hand] = {
            "player": "Alice",
            "private": {"Alice": hand},
            "actions": {**actions, "pass": {"next": f"{hand}, pass"}},
        }
        for said in (*colours, "pass"):
            states[f"{hand}, {said}"] = {"player": "Bob", "actions": bets}
    return JsonGame(
        {
            "name": "hint",
            "players": ["Alice", "Bob"],
            "start": {"one colour": 0.5, "two colours": 0.5},
            "states": states,
            "private_legality": True,
        }
    )


NAMED_GAMES: dict[str, Callable[[], Game]] = {
    "toy": ToyCommunicationGame,
    "tiny-hanabi": TinyHanabi,
    "CE1": disagreement,
    "CE2": no_improvement,
    "CE2, paid early": lambda: no_improvement(pay_early=True),
    "CE4": lambda: softmax_gap(5, 2.0),
    "matrix": lambda: as_turn_based(MatrixGame([[1.0, 0.0], [0.0, 1.0]])),
    "matrix, other order": lambda: as_turn_based(MatrixGame([[3.0, 0.0, 1.0], [2.0, 2.0, 0.0]]), (1, 0)),
    "hint": hint_game,
    **{
        f"simultaneous {seed}": lambda seed=seed: as_turn_based(
            RandomSimultaneousGame(seed), ((1, 0), (2, 0, 1))[seed % 2] if seed % 4 < 2 else None
        )
        for seed in range(12)
    },
}


class Relabelled(NamedTuple):
    """The same game with other numbers for states, actions, observations, seats and outcomes."""

    tree: Tree
    entry: IntArray
    """[L] which policy entry of the first tree an entry is."""

    def carry(self, policy: TabularPolicy) -> TabularPolicy:
        """Take a policy of the first tree over."""
        return TabularPolicy(self.tree, policy.log_probs[self.entry])

    def bring_back(self, policy: TabularPolicy, tree: Tree) -> TabularPolicy:
        """Take a policy of the relabelled tree back to the first."""
        log_probs = np.empty(len(self.entry))
        log_probs[self.entry] = policy.log_probs
        return TabularPolicy(tree, log_probs)


def relabel(tree: Tree, seed: int) -> Relabelled:
    """Write a game down in another order, as somebody else would, and unroll it again."""
    old, rng = tree.tables, np.random.default_rng((seed, 4))
    old_state, new_action = rng.permutation(old.num_states), rng.permutation(len(old.action_names))
    old_player, start = rng.permutation(old.num_players), rng.permutation(len(old.start_state))
    new_state, new_player = np.argsort(old_state), np.argsort(old_player)
    slots_of_state, edges_of_slot = np.diff(old.slot_start), np.diff(old.edge_start)
    state_of_slot = np.repeat(np.arange(old.num_states), slots_of_state)
    old_slot = np.lexsort((new_action[old.slot_action], new_state[state_of_slot]))
    slot_of_edge = np.repeat(np.arange(len(old.slot_action)), edges_of_slot)
    old_edge = np.lexsort((rng.random(len(slot_of_edge)), np.argsort(old_slot)[slot_of_edge]))
    observation = np.stack([rng.permutation(int(row.max()) + 1)[row] for row in old.observation])
    new = replace(
        old,
        player_names=tuple(old.player_names[player] for player in old_player),
        action_names=tuple(old.action_names[action] for action in np.argsort(new_action)),
        start_state=new_state[old.start_state[start]].astype(np.int32),
        start_probability=old.start_probability[start],
        acting_player=np.where(old.acting_player < 0, -1, new_player[old.acting_player])[old_state].astype(np.int32),
        slot_start=_offsets(slots_of_state[old_state]),
        slot_action=new_action[old.slot_action[old_slot]].astype(np.int32),
        edge_start=_offsets(edges_of_slot[old_slot]),
        edge_probability=old.edge_probability[old_edge],
        edge_reward=old.edge_reward[old_edge],
        edge_state=new_state[old.edge_state[old_edge]].astype(np.int32),
        observation=observation[np.append(old_player, old.num_players)][:, old_state].astype(np.int32),
    )
    relabelled = unroll(new)
    # Which node is which: a child is known by its parent and the edge that led to it.
    here, there = tree.arrays, relabelled.arrays
    node = np.empty(relabelled.num_nodes, np.int64)
    node[: len(start)] = start
    for depth in range(1, len(there.node_start) - 1):
        nodes = np.arange(there.node_start[depth], there.node_start[depth + 1])
        parent = node[there.parent[nodes]]
        first_edge = here.edge_start[here.slot_start[here.state[parent]]]
        node[nodes] = here.first_child[parent] + old_edge[there.edge[nodes]] - first_edge
    entry = np.empty(relabelled.num_entries, np.int64)
    moved = np.flatnonzero(there.parent >= 0)
    entry[entry_of_node(relabelled)[moved]] = entry_of_node(tree)[node[moved]]
    return Relabelled(relabelled, entry)


def entry_of_node(tree: Tree) -> IntArray:
    """[N] the policy entry (history, action) that led to a node; -1 at a start."""
    arrays = tree.arrays
    entry = arrays.entry_start[arrays.decision[arrays.parent]] + arrays.edge_slot[arrays.edge]
    return np.where(arrays.parent >= 0, entry, -1)


def _offsets(counts: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
