"""Sessions whose SLO is the durations that their stock forces, to the last digit."""

import pytest

from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import Charging, Configuration, DummyRule, Hardware, Module, PlanSpace, Policy, Session
from euclio.problems.session.latency.bound import takes_all_of_the_slo
from euclio.problems.session.running import Running

WHOLE = PlanSpace(Policy.TC, DummyRule.MACHINE, charging=Charging.WHOLE)


def session(slo="0.05", count=1):
    """Of h2 a module has 50 requests per second; the rest of its 250 needs 0.03 s, which 0.02 s before it come to."""
    modules = [
        Module("a", 48, [Configuration("h0", 1, 1, "0.02")]),
        Module(
            "b",
            250,
            [
                Configuration("h2", 1, 1, "0.02"),
                Configuration("h0", 1, 1, "0.04"),
                Configuration("h1", 1, 1, "0.03"),
            ],
        ),
    ]
    hardware = [Hardware("h0", "0.6018"), Hardware("h1", "4.2"), Hardware("h2", "0.6018", count)]
    return Session("at durations", slo, hardware, modules, [("a", "b")])


def test_an_slo_of_forced_durations_is_infeasible_at_once():
    """The search took it for a little longer, and looked among plans of a hundred billion machines for over 40 s."""
    result = solve(session(), "exact", space=WHOLE, time_limit_s=10)
    assert result.status is Status.INFEASIBLE
    assert "within the stock" in result.reason


@pytest.mark.parametrize(("slo", "count", "left"), [("0.05", 1, 0), ("0.049", 1, -0.001), ("0.0501", 1, None)])
def test_what_forced_durations_leave_of_the_slo(slo, count, left):
    """0.02 + 0.03 of 0.05 s leave nothing, and of less than that less than nothing; a longer SLO proves nothing."""
    found = takes_all_of_the_slo(session(slo, count), WHOLE)
    assert (found is None) == (left is None)
    assert left is None or float(found) == pytest.approx(left)


def test_stock_enough_for_all_requests_forces_nothing():
    """Five machines of h2 take 250 requests per second in 0.02 s, and there is a plan."""
    assert takes_all_of_the_slo(session(count=5), WHOLE) is None
    assert solve(session("0.1", count=5), "exact", space=WHOLE, time_limit_s=10).status is Status.OPTIMAL


def test_an_slo_of_a_machines_latency_and_a_duration_is_infeasible():
    """One machine of h1 takes 0.04 s, full; the 0.222 s that are left are a duration, above which all plans lie.

    Halves of what lies below 0.04 s were searched one after the other, without end: no plan is there.
    """
    modules = [
        Module("a", 9, [Configuration("h0", 1, 1, "0.222")]),
        Module("b", "62.5", [Configuration("h0", 3, 1, "0.04"), Configuration("h1", 3, 1, "0.02")]),
    ]
    hardware = [Hardware("h0", "0.35"), Hardware("h1", "0.35", 1)]
    on_the_tie = Session("next to a duration", "0.262", hardware, modules, [("a", "b")])
    assert solve(on_the_tie, "exact", space=WHOLE, time_limit_s=10).status is Status.INFEASIBLE
    later = Session("later", "0.263", hardware, modules, [("a", "b")])
    assert solve(later, "exact", space=WHOLE, time_limit_s=10).status is Status.OPTIMAL


def test_free_machines_may_come_as_close_to_a_duration_as_it_takes():
    """Four machines of a take 0.09 s, and the 0.5 s that are left are those of free machines, never reached.

    So five machines are needed; each further free machine was a step of its own, tried one by one.
    """
    modules = [
        Module("a", "22.2", [Configuration("paid", 1, 2, "0.08")]),
        Module("b", 5, [Configuration("free", 1, 2, "0.5")]),
    ]
    own = Session("free", "0.59", [Hardware("free", 0), Hardware("paid", 1)], modules, [("a", "b")])
    found = solve(own, "exact", space=WHOLE, time_limit_s=10)
    assert (found.status, found.value) == (Status.OPTIMAL, 5)


@pytest.mark.parametrize("plenty", ["1e-9", "1e-6", "1e-3"])
def test_a_type_that_hardly_takes_of_a_resource_is_not_counted_machine_by_machine(plenty):
    """0.1 s before it leave a module 0.3 s, its batches' duration: it would need thousands of millions of machines.

    There are fewer, but their numbers were tried one after the other, from the most that the resource allows.
    """
    hardware = [Hardware("few", "4.851", takes={"r": "0.1"}), Hardware("many", 3, takes={"r": plenty})]
    modules = [
        Module("a", 26, [Configuration("many", 4, 2, "0.1")]),
        Module("b", 18, [Configuration("few", 2, 1, "0.22"), Configuration("many", 3, 3, "0.3")]),
    ]
    own = Session("plenty", "0.4", hardware, modules, [("a", "b")], resources={"r": 1})
    results = [solve(own, name, space=WHOLE, time_limit_s=10) for name in ("exact", "cpsat")]
    assert [result.status for result in results] == [Status.OPTIMAL, Status.OPTIMAL]
    assert results[0].value == results[1].value


def test_a_module_has_no_more_machines_than_run_and_may_be_added():
    """Four thousand million machines were halved, where two may be added."""
    module = Module("m", 80, [Configuration("h", 8, 1, "0.1")])
    hardware = [Hardware("h", 3, takes={"r": "1e-9"})]
    other = Module("n", "6.666666666666666", [Configuration("h", 1, 2, "0.30000000000000004")])
    running = Running((), most_changes=2, price_per_change_per_h=10)
    own = Session(
        "few changes", "0.45000000000000006", hardware, [other, module], [], resources={"r": 4}, running=running
    )
    space = PlanSpace(Policy.TC_SHARED, DummyRule.NONE, charging=Charging.WHOLE)
    result = solve(own, "exact", space=space, time_limit_s=10)
    assert (result.status, "3 would do" in result.reason) == (Status.INFEASIBLE, True)
    assert result.stats["boxes"] < 10
