"""The losses of Graft's steps: its plan again with one step after the other made optimal (ours).

The order is from the last step to the first, so that each plan has all choices of the one before:

1. *stages*: the parts and the re-partition point of each set stay. Times are split anew, and parts that begin at the
   same layer reach that point together if that is cheaper (Algorithm 1 gives each an own stage).
2. *re-partition point*: the parts of each set stay.
3. *division*: parts and groups stay, and each group is divided into sets optimally.
4. *grouping*: parts stay, and they are divided optimally into sets of at most a group's size.
5. *group size*: parts stay, and they are divided optimally into sets of any size.

The remaining distance from the optimum is lost by merging. The default solver finds steps 4 and 5, on a fleet with the
parts as fragments. If it proves no optimum, a step counts with the one before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from euclio.core.registry import Limits
from euclio.core.result import Status
from euclio.core.solving import solve
from euclio.core.words import joined
from euclio.problems.fragments import Fleet, Fragment, FragmentPlan, FragmentSpace, Head, RealignedSet, Sharing
from euclio.problems.fragments.realigned import Part, Priced, least_set
from euclio.problems.fragments.stages import Stages
from heuristics.fragments.graft import groups_of, merged, realign
from heuristics.fragments.options import GraftOptions

LIMIT_S = 10.0
"""Default limit of each of steps 4 and 5 in seconds."""


def graft_steps(
    fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan], *, options: GraftOptions
) -> Iterator[tuple[str, FragmentPlan]]:
    """Graft's plan, then plans with one more of its steps made optimal at a time.

    Args:
        fleet: the instance.
        space: plan space.
        limits: the seed is that of the parts that begin groups; the time limit is that of each search.
        options: Graft's options.

    Yields:
        The step that loses the difference from this plan to the next one, or to the optimum after the last, and the
        plan. Nothing if fragments are not realigned, or one cannot be served.
    """
    if space.sharing is not Sharing.REALIGNED:
        return
    stages = Stages(fleet.network)
    parts = merged(fleet, stages, space, options.merging, options.threshold)
    places = groups_of(parts, options.group_size, options.weights, limits.seed, options.edges)
    groups = [[parts[k] for k in group] for group in places]
    found = [realign(stages, group, space) for group in groups]
    if any(own is None for own in found):
        return
    dividing = _Dividing(stages, space, parts)
    sets = [priced for own in found if own is not None for priced in own[1]]
    plans: list[tuple[str, FragmentPlan | None]] = [("stages", _plan(sets))]
    sets = [dividing.best_set(own.plan.fragments, own.plan.repartition_point) for own in sets]
    plans.append(("re-partition point", _plan(sets)))
    plans.append(("division", _plan([dividing.best_set(own.plan.fragments) for own in sets])))
    plans.append(("grouping", _plan([own for group in groups for own in dividing.best_division(group)])))
    plans.append(("group size", _best(fleet, parts, space, options.group_size, limits.time_limit_s)))
    plans.append(("merging", _best(fleet, parts, space, None, limits.time_limit_s)))
    yield from _known(plans)


def _known(plans: Sequence[tuple[str, FragmentPlan | None]]) -> Iterator[tuple[str, FragmentPlan]]:
    """The known plans; the step before an unknown one has both differences together."""
    for k, (step, plan) in enumerate(plans):
        if plan is not None:
            after = next((i for i in range(k + 1, len(plans)) if plans[i][1] is not None), len(plans))
            yield joined([step, *(name for name, _ in plans[k + 1 : after])]), plan


def _plan(sets: Sequence[Priced]) -> FragmentPlan:
    return FragmentPlan(tuple(own.plan for own in sets))


class _Dividing:
    """The cheapest realigned sets of parts, and the best division of a few parts into them."""

    def __init__(self, stages: Stages, space: FragmentSpace, parts: Sequence[Part]) -> None:
        self._stages, self._space = stages, space
        self._part = {k: part for part in parts for k in part.fragments}

    def best_set(self, fragments: Sequence[int], point: int | None = None) -> Priced:
        """The cheapest set of whole parts that can share one, with a given re-partition point or any."""
        own = {self._part[k].fragments: self._part[k] for k in fragments}
        found = self._set(list(own.values()), point)
        assert found is not None
        return found

    def best_division(self, parts: Sequence[Part]) -> list[Priced]:
        """The cheapest sets of parts: a dynamic program over subsets, with the first part of each in the next set."""
        everything = (1 << len(parts)) - 1
        sets = {
            mask: self._set([part for k, part in enumerate(parts) if mask >> k & 1])
            for mask in range(1, everything + 1)
        }
        least: dict[int, tuple[int, list[Priced]]] = {0: (0, [])}
        for mask in range(1, everything + 1):
            first = mask & -mask
            found = []
            for with_first in _subsets(mask ^ first):
                own = sets[with_first | first]
                if own is not None:
                    total, others = least[mask ^ first ^ with_first]
                    found.append((own.total_pct + total, [own, *others]))
            # There is one, since the first part by itself is a set that Graft serves.
            least[mask] = min(found, key=lambda division: division[0])
        return least[everything][1]

    def _set(self, parts: Sequence[Part], point: int | None = None) -> Priced | None:
        most = self._space.max_members
        if most is not None and sum(len(part.fragments) for part in parts) > most:
            return None
        return least_set(self._stages, parts, self._space, merge=True, points=None if point is None else [point])


def _subsets(mask: int) -> Iterator[int]:
    """All subsets of a mask, the empty one included."""
    part = mask
    while True:
        yield part
        if part == 0:
            return
        part = (part - 1) & mask


def _best(
    fleet: Fleet, parts: Sequence[Part], space: FragmentSpace, most: int | None, limit_s: float | None
) -> FragmentPlan | None:
    """The best plan with a most number of whole parts per set; None if it is not proven, or members are limited."""
    if space.max_members is not None:
        return None
    fragments = [Fragment(str(k), part.begin, part.budget_s, part.rate_rps) for k, part in enumerate(parts)]
    merged_fleet = Fleet(fleet.name, fleet.network, fragments)
    narrow = replace(space, max_members=most)
    result = solve(merged_fleet, space=narrow, time_limit_s=LIMIT_S if limit_s is None else limit_s)
    if result.status is not Status.OPTIMAL:
        return None
    plan = result.plan
    assert isinstance(plan, FragmentPlan)
    return FragmentPlan(tuple(_apart(own, parts) for own in plan.sets))


def _apart(own: RealignedSet, parts: Sequence[Part]) -> RealignedSet:
    """A set of parts as a set of their fragments."""
    heads = tuple(Head(tuple(i for k in head.fragments for i in parts[k].fragments), head.stage) for head in own.heads)
    return RealignedSet(own.repartition_point, own.shared, heads)
