"""Self-play end to end: runs resume to the bit, deliver agents that load, and reach what the exact solver says."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from tests.learning.test_train_policy import TINY, finish, small_game, weights

from offbelief.agents.acting import greedy_moves, look, look_around, value_moves
from offbelief.agents.loading import load_agent
from offbelief.agents.networks.feedforward import FeedForwardSettings
from offbelief.beliefs.hanabi_game import ViewSettings
from offbelief.errors import UserError
from offbelief.evaluation.match import play_team
from offbelief.games.hanabi.colours import draw_permutations
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.learning.backward import policy_from_q_values
from offbelief.learning.exact_baselines import best_response, self_play_optimum, value
from offbelief.learning.learner import LearnerSettings
from offbelief.learning.methods.auxiliary import card_labels
from offbelief.learning.presets import find_preset
from offbelief.learning.run import create_run, train
from offbelief.learning.train_policy import PolicyTraining
from offbelief.streams import new_stream

METHODS = {
    "iql with two turns": replace(TINY, method="iql", n_step=2),
    "vdn": replace(TINY, method="vdn", n_step=3),
    "vdn with memory": replace(TINY, method="vdn", view=ViewSettings(memory=True), shuffle_colours=False),
    "sad": replace(TINY, method="vdn", view=ViewSettings(last_move=True, announced=True)),
    "aux": replace(TINY, method="iql", learner=LearnerSettings(card_task=0.25)),
    "aux, feed-forward": replace(
        TINY, method="iql", learner=LearnerSettings(card_task=0.25), network=FeedForwardSettings(width=16, layers=1)
    ),
    "op": replace(TINY, method="iql", other_play=True),
    "obl, weighed": replace(TINY, learner=LearnerSettings(certainty=0.75)),
    "everything": replace(
        TINY,
        method="vdn",
        other_play=True,
        view=ViewSettings(last_move=True, announced=True),
        learner=LearnerSettings(card_task=0.25, certainty=1.0),
        temperature=0.1,
    ),
}


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("config", METHODS.values(), ids=METHODS.keys())
def test_resumed_run_equals_an_uninterrupted_one_to_the_bit(config, tmp_path):
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


@pytest.mark.parametrize("name", ["vdn with memory", "everything", "obl, weighed"])
def test_agent_is_delivered_without_what_only_training_needs(name, tmp_path):
    create_run(tmp_path / "run", METHODS[name])
    assert train(tmp_path / "run", report=lambda _: None)
    agent = load_agent(str(tmp_path / "run"))
    assert not any(
        "waiting" in key or "card_classes" in key or "variances" in key for key in agent.network.state_dict()
    )
    assert 10 == len(play_team([agent, agent], HanabiVariant.parse("very-small"), 10, 0).scores)


def test_methods_differ_from_each_other():
    # The first updates see the same games: what differs is what is learned from them.
    ends = {name: weights(finish(PolicyTraining(METHODS[name])))[:100] for name in ("iql with two turns", "aux", "op")}
    first, second, third = ends.values()
    assert not torch.equal(first, second)
    assert not torch.equal(second, third)


def test_seats_of_vdn_learn_the_joint_value_and_not_each_its_own():
    run = finish(PolicyTraining(METHODS["vdn"]))
    seen = look_around(run.played, run.rollout.states, torch.device("cpu"))
    alone = look(run.played, run.rollout.states, torch.device("cpu"))
    joint, own = value_moves(run.learner.online, seen), value_moves(run.learner.online, alone)
    waiting = run.learner.online.value_waiting(seen.observations[:, 1]).detach()
    legal = seen.legal
    assert torch.allclose((own + waiting)[legal], joint[legal], atol=1e-5)


@pytest.mark.parametrize(
    "changes",
    [
        {"other_play": True},
        {"view": ViewSettings(announced=True)},
        {"learner": LearnerSettings(card_task=0.25)},
    ],
)
def test_small_games_refuse_what_is_about_hanabi(changes):
    with pytest.raises(UserError, match="about Hanabi"):
        PolicyTraining(small_game("toy", method="iql", **changes))


def test_announced_moves_are_refused_where_games_are_imagined():
    with pytest.raises(UserError, match="iql or vdn"):
        replace(TINY, view=ViewSettings(announced=True))


@pytest.mark.parametrize("changes", [{"temperature": -1.0}, {"n_step": 0}])
def test_impossible_settings_are_refused(changes):
    with pytest.raises(UserError, match="or more"):
        replace(TINY, **changes)


def test_weight_of_the_card_task_is_not_negative():
    with pytest.raises(UserError, match="must not be negative"):
        LearnerSettings(card_task=-0.25)


def test_card_task_learns_what_cards_are():
    # With a weight that drowns the values, the encoder learns the task: guesses beat always naming the commonest class.
    learner = LearnerSettings(card_task=100.0, learning_rate=3e-3, final_learning_rate=3e-3)
    config = replace(TINY, game="mini", method="iql", learner=learner, steps=150, games=64, batch_size=64)
    run = finish(PolicyTraining(config))
    states = run.rollout.states
    seen = look(run.game, states, torch.device("cpu"))
    with torch.no_grad():
        guesses = run.learner.online.forward_all(seen.observations, seen.legal).guesses
    labels = torch.from_numpy(card_labels(states, run.game.variant))
    held = labels >= 0
    loss = torch.nn.functional.cross_entropy(guesses[held], labels[held])
    shares = torch.bincount(labels[held], minlength=3) / held.sum()
    assert loss < -(shares * shares.clamp(min=1e-9).log()).sum() - 0.1


# --- exact twins and scores -------------------------------------------------------------------------------------------


def greedy_policy(run):
    observations, legal = run.game.observe_decisions()
    with torch.no_grad():
        q_values = run.learner.average(torch.from_numpy(observations), torch.from_numpy(legal)).numpy()
    return policy_from_q_values(run.game.tree, run.game.entries_of(q_values).astype(np.float64), 0.0)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "method", "n_step"), [("toy", "vdn", 2), ("tiny-hanabi", "iql", 1)])
def test_self_play_reaches_the_exact_optimum(game, method, n_step):
    # Not every seed does: these games have worse equilibria, from which no seat gets away alone.
    run = finish(PolicyTraining(small_game(game, method=method, n_step=n_step, exploration=(0.2, 0.4), steps=1000)))
    assert self_play_optimum(run.game.tree).value == pytest.approx(value(greedy_policy(run)))


@pytest.mark.slow
def test_joint_value_of_vdn_is_what_its_policy_earns():
    # Of the first move, whose true joint value is a sum: the second player has seen nothing yet.
    run = finish(PolicyTraining(small_game("toy", method="vdn", exploration=(0.05, 0.1), steps=1000)))
    seen = look_around(run.game, run.game.deal(400, 5), torch.device("cpu"))
    joint = value_moves(run.learner.average, seen).max(dim=1).values.mean()
    policy = greedy_policy(run)
    assert value(policy) == pytest.approx(float(joint), abs=0.3)
    for player in range(2):
        assert best_response(policy, player).start_value == pytest.approx(value(policy), abs=0.05)


@pytest.mark.slow
def test_vdn_learns_mini_hanabi_in_a_minute():
    config = replace(find_preset("vdn-mini"), steps=500)
    assert finish(PolicyTraining(config)).evaluate().figures["score"] > 7.0


@pytest.mark.slow
def test_other_play_treats_renamed_games_alike_and_plain_self_play_does_not():
    agreement = {}
    for name in ("iql-mini", "op-mini"):
        run = finish(PolicyTraining(replace(find_preset(name), steps=250)))
        game, states = run.game, run.game.deal(500, 9)
        same = []
        for turn in range(8):
            moves = greedy_moves(run.learner.average, look(game, states, torch.device("cpu")))
            names = draw_permutations(new_stream(turn), len(states), game.variant)
            renamed = look(game, game.rename(states, names), torch.device("cpu"))
            again = game.rename_moves(moves, names)
            same.append(greedy_moves(run.learner.average, renamed) == again)
            game.step(states, moves)
            game.restart_finished(states)
        agreement[name] = float(np.mean(same))
    assert agreement["op-mini"] > 0.9
    assert 1 - agreement["op-mini"] < 0.75 * (1 - agreement["iql-mini"])
