"""The search over modes against plain enumeration, on random DAGs."""

import itertools

import numpy as np
import pytest
from relaxation_cases import longest, random_case

from formulations.session.split.course import unwatched
from formulations.session.split.search import no_lines, search_choices


@pytest.mark.parametrize("seed", range(60))
def test_search_finds_the_cheapest_choice(seed: int) -> None:
    """Against all choices of one mode per module."""
    arrays, modes = random_case(seed)
    size = min(arrays.rate.size, 5)
    for m in range(size, arrays.rate.size):
        modes.size[m] = 1
    best = np.inf
    for choice in itertools.product(*(range(n) for n in modes.size)):
        latency = np.array([modes.latency[m, k] for m, k in enumerate(choice)])
        if longest(arrays, latency) <= arrays.slo * (1 + 1e-12):
            best = min(best, sum(modes.cost[m, k] for m, k in enumerate(choice)))
    found = search_choices(arrays, modes, no_lines(modes), np.inf, 1e-12, np.inf, unwatched())
    assert found.cost == pytest.approx(best, rel=1e-9)


def test_nothing_below_the_upper_bound_is_said_so() -> None:
    arrays, modes = random_case(1)
    best = search_choices(arrays, modes, no_lines(modes), np.inf, 1e-12, np.inf, unwatched()).cost
    assert search_choices(arrays, modes, no_lines(modes), best, 1e-9, np.inf, unwatched()).cost == np.inf
