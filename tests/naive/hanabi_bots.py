"""Judge of the scripted players: the same rules in plain Python, written for reading, one game at a time.

`naive_move(name, game, variant, stream)` looks at one HANABI_STATE record through `View`, which copies what the acting
seat can see and nothing else, and returns its move and the advanced stream. Shares no code with `agents.scripted`.
"""

from collections import Counter
from fractions import Fraction

WALK, MIX_1, MIX_2, WORD = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, (1 << 64) - 1


class Coin:
    """SplitMix64 with Python's own whole numbers."""

    def __init__(self, stream):
        self.stream = int(stream)

    def below(self, bound):
        self.stream = (self.stream + WALK) & WORD
        bits = self.stream
        bits = ((bits ^ (bits >> 30)) * MIX_1) & WORD
        bits = ((bits ^ (bits >> 27)) * MIX_2) & WORD
        bits ^= bits >> 31
        return ((bits >> 32) * bound) >> 32

    def choose(self, moves):
        """Any of the moves, lowest id first; None if there is none (then no coin is flipped)."""
        return sorted(moves)[self.below(len(moves))] if moves else None


class Card:
    """A card in somebody's hand: what its owner was told, what hints leave possible, and who it is if we see it."""

    def __init__(self, game, variant, seat, slot, is_own):
        kind = None if is_own else int(game["hands"][seat, slot])
        self.colour = None if is_own else kind // variant.ranks
        self.rank = None if is_own else kind % variant.ranks
        colours = [c for c in range(variant.colours) if int(game["possible_colours"][seat, slot]) >> c & 1]
        ranks = [r for r in range(variant.ranks) if int(game["possible_ranks"][seat, slot]) >> r & 1]
        self.fits_hints = {(c, r) for c in colours for r in ranks}
        self.told_colour = colours[0] if game["colour_told"][seat, slot] else None
        self.told_rank = ranks[0] if game["rank_told"][seat, slot] else None


class View:
    """What the acting seat sees."""

    def __init__(self, game, variant):
        self.variant = variant
        seat, players = int(game["acting_seat"]), variant.players
        self.own = [Card(game, variant, seat, slot, True) for slot in range(int(game["hand_sizes"][seat]))]
        self.others = {}  # by offset: 1 is the next seat
        for offset in range(1, players):
            other = (seat + offset) % players
            slots = range(int(game["hand_sizes"][other]))
            self.others[offset] = [Card(game, variant, other, slot, False) for slot in slots]
        self.hint_tokens, self.lives = int(game["hint_tokens"]), int(game["lives"])
        self.deck_is_empty = int(game["cards_drawn"]) == variant.deck_size
        self.height = [int(height) for height in game["fireworks"][: variant.colours]]

        every_card = [(c, r) for c in range(variant.colours) for r in range(variant.ranks)]
        full = Counter({(c, r): variant.copies_by_rank[r] for c, r in every_card})
        discarded = Counter({(c, r): int(game["discards"][c * variant.ranks + r]) for c, r in every_card})
        played = Counter((c, r) for c, r in every_card if r < self.height[c])
        seen = Counter((card.colour, card.rank) for hand in self.others.values() for card in hand)
        self.unseen = full - discarded - played - seen
        self.playable = {(c, r) for c, r in every_card if r == self.height[c]}
        self.useless = set()
        for c, r in every_card:
            needed = [(c, rank) for rank in range(self.height[c], r + 1)]  # itself included: none may be left of it
            if r < self.height[c] or any(discarded[card] == full[card] for card in needed):
                self.useless.add((c, r))

    def possible(self, card):
        return {kind for kind in card.fits_hints if self.unseen[kind] > 0}

    def probability(self, card, kinds):
        possible = self.possible(card)
        return Fraction(
            sum(self.unseen[kind] for kind in possible & kinds), sum(self.unseen[kind] for kind in possible)
        )

    def useless_if_told(self, colour, rank):
        variant = self.variant
        fitting = {
            (c, r)
            for c in range(variant.colours)
            for r in range(variant.ranks)
            if colour in (None, c) and rank in (None, r)
        }
        return fitting <= self.useless

    def may_discard(self):
        return self.hint_tokens < self.variant.hint_tokens

    def discards(self):
        return list(range(len(self.own))) if self.may_discard() else []

    def play(self, slot):
        return self.variant.hand_size + slot

    def tell_colour(self, offset, colour):
        return 2 * self.variant.hand_size + (offset - 1) * self.variant.colours + colour

    def tell_rank(self, offset, rank):
        variant = self.variant
        return 2 * variant.hand_size + (variant.players - 1) * variant.colours + (offset - 1) * variant.ranks + rank

    def hints(self, offsets):
        if self.hint_tokens == 0:
            return set()
        colour_hints = {self.tell_colour(offset, card.colour) for offset in offsets for card in self.others[offset]}
        return colour_hints | {self.tell_rank(offset, card.rank) for offset in offsets for card in self.others[offset]}

    def everyone(self):
        """Others' cards, next seat first, oldest first, as (offset, card); nobody if no hint can be given."""
        return [] if self.hint_tokens == 0 else [(offset, c) for offset, hand in self.others.items() for c in hand]

    def next_seat(self):
        return [(offset, card) for offset, card in self.everyone() if offset == 1]


