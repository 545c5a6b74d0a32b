"""Brute force over latency splits as solvers: the papers' references, on three grids, and by plain enumeration."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial

from bruteforce.session.split_search import BREAKPOINTS, CONFIGURATIONS, STEPS, Splits, enumerate_splits, split_optimum
from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.core.words import full
from euclio.problems.session import PlanSpace, Session, evaluate
from euclio.problems.session.arrays import SessionArrays, session_arrays
from euclio.problems.session.least_latency import why_no_plan
from formulations.session.exact.frontier_search import prove
from heuristics.session.dummy_generator import ANY_RATE, generator_of
from heuristics.session.schedule import plan_of

FLOOR_GAP = 1e-9

MOST_NODES, MILLION = 1 << 60, 1_000_000
"""Nodes of a search over splits: if only the clock ends it, and if its answer must not depend on the clock."""
MOST_BUDGETS = 10**6
"""Budgets of all modules together on a grid of equal steps; each has a place in memory."""

Search = Callable[[SessionArrays, int, int, float, float], Splits]


def _pruned(s: SessionArrays, dummies: int, grid: int, step: float, deadline: float, most: int = MOST_NODES) -> Splits:
    """The split optimum; the search ends early once it costs no more than the proven optimum over all plans.

    If dummies have any rate, that proof would take longer than the search, so it is omitted.
    """
    floor = 0.0 if dummies == ANY_RATE else prove(s, FLOOR_GAP, deadline).bound
    return split_optimum(s, dummies, grid, step, floor, deadline, most)


def _plain(s: SessionArrays, dummies: int, grid: int, step: float, deadline: float) -> Splits:
    """Every vector of budgets as it is."""
    return enumerate_splits(s, dummies, False, grid, step, deadline)


def _stretched(s: SessionArrays, dummies: int, grid: int, step: float, deadline: float) -> Splits:
    """Every vector of budgets, stretched to fill the SLO as Piccolo does: Piccolo's own split is one of them."""
    return enumerate_splits(s, dummies, True, grid, step, deadline)


SEARCHES: dict[str, tuple[Search, int, float]] = {
    "split-bruteforce": (_pruned, CONFIGURATIONS, 0.0),
    "split-bruteforce:million": (partial(_pruned, most=MILLION), CONFIGURATIONS, 0.0),
    "split-bruteforce:breakpoints": (_pruned, BREAKPOINTS, 0.0),
    "split-bruteforce:0.01": (_pruned, STEPS, 0.01),
    "split-enumeration": (_plain, CONFIGURATIONS, 0.0),
    "piccolo-bruteforce": (_stretched, CONFIGURATIONS, 0.0),
}
"""Search, grid and its step in seconds of every solver."""


def solve_by_splits(name: str, session: Session, space: PlanSpace, limits: Limits) -> Answer:
    """Run one of the solvers over latency splits.

    Args:
        name: name of the solver, one of `SEARCHES`.
        session: the instance.
        space: plan space.
        limits: time limit.

    Raises:
        InapplicableError: too many steps up to the SLO.
    """
    return _run(session, space, limits, *SEARCHES[name])


def _run(session: Session, space: PlanSpace, limits: Limits, search: Search, grid: int, step: float) -> Answer:
    """Search the splits; the answer has no bound, since plans outside the scheduler may be cheaper."""
    if step and session.slo_s * len(session.modules) > MOST_BUDGETS * Fraction(step):
        raise InapplicableError(
            f"an SLO of {full(session.slo_s)} s has more than {MOST_BUDGETS} budgets in steps of {step:g} s; use "
            "split-bruteforce"
        )
    deadline = limits.deadline()
    why = why_no_plan(session, space)
    if why:
        return Answer(None, "infeasible", infeasible=True, reason=why)
    arrays = session_arrays(session, space)
    reason = "no split of the grid is feasible"
    # If rounding decides a tie with the SLO wrongly, a split for a slightly smaller SLO is used.
    for slo in (arrays.slo, arrays.slo * (1.0 - 1e-9)):
        found = search(arrays._replace(slo=slo), generator_of(space.dummy), grid, step, deadline)
        stats = {"vectors": float(found.visited), "share": float(found.share)}
        complete = found.share >= 1.0
        if not math.isfinite(found.cost):
            return Answer(None, "exhausted" if complete else "limit", stats=stats, reason=reason if complete else "")
        plan = plan_of(session, arrays, found.plan, space.dummy)
        if evaluate(session, plan, space).feasible:
            return Answer(plan, "exhausted" if complete else "limit", float(found.cost), stats=stats)
    return Answer(None, "exhausted", stats=stats, reason=reason)
