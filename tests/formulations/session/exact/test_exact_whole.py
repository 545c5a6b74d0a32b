"""`exact` on machines that are charged whole: every answer is held against a plain enumeration."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from whole_enumeration import MOST, cheapest

from euclio import solve
from euclio.core.result import Status
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.policies import POLICIES
from tests.drawn.small_sessions import small_session

WHOLE = PlanSpace(charging="whole")
SPACES = [
    PlanSpace(policy, rule, most, charging="whole")
    for policy, rule, most in product(POLICIES, ("none", "machine", "continuous"), (None, 1, 2))
]
SEEDS = range(24)


def single(rate, slo, profile, price=1):
    """One module on one machine type; the profile holds triples of batch, concurrency and duration."""
    configurations = [Configuration("h", *row) for row in profile]
    return Session("one", slo, [Hardware("h", price)], [Module("m", rate, configurations)])


def tiny_session(seed):
    """A small session with at most four configurations and three machines' rate per module."""
    session = small_session(seed)
    modules = []
    for module in session.modules:
        most = 3 * max(c.throughput_rps for c in module.profile)
        modules.append(Module(module.name, min(module.rate_rps, most), module.profile[:4]))
    return Session(session.name, session.slo_s, session.hardware, modules, session.edges)


def largest_module(result):
    return max(sum(a.machines + bool(a.partial_rps) for a in m.allocations) for m in result.plan.modules)


def agrees(session, space):
    """Whether status and cost are those of the enumeration, which has no plan with more machines than it lists."""
    found, best = solve(session, "exact", space=space), cheapest(session, space)
    if found.status not in (Status.OPTIMAL, Status.INFEASIBLE):
        return False
    if found.value == best:
        return True
    return found.value is not None and (best is None or found.value < best) and largest_module(found) > MOST


@pytest.mark.parametrize("seed", SEEDS)
def test_exact_agrees_with_a_plain_enumeration(seed):
    """Whole machines listed by a loop that knows nothing of windows and prices."""
    rng = random.Random(seed)
    session = tiny_session(seed)
    assert all(agrees(session, space) for space in rng.sample(SPACES, 3))


def test_a_second_machine_is_worth_its_price_where_it_collects_faster():
    """The example of docs/model/whole-machines.md: one machine takes 0.8 s, two take 0.6 s."""
    session = single(10, "0.7", [(4, 1, "0.4")])
    assert solve(session, "exact", space=WHOLE).value == 2
    assert solve(session, "exact", space=replace(WHOLE, dummy="none")).status is Status.INFEASIBLE


def test_a_budget_just_longer_than_the_duration_takes_many_machines():
    """4/(0.4000001 − 0.4) requests per second are as many as 4,000,000 machines take."""
    session = single(10, "0.4000001", [(4, 1, "0.4")], "0.5")
    found = solve(session, "exact", space=WHOLE)
    assert found.status is Status.OPTIMAL
    assert found.value == Fraction(1, 2) * 4_000_000


def test_a_duration_as_long_as_the_slo_is_never_in_time():
    assert solve(single(10, "0.4", [(4, 1, "0.4")]), "exact", space=WHOLE).status is Status.INFEASIBLE


@pytest.mark.parametrize("rate", ["26.666666666666668", "26.666666666666664", "13.333333333333334", "40"])
@pytest.mark.parametrize("rule", ["none", "machine"])
def test_a_rate_that_is_a_rounded_multiple_of_a_throughput_is_taken_as_written(rate, rule):
    session = single(rate, "0.75", [(4, 1, "0.3"), (1, 1, "0.3")])
    assert agrees(session, replace(WHOLE, dummy=rule))


@pytest.mark.parametrize("rule", ["machine", "continuous"])
def test_free_hardware_is_used_as_much_as_it_takes(rule):
    profile = [Configuration("free", 4, 1, "0.4"), Configuration("paid", 1, 1, "0.01")]
    hardware = [Hardware("free", 0), Hardware("paid", 3)]
    session = Session("free", "0.41", hardware, [Module("m", 10, profile)])
    found = solve(session, "exact", space=replace(WHOLE, dummy=rule))
    assert (found.status, found.value) == (Status.OPTIMAL, 0)


def test_a_nearly_full_machine_is_faster_than_a_full_one_under_round_robin():
    """At concurrency 4 a full machine takes 2d = 0.8 s, one that is nearly full a little over 0.4 + 4/40 = 0.5 s."""
    session = single(5, "0.6", [(4, 4, "0.4")])
    space = PlanSpace("rr", "continuous", charging="whole")
    found = solve(session, "exact", space=space)
    assert (found.status, found.value) == (Status.OPTIMAL, 1)
    assert solve(session, "exact", space=replace(space, dummy="machine")).status is Status.INFEASIBLE


def test_many_machines_of_alike_configurations_are_proven():
    """Configurations whose throughputs differ by little make a tree of all their mixtures explode."""
    profile = [(b, 1, Fraction(b, 100) + Fraction(3 * b * b + 70, 10**5)) for b in range(1, 33)]
    found = solve(single(4321, "0.31", profile), "exact", space=WHOLE, time_limit_s=20)
    assert found.status is Status.OPTIMAL