def first_that_holds(cards, condition):
    return next((slot for slot, card in enumerate(cards) if condition(card)), None)


# ------------------------------------------------------------------------------------------------------ playing


def play_told(view, coin):
    slot = first_that_holds(view.own, lambda card: (card.told_colour, card.told_rank) in view.playable)
    return None if slot is None else view.play(slot)


def play_safe(view, coin):
    slot = first_that_holds(view.own, lambda card: view.possible(card) <= view.playable)
    return None if slot is None else view.play(slot)


def play_at_least(threshold):
    def rule(view, coin):
        chances = [view.probability(card, view.playable) for card in view.own]
        best = max(chances)
        return view.play(chances.index(best)) if best >= Fraction(threshold) else None

    return rule


def lives_to_spare(rule):
    return lambda view, coin: rule(view, coin) if view.lives > 1 else None


def on_the_last_life(rule):
    return lambda view, coin: rule(view, coin) if view.lives == 1 else None


def once_the_deck_is_empty(rule):
    return lambda view, coin: rule(view, coin) if view.deck_is_empty else None


# ------------------------------------------------------------------------------------------------------ discarding


def discard_osawa(view, coin):
    def is_useless(card):
        if view.useless_if_told(card.told_colour, card.told_rank):
            return True
        if card.told_colour is None:
            return False
        lowest = min(rank for _, rank in view.possible(card))
        # above the reachable top: useless, and not because it was played
        return lowest >= view.height[card.told_colour] and (card.told_colour, lowest) in view.useless

    slot = first_that_holds(view.own, is_useless)
    return slot if view.may_discard() else None


def discard_oldest(view, coin):
    return 0 if view.may_discard() else None


def discard_random(view, coin):
    return coin.choose(view.discards())


def discard_surely_useless(view, coin):
    slot = first_that_holds(view.own, lambda card: view.possible(card) <= view.useless)
    return slot if view.may_discard() else None


def discard_most_likely_useless(view, coin):
    chances = [view.probability(card, view.useless) for card in view.own]
    return chances.index(max(chances)) if view.may_discard() else None


# ------------------------------------------------------------------------------------------------------ telling


def missing_attribute(view, offset, card, first):
    """The hint that tells an untold attribute of the card, trying ``first`` ("rank" or "colour") first."""
    hints = {
        "rank": view.tell_rank(offset, card.rank) if card.told_rank is None else None,
        "colour": view.tell_colour(offset, card.colour) if card.told_colour is None else None,
    }
    order = [first, "colour" if first == "rank" else "rank"]
    return next((hints[what] for what in order if hints[what] is not None), None)


