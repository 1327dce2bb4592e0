"""Deep levels 1 and 2 play and earn as the exact ladder's do, on a variant where the two levels differ."""

import pytest
import torch
from tests.experiments.loading import load_experiment

exact_ladder = load_experiment("exact_ladder")


def test_the_small_ladder_is_the_bellman_form_at_one_rate_of_exploration():
    ladder = exact_ladder.small_ladder("2p-1c-2r-h1-i1-l1", exact_ladder.Steps(first=1, belief=2, second=3), seed=7)
    assert (1, 2, 3, 7, 2) == (ladder.first.steps, ladder.belief.steps, ladder.policy.steps, ladder.seed, ladder.levels)
    for config in (ladder.first, ladder.policy):
        assert (0.0, 0, 1.0) == (
            config.fictitious.continuation,
            config.fictitious.max_rounds,
            config.fictitious.discount,
        )
    assert (exact_ladder.BELIEF_RATE,) == ladder.belief.exploration
    temperatures = (
        ladder.belief.temperature,
        ladder.first.fictitious.temperature,
        ladder.policy.fictitious.temperature,
    )
    assert 3 * (exact_ladder.TEMPERATURE,) == temperatures
    assert ladder.policy.view.memory
    assert not ladder.first.view.memory


@pytest.mark.slow
def test_deep_levels_are_the_exact_levels(tmp_path):
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        steps = exact_ladder.Steps(first=800, belief=1500, second=1200)
        row = exact_ladder.compare("2p-1c-3r-h2-i1-l2", tmp_path / "ladder", steps=steps)
    finally:
        torch.set_num_threads(before)
    step_up = row["exact_2"] - row["exact_1"]
    assert step_up > 0.05  # else level 1 would pass for level 2
    assert row["deep_1"] == pytest.approx(row["exact_1"], abs=0.6 * step_up)
    assert row["deep_2"] == pytest.approx(row["exact_2"], abs=0.6 * step_up)
    assert row["deep_2"] > row["deep_1"] + 0.5 * step_up
    # A soft level 1 of a network means to an exact reader what the exact one means.
    assert row["exact_2_on_deep_1"] == pytest.approx(row["exact_2"], abs=0.5 * step_up)
    # Few moves differ; level 1 would have to change more of its own to be level 2.
    assert row["distance_1"] < 0.16
    assert row["distance_2"] < 0.9 * row["distance_of_1_from_2"]
