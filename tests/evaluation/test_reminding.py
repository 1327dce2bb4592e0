"""Agents with a memory, asked about any turn: as they would have answered while the game was played."""

import json

import numpy as np
import pytest
import torch
from tests.games.hanabi.recording import play_randomly

from offbelief.agents.acting import look, value_moves
from offbelief.agents.loading import NetworkAgent, load_agent
from offbelief.agents.memory_agent import MemoryAgent
from offbelief.agents.networks.building import build_network, build_recurrent
from offbelief.agents.networks.feedforward import FeedForwardSettings
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.agents.recurrent_agent import RecurrentAgent
from offbelief.agents.remembering import Seated
from offbelief.agents.seat_views import hanabi_views
from offbelief.beliefs.hanabi_game import HanabiGame, ViewSettings
from offbelief.evaluation.match import play_team
from offbelief.evaluation.mind import disagreements, imagine_transition, q_values_of, read_mind, states_of
from offbelief.evaluation.reminding import Reminded, recall, remind
from offbelief.games.batched import make_streams
from offbelief.games.hanabi.gamefiles import read_games
from offbelief.games.hanabi.memory import new_memories
from offbelief.games.hanabi.remembered import join
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.interfaces.terminal import play as terminal_play
from offbelief.interfaces.verbs import watch
from offbelief.learning.fictitious import FictitiousSettings, Imagination
from offbelief.nouns import UserError

MINI = HanabiVariant.parse("mini")
CPU = torch.device("cpu")


def memory_agent(seed: int = 0) -> MemoryAgent:
    torch.manual_seed(seed)
    game = HanabiGame(MINI, view=ViewSettings(memory=True))
    return MemoryAgent("remembering", game, build_network(game, FeedForwardSettings(width=16)).eval())


def recurrent_agent() -> RecurrentAgent:
    torch.manual_seed(0)
    game = HanabiGame(MINI, "v0-belief")
    views = hanabi_views(game, greedy_move=False)
    settings = RecurrentSettings(memory="lstm", width=8, lstm_layers=1, private_layers=1)
    return RecurrentAgent("recurrent", game, views, build_recurrent(views, settings).eval())


def coins(seed: int = 0):
    return make_streams(seed, 1, 1)


@pytest.mark.parametrize("make", [memory_agent, recurrent_agent])
def test_reminded_agent_answers_as_the_one_that_sat_through_the_game(make):
    agent, record = make(), play_randomly("mini", 1)[0]
    states = states_of(record)
    seated = [Seated(agent, seat, states[:1], MINI) for seat in range(2)]
    whole = remind(agent, MINI, states, record.moves)
    values = q_values_of(whole, states, MINI)
    streams = make_streams(0, 1, len(states))
    for turn, seat in enumerate(states["acting_seat"].tolist()):
        present = states[turn : turn + 1]
        expected = int(seated[seat].act(present, np.array([0]), coins())[0])
        reminded = remind(agent, MINI, [states[each : each + 1] for each in range(turn + 1)], record.moves, turn)
        for asked in (reminded, recall(seated[seat], agent)):
            mind = read_mind(asked, present, MINI, coins())
            assert expected == mind.chosen == mind.moves[0].move
            assert mind.moves[0].value == pytest.approx(values[turn].max(), abs=1e-5)
        if turn + 1 < len(states):
            for one in seated:
                one.watch(present, np.array(record.moves[turn : turn + 1]), states[turn + 1 : turn + 2])
    np.testing.assert_array_equal(values.argmax(axis=1), whole.act(states, MINI, streams))
    assert (len(states), MINI.num_moves) == values.shape


def test_values_of_a_memory_agent_are_those_of_its_network_on_games_with_memory():
    agent, record = memory_agent(), play_randomly("mini", 1)[0]
    states = states_of(record)
    games = join(states[:1], new_memories(states[:1]))
    for turn, move in enumerate(record.moves):
        expected = value_moves(agent.network, look(agent.game, games, CPU)).numpy()
        reminded = remind(agent, MINI, states[: turn + 1], record.moves, turn)
        np.testing.assert_allclose(expected, q_values_of(reminded, states[turn : turn + 1], MINI), atol=1e-5)
        agent.game.step(games, np.array([move]))


