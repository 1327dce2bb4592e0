"""Learning beliefs: runs repeat and resume exactly, and what is learned is what the moves say."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from offbelief.agents.loading import load_belief
from offbelief.beliefs.counting import hand_log_probs
from offbelief.beliefs.hand_model import HandModelSettings, LearnedBelief, true_hands
from offbelief.beliefs.recurrent_hand_model import RecurrentBelief, RecurrentHandSettings
from offbelief.errors import UserError
from offbelief.evaluation.belief_judge import all_hands, exact_posterior, play_histories
from offbelief.games.hanabi.remembered import split
from offbelief.learning.belief_config import BeliefConfig
from offbelief.learning.ladder_presets import BELIEF_PRESETS
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


RECURRENT = replace(TINY, batch_size=8, capacity=64, model=RecurrentHandSettings(width=12, card_width=5))
BOTH = pytest.mark.parametrize("config", [TINY, RECURRENT], ids=["card-wise", "recurrent"])


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


@BOTH
def test_same_seed_gives_the_same_run_and_another_seed_another(config):
    first, again = finish(BeliefTraining(config)), finish(BeliefTraining(config))
    assert first.updates > 0
    assert torch.equal(weights(first), weights(again))
    assert not torch.equal(weights(first), weights(finish(BeliefTraining(replace(config, seed=1)))))


@BOTH
def test_a_saved_run_goes_on_exactly(config, tmp_path):
    whole, half, resumed = finish(BeliefTraining(config)), BeliefTraining(config), BeliefTraining(config)
    while half.step < 6:
        half.advance()
    half.save(tmp_path / "half.safetensors")
    resumed.load(tmp_path / "half.safetensors")
    finish(resumed)
    assert torch.equal(weights(whole), weights(resumed))
    assert whole.evaluate().figures == resumed.evaluate().figures
    assert (whole.progress().games, whole.progress().updates) == (resumed.progress().games, resumed.progress().updates)


@BOTH
def test_a_run_delivers_a_belief_that_loads(config, tmp_path):
    create_run(tmp_path / "run", config)
    reports = []
    assert train(tmp_path / "run", report=reports.append)
    assert ["nats", "grounded_nats"] == list(reports[-1].figures)
    belief = load_belief(str(tmp_path / "run"))
    assert "very-small" == belief.game.name
    assert (RecurrentBelief if config is RECURRENT else LearnedBelief) is type(belief)
    begun = BeliefTraining(replace(config, start_from=str(tmp_path / "run")))
    assert torch.equal(weights(begun), torch.cat([part.flatten() for part in belief.model.parameters()]))


def test_a_model_of_another_kind_is_no_start(tmp_path):
    create_run(tmp_path / "run", TINY)
    train(tmp_path / "run", report=lambda progress: None)
    with pytest.raises(UserError, match="of the same kind"):
        BeliefTraining(replace(RECURRENT, start_from=str(tmp_path / "run")))
    wider = replace(TINY, model=replace(TINY.model, trunk_width=TINY.model.trunk_width + 8))
    with pytest.raises(UserError, match="of the same kind"):
        BeliefTraining(replace(wider, start_from=str(tmp_path / "run")))
    leaky = replace(TINY, model=replace(TINY.model, slope=0.2), start_from=str(tmp_path / "run"))
    given = load_belief(str(tmp_path / "run")).model
    assert torch.equal(weights(BeliefTraining(leaky)), torch.cat([part.flatten() for part in given.parameters()]))


def test_a_deeper_model_begins_as_a_shallower_belief_and_may_not_lose_its_depth(tmp_path):
    create_run(tmp_path / "run", TINY)
    train(tmp_path / "run", report=lambda progress: None)
    deeper = replace(TINY, model=replace(TINY.model, residual_width=12), start_from=str(tmp_path / "run"))
    begun, given = BeliefTraining(deeper), load_belief(str(tmp_path / "run"))
    lesson = next(begun.lessons.exam())
    expected = given.model(lesson.observations, lesson.hands)
    assert torch.equal(expected, begun.online(lesson.observations, lesson.hands))
    for layer in (begun.online.trunk_residual, begun.online.head_residual):
        with torch.no_grad():
            layer.added.bias.normal_()
        now = begun.online(lesson.observations, lesson.hands)
        assert not torch.allclose(expected, now)
        expected = now
    create_run(tmp_path / "deep", deeper)
    train(tmp_path / "deep", report=lambda progress: None)
    with pytest.raises(UserError, match="of the same kind"):
        BeliefTraining(replace(TINY, start_from=str(tmp_path / "deep")))


@BOTH
def test_config_survives_writing(config):
    assert config == parse_config(write_config(config))


def test_configs_of_before_there_were_kinds_are_card_wise():
    values = json.loads(write_config(TINY))
    del values["model"]["kind"]
    assert TINY == parse_config(json.dumps(values))


def test_the_paper_s_preset_follows_the_public_code():
    config = BELIEF_PRESETS["paper-belief-2p"][1]()
    assert RecurrentHandSettings(width=512, input_layers=2, lstm_layers=2, card_width=64) == config.model
    assert (500_000, 1600, 128) == (config.steps * config.updates_per_step, config.games, config.batch_size)
    assert (6.25e-5, 1.5e-5, 5.0) == (config.learning_rate, config.adam_epsilon, config.gradient_clip)
    assert 57 == np.count_nonzero(config.exploration)
    # A sequence is used about five times: new ones per step are two of each game that ends.
    assert 4 < config.updates_per_step * config.batch_size / (2 * config.games / 65) < 6


@pytest.mark.slow
def test_the_paper_s_preset_starts_and_learns():
    config = BELIEF_PRESETS["paper-belief-2p"][1]()
    few = {"games": 4, "batch_size": 2, "updates_per_step": 1, "warmup": 4, "capacity": 16, "evaluation_games": 2}
    run = BeliefTraining(replace(config, of="bot:iggi", **few))
    while run.updates < 1:
        run.advance()
    assert np.isfinite(run.loss)


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
def test_a_recurrent_model_learns_what_moves_say_too():
    config = replace(
        RECURRENT,
        game="2p-2c-2r-h2-i3-l2",
        steps=360,
        games=128,
        batch_size=64,
        capacity=4096,
        warmup=1024,
        exploration=(0.0,),
        average_rate=0.02,
        learning_rate=5e-3,
        final_learning_rate=5e-3,
        evaluation_games=60,
        model=RecurrentHandSettings(width=64, card_width=16),
    )
    figures = finish(BeliefTraining(config)).evaluate().figures
    assert figures["nats"] < figures["grounded_nats"] - 0.03


@pytest.mark.slow
def test_belief_of_random_moves_approaches_the_exact_posterior_and_does_not_beat_it():
    """A player of random LEGAL moves tells a little: which hints are legal depends on the hand."""
    config = replace(
        TINY,
        game="2p-2c-2r-h2-i3-l2",
        of="bot:random",
        steps=800,
        games=128,
        batch_size=512,
        capacity=16_384,
        warmup=1024,
        exploration=(0.0,),
        average_rate=0.01,
        learning_rate=2e-3,
        final_learning_rate=1e-4,
        model=HandModelSettings(card_width=32, trunk_width=64, head_width=64, older_width=32, slope=0.1),
    )
    training = finish(BeliefTraining(config))
    game = training.game
    learned = LearnedBelief(game, training.average)
    beyond_exact, distances = [], []
    for history, _ in play_histories(lambda states: game.legal_moves(states).argmax(1), game, 400, 5, (1.0,)):
        hands = all_hands(history.positions[-1], game)
        exact = exact_posterior(history, hands, None, game, (1.0,))
        present = np.repeat(history.positions[-1], len(hands))
        seats = game.acting_seats(present)
        said = learned.log_probs(present, seats, hands).sum(1)
        counted = hand_log_probs(split(present[:1])[0], game.variant, None, hands[None])[0]
        held = (hands == true_hands(present[:1], seats[:1], game.variant.hand_size)).all(1)
        beyond_exact.append((said - exact)[held][0])
        distances.append([(np.exp(exact) * (exact - other)).sum() for other in (said, counted)])
    surprise = np.array(beyond_exact)  # of the cards really held: positive where the model knew them better
    assert surprise.mean() < 2 * surprise.std() / np.sqrt(len(surprise))
    from_learned, from_counting = np.mean(distances, axis=0)
    assert 0.0 <= from_learned < 0.5 * from_counting
