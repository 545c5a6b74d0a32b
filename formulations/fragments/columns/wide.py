"""A plan and a bound for thousands of fragments (ours).

The plan is that of `regroup`. Its linear program also begins the one here, whose duals are only a proposal: they are
rounded down to whole units, and pricing in whole numbers proves what bound they give (`wide_bound.py`, `gains.py`).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

import numpy as np

from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.fragments import Budgets, Fleet, Fragment, FragmentPlan, FragmentSpace, Network
from euclio.problems.fragments.stages import Stages
from formulations.fragments.columns.coarse import coarser
from formulations.fragments.columns.types import types_of
from formulations.fragments.columns.wide_bound import WideBound, wide_bound
from formulations.fragments.fluid import fluid_bound_pct
from heuristics.fragments.regrouping import REACH, fine_prices, solve_regroup
from heuristics.fragments.regrouping_prices import classes_of
from heuristics.fragments.regrouping_tables import Queues, queues_of

MOST_LIMITS = 400
"""Time budgets of a queue beyond which they are rounded."""
EXACT_TICKS = 2**53
"""Times up to here are exact as floats, as queues hold them; a bound by rounded ones would prove nothing."""


def solve_wide(
    fleet: Fleet, stages: Stages, space: FragmentSpace, limits: Limits[FragmentPlan]
) -> Answer[FragmentPlan]:
    """A plan and a bound of a fleet in which each fragment can be served by itself.

    Under time budgets of their own the bound is that of the least share per request.

    Args:
        fleet: the instance.
        stages: stages of its network.
        space: plan space; fragments may be realigned.
        limits: time limit.
    """
    deadline = limits.deadline()
    answer = solve_regroup(fleet, space, limits)
    assert answer.plan is not None
    assert answer.claimed is not None
    bound, stats = float(fluid_bound_pct(fleet)), dict[str, float]()
    if space.budgets is Budgets.LEAST:
        # Stages that serve less take no larger a share; one rate is the least of all.
        *_, lowered = chain([fleet], coarser(fleet) if len({own.rate_rps for own in fleet.fragments}) > 1 else ())
        found = _of_one_rate(lowered, stages, space, answer.plan, deadline)
        if found is not None:
            bound = max(bound, float(found.bound_pct))
            stats = {"columns": float(len(found.sets)), "rounds": float(found.rounds)}
    bound = min(bound, answer.claimed)
    stats["root_bound"] = bound
    return Answer.proven(answer.plan, answer.claimed, bound, "", stats, otherwise="gap", tolerance=0.0)


def _of_one_rate(
    fleet: Fleet, stages: Stages, space: FragmentSpace, plan: FragmentPlan, deadline: float
) -> WideBound | None:
    """The bound on all plans of fragments of one rate, from the sets of a plan on; None: numbers are too large."""
    try:
        types = types_of(fleet, stages)
        if int(types.limit.max()) > EXACT_TICKS:
            return None
        queues = _fewer_limits(queues_of(fleet, stages, range(len(fleet.fragments)), REACH))
        _, sets = fine_prices(stages, queues, space, [plan])
        return wide_bound(types, queues, stages, space, sets, deadline)
    except InapplicableError:
        return None


def _fewer_limits(queues: Queues) -> Queues:
    """The fragments with limits rounded up to a few hundred per queue.

    With more time no plan becomes infeasible and no stage takes a larger share, so that a bound on these is one on
    those given.
    """
    classes = classes_of(queues, MOST_LIMITS)
    ends = np.append(np.flatnonzero(np.diff(classes)), len(classes) - 1)
    return replace(queues, limits=queues.limits[ends[classes]])


def compile_wide() -> None:
    """Compile what fleets of few fragments do without."""
    network = Network("compiled", [1], [100], [[["0.01"]], [["0.01"]]])
    fleet = Fleet("compiled", network, [Fragment("a", 0, "0.1", 10), Fragment("b", 1, "0.1", 10)])
    stages = Stages(network)
    solve_wide(fleet, stages, FragmentSpace(), Limits())
