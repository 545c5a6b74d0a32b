"""The reference simulator against figures of Harpagon, and against what can be counted by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from session_reference import Served, serve, serve_clients

from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.problems.session.policies import Policy
from euclio.problems.session.rules import DummyRule
from euclio.problems.session.space import PlanSpace
from euclio.serving.session.setup import Dispatch, Dropping, Partial, Setup
from euclio.serving.session.system import System, build_system

MS = 10**6
S = 10**9
PRICE = [Hardware("p", 1)]
A = Configuration("p", 6, 1, 2)
C = Configuration("p", 2, 1, 1)


def figure_4(dispatch: Dispatch) -> Served:
    """Module M_4 of Harpagon's Figure 4, its first 160 requests."""
    session = Session("figure 4", 10, PRICE, [Module("M_4", 8, [A, C])])
    plan = Plan((ModulePlan((Allocation(A, 2), Allocation(C, 1))),))
    system = build_system(session, plan, None, Setup(dispatch=dispatch))
    return serve(system, [k * 125 * MS for k in range(160)])


def single(
    rate: float, configuration: Configuration, machines: int, setup: Setup | None = None, partial: str = "0"
) -> System:
    """A module on machines of one configuration, in turn."""
    session = Session("single", 10, PRICE, [Module("m", str(rate), [configuration])])
    plan = Plan((ModulePlan((Allocation(configuration, machines, Fraction(partial)),)),))
    return build_system(session, plan, PlanSpace(policy=Policy.TC_SHARED), setup)


def collection(served: Served, requests: int, period_ns: int) -> Fraction:
    """Longest wait of the first requests, which the figure counts from an inter-arrival time before a batch's first."""
    longest = max(i.start_ticks - i.ready_ticks for i in served.invocations[:requests])
    return Fraction(longest + period_ns, S)


def worst(served: Served, requests: int, period_ns: int) -> Fraction:
    """Longest latency of the first requests, by the same convention."""
    longest = max(i.end_ticks - i.ready_ticks for i in served.invocations[:requests])
    return Fraction(longest + period_ns, S)


def test_figure_4_throughput_cost() -> None:
    served = figure_4(Dispatch.ROUNDS)
    assert "".join("ABC"[i.machine] for i in served.invocations[:16]) == "AAAAAABBBBBBCCCC"
    # The figure counts the batches of A and B.
    assert collection(served, 12, 125 * MS) == Fraction("0.75")
    assert worst(served, 16, 125 * MS) == worst(served, 160, 125 * MS) == Fraction("2.75")


def test_figure_4_round_robin() -> None:
    served = figure_4(Dispatch.REQUEST_ROUNDS)
    assert "".join("ABC"[i.machine] for i in served.invocations[:16]) == "ABABABABABABCCCC"
    assert collection(served, 12, 125 * MS) == Fraction("1.375")
    assert worst(served, 16, 125 * MS) == worst(served, 160, 125 * MS) == Fraction("3.375")


