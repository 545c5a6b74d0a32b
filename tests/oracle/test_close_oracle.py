"""The ladder of plans close to the running one, with spare machines, or that may lose a type: brute force = models.

Seeded sessions, each in a few plan spaces; the environment variable EUCLIO_ORACLE sets how many. Plan brute force
itself is compared with every plan of a box of machine numbers, each checked and priced by the checker alone.
"""

from __future__ import annotations

import os
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from whole_enumeration import few_of_each, plans

from euclio.core.registry import solvers
from euclio.core.result import Result, Status
from euclio.core.solving import solve
from euclio.problems.session import Charging, Plan, PlanSpace, Session, evaluate
from euclio.problems.session.policies import POLICIES
from tests.drawn.close_sessions import close_session

SEEDS = range(int(os.environ.get("EUCLIO_ORACLE", "18")))
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
RELATIVE = Fraction(1, 10**9)
"""Methods may leave plans that are cheaper by less."""
DECIDED = (Status.OPTIMAL, Status.INFEASIBLE)


def spaces(seed: int) -> list[PlanSpace]:
    """The plan spaces of a seed, far from each other in the list, the first under `tc` with dummies and whole."""
    return [
        PlanSpace(charging=Charging.WHOLE),
        *(SPACES[(seed * EACH + i * len(SPACES) // EACH) % len(SPACES)] for i in range(1, EACH)),
    ]


@cache
def truths(seed: int) -> list[tuple[Session, PlanSpace, Result]]:
    """The session of a seed in its plan spaces, without those (one in a thousand) of too many plans to list in time."""
    session = close_session(seed)
    found = [
        (session, space, solve(session, "plan-bruteforce", space=space, time_limit_s=LIMIT_S)) for space in spaces(seed)
    ]
    return [case for case in found if case[2].status in DECIDED]


def covered(name: str, session: Session, space: PlanSpace) -> bool:
    return not solvers()[name].uncovered(session, space)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("seed", SEEDS)
def test_methods_agree_with_plain_enumeration(seed, name):
    """Same status, and within rounding the same checked cost, wherever the method is for.

    `cpsat` is seen to miss a plan whose cost is its bound for all of its time; its bound holds then, too.
    """
    for session, space, best in truths(seed):
        if not covered(name, session, space):
            continue
        found = solve(session, name, space=space, time_limit_s=LIMIT_S)
        if found.status is Status.INAPPLICABLE:
            continue
        if found.bound is not None and best.value is not None:
            assert found.bound <= float(best.value) * (1 + float(RELATIVE)), space
        if found.status is Status.FEASIBLE and name == "cpsat":
            continue
        assert found.status is best.status, (space, found.reason, best.reason)
        if best.value is not None:
            assert best.value <= found.value <= best.value * (1 + RELATIVE), space
            assert evaluate(session, found.plan, space).cost_per_h == found.value


@pytest.mark.parametrize("seed", SEEDS)
def test_brute_force_is_as_cheap_as_any_plan_of_a_box(seed):
    """No plan of the box that the checker accepts is cheaper, and the checker accepts the one that is found."""
    session = close_session(seed, modules=2 if seed % 3 == 0 else 1, configurations=2 if seed % 3 == 0 else 3)
    for space in spaces(seed):
        best = solve(session, "plan-bruteforce", space=space)
        assert best.status in DECIDED, best.reason
        checked = [
            evaluate(session, Plan(modules), space)
            for modules in product(*(list(plans(session, module, space, few_of_each)) for module in session.modules))
        ]
        costs = [found.cost_per_h for found in checked if found.feasible]
        if best.plan is None:
            assert not costs, space
            continue
        assert best.evaluation.feasible
        assert best.value == evaluate(session, best.plan, space).cost_per_h
        assert not costs or best.value <= min(costs), space
