"""Unrolling: trajectories and histories by hand, and games whose players cannot know what they need."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from tests.naive.exact import TablesAsGame, enumerate_trajectories, pair_up
from tests.naive.samples import NAMED_GAMES, hint_game, mixed_tree

from offbelief.errors import GameError
from offbelief.games.counterexamples import disagreement
from offbelief.games.json_game import JsonGame
from offbelief.games.random_game import RandomGameSettings, random_game
from offbelief.games.tables import tabulate
from offbelief.games.toy_communication import ToyCommunicationGame
from offbelief.games.tree import Tree, unroll


def test_toy_game_unrolls_to_the_numbers_counted_by_hand() -> None:
    tree = unroll(ToyCommunicationGame())
    # 2 pets; 4 actions of Alice each; 3 answers of Bob to 3 of them
    assert [0, 2, 10, 28] == tree.arrays.node_start.tolist()
    assert tree.num_nodes == 28
    # At the start: Alice 2, Bob 1. After her move: she knows pet and action (6 go on), he 2 lights and 2 pets.
    assert [0, 3, 13, 13] == tree.arrays.history_start.tolist()
    assert (13, 6, 20) == (tree.num_histories, tree.num_decisions, tree.num_entries)
    assert (2, 4, 2) == (tree.depth, tree.max_actions, tree.num_players)
    names = [
        "Alice: sees cat",
        "Alice: sees dog",
        "Bob: Alice light on",
        "Bob: Alice light off",
        "Bob: Alice remove barrier, sees cat",
        "Bob: Alice remove barrier, sees dog",
    ]
    assert sorted(names) == sorted(tree.history_by_name)


def test_children_follow_their_parents_edges() -> None:
    for seed in range(20):
        arrays = mixed_tree(seed).arrays
        for node in range(len(arrays.state)):
            if arrays.acting_player[node] < 0:
                assert arrays.first_child[node] == -1
                continue
            state, child = arrays.state[node], arrays.first_child[node]
            first, last = arrays.edge_start[arrays.slot_start[state]], arrays.edge_start[arrays.slot_start[state + 1]]
            children = np.arange(child, child + last - first)
            assert (arrays.parent[children] == node).all()
            assert np.arange(first, last).tolist() == arrays.edge[children].tolist()


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_random_games_unroll_as_the_judge_enumerates_them(first: int) -> None:
    for seed in range(first, first + 25):
        tree = mixed_tree(seed)
        pairing = pair_up(tree, enumerate_trajectories(TablesAsGame(tree.tables)))
        players = [pairing.history[history][0] for history in range(tree.num_histories)]
        assert players == tree.arrays.history_player.tolist()


@pytest.mark.parametrize("name", NAMED_GAMES)
def test_named_games_unroll_as_the_judge_enumerates_them(name: str) -> None:
    game = NAMED_GAMES[name]()
    pair_up(unroll(game), enumerate_trajectories(game))


@pytest.mark.parametrize("name", NAMED_GAMES)
def test_names_of_histories_are_unique(name: str) -> None:
    tree = unroll(NAMED_GAMES[name]())
    names = [tree.history_name(history) for history in range(tree.num_histories)]
    assert tree.num_histories == len(set(names))
    assert tree.num_decisions == len(tree.history_by_name)


def test_names_of_histories_in_random_games_are_unique() -> None:
    for seed in range(60):
        tree = mixed_tree(seed)
        assert tree.num_histories == len({tree.history_name(history) for history in range(tree.num_histories)})


def test_name_of_a_hidden_move_keeps_it_hidden() -> None:
    names = unroll(NAMED_GAMES["matrix"]()).history_by_name
    assert ["Row: nothing yet", "Column: a hidden move"] == list(names)


def test_history_without_observations_counts_the_moves() -> None:
    tree = unroll(disagreement())
    assert "Alice: nothing yet" in tree.history_by_name
    assert "Alice: Alice go, Bob continue" in tree.history_by_name


def test_public_history_is_what_everybody_has_seen() -> None:
    tree = unroll(ToyCommunicationGame())
    arrays = tree.arrays
    assert len(set(tree.public_history[:2])) == 1  # the pet is not public
    after = tree.public_history[2:10]
    assert 3 == len(set(after[arrays.acting_player[2:10] >= 0]))  # on, off, barrier: what she did, not what Bob sees
    assert (after[arrays.acting_player[2:10] < 0] == -1).all()


def test_histories_do_not_mix_depths() -> None:
    for seed in range(20):
        tree = mixed_tree(seed)
        arrays = tree.arrays
        depth = np.repeat(np.arange(tree.depth + 1), np.diff(arrays.node_start))
        for player in range(tree.num_players):
            own = arrays.history[player]
            alive = own >= 0
            assert (own[alive] >= arrays.history_start[depth[alive]]).all()
            assert (own[alive] < arrays.history_start[depth[alive] + 1]).all()
            assert (player == arrays.history_player[own[alive]]).all()


def test_trees_and_tables_are_passed_through() -> None:
    tables = tabulate(ToyCommunicationGame())
    tree = unroll(tables)
    assert tables is tree.tables
    assert tree is unroll(tree)


def test_game_of_no_moves_unrolls_to_its_starts() -> None:
    tables = tabulate(ToyCommunicationGame())
    over = replace(tables, acting_player=np.full(tables.num_states, -1, np.int32))
    tree = unroll(over)
    assert (2, 0, 0) == (tree.num_nodes, tree.num_histories, tree.num_entries)


def test_large_game_unrolls_without_an_object_per_node() -> None:
    tree = unroll(random_game(0, RandomGameSettings(horizon=9, actions=3, memory=2)))
    assert tree.num_nodes == 4 * sum(3**t for t in range(10))
    assert tree.depth == 9


# --- games whose players cannot know what they need -------------------------------------------------------------------


def two_rooms(first: dict[str, object], second: dict[str, object], **game: object) -> JsonGame:
    """Chance picks one of two states."""
    states = {"hot": first, "cold": second}
    return JsonGame({"players": ["Ann", "Ben"], "start": {"hot": 0.5, "cold": 0.5}, "states": states, **game})


ENDS = {"actions": {"open": {}, "shut": {}}}


def test_player_who_cannot_know_its_legal_actions_is_told_where() -> None:
    game = two_rooms({"player": "Ann", **ENDS}, {"player": "Ann", "actions": {"open": {}}})
    sentence = (
        "Ann cannot know its legal actions at the history 'Ann: nothing yet': they are {open, shut} in one state and "
        "{open} in another that looks the same to it; show the difference through its observations."
    )
    with pytest.raises(GameError, match=re.escape(sentence)):
        unroll(game)


def test_player_who_cannot_know_that_it_is_its_turn_is_told_where() -> None:
    game = two_rooms({"player": "Ann", **ENDS}, {"player": "Ben", "private": {"Ben": "cold"}, **ENDS})
    sentence = (
        "Ann cannot know its legal actions at the history 'Ann: nothing yet': they are {open, shut} in one state and "
        "none (it is not its turn) in another"
    )
    with pytest.raises(GameError, match=re.escape(sentence)):
        unroll(game)


def test_legality_that_leaks_must_be_declared() -> None:
    one = {"player": "Ann", "private": {"Ann": "hot"}, **ENDS}
    other = {"player": "Ann", "private": {"Ann": "cold"}, "actions": {"open": {}}}
    sentence = (
        "Legality gives private information away at the history 'Ann: sees hot': legal are {open, shut} there, but "
        "{open} at 'Ann: sees cold', which looks the same to the public; make legality public, or set "
        "private_legality = True to say that this is meant."
    )
    with pytest.raises(GameError, match=re.escape(sentence)):
        unroll(two_rooms(one, other))
    assert unroll(two_rooms(one, other, private_legality=True)).num_decisions == 2
    public = ({**one, "public": "red"}, {**other, "public": "blue"})
    assert unroll(two_rooms(*public)).num_decisions == 2


def test_turn_that_leaks_must_be_declared() -> None:
    seen = {"private": {"Ann": "hot", "Ben": "hot"}}, {"private": {"Ann": "cold", "Ben": "cold"}}
    game = two_rooms({"player": "Ann", **seen[0], **ENDS}, {"player": "Ben", **seen[1], **ENDS})
    with pytest.raises(GameError, match="Legality gives private information away at the history 'Ann: sees hot'"):
        unroll(game)


def test_declared_private_legality_still_needs_players_who_know_theirs() -> None:
    game = two_rooms({"player": "Ann", **ENDS}, {"player": "Ann", "actions": {"open": {}}}, private_legality=True)
    with pytest.raises(GameError, match="Ann cannot know its legal actions"):
        unroll(game)


def test_hint_game_is_refused_without_its_flag() -> None:
    tables = tabulate(hint_game())
    assert unroll(tables).num_players == 2
    with pytest.raises(GameError, match=r"at the history 'Alice: sees one colour': legal are \{hint red, pass\}"):
        unroll(replace(tables, private_legality=False))


def test_game_longer_than_it_says_names_the_history() -> None:
    # The same state after one move or after two: only unrolling sees the longer way.
    states = {
        "start": {"player": 0, "actions": {"short": {"next": "last"}, "long": {"next": "middle"}}},
        "middle": {"player": 0, "actions": {"on": {"next": "last"}}},
        "last": {"player": 0, "actions": {"end": {}}},
    }
    game = {"players": 1, "start": "start", "states": states, "max_length": 2}
    sentence = (
        "The game is longer than max_length = 2: it goes on at the history "
        "'Player 0: Player 0 long, Player 0 on'; raise max_length, or end the game there."
    )
    with pytest.raises(GameError, match=re.escape(sentence)):
        unroll(JsonGame(game))
    assert unroll(JsonGame({**game, "max_length": 3})).depth == 3


def test_game_of_too_many_trajectories_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = tabulate(ToyCommunicationGame())  # 28 trajectories
    with monkeypatch.context() as patch:
        patch.setattr("offbelief.games.tree.np.iinfo", lambda dtype: SimpleNamespace(max=27))
        with pytest.raises(
            GameError, match="The game has more than two thousand million trajectories; make it smaller"
        ):
            unroll(tables)


def observers_of(tree: Tree, node: int) -> list[int]:
    return tree.arrays.history[:, node].tolist()


def test_hidden_actions_are_remembered_by_their_player_alone() -> None:
    states = {
        "start": {"player": "Ann", "actions": {"left": {"next": "L"}, "right": {"next": "R"}}},
        "L": {"player": "Ben", "actions": {"go": {"next": "LL"}}},
        "R": {"player": "Ben", "actions": {"go": {"next": "RR"}}},
        "LL": {"player": "Ann", "actions": {"end": {}}},
        "RR": {"player": "Ann", "actions": {"end": {}}},
    }
    tree = unroll(JsonGame({"players": ["Ann", "Ben"], "start": "start", "states": states, "public_actions": False}))
    (ann_left, ben_left), (ann_right, ben_right) = observers_of(tree, 1), observers_of(tree, 2)
    assert ann_left != ann_right and ben_left == ben_right
    (ann_left, ben_left), (ann_right, ben_right) = observers_of(tree, 3), observers_of(tree, 4)
    assert ann_left != ann_right and ben_left == ben_right
    assert "Ann: Ann left, a hidden move" in tree.history_by_name
