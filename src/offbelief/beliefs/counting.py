"""Card counting in Hanabi: the exact grounded belief B_G over a seat's own hand, in closed form, for whole batches.

The grounded belief (paper, Section 4.3) conditions on what a seat observed and not on why others moved as they did: all
arrangements of the unseen cards (own hand and deck) that agree with every hint are equally likely.

Why it is simple. Every hint that a newer card saw its older neighbours saw too, so the set of kinds possible for an
older card is contained in that of a newer one, or disjoint from it. Deal the hand oldest card first, each card
uniformly from the unseen cards possible for it that are still there: then the number of cards to choose from,

    Z_i = (unseen cards possible for card i) - (older cards whose possible set lies inside that of card i),

does not depend on which cards were drawn before, so every arrangement has the same probability 1 / (Z_1 ... Z_H), which
is the grounded belief. In any other order, or without taking drawn cards out, it is not. The proof, and the formulas
for marginals and entropy that follow, are in ``docs/methods/grounded-belief.md``.

Here live marginals, probability of a hand, entropy and sampler, and the kernels that sample straight into copied games
(`imagine`, `imagined_step`). How cards get into a copied game is in `offbelief.games.hanabi.resample`; beliefs of other
policies than the grounded one are learned and live elsewhere.

Differs from the public OBL code, whose counting sampler does not lower the counts as it draws, and is biased.
"""

import numpy as np
import numpy.typing as npt

from offbelief.games.hanabi.kernels import Integer, first_illegal, step_one
from offbelief.games.hanabi.knowledge import possible_kinds_one, private_counts_one
from offbelief.games.hanabi.moves import why_illegal
from offbelief.games.hanabi.resample import check_copies, check_games, check_streams, put_hand_one
from offbelief.games.hanabi.state import NO_CARD
from offbelief.games.hanabi.variant import CARD_KINDS, HAND_SIZE, MAX_HAND_SIZE, MAX_KINDS, HanabiVariant
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, FloatArray, IntArray, UserError
from offbelief.streams import draw_below

# ---------------------------------------------------------------------------------------------------------------------
# One game. ``counts`` [MAX_KINDS] int64 are the unseen cards by kind, ``possible`` [H] int64 the kinds possible for a
# card as bits (0 for an empty slot), ``choices`` [H] int64 the Z_i above.
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def count_possible_one(counts: IntArray, possible: Integer) -> Integer:
    """Count the unseen cards whose kinds are in a set of bits."""
    total = np.int64(0)
    for kind in range(MAX_KINDS):  # a fixed number of turns, for the compiler's sake; unused kinds count 0
        total += counts[kind] * ((possible >> kind) & 1)
    return total


@kernel
def look_one(
    game: np.void, parameters: IntArray, seat: Integer, counts: IntArray, possible: IntArray, choices: IntArray
) -> None:
    """Gather what a seat knows of its own hand: unseen cards, possible kinds, number of choices for each card."""
    private_counts_one(game, parameters, seat, counts)
    for slot in range(parameters[HAND_SIZE]):
        possible[slot] = possible_kinds_one(game, parameters, seat, slot)
        choices[slot] = count_possible_one(counts, possible[slot])
        for older in range(slot):
            if possible[older] & possible[slot] != 0:  # then the older set lies inside, and so does its card
                choices[slot] -= 1


@kernel
def marginals_one(
    parameters: IntArray,
    counts: IntArray,
    possible: IntArray,
    choices: IntArray,
    rest: FloatArray,
    marginals: FloatArray,
) -> None:
    """Write the probability of every kind for every card into ``marginals`` [H, K]; 0 for an empty slot.

    Since Z_i is fixed, a card is of a kind with the *expected* number of cards left of that kind over Z_i, and the
    expected number left falls by just that probability: ``rest`` [K] float64 follows it.
    """
    for kind in range(parameters[CARD_KINDS]):
        rest[kind] = counts[kind]
    for slot in range(parameters[HAND_SIZE]):
        for kind in range(parameters[CARD_KINDS]):
            probability = 0.0
            if (possible[slot] >> kind) & 1 == 1:
                probability = rest[kind] / choices[slot]
                rest[kind] -= probability
            marginals[slot, kind] = probability


@kernel
def log_prob_one(
    parameters: IntArray, counts: IntArray, possible: IntArray, choices: IntArray, hand: IntArray
) -> float:
    """Log-probability of ``hand`` [H], minus infinity if it is impossible. Leaves ``counts`` as it was."""
    log_prob = 0.0
    taken = 0
    for slot in range(parameters[HAND_SIZE]):
        kind = np.int64(hand[slot])
        if possible[slot] == 0 and kind == NO_CARD:
            continue
        if not 0 <= kind < parameters[CARD_KINDS] or (possible[slot] >> kind) & 1 == 0 or counts[kind] == 0:
            log_prob = -np.inf
            break
        log_prob += np.log(counts[kind] / choices[slot])
        counts[kind] -= 1
        taken = slot + 1
    for slot in range(taken):
        counts[np.int64(hand[slot])] += 1
    return log_prob


