"""Our agents as open_spiel's bots: they make the moves that they make at our own table."""

import pytest

from offbelief.agents.loading import load_agent
from offbelief.evaluation.match import play_turns
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import UserError

pyspiel = pytest.importorskip("pyspiel", reason="needs open_spiel")

from offbelief.interfaces.adapters.open_spiel import AgentBot, read_game, read_variant  # noqa: E402 - needs it


def play_with_bots(game, bots, deck):
    """A whole game by open_spiel's engine; returns its last state."""
    state, cards = game.new_initial_state(), iter(deck)
    while not state.is_terminal():
        state.apply_action(int(next(cards)) if state.is_chance_node() else bots[state.current_player()].step(state))
    return state


@pytest.mark.parametrize(
    ("agent", "settings"),
    [
        ("obl-1-a", {"players": 2}),
        ("obl-2-a", {"players": 2}),  # has a memory
        ("bot:iggi", {"players": 3, "colors": 3, "hand_size": 4}),
    ],
)
def test_game_at_open_spiels_table_is_the_game_at_ours(agent, settings):
    game, player = pyspiel.load_game("hanabi", settings), load_agent(agent)
    variant = read_variant(game)
    turns = list(play_turns([player] * variant.players, variant, 1, seed=3))
    bots = [AgentBot(player, game, seat) for seat in range(variant.players)]
    state = play_with_bots(game, bots, turns[0][0]["deck"][0])
    found = read_game(state)
    assert [moves[0] for _, moves, _ in turns] == [moves[0] for moves in found.moves]
    assert turns[-1][2]["score"][0] == found.positions[-1]["score"][0] == state.returns()[0]


def test_whoever_begins_is_read_from_the_game():
    game = pyspiel.load_game("hanabi", {"players": 5, "random_start_player": True, "seed": 5})
    seen = set()
    for _ in range(12):
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        seen.add(state.current_player())
        assert state.current_player() == read_game(state).positions[-1]["acting_seat"][0]
        state.apply_action(state.legal_actions()[0])
        assert int(read_game(state).positions[0]["acting_seat"][0]) in seen
    assert len(seen) > 1


def test_variants_are_read():
    assert HanabiVariant.parse("full-4p") == read_variant(pyspiel.load_game("hanabi", {"players": 4}))
    with pytest.raises(UserError, match="tic_tac_toe"):
        read_variant(pyspiel.load_game("tic_tac_toe"))


def test_wrong_moments_are_one_sentence():
    game = pyspiel.load_game("hanabi", {"players": 2})
    bot = AgentBot(load_agent("bot:iggi"), game, 1)
    state = game.new_initial_state()
    with pytest.raises(UserError, match="not dealt"):
        read_game(state)
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(UserError, match="turn of player 0"):
        bot.step(state)
    with pytest.raises(UserError, match="seats 0 to 1"):
        AgentBot(load_agent("bot:iggi"), game, 2)


def test_open_spiel_plays_its_bots():
    game = pyspiel.load_game("hanabi", {"players": 2})
    bots = [AgentBot(load_agent("bot:iggi"), game, seat) for seat in range(2)]
    one, other = pyspiel.evaluate_bots(game.new_initial_state(), bots, 7)
    assert one == other > 0
