"""Differential play against open_spiel's Hanabi, which is DeepMind's Hanabi Learning Environment inside.

Both engines get the same decks and the same random moves. At every step they must agree on the acting seat, the legal
moves, the reward, the end, and on everything that open_spiel prints of the table: hands, what each card's owner was
told and can rule out, tokens, lives, fireworks, deck size and discards.
"""

import numpy as np
import pytest
from tests.games.hanabi.playing import open_spiel_game

from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.kernels import NO_MOVE
from offbelief.games.hanabi.state import NO_CARD
from offbelief.games.hanabi.variant import HanabiVariant

pyspiel = pytest.importorskip("pyspiel")

VARIANTS = [
    "full-2p",
    "full-3p",
    "full-4p",
    "full-5p",
    "full-2p+random-start",
    "full-5p+random-start",
    "small",
    "very-small",
    "mini",
    "3p-2c-3r-h3-i5-l3",
    "5p-5c-5r-h5-i8-l3",
    "4p-3c-2r-h2-i2-l4+random-start",
    "2p-5c-1r-h3-i1-l2",
    "3p-1c-1r-h1-i8-l3",  # the hands are the whole deck: one turn each
    "2p-2c-5r-h4-i0-l9",
]


def deal_open_cards(state, deck: np.ndarray, drawn: int) -> int:
    """Give an open_spiel game the cards it asks for; returns how many have been drawn in all."""
    while state.is_chance_node():
        state.apply_action(int(deck[drawn]))
        drawn += 1
    return drawn


def table_text(variant: HanabiVariant, game: np.void) -> list[str]:
    """Our game as open_spiel prints it, without the mark of the acting seat and with sorted discards."""
    colours = "RYGWB"
    names = [f"{colours[kind // variant.ranks]}{kind % variant.ranks + 1}" for kind in range(variant.card_kinds)]
    lines = [f"Life tokens: {game['lives']}", f"Info tokens: {game['hint_tokens']}"]
    fireworks = [f"{colours[colour]}{game['fireworks'][colour]} " for colour in range(variant.colours)]
    lines += ["Fireworks: " + "".join(fireworks), "Hands:"]
    for seat in range(variant.players):
        lines += ["-----"] if seat > 0 else []
        for slot in range(game["hand_sizes"][seat]):
            name = names[game["hands"][seat, slot]]
            told = name[0] if game["colour_told"][seat, slot] else "X"
            told += name[1] if game["rank_told"][seat, slot] else "X"
            possible = [colours[c] for c in range(5) if game["possible_colours"][seat, slot] >> c & 1]
            possible += [str(r + 1) for r in range(5) if game["possible_ranks"][seat, slot] >> r & 1]
            lines.append(f"{name} || {told}|{''.join(possible)}")
    lines.append(f"Deck size: {variant.deck_size - game['cards_drawn']}")
    discards = [name for kind, name in enumerate(names) for _ in range(game["discards"][kind])]
    lines.append(" ".join(["Discards:", *sorted(discards)]))
    return lines


def open_spiel_text(state) -> list[str]:
    lines = [line for line in str(state).split("\n") if line != "Cur player"]
    return [*lines[:-1], " ".join(["Discards:", *sorted(lines[-1].split()[1:])])]


def play_beside_open_spiel(name: str, games: int, seed: int) -> int:
    """Play games through both engines; returns the number of moves compared."""
    variant = HanabiVariant.parse(name)
    random = np.random.default_rng(seed)
    spiel_game = open_spiel_game(variant, seed)
    decks = random.permuted(
        np.tile(np.repeat(np.arange(variant.card_kinds), variant.copies_by_kind), (games, 1)), axis=1
    )
    references = [spiel_game.new_initial_state() for _ in range(games)]
    drawn = [deal_open_cards(state, deck, 0) for state, deck in zip(references, decks, strict=True)]
    start_seats = [state.current_player() for state in references]
    assert variant.random_start or not any(start_seats)
    batch = HanabiBatch.from_decks(variant, decks, start_seats=start_seats)
    assert spiel_game.num_distinct_actions() == variant.num_moves

    compared = 0
    while not batch.is_over.all():
        legal = batch.legal_moves()
        moves = np.full(games, NO_MOVE)
        expected_rewards = np.zeros(games)
        expected_ends = np.ones(games, dtype=bool)
        for index in np.flatnonzero(~batch.is_over):
            state, game = references[index], batch.states[index]
            expected = state.legal_actions()
            assert state.current_player() == game["acting_seat"]
            assert expected == list(np.flatnonzero(legal[index]))
            assert open_spiel_text(state) == table_text(variant, game)
            # Half of the games avoid blind plays, which would end them early by strikes.
            safe = [move for move in expected if not variant.hand_size <= move < 2 * variant.hand_size]
            careful = index % 2 == 1 and safe and random.random() < 0.9
            moves[index] = random.choice(safe if careful else expected)
            state.apply_action(int(moves[index]))
            expected_rewards[index] = state.rewards()[0]
            expected_ends[index] = state.is_terminal()
            if not state.is_terminal():
                drawn[index] = deal_open_cards(state, decks[index], drawn[index])
            compared += 1
        assert np.array_equal(expected_rewards, batch.step(moves))
        assert np.array_equal(expected_ends, batch.is_over)
    for state, game, cards in zip(references, batch.states, drawn, strict=True):
        assert open_spiel_text(state) == table_text(variant, game)
        assert state.returns()[0] == game["score"]
        assert cards == game["cards_drawn"]
        assert np.all(game["hands"][variant.players :] == NO_CARD)
    return compared


@pytest.mark.parametrize("name", VARIANTS)
def test_random_games_agree(name):
    play_beside_open_spiel(name, games=70, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_thousands_of_random_games_agree(name):
    assert play_beside_open_spiel(name, games=200, seed=2) > 0