@kernel
def entropy_one(
    parameters: IntArray, counts: IntArray, possible: IntArray, choices: IntArray, chances: FloatArray
) -> float:
    """Entropy of the whole hand in nats, exactly.

    A hand's log-probability is the sum over its cards of log(cards left of its kind) - log Z_i, so only the number of
    cards of each kind matters. For one kind, that number is a Markov chain from the oldest card to the newest:
    ``chances[m]`` [H + 1] is the probability that m of the cards so far are of the kind.
    """
    entropy = 0.0
    for slot in range(parameters[HAND_SIZE]):
        if possible[slot] != 0:
            entropy += np.log(float(choices[slot]))
    for kind in range(parameters[CARD_KINDS]):
        count = counts[kind]
        if count < 2:
            continue  # log 1 = 0
        chances[:] = 0.0
        chances[0] = 1.0
        drawn = 0
        for slot in range(parameters[HAND_SIZE]):
            if (possible[slot] >> kind) & 1 == 1:
                for older in range(min(drawn, count - 1), -1, -1):
                    hit = chances[older] * (count - older) / choices[slot]
                    entropy -= hit * np.log(float(count - older))
                    chances[older] -= hit
                    chances[older + 1] += hit
                drawn += 1
    return max(entropy, 0.0)


@kernel
def sample_hand_one(
    game: np.void, parameters: IntArray, seat: Integer, counts: IntArray, stream: AnyArray, hand: IntArray
) -> None:
    """Draw the seat's hand from the grounded belief into ``hand`` [H], and take it out of ``counts``."""
    for slot in range(parameters[HAND_SIZE]):
        if slot >= np.int64(game["hand_sizes"][seat]):
            hand[slot] = NO_CARD
            continue
        possible = possible_kinds_one(game, parameters, seat, slot)
        left = draw_below(stream, count_possible_one(counts, possible))
        drawn = np.int64(0)
        for kind in range(parameters[CARD_KINDS]):
            left -= counts[kind] * ((possible >> kind) & 1)
            if left < 0:
                drawn = np.int64(kind)
                break
        hand[slot] = drawn
        counts[drawn] -= 1


@kernel
def imagine_one(
    game: np.void, parameters: IntArray, seat: Integer, counts: IntArray, hand: IntArray, stream: AnyArray
) -> None:
    """Replace a seat's hand by one from its grounded belief and shuffle the rest of the deck, in place."""
    private_counts_one(game, parameters, seat, counts)
    sample_hand_one(game, parameters, seat, counts, stream, hand)
    put_hand_one(game, parameters, seat, hand, counts, stream)


# ---------------------------------------------------------------------------------------------------------------------
# Loops over games, which check nothing
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def marginals(states: AnyArray, parameters: IntArray, seats: IntArray, probabilities: FloatArray) -> None:
    """Write the grounded marginals of ``seats`` [B] into ``probabilities`` [B, H, K]."""
    counts, rest = np.zeros(MAX_KINDS, dtype=np.int64), np.zeros(MAX_KINDS, dtype=np.float64)
    possible, choices = np.zeros(MAX_HAND_SIZE, dtype=np.int64), np.zeros(MAX_HAND_SIZE, dtype=np.int64)
    for index in range(len(states)):
        look_one(states[index], parameters, seats[index], counts, possible, choices)
        marginals_one(parameters, counts, possible, choices, rest, probabilities[index])


@kernel
def log_probs(states: AnyArray, parameters: IntArray, seats: IntArray, hands: IntArray, results: FloatArray) -> None:
    """Write the log-probabilities of ``hands`` [B, S, H] into ``results`` [B, S]."""
    counts = np.zeros(MAX_KINDS, dtype=np.int64)
    possible, choices = np.zeros(MAX_HAND_SIZE, dtype=np.int64), np.zeros(MAX_HAND_SIZE, dtype=np.int64)
    for index in range(len(states)):
        look_one(states[index], parameters, seats[index], counts, possible, choices)
        for sample in range(hands.shape[1]):
            results[index, sample] = log_prob_one(parameters, counts, possible, choices, hands[index, sample])


@kernel
def entropies(states: AnyArray, parameters: IntArray, seats: IntArray, results: FloatArray) -> None:
    """Write the entropy of the grounded belief of ``seats`` [B] into ``results`` [B]."""
    counts, chances = np.zeros(MAX_KINDS, dtype=np.int64), np.zeros(MAX_HAND_SIZE + 1, dtype=np.float64)
    possible, choices = np.zeros(MAX_HAND_SIZE, dtype=np.int64), np.zeros(MAX_HAND_SIZE, dtype=np.int64)
    for index in range(len(states)):
        look_one(states[index], parameters, seats[index], counts, possible, choices)
        results[index] = entropy_one(parameters, counts, possible, choices, chances)


