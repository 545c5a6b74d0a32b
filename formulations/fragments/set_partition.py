"""Solver `set-partition`: every fragment in one candidate set, at the least GPU share (docs/model/fragments.md).

HiGHS proposes a partition, a branch and bound in whole numbers proves it (`formulations/fragments/closing.py`).
"""

from __future__ import annotations

import numpy as np

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.fragments import Fleet, FragmentPlan, FragmentSpace
from formulations.engines.highs_arrays import Program, solve_mip
from formulations.fragments.closing import close
from formulations.fragments.problem import Partitioning, partitioning


def solve_set_partition(fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan]) -> Answer[FragmentPlan]:
    """The best plan of a fleet, or a plan and a bound where time or nodes do not suffice.

    Args:
        fleet: the instance.
        space: plan space.
        limits: time limit.

    Raises:
        InapplicableError: there are too many sets.
    """
    problem = partitioning(fleet, space, limits)
    if isinstance(problem, Answer):
        return problem
    found = close(problem.holds, problem.share_pct, _proposed(problem), problem.deadline)
    stats = {**problem.stats, "nodes": float(found.nodes)}
    if found.chosen is None or found.share_pct is None:
        reason = "the time limit was reached"
        return Answer(None, "time limit", bound=float(found.bound_pct), reason=reason, stats=stats)
    raw = "optimal" if found.proven else "gap"
    return Answer(problem.plan(found.chosen), raw, float(found.share_pct), float(found.bound_pct), stats=stats)


def _proposed(problem: Partitioning) -> list[int] | None:
    """The best partition by HiGHS's word, taken as what it is once its sets are added up; None: it is none."""
    program = Program()
    program.variables(len(problem.priced), 0.0, 1.0, whole=True)
    program.cost = [float(share) for share in problem.share_pct]
    for own in problem.holds.T:
        columns = np.flatnonzero(own)
        program.row(columns.tolist(), [1.0] * len(columns), 1.0, 1.0)
    values = solve_mip(program, problem.left_s, gap=0.0).values
    if values is None:
        return None
    chosen = np.flatnonzero(values > 0.5)
    return chosen.tolist() if (problem.holds[chosen].sum(axis=0) == 1).all() else None
