"""The slow judge of beliefs over hands: plain Python and exact fractions, by three roads that share no formula.

- `belief_by_replay` is the definition: try every hand, replay the game, keep what the seat could not have told apart;
- `belief_by_enumeration` counts arrangements that agree with the knowledge in the record;
- `belief_by_drawing` follows a sequential sampler through all its branches, also a wrong one.
"""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
from tests.naive.hanabi import NaiveHanabi

from offbelief.games.hanabi.batch import HanabiBatch, RandomPlay
from offbelief.games.hanabi.state import NO_CARD, NOTHING
from offbelief.games.hanabi.variant import HanabiVariant

Belief = dict[tuple[int, ...], Fraction]
"""Probability of every hand, oldest card first."""


def what_seats_see(variant: HanabiVariant, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """The games as their seats see them: own cards, the undrawn deck and the random stream are blanked."""
    seen = states.copy()
    seen["stream"] = 0
    for game, seat in zip(seen, seats, strict=True):
        for slot in range(game["hand_sizes"][seat]):
            game["hands"][seat, slot] = NO_CARD
            game["deck"][game["deal_indices"][seat, slot]] = NO_CARD
        game["deck"][game["cards_drawn"] :] = NO_CARD
    return seen


def check_record(variant: HanabiVariant, game: np.void) -> None:
    """Every card is in one place, the record agrees with itself, and the hands fit what was hinted."""
    kinds, sizes = variant.card_kinds, game["hand_sizes"]
    assert list(variant.copies_by_kind) == np.bincount(game["deck"][: variant.deck_size], minlength=kinds).tolist()
    assert np.all(game["deck"][variant.deck_size :] == NO_CARD)
    in_hand = []
    for seat in range(variant.players):
        for slot in range(5):
            card, place = int(game["hands"][seat, slot]), int(game["deal_indices"][seat, slot])
            if slot >= sizes[seat]:
                assert (card, place) == (NO_CARD, NOTHING)
                continue
            assert game["deck"][place] == card
            assert place < game["cards_drawn"]
            assert game["possible_colours"][seat, slot] >> (card // variant.ranks) & 1 == 1
            assert game["possible_ranks"][seat, slot] >> (card % variant.ranks) & 1 == 1
            in_hand.append(card)
    left = np.bincount(game["deck"][game["cards_drawn"] : variant.deck_size], minlength=kinds)
    held = np.bincount(in_hand, minlength=kinds) if in_hand else np.zeros(kinds, dtype=int)
    played = [int(kind % variant.ranks < game["fireworks"][kind // variant.ranks]) for kind in range(kinds)]
    assert np.array_equal(variant.copies_by_kind, left + held + game["discards"][:kinds] + played)


def unseen_cards(variant: HanabiVariant, game: np.void, seat: int) -> Counter:
    """Cards by kind that a seat has not seen, from what lies on the table and in the others' hands."""
    unseen = Counter(dict(enumerate(variant.copies_by_kind)))
    unseen.subtract({kind: int(game["discards"][kind]) for kind in range(variant.card_kinds)})
    for colour in range(variant.colours):
        unseen.subtract(variant.kind(colour, rank) for rank in range(game["fireworks"][colour]))
    for other in range(variant.players):
        if other != seat:
            unseen.subtract(int(card) for card in game["hands"][other] if card != NO_CARD)
    return unseen


def possible_sets(variant: HanabiVariant, game: np.void, seat: int) -> list[set[int]]:
    """Kinds that hints leave possible for every card of a seat, oldest first."""
    return [
        {
            variant.kind(colour, rank)
            for colour in range(variant.colours)
            for rank in range(variant.ranks)
            if game["possible_colours"][seat, slot] >> colour & 1 and game["possible_ranks"][seat, slot] >> rank & 1
        }
        for slot in range(game["hand_sizes"][seat])
    ]


def belief_by_enumeration(variant: HanabiVariant, game: np.void, seat: int) -> Belief:
    """Weigh every hand by the number of ways to deal it from the unseen cards."""
    possible, unseen = possible_sets(variant, game, seat), unseen_cards(variant, game, seat)
    weights: dict[tuple[int, ...], int] = {}

    def deal(hand: tuple[int, ...], weight: int) -> None:
        if len(hand) == len(possible):
            weights[hand] = weight
            return
        for kind in possible[len(hand)]:
            left = unseen[kind] - hand.count(kind)
            if left > 0:
                deal((*hand, kind), weight * left)

    deal((), 1)
    total = sum(weights.values())
    return {hand: Fraction(weight, total) for hand, weight in weights.items()}


def belief_by_drawing(
    variant: HanabiVariant, game: np.void, seat: int, *, newest_first: bool = False, lower_counts: bool = True
) -> tuple[Belief, Fraction]:
    """Draw card by card, each by its unseen count, and follow all branches.

    Without ``lower_counts`` a later card is only forbidden where nothing is left, not weighed anew: the shortcut of the
    public OBL code. Returns the distribution of the hands, and the probability to run dry.
    """
    possible, unseen = possible_sets(variant, game, seat), unseen_cards(variant, game, seat)
    order = list(range(len(possible)))[:: -1 if newest_first else 1]
    belief: Belief = {}
    dry = Fraction(0)

    def draw(drawn: tuple[int, ...], chance: Fraction) -> None:
        nonlocal dry
        if len(drawn) == len(order):
            hand = drawn[::-1] if newest_first else drawn
            belief[hand] = belief.get(hand, Fraction(0)) + chance
            return
        weights = {}
        for kind in possible[order[len(drawn)]]:
            left = unseen[kind] - drawn.count(kind)
            if left > 0:
                weights[kind] = left if lower_counts else unseen[kind]
        if not weights:
            dry += chance
        for kind, weight in weights.items():
            draw((*drawn, kind), chance * weight / sum(weights.values()))

    draw((), Fraction(1))
    return belief, dry


def belief_by_replay(variant: HanabiVariant, start: np.void, moves: list[int], seat: int) -> Belief:
    """The definition of the grounded belief: all deals in which a seat would have seen just what it saw.

    Args:
        variant: The rules; small, since the judge tries every arrangement of the unseen cards into the hand.
        start: The game as it was dealt.
        moves: The moves made since.
        seat: Whose belief.
    """
    deck = [divmod(int(kind), variant.ranks) for kind in start["deck"][: variant.deck_size]]

    def watch(cards: list[tuple[int, int]]) -> tuple[list[object], NaiveHanabi]:
        game = NaiveHanabi(variant, cards, int(start["start_seat"]))
        seen: list[object] = [others_hands(game)]
        for move in moves:
            if not game.is_legal(*game.all_moves()[move]):
                return [*seen, "such a move could not have been made"], game
            game.step(move)
            seen += [vars(game.last), others_hands(game), game.hint_tokens, game.lives, tuple(game.fireworks)]
        return seen, game

    def others_hands(game: NaiveHanabi) -> list[tuple[int, int]]:
        return [
            (card.colour, card.rank) for other in range(variant.players) if other != seat for card in game.hands[other]
        ]

    really_seen, now = watch(deck)
    own_places = [card.deal_index for card in now.hands[seat]]
    hidden_places = own_places + list(range(now.drawn, variant.deck_size))
    agreeing: Counter = Counter()
    for cards in itertools.permutations([deck[place] for place in hidden_places], len(own_places)):
        rest = list((Counter(deck[place] for place in hidden_places) - Counter(cards)).elements())
        imagined = list(deck)
        for place, card in zip(hidden_places, [*cards, *rest], strict=True):
            imagined[place] = card
        if watch(imagined)[0] == really_seen:
            agreeing[tuple(variant.kind(*card) for card in cards)] += 1
    return {hand: Fraction(count, agreeing.total()) for hand, count in agreeing.items()}


def play_randomly(variant: HanabiVariant, size: int, turns: int, seed: int) -> HanabiBatch:
    """Games after some turns of random play; those that ended on the way have begun anew."""
    batch = HanabiBatch(variant, size, seed=seed)
    RandomPlay(batch, seed=seed + 1).play(turns)
    return batch


def late_games(variant: HanabiVariant, seat: int, most_unseen: int, count: int, seed: int) -> np.ndarray:
    """Games in which a seat has not seen at most so many cards, found in long random play."""
    batch = HanabiBatch(variant, 64, seed=seed)
    random_play = RandomPlay(batch, seed=seed + 1)
    found: list[np.void] = []
    while len(found) < count:
        random_play.play(5)
        unseen = variant.deck_size - batch.states["cards_drawn"] + batch.states["hand_sizes"][:, seat]
        found += list(batch.states[(unseen <= most_unseen) & (batch.states["turn"] > 0)].copy())
    return np.array(found[:count], dtype=batch.states.dtype)
