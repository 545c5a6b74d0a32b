"""Rules by which people size a service, as solvers: so many machines, and what the checker says of them."""

import math

import pytest

from euclio import solve
from euclio.core.result import Status
from euclio.problems.session import Configuration, Hardware, Module, Session
from heuristics.session.staffing import by_square_root, configurations_by_hand
from tests.drawn.small_sessions import small_session

RULES = ("rate-over-throughput", "utilisation-70", "square-root-staffing")


def session(rate, slo="0.3"):
    """One module whose machine answers 40 requests per second in batches of 4, within 0.2 s if it is full."""
    return Session("one", slo, [Hardware("A", 2)], [Module("m", rate, [Configuration("A", 4, 1, "0.1")])])


def machines(name, rate):
    result = solve(session(rate), name)
    assert result.status is Status.FEASIBLE
    (own,) = result.plan.modules[0].allocations
    assert result.value == 2 * own.machines
    return own.machines


def test_rules_buy_what_they_say():
    """100 req/s are a load of 2.5 machines: 3, ⌈2.5 / 0.7⌉ = 4, and ⌈2.5 + 2.326 · 1.581⌉ = 7."""
    assert [machines(name, 100) for name in RULES] == [3, 4, 7]


def test_a_load_of_whole_machines_is_not_rounded_up():
    assert machines("rate-over-throughput", 120) == 3


def test_square_root_staffing_counts_on_an_attainment():
    assert by_square_root(4.0, 0.5) == math.ceil(4.0)
    assert by_square_root(4.0, 0.9) < by_square_root(4.0, 0.999)


def test_what_misses_the_slo_is_no_plan():
    """A full machine takes 0.1 s to gather four requests and 0.1 s to execute them."""
    assert {solve(session(100, slo="0.15"), name).plan for name in RULES} == {None}


def test_without_spare_capacity_a_rule_says_what_it_needs():
    found = solve(session(100), RULES[1], dummy="none")
    assert (found.status, found.plan) == (Status.INAPPLICABLE, None)
    assert "--dummy continuous" in found.reason


def test_configurations_that_are_left_out_are_not_chosen():
    found = solve(session(100, slo=5), RULES[0], batching=False)
    assert found.plan is None
    assert configurations_by_hand(session(100), found.space) is None


@pytest.mark.parametrize("seed", range(20))
def test_no_rule_is_below_the_optimum_of_its_plan_space(seed):
    """A rule that the checker priced too low would make people's plans look better than they are."""
    best = solve(small_session(seed), "exact", policy="load-balancer", dummy="continuous", charging="whole")
    for name in RULES:
        found = solve(small_session(seed), name)
        assert found.status in {Status.FEASIBLE, Status.INFEASIBLE, Status.UNKNOWN}
        assert found.value is None or found.value >= best.value
