"""The rules of Hanabi, compiled: deal, legal moves, step.

Functions named ``*_one`` act on one game (one record of `HANABI_STATE`); the loop over games has the plain name.
Nothing here checks its inputs: `HanabiBatch` does.

``parameters`` is always `HanabiVariant.parameters`, so one compiled kernel serves every variant. Bytes are widened to
int64 before arithmetic, so that the same code runs uncompiled (``NUMBA_DISABLE_JIT=1``), where bytes would wrap.
"""

from typing import TypeAlias

import numpy as np

from offbelief.games.hanabi.state import (
    FULL_SCORE,
    NO_CARD,
    NOTHING,
    OUT_OF_CARDS,
    OUT_OF_LIVES,
    OUT_OF_TURNS,
    RUNNING,
)
from offbelief.games.hanabi.variant import (
    COLOUR_BY_KIND,
    COLOURS,
    DECK_SIZE,
    DISCARDED,
    HAND_SIZE,
    HINT_TOKENS,
    HINTED_COLOUR,
    HINTS_BY_KIND,
    LIVES,
    MAX_COLOURS,
    MAX_HAND_SIZE,
    MAX_KINDS,
    MAX_PLAYERS,
    MAX_SCORE,
    NUM_MOVES,
    OFFSET_BY_MOVE,
    PLAYED,
    PLAYERS,
    RANDOM_START,
    RANK_BY_KIND,
    RANKS,
    SORTED_DECK,
    STRIKE_KEEPS_SCORE,
    TURN_CAP,
    TYPE_BY_MOVE,
    VALUE_BY_MOVE,
)
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, BoolArray, FloatArray, IntArray
from offbelief.streams import draw_below, draw_bits

Integer: TypeAlias = int | np.int64
"""A whole number, in Python or in compiled code."""

NO_MOVE = -1
"""The move of a game that is over."""

_ONE = np.int64(1)

# ---------------------------------------------------------------------------------------------------------------------
# One game: dealing
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def shuffle_one(game: np.void, parameters: IntArray) -> None:
    """Lay a freshly shuffled deck into the record and choose the first seat, from the game's own stream."""
    deck, stream = game["deck"], game["stream"]
    # Each card goes to a random place among those laid so far, whose card moves to the end: every order equally likely.
    for place in range(parameters[DECK_SIZE]):
        swap = draw_below(stream, place + 1)
        deck[place] = deck[swap]
        deck[swap] = parameters[SORTED_DECK + place]
    if parameters[RANDOM_START] == 1:
        game["start_seat"] = draw_below(stream, parameters[PLAYERS])
    else:
        game["start_seat"] = 0


@kernel
def draw_card_one(game: np.void, parameters: IntArray, seat: Integer) -> None:
    """Move the next card of the deck into a hand, with nothing known about it."""
    slot = np.int64(game["hand_sizes"][seat])
    place = np.int64(game["cards_drawn"])
    game["hands"][seat, slot] = game["deck"][place]
    game["deal_indices"][seat, slot] = place
    game["possible_colours"][seat, slot] = (_ONE << parameters[COLOURS]) - 1
    game["possible_ranks"][seat, slot] = (_ONE << parameters[RANKS]) - 1
    game["colour_told"][seat, slot] = 0
    game["rank_told"][seat, slot] = 0
    game["hand_sizes"][seat] = slot + 1
    game["cards_drawn"] = place + 1


@kernel
def open_one(game: np.void, parameters: IntArray) -> None:
    """Set the table for the deck and first seat in the record, and draw the opening hands, seat 0's whole hand first.

    Leaves ``stream``, ``deck``, ``start_seat`` and ``restarts`` as they are.
    """
    game["turn"] = 0
    game["acting_seat"] = game["start_seat"]
    game["hint_tokens"] = parameters[HINT_TOKENS]
    game["lives"] = parameters[LIVES]
    game["cards_drawn"] = 0
    game["turns_left"] = parameters[PLAYERS]
    game["score"] = 0
    game["is_over"] = False
    game["end_reason"] = RUNNING
    for colour in range(MAX_COLOURS):
        game["fireworks"][colour] = 0
    for kind in range(MAX_KINDS):
        game["discards"][kind] = 0
    game["last_actor"] = NOTHING
    game["last_type"] = NOTHING
    game["last_target"] = NOTHING
    game["last_colour"] = NOTHING
    game["last_rank"] = NOTHING
    game["last_touched"] = 0
    game["last_slot"] = NOTHING
    game["last_card"] = NOTHING
    game["last_scored"] = False
    game["last_token_gained"] = False
    game["announced"] = 0
    for seat in range(MAX_PLAYERS):
        game["hand_sizes"][seat] = 0
        drawn = 0
        if seat < parameters[PLAYERS]:
            drawn = parameters[HAND_SIZE]
        for _ in range(drawn):
            draw_card_one(game, parameters, seat)
        for slot in range(drawn, MAX_HAND_SIZE):
            clear_slot_one(game, seat, slot)


