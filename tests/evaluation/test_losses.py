"""Where points go: every missing one has a cause, and what was believed of discarded cards is held against them."""

import numpy as np
import pytest

from offbelief.agents.loading import load_agent, load_belief
from offbelief.agents.scripted import scripted_policy
from offbelief.beliefs.building import build_belief
from offbelief.beliefs.hand_model import HandModelSettings
from offbelief.evaluation.conventions import keep_games
from offbelief.evaluation.losses import expect_of_discards, find_losses, reachable
from offbelief.games.hanabi.standing import card_standing
from offbelief.games.hanabi.variant import HanabiVariant


@pytest.mark.parametrize("name", ["full-2p", "mini", "full-3p"])
def test_what_can_be_reached_is_what_the_standing_of_cards_says(name):
    variant = HanabiVariant.parse(name)
    games = keep_games(scripted_policy("random"), variant, 6, seed=1)
    points, critical = reachable(games.states, variant)
    for turn, game in np.ndindex(games.states.shape):
        standing = card_standing(games.states[turn, game], variant)
        assert standing.best_possible == points[turn, game]
        assert np.array_equal(standing.critical, critical[turn, game])


@pytest.mark.parametrize("player", ["random", "iggi", "outer"])
def test_losses_and_score_add_up_to_the_full_score(player):
    variant = HanabiVariant.parse("full-2p")
    games = keep_games(scripted_policy(player), variant, 40, seed=2)
    last = games.states[-1]
    scores = np.where(last["lives"] == 0, 0, last["fireworks"][:, : variant.colours].sum(1))
    losses = find_losses(games)
    assert np.isclose(variant.max_score, scores.mean() + sum(losses.as_json().values()))
    assert min(losses.as_json().values()) >= 0.0
    assert (losses.strikes > 0.0) == bool((last["lives"] == 0).any())


def test_a_belief_that_has_learned_nothing_expects_what_card_counting_does():
    variant = HanabiVariant.parse("mini")
    games = keep_games(scripted_policy("iggi"), variant, 60, seed=3)
    fresh = build_belief("mini", HandModelSettings(card_width=8, trunk_width=8, head_width=8, older_width=4))
    found = expect_of_discards(games, fresh, samples=64)
    assert found["discards"] == int((games.moves == np.arange(variant.hand_size)[:, None, None]).sum())
    assert abs(found["learned"] - found["counted"]) < 0.01
    # Counted by hand: a discarded card was critical if that put points out of reach.
    points, _ = reachable(games.states, variant)
    lost = (points[:-1] > points[1:]) & (games.moves >= 0) & (games.moves < variant.hand_size)
    assert np.isclose(lost.sum() / found["discards"], found["was"])


@pytest.mark.slow
def test_level_2_expects_worse_of_its_discards_than_they_are():
    """It reads a partner as level 1, who saves fewer cards than level 2 does."""
    games = keep_games(load_agent("obl-2-a"), HanabiVariant.parse("full-2p"), 100, seed=4)
    found = expect_of_discards(games, load_belief("belief-1-a"))
    assert found["was"] < found["learned"] < found["counted"]
