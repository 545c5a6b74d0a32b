"""Solver `regroup`: sets laid one after the other, the tightest fragments first, at prices of a linear program (ours).

Fragments that begin at one layer stand in a queue by time budget. Prices say what each is worth; the sets that gain most
at them are laid from the tightest fragment on, many plans side by side (`regrouping_search`). All that is found is
priced again in exact arithmetic, and the best of that and of what Graft and GSLICE+ plan is the answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.fragments import Budgets, Fleet, FragmentPlan, FragmentSpace, Sharing
from euclio.fragments.realigned import Priced, least_set, part_of
from euclio.fragments.stages import Stages
from heuristics.fragments.graft import GraftOptions, solve_graft
from heuristics.fragments.gslice import solve_gslice_plus
from heuristics.fragments.merging import uniform_groups
from heuristics.fragments.regrouping_prices import Rules, prices_of
from heuristics.fragments.regrouping_search import Effort, Search, State
from heuristics.fragments.regrouping_tables import Queues, queues_of, tables_of
from heuristics.fragments.spaces import gslice_plus_space

CLASSES = 24
"""Classes of time budgets of a queue."""
ROUNDS = 30
"""Most rounds of prices."""
REACH = 150
"""Most fragments of a set."""


def solve_regroup(
    fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan], 
) -> Answer[FragmentPlan]:
    """The best plan found.

    Args:
        fleet: the instance.
        space: plan space.
        limits: limits of the run; the seed is Graft's.
    """
    known = [
        solve_graft(fleet, space, limits, options=GraftOptions()),
        solve_graft(fleet, space, limits, options=GraftOptions(threshold=0.01)),
        solve_gslice_plus(fleet, gslice_plus_space(fleet, space), limits),
    ]
    if known[0].plan is None:
        return known[0]
    stages = Stages(fleet.network)
    sets = [own for places in _apart(fleet, space) for own in _laid(fleet, stages, space, places)]
    found = Answer(FragmentPlan(tuple(own.plan for own in sets)), "finished", float(sum(own.total_pct for own in sets)))
    best = min((found, *known), key=lambda answer: math.inf if answer.claimed is None else answer.claimed)
    return Answer(best.plan, "finished", best.claimed, stats={"sets": float(len(sets))})


def _apart(fleet: Fleet, space: FragmentSpace) -> list[list[int]]:
    """Places of the fragments that may share instances with one another."""
    if space.sharing is Sharing.ALONE:
        return [[k] for k in range(len(fleet.fragments))]
    return [list(range(len(fleet.fragments)))] if space.sharing is Sharing.REALIGNED else uniform_groups(fleet)


def _laid(fleet: Fleet, stages: Stages, space: FragmentSpace, places: Sequence[int]) -> list[Priced]:
    """The sets that the search lays for some fragments."""
    queues = queues_of(fleet, stages, places)
    reach = min(len(places), REACH, space.max_members or REACH)
    begin, layers = int(queues.begins[0]), fleet.network.layers
    points = (begin, layers if space.sharing is Sharing.REALIGNED else begin + 1)
    rules = Rules(space.budgets is Budgets.OWN, reach, points)
    tables = tables_of(stages, queues, space.max_instances, _units(queues, reach))
    prices = prices_of(queues, tables, rules, CLASSES, ROUNDS)
    found = Search(queues, tables, rules).path(prices, Effort(1, 100, 2.0, 6))
    if found is None:
        return [own for k in places for own in _set(fleet, stages, space, [k])]
    return [own for before, after in found[1] for own in _set(fleet, stages, space, _members(queues, before, after))]


def _units(queues: Queues, reach: int) -> int:
    """Units of rate of the largest sets."""
    rates = np.sort(np.diff(queues.units))[::-1]
    return math.ceil(rates[:reach].sum())


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
