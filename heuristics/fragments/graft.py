"""Graft: merge uniform fragments, group similar ones, realign each group (Graft §4)."""

from __future__ import annotations

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.fragments import Fleet, FragmentPlan, FragmentSpace
from euclio.problems.fragments.least_budget import unserved
from euclio.problems.fragments.stages import Stages
from heuristics.fragments.grouping import groups_of
from heuristics.fragments.merging import merged
from heuristics.fragments.options import GraftOptions
from heuristics.fragments.realignment import realign


def solve_graft(
    fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan], *, options: GraftOptions
) -> Answer[FragmentPlan]:
    """Graft's plan of a fleet.

    Args:
        fleet: the instance.
        space: plan space.
        limits: limits of the run; the seed is that of the parts which begin groups.
        options: Graft's options.
    """
    stages = Stages(fleet.network)
    parts = merged(fleet, stages, space, options.merging, options.threshold)
    groups = groups_of(parts, options.group_size, options.weights, limits.seed, options.edges)
    found = [realign(stages, [parts[k] for k in group], space) for group in groups]
    sets = [own for own in found if own is not None]
    stats = {"parts": float(len(parts)), "groups": float(len(groups))}
    if len(sets) < len(found):
        # Every part holds one fragment at least, which is then late by itself.
        return Answer(None, "finished", infeasible=True, reason=unserved(fleet.network), stats=stats)
    plan = FragmentPlan(tuple(priced.plan for _, own in sets for priced in own))
    return Answer(plan, "finished", float(sum(total for total, _ in sets)), stats=stats)
