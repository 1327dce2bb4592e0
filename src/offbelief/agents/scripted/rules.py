"""The rules that scripted players are made of, one function each: a move, or NO_MOVE where the rule does not fire.

Rules of one kind stand together: playing, discarding, telling. `apply_rule_one` finds a rule by its number, so that a
player is a list of numbers (see `bots`) and one compiled kernel runs every player. "Oldest first" is the order of
slots, "next seat first" the order of play. Ratios are compared in whole numbers, so ties are exact.
"""

import numpy as np

from offbelief.agents.scripted.facts import (
    NOT_TOLD,
    contains_one,
    count_cards_one,
    told_colour_one,
    told_rank_one,
    told_useless_one,
)
from offbelief.games.hanabi.kernels import NO_MOVE, Integer, random_move_one
from offbelief.games.hanabi.variant import (
    COLOUR_BY_KIND,
    COLOURS,
    HAND_SIZE,
    PLAYERS,
    RANK_BY_KIND,
    RANKS,
)
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, IntArray
from offbelief.streams import draw_below

# The numbers of the rules, for `apply_rule_one`.
PLAY_TOLD = 0
PLAY_SAFE = 1
PLAY_MOST_LIKELY = 2
DISCARD_OSAWA = 3
DISCARD_OLDEST = 4
DISCARD_RANDOM = 5
DISCARD_SURELY_USELESS = 6
DISCARD_MOST_LIKELY_USELESS = 7
TELL_USEFUL = 8
TELL_USEFUL_TO_NEXT = 9
TELL_PLAYABLE_TO_NEXT = 10
TELL_DISPENSABLE = 11
TELL_UNKNOWN_TO_NEXT = 12
TELL_MOST_NEW = 13
TELL_RANDOM_TO_NEXT = 14
TELL_RANDOM = 15
MOVE_AT_RANDOM = 16

_ONE = np.int64(1)


@kernel
def apply_rule_one(
    rule: Integer, percent: Integer, game: np.void, parameters: IntArray, facts: np.void, stream: AnyArray
) -> Integer:
    """Apply the rule with this number.

    Args:
        rule: one of the numbers above.
        percent: the least probability in per cent at which PLAY_MOST_LIKELY plays; other rules ignore it.
        game: the game, not over.
        parameters: of the variant.
        facts: of the acting seat, see `look_one`.
        stream: [1] for the seat's coin flips; advanced only by rules that flip one.

    Returns:
        A legal move, or NO_MOVE if the rule does not fire.
    """
    others = parameters[PLAYERS] - 1
    if rule == PLAY_TOLD:
        return play_told_one(game, parameters, facts)
    if rule == PLAY_SAFE:
        return play_safe_one(game, parameters, facts)
    if rule == PLAY_MOST_LIKELY:
        return play_most_likely_one(game, parameters, facts, percent)
    if rule == DISCARD_OSAWA:
        return discard_osawa_one(game, parameters, facts)
    if rule == DISCARD_OLDEST:
        return discard_one(facts, np.int64(0))
    if rule == DISCARD_RANDOM:
        return random_move_one(facts["legal"] & discard_bits_one(parameters), stream)
    if rule == DISCARD_SURELY_USELESS:
        return discard_surely_useless_one(game, facts)
    if rule == DISCARD_MOST_LIKELY_USELESS:
        return discard_most_likely_useless_one(game, facts)
    if rule == TELL_USEFUL:
        return tell_useful_one(game, parameters, facts, others)
    if rule == TELL_USEFUL_TO_NEXT:
        return tell_useful_one(game, parameters, facts, _ONE)
    if rule == TELL_PLAYABLE_TO_NEXT:
        return tell_playable_to_next_one(game, parameters, facts, stream)
    if rule == TELL_DISPENSABLE:
        return tell_dispensable_one(game, parameters, facts)
    if rule == TELL_UNKNOWN_TO_NEXT:
        return tell_unknown_to_next_one(game, parameters, facts)
    if rule == TELL_MOST_NEW:
        return tell_most_new_one(game, parameters, facts)
    if rule == TELL_RANDOM_TO_NEXT:
        return random_move_one(facts["legal"] & hint_bits_one(parameters, _ONE), stream)
    if rule == TELL_RANDOM:
        return random_move_one(facts["legal"] & hint_bits_one(parameters, others), stream)
    return random_move_one(facts["legal"], stream)


# ---------------------------------------------------------------------------------------------------------------------
# Playing
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def play_one(parameters: IntArray, slot: Integer) -> Integer:
    """The move that plays a card."""
    return np.int64(parameters[HAND_SIZE] + slot)


@kernel
def play_told_one(game: np.void, parameters: IntArray, facts: np.void) -> Integer:
    """Play the oldest card of which both colour and rank were told and that is playable."""
    seat = facts["seat"]
    for slot in range(np.int64(game["hand_sizes"][seat])):
        colour, rank = told_colour_one(game, seat, slot), told_rank_one(game, seat, slot)
        both_told = colour != NOT_TOLD and rank != NOT_TOLD
        if both_told and contains_one(facts["playable"], colour * parameters[RANKS] + rank):
            return play_one(parameters, slot)
    return np.int64(NO_MOVE)


