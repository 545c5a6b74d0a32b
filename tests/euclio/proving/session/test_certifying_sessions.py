"""The independent prover of sessions against plain enumeration, at, below and above the truth."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from random import Random
from time import perf_counter

import pytest

from euclio.core.certificate import Search
from euclio.problems.session import Allocation, Configuration, Hardware, Module, ModulePlan, Plan, Session
from euclio.problems.session.evaluate import evaluate
from euclio.problems.session.policies import POLICIES
from euclio.problems.session.space import DummyRule, PlanSpace, Policy
from euclio.proving.session.certifying import find_better
from tests.drawn.reference_sessions import session_truth
from tests.drawn.sessions import COUNTABLE, session_case

NEVER = math.inf
SEEDS = range(40)
LEAST = Fraction(1, 10**18)


def _m3(slo: str, rate: float = 198) -> Session:
    profile = [Configuration("one", b, 1, d) for b, d in ((2, "0.1"), (8, "0.25"), (32, "0.8"))]
    return Session("M_3", slo, [Hardware("one", 1)], [Module("m", rate, profile)])


def _truth(seed: int) -> tuple[Session, PlanSpace, Fraction | None]:
    session, space = session_case(Random(seed), POLICIES, COUNTABLE)
    return session, space, session_truth(session, space).upper


def _better(session: Session, space: PlanSpace, cutoff: Fraction | None) -> Search:
    return find_better(session, space, cutoff, NEVER)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_cheaper_than_the_optimum(seed: int) -> None:
    """A prover that finds a plan below the optimum refutes what is true."""
    session, space, value = _truth(seed)
    if value is None:
        pytest.skip("infeasible")
    found = _better(session, space, value)
    assert found.plan is None
    assert found.exhausted


@pytest.mark.parametrize("seed", SEEDS)
def test_a_cutoff_one_part_in_1e18_above_the_optimum_is_refuted(seed: int) -> None:
    """A prover that rounds would certify a cost just above the optimum."""
    session, space, value = _truth(seed)
    if value is None:
        pytest.skip("infeasible")
    found = _better(session, space, value + max(value, Fraction(1)) * LEAST)
    assert found.plan is not None
    assert evaluate(session, found.plan, space).cost_per_h == value


@pytest.mark.parametrize("seed", SEEDS)
def test_a_plan_is_found_exactly_where_there_is_one(seed: int) -> None:
    """The claim that there is no plan is certified where that is so, and nowhere else."""
    session, space, value = _truth(seed)
    found = _better(session, space, None)
    assert (found.plan is not None) == (value is not None)
    assert found.exhausted == (value is None)


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_cheaper_than_the_optimum_with_continuous_dummies(seed: int) -> None:
    """The same under the rule whose plans cannot be listed: the reference encloses the optimum."""
    session, space = session_case(Random(seed), POLICIES, (DummyRule.CONTINUOUS,))
    truth = session_truth(session, space)
    if truth.lower is None or truth.upper is None:
        assert _better(session, space, None).exhausted
        return
    found = _better(session, space, truth.lower * (1 - Fraction(1, 10**6)))
    assert found.plan is None
    assert found.exhausted
    assert _better(session, space, truth.upper * (1 + Fraction(1, 10**6)) + LEAST).plan is not None


def test_a_second_best_plan_is_refuted_with_the_best() -> None:
    """M_3 at 198/s within 1.0 s: S3 costs 5.3, S4 with two requests of dummies 5.0."""
    found = _better(_m3("1.0"), PlanSpace(), Fraction("5.3"))
    assert found.plan is not None
    assert evaluate(_m3("1.0"), found.plan).cost_per_h == 5


def test_an_slo_on_the_plans_latency_admits_it() -> None:
    """32 requests at 200/s take 0.16 s to collect and 0.8 s to run."""
    assert _better(_m3("0.96"), PlanSpace(), Fraction(5)).exhausted
    assert _better(_m3("0.96"), PlanSpace(), Fraction("5.000001")).plan is not None


def test_an_slo_one_digit_below_the_plans_latency_refuses_it() -> None:
    assert _better(_m3("0.959999999999999999"), PlanSpace(), Fraction("5.000001")).exhausted


def test_nothing_is_cheaper_than_free() -> None:
    assert _better(_m3("1.0"), PlanSpace(), Fraction(0)).exhausted


def test_no_plan_is_found_where_the_space_allows_no_configuration() -> None:
    assert _better(_m3("1.0"), PlanSpace(batching=False), None).exhausted


def test_every_policy_is_proven_apart() -> None:
    """Without dummies and with any number of allocations M_3 costs 6.3 or less under round robin."""
    cheapest = {}
    for policy in POLICIES:
        space = PlanSpace(policy=policy, dummy=DummyRule.NONE)
        cheapest[policy] = session_truth(_m3("1.0"), space).upper
        assert _better(_m3("1.0"), space, cheapest[policy]).exhausted
    assert cheapest[Policy.TC] == Fraction("5.3")


def test_a_search_past_its_deadline_says_so() -> None:
    modules = [Module(name, rate, _m3("1").modules[0].profile) for name, rate in (("a", 198), ("b", 77))]
    session = Session("two", "1.3", [Hardware("one", 1)], modules, [("a", "b")])
    value = session_truth(session, PlanSpace()).upper
    assert value is not None
    found = find_better(session, PlanSpace(), value, perf_counter() - 1)
    assert (found.plan, found.exhausted, found.reason) == (None, False, "the time limit was reached")


@pytest.mark.fifth("dummy")
@pytest.mark.parametrize("dummy", [DummyRule.NONE, DummyRule.MACHINE])
def test_a_chain_of_twelve_modules_is_proven(dummy: DummyRule) -> None:
    """Twelve times M_3 at rates of their own; half the modules' worth of time forces a mix of batches."""
    names = [f"m{i}" for i in range(12)]
    modules = [Module(name, 50 + 13 * i, _m3("1").modules[0].profile) for i, name in enumerate(names)]
    session = Session("chain", 6, [Hardware("one", 1)], modules, list(pairwise(names)))
    space = PlanSpace(dummy=dummy)
    cutoff = Fraction(10**6)
    # Better and better plans until none is left.
    while (plan := _better(session, space, cutoff).plan) is not None:
        value = evaluate(session, plan, space).cost_per_h
        assert value is not None
        assert value < cutoff
        cutoff = value * (1 - Fraction(1, 10**6))
    assert cutoff > 12


