import random
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from random_modules import random_module, session_with

from euclio.problems.session import (
    Allocation,
    DummyRule,
    ModulePlan,
    Plan,
    PlanSpace,
    Policy,
    evaluate,
)
from euclio.problems.session.evaluate import rank_key
from euclio.problems.session.latency.bound import is_attained, is_too_fast, latency_bound
from euclio.problems.session.least_latency import bracket
from euclio.problems.session.policies import POLICIES

RULES = list(product(POLICIES, DummyRule))


def some_plans(rng, session, dummy):
    """Plans that mostly obey the rules: counts down the ranking, then a partial machine or a filled one."""
    module = session.modules[0]
    ranked = sorted(module.profile, key=lambda c: rank_key(c, session.price))
    for _ in range(12):
        rows = sorted(rng.sample(range(len(ranked)), rng.randint(1, len(ranked))))
        left, allocations = module.rate_rps, []
        for k in rows[:-1]:
            most = int(left / ranked[k].throughput_rps)
            if most:
                machines = rng.randint(1, most)
                left -= machines * ranked[k].throughput_rps
                allocations.append(Allocation(ranked[k], machines))
        last = ranked[rows[-1]]
        whole = int(left / last.throughput_rps)
        rest = left - whole * last.throughput_rps
        yield Plan((ModulePlan((*allocations, Allocation(last, whole, rest))),))
        fill = last.throughput_rps - rest
        yield Plan((ModulePlan((*allocations, Allocation(last, whole + 1)), fill),))
        if dummy is DummyRule.CONTINUOUS:
            more = fill * rng.randint(1, 9) / 10
            yield Plan((ModulePlan((*allocations, Allocation(last, whole, rest + more)), more),))
            machines = whole + rng.randint(2, 9)
            more = machines * last.throughput_rps - left
            yield Plan((ModulePlan((*allocations, Allocation(last, machines)), more),))


@pytest.mark.fifth("policy")
@pytest.mark.parametrize(("policy", "dummy"), RULES)
def test_no_accepted_plan_is_faster_than_the_bound(policy, dummy):
    rng = random.Random(f"{policy} {dummy}")
    space = PlanSpace(policy, dummy)
    accepted = 0
    for _ in range(150):
        session = session_with(1000, random_module(rng))
        bound = latency_bound(session.modules[0], space)
        for plan in some_plans(rng, session, dummy):
            evaluation = evaluate(session, plan, space)
            if evaluation.feasible:
                accepted += 1
                assert evaluation.modules[0].worst_case_latency_s >= bound
    assert accepted > 300


@pytest.mark.fifth("policy")
@pytest.mark.parametrize("policy", [p for p in POLICIES if p is not Policy.TC_SHARED])
def test_bound_is_reached_where_dummies_may_fill_a_machine(policy):
    rng = random.Random(5)
    space = PlanSpace(policy, DummyRule.MACHINE)
    for _ in range(100):
        session = session_with(1000, random_module(rng))
        least = bracket(session, session.modules[0], space)
        assert least.latency_s == least.bound_s


@pytest.mark.fifth("policy")
@pytest.mark.parametrize(("policy", "dummy"), RULES)
@pytest.mark.parametrize("charging", ["share", "whole"])
def test_a_bound_that_is_called_not_attained_is_not(policy, dummy, charging):
    """Plans drawn at random take longer than such a bound, and an SLO on it is too fast."""
    rng = random.Random(f"{policy} {dummy} {charging}")
    space = PlanSpace(policy, dummy, charging=charging)
    for _ in range(100):
        session = session_with(1000, random_module(rng))
        (module,) = session.modules
        bound = latency_bound(module, space)
        assert is_too_fast(replace(session, slo_s=bound), space) == (not is_attained(module, space))
        assert is_too_fast(replace(session, slo_s=bound * Fraction(999999, 10**6)), space)
        for plan in some_plans(rng, session, dummy):
            checked = evaluate(session, plan, space)
            if checked.feasible and not is_attained(module, space):
                assert checked.latency_s > bound
