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
from offbelief.learning.backward import policy_from_q_values
from offbelief.learning.config import RunConfig, from_json, to_json
from offbelief.learning.exact_baselines import value
from offbelief.learning.exact_obl import OblSettings, obl_from_belief
from offbelief.learning.fictitious import FictitiousSettings
from offbelief.learning.learner import LearnerSettings
from offbelief.learning.replay import ReplaySettings
from offbelief.learning.run import create_run, open_training, train
from offbelief.learning.sequence_batch import play_again
from offbelief.learning.sequence_training import SequenceTraining, rename_colours
from offbelief.learning.train_policy import EVALUATION_SEED
from offbelief.streams import new_stream

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
    "obl-card-gru": replace(TINY, method="obl", network=replace(PUBLIC, memory="card-gru", card_width=4)),
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


@pytest.mark.parametrize(
    "changes",
    [
        {"replay": replace(TINY.replay, importance_exponent=0.0)},
        {"replay": replace(TINY.replay, priority_exponent=0.0)},
        {"learner": replace(TINY.learner, card_task=0.25)},
        {"learner": replace(TINY.learner, loss="squared")},
        {"n_step": 1},
        {"shuffle_colours": True},
    ],
    ids=lambda changes: "-".join(changes),
)
def test_every_setting_makes_a_difference(changes):
    config = replace(TINY, game="2p-2c-2r-h2-i3-l2")
    one, other = (finish(SequenceTraining(chosen)).learner.average for chosen in (config, replace(config, **changes)))
    assert not torch.equal(one.state_value.weight, other.state_value.weight)


def test_games_learned_under_other_names_earn_the_same():
    run = finish(SequenceTraining(replace(TINY, game="mini", view=ViewSettings(announced=True))))
    drawn = run.replay.sample(20, new_stream(0))
    renamed = rename_colours(drawn, run.game, new_stream(1))
    plain, other = (play_again(run.played_views, chosen, run.device) for chosen in (drawn, renamed))
    assert torch.equal(plain.rewards, other.rewards)
    assert torch.equal(plain.legal.sum(-1), other.legal.sum(-1))
    assert torch.allclose(plain.observations.sum(-1), other.observations.sum(-1))
    assert not torch.equal(plain.observations, other.observations)
    assert not torch.equal(plain.moves, other.moves)
    # The greedy moves are renamed too: they are legal, so they change the last-move block and nothing else.
    told = run.game.observation_size
    assert torch.equal(plain.observations[..., told:].sum(-1), other.observations[..., told:].sum(-1))


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


# --- exact twins, and small Hanabi ------------------------------------------------------------------------------------


def small(game, **changes):
    settings = {
        "steps": 600,
        "games": 32,
        "batch_size": 32,
        "updates_per_step": 2,
        "replay": ReplaySettings(capacity=800),
        "warmup": 256,
        "exploration": (0.5, 1.0),
        "shuffle_colours": False,
        "fictitious": FictitiousSettings(continuation=0.0, discount=1.0),
        "learner": LearnerSettings(learning_rate=5e-3, final_learning_rate=1e-4, average_rate=0.02, target_rate=0.05),
        "network": RecurrentSettings(width=32, lstm_layers=1, private_layers=1),
    }
    return RunConfig(game=game, **{**settings, **changes})


def learned_policy(run):
    """Q-values [L] of every policy entry, unrolled over what its player saw until then, and the greedy policy."""
    tree = run.game.tree
    arrays = tree.arrays
    q_values = np.zeros(tree.num_entries)
    for history in np.flatnonzero(np.diff(arrays.entry_start)):
        nodes = [int(tree.history_example[history])]
        while arrays.parent[nodes[-1]] >= 0:
            nodes.append(int(arrays.parent[nodes[-1]]))
        states = np.zeros(len(nodes), run.rollout.states.dtype)
        states["node"] = nodes[::-1]
        seen = run.views.see(states, np.full(len(nodes), arrays.history_player[history]))
        with torch.no_grad():
            observations, legal = (torch.from_numpy(part)[:, None] for part in seen)
            values = run.average(observations, legal)[0][-1, 0].numpy()
        entries = slice(arrays.entry_start[history], arrays.entry_start[history + 1])
        q_values[entries] = values[tree.entry_action[entries]]
    return q_values, policy_from_q_values(tree, q_values, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "steps"), [("toy", 600), ("tiny-hanabi", 1200), ("random", 800)])
