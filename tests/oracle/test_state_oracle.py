"""Machines that hold state: brute force = every plan of a box, and the methods that cover changes = brute force."""

from __future__ import annotations

import os
from fractions import Fraction
from itertools import product

import pytest
from whole_enumeration import few_of_each, plans

from euclio.core.registry import solvers
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.problems.session import Charging, Plan, PlanSpace, Policy, evaluate
from tests.drawn.close_sessions import state_session

SEEDS = range(int(os.environ.get("EUCLIO_ORACLE", "18")))
SPACES = [
    PlanSpace(charging=Charging.WHOLE),
    PlanSpace(Policy.MACHINE_RATE, "none", charging=Charging.WHOLE),
    PlanSpace(Policy.MACHINE_RATE, "none"),
    PlanSpace(charging=Charging.SHARE),
]
METHODS = [name for name in ("exact", "milp", "cpsat") if name in solvers()]
LIMIT_S = 20.0
RELATIVE = Fraction(1, 10**9)
"""Methods may leave plans that are cheaper by less."""
DECIDED = (Status.OPTIMAL, Status.INFEASIBLE)


@pytest.mark.parametrize("seed", SEEDS)
def test_methods_agree_with_plain_enumeration(seed):
    """It guards the price of a change by module in every method: same status and checked cost, bounds that hold."""
    session, space = state_session(seed), SPACES[seed % len(SPACES)]
    best = solve(session, "plan-bruteforce", space=space, time_limit_s=LIMIT_S)
    assert best.status in DECIDED, best.reason
    for name in METHODS:
        if solvers()[name].uncovered(session, space):
            continue
        found = solve(session, name, space=space, time_limit_s=LIMIT_S)
        if found.bound is not None and best.value is not None:
            assert found.bound <= float(best.value) * (1 + float(RELATIVE)), name
        if found.status is Status.FEASIBLE and name == "cpsat":
            continue
        assert found.status is best.status, (name, found.reason, best.reason)
        if best.value is not None:
            assert best.value <= found.value <= best.value * (1 + RELATIVE), name


@pytest.mark.parametrize("seed", SEEDS)
def test_brute_force_is_as_cheap_as_any_plan_of_a_box(seed):
    """It guards the enumeration: no plan of the box that the checker accepts is cheaper."""
    session = state_session(seed, modules=2, configurations=2)
    for space in (SPACES[0], SPACES[2]):
        best = solve(session, "plan-bruteforce", space=space)
        every = product(*(list(plans(session, module, space, few_of_each)) for module in session.modules))
        checked = [evaluate(session, Plan(modules), space) for modules in every]
        costs = [found.cost_per_h for found in checked if found.feasible]
        if best.plan is None:
            assert not costs
            continue
        assert best.value == evaluate(session, best.plan, space).cost_per_h
        assert not costs or best.value <= min(costs)
