"""The public memory of every card: worked by hand, against a judge that reads the history, blind to hidden cards."""

import os

import numpy as np
import pytest
from tests.naive.hanabi import NaiveHanabi
from tests.naive.hanabi_beliefs import play_randomly

from offbelief.beliefs.counting import imagine_games
from offbelief.games.hanabi import kernels
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.memory import (
    HANABI_MEMORY,
    forget,
    new_memories,
    remember,
    step_and_remember,
)
from offbelief.games.hanabi.moves import move_id
from offbelief.games.hanabi.state import DISCARDED, HINTED_COLOUR, HINTED_RANK, NOTHING, PLAYED
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import UserError
from offbelief.streams import new_stream

UNCOMPILED = os.environ.get("NUMBA_DISABLE_JIT") == "1"
LONG_GAME = "2p-5c-5r-h5-i8-l50"
VARIANTS = [LONG_GAME, "full-2p", "3p-5c-5r-h5-i8-l50+random-start", "5p-5c-5r-h4-i8-l50", "mini", "3p-2c-3r-h3-i5-l3"]


def legal_moves(batch: HanabiBatch, stream: np.ndarray) -> np.ndarray:
    return np.array([kernels.random_move_one(bits, stream) for bits in batch.legal_bits()])


def step_remembering(batch: HanabiBatch, memories: np.ndarray, moves) -> None:
    before = batch.save()
    batch.step(moves)
    remember(memories, batch.variant, before, moves, batch.states)


# ---------------------------------------------------------------------------------------------------------- by hand


def test_memory_worked_by_hand():
    # Two colours a, b and three ranks; kind = 3 * colour + rank. Seat 0 holds a1 a2, seat 1 b1 a1, then b1 b2 ... come.
    batch = HanabiBatch.from_decks("2p-2c-3r-h2-i3-l2", [[0, 1, 3, 0, 3, 4]])
    memories = new_memories(batch.states)
    for move in (("rank", 0, 1), ("play", 0, 0), ("play", 0, 0), ("colour", 0, 1)):
        step_remembering(batch, memories, [move_id(batch.variant, *move)])
    # Turn 0: seat 0 tells seat 1 its two 1s, both colours at zero. Turn 1: seat 1 plays b1 and draws b1. Turn 2: seat 0
    # plays a1 and draws b2. Turn 3: seat 1 tells colour a, which touches the older card of seat 0, a2.
    memory = memories[0]
    a1, a2, b1, b2 = 1 << 0, 1 << 1, 1 << 3, 1 << 4
    assert memory["drawn_turn"][:2, :2].tolist() == [[0, 3], [0, 2]]
    assert memory["touches"][:2, :2].tolist() == [[1, 0], [1, 0]]
    assert memory["touch_type"][:2, :2].tolist() == [[HINTED_COLOUR, NOTHING], [HINTED_RANK, NOTHING]]
    assert memory["touch_giver"][:2, :2].tolist() == [[1, NOTHING], [0, NOTHING]]
    assert memory["touch_turn"][:2, :2].tolist() == [[3, NOTHING], [0, NOTHING]]
    assert memory["touch_tokens"][:2, :2].tolist() == [[2, NOTHING], [3, NOTHING]]
    assert memory["touch_cards"][:2, :2].tolist() == [[1, 0], [2, 0]]
    assert memory["touch_newer"][:2, :2].tolist() == [[0, 0], [0, 0]]  # seat 1's a1 was the newer of the two
    assert memory["touch_newer_in_hand"][:2, :2].tolist() == [[1, 0], [0, 0]]
    assert [[a2 | b2, 0], [a1 | b1, 0]] == memory["playable_at_touch"][:2, :2].tolist()
    assert [[a2 | b2, 0], [a1 | b1, 0]] == memory["playable_at_first_touch"][:2, :2].tolist()
    assert memory["passed_by_play"][:2, :2].tolist() == [[1, 0], [1, 1]]  # a2 by turn 1; seat 1's cards by turn 2
    assert memory["passed_by_hint"][:2, :2].tolist() == [[0, 1], [0, 0]]  # b2 by turn 3
    assert np.all(memory["passed_by_discard"] == 0)
    assert memory["passed_while_playable"][0, 0, :6].tolist() == [1, 0, 0, 1, 0, 0]  # a1 and b1 at turn 1
    assert memory["passed_while_playable"][0, 1, :6].tolist() == [0, 1, 0, 0, 1, 0]  # a2 and b2 at turn 3
    assert memory["passed_while_playable"][1, 0, :6].tolist() == [1, 0, 0, 0, 1, 0]  # a1 and b2 at turn 2
    assert memory["move_type"][:3].tolist() == [PLAYED, HINTED_COLOUR, NOTHING]
    assert memory["move_turn"][:3].tolist() == [2, 3, NOTHING]
    assert memory["move_value"][:3].tolist() == [0, 0, NOTHING]
    assert memory["move_target"][:3].tolist() == [NOTHING, 0, NOTHING]
    assert memory["move_touched"][:3].tolist() == [0, 1, 0]
    assert memory["move_card"][:3].tolist() == [0, NOTHING, NOTHING]
    assert memory["move_scored"][:3].tolist() == [1, 0, 0]


