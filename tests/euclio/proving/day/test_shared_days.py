"""The prover of days with shared machines, against enumeration of their steps, and on answers of `day-exact`."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from fractions import Fraction

import pytest

from euclio import solve
from euclio.core.certificate import Verdict
from euclio.core.result import Status
from euclio.problems.day import Day, Step
from euclio.problems.day.sharing import PACKED_DAY
from euclio.problems.session import Configuration, Hardware, Module, PlanSpace, Session
from euclio.problems.session.resources import without_limits
from euclio.proving.certifying import certify
from euclio.proving.day.certifying import find_better
from euclio.proving.day.shared import bounded_by_steps
from tests.drawn.days import nasty_day
from tests.drawn.packed import limited_case

HAIR = Fraction(1, 10**9)
PACKED = PlanSpace(charging="packed")


def day_of(*rates, seconds=3600):
    """Two modules at the same rates in each step; a batch of 1 takes 0.1 s, a machine costs 3."""
    profile = [Configuration("A", 1, 1, "0.1")]
    session = Session("two", 9, [Hardware("A", 3)], [Module("a", 5, profile), Module("b", 5, profile)])
    return Day("two", session, [Step(seconds, [rate, rate]) for rate in rates])


@pytest.mark.parametrize(("rates", "least"), [([5], 3), ([5, 0], 3), ([5, 6], 9), ([15], 9), ([15, 5, 1], 15)])
def test_each_step_costs_whole_machines_for_all_that_shares_them(rates, least):
    """5 + 5 tenths fill one machine, 6 + 6 need two, 15 + 15 three, and a step without requests none."""
    day = day_of(*rates)
    assert bounded_by_steps(day, Fraction(least), math.inf).exhausted
    assert not bounded_by_steps(day, least + HAIR, math.inf).exhausted
    found = solve(day, "day-exact", space=PACKED_DAY)
    assert (found.status, found.value) == (Status.OPTIMAL, least)
    assert certify(day, found).verdict is Verdict.CERTIFIED


def test_a_plan_of_whole_machines_refutes():
    """Two whole machines cost 6."""
    assert find_better(day_of(9), PACKED_DAY, Fraction(7), math.inf).plan is not None


def test_a_late_prover_leaves_it_open():
    assert not find_better(day_of(5), PACKED_DAY, Fraction(3), time.perf_counter()).exhausted


@pytest.mark.parametrize("seed", range(80))
def test_no_more_is_certified_than_the_enumerated_steps_cost(seed):
    """Ties with time, memory, stock and the SLO: rounding might bound a step above the cheapest packed plan."""
    session = without_limits(limited_case(seed)[0])
    total, steps = Fraction(0), [Step(3600, [0] * len(session.modules))]
    for times in (1, Fraction(1, 2)):
        own = replace(session, modules=[replace(m, rate_rps=m.rate_rps * times) for m in session.modules])
        listed = solve(own, "plan-bruteforce", space=PACKED, time_limit_s=2)
        if listed.status is not Status.OPTIMAL:
            return
        total += listed.value
        steps.append(Step(3600, [m.rate_rps for m in own.modules]))
    day = Day("drawn", session, steps)
    found = solve(day, "day-exact", space=PACKED_DAY, time_limit_s=2)
    assert found.bound is None or found.bound <= float(total) * (1 + 1e-9)
    for cost in (total, found.value):
        above = None if cost is None else cost * (1 + HAIR) + HAIR
        assert above is None or not bounded_by_steps(day, above, time.perf_counter() + 5).exhausted


@pytest.mark.parametrize("seed", range(40))
def test_claims_of_nasty_days_are_never_refuted(seed):
    """Stocks, free machines, quiet steps and dear changes; almost all claims are certified."""
    day = nasty_day(seed)
    found = solve(day, "day-exact", space=PACKED_DAY, time_limit_s=5)
    if found.status in (Status.OPTIMAL, Status.INFEASIBLE) or found.bound:
        assert certify(day, found, 5).verdict is not Verdict.REFUTED
