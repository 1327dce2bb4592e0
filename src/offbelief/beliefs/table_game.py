"""Any small game as learners see it: the `BatchedGame` contract over an unrolled tree.

A state is a node of the tree and a random stream for chance; a seat sees a one-hot of its history (private) and a
one-hot of the public history. So a deep learner runs on the toy game, tiny-hanabi or a random game exactly as it
runs on Hanabi, beside the exact solution. The belief to re-deal from is the grounded one, or any `Belief` you give.
"""

import numpy as np

from offbelief.beliefs.exact import Belief, grounded_belief
from offbelief.games.batched import make_streams
from offbelief.games.tree import Tree, TreeArrays
from offbelief.games.walking import draw_cumulative_one, draw_start_one, members_by_history, move_one
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, BoolArray, FloatArray, IntArray, UserError

TABLE_STATE = np.dtype([("stream", np.uint64, (1,)), ("node", np.int32), ("restarts", np.uint32)], align=True)
"""One game: its stream for deals and chance, the trajectory so far, and how often it was dealt anew."""

_DEALS = 7  # the purpose of the streams that games are dealt from


class TableGame:
    """Batches of a small game for learners.

    Args:
        tree: The unrolled game.
        belief: What `redeal` draws from; the grounded belief if left out.
    """

    def __init__(self, tree: Tree, belief: Belief | None = None) -> None:
        if belief is not None and belief.tree is not tree:
            raise UserError("The belief belongs to another tree; unroll the game once and use that tree for both.")
        self.tree = tree
        self.belief = belief or grounded_belief(tree)
        self._members = members_by_history(tree, self.belief.probs)
        acts = np.diff(tree.arrays.entry_start) > 0
        self._place_of_history = np.cumsum(acts) - 1
        self._num_public = int(tree.public_history.max()) + 1
        slots_of_state = np.diff(tree.tables.slot_start)
        self._legal_by_state = np.zeros((tree.tables.num_states, len(tree.tables.action_names)), np.bool_)
        self._legal_by_state[np.repeat(np.arange(tree.tables.num_states), slots_of_state), tree.tables.slot_action] = (
            True
        )
        self._slot_by_action = np.cumsum(self._legal_by_state, axis=1) - 1

    @property
    def name(self) -> str:
        """The game's name."""
        return self.tree.tables.name

    @property
    def num_seats(self) -> int:
        """How many players."""
        return self.tree.num_players

    @property
    def num_moves(self) -> int:
        """A move is the number of an action."""
        return len(self.tree.tables.action_names)

    @property
    def max_turns(self) -> int:
        """The depth of the tree."""
        return self.tree.depth

    @property
    def observation_size(self) -> int:
        """One feature per history of any seat and one per public history."""
        return self.tree.num_histories + self._num_public

    @property
    def public_columns(self) -> IntArray:
        """The one-hot of the public history."""
        return np.arange(self.tree.num_histories, self.observation_size)

    def deal(self, size: int, seed: int, first_game: int = 0) -> AnyArray:
        """Begin games."""
        states = np.zeros(size, TABLE_STATE)
        states["stream"][:, 0] = make_streams(seed, _DEALS, first_game + size)[first_game:]
        _deal(self.tree.arrays, states, np.ones(size, np.bool_))
        return states

    def restart_finished(self, states: AnyArray) -> BoolArray:
        """Deal finished games anew in place."""
        over = self.is_over(states)
        states["restarts"][over] += 1
        _deal(self.tree.arrays, states, over)
        return over

    def acting_seats(self, states: AnyArray) -> IntArray:
        """Whose turn it is."""
        return np.asarray(self.tree.arrays.acting_player[states["node"]])

    def is_over(self, states: AnyArray) -> BoolArray:
        """Which games have ended."""
        return np.asarray(self.acting_seats(states) < 0)

    def legal_moves(self, states: AnyArray) -> BoolArray:
        """What the acting seats may do."""
        return np.asarray(self._legal_by_state[self.tree.arrays.state[states["node"]]])

    def exploration_weights(self, states: AnyArray, legal: BoolArray) -> FloatArray:
        """Every legal move alike."""
        return legal.astype(np.float32)

    def step(self, states: AnyArray, moves: IntArray) -> FloatArray:
        """Make moves in place, unchecked; chance draws from the game's own stream."""
        rewards = np.zeros(len(states), np.float32)
        slots = self._slot_by_action[self.tree.arrays.state[states["node"]], np.maximum(moves, 0)]
        _step(self.tree.arrays, states, slots, rewards)
        return rewards

    def observe(self, states: AnyArray, seats: IntArray | None = None) -> FloatArray:
        """What seats see; by default the acting ones. Nothing where the game is over."""
        rows = np.zeros((len(states), self.observation_size), np.float32)
        running = np.flatnonzero(~self.is_over(states))
        node = states["node"][running]
        seats = self.acting_seats(states) if seats is None else seats
        rows[running, self.tree.arrays.history[seats[running], node]] = 1.0
        rows[running, self.tree.num_histories + self.tree.public_history[node]] = 1.0
        return rows

    def redeal(self, states: AnyArray, streams: AnyArray, seats: IntArray | None = None) -> AnyArray:
        """Draw the trajectories anew from the seats' beliefs."""
        copies = states.copy()
        seats = np.maximum(self.acting_seats(states), 0) if seats is None else seats
        histories = self.tree.arrays.history[seats, states["node"]]
        _redeal(histories, *self._members, copies, streams)
        return copies

    def relabel(self, states: AnyArray, moves: IntArray, stream: AnyArray) -> tuple[AnyArray, IntArray]:
        """No symmetry is known."""
        return states, moves

    def entries_of(self, q_values: FloatArray) -> FloatArray:
        """Pick, from Q-values [decision histories, moves], those of the policy entries [L] of the tree."""
        place = self._place_of_history[self.tree.entry_history]
        return np.asarray(q_values[place, self.tree.entry_action])

    def observe_decisions(self) -> tuple[FloatArray, BoolArray]:
        """Observation and legal moves at every decision history, in order: what to ask a network about all of them."""
        acting = np.flatnonzero(np.diff(self.tree.arrays.entry_start) > 0)
        states = np.zeros(len(acting), TABLE_STATE)
        # The example of a decision history is a node at which its player acts.
        states["node"] = self.tree.history_example[acting]
        return self.observe(states), self.legal_moves(states)


@kernel
def _deal(arrays: TreeArrays, states: AnyArray, chosen: BoolArray) -> None:
    for game in range(len(states)):
        if chosen[game]:
            states[game]["node"] = draw_start_one(arrays, states[game]["stream"])


@kernel
def _step(arrays: TreeArrays, states: AnyArray, slots: IntArray, rewards: FloatArray) -> None:
    for game in range(len(states)):
        node = states[game]["node"]
        if arrays.acting_player[node] >= 0:
            child, reward = move_one(arrays, node, slots[game], states[game]["stream"])
            states[game]["node"] = child
            rewards[game] = reward


@kernel
def _redeal(
    histories: IntArray,
    member_start: IntArray,
    member_node: IntArray,
    member_until: FloatArray,
    copies: AnyArray,
    streams: AnyArray,
) -> None:
    for game in range(len(copies)):
        history = histories[game]
        if history >= 0:  # the game is running
            stream = streams[game : game + 1]
            first, last = member_start[history], member_start[history + 1]
            copies[game]["node"] = member_node[first + draw_cumulative_one(member_until, first, last, stream)]
            # Chance in the imagined game is its own.
            copies[game]["stream"][0] ^= stream[0]
