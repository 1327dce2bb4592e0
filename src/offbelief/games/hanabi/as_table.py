"""Small Hanabi as tables: every state of a variant, so that the exact solver can unroll it (`games/tree.py`).

The rules are the engine's: all states of a turn are stepped together by the kernels that play full Hanabi. What the
engine leaves to the deal is chance here: opening hands, and every card drawn, from the cards that nobody has seen yet.
States forget what no longer matters (the order in which cards came), so they are far fewer than trajectories.

A history has perfect recall: the opening hands of the others, every move with what it revealed (a card, or the slots
that a hint touched), and every card the others drew. Which hints are legal depends on hands that their owners cannot
see, so legality gives private information away (`private_legality`).
"""

from dataclasses import dataclass

import numpy as np

from offbelief.games.batched import pick_games
from offbelief.games.hanabi import kernels
from offbelief.games.hanabi.moves import COLOUR_LETTERS, read_move
from offbelief.games.hanabi.state import DISCARDED, HANABI_STATE, NO_CARD, PLAYED
from offbelief.games.hanabi.variant import MAX_HAND_SIZE, MAX_PLAYERS, HanabiVariant
from offbelief.games.tables import GameTables
from offbelief.nouns import AnyArray, BoolArray, FloatArray, GameError, IntArray

PLAYER_NAMES = ("Alice", "Bob", "Cathy", "Donald", "Emily")
MAX_STATES = 1_000_000
MAX_TRAJECTORIES = 20_000_000
"""Beyond this the unrolled game would not fit a laptop's memory."""
EDGES_PER_STATE = 4
"""Edges of one turn that take as much memory, while they are sorted, as a state does in the end."""


@dataclass(frozen=True, eq=False)
class HanabiTables:
    """A variant as tables, with the game records that its states are."""

    tables: GameTables
    records: AnyArray
    """[S] records of HANABI_STATE, with no deck: cards that nobody has drawn are chance."""
    num_trajectories: float
    """Nodes of the unrolled game."""


@dataclass(frozen=True, eq=False)
class _Turn:
    """All moves from the states of one turn; states after them are numbered from 0."""

    slot_counts: IntArray
    slot_actions: IntArray
    edge_counts: IntArray
    probabilities: FloatArray
    rewards: FloatArray
    after: IntArray


def hanabi_tables(variant: HanabiVariant) -> HanabiTables:
    """Tabulate a variant.

    Raises:
        GameError: it is too large to be unrolled.
    """
    start_records, start_probability = _deal(variant)
    layers, turns = [start_records], []
    ways: FloatArray = np.ones(len(start_records))  # [states of the turn] trajectories that lead there
    trajectories = states = 0.0
    while True:
        trajectories, states = trajectories + ways.sum(), states + len(layers[-1])
        _check_size(variant, states, trajectories)
        turn, following = _step(variant, layers[-1], ways)
        turns.append(turn)
        if not len(following):
            break
        slots_of = np.repeat(np.arange(len(turn.slot_counts)), turn.slot_counts)
        origin = np.repeat(slots_of, turn.edge_counts)
        ways = np.bincount(turn.after, ways[origin], len(following)).astype(np.float64)
        layers.append(following)
    return HanabiTables(_assemble(variant, layers, turns, start_probability), np.concatenate(layers), trajectories)


def _check_size(variant: HanabiVariant, states: float, trajectories: float) -> None:
    if states > MAX_STATES or trajectories > MAX_TRAJECTORIES:
        raise GameError(
            f"Hanabi {variant.name} is too large to be unrolled: it has more than {MAX_TRAJECTORIES:,} "
            f"trajectories or {MAX_STATES:,} states; choose fewer colours, ranks, cards or hint tokens."
        )


