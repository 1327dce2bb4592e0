"""Agents with memory: what they remember is what they saw, whoever asks and however games are batched."""

import numpy as np
import pytest
import torch

from offbelief.agents.networks.building import build_recurrent
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.agents.recurrent_agent import RecurrentAgent
from offbelief.agents.remembering import RememberingPlayer, Seated
from offbelief.agents.scripted import scripted_policy
from offbelief.agents.seat_views import hanabi_views
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.errors import UserError
from offbelief.games.batched import make_streams
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.memory import new_memories, remember
from offbelief.games.hanabi.variant import HanabiVariant

MINI = HanabiVariant.parse("mini")


def recurrent_agent(variant="mini", **settings):
    torch.manual_seed(1)
    game = HanabiGame(variant, "v0-belief")
    views = hanabi_views(game)
    return RecurrentAgent("test", game, views, build_recurrent(views, RecurrentSettings(**{"width": 16, **settings})))


class _Record:
    """A player with a record of public memory, as higher levels have it; it plays the first legal move."""

    def new_memory(self, states, seat):
        return new_memories(states)

    def remember(self, memory, before, moves, after, seat):
        remember(memory, MINI, before, moves, after)

    def act(self, states, variant, streams, memory=None):
        return HanabiBatch.from_states(variant, states).legal_moves().argmax(axis=1)


def play_and_watch(seated, turns, size=8, mover="random"):
    """Play random moves while a seat watches; gives the positions and moves."""
    batch = HanabiBatch(MINI, size, seed=2)
    streams = make_streams(0, 1, size)
    positions, moves = [batch.save()], []
    for _ in range(turns):
        made = scripted_policy(mover).act(batch.states, MINI, streams)
        batch.step(made)
        moves.append(made)
        positions.append(batch.save())
        seated.watch(positions[-2], made, positions[-1])
    return positions, moves


def test_who_remembers_is_known_by_what_it_offers():
    states = HanabiBatch(MINI, 3).states
    assert isinstance(recurrent_agent(), RememberingPlayer)
    assert isinstance(_Record(), RememberingPlayer)
    assert Seated(recurrent_agent(), 0, states, MINI).remembers
    assert not Seated(scripted_policy("iggi"), 0, states, MINI).remembers


@pytest.mark.parametrize("memory", ["public-lstm", "lstm", "none"])
@pytest.mark.parametrize("seat", [0, 1])
def test_memory_is_what_the_network_makes_of_all_the_seat_saw(memory, seat):
    agent = recurrent_agent(memory=memory)
    seated = Seated(agent, seat, HanabiBatch(MINI, 8, seed=2).states, MINI)
    positions, _ = play_and_watch(seated, 5, mover="iggi")
    seats = np.full(8, seat)
    seen = [agent.views.see(states, seats) for states in positions]
    observations = torch.from_numpy(np.stack([view.observations for view in seen]))
    legal = torch.from_numpy(np.stack([view.legal for view in seen]))
    with torch.no_grad():
        whole, _ = agent.network(observations, legal)
        now = agent.network.value(observations[-1], legal[-1], torch.from_numpy(seated.memory))
    running = ~positions[-1]["is_over"]
    assert running.sum() > 4
    assert torch.allclose(whole[-1][running], now[running], atol=1e-5)


@pytest.mark.parametrize("agent", [recurrent_agent(), _Record()])
def test_seating_after_a_while_is_as_if_seated_from_the_deal(agent):
    seated = Seated(agent, 1, HanabiBatch(MINI, 8, seed=2).states, MINI)
    positions, moves = play_and_watch(seated, 6)
    later = Seated.after(agent, 1, positions, moves, MINI)
    assert np.array_equal(seated.memory, later.memory)
    # One game alone is remembered as in a batch.
    alone = Seated.after(agent, 1, [states[3:4] for states in positions], [made[3:4] for made in moves], MINI)
    if seated.memory.dtype == np.float32:
        assert np.allclose(seated.memory[3:4], alone.memory, atol=1e-6)
    else:
        assert np.array_equal(seated.memory[3:4], alone.memory)


def test_acting_reads_the_memory_and_leaves_it():
    agent = recurrent_agent()
    seated = Seated(agent, 0, HanabiBatch(MINI, 8, seed=2).states, MINI)
    positions, _ = play_and_watch(seated, 4)
    states, before = positions[-1], seated.memory.copy()
    mine = np.flatnonzero(~states["is_over"] & (states["acting_seat"] == 0))
    chosen = seated.act(states, mine, make_streams(0, 2, 8))
    assert HanabiBatch.from_states(MINI, states).legal_moves()[mine, chosen].all()
    assert np.array_equal(before, seated.memory)
    values = agent.value(states[mine], seated.memory[mine])
    assert not np.allclose(values, agent.value(states[mine], np.zeros_like(seated.memory[mine])))
    assert np.array_equal(values[:, :-1].argmax(axis=1), chosen)


def test_agent_that_has_not_seen_the_game_says_so():
    agent = recurrent_agent()
    batch = HanabiBatch(MINI, 4, seed=2)
    streams = make_streams(0, 2, 4)
    fresh = agent.act(batch.states, MINI, streams)
    seated = Seated(agent, 0, batch.states, MINI)
    assert np.array_equal(fresh, seated.act(batch.states, np.arange(4), streams))
    batch.step(fresh)
    with pytest.raises(UserError, match="first turn"):
        agent.act(batch.states, MINI, streams)


def test_agent_plays_variants_that_look_alike_and_no_others():
    agent = recurrent_agent("mini+cap20+random-start")
    batch = HanabiBatch(MINI, 4)
    assert 4 == len(agent.act(batch.states, MINI, make_streams(0, 1, 4)))
    other = HanabiBatch("very-small", 4)
    with pytest.raises(UserError, match="cannot play very-small"):
        agent.act(other.states, other.variant, make_streams(0, 1, 4))
