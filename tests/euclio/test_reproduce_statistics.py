import math

import pandas as pd
import pytest

from euclio.reproduce.statistics import largest, mean, share


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
