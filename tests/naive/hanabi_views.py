"""Slow, plain-Python observations of one Hanabi game: judges of `offbelief.games.hanabi.views`.

Written from the encodings' descriptions, feature after feature in lists, without a look at the kernels. A game is one
record of `HANABI_STATE`.
"""

from fractions import Fraction

from offbelief.games.hanabi.state import NO_CARD, NOTHING, PLAYED


def canonical(game, variant, observer):
    """HLE's canonical observation as a list of 0 and 1."""
    features = []
    for seat in seats_from(variant, observer)[1:]:
        features += hand(game, variant, seat)
    features += table(game, variant, observer)
    for seat in seats_from(variant, observer):
        for slot in range(variant.hand_size):
            features += [int(is_possible(game, variant, seat, slot, kind)) for kind in range(variant.card_kinds)]
            features += told(game, variant, seat, slot)
    return features


def v0_belief(game, variant, observer, hide_action=False):
    """The full v0-belief observation as a list of numbers: own hand, other hands, the rest."""
    features = []
    for seat in seats_from(variant, observer):
        features += hand(game, variant, seat)
    features += table(game, variant, observer, hide_action)
    left = cards_left(game, variant)
    for seat in seats_from(variant, observer):
        for slot in range(variant.hand_size):
            features += probabilities(game, variant, seat, slot, left)
            features += told(game, variant, seat, slot)
    return features


def cardwise(game, variant, observer, last_move_shown=False):
    """The card-wise observation as a list of numbers."""
    public = cards_left(game, variant)
    private = list(public)
    for seat in range(variant.players):
        if seat != observer:
            for card in cards(game, variant, seat):
                private[card] -= 1
    features = []
    for slot in range(variant.hand_size):
        features += card_features(game, variant, observer, slot, private)
    for partner, seat in enumerate(seats_from(variant, observer)[1:]):
        for slot in range(variant.hand_size):
            if slot < game["hand_sizes"][seat]:
                card = int(game["hands"][seat, slot])
                features += one_hot(card, variant.card_kinds)
                features += [int(mark(game, variant, card)) for mark in (is_playable, is_dead, is_critical)]
                features += card_features(game, variant, seat, slot, public)
                features += one_hot(partner, variant.players - 1)
            else:
                features += [0] * (variant.card_kinds + 3 + len(card_features(game, variant, seat, slot, public)))
                features += [0] * (variant.players - 1)
    for colour in range(variant.colours):
        features += one_hot(int(game["fireworks"][colour]), variant.ranks + 1)
    features += thermometer(game["hint_tokens"], variant.hint_tokens)
    features += thermometer(game["lives"], variant.lives)
    features += thermometer(game["turns_left"], variant.players)
    deck = variant.deck_size - int(game["cards_drawn"])
    features += [int(deck == 0)]
    for kind, copies in enumerate(variant.copies_by_kind):
        features += thermometer(game["discards"][kind], copies)
    features += [Fraction(count, copies) for count, copies in zip(private, variant.copies_by_kind, strict=True)]
    at_start = variant.deck_size - variant.players * variant.hand_size
    features += [Fraction(deck, at_start) if at_start else 0]
    played = sum(int(height) for height in game["fireworks"])
    best = sum(1 for kind in range(variant.card_kinds) if not is_dead(game, variant, kind)) + played
    pace = played + deck + int(game["turns_left"]) - best
    features += [Fraction(number, variant.max_score) for number in (played, best, pace)]
    if last_move_shown:
        features += last_move(game, variant, observer)
    return features


# ---------------------------------------------------------------------------------------------------------------- parts


def seats_from(variant, observer):
    return [(observer + offset) % variant.players for offset in range(variant.players)]


def cards(game, variant, seat):
    return [int(card) for card in game["hands"][seat][: variant.hand_size] if card != NO_CARD]


def hand(game, variant, seat):
    features = []
    for slot in range(variant.hand_size):
        features += one_hot(int(game["hands"][seat, slot]), variant.card_kinds)
    return features


def one_hot(place, length):
    """A list with a 1 at a place; without a 1 if the place is out of range, as NO_CARD and NOTHING are."""
    return [int(index == place) for index in range(length)]


def thermometer(ones, length):
    return [int(index < ones) for index in range(length)]


