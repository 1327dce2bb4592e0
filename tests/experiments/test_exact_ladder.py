"""Deep levels 1 and 2 earn what the exact ladder's levels 1 and 2 earn, on a variant where the two levels differ."""

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
    assert exact_ladder.BELIEF_TEMPERATURE == ladder.belief.temperature > 0.0
    assert ladder.policy.view.memory
    assert not ladder.first.view.memory


@pytest.mark.slow
def test_deep_levels_earn_what_exact_levels_earn(tmp_path):
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        row = exact_ladder.compare("2p-1c-3r-h2-i1-l2", tmp_path / "ladder")
    finally:
        torch.set_num_threads(before)
    step_up = row["exact_2"] - row["exact_1"]
    assert step_up > 0.1  # else level 1 would pass for level 2
    assert row["deep_1"] == pytest.approx(row["exact_1"], abs=0.04)
    assert row["deep_2"] == pytest.approx(row["exact_2"], abs=0.5 * step_up)
    assert row["deep_2"] > row["deep_1"] + 0.5 * step_up
    # By the exact values of level 2, its moves give up far less than level 1's would.
    assert row["regret_per_move_2"] < 0.7 * row["regret_per_move_of_1_as_2"]
