"""Imagined games of seats that remember, against a judge that unrolls whole histories and carries no memory."""

import copy

import numpy as np
import pytest
import torch

from offbelief.agents.networks.building import build_recurrent
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.agents.seat_views import hanabi_views
from offbelief.beliefs.building import build_belief
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.beliefs.hand_model import HandModelSettings
from offbelief.learning.fictitious import FictitiousSettings
from offbelief.learning.sequence_fictitious import RememberingImagination
from offbelief.learning.sequence_rollout import SequenceRollout

GAMES, DISCOUNT = 12, 0.9
CPU = torch.device("cpu")


class _Recorded:
    """A rollout after some steps, with everything that its seats saw."""

    def __init__(self, variant="mini", memory="public-lstm", steps=7, rates=(0.0,), seed=3, learned=False):
        belief = build_belief(variant, HandModelSettings(card_width=8, trunk_width=8)) if learned else None
        game = HanabiGame(variant, "v0-belief", belief=belief, carries_memory=learned)
        self.views = hanabi_views(game)
        torch.manual_seed(seed)
        self.network = build_recurrent(self.views, RecurrentSettings(width=12, memory=memory))
        self.rollout = SequenceRollout(
            self.views, self.network, GAMES, seed, rates, temperature=0.0, device=CPU, keeps_targets=True
        )
        self.past = [[] for _ in range(GAMES)]  # of every game, what all seats saw, [P, F] and [P, A] at each step
        for step in range(steps):
            self.look()
            if step < steps - 1:
                rng = np.random.default_rng(step)  # any moves, so that games differ
                legal = game.legal_moves(self.rollout.states)
                self.rollout.advance(np.array([rng.choice(np.flatnonzero(row)) for row in legal]))
        self.moves = self.rollout.act(self.network)

    def look(self):
        self.rollout.look(self.network)
        for number, past in enumerate(self.past):
            if self.rollout.games.lengths[number] == 0:
                past.clear()
            past.append((self.rollout.observations[:, number], self.rollout.legal[:, number]))

    def imagine(self, form, target=None, **settings):
        chosen = FictitiousSettings(**{"form": form, "continuation": 0.0, "discount": DISCOUNT, **settings})
        return RememberingImagination(self.rollout, self.network, target or self.network, chosen).targets(self.moves)

    def values(self, number, seat, *imagined, replace_last=False):
        """Q-values of a seat of a game, unrolled over the real past and then over imagined states."""
        past = [(observations[seat], legal[seat]) for observations, legal in self.past[number]]
        new = [self.views.see(states, np.array([seat])) for states in imagined]
        new = [(torch.from_numpy(view.observations[0]), torch.from_numpy(view.legal[0])) for view in new]
        steps = (past[:-1] if replace_last else past) + new
        with torch.no_grad():
            q_values, _ = self.network(
                torch.stack([step[0] for step in steps])[:, None], torch.stack([step[1] for step in steps])[:, None]
            )
        return q_values[-1, 0].masked_fill(~steps[-1][1], -1e9).numpy()


@pytest.mark.parametrize(
    ("memory", "learned"), [("public-lstm", False), ("public-lstm", True), ("none", False), ("card-gru", False)]
)
@pytest.mark.parametrize("variant", ["mini", "3p-2c-3r-h3-i5-l3"])
def test_one_step_targets_are_those_of_unrolled_histories(variant, memory, learned):
    real = _Recorded(variant, memory, learned=learned)
    game, states = real.views.game, real.rollout.states
    streams = real.rollout.imagination_streams.copy()
    found = real.imagine("one-step")
    acting = game.acting_seats(states)
    for seat in range(game.num_seats):
        mine = streams[seat * GAMES : (seat + 1) * GAMES]
        imagined = game.redeal(states, mine, np.full(GAMES, seat))
        for number in range(GAMES):
            world = imagined[number : number + 1].copy()
            move = real.moves[number]
            if acting[number] != seat:  # the actor sees another hand of mine, and chooses anew
                move = real.values(number, acting[number], world, replace_last=True).argmax()
            expected = game.step(world, np.array([move]))[0]
            if not game.is_over(world)[0]:
                expected += DISCOUNT * real.values(number, seat, world).max()
            assert expected == pytest.approx(found[seat, number], abs=1e-4)


