"""Every policy x dummy rule x registered solver of sessions against plan brute force, on small sessions full of ties.

30 seeds; the environment variable EUCLIO_ORACLE sets another number. A solver that does not cover a policy or a rule
has to say so: a price under another policy would show as a cost below the optimum, or as a plan that the checker
refuses.
"""

from __future__ import annotations

import os
from functools import cache
from itertools import product

import pytest

from euclio.core.registry import AnySolver, solvers_of
from euclio.core.result import Result, Status
from euclio.core.solving import solve
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.problems.session import DummyRule, PlanSpace
from euclio.problems.session.policies import POLICIES
from tests.drawn.small_sessions import small_session

SEEDS = range(int(os.environ.get("EUCLIO_ORACLE", "30")))
SPACES = [PlanSpace(policy, rule) for policy, rule in product(POLICIES, DummyRule)]
TRUTH = "plan-bruteforce"
SLOW_EVERY = 6
"""Solvers on models of engines, and brute force, get every sixth seed, with another plan space each time."""
LIMIT_S = 2.0
RELATIVE = 1e-9


@cache
def optimum(seed: int, space: PlanSpace) -> Result:
    return solve(small_session(seed), TRUTH, space=space)


def asked(solver: AnySolver, seed: int, space: PlanSpace) -> bool:
    return not (solver.library or solver.kind == "brute force") or (seed + SPACES.index(space)) % SLOW_EVERY == 0


@pytest.mark.parametrize("space", SPACES, ids=lambda space: f"{space.policy} {space.dummy}")
@pytest.mark.parametrize("seed", SEEDS)
def test_no_solver_prices_under_another_policy_or_rule(seed: int, space: PlanSpace) -> None:
    """Each solver answers for the pair that it is asked, or says that it is not for it."""
    session = small_session(seed)
    for solver in solvers_of("session"):
        if solver.name == TRUTH or not asked(solver, seed, space):
            continue
        found = solve(session, solver.name, space=space, time_limit_s=LIMIT_S)
        assert found.status is not Status.ERROR, (solver.name, found.reason)
        if found.status is Status.INAPPLICABLE:
            assert found.reason
        elif space.dummy.countable:
            check(solver, found, optimum(seed, space))
        elif found.status is Status.INFEASIBLE:
            assert optimum(seed, PlanSpace(space.policy)).status is Status.INFEASIBLE  # its plans are fewer
        elif found.bound is not None and found.value is not None:
            assert found.bound <= float(found.value) * (1 + OPTIMALITY_TOLERANCE)


def check(solver: AnySolver, found: Result, truth: Result) -> None:
    """No plan below the optimum, no bound above it; a proof is the optimum."""
    if truth.status is Status.INFEASIBLE:
        assert found.value is None, solver.name
        return
    assert found.status is not Status.INFEASIBLE, solver.name
    assert truth.value is not None
    least = float(truth.value)
    assert found.value is None or float(found.value) >= least * (1 - RELATIVE), solver.name
    assert found.bound is None or found.bound <= least * (1 + OPTIMALITY_TOLERANCE), solver.name
    if found.status is Status.OPTIMAL:
        assert float(found.value or 0) == pytest.approx(least, rel=OPTIMALITY_TOLERANCE), solver.name


def test_every_policy_and_rule_is_covered_by_some_proof() -> None:
    """`exact` has a bound under every pair; an empty column of the matrix would pass everything above."""
    for space in SPACES:
        assert any(solve(small_session(seed), "exact", space=space).bound is not None for seed in range(10))
