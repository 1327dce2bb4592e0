"""Recurrent runs: they repeat, resume exactly, deliver agents that remember, and learn what exact solvers say."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from offbelief.agents.checkpoint import load_tensors
from offbelief.agents.loading import load_agent
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.agents.recurrent_agent import RecurrentAgent
from offbelief.beliefs.hanabi_game import ViewSettings
from offbelief.errors import UserError
from offbelief.evaluation.match import play_team
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.learning.config import RunConfig, from_json, to_json
from offbelief.learning.fictitious import FictitiousSettings
from offbelief.learning.learner import LearnerSettings
from offbelief.learning.replay import ReplaySettings
from offbelief.learning.run import create_run, open_training, train
from offbelief.learning.sequence_training import SequenceTraining
from offbelief.learning.train_policy import EVALUATION_SEED

TINY = RunConfig(
    game="very-small",
    method="iql",
    steps=24,
    games=8,
    batch_size=6,
    replay=ReplaySettings(capacity=32, priority_exponent=0.9),
    warmup=40,
    updates_per_step=1,
    n_step=2,
    shuffle_colours=False,
    exploration=(0.1, 0.6),
    fictitious=FictitiousSettings(form="one-step"),
    learner=LearnerSettings(loss="huber", target_period=5),
    network=RecurrentSettings(memory="lstm", width=12),
    evaluations=3,
    evaluation_games=20,
)
PUBLIC = RecurrentSettings(width=12, private_layers=2)
KINDS = {
    "iql": TINY,
    "iql-shuffled": replace(TINY, shuffle_colours=True),
    "iql-three-players": replace(TINY, game="3p-2c-3r-h2-i5-l3", temperature=0.5),
    "vdn": replace(TINY, method="vdn"),
    "feed-forward": replace(TINY, network=RecurrentSettings(memory="none", width=12, mean_over="legal")),
    "other-play": replace(TINY, other_play=True, learner=LearnerSettings(card_task=0.25), network=PUBLIC),
    "sad": replace(TINY, method="vdn", view=ViewSettings(announced=True)),
    "sad-other-play": replace(TINY, method="vdn", other_play=True, view=ViewSettings(announced=True)),
    "obl-one-step": replace(TINY, method="obl", network=PUBLIC),
    "obl-own-turn": replace(TINY, method="obl", network=PUBLIC, fictitious=FictitiousSettings(continuation=0.5)),
    "obl-toy": replace(TINY, game="toy", method="obl", network=PUBLIC),
}


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def finish(run):
    while run.step < run.config.steps:
        run.advance()
    return run


def weights(run):
    return torch.cat([parameter.detach().flatten() for parameter in run.learner.average.parameters()])


@pytest.mark.parametrize("kind", KINDS)
def test_resumed_run_equals_an_uninterrupted_one_to_the_bit(kind, tmp_path):
    config = KINDS[kind]
    whole = finish(SequenceTraining(config))
    half = SequenceTraining(config)
    for _ in range(13):
        half.advance()
    half.save(tmp_path / "half.safetensors")
    resumed = SequenceTraining(config)
    resumed.load(tmp_path / "half.safetensors")
    finish(resumed)
    assert whole.learner.updates > 3
    assert torch.equal(weights(whole), weights(resumed))
    for name, array in whole._arrays().items():
        assert np.array_equal(array.view("u1"), resumed._arrays()[name].view("u1")), name
    assert torch.equal(whole.rollout.memory, resumed.rollout.memory)
    assert whole.evaluate().figures == resumed.evaluate().figures


def test_another_seed_gives_another_run():
    one, other = (finish(SequenceTraining(replace(TINY, seed=seed))) for seed in (0, 1))
    assert not torch.equal(weights(one), weights(other))


@pytest.mark.parametrize("kind", ["iql", "other-play", "sad", "obl-one-step"])
def test_run_delivers_an_agent_that_plays_as_the_run_did(kind, tmp_path):
    folder = tmp_path / "run"
    create_run(folder, KINDS[kind])
    reports = []
    assert train(folder, report=reports.append)
    assert [8, 16, 24] == [report.step for report in reports]
    agent = load_agent(str(folder))
    assert isinstance(agent, RecurrentAgent)
    variant = HanabiVariant.parse("very-small")
    played = play_team([agent, agent], variant, 20, seed=EVALUATION_SEED)
    assert reports[-1].figures["score"] == played.mean
    assert reports[-1].figures["third_strike"] == played.struck_out.mean()


def test_stopped_run_goes_on_where_it_stopped(tmp_path):
    folders = [tmp_path / "stopped", tmp_path / "whole"]
    for folder in folders:
        create_run(folder, TINY)
    asked = iter([False] * 14 + [True])
    assert not train(folders[0], report=lambda _: None, should_stop=lambda: next(asked))
    for folder in folders:
        assert train(folder, report=lambda _: None)
    one, other = (load_tensors(folder / "agent.safetensors")[0] for folder in folders)
    assert all(torch.equal(one[name], other[name]) for name in other)


def test_minutes_become_steps(tmp_path):
    create_run(tmp_path, replace(TINY, steps=0, minutes=0.005))
    assert train(tmp_path, report=lambda _: None)
    assert from_json((tmp_path / "config.json").read_text()).steps > 60


def test_run_may_start_from_an_agent(tmp_path):
    folder = tmp_path / "below"
    create_run(folder, KINDS["obl-one-step"])
    train(folder, report=lambda _: None)
    above = SequenceTraining(replace(KINDS["obl-one-step"], start_from=str(folder)))
    expected, _ = load_tensors(folder / "agent.safetensors")
    assert all(torch.equal(expected[name], tensor) for name, tensor in above.learner.online.state_dict().items())
    with pytest.raises(UserError, match="other sizes"):
        SequenceTraining(replace(KINDS["obl-one-step"], start_from=str(folder), network=RecurrentSettings(width=8)))
    with pytest.raises(UserError, match="no recurrent network"):
        SequenceTraining(replace(TINY, start_from="bot:iggi"))


def test_recurrent_network_is_trained_on_sequences(tmp_path):
    create_run(tmp_path, TINY)
    assert isinstance(open_training(tmp_path), SequenceTraining)
    for config in KINDS.values():
        assert config == from_json(to_json(config))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"method": "obl"}, "public-lstm"),
        ({"method": "obl", "network": PUBLIC, "other_play": True}, "other_play"),
        ({"method": "obl", "network": PUBLIC, "fictitious": FictitiousSettings(form="critic")}, "one-step"),
        ({"other_play": True, "shuffle_colours": True}, "shuffle_colours"),
        ({"view": ViewSettings(last_move=True)}, "last move"),
        ({"game": "toy", "learner": LearnerSettings(card_task=0.25)}, "about Hanabi"),
    ],
)
def test_what_cannot_be_trained_is_one_sentence(changes, sentence):
    with pytest.raises(UserError, match=sentence):
        SequenceTraining(replace(TINY, **changes))


def test_checkpoint_of_another_run_is_one_sentence(tmp_path):
    SequenceTraining(TINY).save(tmp_path / "one.safetensors")
    with pytest.raises(UserError, match="does not belong"):
        SequenceTraining(KINDS["vdn"]).load(tmp_path / "one.safetensors")
