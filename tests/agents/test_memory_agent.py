"""Agents of level 2 and up: they are shown every move, and bring the belief they were trained on."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from offbelief.agents.loading import load_agent
from offbelief.agents.memory_agent import MemoryAgent
from offbelief.agents.remembering import RememberingPlayer
from offbelief.beliefs.hand_model import HandModelSettings
from offbelief.errors import UserError
from offbelief.evaluation.match import play_team
from offbelief.evaluation.mind import LEARNED, read_mind
from offbelief.games.batched import make_streams
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.learning.belief_config import BeliefConfig
from offbelief.learning.config import RunConfig
from offbelief.learning.levels import LadderConfig, climb, create_ladder, higher_level
from offbelief.learning.replay import ReplaySettings
from offbelief.learning.run import train
from offbelief.learning.train_policy import EVALUATION_SEED, PolicyTraining

SMALL = {"steps": 6, "games": 16, "batch_size": 16, "warmup": 32, "evaluations": 1, "evaluation_games": 30}
FIRST = RunConfig(game="very-small", replay=ReplaySettings(capacity=128), **SMALL)
WIDTHS = HandModelSettings(card_width=16, trunk_width=24, head_width=16, older_width=8)
BELIEF = BeliefConfig(game="very-small", capacity=128, model=WIDTHS, **SMALL)


@pytest.fixture(scope="module")
def ladder(tmp_path_factory):
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("ladders") / "ladder"
    create_ladder(folder, LadderConfig(levels=2, first=FIRST, belief=BELIEF, policy=higher_level(FIRST)))
    assert climb(folder, lambda run: train(run, report=lambda progress: None))
    return folder


def test_it_plays_at_a_table_as_in_training(ladder):
    agent = load_agent(str(ladder / "level-2"))
    assert isinstance(agent, MemoryAgent)
    assert isinstance(agent, RememberingPlayer)
    run = PolicyTraining(replace(higher_level(FIRST), belief=str(ladder / "belief-1")))
    run.learner.average.load_state_dict(agent.network.state_dict())
    expected = run.evaluate().figures["score"]
    assert np.isclose(expected, play_team([agent, agent], agent.game.variant, 30, EVALUATION_SEED).mean)


def test_its_mind_shows_the_belief_it_was_trained_on(ladder):
    agent = load_agent(str(ladder / "level-2"))
    states = HanabiBatch(agent.game.variant, 1, seed=0).states
    mind = read_mind(agent, states, agent.game.variant, make_streams(0, 1, 1))
    assert LEARNED == mind.belief_kind
    assert np.allclose(1.0, mind.belief.sum(-1))


def test_without_memories_only_fresh_games_can_be_played(ladder):
    agent = load_agent(str(ladder / "level-2"))
    batch = HanabiBatch(agent.game.variant, 3, seed=0)
    streams = make_streams(0, 1, 3)
    batch.step(agent.act(batch.states, agent.game.variant, streams))
    with pytest.raises(UserError, match="has had 1 turns"):
        agent.act(batch.states, agent.game.variant, streams)
    with pytest.raises(UserError, match="cannot play full-3p"):
        agent.act(batch.states, HanabiVariant.parse("full-3p"), streams)
