"""Games with memory: records hold both halves, colours can be renamed, and the view says what the memory says."""

import numpy as np
import pytest

from offbelief.beliefs.hanabi_game import HanabiGame, ViewSettings
from offbelief.errors import UserError
from offbelief.games.batched import check_batched_game
from offbelief.games.hanabi.colours import draw_permutations, permute_moves, permute_observations
from offbelief.games.hanabi.memory import HANABI_MEMORY
from offbelief.games.hanabi.remembered import REMEMBERED_GAME, join, permute_remembered, split
from offbelief.games.hanabi.state import HANABI_STATE
from offbelief.games.hanabi.variant import HINTED_COLOUR, HINTED_RANK, HanabiVariant
from offbelief.games.hanabi.views.remembered import observe_remembered, remembered_layout
from offbelief.streams import new_stream

VARIANTS = ["full-2p", "full-3p", "mini", "5p-3c-4r-h4-i4-l2"]


def play_at_random(name, turns, games=40, seed=0):
    """Positions of random games with memory, before every move, and the moves."""
    game = HanabiGame(name, view=ViewSettings(memory=True))
    rng = np.random.default_rng(seed)
    states = game.deal(games, seed)
    for _ in range(turns):
        legal = game.legal_moves(states)
        moves = np.array([rng.choice(np.flatnonzero(row)) if row.any() else -1 for row in legal])
        yield game, states, moves
        game.step(states, moves)


def test_a_record_holds_a_state_and_its_memory():
    assert HANABI_STATE.names == REMEMBERED_GAME.names[:-1]
    for _, records, _ in play_at_random("mini", 12):
        states, memories = split(records)
        assert (states.dtype, memories.dtype) == (HANABI_STATE, HANABI_MEMORY)
        for name in HANABI_STATE.names:
            assert np.array_equal(states[name], records[name])
        assert memories.tobytes() == np.ascontiguousarray(records["memory"]).tobytes()
        assert join(states, memories).tobytes() == records.tobytes()
    assert 0 == len(join(*split(records[:0])))


@pytest.mark.parametrize("name", VARIANTS)
def test_the_game_with_memory_keeps_the_contract(name):
    check_batched_game(HanabiGame(name, view=ViewSettings(memory=True)), games=16, turns=60)


@pytest.mark.parametrize("encoding", ["card-wise", "v0-belief"])
def test_memory_may_be_carried_without_being_seen(encoding):
    carrying, plain = HanabiGame("mini", encoding, carries_memory=True), HanabiGame("mini", encoding)
    check_batched_game(carrying, games=16, turns=60)
    for _, records, _ in play_at_random("mini", 12):
        states, _ = split(records)
        for seat in range(2):
            seats = np.full(len(states), seat)
            assert np.array_equal(plain.observe(states, seats), carrying.observe(records, seats))


@pytest.mark.parametrize("name", VARIANTS)
def test_renaming_colours_renames_what_is_seen_and_remembered(name):
    variant = HanabiVariant.parse(name)
    layout = remembered_layout(variant)
    for turn, (game, records, moves) in enumerate(play_at_random(name, 25, games=20)):
        permutations = draw_permutations(new_stream(1, turn), len(records), variant)
        renamed = permute_remembered(records, variant, permutations)
        seen, seen_renamed = observe_remembered(records, variant), observe_remembered(renamed, variant)
        assert np.allclose(permute_observations(seen, layout, permutations), seen_renamed, atol=1e-6)
        after, after_renamed = records.copy(), renamed.copy()
        game.step(after, moves)
        game.step(after_renamed, permute_moves(moves, variant, permutations))
        assert permute_remembered(after, variant, permutations).tobytes() == after_renamed.tobytes()


@pytest.mark.parametrize("name", VARIANTS)
def test_the_view_says_what_the_memory_says(name):
    variant = HanabiVariant.parse(name)
    for turn, (_, records, _) in enumerate(play_at_random(name, 25, games=6)):
        if turn % 6:
            continue
        for observer in range(variant.players):
            running = ~records["is_over"]
            named = remembered_layout(variant).view(observe_remembered(records, variant, observer))
            for index in np.flatnonzero(running):
                one = {key: value[index] for key, value in named.items()}
                for offset in range(variant.players):
                    seat = (observer + offset) % variant.players
                    check_hand(one, records[index], variant, observer, seat, offset)


def check_hand(named, game, variant, observer, seat, offset):
    memory = game["memory"]
    for slot in range(variant.hand_size):
        said = {key: value[offset, slot] for key, value in named.items() if key.startswith("card_memory.")}
        if slot >= game["hand_sizes"][seat]:
            assert all(not np.any(value) for value in said.values())
            continue
        touches = int(memory["touches"][seat, slot])
        thermometer = [said[f"card_memory.touched_{often}"] for often in ("once", "twice", "often")]
        assert [float(min(touches, 3) == often) for often in (1, 2, 3)] == thermometer
        assert np.isclose((game["turn"] - memory["drawn_turn"][seat, slot]) / 20, said["card_memory.age"])
        for what in ("hint", "discard", "play"):
            assert np.isclose(memory[f"passed_by_{what}"][seat, slot] / 4, said[f"card_memory.passed_by_{what}"])
        possible = [
            (int(game["possible_colours"][seat, slot]) >> colour)
            & (int(game["possible_ranks"][seat, slot]) >> rank)
            & 1
            for colour in range(variant.colours)
            for rank in range(variant.ranks)
        ]
        passed = memory["passed_while_playable"][seat, slot, : variant.card_kinds] * possible / 4
        assert np.allclose(passed, said["card_memory.kind_passed"].reshape(-1))
        then = [(int(memory["playable_at_touch"][seat, slot]) >> kind) & 1 for kind in range(variant.card_kinds)]
        assert np.array_equal(np.multiply(then, possible), said["card_memory.kind_playable_then"].reshape(-1))
        if touches:
            giver = (int(memory["touch_giver"][seat, slot]) - observer) % variant.players
            assert giver == said["card_memory.giver"].argmax()
            assert 1 == said["card_memory.giver"].sum() == said["card_memory.cards_touched"].sum()
            assert memory["touch_cards"][seat, slot] - 1 == said["card_memory.cards_touched"].argmax()
            kinds = (memory["touch_type"][seat, slot] == HINTED_COLOUR, memory["touch_type"][seat, slot] == HINTED_RANK)
            assert kinds == (said["card_memory.by_colour"], said["card_memory.by_rank"])
            assert float(game["turn"] - memory["touch_turn"][seat, slot] == 1) == said["card_memory.just_touched"]
            if offset == 0:  # the looker's own card: its probabilities are those of the card-wise view
                probability = named["own_cards.probability"][slot].reshape(-1)
                assert np.isclose(probability @ then, said["card_memory.playable_then"], atol=1e-6)


def test_views_with_memory_hold_the_last_moves_already():
    with pytest.raises(UserError, match="holds the last moves already"):
        ViewSettings(memory=True, last_move=True)


def test_no_games_are_joined_and_stepped_as_well():
    game = HanabiGame("mini", view=ViewSettings(memory=True))
    none = game.deal(3, 0)[:0].copy()
    assert (0,) == game.step(none, np.empty(0, np.int64)).shape
