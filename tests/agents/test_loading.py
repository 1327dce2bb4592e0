import numpy as np
import pytest

from offbelief.agents.loading import NetworkAgent, load_agent, load_belief, zoo_beliefs, zoo_card, zoo_names
from offbelief.agents.scripted import ScriptedPolicy
from offbelief.errors import UserError
from offbelief.games.batched import NO_MOVE, make_streams
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.learning.config import RunConfig
from offbelief.learning.run import create_run, train


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "tiny"
    config = RunConfig(game="very-small", steps=2, games=8, batch_size=8, warmup=8, evaluations=1, evaluation_games=4)
    create_run(folder, config)
    train(folder, report=lambda _: None)
    return folder


def test_run_folder_gives_its_agent(run):
    agent = load_agent(str(run))
    assert isinstance(agent, NetworkAgent)
    batch = HanabiBatch("very-small", 10)
    moves = agent.act(batch.states, batch.variant, make_streams(0, 1, 10))
    assert batch.legal_moves()[np.arange(10), moves].all()
    batch.states["is_over"][0] = True
    assert NO_MOVE == agent.act(batch.states, batch.variant, make_streams(0, 1, 10))[0]


def test_scripted_player_is_found_by_its_prefix():
    assert isinstance(load_agent("bot:iggi"), ScriptedPolicy)


def test_agent_refuses_another_variant(run):
    batch = HanabiBatch("mini", 2)
    with pytest.raises(UserError, match="very-small and cannot play mini"):
        load_agent(str(run)).act(batch.states, HanabiVariant.parse("mini"), make_streams(0, 1, 2))


def test_unfinished_run_says_how_to_go_on(tmp_path):
    create_run(tmp_path, RunConfig())
    with pytest.raises(UserError, match="obl resume"):
        load_agent(str(tmp_path))


def test_truncated_weights_are_one_sentence(run, tmp_path):
    whole = (run / "agent.safetensors").read_bytes()
    (tmp_path / "agent.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(UserError, match="are broken"):
        load_agent(str(tmp_path))


def test_unknown_agent_lists_where_to_look():
    with pytest.raises(UserError, match="bot:iggi"):
        load_agent("nobody")
    with pytest.raises(UserError, match="zoo"):
        zoo_card("nobody")


def test_every_agent_of_the_zoo_has_a_card_and_plays():
    for name in zoo_names():
        card = zoo_card(name)
        assert {"command", "seed", "cpu_minutes", "score", "sem", "parents", "versions"} <= set(card)
        assert load_agent(name).name == name
        assert set(card["parents"]) <= {*zoo_names(), *zoo_beliefs()}


def test_every_belief_of_the_zoo_has_a_card_and_loads():
    for name in zoo_beliefs():
        card = zoo_card(name)
        assert card["nats_a_card"] < card["nats_a_card_grounded"]
        assert set(card["parents"]) <= {*zoo_names(), *zoo_beliefs()}
        assert card["game"] == load_belief(name).game.name


@pytest.mark.parametrize("name", ["obl-1-a", "obl-2-a"])
def test_temperature_softens_what_an_agent_plays(name):
    variant = HanabiVariant()
    deals = HanabiBatch(variant, 200, seed=1).save()

    def play(temperature):
        return load_agent(name, temperature=temperature).act(deals, variant, make_streams(0, 0, len(deals)))

    best = play(0.0)
    assert np.array_equal(best, play(1e-7))
    assert np.array_equal(play(0.1), play(0.1))  # the coins are the streams'
    assert (best != play(0.1)).mean() < (best != play(1e6)).mean()
    assert len(np.unique(play(1e6))) == 20 - 5  # anything legal: nothing can be discarded with all hints there


def test_only_networks_know_a_temperature():
    with pytest.raises(UserError, match="cannot play softly"):
        load_agent("bot:iggi", temperature=0.5)
