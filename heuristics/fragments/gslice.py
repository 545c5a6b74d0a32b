"""GSLICE, GSLICE+, Static and Static+: spatial sharing of GPUs with batching, without realignment (Graft §5.1, §5.3).

Each gives every fragment, or all uniform ones together, the least share that serves them. We assume that GSLICE's
tuning while it serves has found this share (ours, in its favour).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.fragments import Fleet, FragmentPlan, FragmentSpace, Network, Points, Sharing
from euclio.problems.fragments.least_budget import unserved
from euclio.problems.fragments.realigned import Priced, least_set, part_of
from euclio.problems.fragments.stages import Stages
from heuristics.fragments.graft import uniform_groups
from heuristics.fragments.options import gslice_plus_space, gslice_space


def solve_gslice(fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan]) -> Answer[FragmentPlan]:
    """The best plan with each fragment alone, since fragments are then independent.

    Args:
        fleet: the instance.
        space: plan space.
        limits: limits of the run.
    """
    own = gslice_space(fleet, space)
    stages = Stages(fleet.network)
    found = [_together(fleet, stages, [k], own) for k in range(len(fleet.fragments))]
    return _answer(fleet.network, found, proven=True)


def solve_gslice_plus(fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan]) -> Answer[FragmentPlan]:
    """The plan with all uniform fragments together (Graft §5.3, "merge all uniform fragments").

    If the plan space limits the instances of a stage or the fragments that share them, uniform fragments are divided
    evenly, in their order, into the fewest sets that can be served (ours; the paper is silent).

    Args:
        fleet: the instance.
        space: plan space.
        limits: limits of the run.
    """
    own = gslice_plus_space(fleet, space)
    stages = Stages(fleet.network)
    found = [priced for group in uniform_groups(fleet) for priced in _as_few(fleet, stages, group, own)]
    return _answer(fleet.network, found, proven=False)


# Static and Static+ plan shares for the partition points of clients at their mean bandwidth (Graft §5.1).


def solve_static(
    fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan], *, together: bool
) -> Answer[FragmentPlan]:
    """The plan for the partition points of the mean bandwidth.

    Args:
        fleet: the clients' fragments at their mean bandwidth.
        space: plan space.
        limits: limits of the run.
        together: whether uniform fragments share instances (Static+, Graft §5.3); otherwise each has its own (Static).

    Raises:
        InapplicableError: the fleet's partition points are for another bandwidth, or an unknown one.
    """
    if fleet.points is not Points.MEAN:
        solver = "static+" if together else "static"
        found = "is not given" if fleet.points is None else f'is "{fleet.points}"'
        raise InapplicableError(
            f'{fleet.name}: points: {found}; {solver} plans partition points of the mean bandwidth only ("mean"): draw '
            "the fleet with `euclio generate fleets --bandwidth mean`"
        )
    return (solve_gslice_plus if together else solve_gslice)(fleet, space, limits)


def _as_few(fleet: Fleet, stages: Stages, group: Sequence[int], space: FragmentSpace) -> list[Priced | None]:
    """Uniform fragments in the fewest sets that can be served; single ones if no sets can."""
    most = len(group) if space.max_members is None else space.max_members
    least = len(group) if space.sharing is Sharing.ALONE else math.ceil(len(group) / most)
    for number in range(least, len(group) + 1):
        sets = [_together(fleet, stages, part, space) for part in evenly(group, number)]
        if all(found is not None for found in sets):
            return list(sets)
    return [None]


def evenly(group: Sequence[int], number: int) -> list[Sequence[int]]:
    """A group in a number of parts of consecutive members, with sizes that differ by at most one."""
    ends = [len(group) * k // number for k in range(number + 1)]
    return [group[first:end] for first, end in pairwise(ends)]


def _together(fleet: Fleet, stages: Stages, places: Sequence[int], space: FragmentSpace) -> Priced | None:
    """The cheapest instances that serve some uniform fragments together; None if there are none."""
    return least_set(stages, [part_of(fleet, places)], space, merge=False)


def _answer(network: Network, found: Sequence[Priced | None], *, proven: bool) -> Answer[FragmentPlan]:
    """The plan of these sets. If one is missing, a fragment cannot be served even alone, and there is no plan.

    Args:
        network: the DNN.
        found: the sets.
        proven: whether no plan of the plan space is cheaper.
    """
    sets = [priced for priced in found if priced is not None]
    if len(sets) < len(found):
        return Answer(None, "finished", infeasible=True, reason=unserved(network, " without realignment"))
    total = float(sum(priced.total_pct for priced in sets))
    plan = FragmentPlan(tuple(priced.plan for priced in sets))
    return Answer(plan, "finished", total, total if proven else None)
