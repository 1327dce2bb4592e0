"""Minds of trained and scripted agents: numbers against their sources, sentences against the numbers."""

import dataclasses
import json
import re

import numpy as np
import pytest
import torch
from tests.games.hanabi.recording import play_randomly
from torch import Tensor, nn

from offbelief.agents.acting import look, value_moves
from offbelief.agents.loading import NetworkAgent, load_agent
from offbelief.agents.networks.building import build_network
from offbelief.agents.networks.feedforward import FeedForwardSettings
from offbelief.beliefs.counting import hand_marginals
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.evaluation.mind import disagreements, imagine_transition, judge_move, q_values_of, read_mind, states_of
from offbelief.games.batched import make_streams
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.learning.fictitious import FictitiousSettings, Imagination
from offbelief.nouns import UserError

VARIANTS = ["mini", "3p-2c-3r-h3-i5-l3", "5p-3c-3r-h2-i3-l1"]
CPU = torch.device("cpu")


def new_agent(variant: str, seed: int = 0) -> NetworkAgent:
    torch.manual_seed(seed)
    game = HanabiGame(variant)
    return NetworkAgent(f"fresh-{seed}", game, build_network(game, FeedForwardSettings(width=16)).eval())


def positions(variant: str, games: int = 3):
    """Every turn of some random games, as [1] states."""
    for record in play_randomly(variant, games):
        states = states_of(record)
        yield from (states[turn : turn + 1] for turn in range(len(states)))


def coins(seed: int = 0):
    return make_streams(seed, 1, 1)


@pytest.mark.parametrize("variant", VARIANTS)
def test_mind_holds_the_agents_own_numbers(variant):
    agent, rules = new_agent(variant), HanabiVariant.parse(variant)
    for states in positions(variant):
        mind = read_mind(agent, states, rules, coins())
        values = value_moves(agent.network, look(agent.game, states, CPU)).numpy()[0]
        legal = np.flatnonzero(agent.game.legal_moves(states)[0]).tolist()
        assert sorted(legal) == sorted(known.move for known in mind.moves)
        assert {move: float(values[move]) for move in legal} == {known.move: known.value for known in mind.moves}
        assert sorted((known.value for known in mind.moves), reverse=True) == [known.value for known in mind.moves]
        assert agent.act(states, rules, coins())[0] == mind.chosen == mind.moves[0].move
        assert int(states["acting_seat"][0]) == mind.seat
        np.testing.assert_array_equal(hand_marginals(states, rules)[0], mind.belief)
        assert mind.as_json() == json.loads(json.dumps(mind.as_json()))


