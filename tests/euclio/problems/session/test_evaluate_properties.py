"""The checker: properties of the price on drawn sessions."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from euclio.problems.session import (
    Allocation,
    Configuration,
    Evaluation,
    Hardware,
    Module,
    ModulePlan,
    Plan,
    PlanSpace,
    Session,
    evaluate,
)
from euclio.problems.session.evaluate import rank_key
from euclio.problems.session.policies import POLICIES

TC_MACHINE = PlanSpace("tc", "machine")
SHARED_MACHINE = PlanSpace("tc-shared", "machine")
ANY_NUMBER = [policy for policy in POLICIES if policy.most_allocations is None]
"""Policies of plans with any number of allocations, as they are drawn here."""


def priced(session: Session, answer: Plan, space: PlanSpace) -> Evaluation:
    evaluation = evaluate(session, answer, space)
    assert evaluation.feasible, evaluation.violations
    return evaluation


@st.composite
def planned_sessions(draw: st.DrawFn) -> tuple[Session, Plan]:
    """Chains of one to three modules whose rates are made to fit drawn machine counts."""
    price = {"X": Fraction(2), "Y": Fraction(3)}
    modules, plans = [], []
    for name in draw(st.sampled_from(["A", "AB", "ABC"])):
        keys = st.tuples(st.sampled_from("XY"), st.integers(1, 8), st.integers(1, 2))
        profile = [
            Configuration(*key, Fraction(draw(st.integers(10, 900)), 1000))
            for key in draw(st.lists(keys, min_size=1, max_size=4, unique=True))
        ]
        used = sorted(profile, key=lambda c: rank_key(c, price))
        counts = [draw(st.integers(1, 3)) for _ in used]
        whole = sum((n * c.throughput_rps for c, n in zip(used, counts, strict=True)), Fraction(0))
        change = used[-1].throughput_rps * Fraction(draw(st.integers(-9, 9)), 10)
        rows = [Allocation(c, n) for c, n in zip(used, counts, strict=True)]
        rows[-1] = replace(rows[-1], partial_rps=max(Fraction(0), change))
        modules.append(Module(name, whole + change, profile))
        plans.append(ModulePlan(tuple(rows), max(Fraction(0), -change)))
    edges = [(a.name, b.name) for a, b in pairwise(modules)]
    hardware = [Hardware(name, p) for name, p in price.items()]
    return Session("drawn", 10**6, hardware, modules, edges), Plan(tuple(plans))


@given(planned_sessions(), st.fractions("0.01", 100, max_denominator=1000), st.sampled_from(["tc", "tc-shared"]))
def test_scaling_prices_scales_cost(drawn, factor, policy):
    """Cost is linear in prices; a price that entered latency or feasibility would show."""
    session, answer = drawn
    hardware = [Hardware(h.name, h.price_per_h * factor) for h in session.hardware]
    more_expensive = Session(session.name, session.slo_s, hardware, session.modules, session.edges)
    before, after = (priced(s, answer, PlanSpace(policy, "machine")) for s in (session, more_expensive))
    assert after.cost_per_h == before.cost_per_h * factor


@given(planned_sessions(), st.sampled_from(ANY_NUMBER))
def test_permuting_modules_changes_nothing(drawn, policy):
    """The order of modules in a file is no part of the session."""
    session, answer = drawn
    turned = Session(session.name, session.slo_s, session.hardware, session.modules[::-1], session.edges)
    before = priced(session, answer, PlanSpace(policy, "machine"))
    after = priced(turned, Plan(answer.modules[::-1]), PlanSpace(policy, "machine"))
    assert (before.cost_per_h, before.latency_s) == (after.cost_per_h, after.latency_s)


@given(planned_sessions())
def test_literal_theorem_1_is_never_slower(drawn):
    """Under tc-shared every machine's w is at least its w under tc."""
    session, answer = drawn
    tc, shared = (priced(session, answer, space).latency_s for space in (TC_MACHINE, SHARED_MACHINE))
    assert shared <= tc