def test_memory_goes_on_in_imagined_games():
    agent, record = memory_agent(), play_randomly("mini", 1)[0]
    states = states_of(record)
    imagination = Imagination(agent.game, agent.network, agent.network, FictitiousSettings(continuation=0.0), CPU)
    for turn, move in enumerate(record.moves):
        reminded = remind(agent, MINI, states[: turn + 1], record.moves, turn)
        assert isinstance(reminded, Reminded)
        games = join(states[turn : turn + 1], reminded.memory)
        seen = imagine_transition(reminded, states[turn : turn + 1], move, MINI, coins(turn))
        expected = imagination.targets(games, np.array([move]), coins(turn))[0]
        assert expected == pytest.approx(seen.target, abs=1e-5)
        assert json.loads(json.dumps(seen.as_json()))["seat"] == seen.seat


def test_agents_with_and_without_memory_are_compared():
    record = play_randomly("mini", 1)[0]
    states = states_of(record)
    one, other = (remind(memory_agent(seed), MINI, states, record.moves) for seed in range(2))
    plain = load_agent("bot:iggi")
    assert plain is remind(plain, MINI, states, record.moves)
    assert [] == disagreements(one, one, MINI, states)
    assert disagreements(one, other, MINI, states)
    assert disagreements(one, plain, MINI, states)


def test_unreminded_agent_is_refused_in_the_middle_of_a_game():
    states = states_of(play_randomly("mini", 1)[0])
    for agent in (memory_agent(), recurrent_agent()):
        assert read_mind(agent, states[:1], MINI, coins()).moves[0].value is not None  # a fresh game needs no memory
        with pytest.raises(UserError):
            read_mind(agent, states[3:4], MINI, coins())


def test_private_memory_cannot_be_imagined_on():
    record = play_randomly("mini", 1)[0]
    states = states_of(record)
    reminded = remind(recurrent_agent(), MINI, states[:2], record.moves, 1)
    for agent, present in ((recurrent_agent(), states[:1]), (reminded, states[1:2])):
        with pytest.raises(UserError, match="imagine with another"):
            imagine_transition(agent, present, MINI.first_play, MINI, coins())


@pytest.mark.parametrize("make", [memory_agent, recurrent_agent])
def test_remembering_agents_are_watched_and_played_with(make, capsys, monkeypatch, tmp_path):
    agent = make()
    for module in (watch, terminal_play):
        monkeypatch.setattr(module, "load_table", lambda names, variant: (dict.fromkeys(names, agent), MINI))
    assert 0 == watch.run(watch.Arguments(agents=("remembering",), seed=5, json=True))
    moves = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert play_team([agent, agent], MINI, 1, 5).scores[0] == moves[-1]["score"]
    assert "next best" in moves[-1]["sentence"] or "just as good" in moves[-1]["sentence"]

    monkeypatch.setattr("builtins.input", lambda prompt: "play 0")
    assert 0 == terminal_play.play_in_terminal(["remembering"], "mini", 5, folder=tmp_path)
    (record,) = read_games(next(tmp_path.glob("*.jsonl")))
    states = states_of(record)
    for turn in range(1, len(record.moves), 2):  # the partner's turns
        reminded = remind(agent, MINI, states[: turn + 1], record.moves, turn)
        assert reminded.act(states[turn : turn + 1], MINI, coins())[0] == record.moves[turn]


def test_network_without_memory_needs_no_reminding():
    game = HanabiGame(MINI)
    agent = NetworkAgent("plain", game, build_network(game, FeedForwardSettings(width=8)).eval())
    assert agent is remind(agent, MINI, states_of(play_randomly("mini", 1)[0]), [])
