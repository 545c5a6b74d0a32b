"""Machines that modules share, served request by request: order, bound, figures, refusals (docs/model/serving.md)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from session_reference import serve

from euclio import solve
from euclio.core.errors import InputError
from euclio.core.tables import to_text
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.packing import Resident, waits
from euclio.problems.session.placing import share_machines
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.serving.session.metrics import describe
from euclio.serving.session.server import serve_evenly
from euclio.serving.session.setup import Dispatch, Setup
from euclio.serving.session.simulation import simulate
from euclio.serving.session.system import System, build_system
from euclio.serving.tables import session_table
from euclio.serving.units import NS_PER_S, Ints
from tests.drawn.small_sessions import small_session

MS = 10**6
PACKED = PlanSpace(charging="packed")
SLOW, FAST = Configuration("x", 2, 1, "0.2"), Configuration("x", 1, 1, "0.1")
PAIR = Session("pair", 5, [Hardware("x", 3)], [Module("slow", 4, [SLOW]), Module("fast", 4, [FAST])])
TOGETHER = Plan(tuple(ModulePlan((Allocation(c, 0, Fraction(4)),)) for c in (SLOW, FAST)), ((0, 1),))


def test_full_batches_take_turns_first_come_first_served() -> None:
    """Requests every 250 ms: the batch of two that is full at 250 ms goes before the one that comes with it."""
    served = serve(build_system(PAIR, TOGETHER, PACKED), [k * 250 * MS for k in range(4)])
    found = [(e.module, e.machine, e.start_ticks // MS, e.end_ticks // MS) for e in served.executions]
    assert found == [
        (1, 1, 0, 100),
        (0, 0, 250, 450),
        (1, 1, 450, 550),
        (1, 1, 550, 650),
        (0, 0, 750, 950),
        (1, 1, 950, 1050),
    ]


def test_a_machine_of_its_own_does_not_wait() -> None:
    apart = build_system(PAIR, replace(TOGETHER, shared=()), PACKED)
    served = serve(apart, [k * 250 * MS for k in range(4)])
    assert [e.start_ticks // MS for e in served.executions if e.module == 1] == [0, 250, 500, 750]


def test_one_batch_at_a_time_whatever_the_concurrency() -> None:
    """Concurrency 2 lets a machine of its own execute two batches at a time; a shared one does one after the other."""
    c = Configuration("x", 1, 2, "0.1")
    session = Session("two", 5, [Hardware("x", 1)], [Module(name, 4, [c]) for name in "ab"])
    plan = Plan(tuple(ModulePlan((Allocation(c, 0, Fraction(4)),)) for _ in "ab"), ((0, 1),))
    served = serve(build_system(session, plan, PACKED), [0, 0])
    assert [e.start_ticks // MS for e in served.executions] == [0, 100, 200, 300]


def evenly(system: System, requests: int) -> Ints:
    """Invocations when requests come evenly at the rate of the plan, without the last ones, which fill no batch."""
    logs = serve_evenly(system, requests)
    rows = logs.invocations
    return rows[(rows[:, 0] >= 0) & (rows[:, 2] < logs.requests[:, 1].max() * 8 // 10)]


@pytest.mark.parametrize("policy", ["tc", "machine-rate"])
@pytest.mark.parametrize("seed", range(40))
def test_modules_that_requests_enter_by_keep_the_bound(seed: int, policy: str) -> None:
    """Modules at one rate, each on its partial machine alone: d + b/f + the others' d is never exceeded."""
    drawn = small_session(seed)
    modules = [Module(m.name, Fraction(3), m.profile) for m in drawn.modules]
    session = Session("entered", 1000, [Hardware("X", 1), Hardware("Y", 1)], modules)
    plans = [ModulePlan((Allocation(max(m.profile, key=lambda c: c.throughput_rps), 0, Fraction(3)),)) for m in modules]
    if any(plan.allocations[0].configuration.throughput_rps <= 3 for plan in plans):
        return
    plan = share_machines(session, Plan(tuple(plans)), PlanSpace(policy, charging="packed"))
    system = build_system(session, plan, PlanSpace(policy, charging="packed"))
    rows = evenly(system, 600)
    for group in plan.shared:
        there = tuple(Resident(m, plan.modules[m].allocations[-1].configuration, Fraction(3)) for m in group)
        for resident, wait in zip(there, waits(there), strict=True):
            c = resident.configuration
            took = rows[rows[:, 1] == resident.module]
            bound = (c.duration_s + c.batch / resident.rate_rps + wait) * NS_PER_S
            # Every batch and every arrival is rounded by a nanosecond at most.
            assert int((took[:, 5] - took[:, 2]).max()) <= bound + len(rows)


def test_figures_count_a_shared_machine_once() -> None:
    found = simulate(PAIR, TOGETHER, Setup("uniform", seconds=50), PACKED)
    described = describe(found)
    # 4/2 batches of 0.2 s and 4 of 0.1 s in each second.
    assert described["utilization"] == pytest.approx(0.8, abs=0.01)
    assert [machine["shared_by"] for machine in described["machines"]] == [["slow", "fast"]] * 2
    assert "one machine is shared by slow, fast" in to_text(session_table(found))
    assert all(module["within_worst_case"] == 1 for module in described["modules"])


@pytest.mark.parametrize("dispatch", [Dispatch.SPLIT, Dispatch.PULL])
def test_dispatchers_that_fill_no_batch_for_it_are_refused(dispatch: Dispatch) -> None:
    with pytest.raises(InputError, match="no module collect batches for a shared machine"):
        build_system(PAIR, TOGETHER, PACKED, Setup(dispatch=dispatch))


@pytest.mark.parametrize("shared", [((0,),), ((0, 5),), ((0, 1), (0, 1))])
def test_what_is_no_group_is_refused(shared: tuple[tuple[int, ...], ...]) -> None:
    with pytest.raises(InputError, match="shared"):
        build_system(PAIR, replace(TOGETHER, shared=shared), PACKED)


def test_plans_of_whole_machines_are_served_as_they_are() -> None:
    """Dummies fill machines that are charged whole: two take 0.4 + 4/20 s at 10 requests per second."""
    c = Configuration("A", 4, 1, "0.4")
    session = Session("alone", "0.7", [Hardware("A", 3)], [Module("m", 10, [c])])
    whole = PlanSpace(charging="whole")
    found = simulate(session, solve(session, "whole-greedy").plan, Setup("uniform", seconds=60), whole)
    assert (found.late, found.attainment) == (0, 1.0)
    assert found.machines.batches.tolist() == [150, 150]
