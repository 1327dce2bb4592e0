"""Colour permutations of Hanabi: of games, moves, observations and knowledge.

Hanabi's rules treat all colours alike, so renaming the colours of everything turns one game into another:
``permute(step(game, move)) == step(permute(game), permute(move))`` and ``observe(permute(game)) ==
permute(observe(game))``, exactly, for every encoding in `views`. Other-Play (Hu et al. 2020) and data augmentation rest
on this. Who permutes what, and when, is the business of the learning rooms.

``permutations`` is always [B, C] whole numbers, one row a game: ``permutations[b, c]`` is the new name of colour c.
"""

import functools

import numpy as np

from offbelief.games.hanabi.kernels import Integer
from offbelief.games.hanabi.state import NO_CARD, NOTHING
from offbelief.games.hanabi.variant import (
    CARD_KINDS,
    COLOUR_BY_KIND,
    COLOURS,
    DECK_SIZE,
    HINTED_COLOUR,
    MAX_KINDS,
    PLAYERS,
    RANK_BY_KIND,
    RANKS,
    TYPE_BY_MOVE,
    VALUE_BY_MOVE,
    HanabiVariant,
)
from offbelief.games.hanabi.views.bits import words_for
from offbelief.games.hanabi.views.inputs import check_states
from offbelief.games.hanabi.views.layout import COLOUR_AXIS, Layout
from offbelief.jit import kernel
from offbelief.nouns import AnyArray, IntArray, UserError
from offbelief.streams import draw_below

_ONE = np.int64(1)

# ---------------------------------------------------------------------------------------------------------------------
# Permutations
# ---------------------------------------------------------------------------------------------------------------------


def draw_permutations(stream: AnyArray, games: int, variant: HanabiVariant) -> IntArray:
    """Draw a colour permutation for every game, each equally likely: [B, C] int64.

    Args:
        stream: [1] uint64 random stream (see `offbelief.streams`), advanced.
        games: How many.
        variant: The rules.
    """
    permutations = np.empty((games, variant.colours), dtype=np.int64)
    _draw_permutations(stream, permutations)
    return permutations


def invert_permutations(permutations: IntArray) -> IntArray:
    """Find the permutations that undo these: [B, C]."""
    inverse: IntArray = np.argsort(permutations, axis=1)
    return inverse


# ---------------------------------------------------------------------------------------------------------------------
# Games and moves
# ---------------------------------------------------------------------------------------------------------------------


def permute_states(
    states: AnyArray, variant: HanabiVariant, permutations: IntArray, *, out: AnyArray | None = None
) -> AnyArray:
    """Rename the colours of games, the order of their decks included.

    The random stream stays, so the law holds for the game in progress: the next game of a restarted record is dealt
    from the stream as ever.

    Args:
        states: [B] games.
        variant: Their rules.
        permutations: [B, C] new name of each colour.
        out: [B] games to write into, which may be ``states`` itself, or None for new ones.

    Returns:
        [B] games.
    """
    check_states(states)
    checked = _check_permutations(permutations, len(states), variant)
    if out is None:
        out = states.copy()
    elif out is not states:
        check_states(out)
        out[:] = states
    _permute_states(out, variant.parameters, checked)
    return out


def permute_moves(moves: IntArray, variant: HanabiVariant, permutations: IntArray) -> IntArray:
    """Rename the colours in moves [B]; NO_MOVE stays."""
    checked = _check_permutations(permutations, len(moves), variant)
    parameters = variant.parameters
    is_hint = (moves >= 0) & (parameters[TYPE_BY_MOVE + np.maximum(moves, 0)] == HINTED_COLOUR)
    colour = np.where(is_hint, parameters[VALUE_BY_MOVE + np.maximum(moves, 0)], 0)
    renamed = np.take_along_axis(checked, colour[:, np.newaxis], axis=1)[:, 0]
    permuted: IntArray = np.where(is_hint, moves - colour + renamed, moves).astype(moves.dtype)
    return permuted


def permute_by_move(values: AnyArray, variant: HanabiVariant, permutations: IntArray) -> AnyArray:
    """Reorder what is kept by move, such as legal masks and action values, [B, A]."""
    checked = _check_permutations(permutations, len(values), variant)
    moves = np.arange(variant.num_moves)
    is_hint = variant.parameters[TYPE_BY_MOVE + moves] == HINTED_COLOUR
    colours = np.where(is_hint, variant.parameters[VALUE_BY_MOVE + moves], 0)
    bases = moves - colours
    sources = bases + np.where(is_hint, invert_permutations(checked)[:, colours], 0)
    return np.take_along_axis(values, sources, axis=1)


