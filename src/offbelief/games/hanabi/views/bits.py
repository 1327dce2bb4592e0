"""Rows of bits: how kernels write them, and how they become bytes, floats and HLE's hexadecimal text.

A packed row is a row of 64-bit words. Feature i is bit ``i % 64``, counted from the least significant, of word
``i // 64``; seen as bytes, it is bit ``i % 8`` of byte ``i // 8`` (``numpy.unpackbits(..., bitorder="little")``). Words
are int64, so that kernels never mix signed and unsigned numbers; the sign bit is a bit like the others.
"""

import numpy as np

from offbelief.games.hanabi.kernels import Integer
from offbelief.jit import inline_kernel, kernel
from offbelief.nouns import AnyArray, IntArray, UserError

WORD_BITS = 64


def words_for(size: int) -> int:
    """Number of words in a packed row of so many features."""
    return -(-size // WORD_BITS)


@inline_kernel
def write_bits_one(words: IntArray, position: Integer, bits: Integer, count: Integer) -> Integer:
    """Write the lowest ``count`` bits (at most 63, those above must be 0) at a position of a cleared row.

    No bits at all may be written where others follow, but not behind the last word of a row: there is no branch for it.

    Returns:
        The position behind them.
    """
    # Inlined and without a branch: otherwise numba counts references to `words` at every call, which costs thrice the
    # work itself.
    shift = position & 63
    words[position >> 6] |= bits << shift
    words[(position + count - 1) >> 6] |= (bits >> 1) >> (63 - shift)  # what did not fit; 0 if all did
    return position + count


@kernel
def spread_bits_one(bits: Integer, row: AnyArray) -> None:
    """Write the lowest bits of a number as one number each, 0 or 1, into ``row``, up to its end."""
    for place in range(len(row)):
        row[place] = (bits >> place) & 1


@kernel
def spread_words_one(words: IntArray, size: Integer, row: AnyArray) -> None:
    """Write the first ``size`` bits of packed words as one number each, 0 or 1, to the start of ``row``."""
    for word in range(size >> 6):
        bits, start = words[word], word << 6
        for bit in range(WORD_BITS):  # a constant count, so that the compiler can use vector instructions
            row[start + bit] = (bits >> bit) & 1
    for place in range(size & ~63, size):
        row[place] = (words[place >> 6] >> (place & 63)) & 1


def pack_bits(observations: AnyArray) -> AnyArray:
    """Pack observations of zeros and ones, [..., F], into bytes, [..., 8 * W] uint8, as this module describes."""
    size = observations.shape[-1]
    packed = np.zeros((*observations.shape[:-1], 8 * words_for(size)), dtype=np.uint8)
    packed[..., : -(-size // 8)] = np.packbits(observations != 0, axis=-1, bitorder="little")
    return packed


def unpack_bits(packed: AnyArray, size: int) -> AnyArray:
    """Unpack bytes, [..., 8 * W] uint8, into observations of ``size`` zeros and ones, [..., F] uint8."""
    if packed.dtype != np.uint8 or packed.ndim == 0 or 8 * packed.shape[-1] < size:
        raise UserError(
            f"{size} packed features need at least {-(-size // 8)} bytes of type uint8 in the last axis, not "
            f"{packed.dtype} of shape {packed.shape}; check the layout's size."
        )
    return np.unpackbits(packed, axis=-1, count=size, bitorder="little")


def to_hex(observation: AnyArray) -> str:
    """Write one observation [F] of zeros and ones as recorded HLE vectors do.

    Four features a digit, the first of them the digit's most significant bit, zeros after the last feature. (So HLE's
    text is not the hexadecimal print of a packed row, whose bytes count from the least significant bit.)
    """
    digits = np.packbits(observation != 0).tobytes().hex()
    return digits[: -(-len(observation) // 4)]


def from_hex(text: str, size: int) -> AnyArray:
    """Read what `to_hex` writes: [F] uint8 zeros and ones."""
    try:
        packed = np.frombuffer(bytes.fromhex(text + "0" * (len(text) % 2)), dtype=np.uint8)
    except ValueError:
        raise UserError(
            f"{text[:20]!r}... is no hexadecimal text; give an `enc` string of a recorded vector."
        ) from None
    bits = np.unpackbits(packed)
    if len(text) != -(-size // 4) or np.any(bits[size:]):
        raise UserError(
            f"An observation of {size} features is {-(-size // 4)} hexadecimal digits with zeros behind the last "
            f"feature, but the text has {len(text)}; check the variant."
        )
    return bits[:size]
