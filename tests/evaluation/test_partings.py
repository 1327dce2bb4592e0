"""Where agents part: nowhere from themselves, and at the turn that asking one by one finds."""

import numpy as np
import pytest
import torch

from offbelief.agents.loading import NetworkAgent
from offbelief.agents.memory_agent import MemoryAgent
from offbelief.agents.networks.building import build_network
from offbelief.agents.networks.cardwise import CardwiseSettings
from offbelief.agents.scripted import scripted_policy
from offbelief.beliefs.hanabi_game import HanabiGame, ViewSettings
from offbelief.evaluation.conventions import keep_games
from offbelief.evaluation.mind import disagreements
from offbelief.evaluation.partings import compare_moves, tell_parting, tell_partings
from offbelief.evaluation.reminding import remind
from offbelief.games.hanabi.variant import HanabiVariant

MINI = HanabiVariant.parse("mini")


def untrained(memory, seed):
    torch.manual_seed(seed)
    game = HanabiGame(MINI, view=ViewSettings(memory=memory))
    network = build_network(game, CardwiseSettings(card_width=8, trunk_width=12, head_width=8)).eval()
    for parameter in network.parameters():  # also the weights of the memory, which begin at zero
        torch.nn.init.normal_(parameter, std=0.3)
    return (MemoryAgent if memory else NetworkAgent)("somebody", game, network)


@pytest.fixture(scope="module")
def players():
    return {"plain": untrained(False, 0), "memory": untrained(True, 1), "iggi": scripted_policy("iggi")}


@pytest.mark.parametrize("name", ["plain", "memory"])
def test_nobody_parts_from_itself(players, name):
    kept = keep_games(players[name], MINI, 10, seed=1)
    same = compare_moves(kept, players[name])
    assert (1.0, 1.0) == (same.share, same.whole_games)
    assert np.isnan(same.first_turn)
    assert tell_parting(kept, 0, players[name], players[name]) is None
    assert [] == tell_partings(kept, players[name], players[name])


def test_moves_are_compared_as_if_asked_one_by_one(players):
    """In batches with seats that watch, and alone with a reminder: the same answers."""
    kept = keep_games(players["iggi"], MINI, 6, seed=2)
    found = compare_moves(kept, players["memory"])
    firsts = []
    for game in range(6):
        length = kept.length(game)
        states = np.ascontiguousarray(kept.states[:length, game])
        moves = kept.moves[:length, game].tolist()
        other = remind(players["memory"], MINI, states, moves)
        answers = other.act(states, MINI, np.zeros(length, np.uint64)).tolist()
        expected = [answer == move for answer, move in zip(answers, moves, strict=True)]
        assert expected == found.same[:length, game].tolist()
        assert not found.same[length:, game].any()
        firsts += [1 + expected.index(False)] if False in expected else []
    assert np.median(firsts) == found.first_turn
    assert 0.0 < found.share < 1.0


def test_parting_is_the_first_turn_that_is_no_tie(players):
    kept = keep_games(players["plain"], MINI, 4, seed=5)
    states = np.ascontiguousarray(kept.states[: kept.length(0), 0])
    moves = kept.moves[: kept.length(0), 0].tolist()
    other = remind(players["memory"], MINI, states, moves)
    all_turns = [one.turn for one in disagreements(players["plain"], other, MINI, states) if not one.is_tie]
    told = tell_parting(kept, 0, players["plain"], players["memory"], least=0.0)
    assert all_turns[0] == told.turn
    assert f"Turn {told.turn + 1}:" in told.table
    assert "??" in told.table  # the seat's own cards stay hidden
    assert told.move_a.split()[-1] in told.mind_a
    assert told.move_a != told.move_b
    assert told.mind_a != told.mind_b
    assert set(told.as_json()) == {"game", "turn", "table", "move_a", "move_b", "mind_a", "mind_b"}


def test_parting_is_one_that_both_mean(players):
    kept = keep_games(players["plain"], MINI, 4, seed=5)
    states = np.ascontiguousarray(kept.states[: kept.length(0), 0])
    other = remind(players["memory"], MINI, states, kept.moves[: kept.length(0), 0].tolist())
    losses = {one.turn: min(one.loss_a, one.loss_b) for one in disagreements(players["plain"], other, MINI, states)}
    least = sorted(losses.values())[-2]  # all but the clearest two are left out
    expected = min(turn for turn, loss in losses.items() if loss >= least)
    assert expected > min(losses)
    assert expected == tell_parting(kept, 0, players["plain"], players["memory"], least=least).turn
    assert tell_parting(kept, 0, players["plain"], players["memory"], least=max(losses.values()) + 1.0) is None


def test_partings_are_told_in_order_and_no_more_than_asked(players):
    kept = keep_games(players["plain"], MINI, 4, seed=5)
    told = tell_partings(kept, players["plain"], players["iggi"], most=2)
    assert 2 == len(told)
    assert told[0].game < told[1].game


def test_ties_are_no_partings(players):
    """Somebody who holds all moves for equal makes the first one, and minds no other."""
    indifferent = untrained(False, 0)
    for parameter in indifferent.network.parameters():
        torch.nn.init.zeros_(parameter)
    kept = keep_games(indifferent, MINI, 2, seed=0)
    assert compare_moves(kept, players["plain"]).share < 1.0
    assert tell_parting(kept, 0, indifferent, players["plain"]) is None