def first_hint(hints):
    return next((hint for hint in hints if hint is not None), None)


def playable_cards(view, cards):
    return [(offset, card) for offset, card in cards if (card.colour, card.rank) in view.playable]


def tell_useful(view, coin):
    return first_hint(missing_attribute(view, o, card, "rank") for o, card in playable_cards(view, view.everyone()))


def tell_useful_to_next(view, coin):
    return first_hint(missing_attribute(view, o, card, "rank") for o, card in playable_cards(view, view.next_seat()))


def tell_playable_to_next(view, coin):
    cards = playable_cards(view, view.next_seat())
    if not cards:
        return None
    _, card = cards[0]
    return view.tell_rank(1, card.rank) if coin.below(2) == 0 else view.tell_colour(1, card.colour)


def tell_dispensable(view, coin):
    if view.hint_tokens >= 4:
        return None
    for offset, card in view.everyone():
        if (card.colour, card.rank) not in view.useless or view.useless_if_told(card.told_colour, card.told_rank):
            continue
        if view.useless_if_told(card.told_colour, card.rank):
            return view.tell_rank(offset, card.rank)
        if view.useless_if_told(card.colour, card.told_rank):
            return view.tell_colour(offset, card.colour)
    return None


def tell_unknown_to_next(view, coin):
    return first_hint(missing_attribute(view, o, card, "colour") for o, card in view.next_seat())


def tell_most_new(view, coin):
    new = Counter()  # by (offset, 0 for rank or 1 for colour, value): the order in which ties are broken
    for offset, card in view.everyone():
        new[offset, 0, card.rank] += card.told_rank is None
        new[offset, 1, card.colour] += card.told_colour is None
    best = min(new, key=lambda hint: (-new[hint], hint), default=None)
    if best is None or new[best] == 0:
        return None
    offset, is_colour, value = best
    return view.tell_colour(offset, value) if is_colour else view.tell_rank(offset, value)


def tell_random(view, coin):
    return coin.choose(view.hints(view.others))


def tell_random_to_next(view, coin):
    return coin.choose(view.hints([1]))


def move_at_random(view, coin):
    plays = {view.play(slot) for slot in range(len(view.own))}
    return coin.choose(plays | set(view.discards()) | view.hints(view.others))


# ------------------------------------------------------------------------------------------------------ players

LAST_RESORT = [tell_random, discard_random, move_at_random]
PLAYERS = {
    "random": [move_at_random],
    "iggi": [play_told, play_safe, tell_useful, discard_osawa, discard_oldest, tell_random_to_next, *LAST_RESORT],
    "piers": [
        once_the_deck_is_empty(lives_to_spare(play_at_least("0"))),
        play_safe,
        lives_to_spare(play_at_least("0.6")),
        tell_useful,
        tell_dispensable,
        discard_osawa,
        discard_oldest,
        tell_random,
        discard_random,
        *LAST_RESORT,
    ],
    "internal": [play_safe, discard_osawa, tell_playable_to_next, tell_random, discard_random, *LAST_RESORT],
    "outer": [play_safe, discard_osawa, tell_useful_to_next, tell_unknown_to_next, discard_random, *LAST_RESORT],
    "flawed": [play_safe, play_at_least("0.25"), tell_random, discard_osawa, discard_oldest, *LAST_RESORT],
    "van-den-bergh": [
        lives_to_spare(play_at_least("0.6")),
        on_the_last_life(play_safe),
        discard_surely_useless,
        tell_useful,
        tell_most_new,
        discard_most_likely_useless,
        *LAST_RESORT,
    ],
}


def naive_move(name, game, variant, stream):
    """The move of a scripted player in one game, and its stream afterwards; -1 if the game is over."""
    if game["is_over"]:
        return -1, int(stream)
    view, coin = View(game, variant), Coin(stream)
    for rule in PLAYERS[name]:
        move = rule(view, coin)
        if move is not None:
            return move, coin.stream
    raise AssertionError(f"no rule of {name} fires")