@kernel
def samples(states: AnyArray, parameters: IntArray, seats: IntArray, streams: AnyArray, hands: IntArray) -> None:
    """Draw hands from the grounded belief of ``seats`` [B] into ``hands`` [B, S, H]; ``streams`` [B] move on."""
    unseen, counts = np.zeros(MAX_KINDS, dtype=np.int64), np.zeros(MAX_KINDS, dtype=np.int64)
    for index in range(len(states)):
        private_counts_one(states[index], parameters, seats[index], unseen)
        for sample in range(hands.shape[1]):
            counts[:] = unseen
            sample_hand_one(
                states[index], parameters, seats[index], counts, streams[index : index + 1], hands[index, sample]
            )


@kernel
def imagine(states: AnyArray, parameters: IntArray, seats: IntArray, streams: AnyArray, copies: AnyArray) -> None:
    """Copy every game of ``states`` [B] to ``copies`` [B, S] and redraw the hands of ``seats`` [B] there."""
    counts, hand = np.zeros(MAX_KINDS, dtype=np.int64), np.zeros(MAX_HAND_SIZE, dtype=np.int64)
    for index in range(len(states)):
        for sample in range(copies.shape[1]):
            copies[index, sample] = states[index]
            imagine_one(copies[index, sample], parameters, seats[index], counts, hand, streams[index : index + 1])


@kernel
def imagined_step(
    states: AnyArray, parameters: IntArray, moves: IntArray, streams: AnyArray, copies: AnyArray, rewards: FloatArray
) -> None:
    """Copy, redraw the acting seat's hand and step, with ``moves`` [B], into ``copies`` [B] and ``rewards`` [B]."""
    counts, hand = np.zeros(MAX_KINDS, dtype=np.int64), np.zeros(MAX_HAND_SIZE, dtype=np.int64)
    for index in range(len(states)):
        copies[index] = states[index]
        seat = np.int64(states[index]["acting_seat"])
        imagine_one(copies[index], parameters, seat, counts, hand, streams[index : index + 1])
        if states[index]["is_over"]:
            rewards[index] = 0
        else:
            rewards[index] = step_one(copies[index], parameters, moves[index])


# ---------------------------------------------------------------------------------------------------------------------
# Friendly faces
# ---------------------------------------------------------------------------------------------------------------------


def hand_marginals(states: AnyArray, variant: HanabiVariant, seats: npt.ArrayLike | None = None) -> FloatArray:
    """Probability of every kind for every card of a seat's own hand, under the grounded belief.

    Args:
        states: [B] games, records of `HANABI_STATE`.
        variant: Their rules.
        seats: One seat, [B] seats, or None for the acting seats: whose hand, as that seat sees it.

    Returns:
        [B, H, K] float64, exact; rows sum to 1, rows of empty slots are 0.
    """
    states, checked_seats = check_games(states, variant, seats)
    probabilities = np.empty((len(states), variant.hand_size, variant.card_kinds), dtype=np.float64)
    marginals(states, variant.parameters, checked_seats, probabilities)
    return probabilities


def hand_log_probs(
    states: AnyArray, variant: HanabiVariant, seats: npt.ArrayLike | None, hands: npt.ArrayLike
) -> FloatArray:
    """Log-probability of given hands under the grounded belief of a seat.

    Args:
        states: [B] games.
        variant: Their rules.
        seats: One seat, [B] seats, or None for the acting seats.
        hands: [B, H] or [B, S, H] kinds, oldest card first, NO_CARD in empty slots.

    Returns:
        [B] or [B, S] float64 in nats; minus infinity for an impossible hand.
    """
    states, checked_seats = check_games(states, variant, seats)
    given = np.asarray(hands)
    fits = given.ndim in (2, 3) and given.shape[0] == len(states) and given.shape[-1] == variant.hand_size
    if not fits or (given.size > 0 and given.dtype.kind not in "iu"):
        raise UserError(
            f"hands must be whole numbers of shape [{len(states)}, {variant.hand_size}] or [{len(states)}, samples, "
            f"{variant.hand_size}], not {given.dtype} of shape {given.shape}."
        )
    wide = np.ascontiguousarray(given[:, np.newaxis] if given.ndim == 2 else given, dtype=np.int64)
    results = np.empty(wide.shape[:2], dtype=np.float64)
    log_probs(states, variant.parameters, checked_seats, wide, results)
    return results[:, 0] if given.ndim == 2 else results


