"""The judge of beliefs: Bayes' rule by hand on one move, calibration over games, particles against enumeration."""

import numpy as np
import pytest
import torch

from offbelief.agents.scripted import scripted_policy
from offbelief.beliefs.counting import hand_log_probs
from offbelief.beliefs.hanabi_game import HanabiGame, ViewSettings
from offbelief.beliefs.hand_model import HandModel, HandModelSettings, LearnedBelief
from offbelief.evaluation.belief_judge import (
    History,
    all_hands,
    choose_as,
    exact_nats,
    exact_posterior,
    particle_nats,
    play_histories,
)
from offbelief.games.batched import make_streams
from offbelief.games.hanabi.remembered import split

GAME = HanabiGame("mini", view=ViewSettings(memory=True))
RANKS = GAME.variant.ranks


def discards_by_colour(records):
    """Discards slot 0 if the next seat's oldest card is of the first colour, else slot 1."""
    acting = GAME.acting_seats(records)
    oldest = records["hands"][np.arange(len(records)), (acting + 1) % 2, 0]
    return np.where(oldest < RANKS, 0, 1)


def one_move(seed, move):
    """A game in which the first seat spent a token, the second one too, and then the first did `move`."""
    states = GAME.deal(1, seed)
    positions, moves = [states.copy()], []
    for _ in range(2):  # discards are legal once a token is spent
        hint = int(np.flatnonzero(GAME.legal_moves(states)[0])[-1])
        GAME.step(states, np.array([hint]))
        positions.append(states.copy())
        moves.append(hint)
    GAME.step(states, np.array([move]))
    return History((*positions, states.copy()), (*moves, move))


def test_a_move_that_depends_on_a_colour_tells_that_colour():
    history = one_move(seed=0, move=0)
    hands = all_hands(history.positions[-1], GAME)
    posterior = np.exp(exact_posterior(history, hands, discards_by_colour, GAME, (0.2,)))
    assert np.isclose(1.0, posterior.sum())
    prior = np.exp(hand_log_probs(split(history.positions[-1])[0], GAME.variant, None, hands[None])[0])
    fits = hands[:, 0] < RANKS
    # The two hints are explored in every world; the discard is intended in worlds that fit and explored in others, with
    # a chance of one in the number of legal moves, which depends on the hints that the hand allows.
    worlds = np.repeat(history.positions[2], len(hands))
    seat = int(history.positions[-1]["acting_seat"][0])
    worlds["hands"][:, seat, : hands.shape[1]] = hands
    chances = [1.0 / GAME.legal_moves(worlds).sum(1)]
    worlds = np.repeat(history.positions[0], len(hands))
    worlds["hands"][:, seat, : hands.shape[1]] = hands
    chances.append(1.0 / GAME.legal_moves(worlds).sum(1))
    expected = prior * (0.8 * fits + 0.2 * chances[0]) * chances[1]
    assert np.allclose(expected / expected.sum(), posterior)
    assert posterior[fits].sum() > prior[fits].sum() + 0.1


def test_all_hands_are_those_of_the_grounded_belief():
    history = one_move(seed=1, move=0)
    hands = all_hands(history.positions[-1], GAME)
    prior = hand_log_probs(split(history.positions[-1])[0], GAME.variant, None, hands[None])[0]
    assert np.isclose(1.0, np.exp(prior).sum())
    assert len(hands) == len(np.unique(hands, axis=0))
    assert all_hands(history.positions[-1], GAME, most=10) is None


@pytest.mark.slow
@pytest.mark.parametrize("player", ["iggi", None])
def test_the_posterior_is_calibrated_and_beats_card_counting(player):
    """Over many games the first card is of a kind as often as the posterior says, and nats fall."""
    choose = choose_as(scripted_policy(player), GAME.variant) if player else None
    played = choose or (lambda records: np.zeros(len(records), np.int64))
    rates = (0.05, 0.3) if player else (1.0,)
    said, happened, judge, counted = [], [], [], []
    for history, _ in play_histories(played, GAME, 250, 5, rates):
        hands = all_hands(history.positions[-1], GAME)
        posterior = np.exp(exact_posterior(history, hands, choose, GAME, rates))
        true = history.positions[-1]["hands"][0, int(history.positions[-1]["acting_seat"][0]), : hands.shape[1]]
        for kind in range(GAME.variant.card_kinds):
            said.append(posterior[hands[:, 0] == kind].sum())
            happened.append(float(true[0] == kind))
        judge.append(exact_nats(history, choose, GAME, rates))
        prior = hand_log_probs(split(history.positions[-1])[0], GAME.variant, None, true[None].astype(np.int64))
        counted.append(-prior[0] / (true != 255).sum())
    said, happened = np.array(said), np.array(happened)
    for low, high in ((0.02, 0.2), (0.2, 0.5), (0.5, 0.98)):
        among = (said > low) & (said < high)
        if among.sum() > 50:
            spread = np.sqrt(said[among].mean() * (1 - said[among].mean()) / among.sum())
            assert abs(happened[among].mean() - said[among].mean()) < 4 * spread
    gain = np.mean(counted) - np.mean(judge)
    assert gain > 0.05 if player else abs(gain) < 0.02


@pytest.mark.slow
def test_particles_come_close_to_enumeration():
    torch.manual_seed(0)
    model = HandModel(GAME, HandModelSettings(card_width=16, trunk_width=24, head_width=16, older_width=8))
    proposal = LearnedBelief(GAME, model)
    choose = choose_as(scripted_policy("iggi"), GAME.variant)
    rates = (0.1, 0.3)
    exact, estimated = [], []
    for place, (history, _) in enumerate(play_histories(choose, GAME, 12, 3, rates)):
        exact.append(exact_nats(history, choose, GAME, rates))
        estimated.append(particle_nats(history, choose, GAME, rates, proposal, make_streams(place, 1, 4000)))
    assert np.allclose(exact, estimated, atol=0.1)
    assert abs(np.mean(exact) - np.mean(estimated)) < 0.02
