"""Random streams with an owner.

A stream is one unsigned 64-bit number. Whoever owns it (a game, a learner) passes it to the functions here inside an
array and gets it back advanced, so the same seed gives the same draws for any batch size, thread count or order.

The generator is SplitMix64 (Steele, Lea and Flood 2014): the state walks by a constant, the output is the state mixed.
It passes BigCrush, needs eight bytes per game, and any 64-bit number is a good seed.
"""

import numpy as np

from offbelief.jit import kernel
from offbelief.nouns import AnyArray, Whole

_WALK = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_SHIFT_30, _SHIFT_27, _SHIFT_31 = np.uint64(30), np.uint64(27), np.uint64(31)
_SHIFT_32, _SHIFT_11 = np.uint64(32), np.uint64(11)


@kernel
def mix(number: np.uint64) -> np.uint64:
    """Scramble 64 bits, one to one."""
    number = (number ^ (number >> _SHIFT_30)) * _MIX_1
    number = (number ^ (number >> _SHIFT_27)) * _MIX_2
    return number ^ (number >> _SHIFT_31)


@kernel
def draw_bits(stream: AnyArray) -> np.uint64:
    """Draw 64 random bits and advance the stream, which is ``stream[0]``."""
    stream[0] += _WALK
    return mix(stream[0])


@kernel
def draw_below(stream: AnyArray, bound: Whole) -> np.int64:
    """Draw an integer uniformly from ``0 .. bound-1`` (the bias is below ``bound / 2**32``)."""
    return np.int64(((draw_bits(stream) >> _SHIFT_32) * np.uint64(bound)) >> _SHIFT_32)


@kernel
def draw_unit(stream: AnyArray) -> np.float64:
    """Draw a float uniformly from [0, 1)."""
    return np.float64(draw_bits(stream) >> _SHIFT_11) * 1.1102230246251565e-16  # 2**-53


def new_stream(seed: int, *path: int) -> AnyArray:
    """Make a stream of its own for a seed and a path of indices, such as ``new_stream(seed, run, level)``.

    Returns:
        [1] uint64 array. Different paths give unrelated streams.
    """
    state = np.array([seed & 0xFFFFFFFFFFFFFFFF], dtype=np.uint64)
    with np.errstate(over="ignore"):
        for index in (0, *path):
            state[0] = mix(state[0] + np.uint64(index & 0xFFFFFFFF) * _WALK + _WALK)
    return state


def draw_units(streams: AnyArray, chosen: AnyArray) -> AnyArray:
    """Draw a float from [0, 1) from each of the chosen streams.

    Args:
        streams: [B] uint64 streams, those chosen are advanced.
        chosen: [M] indices into them.
    """
    drawn = np.empty(len(chosen))
    _draw_units(streams, chosen, drawn)
    return drawn


@kernel
def _draw_units(streams: AnyArray, chosen: AnyArray, drawn: AnyArray) -> None:
    for index in range(len(chosen)):
        drawn[index] = draw_unit(streams[chosen[index] : chosen[index] + 1])
