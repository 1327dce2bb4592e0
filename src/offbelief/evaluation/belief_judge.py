"""The slow judge of learned beliefs: the posterior over a hand by Bayes' rule, along the history of one game.

A hand that a seat might hold now was, card by card, in its hand before, and others saw it there when they moved. So

    P(hand | history)  is proportional to  P_grounded(hand) * product over moves of pi(move | what the mover saw then).

Here every earlier position is rebuilt with the hypothetical cards in their places and the policy is asked for the
probability of the move that was really made. With all hands enumerated this is exact (`exact_nats`); with many hands
drawn from a proposal it is an importance-weighted estimate (`particle_nats`). Both are far too slow for training.

The policy is the one whose belief is learned: an agent that explores at one of some rates, the same for the whole game
and equally likely (`learning/frozen_play.py`). Its own moves say nothing about the own hand, but something about the
rate.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from offbelief.agents.remembering import Player, RememberingPlayer
from offbelief.beliefs.counting import hand_log_probs
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.beliefs.hand_model import LearnedBelief, gather_choices
from offbelief.games.batched import make_streams
from offbelief.games.hanabi.remembered import split
from offbelief.games.hanabi.state import NO_CARD
from offbelief.games.hanabi.variant import MAX_KINDS, HanabiVariant
from offbelief.nouns import AnyArray, BoolArray, FloatArray, IntArray, UserError

Choose: TypeAlias = Callable[[AnyArray], IntArray]
"""Says what a policy does without exploring: games with memory [N] -> moves [N]."""

_COINS = 31  # the purpose of random streams


@dataclass(frozen=True, eq=False)
class History:
    """One game so far."""

    positions: tuple[AnyArray, ...]
    """Games with memory [1] at every turn, from the deal to the present."""
    moves: tuple[int, ...]
    """What was done at all but the present one."""


def play_histories(
    choose: Choose, game: HanabiGame, games: int, seed: int, epsilons: Sequence[float]
) -> Iterator[tuple[History, int]]:
    """Play games of a noisy policy and give each one's history up to a random turn, with its length.

    Args:
        choose: the policy without noise.
        game: Hanabi with memory.
        games: how many.
        seed: of deals, noise and turns.
        epsilons: rates of exploration, drawn with equal probability for each game.
    """
    rng = np.random.default_rng(seed)
    states = game.deal(games, seed)
    rates = rng.choice(np.asarray(epsilons), games)
    positions: list[AnyArray] = [states.copy()]
    moves: list[IntArray] = []
    while not game.is_over(states).all():
        legal = game.legal_moves(states)
        chosen = choose(states)
        for explorer in np.flatnonzero((rng.random(games) < rates) & legal.any(1)):
            chosen[explorer] = rng.choice(np.flatnonzero(legal[explorer]))
        game.step(states, chosen)
        positions.append(states.copy())
        moves.append(chosen)
    for index in range(games):
        length = int(sum(not position["is_over"][index] for position in positions))
        turn = int(rng.integers(length))
        yield (
            History(
                tuple(position[index : index + 1] for position in positions[: turn + 1]),
                tuple(int(made[index]) for made in moves[:turn]),
            ),
            length,
        )


def choose_as(agent: Player | RememberingPlayer, variant: HanabiVariant) -> Choose:
    """What an agent without memory of its own, or with the public memory, does in games with memory."""

    def choose(records: AnyArray) -> IntArray:
        states, memories = split(records)
        coins = make_streams(0, _COINS, len(states))
        if isinstance(agent, RememberingPlayer):
            return agent.act(states, variant, coins, memories)
        return agent.act(states, variant, coins)

    return choose


def log_likelihoods(
    history: History, hands: IntArray, choose: Choose | None, game: HanabiGame, epsilons: Sequence[float]
) -> FloatArray:
    """Log-probability of the game's moves if the acting seat holds other cards now.

    Args:
        history: the game.
        hands: [N, H] hands that the acting seat might hold.
        choose: the policy without noise; None for one that always explores.
        game: Hanabi with memory.
        epsilons: rates of exploration, one of which held for the whole game, each equally likely.

    Returns:
        [N] in nats.
    """
    present = history.positions[-1][0]
    seat, size = int(present["acting_seat"]), int(present["hand_sizes"][present["acting_seat"]])
    held = {int(deal): slot for slot, deal in enumerate(present["deal_indices"][seat, :size])}
    by_rate = np.zeros((len(epsilons), len(hands)))
    for position, move in zip(history.positions[:-1], history.moves, strict=True):
        if int(position["acting_seat"][0]) == seat:
            worlds = position  # it moved without seeing its own cards, so one world stands for all
        else:
            worlds = np.repeat(position, len(hands))
            for slot in range(int(position["hand_sizes"][0, seat])):
                now = held.get(int(position["deal_indices"][0, seat, slot]))
                if now is not None:
                    worlds["hands"][:, seat, slot] = hands[:, now]
        chances = 1.0 / game.legal_moves(worlds).sum(1)
        intended: BoolArray = np.zeros(len(worlds), np.bool_) if choose is None else choose(worlds) == move
        for place, epsilon in enumerate(epsilons):
            noise = 1.0 if choose is None else epsilon
            with np.errstate(divide="ignore"):
                by_rate[place] += np.log((1.0 - noise) * intended + noise * chances)
    return np.asarray(np.logaddexp.reduce(by_rate, axis=0) - np.log(len(epsilons)))


def all_hands(state: AnyArray, game: HanabiGame, most: int = 200_000) -> IntArray | None:
    """Every legal hand [N, H] of the acting seat of one game, or None if there are more than ``most``."""
    variant = game.variant
    left = np.zeros((1, MAX_KINDS), np.int64)
    possible = np.zeros((1, variant.hand_size), np.int64)
    gather_choices(split(state)[0], variant.parameters, game.acting_seats(state), left, possible)
    hands = np.full((1, variant.hand_size), NO_CARD, np.int64)
    counts = left
    for slot in range(variant.hand_size):
        if possible[0, slot] == 0:
            continue
        grown, grown_counts = [], []
        for kind in range(variant.card_kinds):
            if (possible[0, slot] >> kind) & 1:
                can = counts[:, kind] > 0
                longer, fewer = hands[can].copy(), counts[can].copy()
                longer[:, slot] = kind
                fewer[:, kind] -= 1
                grown.append(longer)
                grown_counts.append(fewer)
        hands, counts = np.concatenate(grown), np.concatenate(grown_counts)
        if len(hands) > most:
            return None
    return hands


def exact_posterior(
    history: History, hands: IntArray, choose: Choose | None, game: HanabiGame, epsilons: Sequence[float]
) -> FloatArray:
    """Log-probability [N] of every hand of `all_hands`, given the whole history."""
    prior = _log_prior(history, hands, game)
    joint = prior + log_likelihoods(history, hands, choose, game, epsilons)
    posterior: FloatArray = joint - np.logaddexp.reduce(joint)
    return posterior


def exact_nats(
    history: History, choose: Choose | None, game: HanabiGame, epsilons: Sequence[float], most: int = 200_000
) -> float | None:
    """Minus the log-probability of the hand really held, a card, by enumeration; None if there are too many hands."""
    hands = all_hands(history.positions[-1], game, most)
    if hands is None:
        return None
    true = _true_hand(history, game)
    posterior = exact_posterior(history, hands, choose, game, epsilons)
    place = int(np.flatnonzero((hands == true).all(1))[0])
    return float(-posterior[place] / (true != NO_CARD).sum())


def particle_nats(
    history: History,
    choose: Choose,
    game: HanabiGame,
    epsilons: Sequence[float],
    proposal: LearnedBelief,
    streams: AnyArray,
) -> float:
    """The same, with the sum over hands estimated from hands that a proposal draws.

    The estimate of the sum is unbiased, so that of the nats is a little low for few hands: a judge that is too strict.

    Args:
        history: the game.
        choose: the policy without noise.
        game: Hanabi with memory.
        epsilons: rates of exploration.
        proposal: draws the hands.
        streams: [N] random streams, one for every hand to draw, advanced.
    """
    if len(streams) < 2:
        raise UserError("An estimate needs at least two particles; give more streams.")
    present = np.repeat(history.positions[-1], len(streams))
    seats = game.acting_seats(present)
    hands = proposal.sample_hands(present, seats, streams)
    proposed = proposal.log_probs(present, seats, hands).sum(1)
    weights = _log_prior(history, hands, game) + log_likelihoods(history, hands, choose, game, epsilons) - proposed
    total = np.logaddexp.reduce(weights) - np.log(len(weights))
    true = _true_hand(history, game)
    joint = _log_prior(history, true[None], game) + log_likelihoods(history, true[None], choose, game, epsilons)
    return float((total - joint[0]) / (true != NO_CARD).sum())


def _true_hand(history: History, game: HanabiGame) -> IntArray:
    present = history.positions[-1][0]
    hand: IntArray = present["hands"][int(present["acting_seat"]), : game.variant.hand_size].astype(np.int64)
    return hand


def _log_prior(history: History, hands: IntArray, game: HanabiGame) -> FloatArray:
    """Log-probability [N] of hands by card counting."""
    states, _ = split(history.positions[-1])
    log_probs: FloatArray = hand_log_probs(states, game.variant, game.acting_seats(states), hands[None])[0]
    return log_probs