# ------------------------------------------------------------------------------------------------------ the judge


class Event:
    """One turn as everybody saw it; cards are told apart by their place in the deck."""

    def __init__(self, game: NaiveHanabi, move: int) -> None:
        self.turn, self.actor, self.tokens = game.turn, game.seat, game.hint_tokens
        self.hands = [[card.deal_index for card in hand] for hand in game.hands]
        self.playable = {
            game.variant.kind(colour, height)
            for colour, height in enumerate(game.fireworks)
            if height < game.variant.ranks
        }
        game.step(move)
        self.last = game.last
        self.value = game.all_moves()[move][2]
        target = self.hands[game.last.target] if game.last.target != NOTHING else []
        self.touched = [target[slot] for slot in sorted(game.last.touched)]


def naive_memory(game: NaiveHanabi, events: list[Event]) -> np.void:
    """Write the memory by asking the history about one card and one field after the other."""
    memory = np.zeros(1, dtype=HANABI_MEMORY)[0]
    for field in ("touch_type", "touch_giver", "touch_turn", "touch_tokens"):
        memory[field] = NOTHING
    for seat, hand in enumerate(game.hands):
        for slot, card in enumerate(hand):
            place = card.deal_index
            memory["drawn_turn"][seat, slot] = sum(place not in event.hands[seat] for event in events)
            touches = [event for event in events if place in event.touched]
            memory["touches"][seat, slot] = len(touches)
            if touches:
                first, last = touches[0], touches[-1]
                memory["touch_type"][seat, slot] = last.last.type
                memory["touch_giver"][seat, slot] = last.actor
                memory["touch_turn"][seat, slot] = last.turn
                memory["touch_tokens"][seat, slot] = last.tokens
                memory["touch_cards"][seat, slot] = len(last.touched)
                memory["touch_newer"][seat, slot] = sum(other > place for other in last.touched)
                memory["touch_newer_in_hand"][seat, slot] = sum(other > place for other in last.hands[seat])
                memory["playable_at_touch"][seat, slot] = sum(1 << kind for kind in last.playable)
                memory["playable_at_first_touch"][seat, slot] = sum(1 << kind for kind in first.playable)
            passes = [
                event
                for event in events
                if event.actor != seat and place in event.hands[seat] and place not in event.touched
            ]
            for field, types in (
                ("passed_by_play", [PLAYED]),
                ("passed_by_discard", [DISCARDED]),
                ("passed_by_hint", [HINTED_COLOUR, HINTED_RANK]),
            ):
                memory[field][seat, slot] = sum(event.last.type in types for event in passes)
            for kind in range(game.variant.card_kinds):
                memory["passed_while_playable"][seat, slot, kind] = sum(kind in event.playable for event in passes)
    for seat in range(5):
        own = [event for event in events if event.actor == seat]
        last = own[-1].last if own else None
        memory["move_type"][seat] = last.type if last else NOTHING
        memory["move_turn"][seat] = own[-1].turn if own else NOTHING
        memory["move_value"][seat] = own[-1].value if own else NOTHING
        memory["move_target"][seat] = last.target if last else NOTHING
        memory["move_touched"][seat] = sum(1 << slot for slot in last.touched) if last else 0
        memory["move_card"][seat] = last.card if last else NOTHING
        memory["move_scored"][seat] = last.scored if last else 0
    return memory


@pytest.mark.parametrize("name", VARIANTS)
def test_memory_equals_what_the_history_says(name):
    variant = HanabiVariant.parse(name)
    batch = HanabiBatch(variant, 4, seed=3)
    memories, stream = new_memories(batch.states), new_stream(4)
    judges = [
        NaiveHanabi(variant, [divmod(int(kind), variant.ranks) for kind in deck[: variant.deck_size]], int(start))
        for deck, start in zip(batch.states["deck"], batch.states["start_seat"], strict=True)
    ]
    histories: list[list[Event]] = [[] for _ in judges]
    while not batch.is_over.all():
        moves = legal_moves(batch, stream)
        for judge, history, move in zip(judges, histories, moves, strict=True):
            if move >= 0:
                history.append(Event(judge, int(move)))
        step_remembering(batch, memories, moves)
        if batch.states["turn"].max() % 7 == 0 or batch.is_over.any():
            for memory, judge, history in zip(memories, judges, histories, strict=True):
                expected = naive_memory(judge, history)
                for field in HANABI_MEMORY.names:
                    assert np.array_equal(expected[field], memory[field]), field


# ------------------------------------------------------------------------------------------------------------- laws


