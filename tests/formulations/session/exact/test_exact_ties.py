"""`exact` on numbers that floats cannot distinguish: every answer is held against the enumeration of all plans."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from bruteforce.session.plan_enumeration import solve_by_plan_enumeration
from euclio import solve
from euclio.core.errors import InputError
from euclio.core.registry import Limits
from euclio.core.result import Status
from euclio.problems.session import (
    FULL_SPACE,
    Allocation,
    Configuration,
    DummyRule,
    Hardware,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Policy,
    Session,
    evaluate,
)
from euclio.problems.session.policies import POLICIES

NONE = PlanSpace(dummy=DummyRule.NONE)


def single(rate, slo, profile, price=1):
    """One module on one machine type; the profile holds pairs of batch and duration."""
    configurations = [Configuration("h", batch, 1, duration) for batch, duration in profile]
    return Session("tie", slo, [Hardware("h", price)], [Module("m", rate, configurations)])


def truth(session, space=FULL_SPACE):
    found = solve_by_plan_enumeration(session, space, Limits())
    return None if found.plan is None else evaluate(session, found.plan, space).cost_per_h


@pytest.mark.parametrize(
    ("rate", "slo", "profile", "price", "cost"),
    [
        # 4/0.3 as a float prints it is 6.7e-16 more than one machine takes: two, and dummies up to 26.67 req/s.
        ("13.333333333333334", "0.45", [(4, "0.3")], 1, 2),
        ("13.333333333333334", "0.46", [(4, "0.3"), (1, "0.3")], "4.2", Fraction(84, 10)),
        # Two machines of batch 3 and one of batch 8, filled up, are 3 prices; two of batch 8 are enough.
        ("22.30629335914673", "0.53796477105325", [(3, "0.3045707690371017"), (8, "0.35864318070216666")], "4.2", None),
    ],
)
def test_a_rate_that_is_a_rounded_multiple_of_a_throughput_is_taken_as_written(rate, slo, profile, price, cost):
    session = single(rate, slo, profile, price)
    found = solve(session, "exact")
    assert found.status is Status.OPTIMAL
    assert found.value == (truth(session) if cost is None else cost)


@pytest.mark.parametrize("rate", ["26.666666666666668", "26.666666666666664", "13.333333333333334", "40"])
@pytest.mark.parametrize("space", [NONE, PlanSpace(), replace(NONE, policy=Policy.TC_SHARED)])
def test_a_sliver_of_rate_is_no_error_and_no_false_proof(rate, space):
    session = single(rate, 4, [(4, "0.3")])
    found, expected = solve(session, "exact", space=space), truth(session, space)
    assert found.status is (Status.INFEASIBLE if expected is None else Status.OPTIMAL)
    assert found.value == expected


@pytest.mark.parametrize("slo", [0.6, math.nextafter(0.6, 0), math.nextafter(0.6, 1)])
@pytest.mark.parametrize("policy", POLICIES)
def test_an_slo_on_a_plans_latency_is_decided_to_the_last_digit(slo, policy):
    session, space = single("20", repr(slo), [(4, "0.4"), (2, "0.25"), (1, "0.3")]), PlanSpace(policy=policy)
    found = solve(session, "exact", space=space)
    expected = truth(session, space)
    assert found.value == expected
    assert found.status is (Status.INFEASIBLE if expected is None else Status.OPTIMAL)


def test_a_tie_over_a_chain_of_modules_is_decided_exactly():
    """0.1 + 0.2 is 0.3 as decimals and more than 0.3 as floats: here both modules wait 0.1 + 4/40 and 0.05 + 2/40."""
    modules = [
        Module("a", "40", [Configuration("h", 4, 1, "0.1"), Configuration("h", 1, 1, "0.1")]),
        Module("b", "40", [Configuration("h", 2, 1, "0.05"), Configuration("h", 1, 1, "0.05")]),
    ]
    for slo, cost in (("0.3", 2), ("0.2999999999999999", 3)):
        session = Session("chain", slo, [Hardware("h", 1)], modules, [("a", "b")])
        found = solve(session, "exact")
        assert found.status is Status.OPTIMAL
        assert found.value == truth(session) == cost


@pytest.mark.parametrize("dummy", list(DummyRule))
def test_an_optimum_of_zero_is_proven(dummy):
    session = Session("free", "0.6", [Hardware("h", 0)], [Module("m", 50, [Configuration("h", 4, 1, "0.2")])])
    found = solve(session, "exact", dummy=dummy)
    assert (found.status, found.value, found.bound) == (Status.OPTIMAL, 0, 0.0)


def test_prices_far_apart_are_no_obstacle():
    """A rest of 1e-10 of the rate, too little to fill a batch of 4 in time, costs more than all other machines."""
    hardware = [Hardware("cheap", "1e-12"), Hardware("expensive", "1e12")]
    profile = [Configuration("cheap", 4, 1, "0.1"), Configuration("expensive", 1, 1, "0.1")]
    session = Session("far", 10**9, hardware, [Module("m", "40.000000004", profile)])
    found = solve(session, "exact", dummy=DummyRule.NONE)
    assert found.status is Status.OPTIMAL
    assert found.value == truth(session, NONE)


def test_a_last_machine_that_dummies_fill_but_for_a_sliver_is_not_pruned():
    """Four of a and one of j leave 2e-17 req/s, and j asks for as many dummies as p can take; ten of p cost more.

    What four of a leave of the rate is a float that is off by 3e-11, more than the dummies are below p's throughput.
    """
    hardware = [Hardware("a", 65536), Hardware("j", "243.000004"), Hardware("p", "27.840909")]
    a, j, p = (
        Configuration("a", 65536, 1, "1"),
        Configuration("j", 32, 1, "118.51851624910842"),
        Configuration("p", 3, 1, "105.6"),
    )
    session = Session("filled", "225.753853311538", hardware, [Module("m", "262144.27000000517", [a, j, p])])
    counts = (a, 4), (j, 1), (p, 1)
    taken = sum(n * c.throughput_rps for c, n in counts)
    plan = Plan((ModulePlan(tuple(Allocation(c, n) for c, n in counts), taken - session.modules[0].rate_rps),))
    known = evaluate(session, plan, FULL_SPACE)
    assert known.feasible
    assert solve(session, "exact").value == known.cost_per_h


def test_more_than_a_billion_machines_are_refused_with_the_field_to_change():
    with pytest.raises(
        InputError, match="rate_rps: is 1000000000000, the rate of 300,000,000,000 machines of h batch 1"
    ):
        single("1e12", 4, [(1, "0.3")])


def test_steps_of_four_modules_that_miss_the_slo_by_rounding_are_no_bound():
    """Full machines of all modules cost 18.36 and miss the SLO in the last digit; without them the optimum is 19.65."""
    modules = [
        Module(
            "m0",
            "1586747.2026768953",
            [
                Configuration("h", 7, 2, "0.00000857229042473119"),
                Configuration("h", 32, 1, "0.000016311537483355318"),
                Configuration("h", 5, 2, "0.000006302201121344136"),
            ],
        ),
        Module("m1", "3099949.141459398", [Configuration("h", 32, 2, "0.000041291")]),
        Module(
            "m2",
            "1141793.3930124121",
            [
                Configuration("h", 1, 2, "0.0000017516303844808273"),
                Configuration("h", 10, 1, "0.000005899128541822037"),
            ],
        ),
        Module("m3", 50, [Configuration("h", 6, 2, "0.000012")]),
    ]
    edges = [(f"m{i}", f"m{i + 1}") for i in range(3)]
    session = Session("tie", "0.00009542238121381802", [Hardware("h", "3.06")], modules, edges)
    found = solve(session, "exact", policy="machine-rate", dummy="continuous")
    assert found.status is Status.OPTIMAL
    assert 19.64947 < float(found.value) < 19.6495
