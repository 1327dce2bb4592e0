"""Put other cards into a hand of a copied game, and shuffle the deck anew: the first half of a fictitious transition.

`resample` takes hands from whoever imagines them (a belief, a person) and returns copies of the games in which one seat
holds those cards. For that seat nothing has changed: all that it sees, and all that was ever hinted, is as before. The
cards it held go back, and the undrawn deck is laid out again, every order equally likely.

The copy is a function of what the seat can see, the new hand and the random stream: the cards that it really holds and
the real order of the deck leave no trace, so that imagined games cannot betray the real one. They draw from streams of
their own and leave the game's stream alone; the copy gets a fresh one.

The whole deck is shuffled at once rather than card by card as games draw. That costs some 0.2 microseconds a copy, and
the copy is then an ordinary game which every kernel may continue.

Beliefs, and the kernels that sample from them straight into copies, live in `offbelief.beliefs.counting`.
"""

import numpy as np
import numpy.typing as npt

from offbelief.games.hanabi.kernels import Integer
from offbelief.games.hanabi.knowledge import possible_kinds_one, private_counts_one
from offbelief.games.hanabi.state import HANABI_STATE, NO_CARD
from offbelief.games.hanabi.variant import (
    CARD_KINDS,
    DECK_SIZE,
    HAND_SIZE,
    MAX_DECK_SIZE,
    MAX_KINDS,
    HanabiVariant,
)
from offbelief.games.hanabi.views.inputs import check_seats, check_states
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, IntArray, UserError
from offbelief.streams import draw_below, draw_bits

# ---------------------------------------------------------------------------------------------------------------------
# One game
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def take_hand_one(game: np.void, parameters: IntArray, seat: Integer, hand: IntArray, counts: IntArray) -> bool:
    """Count the cards that a seat has not seen and that are not in a hand it might hold.

    Args:
        game: The game.
        parameters: Of the variant.
        seat: Who imagines.
        hand: [H] kinds, NO_CARD in empty slots.
        counts: [K] int64, receives the cards left for the undrawn deck.

    Returns:
        Whether the hand is possible: as many cards as the seat holds, each allowed by the hints it got, and no more of
        a kind than are unseen. If not, ``counts`` means nothing.
    """
    private_counts_one(game, parameters, seat, counts)
    for slot in range(parameters[HAND_SIZE]):
        kind: Integer = np.int64(hand[slot])
        if slot >= np.int64(game["hand_sizes"][seat]):
            if kind != NO_CARD:
                return False
        else:
            if not 0 <= kind < parameters[CARD_KINDS]:
                return False
            if (possible_kinds_one(game, parameters, seat, slot) >> kind) & 1 == 0:
                return False
            counts[kind] -= 1
    left = 0
    for kind in range(parameters[CARD_KINDS]):
        if counts[kind] < 0:
            return False
        left += counts[kind]
    return bool(left == parameters[DECK_SIZE] - np.int64(game["cards_drawn"]))  # else: another variant's game


@kernel
def put_hand_one(
    game: np.void, parameters: IntArray, seat: Integer, hand: IntArray, counts: IntArray, stream: AnyArray
) -> None:
    """Give a seat the cards in ``hand`` [H] and lay the cards in ``counts`` [K] as a freshly shuffled deck.

    ``counts`` is what `take_hand_one` left; ``stream`` [1] shuffles, and gives the game a stream of its own.
    """
    hands, deck = game["hands"], game["deck"]
    for slot in range(np.int64(game["hand_sizes"][seat])):
        hands[seat, slot] = hand[slot]
        deck[np.int64(game["deal_indices"][seat, slot])] = hand[slot]
    # Each card goes to a random place among those laid so far, whose card moves to the end: every order equally likely.
    # The cards are laid in order of kind, hence whatever order the real deck has is gone.
    first = np.int64(game["cards_drawn"])
    laid = 0
    for kind in range(parameters[CARD_KINDS]):
        for _ in range(counts[kind]):
            swap = draw_below(stream, laid + 1)
            deck[first + laid] = deck[first + swap]
            deck[first + swap] = kind
            laid += 1
    game["stream"][0] = draw_bits(stream)


