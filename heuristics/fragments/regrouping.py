"""Solver `regroup`: sets laid one after the other, the tightest fragments first, at prices of a linear program (ours).

Fragments that begin at one layer stand in a queue by time budget. Prices say what each is worth; the sets that gain most
at them are laid from the tightest fragment on, many plans side by side (`regrouping_search`). All that is found is
priced again in exact arithmetic, and the best of that and of what Graft and GSLICE+ plan is the answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.fragments import Budgets, Fleet, FragmentPlan, FragmentSpace, Sharing
from euclio.fragments.realigned import Priced, least_set, part_of
from euclio.fragments.stages import Stages
from heuristics.fragments.graft import GraftOptions, solve_graft
from heuristics.fragments.gslice import solve_gslice_plus
from heuristics.fragments.merging import uniform_groups
from heuristics.fragments.regrouping_prices import Prices, Rules, Sets, prices_of
from heuristics.fragments.regrouping_search import Effort, Search, State
from heuristics.fragments.regrouping_tables import Queues, Tables, queues_of, tables_of
from heuristics.fragments.spaces import gslice_plus_space

CLASSES = (12, 100)
"""Most classes of time budgets of a queue: few for the first prices, then more."""
REACH = 150
"""Most fragments of a set."""
EFFORT = Effort(1, 100, 2.0, 6)
"""Of the search, so that it takes seconds with a thousand fragments."""


def solve_regroup(
    fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan], effort: Effort = EFFORT
) -> Answer[FragmentPlan]:
    """The best plan found.

    Args:
        fleet: the instance.
        space: plan space.
        limits: limits of the run; the seed is Graft's.
        effort: how many plans are looked at side by side.
    """
    known = [
        solve_graft(fleet, space, limits, options=GraftOptions()),
        solve_graft(fleet, space, limits, options=GraftOptions(threshold=0.01)),
        solve_gslice_plus(fleet, gslice_plus_space(fleet, space), limits),
    ]
    if known[0].plan is None:
        return known[0]
    stages = Stages(fleet.network)
    plans = [answer.plan for answer in known if answer.plan is not None]
    sets = [own for places in _apart(fleet, space) for own in _laid(fleet, stages, space, places, effort, plans)]
    found = Answer(FragmentPlan(tuple(own.plan for own in sets)), "finished", float(sum(own.total_pct for own in sets)))
    best = min((found, *known), key=lambda answer: math.inf if answer.claimed is None else answer.claimed)
    return Answer(best.plan, "finished", best.claimed, stats={"sets": float(len(sets))})


def _apart(fleet: Fleet, space: FragmentSpace) -> list[list[int]]:
    """Places of the fragments that may share instances with one another."""
    if space.sharing is Sharing.ALONE:
        return [[k] for k in range(len(fleet.fragments))]
    return [list(range(len(fleet.fragments)))] if space.sharing is Sharing.REALIGNED else uniform_groups(fleet)


def _laid(
    fleet: Fleet, stages: Stages, space: FragmentSpace, places: Sequence[int], effort: Effort, plans: Sequence[FragmentPlan]
) -> list[Priced]:
    """The sets that the search lays for some fragments."""
    queues = queues_of(fleet, stages, places)
    rules, tables = _rules(stages, queues, space)
    prices, _ = _prices(queues, tables, rules, plans)
    found = Search(queues, tables, rules).path(prices, effort)
    if found is None:
        return [own for k in places for own in _set(fleet, stages, space, [k])]
    return [own for before, after in found[1] for own in _set(fleet, stages, space, _members(queues, before, after))]


def fine_prices(
    stages: Stages, queues: Queues, space: FragmentSpace, plans: Sequence[FragmentPlan]
) -> tuple[Prices, Sets]:
    """Prices of some fragments, and the sets that make them, from those of some plans on."""
    rules, tables = _rules(stages, queues, space)
    return _prices(queues, tables, rules, plans)


def _prices(queues: Queues, tables: Tables, rules: Rules, plans: Sequence[FragmentPlan]) -> tuple[Prices, Sets]:
    """Prices of few classes first, then of more."""
    where = {place: k for k, place in enumerate(queues.places.tolist())}
    sets: Sets = [
        (np.array([where[k] for k in own.fragments]), float(sum(stage.total_pct for stage in own.stages)))
        for plan in plans
        for own in plan.sets
        if own.fragments[0] in where
    ]
    for most_classes in CLASSES:
        prices, sets = prices_of(queues, tables, rules, most_classes, sets)
    return prices, sets


def _rules(stages: Stages, queues: Queues, space: FragmentSpace) -> tuple[Rules, Tables]:
    """What sets are allowed, and the tables for the largest of them."""
    reach = min(len(queues.places), REACH, space.max_members or REACH)
    begin, layers = int(queues.begins[0]), stages.network.layers
    rules = Rules(
        space.budgets is Budgets.OWN, reach, (begin, layers if space.sharing is Sharing.REALIGNED else begin + 1)
    )
    rates = np.sort(np.diff(queues.units))[::-1]
    return rules, tables_of(stages, queues, space.max_instances, math.ceil(rates[:reach].sum()))


def _members(queues: Queues, before: State, after: State) -> list[int]:
    """Places in the fleet of the fragments of a set, queue after queue."""
    spans = zip(queues.starts[:-1].tolist(), before, after, strict=True)
    return [int(k) for start, first, end in spans for k in queues.places[start + first : start + end]]


def _set(fleet: Fleet, stages: Stages, space: FragmentSpace, members: Sequence[int]) -> list[Priced]:
    """A set at its exact share, a head for each first layer; if that is not feasible, its fragments one by one."""
    by_begin: dict[int, list[int]] = {}
    for k in members:
        by_begin.setdefault(fleet.fragments[k].partition_point, []).append(k)
    found = least_set(stages, [part_of(fleet, own) for own in by_begin.values()], space, merge=False)
    if found is not None:
        return [found]
    assert len(members) > 1
    return [own for k in members for own in _set(fleet, stages, space, [k])]
