"""Plan brute force: the optima of plan spaces worked out in the papers' examples, and a second, naive enumeration."""

from fractions import Fraction
from itertools import pairwise, product

import pytest
from worked_examples import FIVE, M_1, M_2, M_3, PICCOLO_M_1, module, one_module, scrooge, scrooge_best_plan

from bruteforce.session.plan_enumeration import module_frontier
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import (
    Allocation,
    Configuration,
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
from euclio.workloads.session.random_sessions import random_session


def optimum(session: Session, policy: str, dummy: str, most: int | None = None, **changes: object) -> Fraction | None:
    return solve(session, "plan-bruteforce", policy=policy, dummy=dummy, max_allocations=most, **changes).value


@pytest.mark.parametrize(
    ("policy", "dummy", "most", "cost"),
    [
        ("tc", "none", None, "5.3"),
        ("tc", "none", 2, "5.4375"),
        ("tc", "none", 1, "9.9"),
        ("tc", "machine", None, "5.0"),
        ("tc", "machine", 1, "5.0"),
        ("tc-shared", "none", None, "4.95"),
        ("tc-shared", "none", 1, "4.95"),
        ("rr", "none", 2, "6.3"),
    ],
)
def test_m3_optima(policy, dummy, most, cost):
    """Harpagon's M_3 at 198 req/s within 1.0 s, t = 20, 32, 40.

    tc: 4 + 1 + 6/20 = 5.3; two allocations 3 + 78/32 = 5.4375; one 198/20 = 9.9; filled to 200 req/s: 5.
    tc-shared 198/40 = 4.95. Round robin, batch 32 takes 1.6 s: 6 + 6/20 = 6.3.
    """
    assert optimum(one_module(M_3, 198, 1), policy, dummy, most) == Fraction(cost)


@pytest.mark.parametrize(
    ("policy", "dummy", "most", "cost"),
    [("rr", "none", 2, "3.3125"), ("tc", "none", None, "3.1"), ("tc", "machine", None, "3.0")],
)
def test_piccolo_m1_optima(policy, dummy, most, cost):
    """Piccolo's M_1 at 285 req/s within 2.0 s: 100 + 185/80 = 3.3125; 2 + 1 + 5/50 = 3.1; 300 req/s: 3."""
    assert optimum(one_module(PICCOLO_M_1, 285, 2), policy, dummy, most) == Fraction(cost)


@pytest.mark.parametrize(("policy", "cost"), [("rr", 5), ("tc", 4)])
def test_m1_optima(policy, cost):
    """Harpagon's M_1 at 100 req/s within 0.4 s: batch 4 at 20 req/s, or batch 8 at 25 req/s."""
    assert optimum(one_module(M_1, 100, "0.4"), policy, "none") == cost


def test_scrooge_optimum_is_the_papers_plan():
    assert solve(scrooge(), "plan-bruteforce", policy="machine-rate", dummy="none").plan == scrooge_best_plan()


def test_scrooge_optimum_cost():
    """2 + 19.85/80·3 + 1.6·3 = 7.5444."""
    assert float(optimum(scrooge(), "machine-rate", "none")) == pytest.approx(7.5444, abs=5e-5)


@pytest.mark.parametrize(("dummy", "cost"), [("none", "1.2"), ("machine", "1.0")])
def test_m2_optima_under_tc_shared(dummy, cost):
    """30 req/s, budget 0.51: batch 4 at 30/25; with δ = 2 one machine of batch 8."""
    assert optimum(one_module(M_2, 30, "0.51"), "tc-shared", dummy) == Fraction(cost)


@pytest.mark.parametrize(("dummy", "most", "cost"), [("none", None, "4.715"), ("machine", None, "4.0")])
def test_five_configurations_under_tc_shared(dummy, most, cost):
    """115 req/s, budget 0.52: batch 4 alone 115/24.39; with dummies 2⊗16 + 2⊗4."""
    assert optimum(one_module(FIVE, 115, "0.52"), "tc-shared", dummy, most) == Fraction(cost)


# Bounds, statuses and refusals.


def test_result_is_proven_optimal():
    assert solve(one_module(M_3, 198, 1), "plan-bruteforce").status is Status.OPTIMAL


def test_infeasible_module_is_named():
    """The least latency of M_3 is 0.1 + 2/198 s."""
    result = solve(one_module(M_3, 198, "0.1"), "plan-bruteforce")
    assert (result.status, result.reason) == (Status.INFEASIBLE, "module M has no plan within 0.1 s")


def test_infeasible_path_is_named():
    """Each of two modules needs 0.1 + 2/200 = 0.11 s, filled up to 200 req/s; together 0.22 s."""
    modules = [module("P", 198, M_3), module("Q", 198, M_3)]
    result = solve(Session("chain", "0.2", [Hardware("gpu", 1)], modules, [("P", "Q")]), "plan-bruteforce")
    assert result.reason == "path P -> Q takes at least 0.22 s of 0.2 s"


def test_continuous_rule_is_inapplicable():
    result = solve(one_module(M_3, 198, 1), "plan-bruteforce", dummy="continuous")
    assert result.status is Status.INAPPLICABLE


def test_too_many_count_vectors_are_refused_before_enumerating():
    profile = [(b, Fraction(b, 10 + k)) for k, b in enumerate(range(1, 13))]
    result = solve(one_module(profile, 5000, 100), "plan-bruteforce")
    assert (result.status, "vectors of machine counts" in result.reason) == (Status.INAPPLICABLE, True)


def test_single_hardware_keeps_the_cheaper_type():
    """Scrooge's session on X alone or Y alone costs more than mixed, and is what the two types give one by one."""
    alone = [optimum(scrooge(), "machine-rate", "none", hardware=(name,)) for name in ("X", "Y")]
    found = optimum(scrooge(), "machine-rate", "none", single_hardware=True)
    assert found == min(cost for cost in alone if cost is not None)


def test_time_limit_ends_without_a_bound():
    result = solve(one_module(M_3, 198, 1), "plan-bruteforce", time_limit_s=1e-9)
    assert (result.status, result.bound) == (Status.UNKNOWN, None)


# A second enumeration without any bookkeeping: every count vector of a box, priced by the checker.

TIED = [
    Configuration("X", 1, 1, "0.1"),
    Configuration("X", 2, 1, "0.2"),
    Configuration("X", 2, 2, "0.25"),
    Configuration("Y", 4, 1, "0.2"),
]
"""Ratios 10, 10, 16 at price 1 and 20/1.25 = 16 at price 1.25: two exact ties."""


def naive_optimum(session: Session, space: PlanSpace) -> Fraction | None:
    """Every vector of counts up to one machine more than needed, every single partial machine, derived dummies."""
    (only,) = session.modules
    ranked = sorted(only.profile, key=lambda c: rank_key(c, session.price))
    costs = []
    for counts in product(*(range(int(only.rate_rps / c.throughput_rps) + 2) for c in ranked)):
        rows = [Allocation(c, n) for c, n in zip(ranked, counts, strict=True) if n]
        whole = sum((a.machines * a.configuration.throughput_rps for a in rows), Fraction(0))
        partial, dummy = max(Fraction(0), only.rate_rps - whole), max(Fraction(0), whole - only.rate_rps)
        candidates = [rows]
        if partial:
            candidates = [
                [*(a for a in rows if a.configuration != c), Allocation(c, counts[k], partial)]
                for k, c in enumerate(ranked)
            ]
        for allocations in candidates:
            evaluation = evaluate(session, Plan((ModulePlan(tuple(allocations), dummy),)), space)
            if evaluation.feasible:
                costs.append(evaluation.cost_per_h)
    return min(costs, default=None)


@pytest.mark.fifth("policy")
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("dummy", ["none", "machine"])
@pytest.mark.parametrize("most", [1, 2, None])
def test_naive_enumeration_agrees(policy, dummy, most):
    """Rates that fill machines exactly and rates that do not, SLOs from infeasible to loose."""
    space = PlanSpace(policy, dummy, most)
    differences = []
    for rate, slo in product(("4", "16", "26", "31.5"), ("0.2", "0.3", "0.4", "0.45", "0.6", "2")):
        session = Session("tied", slo, [Hardware("X", 1), Hardware("Y", "1.25")], [Module("M", rate, TIED)])
        found = optimum(session, policy, dummy, most)
        if found != naive_optimum(session, space):
            differences.append((rate, slo, found, naive_optimum(session, space)))
    assert not differences


@pytest.mark.parametrize("policy", POLICIES)
def test_frontier_descends_strictly_in_latency_and_ascends_in_cost(policy):
    session = Session("tied", 2, [Hardware("X", 1), Hardware("Y", "1.25")], [Module("M", "31.5", TIED)])
    frontier = module_frontier(session.modules[0], session.price, PlanSpace(policy), session.slo_s)
    pairs = list(pairwise(frontier))
    assert pairs
    assert all(a.cost_per_h < b.cost_per_h and a.latency_s > b.latency_s for a, b in pairs)


def test_hundreds_of_configurations_are_refused_not_overflowed():
    session = random_session(0, 1, 400, hardware=24, concurrency=8, rates_rps=(200, 200), slo_over_least=(3, 3))
    assert solve(session, "plan-bruteforce").status is Status.INAPPLICABLE