@kernel
def play_safe_one(game: np.void, parameters: IntArray, facts: np.void) -> Integer:
    """Play the oldest card that is playable whatever it is."""
    for slot in range(np.int64(game["hand_sizes"][facts["seat"]])):
        if facts["possible"][slot] & ~facts["playable"] == 0:
            return play_one(parameters, slot)
    return np.int64(NO_MOVE)


@kernel
def play_most_likely_one(game: np.void, parameters: IntArray, facts: np.void, percent: Integer) -> Integer:
    """Play the card most likely to be playable, if that has at least this probability; the oldest of equals."""
    slot = most_likely_one(game, facts, facts["playable"])
    possible = facts["possible"][slot]
    good = count_cards_one(possible & facts["playable"], facts["unseen"])
    if 100 * good >= percent * count_cards_one(possible, facts["unseen"]):
        return play_one(parameters, slot)
    return np.int64(NO_MOVE)


@kernel
def most_likely_one(game: np.void, facts: np.void, kinds: Integer) -> Integer:
    """Slot of the own card most likely to be among some kinds, by hints and unseen cards; the oldest of equals."""
    best, best_good, best_all = np.int64(0), np.int64(-1), np.int64(1)
    for slot in range(np.int64(game["hand_sizes"][facts["seat"]])):
        possible = facts["possible"][slot]
        good = count_cards_one(possible & kinds, facts["unseen"])
        total = count_cards_one(possible, facts["unseen"])
        if good * best_all > best_good * total:
            best, best_good, best_all = np.int64(slot), good, total
    return best


# ---------------------------------------------------------------------------------------------------------------------
# Discarding, which is illegal while every hint token is there
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def discard_bits_one(parameters: IntArray) -> Integer:
    """All discards as bits of moves."""
    return np.int64((_ONE << parameters[HAND_SIZE]) - 1)


@kernel
def discard_one(facts: np.void, slot: Integer) -> Integer:
    """Discard a card if that is legal."""
    return slot if contains_one(facts["legal"], slot) else np.int64(NO_MOVE)


@kernel
def discard_osawa_one(game: np.void, parameters: IntArray, facts: np.void) -> Integer:
    """Discard the oldest card that is useless by what was told, or whose lowest possible rank its colour cannot reach.

    Only a told colour counts in the second case.
    """
    seat = facts["seat"]
    for slot in range(np.int64(game["hand_sizes"][seat])):
        colour, rank = told_colour_one(game, seat, slot), told_rank_one(game, seat, slot)
        if told_useless_one(parameters, facts, colour, rank):
            return discard_one(facts, slot)
        if colour != NOT_TOLD:
            reachable_ranks = (_ONE << facts["reachable"][colour]) - 1
            if (facts["possible"][slot] >> (colour * parameters[RANKS])) & reachable_ranks == 0:
                return discard_one(facts, slot)
    return np.int64(NO_MOVE)


@kernel
def discard_surely_useless_one(game: np.void, facts: np.void) -> Integer:
    """Discard the oldest card that is useless whatever it is."""
    for slot in range(np.int64(game["hand_sizes"][facts["seat"]])):
        if facts["possible"][slot] & ~facts["useless"] == 0:
            return discard_one(facts, slot)
    return np.int64(NO_MOVE)


@kernel
def discard_most_likely_useless_one(game: np.void, facts: np.void) -> Integer:
    """Discard the card most likely to be useless; the oldest of equals."""
    return discard_one(facts, most_likely_one(game, facts, facts["useless"]))


# ---------------------------------------------------------------------------------------------------------------------
# Telling, which needs a hint token
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def hint_bits_one(parameters: IntArray, seats: Integer) -> Integer:
    """All hints to the next so many seats as bits of moves."""
    colours, ranks = parameters[COLOURS], parameters[RANKS]
    colour_bits = (_ONE << (seats * colours)) - 1
    rank_bits = (_ONE << (seats * ranks)) - 1
    first_rank_hint = 2 * parameters[HAND_SIZE] + (parameters[PLAYERS] - 1) * colours
    return np.int64((colour_bits << (2 * parameters[HAND_SIZE])) | (rank_bits << first_rank_hint))


@kernel
def tell_colour_one(parameters: IntArray, offset: Integer, colour: Integer) -> np.int64:
    """The move that tells the seat this many places on about a colour."""
    return np.int64(2 * parameters[HAND_SIZE] + (offset - 1) * parameters[COLOURS] + colour)


@kernel
def tell_rank_one(parameters: IntArray, offset: Integer, rank: Integer) -> np.int64:
    """The move that tells the seat this many places on about a rank."""
    colour_hints = (parameters[PLAYERS] - 1) * parameters[COLOURS]
    return np.int64(2 * parameters[HAND_SIZE] + colour_hints + (offset - 1) * parameters[RANKS] + rank)


