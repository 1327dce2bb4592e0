"""What does a seat's private history say about its hand beyond the public history and what it sees now?

Exactly, on Hanabi so small that every deck can be tried: eight cards, 1120 decks. A deck's probability given a history
is that of the moves in it, if it fits what was seen. Three answers for the own hand are compared:

- *private*: the deck must fit all that the seat saw, turn by turn;
- *public and present*: it must fit what all saw, turn by turn, and what the seat sees now;
- *digested*: a memory that hears public things only takes in each move when it is made: it works out what the move
  says about the hand held then from what all know by then. What the seat sees now comes in at the end, by counting.

The first two are the same for any number of players, since a card that has left a hand lies open on the table: whoever
sees the hands now and remembers the public game knows which hands there were. The third is the same with two players,
where a move depends on nothing hidden but the hand in question. With three it is not: what a partner's move said
depended on the third hand, which the public did not know when the move was made.
"""

import functools
import itertools

import numpy as np
import pytest

from offbelief.beliefs.counting import hand_log_probs
from offbelief.beliefs.hanabi_game import HanabiGame, ViewSettings
from offbelief.evaluation.belief_judge import History, all_hands, exact_posterior
from offbelief.games.batched import NO_MOVE
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.memory import new_memories
from offbelief.games.hanabi.remembered import join, split
from offbelief.games.hanabi.state import NO_CARD

EPSILON = 0.1
RULES = "2c-2r-h2-i2-l3"


def make_game(players):
    return HanabiGame(f"{players}p-{RULES}", view=ViewSettings(memory=True))


@functools.cache
def all_decks(variant):
    """[D, N] every order of the cards."""
    decks = [[]]
    for _ in range(variant.deck_size):
        copies = variant.copies_by_kind
        decks = [
            [*deck, kind] for deck in decks for kind in range(variant.card_kinds) if deck.count(kind) < copies[kind]
        ]
    return np.array(decks)


def from_decks(game, decks):
    states = HanabiBatch.from_decks(game.variant, decks).states
    return join(states, new_memories(states))


def some_policy(game, seed):
    """A policy of public memory: a random function of the acting seat's view and of what everybody remembers."""
    weights = np.random.default_rng(seed).normal(size=(game.observation_size, game.num_moves))

    def choose(records):
        scores = game.observe(records) @ weights
        return np.where(game.legal_moves(records), scores, -np.inf).argmax(1)

    return choose


class Worlds:
    """All decks, played through the moves of one game: which fit, and how likely they make the moves of others."""

    def __init__(self, game, choose, deck, moves, me):
        decks = all_decks(game.variant)
        self.game, self.me, self.real = game, me, int(np.flatnonzero((decks == deck).all(1))[0])
        size, seats, real = len(decks), np.full(len(decks), me), self.real
        paper = HanabiGame(game.variant, "v0-belief")  # shows the last move as well, with the card that it turned over
        columns = np.concatenate([game.public_columns, game.observation_size + paper.public_columns])
        records = from_decks(game, decks)
        self.private, self.public = np.ones(size, bool), np.ones(size, bool)
        self.likelihood = np.ones(size)
        self.positions, chances = [], []
        for move in [*moves, None]:
            self.positions.append(records[real : real + 1].copy())
            seen = np.concatenate([game.observe(records, seats), paper.observe(split(records)[0], seats)], axis=1)
            same = (seen == seen[real]).all(1)
            self.private &= same
            self.public &= (seen[:, columns] == seen[real, columns]).all(1)
            if move is None:
                break
            legal = game.legal_moves(records)
            chance = (1 - EPSILON) * (choose(records) == move) + EPSILON * legal[:, move] / np.maximum(1, legal.sum(1))
            if game.acting_seats(records)[real] != me:  # own moves say nothing about the own hand
                chances.append((self._held(records), self.public.copy(), self.likelihood.copy(), chance))
                self.likelihood *= chance
            game.step(records, np.where(legal[:, move], move, NO_MOVE))
            self.private &= legal[:, move]
            self.public &= legal[:, move]
        self.public_and_present = self.public & same
        self.held, self.chances = self._held(records), chances
        self.hands = [tuple(hand) for hand in decks[:, self.held].tolist()]
        self.present, _ = split(records[real : real + 1])

    def _held(self, records):
        """Places in the deck of the cards that the seat holds."""
        return records["deal_indices"][self.real, self.me, : records["hand_sizes"][self.real, self.me]].astype(int)

    def posterior(self, fits):
        """Probability of every hand among decks that fit."""
        shares = {}
        for index in np.flatnonzero(fits):
            shares[self.hands[index]] = shares.get(self.hands[index], 0.0) + self.likelihood[index]
        total = sum(shares.values())
        return {hand: share / total for hand, share in shares.items()}

    def digested(self):
        """What the seat sees now, counted, times what each move of others said to the public when it was made."""
        hands = sorted({self.hands[index] for index in np.flatnonzero(self.public_and_present)})
        padded = np.full((1, len(hands), self.game.variant.hand_size), NO_CARD)
        padded[0, :, : len(hands[0])] = hands
        joint = np.exp(hand_log_probs(self.present, self.game.variant, np.array([self.me]), padded)[0])
        decks = all_decks(self.game.variant)
        for place, hand in enumerate(hands):
            deck = decks[self.real].copy()
            deck[self.held] = hand
            for then, public, likelihood, chance in self.chances:
                among = public & (decks[:, then] == deck[then]).all(1)
                joint[place] *= np.average(chance[among], weights=likelihood[among])
        return dict(zip(hands, joint / joint.sum(), strict=True))


