"""Learning beliefs: runs repeat and resume exactly, and what is learned is what the moves say."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from offbelief.agents.loading import load_belief
from offbelief.beliefs.hand_model import HandModelSettings
from offbelief.errors import UserError
from offbelief.learning.belief_config import BeliefConfig
from offbelief.learning.run import create_run, parse_config, train, write_config
from offbelief.learning.train_belief import BeliefTraining

TINY = BeliefConfig(
    game="very-small",
    of="bot:iggi",
    steps=12,
    games=16,
    batch_size=16,
    capacity=128,
    warmup=32,
    updates_per_step=2,
    evaluations=3,
    evaluation_games=10,
    model=HandModelSettings(card_width=16, trunk_width=24, head_width=16, older_width=8),
)


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
    return torch.cat([parameter.detach().flatten() for parameter in run.average.parameters()])


def test_same_seed_gives_the_same_run_and_another_seed_another():
    first, again = finish(BeliefTraining(TINY)), finish(BeliefTraining(TINY))
    assert torch.equal(weights(first), weights(again))
    assert not torch.equal(weights(first), weights(finish(BeliefTraining(replace(TINY, seed=1)))))


def test_a_saved_run_goes_on_exactly(tmp_path):
    whole, half, resumed = finish(BeliefTraining(TINY)), BeliefTraining(TINY), BeliefTraining(TINY)
    while half.step < 6:
        half.advance()
    half.save(tmp_path / "half.safetensors")
    resumed.load(tmp_path / "half.safetensors")
    assert torch.equal(weights(whole), weights(finish(resumed)))


def test_a_run_delivers_a_belief_that_loads(tmp_path):
    create_run(tmp_path / "run", TINY)
    reports = []
    assert train(tmp_path / "run", report=reports.append)
    assert ["nats", "grounded_nats"] == list(reports[-1].figures)
    belief = load_belief(str(tmp_path / "run"))
    assert "very-small" == belief.game.name


def test_config_survives_writing():
    assert TINY == parse_config(write_config(TINY))


def test_whose_moves_are_read_must_be_said():
    with pytest.raises(UserError, match="Say whose moves to read"):
        BeliefTraining(replace(TINY, of=""))


def test_absent_beliefs_are_named(tmp_path):
    with pytest.raises(UserError, match="holds no finished belief"):
        load_belief(str(tmp_path))
    with pytest.raises(UserError, match="There is no belief 'nobody'"):
        load_belief("nobody")


@pytest.mark.slow
def test_moves_of_a_rule_player_say_more_than_hints_do():
    config = replace(
        TINY,
        game="mini",
        steps=400,
        games=128,
        batch_size=256,
        capacity=16_384,
        warmup=1024,
        exploration=(0.0,),
        average_rate=0.01,
        learning_rate=3e-3,
        evaluation_games=200,
        model=HandModelSettings(card_width=32, trunk_width=64, head_width=64, older_width=32),
    )
    figures = finish(BeliefTraining(config)).evaluate().figures
    assert figures["nats"] < figures["grounded_nats"] - 0.05


@pytest.mark.slow
def test_random_moves_say_hardly_more_than_hints_do():
    """A player of random LEGAL moves tells a little: which hints are legal depends on the hand (THEORY, section 2)."""
    config = replace(
        TINY,
        game="mini",
        of="bot:random",
        steps=300,
        games=128,
        batch_size=256,
        capacity=16_384,
        warmup=1024,
        exploration=(0.0,),
        average_rate=0.01,
        learning_rate=1e-3,
        evaluation_games=400,
    )
    figures = finish(BeliefTraining(config)).evaluate().figures
    assert abs(figures["nats"] - figures["grounded_nats"]) < 0.02
    assert np.isfinite(figures["nats"])