@kernel
def tell_useful_one(game: np.void, parameters: IntArray, facts: np.void, seats: Integer) -> Integer:
    """Tell about the first playable card whose owner lacks its rank (then tell that) or else its colour.

    Looks at the next so many seats, next seat first, oldest card first.
    """
    if game["hint_tokens"] == 0:
        return np.int64(NO_MOVE)
    for offset in range(1, seats + 1):
        target = (facts["seat"] + offset) % parameters[PLAYERS]
        for slot in range(np.int64(game["hand_sizes"][target])):
            kind = np.int64(game["hands"][target, slot])
            if contains_one(facts["playable"], kind):
                if game["rank_told"][target, slot] == 0:
                    return tell_rank_one(parameters, offset, parameters[RANK_BY_KIND + kind])
                if game["colour_told"][target, slot] == 0:
                    return tell_colour_one(parameters, offset, parameters[COLOUR_BY_KIND + kind])
    return np.int64(NO_MOVE)


@kernel
def tell_playable_to_next_one(game: np.void, parameters: IntArray, facts: np.void, stream: AnyArray) -> Integer:
    """Tell the next seat the rank or the colour, by a coin, of its oldest playable card, even if it was told before."""
    if game["hint_tokens"] == 0:
        return np.int64(NO_MOVE)
    target = (facts["seat"] + 1) % parameters[PLAYERS]
    for slot in range(np.int64(game["hand_sizes"][target])):
        kind = np.int64(game["hands"][target, slot])
        if contains_one(facts["playable"], kind):
            if draw_below(stream, 2) == 0:
                return tell_rank_one(parameters, _ONE, parameters[RANK_BY_KIND + kind])
            return tell_colour_one(parameters, _ONE, parameters[COLOUR_BY_KIND + kind])
    return np.int64(NO_MOVE)


@kernel
def tell_dispensable_one(game: np.void, parameters: IntArray, facts: np.void) -> Integer:
    """Tell the rank or else the colour of the first useless card whose owner will know by this hint that it is.

    Next seat first, oldest card first; a card that its owner knows to be useless by what it was told needs no hint.
    """
    if game["hint_tokens"] == 0:
        return np.int64(NO_MOVE)
    for offset in range(1, parameters[PLAYERS]):
        target = (facts["seat"] + offset) % parameters[PLAYERS]
        for slot in range(np.int64(game["hand_sizes"][target])):
            kind = np.int64(game["hands"][target, slot])
            if not contains_one(facts["useless"], kind):
                continue
            colour, rank = parameters[COLOUR_BY_KIND + kind], parameters[RANK_BY_KIND + kind]
            told_colour, told_rank = told_colour_one(game, target, slot), told_rank_one(game, target, slot)
            if told_useless_one(parameters, facts, told_colour, told_rank):
                continue
            if told_useless_one(parameters, facts, told_colour, rank):
                return tell_rank_one(parameters, offset, rank)
            if told_useless_one(parameters, facts, colour, told_rank):
                return tell_colour_one(parameters, offset, colour)
    return np.int64(NO_MOVE)


@kernel
def tell_unknown_to_next_one(game: np.void, parameters: IntArray, facts: np.void) -> Integer:
    """Tell the next seat about its oldest card with an untold attribute: the colour, or else the rank."""
    if game["hint_tokens"] == 0:
        return np.int64(NO_MOVE)
    target = (facts["seat"] + 1) % parameters[PLAYERS]
    for slot in range(np.int64(game["hand_sizes"][target])):
        kind = np.int64(game["hands"][target, slot])
        if game["colour_told"][target, slot] == 0:
            return tell_colour_one(parameters, _ONE, parameters[COLOUR_BY_KIND + kind])
        if game["rank_told"][target, slot] == 0:
            return tell_rank_one(parameters, _ONE, parameters[RANK_BY_KIND + kind])
    return np.int64(NO_MOVE)


@kernel
def tell_most_new_one(game: np.void, parameters: IntArray, facts: np.void) -> Integer:
    """Give the hint that tells the most cards an attribute they were not told; at least one.

    Ties go to the next seat, then to rank before colour, then to the lower rank or colour.
    """
    if game["hint_tokens"] == 0:
        return np.int64(NO_MOVE)
    best, best_new = np.int64(NO_MOVE), np.int64(0)
    for offset in range(1, parameters[PLAYERS]):
        target = (facts["seat"] + offset) % parameters[PLAYERS]
        for rank in range(parameters[RANKS]):
            new = np.int64(0)
            for slot in range(np.int64(game["hand_sizes"][target])):
                if parameters[RANK_BY_KIND + np.int64(game["hands"][target, slot])] == rank:
                    new += 1 - np.int64(game["rank_told"][target, slot])
            if new > best_new:
                best, best_new = tell_rank_one(parameters, offset, rank), new
        for colour in range(parameters[COLOURS]):
            new = np.int64(0)
            for slot in range(np.int64(game["hand_sizes"][target])):
                if parameters[COLOUR_BY_KIND + np.int64(game["hands"][target, slot])] == colour:
                    new += 1 - np.int64(game["colour_told"][target, slot])
            if new > best_new:
                best, best_new = tell_colour_one(parameters, offset, colour), new
    return best
