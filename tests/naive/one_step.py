"""The judge of the one-step form: beliefs drawn anew at every move of the game, by plain recursion over a tree.

U_i(h) is what history h is worth to player i: the best Q where i acts, the value of waiting where another does.

    Q(a | h_i) = E over tau ~ B(h_i) of [ r + U_i(h_i') ]
    W(h_i)     = E over tau ~ B(h_i) of [ r(tau, best of who acts) + U_i(h_i') ]
"""

import numpy as np

from offbelief.beliefs.exact import Belief


def one_step_values(belief: Belief):
    """Q-values [L] of every policy entry and U [H] of every history."""
    tree = belief.tree
    arrays = tree.arrays
    q_values, worth = np.zeros(tree.num_entries), np.zeros(tree.num_histories)
    for depth in reversed(range(tree.depth)):
        nodes = [node for node in range(*arrays.node_start[depth : depth + 2]) if arrays.acting_player[node] >= 0]
        for node in nodes:
            player, history = arrays.acting_player[node], arrays.decision[node]
            for slot in range(arrays.entry_start[history + 1] - arrays.entry_start[history]):
                future = _follow(arrays, worth, node, slot, player)
                q_values[arrays.entry_start[history] + slot] += belief.probs[player, node] * future
        best = {}
        for history in {arrays.decision[node] for node in nodes}:
            own = q_values[slice(*arrays.entry_start[history : history + 2])]
            best[history], worth[history] = own.argmax(), own.max()
        for node in nodes:
            for player in range(tree.num_players):
                if player != arrays.acting_player[node]:
                    future = _follow(arrays, worth, node, best[arrays.decision[node]], player)
                    worth[arrays.history[player, node]] += belief.probs[player, node] * future
    return q_values, worth


def _follow(arrays, worth, node, slot, player):
    """What a move is worth to a player if the game stands at a node."""
    first_slot = arrays.slot_start[arrays.state[node]]
    first_edge = arrays.edge_start[first_slot]
    total = 0.0
    for edge in range(*arrays.edge_start[first_slot + slot : first_slot + slot + 2]):
        child = arrays.first_child[node] + edge - first_edge
        later = worth[arrays.history[player, child]] if arrays.acting_player[child] >= 0 else 0.0
        total += arrays.edge_probability[edge] * (arrays.edge_reward[edge] + later)
    return total