# ---------------------------------------------------------------------------------------------------------------------
# Knowledge
# ---------------------------------------------------------------------------------------------------------------------


def permute_kinds(kinds: IntArray, variant: HanabiVariant, permutations: IntArray) -> IntArray:
    """Rename the colours of cards [B, ...], given as kinds; NO_CARD stays."""
    checked = _check_permutations(permutations, len(kinds), variant)
    is_card = kinds != NO_CARD
    plain = np.where(is_card, kinds, 0).astype(np.int64).reshape(len(kinds), -1)
    renamed = np.take_along_axis(checked, plain // variant.ranks, axis=1) * variant.ranks + plain % variant.ranks
    permuted: IntArray = np.where(is_card, renamed.reshape(kinds.shape), NO_CARD).astype(kinds.dtype)
    return permuted


def permute_by_kind(values: AnyArray, variant: HanabiVariant, permutations: IntArray) -> AnyArray:
    """Reorder what is kept by kind, such as counts, possible kinds and probabilities, [B, ..., K]."""
    checked = _check_permutations(permutations, len(values), variant)
    by_colour = values.reshape(*values.shape[:-1], variant.colours, variant.ranks)
    inverse = invert_permutations(checked)
    inverse = inverse.reshape(len(values), *(1 for _ in values.shape[1:-1]), variant.colours, 1)
    return np.take_along_axis(by_colour, inverse, axis=-2).reshape(values.shape)


# ---------------------------------------------------------------------------------------------------------------------
# Observations
# ---------------------------------------------------------------------------------------------------------------------


def permute_observations(observations: AnyArray, layout: Layout, permutations: IntArray) -> AnyArray:
    """Rename the colours in observations of any encoding.

    Args:
        observations: [B, F] bytes or floats.
        layout: Their layout, such as ``canonical_layout(variant)``.
        permutations: [B, C] new name of each colour.

    Returns:
        [B, F] new array.
    """
    _check_observations(observations, layout.size, layout)
    bases, strides, colours, number = _colour_map(layout)
    checked = _check_permutations(permutations, len(observations), number)
    permuted = np.empty_like(observations, order="C")
    _permute_rows(np.ascontiguousarray(observations), bases, strides, colours, invert_permutations(checked), permuted)
    return permuted


def permute_packed(packed: AnyArray, layout: Layout, permutations: IntArray) -> AnyArray:
    """Rename the colours in packed observations, [B, 8 * W] uint8 as `observe_canonical_packed` gives them."""
    _check_observations(packed, 8 * words_for(layout.size), layout)
    bases, strides, colours, number = _colour_map(layout)
    checked = _check_permutations(permutations, len(packed), number)
    words = np.ascontiguousarray(packed).view(np.dtype("<i8"))
    permuted = np.zeros_like(words)
    _permute_words(words, bases, strides, colours, invert_permutations(checked), permuted)
    return permuted.view(np.uint8)


@functools.cache
def _colour_map(layout: Layout) -> tuple[IntArray, IntArray, IntArray, int]:
    """Say for every feature of a layout which one takes its place when colours are renamed.

    Returns:
        bases, strides, colours: [F] each; feature i gets the value of feature ``bases[i] + strides[i] * c``, where c is
        the colour whose new name is ``colours[i]``. And the number of colours.
    """
    bases, strides, colours = np.arange(layout.size), np.zeros(layout.size, np.int64), np.zeros(layout.size, np.int64)
    number = 0
    places, views = layout.view(np.arange(layout.size)), layout.view(bases)
    stride_views, colour_views = layout.view(strides), layout.view(colours)
    for section in layout.sections:
        if COLOUR_AXIS in section.axes:
            axis = section.axes.index(COLOUR_AXIS)
            number = section.shape[axis]
            along = np.arange(number).reshape(-1, *(1 for _ in section.axes[axis + 1 :]))
            views[section.name][...] = places[section.name] - along * section.strides[axis]
            stride_views[section.name][...] = section.strides[axis]
            colour_views[section.name][...] = along
    return bases, strides, colours, number


def _check_observations(observations: AnyArray, size: int, layout: Layout) -> None:
    if observations.ndim != 2 or observations.shape[1] != size:
        raise UserError(
            f"Observations of the {layout.name} layout have shape [games, {size}] here, not {observations.shape}; "
            "give those of the same variant and encoding."
        )


def _check_permutations(permutations: IntArray, games: int, variant: HanabiVariant | int) -> IntArray:
    """Refuse what are not permutations of the colours, one a game."""
    colours = variant.colours if isinstance(variant, HanabiVariant) else variant
    checked = np.asarray(permutations)
    if checked.shape != (games, colours) or checked.dtype.kind not in "iu":
        raise UserError(
            f"permutations must be whole numbers of shape [{games}, {colours}] (games, colours), not {checked.dtype} "
            f"{checked.shape}; `draw_permutations` makes them."
        )
    if np.any(np.sort(checked, axis=1) != np.arange(colours)):
        raise UserError(f"Every row of permutations must hold each of 0 to {colours - 1} once.")
    return np.ascontiguousarray(checked, dtype=np.int64)


# ---------------------------------------------------------------------------------------------------------------------
# Kernels
# ---------------------------------------------------------------------------------------------------------------------


@kernel
def _draw_permutations(stream: AnyArray, permutations: IntArray) -> None:
    """Shuffle 0 .. C-1 in every row."""
    for index in range(len(permutations)):
        for colour in range(permutations.shape[1]):
            swap = draw_below(stream, colour + 1)
            permutations[index, colour] = permutations[index, swap]
            permutations[index, swap] = colour


@kernel
def permute_state_one(game: np.void, parameters: IntArray, permutation: IntArray, scratch: IntArray) -> None:
    """Rename the colours of one game in place; ``scratch`` [2, 25] holds what is moved meanwhile."""
    colours, ranks, kinds = parameters[COLOURS], parameters[RANKS], parameters[CARD_KINDS]
    renamed, values = scratch[0], scratch[1]
    for kind in range(kinds):
        renamed[kind] = permutation[parameters[COLOUR_BY_KIND + kind]] * ranks + parameters[RANK_BY_KIND + kind]

    for colour in range(colours):
        values[colour] = np.int64(game["fireworks"][colour])
    for colour in range(colours):
        game["fireworks"][permutation[colour]] = values[colour]
    for kind in range(kinds):
        values[kind] = np.int64(game["discards"][kind])
    for kind in range(kinds):
        game["discards"][renamed[kind]] = values[kind]
    for place in range(parameters[DECK_SIZE]):
        card = np.int64(game["deck"][place])
        if card != NO_CARD:
            game["deck"][place] = renamed[card]

    for seat in range(parameters[PLAYERS]):
        for slot in range(np.int64(game["hand_sizes"][seat])):
            game["hands"][seat, slot] = renamed[np.int64(game["hands"][seat, slot])]
            possible, moved = np.int64(game["possible_colours"][seat, slot]), np.int64(0)
            for colour in range(colours):
                moved |= ((possible >> colour) & 1) << permutation[colour]
            game["possible_colours"][seat, slot] = moved

    if np.int64(game["last_colour"]) != NOTHING:
        game["last_colour"] = permutation[np.int64(game["last_colour"])]
    if np.int64(game["last_card"]) != NO_CARD:
        game["last_card"] = renamed[np.int64(game["last_card"])]
    said = np.int64(game["announced"]) - 1
    if said >= 0 and parameters[TYPE_BY_MOVE + said] == HINTED_COLOUR:
        colour = parameters[VALUE_BY_MOVE + said]
        game["announced"] = said - colour + permutation[colour] + 1


@kernel
def _permute_states(states: AnyArray, parameters: IntArray, permutations: IntArray) -> None:
    """Rename the colours of every game in place."""
    scratch = np.empty((2, MAX_KINDS), dtype=np.int64)
    for index in range(len(states)):
        permute_state_one(states[index], parameters, permutations[index], scratch)


@kernel
def _source_one(
    place: Integer, bases: IntArray, strides: IntArray, colours: IntArray, inverses: IntArray, index: Integer
) -> Integer:
    """Find the feature that takes a place in one game; see `_colour_map`."""
    return np.int64(bases[place] + strides[place] * inverses[index, colours[place]])


@kernel
def _permute_rows(
    rows: AnyArray, bases: IntArray, strides: IntArray, colours: IntArray, inverses: IntArray, permuted: AnyArray
) -> None:
    """Reorder the features of ``rows`` [B, F]."""
    for index in range(len(rows)):
        for place in range(rows.shape[1]):
            permuted[index, place] = rows[index, _source_one(place, bases, strides, colours, inverses, index)]


@kernel
def _permute_words(
    words: IntArray, bases: IntArray, strides: IntArray, colours: IntArray, inverses: IntArray, permuted: IntArray
) -> None:
    """Reorder the bits of packed rows ``words`` [B, W] into cleared ones."""
    for index in range(len(words)):
        for place in range(len(bases)):
            source = _source_one(place, bases, strides, colours, inverses, index)
            bit = (words[index, source >> 6] >> (source & 63)) & 1
            permuted[index, place >> 6] |= bit << (place & 63)
