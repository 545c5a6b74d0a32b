"""Bounds on an attainment hold as often as they say."""

import numpy as np
import pytest

from euclio.session.attainment.confidence import estimate


def test_the_bound_of_students_replications_is_that_of_a_table():
    found = estimate(np.array([1000] * 5), np.array([990, 980, 985, 995, 990]), 0.95)
    assert found.share == 0.988
    # t(0.95, 4) = 2.1318; standard deviation 0.0057009.
    assert found.lower == pytest.approx(0.988 - 2.131847 * 0.00570088 / 5**0.5, abs=1e-7)
    assert (found.replications, found.requests) == (5, 5000)


def test_without_a_miss_the_number_of_requests_decides():
    found = estimate(np.array([1000] * 10), np.array([1000] * 10), 0.95)
    assert found.share == 1.0
    assert found.lower == pytest.approx(0.05 ** (1 / 10000), abs=1e-12)


def test_without_an_answer_in_time_the_bound_is_0():
    assert estimate(np.array([10, 10]), np.array([0, 0]), 0.95).lower == 0.0


@pytest.mark.parametrize("spread", [0.0, 0.004])
def test_the_bound_holds_as_often_as_it_says(spread):
    """Replications whose shares vary more than those of independent requests do, as queues make them."""
    stream = np.random.default_rng(1)
    kept = 0
    for _ in range(1000):
        shares = np.clip(stream.normal(0.985, spread, 10), 0, 1)
        attained = stream.binomial(2000, shares)
        kept += estimate(np.full(10, 2000), attained, 0.95).lower <= 0.985
    assert kept / 1000 >= 0.94
