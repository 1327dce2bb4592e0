import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbelief.errors import UserError
from offbelief.learning.sum_tree import SumTree
from offbelief.streams import new_stream


@given(st.integers(1, 40), st.data())
def test_sums_are_sums_after_any_changes(size, data):
    tree = SumTree(size)
    weights = np.zeros(size)
    for _ in range(data.draw(st.integers(1, 5))):
        indices = np.array(data.draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=10)))
        values = np.array(data.draw(st.lists(st.floats(0, 1e3), min_size=len(indices), max_size=len(indices))))
        tree.put(indices, values)
        for index, value in zip(indices, values, strict=True):
            weights[index] = value
    assert np.array_equal(weights, tree.weights_of(np.arange(size)))
    assert tree.total == pytest.approx(weights.sum())


@pytest.mark.parametrize("size", [1, 2, 5, 8, 13])
def test_indices_are_drawn_in_proportion(size):
    tree = SumTree(size)
    weights = np.arange(size, dtype=np.float64) + (size == 1)
    tree.put(np.arange(size), weights)
    drawn = np.concatenate([tree.draw(100, stream) for stream in [new_stream(0)] for _ in range(300)])
    shares = np.bincount(drawn, minlength=size) / len(drawn)
    assert np.allclose(weights / weights.sum(), shares, atol=0.01)


def test_index_without_weight_is_never_drawn():
    tree = SumTree(6)
    tree.put(np.array([1, 4]), np.array([1e-9, 1e-9]))
    assert {1, 4} == set(tree.draw(1000, new_stream(1)))


def test_draws_are_spread_over_equal_shares():
    # A hundred equal weights and a hundred draws: each share of the total belongs to one index.
    tree = SumTree(100)
    tree.put(np.arange(100), np.ones(100))
    assert set(range(100)) == set(tree.draw(100, new_stream(2)))


@pytest.mark.parametrize(("indices", "weights"), [([7], [1.0]), ([-1], [1.0]), ([0], [-1.0]), ([0], [np.nan])])
def test_nonsense_is_refused(indices, weights):
    with pytest.raises(UserError):
        SumTree(4).put(np.array(indices), np.array(weights))


def test_empty_tree_says_so():
    with pytest.raises(UserError, match="All weights are 0"):
        SumTree(4).draw(1, new_stream(0))
