"""The account of beliefs: by hand, against the belief's own probabilities, and against the judge."""

import json

import numpy as np
import pytest
import torch

from offbelief.agents.recurrent_agent import RecurrentAgent
from offbelief.agents.scripted import scripted_policy
from offbelief.beliefs.counting import hand_log_probs
from offbelief.beliefs.hanabi_game import HanabiGame, ViewSettings
from offbelief.beliefs.hand_model import HandModel, HandModelSettings, LearnedBelief, true_hands
from offbelief.errors import UserError
from offbelief.evaluation.belief_account import AccountSettings, account_for_belief, judge, measure, reliability
from offbelief.games.hanabi.remembered import split
from offbelief.games.hanabi.state import NO_CARD
from offbelief.learning.belief_config import BeliefConfig
from offbelief.learning.frozen_play import FrozenPlay
from offbelief.learning.train_belief import BeliefTraining

GAME = HanabiGame("mini", view=ViewSettings(memory=True))
IGGI = scripted_policy("iggi")
WIDTHS = HandModelSettings(card_width=16, trunk_width=24, head_width=16, older_width=8)


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def fresh():
    """A belief that has learned nothing but has opinions: its last layer is not zero."""
    torch.manual_seed(0)
    model = HandModel(GAME, WIDTHS)
    torch.nn.init.normal_(model.kind_odds.weight, std=0.5)
    return LearnedBelief(GAME, model.eval())


@pytest.fixture(scope="module")
def states():
    play = FrozenPlay(IGGI, GAME, 64, 1, (0.1,))
    for _ in range(9):
        play.advance()
    return play.states


def test_nats_are_those_of_the_belief_and_of_card_counting(fresh, states):
    seats = GAME.acting_seats(states)
    hands = true_hands(states, seats, GAME.variant.hand_size)
    found = measure(fresh, states, bins=10)
    cards = (hands != NO_CARD).sum()
    assert cards == found["cards"]
    assert -fresh.log_probs(states, seats, hands).sum() / cards == pytest.approx(found["learned"], rel=1e-4)
    counted = hand_log_probs(split(states)[0], GAME.variant, seats, hands[:, None]).sum()
    assert -counted / cards == pytest.approx(found["grounded"], rel=1e-4)


def test_parts_add_up_to_the_whole(fresh, states):
    found = measure(fresh, states, bins=10)
    for parts in (found["by_slot"], list(found["by_hinted"].values()), found["by_turn"]):
        assert found["cards"] == sum(part["cards"] for part in parts)
        for speaker in ("grounded", "learned"):
            total = sum(part["cards"] * part[speaker] for part in parts if part["cards"])
            assert found["cards"] * found[speaker] == pytest.approx(total)
    seats = GAME.acting_seats(states)
    rows = np.arange(len(states))
    told = states["rank_told"][rows, seats, :3].astype(bool) & ~states["colour_told"][rows, seats, :3].astype(bool)
    assert told.sum() == found["by_hinted"]["rank"]["cards"]
    assert 0.0 == pytest.approx(found["by_hinted"]["both"]["grounded"] or 0.0)


def test_reliability_by_hand():
    # Two cards of three kinds; the second card's first kind is certain and does not count.
    said = np.array([[[0.7, 0.25, 0.05], [1.0, 0.0, 0.0]]])
    found = reliability(said, np.array([[0, 0]]), bins=2)
    assert [0.15, 0.7] == pytest.approx(found["said"])
    assert [0.0, 1.0] == found["happened"]
    assert [2, 1] == found["count"]
    assert (2 * 0.15 + 0.3) / 3 == pytest.approx(found["error"])
    missing = reliability(said, np.array([[0, NO_CARD]]), bins=2)
    assert found == missing


def test_counting_is_calibrated_when_moves_say_nothing(fresh):
    """Random play hardly depends on hidden cards, so that card counting is right about them."""
    play = FrozenPlay(IGGI, GAME, 3000, 3, (1.0,))
    for _ in range(3):
        play.advance(restart=False)
    found = measure(fresh, play.states[~GAME.is_over(play.states)], bins=10)["reliability"]
    assert found["grounded"]["error"] < 0.01 < found["learned"]["error"]


def test_account_is_plain_and_repeatable(fresh):
    settings = AccountSettings(games=10, states=40, judged=2, bins=5)
    first, again = (account_for_belief(fresh, IGGI, (0.0, 0.2), settings) for _ in range(2))
    assert first == again == json.loads(json.dumps(first))
    assert {"greedy", "noisy", "settings", "exploration"} == set(first)
    judged = first["noisy"]["judged"]
    assert (40, 2, 2) == (first["noisy"]["states"], judged["states"], judged["exact"])
    assert account_for_belief(fresh, IGGI, (0.2,), AccountSettings(games=2, judged=0))["greedy"]["judged"] is None


def test_particles_stand_in_where_hands_are_too_many(fresh):
    settings = AccountSettings(games=1, judged=3, most_hands=1, particles=200)
    found = judge(fresh, IGGI, (0.2,), (0.2,), settings)
    assert (3, 0) == (found["states"], found["exact"])
    exact = judge(fresh, IGGI, (0.2,), (0.2,), AccountSettings(games=1, judged=3))
    assert exact["judge"] == pytest.approx(found["judge"], abs=0.3)
    assert exact["learned"] == found["learned"]


def test_what_cannot_be_judged_is_refused(fresh):
    with pytest.raises(UserError, match="explores"):
        judge(fresh, IGGI, (0.0,), (0.0,), AccountSettings())
    recurrent = RecurrentAgent.__new__(RecurrentAgent)
    recurrent.name = "somebody"
    with pytest.raises(UserError, match="its own seat"):
        judge(fresh, recurrent, (0.1,), (0.0,), AccountSettings())
    with pytest.raises(UserError, match="at least 1"):
        AccountSettings(games=0)
    with pytest.raises(UserError, match="0 for no judge"):
        AccountSettings(judged=-1)


def learn(exploration):
    """Learn a belief of IGGI on mini."""
    config = BeliefConfig(
        game="mini",
        of="bot:iggi",
        exploration=exploration,
        steps=250,
        games=256,
        updates_per_step=3,
        batch_size=256,
        capacity=16_384,
        warmup=2048,
        learning_rate=2e-3,
        average_rate=0.02,
    )
    training = BeliefTraining(config)
    while training.step < config.steps:
        training.advance()
    return LearnedBelief(GAME, training.average.eval())


@pytest.mark.slow
@pytest.mark.parametrize("player", ["iggi", "random"])
def test_learned_lies_between_card_counting_and_the_judge(player):
    """Nothing beats the exact posterior but luck.

    There is next to nothing to learn from a uniformly random player (only which hints were possible), so there the
    belief comes close to it.
    """
    exploration = (0.05, 0.2) if player == "iggi" else (1.0,)
    settings = AccountSettings(games=300, judged=100)
    found = account_for_belief(learn(exploration), IGGI, exploration, settings)["noisy"]
    judged = found["judged"]
    assert settings.judged == judged["exact"]
    assert judged["gap"] > -3 * judged["gap_sem"]
    assert found["reliability"]["learned"]["error"] < 0.02
    if player == "iggi":
        assert found["learned"] < found["grounded"] - 0.03
        assert judged["judge"] < judged["learned"]
    else:
        assert abs(judged["gap"]) < 0.02
        assert abs(found["learned"] - found["grounded"]) < 0.02
