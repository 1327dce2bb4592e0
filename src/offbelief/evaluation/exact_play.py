"""What agents do in small Hanabi, exactly: their greedy moves laid over the unrolled game (`games/hanabi/as_table.py`).

This is how a deep level meets its exact twin. `follow_agent` goes with an agent, with memory or without, through every
deal and every card drawn, so its value has no sampling error; `tabulate_agent` turns an agent without memory into a
table, from which `learning/exact_obl.py` computes the exact level above. How games are sampled is not here: `match.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch

from offbelief.agents.acting import look, value_moves
from offbelief.agents.loading import NetworkAgent
from offbelief.agents.remembering import Player, RememberingPlayer
from offbelief.agents.tabular import TabularPolicy
from offbelief.games.batched import pick_games
from offbelief.games.hanabi.as_table import HanabiTables
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.games.tree import Tree
from offbelief.nouns import AnyArray, FloatArray, IntArray, UserError

_CHUNK = 16_384


@dataclass(frozen=True, eq=False)
class Followed:
    """Everything that can happen when an agent sits at every seat."""

    earned: float
    """What the agent earns on average."""
    entries: IntArray
    """[M] the policy entries that it chose, one per trajectory and turn."""
    probs: FloatArray
    """[M] how likely it came to each."""

    def regret_per_move(self, tree: Tree, q_values: FloatArray) -> float:
        """What the agent gives up by Q-values [L], per move, at the histories that it comes to."""
        best = np.full(tree.num_histories, -np.inf)
        np.maximum.at(best, tree.entry_history, q_values)
        given_up = best[tree.entry_history[self.entries]] - q_values[self.entries]
        return float(self.probs @ given_up / self.probs.sum())


def follow_agent(
    small: HanabiTables, tree: Tree, agent: Player | RememberingPlayer, variant: HanabiVariant
) -> Followed:
    """Seat an agent everywhere and go through all deals and draws.

    Args:
        small: the variant as tables.
        tree: the same, unrolled.
        agent: chooses without coins, as trained agents do.
        variant: the rules.
    """
    arrays, tables = tree.arrays, small.tables
    nodes = np.arange(len(arrays.start_probability))
    probs = arrays.start_probability
    memories = [
        agent.new_memory(_records(small, tree, nodes), seat) if isinstance(agent, RememberingPlayer) else None
        for seat in range(variant.players)
    ]
    earned = 0.0
    chosen: list[tuple[IntArray, FloatArray]] = []
    while len(nodes):
        before = _records(small, tree, nodes)
        moves = _choose(agent, before, variant, memories)
        state = arrays.state[nodes]
        slots = _slots(tables.slot_start[state], tables.slot_action, moves)
        entries = arrays.entry_start[arrays.decision[nodes]] + slots - tables.slot_start[state]
        chosen.append((entries, probs))

        # Chance draws a card, or nothing: every edge of the chosen slots.
        counts = np.diff(arrays.edge_start)[slots]
        origin = np.repeat(np.arange(len(nodes)), counts)
        edges = (
            np.arange(len(origin)) - np.repeat(np.cumsum(counts) - counts, counts) + arrays.edge_start[slots][origin]
        )
        children = (arrays.first_child[nodes] - arrays.edge_start[tables.slot_start[state]])[origin] + edges
        probs = probs[origin] * arrays.edge_probability[edges]
        earned += float(probs @ arrays.edge_reward[edges])
        after = _records(small, tree, children)
        going = np.flatnonzero(arrays.acting_player[children] >= 0)
        for seat, memory in enumerate(memories):
            if memory is not None and isinstance(agent, RememberingPlayer):
                kept = memory[origin]
                agent.remember(kept, pick_games(before, origin), moves[origin], after, seat)
                memories[seat] = kept[going]
        nodes, probs = children[going], probs[going]
    return Followed(earned, np.concatenate([one[0] for one in chosen]), np.concatenate([one[1] for one in chosen]))


def tabulate_agent(small: HanabiTables, tree: Tree, agent: Player, variant: HanabiVariant) -> TabularPolicy:
    """Ask an agent without memory what it does at every history.

    A network that plays softly is asked for the probability of every move, exp(Q / T) up to a factor; others for their
    one move.

    Raises:
        UserError: the agent has a memory, so that its move depends on more than the present position.
    """
    if isinstance(agent, RememberingPlayer):
        raise UserError("An agent with memory cannot be asked at single positions; give one without.")
    acting = np.flatnonzero(np.diff(tree.arrays.entry_start) > 0)
    log_probs = np.full(tree.num_entries, -np.inf)
    for some in _chunks(acting):
        records, begin = _records(small, tree, tree.history_example[some]), tree.arrays.entry_start[some]
        if isinstance(agent, NetworkAgent) and agent.temperature > 0.0:
            counts = tree.arrays.entry_start[some + 1] - begin
            rows = np.repeat(np.arange(len(some)), counts)
            entries = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts - begin, counts)
            log_probs[entries] = _log_softmax(agent, records)[rows, tree.entry_action[entries]]
        else:
            moves = agent.act(records, variant, _no_coins(len(records)))
            log_probs[_slots(begin, tree.entry_action, moves)] = 0.0
    return TabularPolicy(tree, log_probs)


def _log_softmax(agent: NetworkAgent, records: AnyArray) -> FloatArray:
    """[B, A] logarithms of the probabilities at which an agent draws its moves."""
    values = value_moves(agent.network, look(agent.game, records, agent.device)).double()
    log_probs: FloatArray = torch.log_softmax(values / agent.temperature, dim=1).cpu().numpy()
    return log_probs


def _choose(
    agent: Player | RememberingPlayer, records: AnyArray, variant: HanabiVariant, memories: list[AnyArray | None]
) -> IntArray:
    """The moves [B] of the acting seats."""
    moves = np.empty(len(records), np.int64)
    for seat, memory in enumerate(memories):
        for some in _chunks(np.flatnonzero(records["acting_seat"] == seat)):
            asked, coins = pick_games(records, some), _no_coins(len(some))
            if memory is not None and isinstance(agent, RememberingPlayer):
                moves[some] = agent.act(asked, variant, coins, memory[some])
            else:
                moves[some] = agent.act(asked, variant, coins)
    return moves


def _records(small: HanabiTables, tree: Tree, nodes: IntArray) -> AnyArray:
    return pick_games(small.records, tree.arrays.state[nodes])


def _slots(begin: IntArray, actions: IntArray, moves: IntArray) -> IntArray:
    """Where the moves [B] stand among legal actions that are listed, in rising order, from `begin` [B] on."""
    places = begin.astype(np.int64)
    while len(behind := np.flatnonzero(actions[places] != moves)):
        places[behind] += 1
    return places


def _no_coins(games: int) -> AnyArray:
    """Streams [B] for agents that do not draw from them; unlike real ones they cost nothing to make."""
    return np.zeros(games, np.uint64)


def _chunks(indices: IntArray) -> Iterator[IntArray]:
    for first in range(0, len(indices), _CHUNK):
        yield indices[first : first + _CHUNK]
