"""Histograms of times: bins, their edges and quantiles."""

import numpy as np
import pytest

from euclio.serving.histogram import BINS, bin_of, bins_of, edges, quantiles


@pytest.mark.parametrize("time", [0, 1, 1023, 1024, 2047, 2048, 2049, 4095, 4096, 10**9, 10**9 + 1, (1 << 62) - 1])
def test_a_time_stands_between_the_edges_of_its_bin(time: int) -> None:
    """Whatever exponent the search begins at; a bin is at most 0.1 % wide, below 2048 one nanosecond."""
    for guess in (0, 5, 51):
        place, _ = bin_of(time, guess)
        assert 0 <= place < BINS
        low, high = edges(np.array([place, place + 1]))
        assert low <= time < high
        assert high - low <= max(1, low / 1000)


def test_bins_of_many_times_are_those_of_each_whatever_came_before() -> None:
    """Times rise and fall by any power of two, and each begins at the exponent of the one before; ticks of 1/8 ns."""
    rng, never = np.random.default_rng(7), np.iinfo(np.int64).max
    times = rng.permutation(np.concatenate([[0, 7, 8, (1 << 62) - 1], 1 << rng.integers(0, 62, 200)])).astype(np.int64)
    found = bins_of(np.append(times, never), never, 8)
    assert found[:-1].tolist() == [bin_of(int(time) // 8, 0)[0] for time in times]
    assert found[-1] == BINS


def test_bins_follow_one_another_without_gaps() -> None:
    """Every bin ends where the next begins."""
    found = edges(np.arange(20_000))
    assert (np.diff(found) > 0).all()
    assert found[:2048].tolist() == list(range(2048))


def test_quantiles_are_those_of_the_times_within_a_tenth_of_a_percent() -> None:
    """Compared with sorted times, ⌈share·n⌉-th smallest."""
    times = np.random.default_rng(3).lognormal(17, 1.5, 5000).astype(np.int64)
    histogram = np.zeros(BINS, np.int64)
    guess = 0
    for time in times:
        place, guess = bin_of(int(time), guess)
        histogram[place] += 1
    shares = np.array([0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 1.0])
    wanted = np.sort(times)[np.maximum(np.ceil(shares * times.size), 1).astype(int) - 1]
    assert np.abs(quantiles(histogram, shares) / wanted - 1).max() < 0.001


def test_without_entries_there_is_no_quantile() -> None:
    """It is not a number, not 0."""
    assert np.isnan(quantiles(np.zeros(BINS, np.int64), np.array([0.5]))).all()
