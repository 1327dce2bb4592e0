"""Random streams: SplitMix64 by the book, fair draws, one stream per path."""

import numpy as np
import pytest

from offbelief.streams import draw_below, draw_bits, draw_unit, mix, new_stream

MASK = (1 << 64) - 1


def naive_splitmix64(state: int, count: int) -> list[int]:
    """The generator in whole numbers of Python."""
    drawn = []
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        bits = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & MASK
        drawn.append(bits ^ (bits >> 31))
    return drawn


@pytest.mark.parametrize("seed", [0, 1, 1234567, MASK])
def test_draw_bits_equals_splitmix64(seed: int) -> None:
    stream = np.array([seed], dtype=np.uint64)
    assert naive_splitmix64(seed, 50) == [int(draw_bits(stream)) for _ in range(50)]


def test_draw_bits_gives_published_first_numbers() -> None:
    # The first outputs for seed 1234567, as listed with the reference implementation.
    stream = np.array([1234567], dtype=np.uint64)
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert expected == [int(draw_bits(stream)) for _ in range(3)]


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 1000])
def test_draw_below_is_fair_and_inside(bound: int) -> None:
    stream, draws = new_stream(5), 20_000
    counts = np.bincount([draw_below(stream, bound) for _ in range(draws)], minlength=bound)
    assert bound == len(counts)
    expected = draws / bound
    # A sum of squares over `bound` cells; five standard deviations of a chi-square.
    chi_square = float(((counts - expected) ** 2 / expected).sum())
    assert chi_square <= bound - 1 + 5 * np.sqrt(2 * bound)


def test_draw_unit_is_uniform_on_half_open_interval() -> None:
    stream = new_stream(6)
    draws = np.sort([draw_unit(stream) for _ in range(20_000)])
    assert draws[0] >= 0.0 and draws[-1] < 1.0
    largest_gap = np.abs(draws - (np.arange(20_000) + 0.5) / 20_000).max()
    assert largest_gap < 2.0 / np.sqrt(20_000)  # Kolmogorov-Smirnov, far beyond one in a thousand


def test_draw_unit_never_reaches_one_even_from_all_bits() -> None:
    top = np.uint64(MASK) >> np.uint64(11)
    assert float(top) * 2.0**-53 < 1.0


def test_mix_is_one_to_one_on_samples() -> None:
    assert len({int(mix(np.uint64(number))) for number in range(10_000)}) == 10_000


def test_new_stream_by_path_gives_unrelated_streams() -> None:
    paths = [(), *((run,) for run in range(30)), *((run, level) for run in range(30) for level in range(30))]
    streams = {int(new_stream(3, *path)[0]) for path in paths}
    assert len(paths) == len(streams)
    assert len(streams | {int(new_stream(4, *path)[0]) for path in paths}) == 2 * len(paths)


def test_new_stream_same_seed_and_path_same_draws() -> None:
    one, other = new_stream(-7, 2, 9), new_stream(-7, 2, 9)
    assert [draw_bits(one) for _ in range(5)] == [draw_bits(other) for _ in range(5)]
