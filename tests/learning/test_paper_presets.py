"""The paper's settings are Table 2's, and runs with them start, step and resume."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from offbelief.learning.paper_presets import PAPER_PRESETS
from offbelief.learning.presets import PRESETS, find_preset
from offbelief.learning.replay import ReplaySettings
from offbelief.learning.sequence_training import SequenceTraining


@pytest.mark.parametrize("name", PAPER_PRESETS)
def test_presets_have_the_values_of_table_two(name):
    config = find_preset(name)
    assert name in PRESETS
    assert (100_000, 0.9, 0.6) == (
        config.replay.capacity,
        config.replay.priority_exponent,
        config.replay.importance_exponent,
    )
    learner = config.learner
    assert (6.25e-5, 6.25e-5, 1.5e-5, 5.0) == (
        learner.learning_rate,
        learner.final_learning_rate,
        learner.adam_epsilon,
        learner.gradient_clip,
    )
    assert ("huber", 2500, 128) == (learner.loss, learner.target_period, config.batch_size)
    assert (1 if config.method == "obl" else 3) == config.n_step
    assert 0.999 == config.fictitious.discount
    assert 80 == len(config.exploration)
    assert [0.1, 0.1 ** (1 + 7 / 79)] == pytest.approx(config.exploration[:2])
    assert 57 == np.count_nonzero(config.exploration)
    assert 0.0068 == pytest.approx(np.mean(config.exploration), abs=5e-5)
    # A sequence is used four to five times: new ones per step are two of each game that ends.
    uses = config.updates_per_step * config.batch_size / (2 * config.games / 65)
    assert 4 < uses < 5


OTHERS = [pytest.param(name, marks=pytest.mark.slow) for name in PAPER_PRESETS if name != "paper-obl-1-2p"]


@pytest.mark.parametrize("name", ["paper-obl-1-2p", *OTHERS])
def test_presets_start_step_and_resume(name, tmp_path):
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    config = replace(
        find_preset(name),
        games=4,
        batch_size=4,
        updates_per_step=1,
        warmup=60,
        replay=ReplaySettings(capacity=16, priority_exponent=0.9),
    )
    run = SequenceTraining(config)
    while run.learner.updates < 1:
        run.advance()
    run.save(tmp_path / "half.safetensors")
    resumed = SequenceTraining(config)
    resumed.load(tmp_path / "half.safetensors")
    for training in (run, resumed):
        training.advance()
    assert 2 == run.learner.updates
    for one, other in zip(run.online.parameters(), resumed.online.parameters(), strict=True):
        assert torch.equal(one, other)
    torch.set_num_threads(before)
