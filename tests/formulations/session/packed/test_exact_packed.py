"""`exact` where modules share machines: known optima, enumerated ones, laws next to whole machines, and time limits."""

from dataclasses import replace
from itertools import pairwise

import pytest

from euclio import solve
from euclio.core.certificate import Verdict
from euclio.core.result import Status
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session, evaluate
from euclio.problems.session.objectives import Objective
from euclio.proving.certifying import certify
from euclio.workloads.session.random_sessions import random_session
from formulations.session.packed import solver
from tests.drawn.packed import limited_case, packed_case

LIMIT_S = 20.0


def session_of(*rates, slo=9, memory=None, needed=None, edges=()):
    """Modules on one type, each with batch 1 in 0.1 s; a machine costs 3."""
    profile = [Configuration("A", 1, 1, "0.1", needed)]
    modules = [Module(f"m{i}", rate, profile) for i, rate in enumerate(rates)]
    return Session("some", slo, [Hardware("A", 3, None, memory)], modules, edges)


def optimum(session, **changes):
    found = solve(session, "exact", charging="packed", **changes)
    assert found.status is Status.OPTIMAL
    return found


def test_partial_machines_share_by_time():
    """Tenths 7 + 3 and 6 + 4 fill two machines to the last; with 7, 4, 6 and 4 one machine holds 6 + 4 only."""
    found = optimum(session_of(7, 3, 6, 4))
    assert (found.value, sorted(found.plan.shared)) == (6, [(0, 1), (2, 3)])
    assert optimum(session_of(7, 4, 6, 4)).value == 9


@pytest.mark.parametrize(("count", "cost"), [(2, 6), (1, None)])
def test_a_stock_may_force_sharing(count, cost):
    """Tenths 7 + 3 and 6 + 4 fill two machines; without sharing four would be needed."""
    session = replace(session_of(7, 3, 6, 4), hardware=(Hardware("A", 3, count),))
    assert solve(session, "exact", charging="whole").status is Status.INFEASIBLE
    found = solve(session, "exact", charging="packed")
    assert (found.status, found.value) == (Status.OPTIMAL if cost else Status.INFEASIBLE, cost)


def test_a_dearer_machine_shares_what_the_stock_of_the_cheap_one_lacks():
    """Tenths 13 and 4 take a machine and 7 tenths: one cheap machine at 3 is there, so the rest shares one at 5."""
    profile = [Configuration(name, 1, 1, "0.1") for name in "AB"]
    modules = [Module("m0", 13, profile), Module("m1", 4, profile)]
    session = Session("some", 9, [Hardware("A", 3, 1), Hardware("B", 5)], modules)
    assert optimum(session).value == 8
    assert solve(session, "exact", charging="whole").value == 13


@pytest.mark.parametrize(("gpus", "cost"), [(1, 3), (0, None)])
def test_slices_of_gpus_are_shared(gpus, cost):
    """Two models that take 3 and 4 tenths of a slice of three share one; without a GPU there is none."""
    hardware = Hardware("A", 3, slices={"gpus": "3g"})
    session = replace(session_of(3, 4), hardware=(hardware,), resources={"gpus": gpus})
    assert solve(session, "exact", charging="packed").value == cost


def test_full_machines_are_not_shared():
    """10, 20 and 10 requests per second fill 1, 2 and 1 machines of 10."""
    found = optimum(session_of(10, 20, 10))
    assert (found.value, found.plan.shared) == (12, ())


def test_one_module_has_nobody_to_share_with():
    """13 requests per second take two machines of 10."""
    assert optimum(session_of(13)).value == 6


@pytest.mark.parametrize(("slo", "cost"), [("0.9", 3), ("0.89", 6)])
def test_waits_have_to_fit_the_paths(slo, cost):
    """In a row: 2 · (0.1 + 1/4) alone, 0.1 more each on a shared machine, which makes 0.9 s."""
    assert optimum(session_of(4, 4, slo=slo, edges=[("m0", "m1")])).value == cost


@pytest.mark.parametrize(("memory", "needed", "cost"), [(100, 50, 3), (99, 50, 6), (99, None, 6), (None, 50, 3)])
def test_models_have_to_fit_the_memory(memory, needed, cost):
    """Two models of 50 MB fit into 100 MB and not into 99; unknown ones share no machine of known memory."""
    assert optimum(session_of(4, 4, memory=memory, needed=needed)).value == cost


def test_objectives_of_modules_and_delays_count():
    """m0 waits 0.1 s on a shared machine: 0.1 + 1/4 + 0.1 = 0.45 s is within its own objective, not within 0.44 s."""
    for own, cost in (("0.45", 3), ("0.44", 6)):
        session = replace(session_of(4, 4), objectives=(Objective("own", "m0", own), Objective("last", "m1", 9)))
        assert optimum(replace(session, slo_s=None)).value == cost


@pytest.mark.parametrize("policy", ["tc-shared", "rr-even"])
def test_where_no_latency_is_known_nothing_is_shared(policy):
    """Under these policies partial machines do not collect from their own rates alone."""
    assert optimum(session_of(4, 4), policy=policy).value == 6


