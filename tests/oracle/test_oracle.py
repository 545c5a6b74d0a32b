"""The oracle ladder: plan brute force = exact = joint MILP = joint CP-SAT, and no heuristic below its space's optimum.

100 seeded instances; the environment variable EUCLIO_ORACLE sets another number.
"""

from __future__ import annotations

import os
from functools import cache
from itertools import product

import pytest

from euclio.core.registry import find_solver, solvers, solvers_of
from euclio.core.result import Result, Status
from euclio.core.solving import solve
from euclio.core.tolerances import OPTIMALITY_TOLERANCE
from euclio.problems.session import FULL_SPACE, PlanSpace
from euclio.problems.session.policies import POLICIES
from tests.drawn.small_sessions import small_session

SEEDS = range(int(os.environ.get("EUCLIO_ORACLE", "100")))
SPACES = [PlanSpace(p, rule, most) for p, rule, most in product(POLICIES, ("none", "machine"), (1, 2, None))]
RESTRICTED = [
    PlanSpace(single_hardware=True),
    PlanSpace(batching=False),
    PlanSpace("rr", "none", 2, single_hardware=True, concurrency=False),
    PlanSpace("machine-rate", hardware=("X",)),
    PlanSpace("rr-even", "none", 2, single_hardware=True, concurrency=False),
    PlanSpace("machine-rate-even", hardware=("X",)),
]
EXACT = [name for name in ("exact",) if name in solvers()]
MODELS = [name for name in ("milp", "cpsat") if name in solvers()]
HEURISTICS = [s for s in solvers_of("session") if s.kind == "heuristic"]
LISTED = [s for s in HEURISTICS if s.space.dummy.countable]
BRACKETED = [s for s in HEURISTICS if not s.space.dummy.countable]
"""Piccolo's rows: no enumeration has all plans of their spaces."""
BRACKET_LIMIT_S = 10.0
MODEL_LIMIT_S = 5.0
RELATIVE = 1e-9
"""Rounding that an exact method in floating point may lose; a different plan differs by far more."""


@cache
def optimum(seed: int, space: PlanSpace) -> Result:
    return solve(small_session(seed), "plan-bruteforce", space=space)


def disagreements(seed: int, name: str, spaces: list[PlanSpace]) -> list[str]:
    lines = []
    for space in spaces:
        best, answer = optimum(seed, space), solve(small_session(seed), name, space=space)
        same_cost = best.cost is None or answer.cost == pytest.approx(best.cost, rel=RELATIVE)
        if answer.status is not best.status or not same_cost:
            found = f"{best.status} {best.cost}, {name} {answer.status} {answer.cost} {answer.reason}"
            lines.append(f"{space}: brute force {found}")
    return lines


@pytest.mark.parametrize("seed", SEEDS)
def test_brute_force_is_never_refused(seed):
    """The reference decides every drawn session in each plan space; where it did not, nothing would be held."""
    statuses = {optimum(seed, space).status for space in SPACES}
    assert statuses <= {Status.OPTIMAL, Status.INFEASIBLE}


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("seed", SEEDS)
def test_exact_agrees_with_brute_force(seed, name):
    """Same status and, within rounding, the same checked cost in all these plan spaces."""
    assert not disagreements(seed, name, SPACES)


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("seed", SEEDS)
def test_exact_agrees_with_brute_force_in_restricted_spaces(seed, name):
    """Same status and cost as brute force in plan spaces with limits on hardware, batching and concurrency."""
    assert not disagreements(seed, name, RESTRICTED)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", SEEDS)
def test_joint_models_agree_with_brute_force(seed, name):
    """Equal wherever they prove, else bound ≤ optimum ≤ cost: in the full space and in one that changes by seed."""
    others = [space for space in (*SPACES, *RESTRICTED) if space != FULL_SPACE]
    for space in (FULL_SPACE, others[seed % len(others)]):
        answer = solve(small_session(seed), name, space=space, time_limit_s=MODEL_LIMIT_S)
        assert agrees(answer, optimum(seed, space)), f"{space}: {answer.status} {answer.cost} {answer.bound}"


def agrees(answer: Result, best: Result) -> bool:
    """Whether an answer is the optimum where it says so, and otherwise does not contradict it."""
    if best.cost is None:
        return answer.status in (Status.INFEASIBLE, Status.UNKNOWN)
    slack = OPTIMALITY_TOLERANCE * best.cost
    proven = answer.status is Status.OPTIMAL
    return (
        answer.status in (Status.OPTIMAL, Status.FEASIBLE, Status.UNKNOWN)
        and (answer.bound is None or answer.bound <= best.cost + slack)
        and (answer.cost is None or best.cost - slack <= answer.cost)
        and (not proven or answer.cost <= best.cost + slack)
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_scrooges_brute_force_agrees_with_ours(seed):
    """In Scrooge's plan space: dispatch at machine rate, no dummies."""
    assert not disagreements(seed, "scrooge-bruteforce", [find_solver("scrooge-bruteforce").space])


@pytest.mark.parametrize("solver", LISTED, ids=lambda s: s.name)
@pytest.mark.parametrize("seed", SEEDS)
def test_heuristic_is_never_below_the_optimum_of_its_space(seed, solver):
    """A heuristic below the optimum is priced in another plan space than its own."""
    answer = solve(small_session(seed), solver)
    if answer.value is None:
        assert answer.status in (Status.INFEASIBLE, Status.INAPPLICABLE, Status.UNKNOWN), answer.reason
    else:
        assert answer.value >= optimum(seed, solver.space).value


@cache
def bracket(seed: int, space: PlanSpace) -> Result:
    return solve(small_session(seed), "exact", space=space, time_limit_s=BRACKET_LIMIT_S)


@pytest.mark.parametrize("seed", SEEDS)
def test_heuristic_with_continuous_dummies_is_never_below_the_bound_of_its_space(seed):
    """`piccolo` on every seed, its alternatives in turn, each next to what `exact` proves for its own plan space."""
    for solver in (BRACKETED[0], BRACKETED[1 + seed % (len(BRACKETED) - 1)]):
        answer, proven = solve(small_session(seed), solver), bracket(seed, solver.space)
        if answer.value is None:
            assert answer.status in (Status.INFEASIBLE, Status.INAPPLICABLE, Status.UNKNOWN), answer.reason
        else:
            assert proven.bound is not None
            assert float(answer.value) >= proven.bound * (1 - RELATIVE), solver.name
