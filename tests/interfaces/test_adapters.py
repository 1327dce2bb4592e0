"""The PettingZoo and the Gymnasium face of Hanabi."""

import importlib
import sys

import numpy as np
import pytest

from offbelief.agents.scripted.bots import scripted_policy
from offbelief.evaluation.match import play_turns
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.state import OUT_OF_LIVES
from offbelief.games.hanabi.views.canonical import observe_canonical
from offbelief.nouns import UserError

pytest.importorskip("pettingzoo", reason="needs the extra 'pettingzoo'")
pytest.importorskip("gymnasium", reason="needs the extra 'pettingzoo'")

from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, seed_test

from offbelief.interfaces.adapters import gymnasium as gymnasium_face
from offbelief.interfaces.adapters import pettingzoo as pettingzoo_face

# PettingZoo warns of dict observations unless the environment is on a list of its own, which has hanabi_v5.
pytestmark = pytest.mark.filterwarnings("ignore:Observation (space for each agent|is not a NumPy):UserWarning")


# ---------------------------------------------------------------------------------------------------------------------
# PettingZoo
# ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["full-2p", "full-3p+random-start", "mini+cap9", "very-small"])
def test_pettingzoo_api_test_passes(variant, capsys):
    api_test(pettingzoo_face.env(variant), num_cycles=200)
    api_test(pettingzoo_face.HanabiAEC(variant), num_cycles=200)


@pytest.mark.parametrize("variant", ["full-2p", "full-5p+random-start"])
def test_pettingzoo_seed_test_passes(variant):
    seed_test(lambda: pettingzoo_face.env(variant), num_cycles=100)


def play_aec(environment, seed: int | None, choose) -> tuple[list[float], list[bool]]:
    """Play one game; returns the rewards that player_0 got in all, and whether it was cut short."""
    environment.reset(seed=seed)
    totals = dict.fromkeys(environment.possible_agents, 0.0)
    cut = []
    for agent in environment.agent_iter():
        observation, reward, termination, truncation, _ = environment.last()
        totals[agent] += reward
        if termination or truncation:
            cut.append(truncation)
        environment.step(None if termination or truncation else choose(observation["action_mask"]))
    return list(totals.values()), cut


@pytest.mark.parametrize("variant", ["full-3p", "mini+cards-played", "full-2p+random-start"])
def test_every_agent_gets_the_score_of_the_game(variant):
    generator = np.random.default_rng(0)
    environment = pettingzoo_face.HanabiAEC(variant)
    reasons = set()
    for seed in range(10):
        totals, cut = play_aec(environment, seed, lambda mask: generator.choice(np.flatnonzero(mask)))
        game = environment.game.states[0]
        assert {float(game["score"])} == set(totals)
        assert [False] * len(totals) == cut
        reasons.add(int(game["end_reason"]))
    assert OUT_OF_LIVES in reasons


def test_the_turn_cap_is_a_truncation():
    environment = pettingzoo_face.HanabiAEC("full-2p+cap4")
    _, cut = play_aec(environment, 0, lambda mask: np.flatnonzero(mask)[-1])  # hints only: nobody strikes
    assert (cut, environment.game.states["turn"][0]) == ([True, True], 4)


def test_agents_see_the_canonical_observation_and_their_legal_moves():
    environment = pettingzoo_face.HanabiAEC("full-3p")
    environment.reset(seed=3)
    batch = HanabiBatch("full-3p", 1, seed=3)
    for _ in range(6):
        legal = batch.legal_moves()[0]
        for seat, agent in enumerate(environment.possible_agents):
            seen = environment.observe(agent)
            assert np.array_equal(observe_canonical(batch.states, batch.variant, seat)[0], seen["observation"])
            expected = legal if agent == environment.agent_selection else np.zeros_like(legal)
            assert np.array_equal(expected, seen["action_mask"])
            assert environment.observation_space(agent).contains(seen)
        move = int(np.flatnonzero(legal)[-1])
        batch.step([move])
        environment.step(move)


def test_a_seed_begins_a_series_of_deals_and_none_goes_on_with_it():
    environment = pettingzoo_face.HanabiAEC()
    decks = []
    for seed in (5, None, None, 5, None):
        environment.reset(seed=seed)
        decks.append(tuple(environment.game.states["deck"][0]))
    assert decks[:2] == decks[3:]
    assert len(set(decks)) == 3
    fresh = [pettingzoo_face.HanabiAEC(), pettingzoo_face.HanabiAEC()]
    for one in fresh:
        one.reset()
    assert fresh[0].game.states["deck"].tolist() != fresh[1].game.states["deck"].tolist()


