import numpy as np
import pytest
import torch

from offbelief.agents.networks.building import build_recurrent
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.agents.recurrent_agent import RecurrentAgent
from offbelief.agents.scripted import scripted_policy
from offbelief.agents.seat_views import hanabi_views
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.evaluation.match import MatchResult, play_team
from offbelief.evaluation.story import tell_game, typical_deal
from offbelief.games.hanabi.variant import HanabiVariant

MINI = HanabiVariant.parse("mini")


@pytest.fixture(scope="module")
def story():
    return tell_game([scripted_policy("iggi")] * 2, MINI, seed=3, deal=5)


def test_told_game_ends_as_it_says(story):
    last = story.turns[-1]
    assert story.score == last.score == sum(last.fireworks)
    assert 2 == len(story.hands)
    assert all(MINI.hand_size == len(hand) for hand in story.hands)


def test_told_game_is_the_deal_that_is_asked_for(story):
    # IGGI flips no coins in a game of two, so the match plays the same game.
    assert play_team([scripted_policy("iggi")] * 2, MINI, 6, seed=3).scores[5] == story.score


def test_turns_tell_what_happened_and_why(story):
    actors = [turn.what.partition(" ")[0] for turn in story.turns]
    assert ["Alice", "Bob"] * (len(actors) // 2) + ["Alice"] * (len(actors) % 2) == actors
    assert all(turn.why.endswith(".") for turn in story.turns)
    gained = np.diff([0] + [turn.score for turn in story.turns])
    assert [("it scores" in turn.what) for turn in story.turns] == (gained == 1).tolist()


def test_typical_deal_is_the_first_of_the_median_among_those_of_the_first_seat_order():
    played = MatchResult(np.array([9, 2, 5, 4, 5, 0, 0, 0, 0, 0]), np.zeros(10, bool), np.zeros(4, int), 9)
    assert 2 == typical_deal(played, 5)


def test_agents_with_a_memory_play_as_in_a_match(monkeypatch):
    torch.manual_seed(1)
    game = HanabiGame(MINI, "v0-belief")
    views = hanabi_views(game, greedy_move=False)
    network = build_recurrent(views, RecurrentSettings(memory="lstm", width=8, lstm_layers=1, private_layers=1))
    for parameter in network.parameters():
        parameter.data.mul_(4.0)  # so that memory tells
    team = [RecurrentAgent("recurrent", game, views, network.eval())] * 2
    act, moves = RecurrentAgent.act, []

    def noting(agent, *given):
        chosen = act(agent, *given)
        moves.append(int(chosen[0]))
        return chosen

    monkeypatch.setattr(RecurrentAgent, "act", noting)
    told = tell_game(team, MINI, seed=0, deal=0)
    in_the_story = list(moves)
    moves.clear()
    play_team(team, MINI, 1, seed=0)
    assert moves == in_the_story
    assert len(moves) == len(told.turns) > 2