def test_without_a_plan_it_is_infeasible():
    """A batch takes 0.1 s."""
    assert solve(session_of(4, 4, slo="0.05"), "exact", charging="packed").status is Status.INFEASIBLE


@pytest.mark.parametrize("limit_s", [0.0, 0.02, 0.2])
def test_a_time_limit_leaves_a_plan_and_a_bound(limit_s):
    """The bound of a short run is below the optimum, and its plan above."""
    session = random_session(3, 8)
    best, short = optimum(session), solve(session, "exact", charging="packed", time_limit_s=limit_s)
    assert short.value is not None
    assert (short.bound or 0) * (1 - 1e-9) <= float(best.value) <= float(short.value) * (1 + 1e-9)


def test_a_trace_ends_with_the_answer():
    """Incumbents fall, bounds rise, and the last point is the answer."""
    found = optimum(random_session(1, 8))
    for one, other in pairwise(found.trace):
        assert (other.incumbent, -(other.bound or 0)) <= (one.incumbent, -(one.bound or 0))
    if found.trace:
        assert found.trace[-1].bound == found.bound


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_sessions_of_eight_modules_are_proven(seed):
    """At their rates and at a tenth of them, in ten seconds; guards the bounds of branches."""
    session = random_session(seed, 8)
    fewer = replace(session, modules=[replace(m, rate_rps=m.rate_rps / 10) for m in session.modules])
    for one in (session, fewer):
        assert optimum(one, time_limit_s=10).wall_s < 10


@pytest.mark.parametrize("case", [packed_case, limited_case])
@pytest.mark.parametrize("seed", range(60))
def test_it_is_the_enumerated_optimum(seed, case):
    """Ties with time, memory, stock and the SLO are where rounding may lose a plan or admit one that is none."""
    session, space = case(seed)
    listed = solve(session, "plan-bruteforce", space=space, time_limit_s=2)
    if listed.status not in (Status.OPTIMAL, Status.INFEASIBLE):
        return
    found = solve(session, "exact", space=space, time_limit_s=LIMIT_S)
    assert (found.status, found.value) == (listed.status, listed.value)


@pytest.mark.parametrize("kept_seed", [58, 93, 127, 135])
def test_it_finds_plans_that_the_heuristic_misses(kept_seed):
    """Here `whole-greedy` is up to 40 % above the optimum: the search has to find the shared machines itself."""
    session, space = packed_case(kept_seed)
    found, heuristic = solve(session, "exact", space=space), solve(session, "whole-greedy", space=space)
    assert found.status is Status.OPTIMAL
    assert found.value < heuristic.value
    assert found.plan.shared


def test_a_plan_in_time_by_rounding_alone_is_refined_to_an_end():
    """Dummies make machines ever faster: between the last plan of interest and none there was no end of plans."""
    found = optimum(packed_case(183)[0], space=packed_case(183)[1], time_limit_s=LIMIT_S)
    assert found.value == 700


def test_free_machines_and_limits_are_refused():
    """The table of who covers what has them apart."""
    free = replace(session_of(4, 4), hardware=(Hardware("A", 0),))
    for session, space in ((free, PlanSpace(charging="packed")), (session_of(4, 4), PlanSpace("tc", "continuous"))):
        found = solve(session, "exact", space=replace(space, charging="packed"))
        assert found.status is Status.INAPPLICABLE
        assert "does not cover packed machines within other limits than a stock and resources" in found.reason


@pytest.mark.parametrize("price", ["0.1", "0.7", "1.1", "0.3", "0.17", "1.3"])
@pytest.mark.parametrize("modules", [4, 6, 8, 10])
def test_an_optimum_whose_sum_of_prices_is_rounded_up_is_found(price, modules, monkeypatch):
    """Six machines at 0.1 cost 0.6000000000000001 in floating point: the branch of the optimum was left out.

    Quick plans hide that, as they are mostly optimal: the search begins with a plan of one machine more.
    """
    profile = [Configuration("A", 1, 1, "0.1")]
    session = Session("some", 9, [Hardware("A", price)], [Module(f"m{i}", 5, profile) for i in range(modules)])
    best = optimum(session)
    worse = replace(best.plan, shared=best.plan.shared[:-1])
    cost = evaluate(session, worse, best.space).cost_per_h
    assert cost > best.value
    monkeypatch.setattr(solver, "quick_plan", lambda session, space, start: (worse, cost))
    monkeypatch.setattr(solver, "share_machines", lambda session, plan, space: plan)
    assert optimum(session).value == best.value


def test_a_module_without_a_machine_of_a_type_is_no_fault_of_the_prover():
    """With one hardware type the prover looks at each; a type that a module has not leaves that part no plan."""
    modules = [Module("a", 5, [Configuration("A", 1, 1, "0.1")])]
    modules += [Module("b", 5, [Configuration(name, 1, 1, "0.1") for name in "AB"])]
    session = Session("some", 9, [Hardware("A", 1), Hardware("B", 1)], modules)
    found = optimum(session, space=PlanSpace(charging="packed", single_hardware=True))
    assert certify(session, found, LIMIT_S).verdict is Verdict.CERTIFIED