@kernel
def clear_slot_one(game: np.void, seat: Integer, slot: Integer) -> None:
    """Mark a slot as empty."""
    game["hands"][seat, slot] = NO_CARD
    game["deal_indices"][seat, slot] = NOTHING
    game["possible_colours"][seat, slot] = 0
    game["possible_ranks"][seat, slot] = 0
    game["colour_told"][seat, slot] = 0
    game["rank_told"][seat, slot] = 0


@kernel
def restart_one(game: np.void, parameters: IntArray) -> None:
    """Shuffle, deal and begin the record's next game."""
    game["restarts"] = np.int64(game["restarts"]) + 1
    shuffle_one(game, parameters)
    open_one(game, parameters)


# ---------------------------------------------------------------------------------------------------------------------
# One game: moves
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def legal_bits_one(game: np.void, parameters: IntArray) -> Integer:
    """Legal moves of the acting seat as bits, bit m for move m; 0 when the game is over."""
    if game["is_over"]:
        return np.int64(0)
    hand_size, colours, ranks = parameters[HAND_SIZE], parameters[COLOURS], parameters[RANKS]
    players, hint_tokens = parameters[PLAYERS], np.int64(game["hint_tokens"])
    target = np.int64(game["acting_seat"])
    slots = (_ONE << np.int64(game["hand_sizes"][target])) - 1
    bits: Integer = slots << hand_size
    if hint_tokens < parameters[HINT_TOKENS]:
        bits |= slots
    if hint_tokens > 0:
        colour_bits = (_ONE << colours) - 1
        colour_shift = 2 * hand_size
        rank_shift = 2 * hand_size + (players - 1) * colours
        for _ in range(players - 1):
            target += 1
            if target == players:
                target = np.int64(0)
            hints = np.int64(0)
            for slot in range(np.int64(game["hand_sizes"][target])):
                hints |= parameters[HINTS_BY_KIND + np.int64(game["hands"][target, slot])]
            bits |= (hints & colour_bits) << colour_shift
            bits |= (hints >> colours) << rank_shift
            colour_shift += colours
            rank_shift += ranks
    return bits


@kernel
def take_card_one(game: np.void, seat: Integer, slot: Integer) -> Integer:
    """Remove a card from a hand; newer cards move up by one slot. Returns its kind."""
    kind = np.int64(game["hands"][seat, slot])
    # Every slot from here on takes over its newer neighbour, empty or not: no need to ask how many cards there are.
    for older in range(MAX_HAND_SIZE - 1):
        newer = older + np.int64(older >= slot)
        game["hands"][seat, older] = game["hands"][seat, newer]
        game["deal_indices"][seat, older] = game["deal_indices"][seat, newer]
        game["possible_colours"][seat, older] = game["possible_colours"][seat, newer]
        game["possible_ranks"][seat, older] = game["possible_ranks"][seat, newer]
        game["colour_told"][seat, older] = game["colour_told"][seat, newer]
        game["rank_told"][seat, older] = game["rank_told"][seat, newer]
    clear_slot_one(game, seat, MAX_HAND_SIZE - 1)
    game["hand_sizes"][seat] = np.int64(game["hand_sizes"][seat]) - 1
    return kind


@kernel
def return_token_one(game: np.void, parameters: IntArray) -> bool:
    """Return one hint token unless all are there. Tells whether it did."""
    if np.int64(game["hint_tokens"]) < parameters[HINT_TOKENS]:
        game["hint_tokens"] = np.int64(game["hint_tokens"]) + 1
        return True
    return False


@kernel
def play_or_discard_one(game: np.void, parameters: IntArray, move_type: Integer, slot: Integer) -> None:
    """The acting seat plays or discards the card in a slot; draws nothing yet."""
    kind = take_card_one(game, np.int64(game["acting_seat"]), slot)
    scored, token_gained = False, False
    if move_type == DISCARDED:
        token_gained = return_token_one(game, parameters)
        game["discards"][kind] = np.int64(game["discards"][kind]) + 1
    else:
        colour, rank = parameters[COLOUR_BY_KIND + kind], parameters[RANK_BY_KIND + kind]
        if np.int64(game["fireworks"][colour]) == rank:
            scored = True
            game["fireworks"][colour] = rank + 1
            game["score"] = np.int64(game["score"]) + 1
            if rank + 1 == parameters[RANKS]:
                token_gained = return_token_one(game, parameters)
        else:
            game["lives"] = np.int64(game["lives"]) - 1
            game["discards"][kind] = np.int64(game["discards"][kind]) + 1
    game["last_target"] = NOTHING
    game["last_colour"] = NOTHING
    game["last_rank"] = NOTHING
    game["last_touched"] = 0
    game["last_slot"] = slot
    game["last_card"] = kind
    game["last_scored"] = scored
    game["last_token_gained"] = token_gained