def test_public_lstm_earns_what_exact_level_one_does(game, steps):
    run = finish(SequenceTraining(small(game, steps=steps)))
    exact = obl_from_belief(run.game.belief, OblSettings(operator="bellman", temperature="limit"))
    assert value(exact.policy) == pytest.approx(value(learned_policy(run)[1]), abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("operator", "fictitious", "exploration", "earns"),
    [
        ("bellman", FictitiousSettings(continuation=0.0, discount=1.0), (0.5, 1.0), 0.6),
        ("counterfactual", FictitiousSettings(continuation=1.0, max_rounds=99, discount=1.0), (0.5, 1.0), 1.0),
        # Partners explore in this form, so it explores little, and its values are a little off.
        ("bellman", FictitiousSettings(form="one-step", discount=1.0), (0.3,), 0.6),
    ],
)
def test_forms_with_memory_part_where_the_exact_ones_do(operator, fictitious, exploration, earns):
    run = finish(SequenceTraining(small("disagreement", fictitious=fictitious, exploration=exploration)))
    exact = obl_from_belief(run.game.belief, OblSettings(operator=operator, temperature="limit"))
    q_values, policy = learned_policy(run)
    assert exact.q_values == pytest.approx(q_values, abs=0.2 if fictitious.form == "own-turn" else 0.4)
    assert earns == pytest.approx(value(policy))


SELF_PLAY = {
    "n_step": 3,
    "exploration": (0.0,),
    "temperature": 2.0,  # greedy learners find only one half of a handshake, and a barrier for the other
    "replay": ReplaySettings(capacity=400),
    "network": RecurrentSettings(memory="lstm", width=32, lstm_layers=1),
}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["vdn", "iql"])
def test_self_play_finds_the_optimum_of_the_toy_game(method):
    # Learners may also end in a worse equilibrium, so a few may try.
    runs = (SequenceTraining(small("toy", method=method, seed=seed, **SELF_PLAY)) for seed in range(4))
    assert any(value(learned_policy(finish(run))[1]) == pytest.approx(10.0) for run in runs)


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [
        {"method": "iql", "network": RecurrentSettings(memory="lstm", width=64, lstm_layers=1)},
        {"method": "vdn", "network": RecurrentSettings(memory="none", width=64)},
        {"method": "vdn", "view": ViewSettings(announced=True)},
        {"method": "iql", "other_play": True, "learner": {"card_task": 0.25}},
        {"method": "obl", "n_step": 1, "fictitious": FictitiousSettings(form="one-step")},
        {"method": "obl", "n_step": 1, "fictitious": FictitiousSettings(continuation=0.0)},
    ],
    ids=["iql", "vdn", "sad", "op-aux", "obl-one-step", "obl-own-turn"],
)
def test_every_method_learns_small_hanabi(changes):
    # Untrained networks score at most half a point of 4.
    rates = {"learning_rate": 2e-3, "final_learning_rate": 2e-4, "average_rate": 0.02, "target_rate": 0.05}
    settings = {
        "steps": 400,
        "updates_per_step": 1,
        "exploration": (0.0, 0.1, 0.3),
        "n_step": 3,
        "replay": ReplaySettings(capacity=4000, priority_exponent=0.9),
        "network": RecurrentSettings(width=64, lstm_layers=1, private_layers=2),
        **changes,
        "learner": LearnerSettings(**{**rates, **changes.get("learner", {})}),
    }
    assert finish(SequenceTraining(small("2p-2c-2r-h2-i3-l2", **settings))).evaluate().figures["score"] > 1.3
