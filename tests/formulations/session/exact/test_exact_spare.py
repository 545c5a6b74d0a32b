"""`exact` with spare machines: every answer is held against all sets of types, each solved alone."""

import random
from dataclasses import replace
from itertools import chain, combinations, product

import pytest
from close_enumeration import cheapest_close

from euclio import solve
from euclio.core.result import Status
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session, evaluate
from euclio.problems.session.policies import POLICIES
from tests.drawn.small_sessions import bought_session, small_session, stocked

WHOLE = PlanSpace(charging="whole")
SPACES = [
    PlanSpace(policy, rule, charging=charging)
    for policy, rule, charging in product(POLICIES, ("none", "machine"), ("share", "whole"))
]


def over_all_sets(session, space):
    """The least cost over all sets of hardware, each without spare machines; None: there is no plan."""
    spare, names = session.spare_machines, [h.name for h in session.hardware]
    lowered = [h if h.count is None else replace(h, count=max(0, h.count - spare)) for h in session.hardware]
    alone = replace(session, hardware=tuple(lowered), spare_machines=0)
    costs = []
    for chosen in chain.from_iterable(combinations(names, n) for n in range(1, len(names) + 1)):
        plan = solve(alone, "exact", space=space.on(*chosen)).plan
        if plan is not None:
            checked = evaluate(session, plan, space)
            assert checked.feasible
            costs.append(checked.cost_per_h)
    return min(costs, default=None)


@pytest.mark.parametrize("seed", range(24))
def test_exact_agrees_with_all_sets_of_types(seed):
    """Spare machines are paid for by the types that are used: against every set of types, one by one."""
    rng = random.Random(seed)
    session = replace(small_session(seed), spare_machines=rng.choice((1, 2)))
    for space in rng.sample(SPACES, 2):
        found = solve(session, "exact", space=space)
        assert found.status in (Status.OPTIMAL, Status.INFEASIBLE)
        assert found.value == over_all_sets(session, space)


@pytest.mark.parametrize("seed", range(24))
def test_exact_agrees_with_a_plain_enumeration(seed):
    """The same against all plans."""
    session = stocked(bought_session(seed), seed)
    session = replace(session, spare_machines=1 + seed % 2)
    found = solve(session, "exact", space=WHOLE)
    assert found.status in (Status.OPTIMAL, Status.INFEASIBLE)
    assert found.value == cheapest_close(session, WHOLE)


def two_types(spare, count=None):
    """A module for one machine of either type that costs less on the first, and one that costs less on the second."""
    hardware = [Hardware("a", 4, count), Hardware("b", 5)]
    cheap, slow = Configuration("a", 1, 1, "0.1"), Configuration("b", 1, 1, "0.1")
    modules = [Module("m", 10, [cheap, slow]), Module("n", 10, [Configuration("a", 1, 1, "0.2"), slow])]
    return Session("two", 1, hardware, modules, [("m", "n")], spare_machines=spare)


@pytest.mark.parametrize(("spare", "cost"), [(0, 4 + 5), (1, 5 + 5 + 5), (2, 5 + 5 + 10)])
def test_one_type_more_is_used_only_if_it_is_worth_what_stands_by(spare, cost):
    assert solve(two_types(spare), "exact", space=WHOLE).value == cost


def test_what_stands_by_counts_for_the_stock():
    """One machine of the first type is in stock: where one stands by, none is left."""
    assert solve(two_types(0, count=1), "exact", space=WHOLE).value == 9
    alone = two_types(1, count=1)
    only = replace(alone, modules=(Module("m", 10, alone.modules[0].profile[:1]),), edges=())
    found = solve(only, "exact", space=WHOLE)
    assert found.status is Status.INFEASIBLE
    assert found.reason == "no plan meets the SLO with the machines in stock (proven); 1 more of a would do"


def test_one_type_per_session_is_charged_for_that_one():
    assert solve(two_types(1), "exact", space=replace(WHOLE, single_hardware=True)).value == 15