def test_illegal_moves_are_refused_or_end_the_wrapped_game():
    raw = pettingzoo_face.HanabiAEC()
    raw.reset(seed=1)
    with pytest.raises(UserError, match="turn 1: 'discard slot 0'"):
        raw.step(0)
    with pytest.raises(UserError, match="not None"):
        raw.step(None)
    wrapped = pettingzoo_face.env()
    wrapped.reset(seed=1)
    wrapped.step(0)
    assert all(wrapped.terminations.values())


def test_pettingzoo_renders_text(capsys):
    environment = pettingzoo_face.HanabiAEC("mini", render_mode="ansi")
    environment.reset(seed=1)
    assert "Turn 1: seat 0 to move" in environment.render()
    human = pettingzoo_face.HanabiAEC("mini", render_mode="human")
    human.reset(seed=1)
    human.step(3)
    assert "Turn 2: seat 1 to move" in capsys.readouterr().out
    with pytest.raises(UserError, match="without a render_mode"):
        pettingzoo_face.HanabiAEC("mini").render()
    with pytest.raises(UserError, match="render_mode is 'rgb'"):
        pettingzoo_face.HanabiAEC("mini", render_mode="rgb")


# ---------------------------------------------------------------------------------------------------------------------
# Gymnasium
# ---------------------------------------------------------------------------------------------------------------------


class Spy:
    """A partner that plays its first legal move and notes who it was asked to move for."""

    def __init__(self) -> None:
        self.seats: list[int] = []

    def act(self, states, variant, streams):
        assert (1,) == states.shape == streams.shape
        self.seats.append(int(states["acting_seat"][0]))
        return np.argmax(HanabiBatch.from_states(variant, states).legal_moves(), axis=1)


def play_single(environment, seed: int | None) -> tuple[list[bytes], float, dict]:
    """Play one game with the highest legal move; returns what was seen, the sum of rewards and the last info."""
    observation, info = environment.reset(seed=seed)
    seen, total, over = [], 0.0, False
    while not over:
        assert environment.observation_space.contains(observation)
        seen.append(observation["observation"].tobytes())
        move = np.flatnonzero(observation["action_mask"])[-1]
        observation, reward, terminated, truncated, info = environment.step(move)
        total += reward
        over = terminated or truncated
    return seen, total, info


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_partners_move_in_between_and_each_for_its_own_seat(seat):
    spies = [Spy(), Spy()]
    environment = gymnasium_face.HanabiWithPartners(spies, variant="full-3p", seat=seat)
    observation, info = environment.reset(seed=2)
    assert seat == info["turn"]  # the seats before the learner have moved
    assert observation["action_mask"].any()
    _, total, info = play_single(environment, 2)
    assert info["score"] == total
    assert [{(seat + 1) % 3}, {(seat + 2) % 3}] == [set(spy.seats) for spy in spies]


def test_a_game_that_ends_before_the_learners_turn_is_dealt_anew():
    # With one life, a blind first play ends most games before seat 1 has a turn.
    environment = gymnasium_face.HanabiWithPartners([Spy()], variant="small", seat=1)
    for seed in range(5):
        observation, info = environment.reset(seed=seed)
        assert (info["turn"], info["score"]) == (1, 1)
        assert observation["action_mask"].any()
    with pytest.raises(UserError, match="no game reached seat 1"):
        gymnasium_face.HanabiWithPartners([Spy()], variant="mini+cap1", seat=1).reset(seed=1)


def test_one_partner_serves_all_other_seats():
    spy = Spy()
    environment = gymnasium_face.HanabiWithPartners([spy], variant="full-4p", seat=1)
    play_single(environment, 2)
    assert {0, 2, 3} == set(spy.seats)


def test_partners_coins_go_on_from_game_to_game():
    class Tosser(Spy):
        coins: tuple[int, ...] = ()

        def act(self, states, variant, streams):
            self.coins += (int(streams[0]),)
            streams[0] += np.uint64(1)
            return super().act(states, variant, streams)

    tosser = Tosser()
    environment = gymnasium_face.HanabiWithPartners([tosser], seat=1)
    for seed in (4, None, 4):
        environment.reset(seed=seed)
    first, second, again = tosser.coins
    assert (first + 1, first) == (second, again)