def test_five_machines_of_table_i_are_charged_4_95_and_hold_theorem_1() -> None:
    c = Configuration("p", 32, 1, "0.8")
    system = single(198, c, 4, partial="38")
    assert system.evaluation.cost_per_h == Fraction("4.95")
    assert [machine.busy for machine in system.machines] == [Fraction("0.99")] * 5
    served = serve(system, [k * S // 198 for k in range(198 * 32)])
    longest = max(
        e.end_ticks - i.ready_ticks for e, i in zip(served.executions, served.invocations[::32], strict=False)
    )
    # Arrivals are rounded down to nanoseconds, so that a difference of two is off by less than one.
    assert abs(longest - (Fraction(8, 10) + Fraction(31, 198)) * S) < 1
    assert [e.machine for e in served.executions[:12]] == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1]


def late(system: System, rate: int, requests: int) -> int:
    """Requests that are answered after the SLO, if they arrive evenly at a rate per second."""
    served = serve(system, [k * S // rate for k in range(requests)])
    return sum(f - a > system.slo_ticks for a, f in zip(served.arrival_ticks, served.finish_ticks, strict=True))


def test_with_one_machine_less_the_slo_is_missed() -> None:
    """Five machines hold 1 s at 198 requests per second; four hold it at 160, and at 198 fall ever further back."""
    c = Configuration("p", 32, 1, "0.8")
    session = Session("M_3", 1, PRICE, [Module("M_3", 198, [c])])
    plan = Plan((ModulePlan((Allocation(c, 4, Fraction(38)),)),))
    space = PlanSpace(policy=Policy.TC_SHARED)
    assert late(build_system(session, plan, space), 198, 8000) == 0
    fewer = Session("M_3", 1, PRICE, [Module("M_3", 160, [c])])
    system = build_system(fewer, Plan((ModulePlan((Allocation(c, 4),)),)), space)
    assert late(system, 160, 8000) == 0
    assert late(system, 198, 8000) > 7800


CHAIN = Session(
    "chain",
    "1",
    PRICE,
    [
        Module("first", 10, [Configuration("p", 2, 1, "0.2")]),
        Module("half", 5, [Configuration("p", 1, 1, "0.1")]),
        Module("last", 20, [Configuration("p", 4, 1, "0.1"), Configuration("p", 1, 1, "0.04")]),
    ],
    [("first", "half"), ("half", "last")],
)


def chain(setup: Setup, slo: str = "1") -> System:
    """Three modules in a row, of which requests make 1, 0 or 1, and 2 invocations."""
    modules = [
        ModulePlan((Allocation(CHAIN.modules[0].profile[0], 1),)),
        ModulePlan((Allocation(CHAIN.modules[1].profile[0], 0, Fraction(5)),)),
        ModulePlan((Allocation(CHAIN.modules[2].profile[0], 0, Fraction(20)),)),
    ]
    session = Session("chain", slo, CHAIN.hardware, CHAIN.modules, CHAIN.edges)
    return build_system(session, Plan(tuple(modules)), PlanSpace(dummy=DummyRule.NONE), setup)


def test_invocations_per_request_and_passing() -> None:
    served = serve(chain(Setup()), [0, 100 * MS, 200 * MS, 300 * MS])
    by_module = [[(i.request, i.ready_ticks // MS) for i in served.invocations if i.module == m] for m in range(3)]
    assert by_module[0] == [(0, 0), (1, 100), (2, 200), (3, 300)]
    # Requests 0 and 2 do not invoke the second module: the third has them as soon as the first has ended, at 300.
    assert by_module[1] == [(1, 300), (3, 500)]
    assert by_module[2] == [(0, 300), (0, 300), (1, 400), (1, 400), (2, 500), (2, 500), (3, 600), (3, 600)]
    assert [f // MS for f in served.finish_ticks] == [500, 500, 700, 700]


def test_held_requests_leave_evenly() -> None:
    served = serve(chain(Setup(hold=True)), [0, 100 * MS, 200 * MS, 300 * MS])
    # d + b/w: 0.2 + 2/10, 0.1 + 1/5, 0.1 + 4/20; a module that a request does not invoke holds it as well.
    assert [m.latency_ticks // MS for m in chain(Setup()).modules] == [400, 300, 300]
    half = [(i.request, i.ready_ticks // MS) for i in served.invocations if i.module == 1]
    last = [(i.request, i.ready_ticks // MS) for i in served.invocations if i.module == 2]
    assert half == [(1, 500), (3, 700)]
    assert last == [(k, 700 + 100 * k) for k in range(4) for _ in range(2)]


def test_hopeless_requests_are_dropped_and_no_others() -> None:
    system = chain(Setup(dropping=Dropping.HOPELESS), slo="0.45")
    served = serve(system, [0, 100 * MS, 200 * MS, 300 * MS, 1000 * MS])
    dropped = [k for k, finish in enumerate(served.finish_ticks) if finish < 0]
    assert all(
        i.end_ticks < 0 for i in served.invocations if i.module == 2 and i.request in dropped and i.start_ticks < 0
    )
    kept = [f - a for a, f in zip(served.arrival_ticks, served.finish_ticks, strict=True) if f >= 0]
    assert max(kept) <= 450 * MS


def test_a_shared_partial_machine_starts_batches_as_often_as_it_is_charged_for() -> None:
    c = Configuration("p", 2, 1, "0.1")
    session = Session("partial", 1, PRICE, [Module("m", 5, [c])])
    plan = Plan((ModulePlan((Allocation(c, 0, Fraction(5)),)),))
    system = build_system(session, plan, None, Setup(partial=Partial.SHARED))
    assert system.machines[0].spacing_ticks == 400 * MS
    served = serve(system, [0, 0, 0, 0, 300 * MS, 500 * MS])
    assert [(e.start_ticks // MS, e.size) for e in served.executions] == [(0, 2), (400, 2), (800, 2)]


def test_clients_send_when_they_are_answered() -> None:
    system = single(10, Configuration("p", 1, 1, "0.1"), 1)
    served = serve_clients(system, 3, 500 * MS, [1])
    # The one that is answered at 500 is not followed by another.
    assert [a // MS for a in served.arrival_ticks] == [0, 0, 0, 100, 200, 300, 400]
    assert [f // MS for f in served.finish_ticks] == [100, 200, 300, 400, 500, 600, 700]


def test_dummies_fill_batches() -> None:
    c = Configuration("p", 2, 1, "0.2")
    session = Session("dummies", 1, PRICE, [Module("m", 8, [c])])
    plan = Plan((ModulePlan((Allocation(c, 1),), Fraction(2)),))
    served = serve(build_system(session, plan), [k * 125 * MS for k in range(8)])
    # Dummies at 0.25 and 0.75 s come before the requests of the same moment.
    assert [i.request for i in served.invocations] == [0, 1, -1, 2, 3, 4, 5, -1, 6, 7]
    assert {e.size for e in served.executions} == {2}


def test_open_batches_are_closed_in_the_end() -> None:
    system = single(10, Configuration("p", 4, 1, "0.4"), 1, Setup(timeout_s=float("inf")))
    served = serve(system, [k * 100 * MS for k in range(6)])
    assert [(e.start_ticks // MS, e.size) for e in served.executions] == [(300, 4), (700, 2)]


@pytest.mark.fifth("dispatch")
@pytest.mark.parametrize("dispatch", list(Dispatch))
def test_same_input_same_run(dispatch: Dispatch) -> None:
    assert figure_4(dispatch) == figure_4(dispatch)