def test_rates_and_prices_far_apart_are_proven() -> None:
    profile = [Configuration("expensive", 1, 1, "1e-6"), Configuration("cheap", 1, 1, "1000")]
    module = Module("m", "1000000", profile)
    session = Session("far", 2000, [Hardware("expensive", "1e12"), Hardware("cheap", "1e-12")], [module])
    alone = Session("one", 2000, session.hardware, [Module("m", "1000000", profile[:1])])
    assert session_truth(alone, PlanSpace()).upper == 10**12
    found = _better(session, PlanSpace(), Fraction(1, 100))
    assert found.plan is not None
    assert _better(session, PlanSpace(), Fraction(1, 1000)).exhausted


BARELY_LESS = [(n, digits) for n in (1, 2, 3) for digits in (16, 17, 18)]
"""Full machines, and digits of the rate that is cut just below theirs."""


def _barely_less(n: int, digits: int, policy: Policy, rule: DummyRule) -> tuple[Session, PlanSpace, Fraction]:
    """A rate of barely less than n machines of batch 8 in 0.33 s, which serve 8n/0.33: that, cut to some digits.

    The SLO is the latency of the plan with n - 1 whole machines and a partial one, rounded up at the 20th digit.
    """
    throughput = Fraction(8) / Fraction("0.33")
    rate = cut(n * throughput, digits)
    dear, cheap = (Configuration(name, 8, 1, "0.33") for name in ("dear", "cheap"))
    module = Module("m", rate, [dear, cheap])
    partial = Fraction(rate) - (n - 1) * throughput
    plan = Plan((ModulePlan((Allocation(cheap, n - 1, partial),)),))
    space = PlanSpace(policy, rule)
    hardware = [Hardware("dear", 2), Hardware("cheap", 1)]
    found = evaluate(Session("late", 10, hardware, [module]), plan, space)
    assert found.latency_s is not None
    assert found.cost_per_h is not None
    return Session("tie", cut(found.latency_s, 20) + Fraction(1, 10**19), hardware, [module]), space, found.cost_per_h


def cut(value: Fraction, digits: int) -> Fraction:
    """A number from 0.1 up to 100 cut to so many digits."""
    unit = Fraction(10) ** ((0 if value < 1 else 1 if value < 10 else 2) - digits)
    return value // unit * unit


@pytest.mark.fifth("policy")
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("n", "digits"), BARELY_LESS)
def test_a_partial_machine_that_is_barely_not_full_is_a_plan(policy: Policy, n: int, digits: int) -> None:
    """Rates of 60 bits that differ by less than a float can tell are not the same."""
    session, space, _ = _barely_less(n, digits, policy, DummyRule.NONE)
    assert _better(session, space, None).plan is not None


@pytest.mark.fifth("policy")
@pytest.mark.parametrize("rule", DummyRule)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("n", "digits"), BARELY_LESS)
def test_a_partial_machine_that_is_barely_not_full_is_the_cheapest(
    policy: Policy, rule: DummyRule, n: int, digits: int
) -> None:
    """It costs barely less than n machines, where the other hardware is twice as expensive."""
    session, space, cost = _barely_less(n, digits, policy, rule)
    assert _better(session, space, cost).exhausted
    assert _better(session, space, cost * (1 + Fraction(1, 10**20))).plan is not None
    assert _better(session, space, 2 * cost).plan is not None
