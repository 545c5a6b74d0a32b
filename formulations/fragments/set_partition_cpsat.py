"""Solver `set-partition-cpsat`: every fragment in one candidate set, in CP-SAT, the twin of `set-partition`.

All numbers of the model are whole, so that nothing is scaled and its bound is that of the problem.
"""

from __future__ import annotations

import numpy as np

from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.fragments import Fleet, FragmentPlan, FragmentSpace
from formulations.engines.cpsat import COEFFICIENT_LIMIT, CP_SAT
from formulations.engines.interface import engine_limits
from formulations.fragments.problem import partitioning


def solve_set_partition_cpsat(fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan]) -> Answer[FragmentPlan]:
    """The best plan of a fleet.

    Args:
        fleet: the instance.
        space: plan space.
        limits: time limit, seed, threads and log file.

    Raises:
        InapplicableError: there are too many sets, or GPU shares that CP-SAT cannot add up.
    """
    problem = partitioning(fleet, space, limits)
    if isinstance(problem, Answer):
        return problem
    share = problem.share_pct
    if sum(share) >= COEFFICIENT_LIMIT:
        raise InapplicableError(f"the GPU shares of all sets add up to {sum(share)} %, past 2^31")
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    taken = [model.new_bool_var(f"set_{k}") for k in range(len(share))]
    for own in problem.holds.T:
        model.add_exactly_one(taken[k] for k in np.flatnonzero(own).tolist())
    model.minimize(cp_model.LinearExpr.weighted_sum(taken, share))
    found = CP_SAT.run(model, engine_limits(limits, problem.left_s))
    stats = {**problem.stats, "conflicts": float(found.nodes)}
    bound = None if found.bound is None else float(found.bound)
    if found.values is None:
        reason = "the time limit was reached"
        return Answer(None, found.raw_status, bound=bound, reason=reason, stats=stats)
    chosen = tuple(k for k, own in enumerate(taken) if found.values[own.index])
    claimed = float(sum(share[k] for k in chosen))
    return Answer(problem.plan(chosen), found.raw_status, claimed, bound, stats=stats, trace=found.trace_from(0.0))
