"""Enumerated packed plans: known optima, what each rule of sharing forbids, and how near the heuristic comes."""

from dataclasses import replace
from fractions import Fraction

import pytest

from euclio import solve
from euclio.core.result import Status
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session, evaluate
from euclio.problems.session.running import Running, RunningMachines
from tests.drawn.small_sessions import small_session

PACKED = PlanSpace(charging="packed")
LIMIT_S = 5.0


def session_of(*rates, slo=9, memory=None, needed=None, edges=()):
    """Modules on one type, each with batch 1 in 0.1 s; a machine costs 3."""
    profile = [Configuration("A", 1, 1, "0.1", needed)]
    modules = [Module(f"m{i}", rate, profile) for i, rate in enumerate(rates)]
    return Session("some", slo, [Hardware("A", 3, None, memory)], modules, edges)


def optimum(session, **changes):
    return solve(session, "plan-bruteforce", charging="packed", **changes)


def test_partial_machines_share_by_time():
    """Shares of 7, 3, 6 and 4 tenths fill two machines to the last tenth."""
    found = optimum(session_of(7, 3, 6, 4))
    assert (found.status, found.value) == (Status.OPTIMAL, 6)
    assert sorted(found.plan.shared) == [(0, 1), (2, 3)]
    assert optimum(session_of(7, 4, 6, 4)).value == 9


@pytest.mark.parametrize(("count", "cost"), [(2, 6), (1, None)])
def test_a_stock_may_force_sharing(count, cost):
    """Two machines hold 7 + 3 and 6 + 4 tenths; one holds less."""
    assert optimum(replace(session_of(7, 3, 6, 4), hardware=(Hardware("A", 3, count),))).value == cost


def test_what_whole_machines_leave_is_shared():
    assert optimum(session_of(13, 24, 3)).value == 12


@pytest.mark.parametrize(("slo", "cost"), [("0.9", 3), ("0.89", 6)])
def test_waits_have_to_fit_the_paths(slo, cost):
    """In a row: 2 · (0.1 + 1/4) alone, 0.1 more each on a shared machine."""
    assert optimum(session_of(4, 4, slo=slo, edges=[("m0", "m1")])).value == cost


@pytest.mark.parametrize(("memory", "needed", "cost"), [(100, 50, 3), (99, 50, 6), (99, None, 6), (None, 50, 3)])
def test_models_have_to_fit_the_memory(memory, needed, cost):
    assert optimum(session_of(4, 4, memory=memory, needed=needed)).value == cost


def test_without_a_plan_it_is_infeasible():
    assert optimum(session_of(4, 4, slo="0.05")).status is Status.INFEASIBLE


@pytest.mark.parametrize("dummy", ["machine", "none"])
@pytest.mark.parametrize("policy", ["tc", "rr", "machine-rate"])
@pytest.mark.parametrize("seed", range(8))
def test_it_lies_between_the_bound_of_shares_and_whole_machines(seed, policy, dummy):
    """Sharing machines by time saves against whole ones, and cannot save more than shares without limits."""
    session = small_session(seed)
    found = optimum(session, policy=policy, dummy=dummy, time_limit_s=LIMIT_S)
    whole = solve(session, "plan-bruteforce", policy=policy, dummy=dummy, charging="whole")
    if found.status is Status.UNKNOWN:
        return
    assert (found.value is None) == (whole.value is None)
    if found.value is not None:
        assert found.value <= whole.value
        assert float(found.value) >= solve(session, "exact", policy=policy, dummy="continuous").bound * (1 - 1e-9)
        assert evaluate(
            session, found.plan, replace(PACKED, policy=found.space.policy, dummy=found.space.dummy)
        ).feasible


@pytest.mark.slow
@pytest.mark.parametrize("dummy", ["machine", "none"])
def test_the_heuristic_is_seldom_above_it(dummy):
    ratios = []
    for seed in range(30):
        found = optimum(small_session(seed), dummy=dummy, time_limit_s=LIMIT_S)
        packed = solve(small_session(seed), "whole-greedy", charging="packed", dummy=dummy)
        if found.status is Status.OPTIMAL and packed.value is not None:
            ratios.append(packed.value / found.value)
    assert len(ratios) >= 20
    assert min(ratios) >= 1
    assert sum(ratio == 1 for ratio in ratios) >= 0.9 * len(ratios)


def test_where_machines_cannot_be_shared_it_is_that_of_whole_ones():
    session = session_of(4, 4)
    assert optimum(session, policy="tc-shared").value == 6


@pytest.mark.parametrize(
    ("session", "changes"),
    [
        (session_of(4, 4), {"dummy": "continuous"}),
        (replace(session_of(4, 4), hardware=(Hardware("A", 3, at_least=1),)), {}),
        (replace(session_of(4, 4), hardware=(Hardware("A", 0),)), {}),
        (replace(session_of(4, 4), spare_machines=1), {}),
        (replace(session_of(4, 4), running=Running((RunningMachines("m0", "A", 1),), 1, Fraction(0))), {}),
    ],
)
def test_what_it_does_not_list_is_refused(session, changes):
    found = optimum(session, **changes)
    assert found.status is Status.INAPPLICABLE
    assert "does not cover packed machines within other limits than a stock and resources" in found.reason
