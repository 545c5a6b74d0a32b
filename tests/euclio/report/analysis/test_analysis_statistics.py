import math

import numpy as np
import pandas as pd
import pytest

from euclio.report.analysis.statistics import Interval, largest, mean, ratio_of_sums, share, shifted_geometric_mean


def test_wilson_interval_of_eight_out_of_ten() -> None:
    # Wilson score interval of 8/10 at 95 %: 0.490 to 0.943.
    found = share(pd.Series([True] * 8 + [False] * 2))
    assert found.value == 80
    assert found.low == pytest.approx(49.02, abs=0.01)
    assert found.high == pytest.approx(94.33, abs=0.01)


def test_share_of_all_stays_at_most_100() -> None:
    found = share(pd.Series([True] * 50))
    assert found.high is not None
    assert found.high <= 100


def test_bootstrap_interval_holds_the_mean_and_repeats() -> None:
    values = pd.Series(range(100), dtype=float)
    first, second = mean(values), mean(values)
    assert first == second
    assert first.low is not None
    assert first.high is not None
    assert first.low < 49.5 < first.high
    # Standard error of the mean is 2.9; 1.96 of them to either side.
    assert first.high - first.low == pytest.approx(11.3, rel=0.1)


def test_values_that_are_not_finite_are_left_out() -> None:
    values = pd.Series([1.0, math.nan, math.inf, 3.0])
    assert (mean(values).value, largest(values).value, mean(values).n) == (2.0, 3.0, 2)


def test_nothing_measured_is_not_a_number() -> None:
    empty = pd.Series([], dtype=float)
    assert math.isnan(mean(empty).value)
    assert math.isnan(largest(empty).value)
    assert math.isnan(share(empty.astype(bool)).value)


@pytest.mark.parametrize("interval", ["percentile", "bca"])
@pytest.mark.parametrize(
    "values", [[0.0], [3.0], [2.0] * 7, [0.0] * 40, [0.0] * 39 + [1.0], [0.0] * 2 + [1e-12], [0.0, 1e9], [-1.0, 1.0]]
)
def test_interval_of_degenerate_values_is_finite_and_ordered(values: list[float], interval: Interval) -> None:
    found = mean(pd.Series(values), interval=interval)
    assert found.low is not None
    assert found.high is not None
    assert min(values) <= found.low <= found.high <= max(values)


def test_all_equal_values_have_an_interval_without_width() -> None:
    found = mean(pd.Series([0.1] * 9), interval="bca")
    assert (found.low, found.high) == (found.value, found.value)


def test_bca_interval_agrees_with_scipy_on_skewed_values() -> None:
    # It takes longer to import than all that is tested here, and each process that collects tests would.
    from scipy.stats import bootstrap

    values = np.random.default_rng(5).exponential(size=80)
    known = bootstrap((values,), np.mean, method="BCa", n_resamples=20_000, rng=1).confidence_interval
    found = mean(values, interval="bca")
    assert (found.low, found.high) == pytest.approx((known.low, known.high), rel=0.02)


def test_bca_interval_of_skewed_values_lies_above_the_percentiles() -> None:
    values = np.random.default_rng(5).exponential(size=80)
    plain, corrected = mean(values), mean(values, interval="bca")
    assert plain.high is not None
    assert corrected.high is not None
    assert corrected.high > plain.high


def test_another_seed_gives_another_interval() -> None:
    values = pd.Series(range(30), dtype=float)
    assert mean(values, seed=1).low != mean(values, seed=2).low


def test_resampling_in_parts_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(2).normal(size=50)
    whole = mean(values)
    monkeypatch.setattr("euclio.report.analysis.statistics._CELLS", 50 * 7)
    assert mean(values) == whole


def test_shifted_geometric_mean_of_two_times() -> None:
    # sqrt((1 + 1) * (7 + 1)) - 1 = 3.
    assert shifted_geometric_mean(pd.Series([1.0, 7.0])) == pytest.approx(3.0)


def test_geometric_mean_without_shift_holds_a_zero() -> None:
    assert shifted_geometric_mean(pd.Series([0.0, 4.0]), shift=0.0) == 0.0


def test_shifted_geometric_mean_of_nothing_is_not_a_number() -> None:
    assert math.isnan(shifted_geometric_mean(pd.Series([math.inf, math.nan])))


def test_ratio_of_sums_weighs_observations_by_what_is_below_the_line() -> None:
    above, below = pd.Series([1.0, 2.0, 6.0]), pd.Series([2.0, 3.0, 10.0])
    found = ratio_of_sums(above, below, 100.0)
    assert found.value == pytest.approx(60)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 60 < found.high
    assert found.n == 3


def test_ratio_of_proportional_values_has_no_width() -> None:
    found = ratio_of_sums(pd.Series([1.0, 2.0]), pd.Series([2.0, 4.0]))
    assert (found.low, found.value, found.high) == pytest.approx((0.5, 0.5, 0.5))


def test_ratio_of_nothing_is_not_a_number() -> None:
    assert math.isnan(ratio_of_sums(pd.Series([], dtype=float), pd.Series([], dtype=float)).value)
