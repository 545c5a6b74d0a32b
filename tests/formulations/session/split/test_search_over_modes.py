"""The search over modes against plain enumeration, on random DAGs."""

import itertools

import numpy as np
import pytest
from relaxation_cases import longest, random_case

from euclio.problems.session import PlanSpace
from euclio.problems.session.arrays import session_arrays
from formulations.session.exact.frontier_search import first_modes
from formulations.session.module.charges import no_charges
from formulations.session.module.problem import no_stock
from formulations.session.split.course import unwatched
from formulations.session.split.search import no_lines, search_choices
from tests.bench.large_sessions import layered_session


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


def test_a_search_that_is_broken_off_offers_the_cheapest_choice_that_it_has_met() -> None:
    """It may cost more than any goal that was set; what was met was thrown away once, and plans were 0.7 % worse."""
    session = layered_session(0, 60, tight=True)
    arrays = session_arrays(session, PlanSpace())
    modes = first_modes(arrays, no_stock(arrays), no_charges(arrays))
    upper, offered = np.inf, []
    for most_nodes in (120, 250, 500):
        found = search_choices(arrays, modes, no_lines(modes), upper, 1e-9, np.inf, unwatched(), most_nodes)
        assert not found.complete
        latency = np.array([modes.latency[m, i] for m, i in enumerate(found.chosen)])
        assert longest(arrays, latency) <= arrays.slo * (1 + 1e-12)
        assert found.cost == pytest.approx(sum(modes.cost[m, i] for m, i in enumerate(found.chosen)))
        assert found.bound <= found.cost < upper
        upper = found.cost
        offered.append(found.cost)
    assert len(set(offered)) == len(offered)
