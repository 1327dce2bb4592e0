"""Agents followed through the unrolled game earn what they earn in played games."""

import numpy as np
import pytest
import torch

import offbelief
from offbelief.agents.loading import NetworkAgent
from offbelief.agents.memory_agent import MemoryAgent
from offbelief.agents.networks.building import build_network
from offbelief.agents.networks.cardwise import CardwiseSettings
from offbelief.beliefs.hanabi_game import HanabiGame, ViewSettings
from offbelief.errors import UserError
from offbelief.evaluation.exact_play import follow_agent, tabulate_agent
from offbelief.evaluation.match import play_team
from offbelief.games.hanabi.as_table import hanabi_tables
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.variant import HanabiVariant

TELLING = HanabiVariant.parse("2p-1c-3r-h2-i1-l2")
THREE = HanabiVariant.parse("3p-1c-3r-h1-i1-l1+cap5+cards-played")


def network_agent(variant, *, memory, seed=0):
    """An agent of random weights."""
    torch.manual_seed(seed)
    game = HanabiGame(variant, view=ViewSettings(memory=memory))
    network = build_network(game, CardwiseSettings(card_width=8, trunk_width=16, head_width=8))
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.5)  # fresh weights give memory none at all
    return (MemoryAgent if memory else NetworkAgent)("random", game, network.eval())


class Listener:
    """Lets every move that it heard of decide what it does."""

    def new_memory(self, states, seat):
        return np.full(len(states), seat)

    def remember(self, memory, before, moves, after, seat):
        memory[:] = (31 * memory + 7 * moves + after["score"]) % 1009

    def act(self, states, variant, streams, memory=None):
        legal = HanabiBatch.from_states(variant, states).legal_moves()
        return np.array(
            [np.flatnonzero(row)[heard % max(1, row.sum())] for row, heard in zip(legal, memory, strict=True)]
        )


@pytest.mark.parametrize("variant", [TELLING, THREE], ids=str)
@pytest.mark.parametrize("kind", ["listener", "record", "soft record"])
def test_what_is_followed_is_what_is_played(variant, kind):
    small = hanabi_tables(variant)
    tree = offbelief.unroll(small.tables)
    agent = Listener() if kind == "listener" else network_agent(variant, memory=True, seed=4)
    if kind == "soft record":
        agent.temperature = 2.0
    followed = follow_agent(small, tree, agent, variant)
    scores = play_team([agent] * variant.players, variant, 3000, seed=5).scores
    assert scores.std() > 0.1
    assert followed.earned == pytest.approx(scores.mean(), abs=4 * scores.std() / np.sqrt(len(scores)))


def test_a_table_of_an_agent_earns_what_the_agent_earns():
    small = hanabi_tables(TELLING)
    tree = offbelief.unroll(small.tables)
    agent = network_agent(TELLING, memory=False)
    followed = follow_agent(small, tree, agent, TELLING)
    table = tabulate_agent(small, tree, agent, TELLING)
    assert followed.earned == pytest.approx(offbelief.value(table))
    assert np.allclose(1.0, np.bincount(tree.entry_history, table.probs)[tree.entry_history])
    with pytest.raises(UserError, match="An agent with memory cannot be asked at single positions"):
        tabulate_agent(small, tree, Listener(), TELLING)


def test_a_table_of_a_soft_agent_earns_what_it_earns_in_games_and_shares_what_is_tied():
    small = hanabi_tables(TELLING)
    tree = offbelief.unroll(small.tables)
    agent = network_agent(TELLING, memory=False)
    agent.temperature = 2.0
    table = tabulate_agent(small, tree, agent, TELLING)
    assert np.allclose(1.0, np.bincount(tree.entry_history, table.probs)[tree.entry_history])
    scores = play_team([agent] * TELLING.players, TELLING, 3000, seed=5).scores
    assert offbelief.value(table) == pytest.approx(scores.mean(), abs=4 * scores.std() / np.sqrt(len(scores)))
    agent.temperature = 1e5
    table = tabulate_agent(small, tree, agent, TELLING)
    assert np.allclose(offbelief.uniform_policy(tree).probs, table.probs, atol=1e-3)


def test_a_soft_agent_that_is_followed_is_its_own_table_and_as_far_from_another_as_their_moves_differ():
    small = hanabi_tables(TELLING)
    tree = offbelief.unroll(small.tables)
    agent = network_agent(TELLING, memory=False)
    agent.temperature = 2.0
    table = tabulate_agent(small, tree, agent, TELLING)
    followed = follow_agent(small, tree, agent, TELLING)
    assert followed.earned == pytest.approx(offbelief.value(table))
    assert followed.distance(table) == pytest.approx(0.0, abs=1e-6)
    # By hand: half the sum over moves of how much the probabilities differ, weighed by how likely it comes there.
    other = offbelief.uniform_policy(tree)
    reach = np.bincount(tree.entry_history[followed.entries], followed.reached * followed.played, tree.num_histories)
    half = np.bincount(tree.entry_history, 0.5 * np.abs(table.probs - other.probs), tree.num_histories)
    assert followed.distance(other) == pytest.approx(float(reach @ half / reach.sum()))