@pytest.mark.parametrize("name", ["random", "iggi"])
def test_the_same_seed_gives_the_same_games_and_the_next_ones_differ(name):
    first = gymnasium_face.HanabiWithPartners([scripted_policy(name)], seat=1)
    second = gymnasium_face.HanabiWithPartners([scripted_policy(name)], seat=1)
    games = [[play_single(environment, seed) for seed in (4, None)] for environment in (first, second)]
    assert data_equivalence(games[0], games[1])
    assert games[0][0] != games[0][1]
    assert games[0][0] == play_single(first, 4)


def test_a_scripted_partner_scores_with_a_scripted_learner():
    policy = scripted_policy("iggi")
    environment = gymnasium_face.HanabiWithPartners([policy])
    scores = []
    for game in range(20):
        environment.reset(seed=game)
        streams, over = np.array([game], dtype=np.uint64), False
        while not over:
            move = policy.act(environment.game.states, environment.game.variant, streams)[0]
            *_, over, _, info = environment.step(move)
        scores.append(info["score"])
    assert 14 < np.mean(scores) < 20  # IGGI with itself: about 17


class Listener:
    """A partner that remembers every move of its game and lets all of them decide what it does next."""

    def new_memory(self, states, seat):
        return np.full(len(states), seat)

    def remember(self, memory, before, moves, after, seat):
        assert np.array_equal(before["turn"] + ~before["is_over"], after["turn"])
        memory[:] = (31 * memory + 7 * moves + after["score"]) % 1009

    def act(self, states, variant, streams, memory=None):
        legal = HanabiBatch.from_states(variant, states).legal_moves()
        calm = [np.flatnonzero(row)[::-1] for row in legal]  # from the last hint on, so that games take long
        return np.array([moves[heard % max(1, len(moves) - 4)] for moves, heard in zip(calm, memory, strict=True)])


@pytest.mark.parametrize(("variant", "seat"), [("full-2p", 1), ("full-3p", 0), ("full-3p", 2)])
def test_partners_with_memory_play_as_they_do_in_a_match(variant, seat):
    # The learner repeats the moves of a match; partners play that match again only if they saw every move of it.
    environment = gymnasium_face.HanabiWithPartners([Listener()], variant=variant, seat=seat)
    players = environment.game.variant.players
    turns = list(play_turns([Listener()] * players, environment.game.variant, 3, seed=8))
    assert len(turns) > 10
    for game in range(3):
        environment.reset(seed=8 if game == 0 else None)
        for before, moves, _ in turns:
            if not before["is_over"][game] and before["acting_seat"][game] == seat:
                environment.step(moves[game])
        assert turns[-1][2][game].tobytes() == environment.game.states[0].tobytes()


def test_the_turn_cap_truncates_for_gymnasium_too():
    environment = gymnasium_face.HanabiWithPartners([scripted_policy("iggi")], variant="full-2p+cap2")
    observation, _ = environment.reset(seed=1)
    *_, terminated, truncated, info = environment.step(np.flatnonzero(observation["action_mask"])[-1])
    assert (terminated, truncated, info["turn"]) == (False, True, 2)


def test_gymnasium_refuses_what_cannot_be():
    bot = scripted_policy("iggi")
    with pytest.raises(UserError, match="has 3 partners but 2 policies"):
        gymnasium_face.HanabiWithPartners([bot, bot], variant="full-4p")
    with pytest.raises(UserError, match="seat is 2"):
        gymnasium_face.HanabiWithPartners([bot], seat=2)
    with pytest.raises(UserError, match="render_mode is 'human'"):
        gymnasium_face.HanabiWithPartners([bot], render_mode="human")
    environment = gymnasium_face.HanabiWithPartners([bot])
    environment.reset(seed=1)
    with pytest.raises(UserError, match="turn 1: 'discard slot 0'"):
        environment.step(0)


def test_gymnasium_renders_what_the_learner_sees():
    environment = gymnasium_face.HanabiWithPartners([scripted_policy("iggi")], render_mode="ansi")
    environment.reset(seed=1)
    assert environment.render().count("??") == 5
    assert gymnasium_face.HanabiWithPartners([scripted_policy("iggi")]).render() is None


@pytest.mark.parametrize("library", ["pettingzoo", "gymnasium"])
def test_a_missing_library_is_a_sentence_that_names_the_extra(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)  # as if it were not installed
    face = f"offbelief.interfaces.adapters.{library}"
    monkeypatch.delitem(sys.modules, face)
    with pytest.raises(UserError, match=r"pip install 'offbelief\[pettingzoo\]'"):
        importlib.import_module(face)
