"""What agents do in small Hanabi, exactly: their moves laid over the unrolled game (`games/hanabi/as_table.py`).

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
from offbelief.agents.memory_agent import MemoryAgent
from offbelief.agents.remembering import Player, RememberingPlayer
from offbelief.agents.tabular import TabularPolicy
from offbelief.games.batched import pick_games
from offbelief.games.hanabi.as_table import HanabiTables
from offbelief.games.hanabi.remembered import join
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.games.tree import Tree
from offbelief.nouns import AnyArray, FloatArray, IntArray, UserError

_CHUNK = 16_384
_DEALS = 256  # followed at a time: a soft agent branches at every move


@dataclass(frozen=True, eq=False)
class Followed:
    """Everything that can happen when an agent sits at every seat."""

    earned: float
    """What the agent earns on average."""
    entries: IntArray
    """[M] the policy entries that it may choose, one per trajectory, turn and move."""
    reached: FloatArray
    """[M] how likely it came to the trajectory."""
    played: FloatArray
    """[M] how likely it then made the move; 1 for an agent without coins."""

    def distance(self, policy: TabularPolicy) -> float:
        """Share of its moves that the agent would have to make otherwise to play like a policy (total variation)."""
        otherwise = np.maximum(self.played - policy.probs[self.entries], 0.0)
        return float(self.reached @ otherwise / (self.reached @ self.played))


def follow_agent(
    small: HanabiTables, tree: Tree, agent: Player | RememberingPlayer, variant: HanabiVariant
) -> Followed:
    """Seat an agent everywhere and go through all deals and draws, and all moves if it plays softly.

    Args:
        small: the variant as tables.
        tree: the same, unrolled.
        agent: chooses without coins, as trained agents do; or a network that plays at a temperature.
        variant: the rules.
    """
    starts = np.arange(len(tree.arrays.start_probability))
    parts = [_follow_from(small, tree, agent, variant, some) for some in _chunks(starts, _DEALS)]
    return Followed(
        sum(part.earned for part in parts),
        np.concatenate([part.entries for part in parts]),
        np.concatenate([part.reached for part in parts]),
        np.concatenate([part.played for part in parts]),
    )


def _follow_from(
    small: HanabiTables, tree: Tree, agent: Player | RememberingPlayer, variant: HanabiVariant, nodes: IntArray
) -> Followed:
    """Follow an agent from some deals."""
    arrays, tables = tree.arrays, small.tables
    probs = arrays.start_probability[nodes]
    memories = [
        agent.new_memory(_records(small, tree, nodes), seat) if isinstance(agent, RememberingPlayer) else None
        for seat in range(variant.players)
    ]
    earned = 0.0
    chosen: list[tuple[IntArray, FloatArray, FloatArray]] = []
    while len(nodes):
        before = _records(small, tree, nodes)
        mover, moves, played = _choose(agent, before, variant, memories)
        node = nodes[mover]
        state = arrays.state[node]
        slots = _slots(tables.slot_start[state], tables.slot_action, moves)
        chosen.append(
            (arrays.entry_start[arrays.decision[node]] + slots - tables.slot_start[state], probs[mover], played)
        )

        # Chance draws a card, or nothing: every edge of the chosen slots.
        counts = np.diff(arrays.edge_start)[slots]
        choice = np.repeat(np.arange(len(node)), counts)
        edges = (
            np.arange(len(choice)) - np.repeat(np.cumsum(counts) - counts, counts) + arrays.edge_start[slots][choice]
        )
        children = (arrays.first_child[node] - arrays.edge_start[tables.slot_start[state]])[choice] + edges
        probs = (probs[mover] * played)[choice] * arrays.edge_probability[edges]
        earned += float(probs @ arrays.edge_reward[edges])
        going = np.flatnonzero(arrays.acting_player[children] >= 0)
        children, choice, probs = children[going], choice[going], probs[going]
        origin = mover[choice]
        for seat, memory in enumerate(memories):
            if memory is not None and isinstance(agent, RememberingPlayer):
                kept = memory[origin]
                agent.remember(kept, pick_games(before, origin), moves[choice], _records(small, tree, children), seat)
                memories[seat] = kept
        nodes = children
    return Followed(earned, *(np.concatenate(column) for column in zip(*chosen, strict=True)))


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


def _log_softmax(agent: NetworkAgent | MemoryAgent, records: AnyArray) -> FloatArray:
    """[B, A] logarithms of the probabilities at which an agent draws its moves; records come with its memory."""
    values = value_moves(agent.network, look(agent.game, records, agent.device)).double()
    log_probs: FloatArray = torch.log_softmax(values / agent.temperature, dim=1).cpu().numpy()
    return log_probs


def _choose(
    agent: Player | RememberingPlayer, records: AnyArray, variant: HanabiVariant, memories: list[AnyArray | None]
) -> tuple[IntArray, IntArray, FloatArray]:
    """The moves [M] that the acting seats may make, in which of the records [M], and how likely [M]."""
    chosen: list[tuple[IntArray, IntArray, FloatArray]] = []
    for seat, memory in enumerate(memories):
        for some in _chunks(np.flatnonzero(records["acting_seat"] == seat)):
            which, moves, played = _moves_of(
                agent, pick_games(records, some), variant, None if memory is None else memory[some]
            )
            chosen.append((some[which], moves, played))
    records_of, all_moves, all_played = (np.concatenate(column) for column in zip(*chosen, strict=True))
    return records_of, all_moves, all_played


def _moves_of(
    agent: Player | RememberingPlayer, records: AnyArray, variant: HanabiVariant, memory: AnyArray | None
) -> tuple[IntArray, IntArray, FloatArray]:
    """As `_choose`, for seats with the memory given: its one move, or all that a soft network may draw."""
    if isinstance(agent, NetworkAgent | MemoryAgent) and agent.temperature > 0.0:
        probs = np.exp(_log_softmax(agent, records if memory is None else join(records, memory)))
        which, drawn = np.nonzero(probs)
        return which, drawn, probs[which, drawn]
    coins = _no_coins(len(records))
    if memory is not None and isinstance(agent, RememberingPlayer):
        moves = agent.act(records, variant, coins, memory)
    else:
        moves = agent.act(records, variant, coins)
    return np.arange(len(records)), moves, np.ones(len(records))


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


def _chunks(indices: IntArray, size: int = _CHUNK) -> Iterator[IntArray]:
    for first in range(0, len(indices), size):
        yield indices[first : first + size]