@pytest.mark.parametrize("learned", [False, True], ids=["grounded", "learned"])
@pytest.mark.parametrize("variant", ["mini", "3p-2c-3r-h3-i5-l3"])
def test_own_turn_targets_are_those_of_unrolled_histories(variant, learned):
    real = _Recorded(variant, learned=learned)
    game, states = real.views.game, real.rollout.states
    streams = real.rollout.imagination_streams.copy()
    found = real.imagine("own-turn")
    acting = game.acting_seats(states)
    imagined = game.redeal(states, streams[:GAMES])
    assert game.num_seats - 1 == np.isnan(found).sum(0).min() == np.isnan(found).sum(0).max()
    for number in range(GAMES):
        world = imagined[number : number + 1].copy()
        expected, weight, since = game.step(world, real.moves[number : number + 1])[0], DISCOUNT, []
        while not game.is_over(world)[0]:
            since.append(world.copy())
            actor = int(game.acting_seats(world)[0])
            values = real.values(number, actor, *since)
            if actor == acting[number]:
                expected += weight * values.max()
                break
            expected += weight * game.step(world, np.array([values.argmax()]))[0]
            weight *= DISCOUNT
        assert expected == pytest.approx(found[acting[number], number], abs=1e-4)


def test_own_turn_may_play_on_to_the_end():
    real = _Recorded()
    found = real.imagine("own-turn", continuation=1.0, max_rounds=99)
    values = found[np.isfinite(found)]
    # Nothing is valued by a network any more: with a discount of 0.9 and whole points only sums of powers are left.
    undiscounted = real.imagine("own-turn", continuation=1.0, max_rounds=99, discount=1.0)
    undiscounted = undiscounted[np.isfinite(undiscounted)]
    assert GAMES == len(values)
    assert np.array_equal(undiscounted, np.round(undiscounted))


@pytest.mark.parametrize("form", ["one-step", "own-turn"])
def test_target_network_values_what_the_online_network_chooses(form):
    real = _Recorded()
    other = copy.deepcopy(real.network)
    with torch.no_grad():
        other.state_value.bias += 1.0
    streams = real.rollout.imagination_streams.copy()
    plain = real.imagine(form)
    real.rollout.imagination_streams[:] = streams
    shifted = real.imagine(form, target=other)
    steps = 1 if form == "one-step" else 2
    gaps = (shifted - plain)[np.isfinite(plain)]
    is_over = np.isclose(gaps, 0.0, atol=1e-4)
    assert np.isclose(gaps, DISCOUNT**steps, atol=1e-4)[~is_over].all()
    assert is_over.sum() < GAMES


@pytest.mark.parametrize("form", ["one-step", "own-turn"])
def test_real_games_and_memories_are_untouched(form):
    real = _Recorded()
    states, memory = real.rollout.states.copy(), real.rollout.memory.clone()
    streams = real.rollout.exploration_streams.copy()
    real.imagine(form)
    assert np.array_equal(states, real.rollout.states)
    assert torch.equal(memory, real.rollout.memory)
    assert np.array_equal(streams, real.rollout.exploration_streams)


def test_public_memory_is_the_same_in_every_imagined_world_and_a_private_one_is_not():
    for memory, is_same in (("public-lstm", True), ("card-gru", True), ("lstm", False)):
        real = _Recorded(memory=memory)
        imagined = real.views.game.redeal(real.rollout.states, real.rollout.imagination_streams[:GAMES])
        partner = 1 - real.views.game.acting_seats(imagined)
        before = torch.from_numpy(np.random.default_rng(0).random((GAMES, *real.network.memory_shape), np.float32))
        with torch.no_grad():
            remembered = [
                real.network.remember(torch.from_numpy(real.views.see(states, partner).observations), before)
                for states in (real.rollout.states, imagined)
            ]
        assert is_same == torch.equal(*remembered)


def test_partner_explores_at_its_own_rate_in_the_one_step_form():
    real = _Recorded()
    acting = real.views.game.acting_seats(real.rollout.states)
    streams = real.rollout.imagination_streams.copy()
    greedy = real.imagine("one-step")
    real.rollout.epsilons[:] = 1.0
    real.rollout.imagination_streams[:] = streams
    exploring = real.imagine("one-step")
    numbers = np.arange(GAMES)
    assert np.array_equal(greedy[acting, numbers], exploring[acting, numbers])  # my own move is the real one
    assert not np.allclose(greedy[1 - acting, numbers], exploring[1 - acting, numbers])


def test_samples_are_averaged():
    real = _Recorded()
    streams = real.rollout.imagination_streams.copy()
    one_by_one = [real.imagine("one-step") for _ in range(3)]
    real.rollout.imagination_streams[:] = streams
    assert np.mean(one_by_one, axis=0) == pytest.approx(real.imagine("one-step", samples=3), abs=1e-5)