def _deal(variant: HanabiVariant) -> tuple[AnyArray, FloatArray]:
    """Every opening: records and their probabilities."""
    records = np.zeros(1, HANABI_STATE)
    records["deck"] = NO_CARD
    kernels.open_games(records, variant.parameters)
    records["hands"] = NO_CARD
    probability = np.ones(1)
    for seat in range(variant.players):
        for slot in range(variant.hand_size):
            origin, kind, share = _draw(variant, records)
            records, probability = pick_games(records, origin), probability[origin] * share
            records["hands"][:, seat, slot] = kind
    if variant.random_start:
        records, probability = np.tile(records, variant.players), np.tile(probability, variant.players)
        records["start_seat"] = np.repeat(np.arange(variant.players), len(records) // variant.players)
        records["acting_seat"] = records["start_seat"]
        probability /= variant.players
    records["deal_indices"] = 0
    return records, probability


def _draw(variant: HanabiVariant, records: AnyArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Every card that can come next: the record [E] it comes to, its kind [E] and its probability [E]."""
    left = np.tile(np.array(variant.copies_by_kind), (len(records), 1)) - records["discards"][:, : variant.card_kinds]
    for colour in range(variant.colours):
        played = records["fireworks"][:, colour, None] > np.arange(variant.ranks)
        left[:, colour * variant.ranks : (colour + 1) * variant.ranks] -= played
    held = records["hands"].reshape(len(records), MAX_PLAYERS * MAX_HAND_SIZE)
    for kind in range(variant.card_kinds):
        left[:, kind] -= (held == kind).sum(axis=1)
    origin, drawn = np.nonzero(left)
    return origin, drawn, left[origin, drawn] / left.sum(axis=1)[origin]


def _step(variant: HanabiVariant, records: AnyArray, ways: FloatArray) -> tuple[_Turn, AnyArray]:
    """Make every legal move in every state of a turn; returns the moves and the distinct states after them.

    Raises:
        GameError: more follows than fits, ``ways`` [states] being how many trajectories lead to each state. Nobody
            should have to wait for states to be sorted to hear that.
    """
    legal: BoolArray = np.empty((len(records), variant.num_moves), np.bool_)
    kernels.legal_moves(records, variant.parameters, legal)
    draws = np.maximum(1, np.bincount(_draw(variant, records)[0], minlength=len(records)))
    drawing, hinting = np.split(legal, [variant.first_colour_hint], axis=1)
    edges = drawing.sum(axis=1) * draws + hinting.sum(axis=1)
    _check_size(variant, edges.sum() / EDGES_PER_STATE, (ways * edges).sum())
    origin, move = np.nonzero(legal)
    after = pick_games(records, origin)
    rewards = np.empty(len(after), np.float32)
    kernels.step(after, variant.parameters, move, rewards)
    # The engine drew a NO_CARD where a card is drawn: replace it by every card that it can be.
    drew = after["cards_drawn"] > records["cards_drawn"][origin]
    edge_counts = np.ones(len(after), np.int64)
    drawn_from = np.flatnonzero(drew)
    place, kind, share = _draw(variant, pick_games(after, drawn_from))
    edge_counts[drawn_from] = np.bincount(place, minlength=len(drawn_from))
    edge_slot = np.repeat(np.arange(len(after)), edge_counts)
    probabilities = np.ones(len(edge_slot))
    children = pick_games(after, edge_slot)
    dealt = np.flatnonzero(drew[edge_slot])  # in the same order as (place, kind)
    seat = children["last_actor"][dealt]
    children["hands"][dealt, seat, children["hand_sizes"][dealt, seat] - 1] = kind
    probabilities[dealt] = share
    children["deal_indices"] = 0
    distinct, number = _distinct(children)
    turn = _Turn(legal.sum(axis=1), move, edge_counts, probabilities, rewards[edge_slot].astype(np.float64), number)
    return turn, distinct


def _distinct(records: AnyArray) -> tuple[AnyArray, IntArray]:
    """The distinct records, and the number of each record among them."""
    rows = records.view(np.dtype((np.void, HANABI_STATE.itemsize)))
    _, first, number = np.unique(rows, return_index=True, return_inverse=True)
    return pick_games(records, first), number.reshape(-1)


def _assemble(
    variant: HanabiVariant, layers: list[AnyArray], turns: list[_Turn], start_probability: FloatArray
) -> GameTables:
    records = np.concatenate(layers)
    first = np.concatenate([[0], np.cumsum([len(layer) for layer in layers])])
    acting = np.where(records["is_over"], -1, records["acting_seat"].astype(np.int32))
    observation = np.array([_observe(variant, records, seat) for seat in range(variant.players + 1)], np.int32)
    return GameTables(
        name=f"hanabi:{variant.name}",
        player_names=PLAYER_NAMES[: variant.players],
        max_length=variant.max_turns,
        public_actions=True,
        private_legality=True,
        action_names=tuple(str(read_move(variant, move)) for move in range(variant.num_moves)),
        start_state=np.arange(len(layers[0]), dtype=np.int32),
        start_probability=start_probability,
        acting_player=acting.astype(np.int32),
        slot_start=_offsets([turn.slot_counts for turn in turns]),
        slot_action=np.concatenate([turn.slot_actions for turn in turns]).astype(np.int32),
        edge_start=_offsets([turn.edge_counts for turn in turns]),
        edge_probability=np.concatenate([turn.probabilities for turn in turns]),
        edge_reward=np.concatenate([turn.rewards for turn in turns]),
        edge_state=np.concatenate([turn.after + first[index + 1] for index, turn in enumerate(turns)]).astype(np.int32),
        observation=observation,
        observation_name=lambda player, state: _name(variant, records[state], player),
    )


def _offsets(counts: list[IntArray]) -> IntArray:
    return np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64)


def _observe(variant: HanabiVariant, records: AnyArray, observer: int) -> IntArray:
    """[S] what an observer sees on reaching a state, numbered: what the move revealed, and the others' hands."""
    others = [seat for seat in range(variant.players) if seat != observer and observer < variant.players]
    seen = [records["last_card"], records["last_touched"], records["acting_seat"]]
    seen += [records["hands"][:, seat, slot] for seat in others for slot in range(variant.hand_size)]
    return np.unique(np.stack(seen, axis=1), axis=0, return_inverse=True)[1].reshape(-1)


def _name(variant: HanabiVariant, record: np.void, player: int) -> str:
    """What a player sees on reaching a state, in words."""
    others = [seat for seat in range(variant.players) if seat != player and player < variant.players]
    if record["turn"] == 0:
        return ", ".join(f"{PLAYER_NAMES[seat]} holds {_cards(variant, record['hands'][seat])}" for seat in others)
    actor = int(record["last_actor"])
    if record["last_type"] not in (PLAYED, DISCARDED):
        slots = [str(slot) for slot in range(variant.hand_size) if record["last_touched"] >> slot & 1]
        return f"slots {' '.join(slots)}"
    revealed = _cards(variant, [record["last_card"]])
    if actor in others and record["hand_sizes"][actor] == variant.hand_size:
        return f"{revealed}, a new {_cards(variant, [record['hands'][actor, variant.hand_size - 1]])}"
    return revealed


def _cards(variant: HanabiVariant, kinds: AnyArray | list[int]) -> str:
    return " ".join(
        f"{COLOUR_LETTERS[int(kind) // variant.ranks]}{int(kind) % variant.ranks + 1}"
        for kind in kinds
        if kind != NO_CARD
    )
