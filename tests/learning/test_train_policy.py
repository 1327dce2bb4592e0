"""Runs: they repeat, resume exactly, survive what can go wrong, and learn what the exact solver says."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from offbelief.agents.checkpoint import load_tensors
from offbelief.agents.networks.feedforward import FeedForwardSettings
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.errors import UserError
from offbelief.learning.backward import policy_from_q_values
from offbelief.learning.config import TIMED_STEPS, RunConfig, from_json, to_json
from offbelief.learning.exact_baselines import best_response, value
from offbelief.learning.exact_obl import OblSettings, obl_from_belief
from offbelief.learning.fictitious import FictitiousSettings
from offbelief.learning.learner import LearnerSettings
from offbelief.learning.presets import PRESETS, find_preset
from offbelief.learning.replay import ReplaySettings
from offbelief.learning.run import create_run, train
from offbelief.learning.train_policy import PolicyTraining

TINY = RunConfig(
    game="very-small",
    steps=12,
    games=16,
    batch_size=16,
    replay=ReplaySettings(capacity=128),
    warmup=32,
    updates_per_step=2,
    evaluations=3,
    evaluation_games=20,
)


def small_game(game, **changes):
    settings = {
        "steps": 1500,
        "games": 64,
        "batch_size": 128,
        "replay": ReplaySettings(capacity=8192),
        "warmup": 512,
        "exploration": (0.5, 1.0),
        "fictitious": FictitiousSettings(continuation=0.0, max_rounds=0, discount=1.0),
        "learner": LearnerSettings(learning_rate=3e-3, final_learning_rate=1e-4, average_rate=0.01, target_rate=0.02),
        "network": FeedForwardSettings(width=64, layers=1),
    }
    return RunConfig(game=game, **{**settings, **changes})


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def agent_tensors(folder):
    tensors, _ = load_tensors(folder / "agent.safetensors")
    order = PolicyTraining(TINY).learner.average.state_dict()
    return [tensors[name] for name in order]


def finish(run):
    while run.step < run.config.steps:
        run.advance()
    return run


def weights(run):
    return torch.cat([parameter.detach().flatten() for parameter in run.learner.average.parameters()])


@pytest.mark.parametrize("method", ["obl", "iql"])
def test_same_seed_gives_the_same_run_and_another_seed_another(method):
    config = replace(TINY, method=method)
    first, again = finish(PolicyTraining(config)), finish(PolicyTraining(config))
    other = finish(PolicyTraining(replace(config, seed=1)))
    assert torch.equal(weights(first), weights(again))
    assert np.array_equal(first.rollout.states, again.rollout.states)
    assert not torch.equal(weights(first), weights(other))


@pytest.mark.parametrize("exponent", [0.0, 0.9])
@pytest.mark.parametrize("method", ["obl", "iql"])
def test_resumed_run_equals_an_uninterrupted_one_to_the_bit(method, exponent, tmp_path):
    replay = ReplaySettings(capacity=128, priority_exponent=exponent)
    config = replace(TINY, method=method, replay=replay)
    whole = finish(PolicyTraining(config))
    half = PolicyTraining(config)
    for _ in range(7):
        half.advance()
    half.save(tmp_path / "half.safetensors")
    resumed = PolicyTraining(config)
    resumed.load(tmp_path / "half.safetensors")
    finish(resumed)
    assert torch.equal(weights(whole), weights(resumed))
    assert np.array_equal(whole.replay.targets, resumed.replay.targets)
    assert np.array_equal(whole.rollout.states, resumed.rollout.states)


def test_colours_are_shuffled_only_if_asked(monkeypatch):
    shuffled = []
    for shuffle in (True, False):
        run = PolicyTraining(replace(TINY, shuffle_colours=shuffle))
        relabel = run.game.relabel
        monkeypatch.setattr(run.game, "relabel", lambda *given, relabel=relabel: shuffled.append(1) or relabel(*given))
        finish(run)
        assert bool(shuffled) is shuffle
        shuffled.clear()


def test_run_folder_holds_what_it_should(tmp_path):
    folder = tmp_path / "run"
    create_run(folder, TINY)
    reports = []
    assert train(folder, report=reports.append)
    assert [4, 8, 12] == [report.step for report in reports]
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [report.figures["score"] for report in reports] == [line["score"] for line in lines]
    assert (folder / "agent.safetensors").exists()
    assert list((folder / "tensorboard").glob("events.*"))
    assert 1 == len(list(folder.glob("checkpoint-*.safetensors")))


def test_stopped_run_goes_on_where_it_stopped(tmp_path):
    stopped, whole = tmp_path / "stopped", tmp_path / "whole"
    for folder in (stopped, whole):
        create_run(folder, TINY)
    asked = iter([False] * 5 + [True])
    assert not train(stopped, report=lambda _: None, should_stop=lambda: next(asked))
    assert not (stopped / "agent.safetensors").exists()
    assert train(stopped, report=lambda _: None)
    assert train(whole, report=lambda _: None)
    assert (stopped / "agent.safetensors").read_bytes()[-1000:] == (whole / "agent.safetensors").read_bytes()[-1000:]


def test_broken_checkpoint_falls_back_to_the_one_before_and_says_so(tmp_path):
    folder = tmp_path / "run"
    create_run(folder, TINY)
    for steps in (3, 6):
        asked = iter([False] * (steps - 1) + [True])
        train(folder, report=lambda _: None, should_stop=lambda asked=asked: next(asked))
    _, newest = sorted(folder.glob("checkpoint-*.safetensors"))
    newest.write_bytes(newest.read_bytes()[:1000])
    said = []
    assert train(folder, report=lambda _: None, say=said.append)
    assert 1 == len(said)
    assert newest.name in said[0]


def test_full_disk_keeps_the_checkpoint_before_and_training(tmp_path, monkeypatch):
    folder = tmp_path / "run"
    create_run(folder, replace(TINY, checkpoint_minutes=0.0))
    save = PolicyTraining.save

    def save_until_the_disk_is_full(run, path):
        if run.step in (3, 4):
            raise OSError(28, "No space left on device")
        save(run, path)

    monkeypatch.setattr(PolicyTraining, "save", save_until_the_disk_is_full)
    said = []
    assert train(folder, report=lambda _: None, say=said.append)
    assert 2 == len(said)
    assert "No space left on device" in said[0]
    assert (folder / "agent.safetensors").exists()


def test_run_folder_in_use_is_refused(tmp_path):
    create_run(tmp_path, TINY)
    with pytest.raises(UserError, match="holds a run already"):
        create_run(tmp_path, TINY)


def test_timed_steps_cost_what_the_run_costs_on_average():
    config = replace(TINY, steps=0)
    timed = range(config.timed_from, config.timed_from + TIMED_STEPS)
    for share in (0.2, 0.5, 0.7):
        assert pytest.approx(1 - share, abs=0.03) == np.mean([config.moment(step) >= share for step in timed])


def test_minutes_become_steps_that_are_written_down(tmp_path):
    folder = tmp_path / "run"
    create_run(folder, replace(TINY, steps=0, minutes=0.01))
    assert train(folder, report=lambda _: None)
    config = from_json((folder / "config.json").read_text())
    assert config.steps > 60
    # The same number of steps, asked for from the start, gives the same agent.
    by_steps = finish(PolicyTraining(replace(TINY, steps=config.steps)))
    assert torch.equal(weights(by_steps), torch.cat([tensor.flatten() for tensor in agent_tensors(folder)]))


def test_config_survives_its_json():
    for config in (TINY, small_game("toy")):
        assert config == from_json(to_json(config))


def test_config_of_another_version_is_one_sentence():
    with pytest.raises(UserError, match="does not describe a run"):
        from_json(to_json(TINY).replace('"games"', '"tables"'))


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_named_after_themselves(name):
    assert name == find_preset(name).preset


def test_unknown_preset_lists_the_known_ones():
    with pytest.raises(UserError, match="obl-1-2p"):
        find_preset("obl-9")


# --- exact twins ------------------------------------------------------------------------------------------------------


def learned_policy(run):
    observations, legal = run.game.observe_decisions()
    with torch.no_grad():
        q_values = run.learner.average(torch.from_numpy(observations), torch.from_numpy(legal)).numpy()
    entries = run.game.entries_of(q_values).astype(np.float64)
    return entries, policy_from_q_values(run.game.tree, entries, run.config.fictitious.temperature)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["toy", "random"])
@pytest.mark.parametrize(("operator", "continuation"), [("counterfactual", 1.0), ("bellman", 0.0)])
def test_deep_level_one_earns_what_the_exact_one_does(game, operator, continuation):
    settings = FictitiousSettings(continuation=continuation, max_rounds=99, discount=1.0)
    run = finish(PolicyTraining(small_game(game, fictitious=settings)))
    exact = obl_from_belief(run.game.belief, OblSettings(operator=operator, temperature="limit"))
    assert value(learned_policy(run)[1]) == pytest.approx(value(exact.policy), abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("game", ["toy", "random"])
def test_deep_level_one_that_weighs_errors_earns_what_the_exact_one_does(game):
    plain = small_game(game)
    run = finish(PolicyTraining(replace(plain, learner=replace(plain.learner, certainty=0.75, certainty_floor=0.1))))
    exact = obl_from_belief(run.game.belief, OblSettings(operator="bellman", temperature="limit"))
    assert value(learned_policy(run)[1]) == pytest.approx(value(exact.policy), abs=0.02)


def test_recurrent_networks_refuse_to_imagine_soft_play():
    with pytest.raises(UserError, match="imagine greedy play only"):
        replace(TINY, network=RecurrentSettings(), fictitious=FictitiousSettings(temperature=0.1))


@pytest.mark.slow
@pytest.mark.parametrize("game", ["toy", "tiny-hanabi", "random"])
def test_deep_level_one_at_a_temperature_is_the_exact_one(game):
    # Unique for T > 0 (Theorem 1): no ties, so policies can be compared history by history.
    settings = FictitiousSettings(continuation=0.0, max_rounds=0, discount=1.0, temperature=1.0)
    run = finish(PolicyTraining(small_game(game, fictitious=settings, steps=2500)))
    exact = obl_from_belief(run.game.belief, OblSettings(operator="bellman", temperature=1.0))
    policy = learned_policy(run)[1]
    assert value(policy) == pytest.approx(value(exact.policy), abs=0.1)
    assert policy.probs == pytest.approx(exact.policy.probs, abs=0.12)


@pytest.mark.slow
def test_deep_level_one_values_tiny_hanabi_as_the_exact_one_does_up_to_ties():
    # Second has tied actions, and what First earns depends on how they fall; so look at Second's values, and see that
    # First makes the best of the ties as they fell.
    run = finish(PolicyTraining(small_game("tiny-hanabi", steps=2500)))
    exact = obl_from_belief(run.game.belief, OblSettings(temperature="limit"))
    q_values, policy = learned_policy(run)
    tree = run.game.tree
    seconds = tree.arrays.history_player[tree.entry_history] == 1
    assert q_values[seconds] == pytest.approx(exact.q_values[seconds], abs=0.7)
    assert value(policy) == pytest.approx(best_response(policy, 0).start_value, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("operator", "continuation", "earns"), [("counterfactual", 1.0, 1.0), ("bellman", 0.0, 0.6)])
def test_deep_forms_part_where_the_exact_ones_do(operator, continuation, earns):
    settings = FictitiousSettings(continuation=continuation, max_rounds=99, discount=1.0)
    run = finish(PolicyTraining(small_game("disagreement", fictitious=settings)))
    exact = obl_from_belief(run.game.belief, OblSettings(operator=operator, temperature="limit"))
    q_values, policy = learned_policy(run)
    assert q_values == pytest.approx(exact.q_values, abs=0.15)
    assert value(policy) == pytest.approx(earns)


@pytest.mark.slow
def test_deep_self_play_ends_in_an_equilibrium_of_the_toy_game_that_obl_would_not_play():
    run = finish(PolicyTraining(small_game("toy", method="iql", exploration=(0.2, 0.4))))
    _, policy = learned_policy(run)
    assert value(policy) > 5.5  # a handshake, at least for one pet
    for player in range(2):
        assert best_response(policy, player).start_value == pytest.approx(value(policy), abs=0.05)


@pytest.mark.slow
def test_obl_learns_mini_hanabi_in_a_minute():
    # Five colour-and-rank points come from knowing nothing but the rules; a level-1 agent gets about 7.7 of 9.
    config = replace(find_preset("obl-1-mini"), steps=450, evaluation_games=1000)
    assert finish(PolicyTraining(config)).evaluate().figures["score"] > 7.0