def table(game, variant, observer, hide_action=False):
    features = [int(game["hand_sizes"][seat] < variant.hand_size) for seat in seats_from(variant, observer)]
    features += thermometer(
        variant.deck_size - int(game["cards_drawn"]), variant.deck_size - variant.players * variant.hand_size
    )
    for colour in range(variant.colours):
        features += one_hot(int(game["fireworks"][colour]) - 1, variant.ranks)
    features += thermometer(game["hint_tokens"], variant.hint_tokens)
    features += thermometer(game["lives"], variant.lives)
    for kind, copies in enumerate(variant.copies_by_kind):
        features += thermometer(game["discards"][kind], copies)
    move = last_move(game, variant, observer)
    return features + ([0] * len(move) if hide_action else move)


def last_move(game, variant, observer):
    order = [*seats_from(variant, observer), NOTHING]
    actor, target = order.index(game["last_actor"]), order.index(game["last_target"])
    features = one_hot(actor, variant.players)
    features += one_hot(int(game["last_type"]), 4)
    features += one_hot(target, variant.players)
    features += one_hot(int(game["last_colour"]), variant.colours)
    features += one_hot(int(game["last_rank"]), variant.ranks)
    features += [int(game["last_touched"]) >> slot & 1 for slot in range(variant.hand_size)]
    features += one_hot(int(game["last_slot"]), variant.hand_size)
    features += one_hot(int(game["last_card"]), variant.card_kinds)
    features += [int(game["last_scored"]), int(game["last_token_gained"] and game["last_type"] == PLAYED)]
    return features


def is_possible(game, variant, seat, slot, kind):
    colour, rank = divmod(kind, variant.ranks)
    return bool(
        int(game["possible_colours"][seat, slot]) >> colour & 1 and int(game["possible_ranks"][seat, slot]) >> rank & 1
    )


def told(game, variant, seat, slot):
    """The colour and the rank that hints have named, read off the card itself."""
    colour, rank = divmod(int(game["hands"][seat, slot]), variant.ranks)
    return one_hot(colour if game["colour_told"][seat, slot] else NOTHING, variant.colours) + one_hot(
        rank if game["rank_told"][seat, slot] else NOTHING, variant.ranks
    )


def cards_left(game, variant):
    """Copies of each kind that are neither discarded nor played."""
    return [copies_left(game, variant, kind) for kind in range(variant.card_kinds)]


def copies_left(game, variant, kind):
    colour, rank = divmod(kind, variant.ranks)
    return variant.copies_by_kind[kind] - int(game["discards"][kind]) - int(game["fireworks"][colour] > rank)


def probabilities(game, variant, seat, slot, counts):
    weights = [count if is_possible(game, variant, seat, slot, kind) else 0 for kind, count in enumerate(counts)]
    return [Fraction(weight, max(sum(weights), 1)) for weight in weights]


def card_features(game, variant, seat, slot, counts):
    """What hints and counts say about a card, or zeros for an empty slot."""
    shares = probabilities(game, variant, seat, slot, counts)
    features = list(shares)
    for mark in (is_playable, is_dead, is_critical):
        features.append(sum(share for kind, share in enumerate(shares) if share and mark(game, variant, kind)))
    features += [int(game["possible_colours"][seat, slot]) >> colour & 1 for colour in range(variant.colours)]
    features += [int(game["possible_ranks"][seat, slot]) >> rank & 1 for rank in range(variant.ranks)]
    features += [int(game["colour_told"][seat, slot]), int(game["rank_told"][seat, slot])]
    features += one_hot(slot, variant.hand_size)
    return features if slot < game["hand_sizes"][seat] else [0] * len(features)


def is_playable(game, variant, kind):
    colour, rank = divmod(kind, variant.ranks)
    # A card of which no copy is left is not playable either.
    return rank == game["fireworks"][colour] and game["discards"][kind] < variant.copies_by_kind[kind]


def is_dead(game, variant, kind):
    colour, rank = divmod(kind, variant.ranks)
    height = int(game["fireworks"][colour])
    needed = [variant.kind(colour, other) for other in range(height, rank + 1)]
    return rank < height or any(game["discards"][other] == variant.copies_by_kind[other] for other in needed)


def is_critical(game, variant, kind):
    return not is_dead(game, variant, kind) and copies_left(game, variant, kind) == 1
