"""Packed rows: written bit by bit, spread again, and HLE's hexadecimal text."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from offbelief.games.hanabi.views import from_hex, pack_bits, to_hex, unpack_bits
from offbelief.games.hanabi.views.bits import spread_bits_one, spread_words_one, words_for, write_bits_one
from offbelief.jit import kernel
from offbelief.nouns import UserError


@kernel
def write_pieces(words, values, counts):
    position = np.int64(0)
    for piece in range(len(values)):
        position = write_bits_one(words, position, values[piece], counts[piece])
    return position


@settings(deadline=None)
@given(
    pieces=st.lists(st.integers(0, 62).flatmap(lambda count: st.tuples(st.integers(0, 2**count - 1), st.just(count))))
)
def test_pieces_of_any_length_lie_one_behind_the_other(pieces):
    pieces = [(1, 1), *pieces, (1, 1)]  # kernels neither begin nor end with an empty piece
    values, counts = np.array(pieces, dtype=np.int64).T.copy()
    size = int(counts.sum())
    words = np.zeros(words_for(size), dtype=np.int64)
    assert size == write_pieces(words, values, counts)
    expected = [value >> bit & 1 for value, count in pieces for bit in range(count)]
    row = np.full(size + 3, 9.0, dtype=np.float32)
    spread_words_one(words, size, row)
    assert [*expected, 9, 9, 9] == row.tolist()
    assert expected == unpack_bits(words.view(np.uint8), size).tolist()
    assert np.array_equal(words.view(np.uint8), pack_bits(np.array(expected)))


def test_number_spreads_lowest_bit_first():
    row = np.full(4, 9, dtype=np.uint8)
    spread_bits_one(np.int64(0b10010), row)
    assert [0, 1, 0, 0] == row.tolist()


def test_packed_feature_is_where_the_documentation_says():
    observation = np.zeros((2, 70), dtype=np.uint8)
    observation[1, 67] = 1
    packed = pack_bits(observation)
    assert (2, 16) == packed.shape
    assert 1 << 67 % 8 == packed[1, 67 // 8]
    assert 1 == np.count_nonzero(packed)
    assert np.array_equal(observation, unpack_bits(packed, 70))


def test_hexadecimal_text_begins_with_feature_0():
    # 1000 0000 01 (00): features 0 and 9.
    observation = np.array([1, 0, 0, 0, 0, 0, 0, 0, 0, 1], dtype=np.uint8)
    assert "804" == to_hex(observation)
    assert observation.tolist() == from_hex("804", 10).tolist()


@pytest.mark.parametrize(
    ("text", "size", "complaint"),
    [("xy", 8, "no hexadecimal"), ("80", 12, "is 3 hexadecimal digits"), ("807", 10, "zeros behind the last")],
)
def test_wrong_hexadecimal_text_is_refused(text, size, complaint):
    with pytest.raises(UserError, match=complaint):
        from_hex(text, size)


def test_too_few_packed_bytes_are_refused():
    with pytest.raises(UserError, match="at least 83 bytes"):
        unpack_bits(np.zeros((2, 82), dtype=np.uint8), 658)