@kernel
def hint_one(game: np.void, parameters: IntArray, move_type: Integer, target: Integer, value: Integer) -> None:
    """The acting seat tells another which of its cards have a colour or rank, and thereby which have not."""
    touched = np.int64(0)
    bit = _ONE << value
    # No branch per card: whether a hint touches it cannot be predicted, and a wrong guess costs more than the work.
    if move_type == HINTED_COLOUR:
        for slot in range(np.int64(game["hand_sizes"][target])):
            is_touched = np.int64(parameters[COLOUR_BY_KIND + np.int64(game["hands"][target, slot])] == value)
            allowed = bit ^ (is_touched - 1)  # the bit alone if touched, all others if not
            game["possible_colours"][target, slot] = np.int64(game["possible_colours"][target, slot]) & allowed
            game["colour_told"][target, slot] = np.int64(game["colour_told"][target, slot]) | is_touched
            touched |= is_touched << slot
        game["last_colour"] = value
        game["last_rank"] = NOTHING
    else:
        for slot in range(np.int64(game["hand_sizes"][target])):
            is_touched = np.int64(parameters[RANK_BY_KIND + np.int64(game["hands"][target, slot])] == value)
            allowed = bit ^ (is_touched - 1)
            game["possible_ranks"][target, slot] = np.int64(game["possible_ranks"][target, slot]) & allowed
            game["rank_told"][target, slot] = np.int64(game["rank_told"][target, slot]) | is_touched
            touched |= is_touched << slot
        game["last_colour"] = NOTHING
        game["last_rank"] = value
    game["hint_tokens"] = np.int64(game["hint_tokens"]) - 1
    game["last_target"] = target
    game["last_touched"] = touched
    game["last_slot"] = NOTHING
    game["last_card"] = NOTHING
    game["last_scored"] = False
    game["last_token_gained"] = False


@kernel
def step_one(game: np.void, parameters: IntArray, move: Integer) -> Integer:
    """Make a legal move in a game that is not over.

    Returns:
        The change of the score: 1 for a card that scores; minus the points so far at the last strike, where that
        scores zero; else 0.
    """
    score_before = np.int64(game["score"])
    seat = np.int64(game["acting_seat"])
    players = parameters[PLAYERS]
    move_type = parameters[TYPE_BY_MOVE + move]
    value = parameters[VALUE_BY_MOVE + move]
    # The turn that draws the last card is not yet counted down: afterwards every seat, the drawer last, has one turn.
    if np.int64(game["cards_drawn"]) == parameters[DECK_SIZE]:
        game["turns_left"] = np.int64(game["turns_left"]) - 1

    if move_type in (PLAYED, DISCARDED):
        play_or_discard_one(game, parameters, move_type, value)
    else:
        target = seat + parameters[OFFSET_BY_MOVE + move]
        if target >= players:
            target -= players
        hint_one(game, parameters, move_type, target, value)
    game["last_actor"] = seat
    game["last_type"] = move_type
    game["announced"] = 0

    turn = np.int64(game["turn"]) + 1
    game["turn"] = turn
    seat_next = seat + 1
    if seat_next == players:
        seat_next = np.int64(0)
    game["acting_seat"] = seat_next

    # HLE asks in this order; the reasons exclude each other except that a cap may fall on the last turn.
    reason = np.int64(RUNNING)
    if np.int64(game["lives"]) == 0:
        reason = np.int64(OUT_OF_LIVES)
        if parameters[STRIKE_KEEPS_SCORE] == 0:
            game["score"] = 0
    elif np.int64(game["score"]) == parameters[MAX_SCORE]:
        reason = np.int64(FULL_SCORE)
    elif np.int64(game["turns_left"]) == 0:
        reason = np.int64(OUT_OF_CARDS)
    elif turn == parameters[TURN_CAP]:
        reason = np.int64(OUT_OF_TURNS)

    if reason != RUNNING:
        game["end_reason"] = reason
        game["is_over"] = True
    elif move_type in (PLAYED, DISCARDED) and np.int64(game["cards_drawn"]) < parameters[DECK_SIZE]:
        draw_card_one(game, parameters, seat)  # like HLE, no card is drawn once the game is over
    return np.int64(game["score"]) - score_before