def distance(one, other):
    """Largest difference in the probability of any set of hands."""
    return 0.5 * sum(abs(one.get(hand, 0.0) - other.get(hand, 0.0)) for hand in {*one, *other})


def play(game, choose, seed, turns):
    """A deck and the moves of a noisy policy, or None if the game ended early."""
    rng = np.random.default_rng(seed)
    decks = all_decks(game.variant)
    deck = decks[rng.integers(len(decks))]
    record, moves = from_decks(game, deck[None]), []
    for _ in range(turns):
        legal = np.flatnonzero(game.legal_moves(record)[0])
        move = int(rng.choice(legal)) if rng.random() < 0.4 else int(choose(record)[0])
        game.step(record, np.array([move]))
        moves.append(move)
        if record["is_over"][0]:
            return None
    return deck, moves, int(record["acting_seat"][0])


@functools.cache
def compare(players, games=4, turns=5):
    """How far the second and third answers are from the first, over some games of some policies."""
    game = make_game(players)
    found = []
    for seed in itertools.count():
        choose = some_policy(game, seed)
        played = play(game, choose, seed, turns)
        if played is None:
            continue
        worlds = Worlds(game, choose, *played)
        private = worlds.posterior(worlds.private)
        others = worlds.posterior(worlds.public_and_present), worlds.digested()
        found.append([distance(private, other) for other in others])
        if len(found) == games:
            return np.array(found)


@pytest.mark.parametrize("players", [2, 3])
def test_public_history_and_present_view_say_all_that_the_private_history_says(players):
    assert np.all(compare(players)[:, 0] < 1e-12)


def test_two_players_can_digest_moves_in_public():
    assert np.all(compare(2)[:, 1] < 1e-12)


def test_three_players_cannot():
    assert compare(3)[:, 1].max() > 0.1


def tells_whether_oldest_cards_match(game):
    """The first mover plays its oldest card if the oldest cards of the others have one colour, else its newest.

    The others play their oldest cards.
    """
    first_play, ranks = game.variant.first_play, game.variant.ranks

    def choose(records):
        one, other = (records["hands"][:, seat, 0] // ranks for seat in (1, 2))
        return first_play + ((records["turn"] == 0) & (one != other))

    return choose


def test_a_partner_s_move_means_what_the_third_hand_was_then():
    """Seat 0 says whether the oldest cards of seats 1 and 2 match; seat 1 plays its own; seat 2 wants to know."""
    game = make_game(3)
    choose = tells_whether_oldest_cards_match(game)
    # Seat 0 holds red 1 and yellow 1, seat 1 red 1 and yellow 1, seat 2 red 1 and yellow 2; then red 2 and yellow 1.
    deck = np.array([0, 2, 0, 2, 0, 3, 1, 2])
    first_play = game.variant.first_play
    worlds = Worlds(game, choose, deck, [first_play, first_play], me=2)
    assert 2 == worlds.present["acting_seat"][0]
    answers = [worlds.posterior(worlds.private), worlds.posterior(worlds.public_and_present), worlds.digested()]
    red = [sum(share for hand, share in answer.items() if hand[0] < game.variant.ranks) for answer in answers]
    assert np.allclose([0.988, 0.988, 0.5], red, atol=1e-3)


@pytest.mark.parametrize("players", [2, 3])
def test_the_judge_agrees(players):
    """`exact_posterior` rebuilds earlier positions from the history: the same numbers as trying all decks."""
    game = make_game(players)
    choose = some_policy(game, 1)
    deck, moves, me = play(game, choose, 1, 4)
    worlds = Worlds(game, choose, deck, moves, me)
    history = History(tuple(worlds.positions), tuple(moves))
    hands = all_hands(history.positions[-1], game)
    judged = np.exp(exact_posterior(history, hands, choose, game, (EPSILON,)))
    assert distance(worlds.posterior(worlds.private), dict(zip(map(tuple, hands.tolist()), judged, strict=True))) < 1e-9
