"""The ladder of plans that one can buy: plan brute force = exact = milp = cpsat with whole machines and with a stock.

20 seeded sessions, each in a few plan spaces; the environment variable EUCLIO_ORACLE sets another number, and 1000 of
them are what stands for a proof that the methods agree.
"""

from __future__ import annotations

import os
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from euclio.core.registry import solvers
from euclio.core.result import Result, Status
from euclio.core.solving import solve
from euclio.problems.session import Charging, Hardware, ModulePlan, Plan, PlanSpace, Policy, Session, evaluate
from euclio.problems.session.evaluate import machines_by_hardware
from euclio.problems.session.policies import POLICIES
from tests.drawn.small_sessions import bought_session, small_session, stocked

SEEDS = range(int(os.environ.get("EUCLIO_ORACLE", "20")))
SPACES = [
    PlanSpace(policy, rule, most, charging=charging)
    for charging, rule, most, policy in product(
        (Charging.WHOLE, Charging.SHARE), ("machine", "none", "continuous"), (None, 1, 2), POLICIES
    )
    if charging.whole or rule != "continuous"
]
EACH = 3
"""Plan spaces of a session; all have their turn."""
METHODS = [name for name in ("exact", "milp", "cpsat") if name in solvers()]
LIMIT_S = 20.0
BRACKET_LIMIT_S = 5.0
RELATIVE = Fraction(1, 10**9)
"""Methods may leave plans that are cheaper by less."""


def cases(seed: int) -> list[tuple[Session, PlanSpace]]:
    """Sessions and plan spaces of a seed, every other session with a stock, and by share with one only."""
    session = bought_session(seed) if seed % 2 else small_session(seed)
    spaces = [SPACES[(seed * EACH + i) % len(SPACES)] for i in range(EACH)]
    return [
        (stocked(session, seed) if (seed + i) % 2 or not space.charging.whole else session, space)
        for i, space in enumerate(spaces)
    ]


@cache
def truths(seed: int) -> list[Result]:
    return [solve(session, "plan-bruteforce", space=space) for session, space in cases(seed)]


def covered(name: str, session: Session, space: PlanSpace) -> bool:
    return not solvers()[name].uncovered(session, space)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("seed", SEEDS)
def test_methods_agree_with_plain_enumeration(seed, name):
    """Same status, and within rounding the same checked cost, wherever the method is for.

    The models are not where rule `continuous` is more than `machine`, which is under `rr` only.
    """
    for (session, space), best in zip(cases(seed), truths(seed), strict=True):
        if not covered(name, session, space):
            continue
        found = solve(session, name, space=space, time_limit_s=LIMIT_S)
        if found.status is Status.INAPPLICABLE:
            assert name != "exact", (space, found.reason)
            assert space.policy is Policy.RR, (space, found.reason)
            assert not space.dummy.countable, (space, found.reason)
            continue
        assert found.status is best.status, (space, found.reason)
        if best.value is not None:
            assert best.value <= found.value <= best.value * (1 + RELATIVE), space
            assert found.evaluation.feasible
            assert evaluate(session, found.plan, space).cost_per_h == found.value


def with_a_machine_less(session: Session, plan: Plan) -> list[Plan]:
    """Every plan with one machine less of some allocation, its partial and dummy rates derived anew."""
    plans = []
    for m, module in enumerate(plan.modules):
        for k, allocation in enumerate(module.allocations):
            fewer = replace(allocation, machines=allocation.machines - 1)
            rest = [a for a in (*module.allocations[:k], fewer, *module.allocations[k + 1 :]) if a.machines > 0]
            if allocation.machines == 0 or not rest:
                continue
            whole = sum((a.machines * a.configuration.throughput_rps for a in rest), Fraction(0))
            missing = session.modules[m].rate_rps - whole
            rest[-1] = replace(rest[-1], partial_rps=max(Fraction(0), missing))
            other = ModulePlan(tuple(rest), max(Fraction(0), -missing))
            plans.append(Plan((*plan.modules[:m], other, *plan.modules[m + 1 :])))
    return plans


@pytest.mark.parametrize("seed", SEEDS)
def test_a_machine_less_is_no_plan_or_no_cheaper_one(seed):
    """The enumeration itself: its optimum cannot be had with one machine fewer."""
    for (session, space), best in zip(cases(seed), truths(seed), strict=True):
        for plan in [] if best.plan is None else with_a_machine_less(session, best.plan):
            checked = evaluate(session, plan, space)
            assert not checked.feasible or checked.cost_per_h >= best.value


@pytest.mark.parametrize("seed", SEEDS)
def test_a_stock_of_one_machine_less_refuses_the_plan(seed):
    """The checker counts machines against the stock to the last one, by share as well as whole."""
    for (session, space), best in zip(cases(seed), truths(seed), strict=True):
        if best.plan is None:
            continue
        used = machines_by_hardware(best.plan, [m.partial_rps for m in best.evaluation.modules], space)
        for name, count in used.items():
            hardware = [
                Hardware(h.name, h.price_per_h, -(-count // 1) - 1) if h.name == name else h for h in session.hardware
            ]
            less = Session("less", session.slo_s, hardware, session.modules, session.edges)
            checked = evaluate(less, best.plan, space)
            assert not checked.feasible
            assert f"machines of {name}" in checked.violations[-1] or len(checked.violations) > 1


@pytest.mark.parametrize("seed", SEEDS)
def test_whole_machines_cost_between_shares_and_shares_rounded_up(seed):
    """optimum(share, continuous) ≤ optimum(whole, machine) ≤ optimum(share, machine) rounded up."""
    session = bought_session(seed, modules=2) if seed % 2 else small_session(seed)
    space = PlanSpace(POLICIES[seed % len(POLICIES)], "machine", (None, 1)[seed % 2])
    whole = replace(space, charging=Charging.WHOLE)
    best, shares = (solve(session, "plan-bruteforce", space=s) for s in (whole, space))
    if shares.plan is not None:
        rounded = evaluate(session, shares.plan, whole)
        assert rounded.feasible
        assert best.value <= rounded.cost_per_h
    if best.value is not None and "exact" in METHODS:
        below = solve(session, "exact", space=replace(space, dummy="continuous"), time_limit_s=BRACKET_LIMIT_S)
        assert below.bound is None or below.bound <= float(best.value) * (1 + float(RELATIVE))
