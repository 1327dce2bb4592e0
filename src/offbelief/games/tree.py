"""A small game unrolled: its trajectories and its action-observation histories, as integer tables.

A *node* is a trajectory tau_t of the paper: the states and actions so far. A *history* is what one player has seen of
it (tau^i_t). Nodes are numbered depth by depth, histories too, and no Python object is made for either: unrolling a
depth is a handful of NumPy calls, and everything computed later is a numba pass over these arrays.

The games that fit have up to tens of millions of nodes. Every history knows its own length, so histories of one depth
never precede each other: working depth by depth from the end is the topological order in the proof of Theorem 1.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from offbelief.games.contract import Game
from offbelief.games.tables import GameTables, tabulate
from offbelief.nouns import FloatArray, GameError, IntArray


class TreeArrays(NamedTuple):
    """What the kernels read. Axes: `N` nodes, `D` depths, `H` histories, `L` policy entries, `P` players.

    A *policy entry* is one (history, legal action) of a player whose turn it is; policies and Q-values are arrays [L].
    """

    node_start: IntArray
    """[D+1] the nodes of depth t are node_start[t] .. node_start[t+1]-1."""
    history_start: IntArray
    """[D+1] the histories of depth t, of all players, likewise."""
    parent: IntArray
    """[N] the node before; -1 at a start."""
    edge: IntArray
    """[N] the edge of `GameTables` that led here; -1 at a start."""
    first_child: IntArray
    """[N] children follow one another in the order of the state's edges; -1 where the game is over."""
    state: IntArray
    """[N] the state that a node ends in."""
    acting_player: IntArray
    """[N] whose turn it is; -1 where the game is over."""
    decision: IntArray
    """[N] the acting player's history; -1 where the game is over."""
    history: IntArray
    """[P, N] every player's history; -1 where the game is over."""
    history_player: IntArray
    """[H] whose history it is."""
    entry_start: IntArray
    """[H+1] the policy entries of a history; none if it is not its player's turn."""
    slot_start: IntArray
    """[S+1] as in `GameTables`."""
    edge_start: IntArray
    """[M+1] as in `GameTables`."""
    edge_slot: IntArray
    """[E] the place of the edge's action among its state's legal actions."""
    edge_probability: FloatArray
    """[E] as in `GameTables`."""
    edge_reward: FloatArray
    """[E] as in `GameTables`."""
    start_probability: FloatArray
    """[node_start[1]] probability of every start."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Tree:
    """A game unrolled to its end, with names for people."""

    tables: GameTables
    arrays: TreeArrays
    public_history: IntArray
    """[N] what everybody has seen, numbered; -1 where the game is over."""
    entry_action: IntArray
    """[L] the action of a policy entry."""
    history_example: IntArray
    """[H] a node of the history."""

    @property
    def num_players(self) -> int:
        """How many players."""
        return self.tables.num_players

    @property
    def num_nodes(self) -> int:
        """How many trajectories, finished ones included."""
        return len(self.arrays.state)

    @property
    def num_histories(self) -> int:
        """How many histories, of all players, whether or not it is their turn."""
        return len(self.arrays.history_player)

    @property
    def num_decisions(self) -> int:
        """How many histories at which their player acts."""
        return int(np.count_nonzero(np.diff(self.arrays.entry_start)))

    @property
    def num_entries(self) -> int:
        """How many (history, legal action) pairs: the size of a policy."""
        return len(self.entry_action)

    @property
    def depth(self) -> int:
        """The longest game in moves (the paper's t_max)."""
        return len(self.arrays.node_start) - 2

    @cached_property
    def entry_history(self) -> IntArray:
        """[L] the history of every policy entry."""
        return np.repeat(np.arange(self.num_histories), np.diff(self.arrays.entry_start)).astype(np.int32)

    @cached_property
    def max_actions(self) -> int:
        """The largest number of legal actions at any history (N in Lemma 2)."""
        return int(np.diff(self.arrays.entry_start).max())

    def history_name(self, history: int) -> str:
        """Say in words what a player has seen, such as ``"Bob: Alice barrier, sees cat"``; unique in the game."""
        arrays, tables = self.arrays, self.tables
        player = int(arrays.history_player[history])
        path = [int(self.history_example[history])]
        while arrays.parent[path[-1]] >= 0:
            path.append(int(arrays.parent[path[-1]]))
        events: list[str] = []
        for node in reversed(path):
            before = arrays.parent[node]
            if before >= 0:
                actor = int(arrays.acting_player[before])
                if tables.public_actions or actor == player:
                    slot = tables.slot_start[arrays.state[before]] + arrays.edge_slot[arrays.edge[node]]
                    action = tables.action_names[tables.slot_action[slot]]
                    events.append(f"{tables.player_names[actor]} {action}")
                else:
                    events.append("a hidden move")
            seen = tables.observation_name(player, int(arrays.state[node]))
            if seen:
                events.append(f"sees {seen}")
        return f"{tables.player_names[player]}: {', '.join(events) or 'nothing yet'}"

    @cached_property
    def history_by_name(self) -> dict[str, int]:
        """Find a history at which its player acts by its name."""
        acting = np.flatnonzero(np.diff(self.arrays.entry_start))
        return {self.history_name(int(history)): int(history) for history in acting}


def unroll(game: Game | GameTables | Tree) -> Tree:
    """Unroll a game into its trajectories and histories.

    Args:
        game: anything that satisfies the contract, or its tables. A tree is passed through.

    Raises:
        GameError: one sentence that names the history where the game breaks the contract.
    """
    if isinstance(game, Tree):
        return game
    tables = tabulate(game)
    depths = [_start(tables)]
    histories = _Histories(tables)
    while histories.number(depths[-1]):
        if len(depths) > tables.max_length:
            example = int(np.flatnonzero(depths[-1].acting_player >= 0)[0])
            tree = _assemble(tables, depths, histories)
            name = tree.history_name(int(tree.arrays.decision[tree.arrays.node_start[len(depths) - 1] + example]))
            raise GameError(
                f"The game is longer than max_length = {tables.max_length}: it goes on at the history '{name}'; raise "
                "max_length, or end the game there."
            )
        depths.append(_step(tables, depths[-1]))
    tree = _assemble(tables, depths, histories)
    _check_turns_and_legality(tree)
    return tree


@dataclass
class _Depth:
    """The nodes of one depth while unrolling; parents are numbered within the depth before."""

    state: IntArray
    acting_player: IntArray
    parent: IntArray
    edge: IntArray
    history: IntArray | None = None
    """[P+1, n] numbered within the depth and observer; the last row is public."""
    num_histories: list[int] | None = None


def _start(tables: GameTables) -> _Depth:
    nothing = np.full(len(tables.start_state), -1, np.int32)
    return _Depth(tables.start_state, tables.acting_player[tables.start_state], nothing, nothing)


def _step(tables: GameTables, before: _Depth) -> _Depth:
    """Follow every edge out of every node of a depth."""
    alive = np.flatnonzero(before.acting_player >= 0)
    first_edge = tables.edge_start[tables.slot_start[before.state[alive]]]
    count = tables.edge_start[tables.slot_start[before.state[alive] + 1]] - first_edge
    parent = np.repeat(alive, count)
    if len(parent) > np.iinfo(np.int32).max:
        raise GameError("The game has more than two thousand million trajectories of one length; make it smaller.")
    place = np.arange(len(parent)) - np.repeat(np.cumsum(count) - count, count)
    edge = np.repeat(first_edge, count) + place
    state = tables.edge_state[edge]
    return _Depth(state, tables.acting_player[state], parent.astype(np.int32), edge.astype(np.int32))


class _Histories:
    """Numbers the histories of each observer, depth by depth; remembers the depth before."""

    def __init__(self, tables: GameTables) -> None:
        self.tables = tables
        self.before: _Depth | None = None
        edges_of_slot = np.diff(tables.edge_start)
        self.edge_action = np.repeat(tables.slot_action, edges_of_slot)

    def number(self, here: _Depth) -> bool:
        """Number the histories of one depth; False if the game is over in all its nodes."""
        tables = self.tables
        alive = np.flatnonzero(here.acting_player >= 0)
        if len(alive) == 0:
            return False
        num_observers = tables.num_players + 1
        here.history = np.full((num_observers, len(here.state)), -1, np.int32)
        here.num_histories = []
        for observer in range(num_observers):
            key = self._key(observer, here, alive)
            distinct, number = np.unique(key, return_inverse=True)
            here.history[observer, alive] = number
            here.num_histories.append(len(distinct))
        self.before = here
        return True

    def _key(self, observer: int, here: _Depth, alive: IntArray) -> IntArray:
        """One integer per node: the observer's history before, the action it saw or made, what it sees now."""
        tables = self.tables
        seen: IntArray = tables.observation[observer, here.state[alive]].astype(np.int64)
        if self.before is None:
            return seen
        assert self.before.history is not None
        parent = here.parent[alive]
        action = self.edge_action[here.edge[alive]].astype(np.int64) + 1
        if not tables.public_actions:
            action = np.where(self.before.acting_player[parent] == observer, action, 0)
        num_actions, num_seen = len(tables.action_names) + 1, int(tables.observation[observer].max()) + 1
        before: IntArray = self.before.history[observer, parent].astype(np.int64)
        key: IntArray = (before * num_actions + action) * num_seen + seen
        return key


def _assemble(tables: GameTables, depths: list[_Depth], histories: _Histories) -> Tree:
    """Put the depths end to end and renumber nodes and histories over the whole tree."""
    num_players = tables.num_players
    sizes = np.array([len(depth.state) for depth in depths])
    node_start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    if node_start[-1] > np.iinfo(np.int32).max:
        raise GameError("The game has more than two thousand million trajectories; make it smaller.")
    parent = np.concatenate([depths[0].parent, *(depths[t].parent + node_start[t - 1] for t in range(1, len(depths)))])
    history = np.full((num_players, node_start[-1]), -1, np.int32)
    public_history = np.full(node_start[-1], -1, np.int32)
    history_start, history_player, num_public = [0], [], 0
    for t, depth in enumerate(depths):
        first = history_start[-1]
        if depth.history is not None and depth.num_histories is not None:
            nodes = slice(node_start[t], node_start[t + 1])
            for player in range(num_players):
                history[player, nodes] = np.where(depth.history[player] >= 0, depth.history[player] + first, -1)
                history_player.append(np.full(depth.num_histories[player], player, np.int32))
                first += depth.num_histories[player]
            public_history[nodes] = np.where(depth.history[-1] >= 0, depth.history[-1] + num_public, -1)
            num_public += depth.num_histories[-1]
        history_start.append(first)
    state = np.concatenate([depth.state for depth in depths]).astype(np.int32)
    acting_player = np.concatenate([depth.acting_player for depth in depths]).astype(np.int32)
    alive = np.flatnonzero(acting_player >= 0)
    decision = np.full(len(state), -1, np.int32)
    decision[alive] = history[acting_player[alive], alive]
    num_histories = history_start[-1]
    history_example = np.empty(num_histories, np.int32)
    for player in range(num_players):
        history_example[history[player, alive][::-1]] = alive[::-1]
    history_example[decision[alive][::-1]] = alive[::-1]
    actions_of_history = np.zeros(num_histories, np.int64)
    acts = np.zeros(num_histories, np.bool_)
    acts[decision[alive]] = True
    example_state = state[history_example]
    actions_of_history[acts] = (tables.slot_start[example_state + 1] - tables.slot_start[example_state])[acts]
    entry_start = np.concatenate([[0], np.cumsum(actions_of_history)]).astype(np.int64)
    entry_place = np.arange(entry_start[-1]) - np.repeat(entry_start[:-1], actions_of_history)
    entry_action = tables.slot_action[np.repeat(tables.slot_start[example_state], actions_of_history) + entry_place]
    children = np.zeros(len(state), np.int64)
    children[alive] = (
        tables.edge_start[tables.slot_start[state[alive] + 1]] - tables.edge_start[tables.slot_start[state[alive]]]
    )
    first_child = np.where(children > 0, node_start[1] + np.cumsum(children) - children, -1).astype(np.int32)
    edges_of_slot = np.diff(tables.edge_start)
    slots_of_state = np.diff(tables.slot_start)
    slot_place = np.arange(len(tables.slot_action)) - np.repeat(tables.slot_start[:-1], slots_of_state)
    arrays = TreeArrays(
        node_start=node_start,
        history_start=np.array(history_start, np.int64),
        parent=parent.astype(np.int32),
        edge=np.concatenate([depth.edge for depth in depths]).astype(np.int32),
        first_child=first_child,
        state=state,
        acting_player=acting_player,
        decision=decision,
        history=history,
        history_player=np.concatenate(history_player) if history_player else np.zeros(0, np.int32),
        entry_start=entry_start,
        slot_start=tables.slot_start,
        edge_start=tables.edge_start,
        edge_slot=np.repeat(slot_place, edges_of_slot).astype(np.int32),
        edge_probability=tables.edge_probability,
        edge_reward=tables.edge_reward,
        start_probability=tables.start_probability,
    )
    return Tree(
        tables=tables,
        arrays=arrays,
        public_history=public_history,
        entry_action=entry_action,
        history_example=history_example,
    )


def _check_turns_and_legality(tree: Tree) -> None:
    """A player knows from its own history when to act and what is legal, and the public knows it too unless said."""
    arrays, tables = tree.arrays, tree.tables
    alive = np.flatnonzero(arrays.acting_player >= 0)
    legal_set = _number_legal_sets(tables)[arrays.state[alive]]
    for player in range(tree.num_players):
        # -1: it is somebody else's turn; otherwise which set of actions the player may choose from.
        offer = np.where(arrays.acting_player[alive] == player, legal_set, -1)
        clash = _first_clash(arrays.history[player, alive], offer, tree.num_histories)
        if clash is not None:
            one, other = alive[clash[0]], alive[clash[1]]
            name = tree.history_name(int(arrays.history[player, one]))
            raise GameError(
                f"{tables.player_names[player]} cannot know its legal actions at the history '{name}': they are "
                f"{_offer_name(tree, int(one), player)} in one state and {_offer_name(tree, int(other), player)} in "
                "another that looks the same to it; show the difference through its observations."
            )
    if tables.private_legality:
        return
    offer = legal_set * tree.num_players + arrays.acting_player[alive]
    clash = _first_clash(tree.public_history[alive], offer, int(tree.public_history.max()) + 1)
    if clash is not None:
        one, other = (int(alive[index]) for index in clash)
        name = tree.history_name(int(arrays.decision[one]))
        raise GameError(
            f"Legality gives private information away at the history '{name}': legal are "
            f"{_offer_name(tree, one)} there, but {_offer_name(tree, other)} at "
            f"'{tree.history_name(int(arrays.decision[other]))}', which looks the same to the public; make legality "
            "public, or set private_legality = True to say that this is meant."
        )


def _number_legal_sets(tables: GameTables) -> IntArray:
    """[S] the same number for states with the same legal actions."""
    slots_of_state = np.diff(tables.slot_start)
    rows = np.full((tables.num_states, int(slots_of_state.max())), -1, np.int32)
    place = np.arange(len(tables.slot_action)) - np.repeat(tables.slot_start[:-1], slots_of_state)
    rows[np.repeat(np.arange(tables.num_states), slots_of_state), place] = tables.slot_action
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _first_clash(group: IntArray, value: IntArray, num_groups: int) -> tuple[int, int] | None:
    """Find two places of one group with different values."""
    representative = np.full(num_groups, -1, np.int64)
    representative[group[::-1]] = np.arange(len(group))[::-1]
    clashes = np.flatnonzero(value[representative[group]] != value)
    if len(clashes) == 0:
        return None
    return int(representative[group[clashes[0]]]), int(clashes[0])


def _offer_name(tree: Tree, node: int, player: int | None = None) -> str:
    tables = tree.tables
    actor = int(tree.arrays.acting_player[node])
    state = tree.arrays.state[node]
    actions = tables.slot_action[tables.slot_start[state] : tables.slot_start[state + 1]]
    if player is not None and actor != player:
        return "none (it is not its turn)"
    return "{" + ", ".join(tables.action_names[action] for action in actions) + "}"
