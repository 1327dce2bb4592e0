"""The generator of random games: every setting does what it says, and the same seed gives the same game."""

import numpy as np
import pytest
from tests.naive.samples import mixed_tree

from offbelief.errors import GameError
from offbelief.games.check import check_game
from offbelief.games.random_game import RandomGameSettings, random_game
from offbelief.games.tables import GameTables
from offbelief.games.tree import Tree, unroll

FIELDS = ("start_probability", "edge_probability", "edge_reward", "edge_state", "slot_action", "observation")


def shaped(seed: int = 0, **settings: object) -> Tree:
    return unroll(random_game(seed, RandomGameSettings(**settings)))


def test_same_seed_and_settings_give_the_same_game() -> None:
    settings = RandomGameSettings(players=3, chance=2, ragged=True, ending=0.2)
    one, same, other = (random_game(seed, settings) for seed in (4, 4, 5))
    assert all(np.array_equal(getattr(one, field), getattr(same, field)) for field in FIELDS)
    assert not np.array_equal(one.edge_reward, other.edge_reward)


def test_plain_game_has_the_size_counted_by_hand() -> None:
    # 2 x 2 types, two actions, three moves: 4 * (1 + 2 + 4 + 8) trajectories
    size = check_game(random_game(0))
    assert (2, 3, 60) == (size.players, size.longest, size.trajectories)
    # Per player: own type (2) times the moves so far (1 + 2 + 4)
    assert size.histories == 2 * 2 * 7
    assert size.decisions == 2 * 7


@pytest.mark.parametrize(
    ("players", "types", "actions", "chance"), [(2, 3, 2, 1), (3, 2, 2, 2), (3, 1, 3, 1), (1, 2, 2, 2)]
)
def test_settings_multiply_the_trajectories(players: int, types: int, actions: int, chance: int) -> None:
    tree = shaped(players=players, types=types, actions=actions, chance=chance, horizon=3)
    fan = actions * chance
    assert types**players * (1 + fan + fan**2 + fan**3) == tree.num_nodes
    turns = {int(tree.arrays.acting_player[tree.arrays.node_start[t]]) for t in range(3)}
    assert set(range(min(players, 3))) == turns


def test_players_take_turns() -> None:
    tree = shaped(players=3, horizon=5)
    for t in range(5):
        at_depth = tree.arrays.acting_player[tree.arrays.node_start[t] : tree.arrays.node_start[t + 1]]
        assert {t % 3} == set(at_depth.tolist())


def test_types_are_private_to_their_player() -> None:
    tree = shaped(types=3, horizon=1)
    # Nine deals; each player tells three apart, the public none.
    starts = slice(0, 9)
    for player in range(2):
        groups = tree.arrays.history[player, starts]
        assert [3, 3, 3] == np.unique(groups, return_counts=True)[1].tolist()
    assert len(set(tree.public_history[starts])) == 1
    pairs = {tuple(pair) for pair in tree.arrays.history[:, starts].T.tolist()}
    assert len(pairs) == 9


def test_ragged_games_forbid_some_actions_in_public() -> None:
    ragged = [shaped(seed, ragged=True, actions=3, horizon=4) for seed in range(30)]
    counts = np.concatenate([np.diff(tree.arrays.entry_start) for tree in ragged])
    assert {1, 2, 3} == set(counts[counts > 0].tolist())
    assert not any(tree.tables.private_legality for tree in ragged)  # and unroll() found no leak


def test_legal_actions_depend_on_the_turn_and_the_last_action_alone() -> None:
    differs_by_action = 0
    for seed in range(20):
        tree = shaped(seed, ragged=True, actions=3, horizon=4)
        tables, arrays = tree.tables, tree.arrays
        for t in range(1, tree.depth):
            offers: dict[int, set[tuple[int, ...]]] = {}
            for node in range(arrays.node_start[t], arrays.node_start[t + 1]):
                state = arrays.state[node]
                before = tables.slot_start[arrays.state[arrays.parent[node]]] + arrays.edge_slot[arrays.edge[node]]
                offer = tables.slot_action[tables.slot_start[state] : tables.slot_start[state + 1]]
                offers.setdefault(int(tables.slot_action[before]), set()).add(tuple(offer.tolist()))
            assert all(len(sets) == 1 for sets in offers.values())
            differs_by_action += len(set.union(*offers.values())) > 1
    assert differs_by_action > 20


def test_outcomes_of_chance_are_uneven() -> None:
    tables = random_game(2, RandomGameSettings(chance=2, horizon=4))
    first = tables.edge_probability[::2]
    assert 0.2 < first.std() < 0.4  # uniform on [0, 1]: .29


def test_ending_stops_some_games_early() -> None:
    shares = []
    for seed in range(30):
        tree = shaped(seed, ending=0.3, horizon=4)
        arrays = tree.arrays
        second = slice(arrays.node_start[1], arrays.node_start[2])
        shares.append((arrays.acting_player[second] < 0).mean())
    assert pytest.approx(0.3, abs=0.1) == np.mean(shares)
    assert not any(
        (shaped(seed).arrays.acting_player[: shaped(seed).arrays.node_start[-2]] < 0).any() for seed in range(3)
    )


def test_chance_is_shown_to_all_to_one_or_to_nobody() -> None:
    seen = set()
    for seed in range(60):
        tree = shaped(seed, chance=2, types=1, horizon=2)
        nodes = slice(tree.arrays.node_start[1], tree.arrays.node_start[1] + 2)  # one action, its two outcomes
        told = [len(set(tree.arrays.history[player, nodes])) == 2 for player in range(2)]
        public = len(set(tree.public_history[nodes])) == 2
        assert public == all(told)
        seen.add((*told, public))
    assert {(True, True, True), (True, False, False), (False, True, False), (False, False, False)} == seen


def test_memory_bounds_the_states_but_not_the_trajectories() -> None:
    full, short = (random_game(0, RandomGameSettings(horizon=6, memory=memory)) for memory in (None, 2))
    assert full.num_states == 4 * (2**6 - 1) + 1
    assert short.num_states == 4 * (1 + 2 + 4 * 4) + 1
    assert unroll(full).num_nodes == unroll(short).num_nodes


def test_deals_and_rewards_vary() -> None:
    tables: GameTables = random_game(1, RandomGameSettings(types=3, horizon=4, actions=3))
    assert pytest.approx(1.0) == tables.start_probability.sum()
    assert len(set(tables.start_probability.tolist())) == 9
    assert pytest.approx(0.0, abs=0.2) == tables.edge_reward.mean()
    assert pytest.approx(1.0, abs=0.2) == tables.edge_reward.std()


def test_every_mixed_game_satisfies_the_contract() -> None:
    assert all(mixed_tree(seed).num_decisions > 0 for seed in range(100))


@pytest.mark.parametrize("name", ["players", "horizon", "types", "actions", "chance"])
def test_settings_below_one_are_refused(name: str) -> None:
    with pytest.raises(GameError, match=f"A random game needs {name} of at least 1, not 0"):
        RandomGameSettings(**{name: 0})


def test_memory_below_one_is_refused() -> None:
    with pytest.raises(GameError, match="A random game needs a memory of at least one move, or None for all moves"):
        RandomGameSettings(memory=0)