@pytest.mark.parametrize("variant", VARIANTS)
def test_sentence_says_what_the_numbers_say(variant):
    agent, rules = new_agent(variant), HanabiVariant.parse(variant)
    seen = set()
    for states in positions(variant, games=6):
        mind = read_mind(agent, states, rules, coins())
        said = mind.sentence
        seen.add(said.split()[0])
        if len(mind.moves) > 1:
            lower = re.search(r"next best: (.+), ([0-9.]+) lower\.$", said)
            if lower is not None:
                assert mind.moves[1].label == lower[1]
                assert f"{mind.moves[0].value - mind.moves[1].value:.2f}" == lower[2]
            else:
                assert re.search(r"(less than 0.01 lower|just as good)\.$", said)
        # The game, not our tables, says what is playable: put every kind the seat may hold into the slot and play it.
        play = re.match(r"Plays slot (\d): P\(playable\) = ([0-9.]+);", said)
        if play is not None:
            slot, chance = int(play[1]), 0.0
            for kind in np.flatnonzero(mind.belief[slot]):
                height = int(states["fireworks"][0, kind // rules.ranks])
                chance += mind.belief[slot, kind] * (kind % rules.ranks == height)
            assert chance == pytest.approx(float(play[2]), abs=0.0051)
        hint = re.match(r"Hints \w+(?: to seat (\d))?: touches (\d) cards?, (.*?) ?(?:of them )?playable now", said)
        if hint is not None:
            after = states.copy()
            agent.game.step(after, np.array([mind.chosen]))
            touched = int(after["last_touched"][0])
            target = int(after["last_target"][0])
            assert touched.bit_count() == int(hint[2])
            assert hint[1] is None or target == int(hint[1])
            now = 0
            for slot in range(rules.hand_size):
                kind = int(states["hands"][0, target, slot])
                if (touched >> slot) & 1:
                    now += states["fireworks"][0, kind // rules.ranks] == kind % rules.ranks
            assert hint[3] == (["none", "1", "2", "3"][now] if touched.bit_count() > 1 else "" if now else "not")
    assert seen <= {"Plays", "Discards", "Hints"}
    assert len(seen) >= 2


def test_mind_does_not_know_its_hidden_cards():
    agent, rules, streams = new_agent("mini"), HanabiVariant.parse("mini"), coins(3)
    for states in positions("mini"):
        other = agent.game.redeal(states, streams)
        assert read_mind(agent, states, rules, coins()).as_json() == read_mind(agent, other, rules, coins()).as_json()


@pytest.mark.parametrize("variant", VARIANTS)
def test_scripted_mind_has_beliefs_and_no_values(variant):
    agent, rules = load_agent("bot:piers"), HanabiVariant.parse(variant)
    for states in positions(variant, games=1):
        mind = read_mind(agent, states, rules, coins(5))
        assert agent.act(states, rules, coins(5))[0] == mind.chosen
        assert {None} == {known.value for known in mind.moves}
        assert "best" not in mind.sentence
        np.testing.assert_allclose(1.0, mind.belief[: states["hand_sizes"][0, mind.seat]].sum(axis=1))
    assert q_values_of(agent, states, rules) is None


def test_judged_move_is_ranked_among_the_alternatives():
    agent, rules = new_agent("mini"), HanabiVariant.parse("mini")
    for states in positions("mini", games=1):
        mind = read_mind(agent, states, rules, coins())
        for place, known in enumerate(mind.moves):
            judged = judge_move(agent, states, known.move, rules, coins())
            assert (known.value, known.label) == (judged.value, judged.label)
            assert place + 1 == judged.rank
            if place == 0:
                assert judged.sentence.startswith("The agent would do the same")
            else:
                gap = f"{mind.moves[0].value - known.value:.2f}"
                more = gap if gap != "0.00" else "less than 0.01"
                assert f"The agent would rather {mind.moves[0].label}: {more} more." == judged.sentence
    assert judged.as_json() == json.loads(json.dumps(judged.as_json()))


def test_scripted_judge_names_its_own_move():
    agent, rules = load_agent("bot:iggi"), HanabiVariant.parse("mini")
    states = next(positions("mini"))
    mind = read_mind(agent, states, rules, coins())
    favourite = next(known for known in mind.moves if known.move == mind.chosen)
    other = next(known for known in mind.moves if known.move != mind.chosen)
    judged = judge_move(agent, states, other.move, rules, coins())
    assert (None, f"The agent would rather {favourite.label}.") == (judged.rank, judged.sentence)
    assert "The agent would do the same." == judge_move(agent, states, mind.chosen, rules, coins()).sentence


class _Indifferent(nn.Module):
    """Holds every move for equally good."""

    def forward(self, observations: Tensor, legal: Tensor) -> Tensor:
        return torch.zeros(legal.shape)


def test_disagreements_are_the_turns_where_moves_differ():
    first, second, rules = new_agent("mini", 0), new_agent("mini", 1), HanabiVariant.parse("mini")
    record = play_randomly("mini", 1)[0]
    states = states_of(record)
    assert len(record.moves) == len(states)
    found = disagreements(first, second, rules, states)
    streams = make_streams(0, 1, len(states))
    moves_a, moves_b = first.act(states, rules, streams), second.act(states, rules, streams)
    assert np.flatnonzero(moves_a != moves_b).tolist() == [each.turn for each in found]
    assert 0 < len(found)
    for each in found:
        minds = [read_mind(agent, states[each.turn : each.turn + 1], rules, coins()) for agent in (first, second)]
        assert [each.move_a, each.move_b] == [mind.chosen for mind in minds]
        values = [{known.move: known.value for known in mind.moves} for mind in minds]
        assert values[0][each.move_a] - values[0][each.move_b] == pytest.approx(each.loss_a, abs=1e-5)
        assert values[1][each.move_b] - values[1][each.move_a] == pytest.approx(each.loss_b, abs=1e-5)
        assert not each.is_tie
        assert each.as_json()["label_a"] == minds[0].moves[0].label
    assert [] == disagreements(first, first, rules, states)


def test_disagreement_by_the_order_of_equal_moves_is_a_tie():
    game = HanabiGame("mini")
    indifferent = NetworkAgent("indifferent", game, _Indifferent())
    found = disagreements(indifferent, new_agent("mini"), game.variant, states_of(play_randomly("mini", 1)[0]))
    assert found
    assert all(each.is_tie and each.loss_a == 0.0 for each in found)
    bots = disagreements(indifferent, load_agent("bot:iggi"), game.variant, states_of(play_randomly("mini", 1)[0]))
    assert all(each.is_tie and each.loss_b is None for each in bots)
    judged_states = next(positions("mini"))
    mind = read_mind(indifferent, judged_states, game.variant, coins())
    assert mind.sentence.endswith(f"; {mind.moves[1].label} is just as good.")
    judged = judge_move(indifferent, judged_states, mind.moves[-1].move, game.variant, coins())
    assert (1, True) == (judged.rank, judged.sentence.endswith("holds this move for no worse."))


@pytest.mark.parametrize("variant", VARIANTS)
def test_imagined_transition_gives_the_target_that_learning_computes(variant):
    agent, rules = new_agent(variant), HanabiVariant.parse(variant)
    settings = FictitiousSettings(continuation=0.0)
    ended = 0
    for number, states in enumerate(positions(variant)):
        before = states.copy()
        for move in np.flatnonzero(agent.game.legal_moves(states)[0])[::2].tolist():
            seen = imagine_transition(agent, states, move, rules, coins(number))
            imagination = Imagination(agent.game, agent.network, agent.network, settings, CPU)
            expected = imagination.targets(states, np.array([move]), coins(number))[0]
            assert expected == pytest.approx(seen.target, abs=1e-5)
            hand = agent.game.redeal(states, coins(number))["hands"][0, seen.seat, : len(seen.hand)]
            assert hand.tolist() == list(seen.hand)
            assert (move, seen.seat) == (seen.steps[0].move, seen.steps[0].seat)
            assert seen.is_over or rules.players == len(seen.steps)
            ended += seen.is_over
            assert f"Target {seen.target:.2f}" in seen.sentence
            assert json.loads(json.dumps(seen.as_json()))["sentence"] == seen.sentence
        assert np.array_equal(before, states)
    assert ended > 0


def test_scripted_players_imagine_without_values():
    rules, states = HanabiVariant.parse("mini"), next(positions("mini"))
    seen = imagine_transition(load_agent("bot:iggi"), states, rules.first_play, rules, coins())
    assert (2, None, None, None) == (len(seen.steps), seen.value, seen.target, seen.estimate)
    assert seen.sentence.startswith(
        f"seat 0 imagines {' '.join(seen.cards)}: seat 0 played {seen.cards[0]} from slot 0"
    )


def test_names_stand_in_labels_and_sentences():
    agent, rules = load_agent("bot:iggi"), HanabiVariant.parse("full-3p")
    names = ["Alice", "Bob", "Cathy"]
    states = next(positions("full-3p", games=1))
    mind = read_mind(agent, states, rules, coins(), names=names)
    assert any(known.label.endswith(" to Cathy") for known in mind.moves)
    assert not any("seat" in known.label for known in mind.moves)
    assert imagine_transition(agent, states, 5, rules, coins(), names=names).sentence.startswith("Alice imagines ")


def test_bad_questions_are_one_sentence():
    agent, rules = new_agent("mini"), HanabiVariant.parse("mini")
    states = next(positions("mini")).copy()
    with pytest.raises(UserError, match="one game at a time"):
        read_mind(agent, np.concatenate([states, states]), rules, make_streams(0, 1, 2))
    with pytest.raises(UserError, match="hint tokens are there"):
        judge_move(agent, states, 0, rules, coins())
    with pytest.raises(UserError, match="move 99 does not exist"):
        imagine_transition(agent, states, 99, rules, coins())
    with pytest.raises(UserError, match="trained for mini and cannot value"):
        q_values_of(agent, states, dataclasses.replace(rules, lives=1))
    states["is_over"] = True
    states["end_reason"] = 1
    with pytest.raises(UserError, match="The game is over"):
        read_mind(agent, states, rules, coins())