def hand_entropy(states: AnyArray, variant: HanabiVariant, seats: npt.ArrayLike | None = None) -> FloatArray:
    """Entropy of the grounded belief over a seat's whole hand (the joint, not the sum of its cards'), in nats.

    Args:
        states: [B] games.
        variant: Their rules.
        seats: One seat, [B] seats, or None for the acting seats.

    Returns:
        [B] float64, exact: no enumeration, no sampling.
    """
    states, checked_seats = check_games(states, variant, seats)
    results = np.empty(len(states), dtype=np.float64)
    entropies(states, variant.parameters, checked_seats, results)
    return results


def sample_hands(
    states: AnyArray,
    variant: HanabiVariant,
    seats: npt.ArrayLike | None,
    streams: AnyArray,
    *,
    num_samples: int | None = None,
) -> IntArray:
    """Draw hands from the grounded belief of a seat, exactly and without rejection.

    Args:
        states: [B] games; not changed.
        variant: Their rules.
        seats: One seat, [B] seats, or None for the acting seats.
        streams: [B] uint64 random streams for imagined deals, advanced in place; never those of the games.
        num_samples: Independent hands per game, or None for one without an axis of its own.

    Returns:
        [B, H], or [B, S, H] if ``num_samples`` is given: uint8 kinds, NO_CARD in empty slots.
    """
    states, checked_seats = check_games(states, variant, seats)
    check_streams(streams, len(states))
    hands = np.empty((len(states), _check_samples(num_samples), variant.hand_size), dtype=np.uint8)
    samples(states, variant.parameters, checked_seats, streams, hands)
    return hands[:, 0] if num_samples is None else hands


def imagine_games(
    states: AnyArray,
    variant: HanabiVariant,
    seats: npt.ArrayLike | None,
    streams: AnyArray,
    *,
    num_samples: int | None = None,
    out: AnyArray | None = None,
) -> AnyArray:
    """Copy games and redraw one seat's hand from its grounded belief, with the rest of the deck shuffled anew.

    Args:
        states: [B] games; not changed.
        variant: Their rules.
        seats: One seat, [B] seats, or None for the acting seats: who imagines.
        streams: [B] uint64 random streams for imagined deals, advanced in place.
        num_samples: Independent copies per game, or None for one without an axis of its own.
        out: Records to write the copies to, or None for new ones.

    Returns:
        [B], or [B, S] if ``num_samples`` is given: games that the seat cannot tell from the real ones, each with a
        random stream of its own (see `offbelief.games.hanabi.resample`).
    """
    states, checked_seats = check_games(states, variant, seats)
    check_streams(streams, len(states))
    wide = (len(states), _check_samples(num_samples))
    copies = check_copies(out, wide[:1] if num_samples is None else wide)
    imagine(states, variant.parameters, checked_seats, streams, copies.reshape(wide))
    return copies


def imagined_transitions(
    states: AnyArray,
    variant: HanabiVariant,
    moves: npt.ArrayLike,
    streams: AnyArray,
    *,
    out: AnyArray | None = None,
) -> tuple[AnyArray, FloatArray]:
    """Make the acting seats' moves in games as they imagine them: copy, redraw the actor's hand, step.

    Paper: the first half of the fictitious transition (Fig. 1, right), for the grounded belief. A move that is legal in
    the real game is legal in the imagined one, because its actor cannot tell them apart.

    Args:
        states: [B] games; not changed.
        variant: Their rules.
        moves: [B] legal moves of the acting seats; NO_MOVE for games that are over, which are only copied and redrawn.
        streams: [B] uint64 random streams for imagined deals, advanced in place.
        out: [B] records to write the games after the move to, or None for new ones.

    Returns:
        The imagined games [B] after the move, and their rewards [B] float32.
    """
    states, _ = check_games(states, variant)
    check_streams(streams, len(states))
    copies = check_copies(out, (len(states),))
    given = np.asarray(moves)
    if given.shape != (len(states),) or (len(states) > 0 and given.dtype.kind not in "iu"):
        raise UserError(f"moves must be {len(states)} whole numbers, one a game, not {given.dtype} of {given.shape}.")
    checked = np.ascontiguousarray(given, dtype=np.int64)
    index = first_illegal(states, variant.parameters, checked)
    if index >= 0:
        raise UserError(f"Game {index}: {why_illegal(variant, states[index], int(checked[index]))}.")
    rewards = np.empty(len(states), dtype=np.float32)
    imagined_step(states, variant.parameters, checked, streams, copies, rewards)
    return copies, rewards


def _check_samples(num_samples: int | None) -> int:
    """Refuse a number of samples below one; None means one."""
    if num_samples is None:
        return 1
    if isinstance(num_samples, bool) or not isinstance(num_samples, int) or num_samples < 1:
        raise UserError(f"num_samples is {num_samples!r}; give a whole number from 1, or None for a single sample.")
    return num_samples