@pytest.mark.parametrize("name", VARIANTS)
def test_same_public_history_same_memory(name):
    # Every hand is redrawn in turn from what its owner knows, which keeps all that was ever shown or said to all; then
    # the whole game is replayed on the other deck.
    variant = HanabiVariant.parse(name)
    batch = HanabiBatch(variant, 4 if UNCOMPILED else 30, seed=5)
    start, memories, stream, history = batch.save(), new_memories(batch.states), new_stream(6), []
    for _ in range(4 * variant.players + 5):
        history.append(legal_moves(batch, stream))
        step_remembering(batch, memories, history[-1])
    other, streams = batch.save(), np.arange(len(batch), dtype=np.uint64)
    for seat in range(variant.players):
        other = imagine_games(other, variant, seat, streams)
    assert not np.array_equal(batch.states["hands"], other["hands"])
    twin = HanabiBatch.from_decks(variant, other["deck"][:, : variant.deck_size], start_seats=start["start_seat"])
    twin_memories = new_memories(twin.states)
    for moves in history:
        step_remembering(twin, twin_memories, moves)
    assert np.array_equal(other["hands"], twin.states["hands"])
    assert np.array_equal(memories, twin_memories)


@pytest.mark.parametrize("name", VARIANTS)
def test_memory_never_reads_hidden_fields(name):
    variant = HanabiVariant.parse(name)
    batch = HanabiBatch(variant, 10, seed=7)
    memories, stream = new_memories(batch.states), new_stream(8)
    blind = memories.copy()
    generator = np.random.default_rng(9)

    def garble(states: np.ndarray) -> np.ndarray:
        garbled = states.copy()
        for field in ("hands", "deck", "deal_indices", "stream"):
            garbled[field] = generator.integers(0, 250, garbled[field].shape)
        return garbled

    for _ in range(20):
        moves, before = legal_moves(batch, stream), batch.save()
        batch.step(moves)
        remember(memories, variant, before, moves, batch.states)
        remember(blind, variant, garble(before), moves, garble(batch.states))
        assert np.array_equal(memories, blind)


def test_fused_kernel_steps_and_remembers_like_the_two_calls():
    variant = HanabiVariant.parse("full-3p")
    batch = HanabiBatch(variant, 20, seed=10)
    memories, stream = new_memories(batch.states), new_stream(11)
    fused, fused_memories, rewards = batch.save(), memories.copy(), np.empty(20, dtype=np.float32)
    for _ in range(12):
        moves, before = legal_moves(batch, stream), batch.save()
        assert np.array_equal(batch.step(moves), _step(fused, fused_memories, variant, moves, rewards))
        remember(memories, variant, before, moves, batch.states)
        assert np.array_equal(batch.states, fused)
        assert np.array_equal(memories, fused_memories)
    restarted = batch.restart_finished()
    assert restarted.any() and not restarted.all()
    kept = memories.copy()
    forget(memories, restarted)
    assert np.array_equal(kept[~restarted], memories[~restarted])
    assert np.array_equal(new_memories(batch.states[restarted]), memories[restarted])


def _step(states, memories, variant, moves, rewards):
    step_and_remember(states, memories, variant.parameters, moves, rewards)
    return rewards


def test_turns_fit_their_bytes():
    longest = max(
        HanabiVariant(players=players, hand_size=size, hint_tokens=50).max_turns
        for players in range(2, 6)
        for size in range(1, 6)
    )
    assert 147 == longest < NOTHING


# ----------------------------------------------------------------------------------------------------------- errors


def test_bad_input_is_refused_in_a_sentence():
    batch = play_randomly(HanabiVariant.parse("mini"), 3, 2, seed=1)
    fresh = HanabiBatch("mini", 3)
    memories, before = new_memories(fresh.states), fresh.save()
    moves = [fresh.variant.first_play] * 3
    fresh.step(moves)
    kept = memories.copy()
    for message, call in {
        "Game 0 has had 2 turns": lambda: new_memories(batch.states),
        "states must be a contiguous row of HANABI_STATE": lambda: new_memories(memories),
        "memories must be a contiguous row of HANABI_MEMORY": lambda: forget(batch.states, [True] * 3),
        "restarted must be 3 booleans": lambda: forget(memories, [True]),
        "after must be a contiguous row": lambda: remember(memories, fresh.variant, before, moves, fresh.states[:2]),
        "moves must be 3 whole numbers": lambda: remember(memories, fresh.variant, before, [0.0] * 3, fresh.states),
        "Game 0: the states are not one move of mini apart": lambda: remember(
            memories, fresh.variant, before, moves, before
        ),
        "Game 2: the states are not one move": lambda: remember(
            memories, fresh.variant, before, [3, 3, 99], fresh.states
        ),
    }.items():
        with pytest.raises(UserError, match=message):
            call()
    assert np.array_equal(kept, memories)
