"""Sets of very many heads are priced in a moment, at no less than they cost."""

from __future__ import annotations

import time

import pytest

from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.fragments import Fleet, Fragment, FragmentSpace, Network

LAYERS = [[["0.5", "0.2"]], [["0.2", "0.1"]]]


def fleet_of_rates(number: int, rates: int) -> Fleet:
    """Fragments of two begins and so many rates, with more time than any stage takes."""
    network = Network("n", [1], [1, 100], LAYERS)
    fragments = [Fragment(f"f{k}", k % 2, 10, 3 + k % rates) for k in range(number)]
    return Fleet("many heads", network, fragments)


@pytest.mark.slow
@pytest.mark.parametrize("budgets", ["least", "own"])
def test_a_time_limit_is_kept_whatever_the_number_of_heads(budgets):
    started = time.perf_counter()
    found = solve(
        fleet_of_rates(40, 7),
        "fragment-columns",
        space=FragmentSpace(budgets=budgets, max_instances=90),
        time_limit_s=1,
    )
    assert found.value is not None
    assert found.bound <= found.value
    assert time.perf_counter() - started < 10


@pytest.mark.slow
def test_listing_sets_ends_in_time_within_a_set():
    started = time.perf_counter()
    found = solve(fleet_of_rates(14, 14), "set-partition", time_limit_s=1)
    assert found.plan is None
    assert "time limit" in found.reason
    assert time.perf_counter() - started < 5


def test_a_number_of_sets_of_thousands_of_digits_is_not_printed():
    network = Network("n", [1], [1], [[[1]]])
    fleet = Fleet("many", network, [Fragment(f"f{k}", 0, 2, 1) for k in range(15_000)])
    found = solve(fleet, "set-partition")
    assert found.status is Status.INAPPLICABLE
    assert found.reason.startswith("there are more than 1,000,000,000,000,000 sets of at most 15000 of 15000 fragments")
