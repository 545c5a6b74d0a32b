"""`exact` within a stock of whole machines: every answer is held against the enumeration of all plans."""

import random
from dataclasses import replace
from itertools import product

import pytest
from oracle_sessions import bought_session, stocked

from euclio import solve
from euclio.core.result import Status
from euclio.session import Configuration, Hardware, Module, PlanSpace, Policy, Session
from euclio.session.unlimited import without_stock

WHOLE = PlanSpace(charging="whole")
SPACES = [
    PlanSpace(policy, rule, most, charging="whole")
    for policy, rule, most in product(Policy, ("none", "machine", "continuous"), (None, 1, 2))
]


def two_modules(fast, slow, slo="1"):
    """A chain of two modules that each take one fast machine, or two slow ones."""
    hardware = [Hardware("fast", 3, fast), Hardware("slow", 2, slow)]
    profile = [Configuration("fast", 4, 1, "0.1"), Configuration("slow", 4, 1, "0.2")]
    modules = [Module("a", 40, profile), Module("b", 40, profile)]
    return Session("two", slo, hardware, modules, [("a", "b")])


@pytest.mark.parametrize("seed", range(24))
def test_exact_agrees_with_plan_enumeration(seed):
    """Where numbers are so close that a tie is left undecided, neither plan nor bound contradicts it."""
    session = stocked(bought_session(seed), seed)
    for space in random.Random(seed).sample(SPACES, 2):
        found, best = solve(session, "exact", space=space), solve(session, "plan-bruteforce", space=space)
        if found.status in (Status.OPTIMAL, Status.INFEASIBLE):
            assert (found.status, found.value) == (best.status, best.value)
        else:
            assert "tie" in found.reason
            assert best.value is None or found.bound is None or found.bound <= best.value
            assert found.value is None or found.value >= best.value


@pytest.mark.parametrize(("fast", "cost"), [(None, 6), (2, 6), (1, 7), (0, 8)])
def test_modules_share_what_there_is(fast, cost):
    assert solve(two_modules(fast, None), "exact", space=WHOLE).value == cost


def test_too_small_a_stock_is_proven_and_said_with_what_would_do():
    found = solve(two_modules(1, 1), "exact", space=WHOLE)
    assert found.status is Status.INFEASIBLE
    assert found.reason == (
        "no plan meets the SLO with the machines in stock (proven); 1 more of fast would do, or 1 more of slow would do"
    )


def test_a_slo_that_no_stock_meets_is_said_so():
    found = solve(two_modules(1, 1, slo="0.15"), "exact", space=WHOLE)
    assert (found.status, found.reason) == (Status.INFEASIBLE, "no plan meets the SLO (proven)")


def test_stock_of_machines_by_share_is_refused():
    assert solve(two_modules(1, 1), "exact").status is Status.INAPPLICABLE


@pytest.mark.parametrize("seed", range(12))
def test_stock_never_makes_a_plan_cheaper(seed):
    session = stocked(bought_session(seed), seed)
    free, limited = solve(without_stock(session), "exact", space=WHOLE), solve(session, "exact", space=WHOLE)
    assert limited.value is None or limited.value >= free.value


def test_a_stock_that_does_not_bind_changes_nothing():
    session = two_modules(None, None)
    plenty = replace(session, hardware=tuple(replace(h, count=1000) for h in session.hardware))
    assert solve(plenty, "exact", space=WHOLE).value == solve(session, "exact", space=WHOLE).value
