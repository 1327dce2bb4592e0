"""Agreement with recorded games: total with one's own games, and ties counted apart."""

import numpy as np
import pytest
from tests.experiments.loading import load_experiment

from offbelief.agents.loading import load_agent
from offbelief.errors import UserError
from offbelief.games.batched import NO_MOVE
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.records import GameRecord

AGREEMENT = load_experiment("agreement_level1")


def played_by(agent, games):
    """Records of greedy games."""
    batch = HanabiBatch(agent.game.variant, games, seed=5)
    decks, moves = batch.states["deck"].copy(), [[] for _ in range(games)]
    while not batch.is_over.all():
        made = agent.act(batch.states, batch.variant, np.zeros(games, np.uint64))
        for game in np.flatnonzero(made != NO_MOVE):
            moves[game].append(int(made[game]))
        batch.step(made)
    return [
        GameRecord(variant=batch.variant, deck=tuple(deck.tolist()), moves=tuple(made))
        for deck, made in zip(decks, moves, strict=True)
    ]


NOTHING = {"exactly_tied": 0.0, "nearly_tied": [0.0, 0.0, 0.0]}


def test_agent_agrees_with_its_own_games():
    agent = load_agent("obl-1-a")
    q_values, recorded, names = AGREEMENT.replay(played_by(agent, 3), {"one": agent, "same": agent})
    assert {"same": 1.0, **NOTHING} == AGREEMENT.compare(q_values["one"], recorded, names)
    assert {"same": 1.0, **NOTHING} == AGREEMENT.compare_agents(q_values["one"], q_values["same"], names)


def test_ties_are_counted_apart():
    # The best moves are 0, 1, 2 and 3; the other agent's is 0. Move 3 is another name of it, and 1 and 2 are worth
    # 0.005 and 0.5 more to the first agent.
    one = np.array([[1.0, 0.0, 0.0, 0.0], [0.995, 1.0, 0.0, 0.0], [0.5, 0.0, 1.0, 0.0], [0.9, 0.0, 0.0, 1.0]])
    other = np.array([[1.0, 0.0, 0.0, 0.0]] * 4)
    names = np.array([[0, 1, 2, 0]] * 4)
    expected = {"same": 0.25, "exactly_tied": 0.25, "nearly_tied": [0.0, 0.25, 0.25]}
    assert expected == AGREEMENT.compare(one, np.zeros(4, np.int64), names)
    assert expected == AGREEMENT.compare_agents(one, other, names)


def test_cards_of_which_the_same_is_known_have_one_name():
    # Seat 1's hand after a hint of rank 1 to 1 2 1 3 3: slots 0 and 2 are alike, and slots 1, 3 and 4.
    batch = HanabiBatch.from_decks("full-2p", [[0, 1, 2, 3, 4, 5, 11, 5, 12, 17]])
    batch.step(np.array([batch.variant.first_rank_hint]))
    names = AGREEMENT.name_moves(batch.states, batch.variant)[0].tolist()
    assert [0, 1, 0, 1, 1, 5, 6, 5, 6, 6, *range(10, 20)] == names


def test_agents_without_values_are_refused():
    with pytest.raises(UserError, match="bot:iggi has no Q-values"):
        AGREEMENT.replay([], {"bot:iggi": load_agent("bot:iggi")})
