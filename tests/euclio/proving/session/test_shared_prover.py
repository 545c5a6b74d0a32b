"""The prover where modules share machines: known optima, what stays open, and plain enumeration at ties."""

import math
import time
from dataclasses import replace
from fractions import Fraction

import pytest

from euclio import solve
from euclio.core.result import Status
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session, evaluate
from euclio.proving.session.certifying import find_better
from tests.drawn.packed import limited_case, packed_case

PACKED = PlanSpace(charging="packed")
HAIR = Fraction(1, 10**20)


def session_of(*rates, slo=9, memory=None, needed=None, edges=()):
    """Modules on one type, each with batch 1 in 0.1 s; a machine costs 3."""
    profile = [Configuration("A", 1, 1, "0.1", needed)]
    modules = [Module(f"m{i}", rate, profile) for i, rate in enumerate(rates)]
    return Session("some", slo, [Hardware("A", 3, None, memory)], modules, edges)


def is_least(session, cost, space=PACKED):
    """Whether the prover finds no plan below a cost, and one just above it that costs as much."""
    above = find_better(session, space, cost + HAIR, math.inf)
    found = above.plan is not None and evaluate(session, above.plan, space).cost_per_h == cost
    return found and find_better(session, space, Fraction(cost), math.inf).exhausted


@pytest.mark.parametrize(
    ("rates", "cost"),
    [((7, 3, 6, 4), 6), ((7, 4, 6, 4), 9), ((13, 24, 3), 12), ((10, 20, 10), 12), ((13,), 6), ((1, 2, 3, 4), 3)],
)
def test_shares_of_time_fill_machines_to_the_last_tenth(rates, cost):
    """A machine serves 10 requests per second: 7 + 3 and 6 + 4 fill two, 3 + 4 + 3 of 13, 24 and 3 one more."""
    assert is_least(session_of(*rates), cost)


@pytest.mark.parametrize(("slo", "cost"), [("0.9", 3), ("0.89", 6)])
def test_waits_count_on_paths(slo, cost):
    """In a row: 2 · (0.1 + 1/4 + 0.1) = 0.9 s on one machine."""
    assert is_least(session_of(4, 4, slo=slo, edges=[("m0", "m1")]), cost)


@pytest.mark.parametrize(("memory", "needed", "cost"), [(100, 50, 3), (99, 50, 6), (99, None, 6), (None, 50, 3)])
def test_models_have_to_fit(memory, needed, cost):
    """Two models of 50 MB fit into 100 MB and not into 99; unknown ones share no machine of known memory."""
    assert is_least(session_of(4, 4, memory=memory, needed=needed), cost)


def test_a_late_prover_leaves_it_open():
    """It has no time at all."""
    found = find_better(session_of(7, 3, 6, 4), PACKED, Fraction(6), time.perf_counter())
    assert (found.plan, found.exhausted) == (None, False)


@pytest.mark.parametrize(
    ("session", "space"),
    [
        (session_of(4, 4), PlanSpace("tc", "continuous", charging="packed")),
        (replace(session_of(4, 4), spare_machines=1), PACKED),
        (replace(session_of(4, 4), hardware=(Hardware("A", 3, at_least=9),)), PACKED),
    ],
)
def test_what_it_does_not_cover_stays_open(session, space):
    """Limits that are no sums over machines, and dummies of any rate on a shared one."""
    found = find_better(session, space, Fraction(3), math.inf)
    assert (found.plan, found.exhausted) == (None, False)
    assert "covers no shared machines" in found.reason


def test_a_stock_that_sharing_does_not_meet_is_proven_too_small():
    """Tenths 7 + 3 and 6 + 4 fill two machines; one is too few, and three whole ones as well."""
    session = session_of(7, 3, 6, 4)
    one, two = (replace(session, hardware=(Hardware("A", 3, count),)) for count in (1, 2))
    assert find_better(one, PACKED, None, math.inf).exhausted
    assert is_least(two, 6)


@pytest.mark.parametrize("case", [packed_case, limited_case])
@pytest.mark.parametrize("seed", range(40))
def test_it_agrees_with_enumeration(seed, case):
    """At the enumerated optimum there is no better plan, and a hair above it there is one: guards ties and rounding."""
    session, space = case(seed)
    listed = solve(session, "plan-bruteforce", space=space, time_limit_s=2)
    if listed.status is Status.INFEASIBLE:
        found = find_better(session, space, None, time.perf_counter() + 5)
        assert found.plan is None
        assert found.exhausted or session.stock or session.resources
    elif listed.status is Status.OPTIMAL:
        limit = time.perf_counter() + 5
        assert find_better(session, space, listed.value, limit).plan is None
        above = find_better(session, space, listed.value + HAIR * max(1, listed.value), limit)
        assert not above.exhausted