@kernel
def random_move_one(bits: Integer, stream: AnyArray) -> Integer:
    """Draw one of the moves in a set of legal moves, each equally likely; NO_MOVE from the empty set."""
    count = 0
    rest = bits
    while rest != 0:
        rest &= rest - 1  # drops the lowest bit
        count += 1
    if count == 0:
        return np.int64(NO_MOVE)
    rest = bits
    for _ in range(draw_below(stream, count)):
        rest &= rest - 1
    move = np.int64(0)
    while (rest >> move) & 1 == 0:
        move += 1
    return move


# ---------------------------------------------------------------------------------------------------------------------
# Loops over games
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def draw_streams(stream: AnyArray, skipped: int, streams: AnyArray) -> None:
    """Fill ``streams`` [B] with streams of their own, those number ``skipped`` onwards that ``stream`` [1] leads to.

    With ``stream = new_stream(seed)`` the result for number i is ``new_stream(seed, i)``, only faster.
    """
    for _ in range(skipped):
        draw_bits(stream)
    for index in range(len(streams)):
        streams[index] = draw_bits(stream)


@kernel
def deal(states: AnyArray, parameters: IntArray) -> None:
    """Shuffle and deal the first game of every record; ``stream`` must be set."""
    for index in range(len(states)):
        states[index]["restarts"] = 0
        shuffle_one(states[index], parameters)
        open_one(states[index], parameters)


@kernel
def open_games(states: AnyArray, parameters: IntArray) -> None:
    """Begin every game from the ``deck`` and ``start_seat`` in its record."""
    for index in range(len(states)):
        states[index]["restarts"] = 0
        open_one(states[index], parameters)


@kernel
def restart_finished(states: AnyArray, parameters: IntArray, restarted: BoolArray) -> None:
    """Begin the next game of every record whose game is over, and mark it in ``restarted`` [B]."""
    for index in range(len(states)):
        restarted[index] = states[index]["is_over"]
        if restarted[index]:
            restart_one(states[index], parameters)


@kernel
def legal_bits(states: AnyArray, parameters: IntArray, bits: IntArray) -> None:
    """Write the legal moves of every game as a number, bit m for move m, into ``bits`` [B] int64."""
    for index in range(len(states)):
        bits[index] = legal_bits_one(states[index], parameters)


@kernel
def spread_bits_one(bits: Integer, mask: BoolArray) -> None:
    """Write bit m of a number into ``mask[m]``."""
    for move in range(len(mask)):
        mask[move] = (bits >> move) & 1 == 1


@kernel
def legal_moves(states: AnyArray, parameters: IntArray, legal: BoolArray) -> None:
    """Write the legal moves of every game into ``legal`` [B, A]; all False where the game is over."""
    for index in range(len(states)):
        spread_bits_one(legal_bits_one(states[index], parameters), legal[index])


@kernel
def first_illegal(states: AnyArray, parameters: IntArray, moves: IntArray) -> int:
    """Find the first game whose move in ``moves`` [B] is illegal, or return -1.

    A game that is over has one legal move: NO_MOVE.
    """
    for index in range(len(states)):
        move = moves[index]
        if states[index]["is_over"]:
            if move != NO_MOVE:
                return index
        elif not 0 <= move < parameters[NUM_MOVES] or (legal_bits_one(states[index], parameters) >> move) & 1 == 0:
            return index
    return -1


@kernel
def step(states: AnyArray, parameters: IntArray, moves: IntArray, rewards: FloatArray) -> None:
    """Make ``moves`` [B], which must be legal, and write ``rewards`` [B]; games that are over stay as they are."""
    for index in range(len(states)):
        if states[index]["is_over"]:
            rewards[index] = 0
        else:
            rewards[index] = step_one(states[index], parameters, moves[index])


@kernel
def random_turns(
    states: AnyArray,
    parameters: IntArray,
    move_streams: AnyArray,
    turns: int,
    legal: BoolArray,
    moves: IntArray,
    rewards: FloatArray,
    ended: BoolArray,
) -> None:
    """Play some turns of every game, each a uniformly random legal move, and at once begin anew games that end.

    Args:
        states: [B] games, changed in place; none of them over.
        parameters: of the variant.
        move_streams: [B] uint64, the streams that choose the moves; games' own streams only deal.
        turns: How many turns to play; the arrays below are written every turn and tell of the last.
        legal: [B, A] receives the legal moves before the move.
        moves: [B] int64, receives the moves made.
        rewards: [B] receives their rewards.
        ended: [B] receives whether the move ended its game.
    """
    for _ in range(turns):
        for index in range(len(states)):
            bits = legal_bits_one(states[index], parameters)
            spread_bits_one(bits, legal[index])
            moves[index] = random_move_one(bits, move_streams[index : index + 1])
            rewards[index] = step_one(states[index], parameters, moves[index])
            ended[index] = states[index]["is_over"]
            if ended[index]:
                restart_one(states[index], parameters)
