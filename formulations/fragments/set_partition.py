"""Solver `set-partition`: every fragment in one candidate set, at the least GPU share (docs/model/fragments.md).

A set partitioning program on HiGHS. GPU shares are whole percents, so that a bound is rounded up to the next one.
"""

from __future__ import annotations

import math
import time

import numpy as np

from euclio.core.registry import Limits
from euclio.core.result import Answer, Status
from euclio.fragments import Fleet, FragmentPlan, FragmentSpace
from formulations.engines.highs_arrays import Program, solve_mip
from formulations.fragments.candidates import TimeUpError, candidate_sets

ROUNDING_PCT = 1e-3
"""What is taken off a bound of HiGHS before it is rounded up: far above its tolerances, far below a percent."""


def solve_set_partition(fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan]) -> Answer[FragmentPlan]:
    """The best plan of a fleet.

    Args:
        fleet: the instance.
        space: plan space.
        limits: time limit.

    Raises:
        InapplicableError: there are too many sets.
    """
    deadline = math.inf if limits.time_limit_s is None else time.perf_counter() + limits.time_limit_s
    try:
        sets = candidate_sets(fleet, space, deadline)
    except TimeUpError:
        return Answer(None, "time limit", reason="the time limit was reached before every set was priced")
    stats = {"sets": float(len(sets))}
    if not all((k,) in sets for k in range(len(fleet.fragments))):
        # Whoever is not served in time alone is not served in time with others either.
        return Answer(None, "infeasible", infeasible=True, reason="a fragment cannot be served in time", stats=stats)
    places, priced = list(sets), list(sets.values())
    program = Program()
    columns = program.variables(len(priced), 0.0, 1.0, whole=True)
    program.cost = [float(own.total_pct) for own in priced]
    holders: list[list[int]] = [[] for _ in fleet.fragments]
    for column, own in zip(columns.tolist(), places, strict=True):
        for k in own:
            holders[k].append(column)
    for own_columns in holders:
        program.row(own_columns, [1.0] * len(own_columns), 1.0, 1.0)
    found = solve_mip(program, deadline - time.perf_counter(), gap=0.0)
    bound = None if found.bound is None else float(math.ceil(found.bound - ROUNDING_PCT))
    if found.values is None or found.status not in (Status.OPTIMAL, Status.FEASIBLE):
        return Answer(None, found.raw_status, bound=bound, reason="the time limit was reached", stats=stats)
    chosen = [priced[k] for k in np.flatnonzero(found.values > 0.5)]
    plan = FragmentPlan(tuple(own.plan for own in chosen))
    return Answer(plan, found.raw_status, float(sum(own.total_pct for own in chosen)), bound, stats=stats)