# ---------------------------------------------------------------------------------------------------------------------
# Loops over games
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def put_hands(
    states: AnyArray, parameters: IntArray, seats: IntArray, hands: IntArray, streams: AnyArray, copies: AnyArray
) -> int:
    """Copy games ``states`` [B] to ``copies`` [B] and put ``hands`` [B, H] there; ``streams`` [B] move on.

    Returns:
        -1, or the first game whose hand is impossible; the copies from there on are then not written.
    """
    counts = np.zeros(MAX_KINDS, dtype=np.int64)
    for index in range(len(states)):
        if not take_hand_one(states[index], parameters, seats[index], hands[index], counts):
            return index
        copies[index] = states[index]
        put_hand_one(copies[index], parameters, seats[index], hands[index], counts, streams[index : index + 1])
    return -1


@kernel
def first_impossible(states: AnyArray, parameters: IntArray, seats: IntArray) -> int:
    """Find the first record that is no game of the variant, by its deck and by the hand of its seat, or return -1."""
    counts = np.zeros(MAX_KINDS, dtype=np.int64)
    for index in range(len(states)):
        seat, deck, size = seats[index], states[index]["deck"], parameters[DECK_SIZE]
        if deck[size - 1] == NO_CARD or (size < MAX_DECK_SIZE and deck[size] != NO_CARD):
            return index
        if not take_hand_one(states[index], parameters, seat, states[index]["hands"][seat], counts):
            return index
    return -1


# ---------------------------------------------------------------------------------------------------------------------
# Friendly faces
# ---------------------------------------------------------------------------------------------------------------------


def resample(
    states: AnyArray,
    variant: HanabiVariant,
    seats: npt.ArrayLike | None,
    hands: npt.ArrayLike,
    streams: AnyArray,
    *,
    out: AnyArray | None = None,
) -> AnyArray:
    """Copy games and let one seat of each hold other cards, with the rest of the deck shuffled anew.

    Args:
        states: [B] games, records of `HANABI_STATE`; not changed.
        variant: Their rules.
        seats: One seat, [B] seats, or None for the acting seats: whose cards are replaced.
        hands: [B, H] kinds, oldest card first, NO_CARD in empty slots.
        streams: [B] uint64 random streams for imagined deals, advanced in place.
        out: [B] records to write the copies to, or None for new ones.

    Returns:
        [B] the copies. The seats' observations, legal moves and knowledge are those of the originals.

    Raises:
        UserError: if a hand is impossible for its seat; it names the first such game.
    """
    states, checked_seats = check_games(states, variant, seats)
    check_streams(streams, len(states))
    copies = check_copies(out, (len(states),))
    given = np.asarray(hands)
    if given.shape != (len(states), variant.hand_size) or (given.size > 0 and given.dtype.kind not in "iu"):
        raise UserError(
            f"hands must be whole numbers of shape [{len(states)}, {variant.hand_size}], one hand a game with NO_CARD "
            f"in empty slots, not {given.dtype} of shape {given.shape}."
        )
    given = np.ascontiguousarray(given, dtype=np.int64)
    index = put_hands(states, variant.parameters, checked_seats, given, streams, copies)
    if index >= 0:
        raise UserError(
            f"Game {index}: seat {checked_seats[index]} cannot hold the kinds {given[index].tolist()}, because of "
            "their number, the hints it was given or the cards it sees; give a hand that fits what the seat knows."
        )
    return copies


def check_games(
    states: AnyArray, variant: HanabiVariant, seats: npt.ArrayLike | None = None
) -> tuple[AnyArray, IntArray]:
    """Refuse what is no batch of the variant's games with one seat each.

    Returns:
        The games [B] and the seats [B] as kernels take them.
    """
    check_states(states)
    states, checked = np.ascontiguousarray(states), check_seats(states, variant, seats)
    index = first_impossible(states, variant.parameters, checked)
    if index >= 0:
        raise UserError(
            f"Game {index} is no possible game of {variant.name}: its cards do not add up; check the variant."
        )
    return states, checked


def check_streams(streams: AnyArray, size: int) -> None:
    """Refuse random streams that are not [size] uint64 in one piece, which kernels advance in place."""
    if streams.dtype != np.uint64 or streams.shape != (size,) or not streams.flags.c_contiguous:
        raise UserError(
            f"streams must be a contiguous array of {size} uint64 numbers, one a game; see kernels.draw_streams."
        )


def check_copies(out: AnyArray | None, shape: tuple[int, ...]) -> AnyArray:
    """Make room for copies of games, or refuse room of the wrong shape or kind."""
    if out is None:
        return np.empty(shape, dtype=HANABI_STATE)
    if out.dtype != HANABI_STATE or out.shape != shape or not out.flags.c_contiguous:
        raise UserError(f"out must be a contiguous array of HANABI_STATE records of shape {shape}, not {out.shape}.")
    return out
