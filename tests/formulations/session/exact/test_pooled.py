"""Parts that share one limit: divided among them they cost what boxes and an enumeration find."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pytest
from drawn.small_sessions import bought_session

from euclio import pool, solve
from euclio.core.result import Status
from euclio.problems.session import PlanSpace, evaluate
from euclio.problems.session.evaluate import machines_by_hardware
from euclio.workloads.session.profile_libraries import library_sessions
from formulations.session.exact.stock.pooled import PooledSearch, division
from formulations.session.exact.stock.search import StockSearch
from formulations.session.exact.stock.stock import limits_of

SPACE = PlanSpace(charging="whole")


def scarce(seed):
    """Two or three sessions in one pool with a stock of a type, a resource that types take unlike parts of, or both."""
    rng = Random(seed)
    drawn = [bought_session(1000 * seed + k, modules=2) for k in range(rng.randint(2, 3))]
    hardware = max((one.hardware for one in drawn), key=len)
    hardware = tuple(replace(h, price_per_h=h.price_per_h or 1) for h in hardware)
    together = pool([replace(one, name=f"{one.name} {k}", hardware=hardware) for k, one in enumerate(drawn)])
    free = solve(together, "exact", space=SPACE)
    used = {}
    if free.plan is not None:
        partial = [module.partial_rps for module in evaluate(together, free.plan, SPACE).modules]
        used = machines_by_hardware(free.plan, partial, SPACE)
    less = rng.choice((0, 1, 1, 2))
    kind = rng.randrange(3)
    if kind != 1:
        count = max(0, int(used.get(hardware[0].name, 2)) - less)
        hardware = (replace(hardware[0], count=count), *hardware[1:])
    if kind == 0:
        return replace(together, slo_s=None, hardware=hardware)
    takes = [rng.choice((Fraction(1), Fraction(3, 2), Fraction(2))) for _ in hardware]
    most = sum((each * used.get(h.name, 2) for h, each in zip(hardware, takes, strict=True)), Fraction(0)) - less
    hardware = tuple(replace(h, takes={"power": each}) for h, each in zip(hardware, takes, strict=True))
    return replace(together, slo_s=None, hardware=hardware, resources={"power": max(Fraction(0), most)})


# The last two have no plan, as the bound passes the cost of all machines within the limits: their status was unknown.
@pytest.mark.parametrize("seed", [*range(40), 1630, 2187])
def test_a_limit_is_divided_as_enumeration_does(seed):
    """Guards the bounds of parts at prices, the units that plans take, and the division that ends the search."""
    session = scarce(seed)
    found, listed = (solve(session, name, space=SPACE, time_limit=20) for name in ("exact", "plan-bruteforce"))
    if listed.status is Status.UNKNOWN:
        pytest.skip("too many plans to list")
    assert (found.status, found.value) == (listed.status, listed.value)


@pytest.mark.parametrize("seed", range(40, 100))
def test_divided_as_by_boxes(seed):
    """Both prove the same least cost; boxes know nothing of parts."""
    session = scarce(seed)
    one, other = (search(session, SPACE, limits_of(session, SPACE), np.inf) for search in (PooledSearch, StockSearch))
    one.run()
    other.run()
    assert one.cost == pytest.approx(other.cost, rel=1e-9)
    assert one.bound == pytest.approx(other.bound, rel=1e-9)


def test_a_division_that_is_cut_off_keeps_the_bound_of_its_prices(monkeypatch):
    """Where the time ended at the first part that was searched, the bound was 0."""

    def ends(search, p, k):
        search.complete = False

    monkeypatch.setattr(PooledSearch, "_find", ends)
    session = scarce(1630)
    search = PooledSearch(session, SPACE, limits_of(session, SPACE), np.inf)
    search.run()
    assert not search.complete
    assert 0 < search.bound < np.inf


@pytest.mark.parametrize("shape", [(6,), (1, 4), (3, 4), (2, 3, 2)])
@pytest.mark.parametrize("seed", range(5))
def test_the_cheapest_division(seed, shape):
    """Against all divisions: the least sum within the units of all limits, with parts that have none of few."""
    rng = np.random.default_rng(seed)
    least = [rng.integers(0, 9, shape).astype(float) for _ in range(3)]
    least[0][(0,) * len(shape)] = least[0][(0,) * (len(shape) - 1) + (-2,)] = np.inf
    value, shares = division(least)
    together = product(np.ndindex(shape), repeat=3)
    within = [ks for ks in together if (np.sum(ks, axis=0) < shape).all()]
    assert value == min(sum(own[k] for own, k in zip(least, ks, strict=True)) for ks in within)
    assert tuple(shares) in within
    assert value == sum(own[k] for own, k in zip(least, shares, strict=True))


def bought_by(drawn):
    """Measured applications in one pool, and the machines of its cheapest plan by type."""
    together = pool([replace(one, name=f"{one.name} {k}") for k, one in enumerate(drawn)])
    free = solve(together, "exact", space=SPACE)
    return together, machines_by_hardware(free.plan, [m.partial_rps for m in free.evaluation.modules], SPACE)


@pytest.mark.parametrize(("applications", "seed", "types"), [(2, 3, 1), (2, 11, 1), (3, 4, 1), (3, 6, 1), (2, 0, 2)])
def test_measured_applications_on_three_quarters_of_a_type_or_two(applications, seed, types):
    """A search of a part that ended at its cutoff counted as its least cost with fewer units: nothing was proven."""
    together, used = bought_by(library_sessions("nvidia", applications, seed))
    most = {name: int(used[name] * Fraction(3, 4)) for name in sorted(used, key=lambda name: -used[name])[:types]}
    hardware = [replace(h, count=most.get(h.name)) for h in together.hardware]
    session = replace(together, slo_s=None, hardware=hardware)
    found, boxes = solve(session, "exact", space=SPACE), StockSearch(session, SPACE, limits_of(session, SPACE), np.inf)
    boxes.run()
    assert found.status is Status.OPTIMAL, found.reason
    assert float(found.value) == pytest.approx(boxes.cost, rel=1e-9)


def test_ten_measured_applications_on_nine_tenths_of_two_types():
    """Boxes left them open after twenty seconds: the units of both types are divided at once."""
    together, used = bought_by(library_sessions("nvidia", 10, 0))
    most = {name: int(used[name] * Fraction(9, 10)) for name in sorted(used, key=lambda name: -used[name])[:2]}
    hardware = [replace(h, count=most.get(h.name)) for h in together.hardware]
    found = solve(replace(together, slo_s=None, hardware=hardware), "exact", space=SPACE, time_limit=60)
    assert found.status is Status.OPTIMAL, found.reason


def test_a_stock_worth_less_than_the_cheapest_plan_is_infeasible_at_once():
    """No plan costs more than all machines in stock, so that prices prove it in the first box."""
    together, used = bought_by(library_sessions("nvidia", 10, 2))
    hardware = [replace(h, count=int(used.get(h.name, 0) * Fraction(3, 4))) for h in together.hardware]
    found = solve(replace(together, slo_s=None, hardware=hardware), "exact", space=SPACE, time_limit=20)
    assert found.status is Status.INFEASIBLE
    assert found.stats["boxes"] == 1
