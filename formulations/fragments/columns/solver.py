"""Solver `fragment-columns`: exactly priced realigned sets as columns, and the best plan as a shortest path (ours)."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.fragments import Budgets, Fleet, Fragment, FragmentPlan, FragmentSpace, Network, Sharing
from euclio.problems.fragments.least_budget import unserved
from euclio.problems.fragments.realigned import Part, Priced, least_set, part_of
from euclio.problems.fragments.stages import Stages
from formulations.engines.highs_arrays import Program, solve_mip
from formulations.fragments.candidates import Places, TimeUpError, may_list
from formulations.fragments.columns.own_budgets import OwnPricer
from formulations.fragments.columns.proof import best_within, sets_within
from formulations.fragments.columns.relaxation import Counts, Pricer, Relaxation, relaxed
from formulations.fragments.columns.tables import UNIT, tables_of
from formulations.fragments.columns.types import Ints, Types, types_of
from formulations.fragments.columns.uniform import best_division
from formulations.fragments.columns.wide import coarser, compile_wide, fluid_bound_pct, solve_wide
from formulations.fragments.set_partition import solve_set_partition
from heuristics.fragments.regrouping import solve_regroup

# From sets of fragments to a plan: each set at its least GPU share, or its fragments apart if that is less.

MOST_KINDS = 6
"""Most different fragments of a begin, with time budgets of their own, for an exact choice of heads."""
MOST_PAIRS = 2**17
"""Most pairs of remaining fragments and a head of them, for begins with several kinds of fragments, for an exact choice
of heads; each takes some microseconds."""


@dataclass(frozen=True, slots=True)
class FleetPlan:
    """The result of a method.

    Attributes:
        sets: sets of a plan, as places of their fragments; None if no plan is better than the known one.
        bound_pct: proven lower bound on the GPU share of plans.
        stats: counters.
    """

    sets: Sequence[Places] | None
    bound_pct: int
    stats: dict[str, float] = field(default_factory=dict)


def alone_pct(fleet: Fleet, stages: Stages, space: FragmentSpace, deadline: float) -> list[int] | None:
    """The GPU share of each fragment by itself; None if one cannot be served in time.

    Raises:
        TimeUpError: the deadline, a `time.perf_counter` value, has passed.
    """
    known: dict[Fragment, int] = {}
    shares = []
    for k, fragment in enumerate(fleet.fragments):
        kind = replace(fragment, name="")
        if kind not in known:
            if time.perf_counter() >= deadline:
                raise TimeUpError
            found = least_set(stages, [part_of(fleet, [k])], space, merge=True)
            if found is None:
                return None
            known[kind] = found.total_pct
        shares.append(known[kind])
    return shares


def priced_plan(
    fleet: Fleet, stages: Stages, space: FragmentSpace, sets: Iterable[Places], alone: Sequence[int]
) -> list[Priced]:
    """The sets of a plan at their least GPU shares.

    Args:
        fleet: the instance.
        stages: stages of its network.
        space: plan space.
        sets: sets, as places of their fragments.
        alone: GPU share of each fragment by itself, in percent.
    """
    plan = []
    for places in sets:
        found = _priced(fleet, stages, space, places)
        # Sets chosen for lower rates, or with rough prices, may take more than their fragments apart.
        if found is not None and found.total_pct <= sum(alone[k] for k in places):
            plan.append(found)
        else:
            plan += [single for k in places for single in [_priced(fleet, stages, space, (k,))] if single is not None]
    return plan


def _priced(fleet: Fleet, stages: Stages, space: FragmentSpace, places: Places) -> Priced | None:
    """A set at its least GPU share, or slightly above it with too many heads; None if it is too slow.

    With many different own budgets, it has the heads of the least budget for all.
    """
    parts = [part_of(fleet, [k]) for k in places]
    if not _has_many_heads(parts, space):
        return least_set(stages, parts, space, merge=True)
    if space.budgets is Budgets.OWN:
        least = _priced(fleet, stages, replace(space, budgets=Budgets.LEAST), places)
        if least is None:
            return None
        return least_set(stages, [part_of(fleet, head.fragments) for head in least.plan.heads], space, merge=False)
    return _of_plain_heads(fleet, stages, space, places)


def _has_many_heads(parts: Sequence[Part], space: FragmentSpace) -> bool:
    """Whether a set has too many heads for an exact choice."""
    own = space.budgets is Budgets.OWN
    kinds = Counter((part.begin, part.rate_rps, part.budget_s if own else 0) for part in parts)
    numbers: dict[int, list[int]] = {}
    for (begin, _, _), number in kinds.items():
        numbers.setdefault(begin, []).append(number)
    if own and max(map(len, numbers.values())) > MOST_KINDS:
        return True
    pairs = (math.prod((n + 1) * (n + 2) // 2 for n in each) for each in numbers.values() if len(each) > 1)
    return sum(pairs) > MOST_PAIRS


def _of_plain_heads(fleet: Fleet, stages: Stages, space: FragmentSpace, places: Places) -> Priced | None:
    """The cheapest set with a head per begin, per begin and rate, or per fragment; None if none is fast enough."""
    divisions: list[dict[object, list[int]]] = [{}, {}, {}]
    for k in places:
        own = fleet.fragments[k]
        keys = (own.partition_point, (own.partition_point, own.rate_rps), k)
        for heads, key in zip(divisions, keys, strict=True):
            heads.setdefault(key, []).append(k)
    found = [
        priced
        for heads in divisions
        if (priced := least_set(stages, [part_of(fleet, head) for head in heads.values()], space, merge=False))
    ]
    return min(found, key=lambda priced: priced.total_pct, default=None)


# A first plan of given sets by a MIP, which proves nothing (ours).


def best_partition(
    columns: dict[Counts, int], counts: Ints, deadline: float, most_nodes: int | None = None
) -> dict[Counts, int] | None:
    """The best plan of some sets by a MIP, as multiples of each; None if it found none.

    Args:
        columns: sets, with their GPU shares in percent.
        counts: fragments of each type, shape (types,).
        deadline: `time.perf_counter` value.
        most_nodes: nodes after which the MIP stops; None means no limit.
    """
    program = Program()
    program.variables(len(columns), 0.0, math.inf, whole=True)
    program.cost = [float(share) for share in columns.values()]
    rows: list[tuple[list[int], list[int]]] = [([], []) for _ in counts]
    for place, column in enumerate(columns):
        for kind, number in column:
            rows[kind][0].append(place)
            rows[kind][1].append(number)
    for (places, numbers), count in zip(rows, counts.tolist(), strict=True):
        program.row(places, numbers, float(count), math.inf)
    found = solve_mip(program, deadline - time.perf_counter(), 0.0, most_nodes)
    if found.values is None:
        return None
    taken = np.rint(found.values).astype(np.int64)
    return {column: number for column, number in zip(columns, taken.tolist(), strict=True) if number}


FIRST_NODES = 500
"""Nodes of the MIP over the sets of column generation, for fragments with time budgets of their own."""
MANY_TYPES = 120
"""Most types for closing the gap."""
MANY_FRAGMENTS = 200
"""Most fragments for closing the gap; 500 take from seconds to minutes, and thousands need a quick answer."""


@dataclass(frozen=True, slots=True)
class _ClosedGap:
    """The result of closing the gap.

    Attributes:
        best: multiples of each set in a plan below the known one's share; None if there is none, or time was over.
        bound_pct: no plan has a GPU share below this, in percent.
        sets: number of listed sets.
    """

    best: dict[Counts, int] | None
    bound_pct: int
    sets: int


def run_fragment_columns(fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan]) -> Answer[FragmentPlan]:
    """The best plan of a fleet, or a plan and a bound.

    Args:
        fleet: the instance.
        space: plan space.
        limits: time limit.
    """
    deadline = limits.deadline()
    stages = Stages(fleet.network)
    try:
        alone = alone_pct(fleet, stages, space, deadline)
    except TimeUpError:
        return Answer(None, "time limit", reason="the time limit was reached before every fragment was priced")
    if alone is None:
        return Answer(None, "infeasible", infeasible=True, reason=unserved(fleet.network))
    within = replace(limits, time_limit_s=_left(deadline))
    if space.sharing is Sharing.REALIGNED and _is_large(fleet):
        return solve_wide(fleet, stages, space, within)
    known = solve_regroup(fleet, space, within)
    answer = _answer(fleet, stages, space, alone, known, deadline)
    if answer.claimed != answer.bound and time.perf_counter() < deadline and may_list(fleet, space):
        listed = solve_set_partition(fleet, space, replace(limits, time_limit_s=_left(deadline)))
        if listed.plan is not None:
            return listed
    return answer


def _left(deadline: float) -> float | None:
    return None if deadline == math.inf else max(deadline - time.perf_counter(), 0.0)


def _is_large(fleet: Fleet) -> bool:
    """Whether a fleet has too many fragments, or kinds of them apart from rates, for closing its gap."""
    kinds = {(fragment.partition_point, fragment.budget_s) for fragment in fleet.fragments}
    return len(kinds) > MANY_TYPES or len(fleet.fragments) > MANY_FRAGMENTS


def _answer(
    fleet: Fleet,
    stages: Stages,
    space: FragmentSpace,
    alone: Sequence[int],
    known: Answer[FragmentPlan],
    deadline: float,
) -> Answer[FragmentPlan]:
    """The best plan found, and the bound, starting with a known plan.

    A plan for the least time budgets of sets also keeps those of its fragments.
    """
    # Each fragment can be served by itself, so the heuristic has a plan.
    assert known.plan is not None
    assert known.claimed is not None
    best = (round(known.claimed), known.plan)
    found = _relaxed(fleet, stages, space, alone, best[0], deadline)
    best = _better(best, fleet, stages, space, found.sets, alone)
    bound = max(found.bound_pct, fluid_bound_pct(fleet))
    if space.budgets is Budgets.OWN and best[0] > bound:
        least = _relaxed(fleet, stages, replace(space, budgets=Budgets.LEAST), alone, best[0], deadline)
        best = _better(best, fleet, stages, space, least.sets, alone)
    value, plan = best
    return Answer.proven(plan, float(value), float(bound), "", found.stats, otherwise="gap", tolerance=0.0)


def _better(
    best: tuple[int, FragmentPlan],
    fleet: Fleet,
    stages: Stages,
    space: FragmentSpace,
    sets: Sequence[Places] | None,
    alone: Sequence[int],
) -> tuple[int, FragmentPlan]:
    """The best plan so far with its GPU share in percent, or the plan of some sets if that is better."""
    if sets is None:
        return best
    priced = priced_plan(fleet, stages, space, sets, alone)
    share_pct = sum(own.total_pct for own in priced)
    return (share_pct, FragmentPlan(tuple(own.plan for own in priced))) if share_pct < best[0] else best


def _relaxed(
    fleet: Fleet, stages: Stages, space: FragmentSpace, alone: Sequence[int], known_pct: int, deadline: float
) -> FleetPlan:
    """The result of `_search`, for lower rates if it is inapplicable; a plan of lower rates has no larger share."""
    for lower in chain([fleet], coarser(fleet)):
        try:
            return _search(lower, stages, space, alone, known_pct, deadline)
        except InapplicableError:
            continue
        except TimeUpError:
            break
    return FleetPlan(None, 0)


def _search(
    fleet: Fleet, stages: Stages, space: FragmentSpace, share: Sequence[int], known_pct: int, deadline: float
) -> FleetPlan:
    """Sets and bound.

    Args:
        fleet: the instance.
        stages: stages of its network.
        space: plan space.
        share: GPU share of each fragment by itself, in percent.
        known_pct: GPU share of a known plan, in percent.
        deadline: `time.perf_counter` value.

    Raises:
        InapplicableError: there are too many rates, or numbers do not fit into 64 bits.
        TimeUpError: the deadline has passed.
    """
    if space.sharing is not Sharing.REALIGNED:
        division = best_division(fleet, stages, space, deadline)
        assert division is not None
        return FleetPlan(division.sets, division.share_pct)
    types = types_of(fleet, stages)
    alone: dict[Counts, int] = {((kind, 1),): share[own[0]] for kind, own in enumerate(types.members)}
    if len(types.members) > MANY_TYPES:
        raise InapplicableError("there are too many types of different rates")
    search = _own_budgets if space.budgets is Budgets.OWN else _proven
    root, closed = search(types, stages, space, alone, known_pct, deadline)
    stats = {
        "types": float(len(types.members)),
        "columns": float(len(root.columns)),
        "rounds": float(root.rounds),
        "root_bound": float(root.bound_pct),
        "sets": float(closed.sets),
    }
    return FleetPlan(None if closed.best is None else _places(types, closed.best), closed.bound_pct, stats)


def _proven(
    types: Types, stages: Stages, space: FragmentSpace, alone: dict[Counts, int], known_pct: int, deadline: float
) -> tuple[Relaxation, _ClosedGap]:
    """Bound and plan for few types, with the gap closed."""
    pricer = Pricer(types, tables_of(types, stages, space, deadline))
    root = relaxed(pricer, alone, deadline)
    return root, _close_gap(pricer, root, known_pct, deadline)


def _own_budgets(
    types: Types, stages: Stages, space: FragmentSpace, alone: dict[Counts, int], known_pct: int, deadline: float
) -> tuple[Relaxation, _ClosedGap]:
    """Bound and plan for fragments with time budgets of their own, with an open gap."""
    root = relaxed(OwnPricer(types, tables_of(types, stages, space, deadline)), alone, deadline)
    best = best_partition(root.columns, types.counts, deadline, FIRST_NODES) if root.bound_pct < known_pct else None
    return root, _ClosedGap(best, root.bound_pct, 0)


def _close_gap(pricer: Pricer, root: Relaxation, known_pct: int, deadline: float) -> _ClosedGap:
    """The best plan within a target, which rises until there is one or the known plan is proven the best."""
    bound, step, listed = root.bound_pct, 1, 0
    while bound < known_pct:
        target = min(bound + step, known_pct) - 1
        slack = target * UNIT - root.bound_units
        sets = sets_within(pricer, root.prices, slack, deadline)
        if sets is None:
            break
        listed = len(sets.share)
        found = best_within(pricer, root.prices, sets, target, slack, deadline)
        if found is None:
            break
        if found.share_pct is not None:
            return _ClosedGap(found.sets, found.share_pct, listed)
        bound = target + 1
        # Steps double, so that targets that are too low take little of the whole time.
        step *= 2
    return _ClosedGap(None, bound, listed)


def _places(types: Types, best: dict[Counts, int]) -> list[Places]:
    """The fragments of each set of some columns; one that several sets cover stays in the first."""
    left = [list(own) for own in types.members]
    sets = []
    for column, number in best.items():
        for _ in range(number):
            places = sorted(left[kind].pop() for kind, k in column for _ in range(min(k, len(left[kind]))))
            if places:
                sets.append(tuple(places))
    return sets


def compile_fragment_columns() -> None:
    """Compile pricing and listing, which fleets without a gap do not need."""
    network = Network("compiled", [1], [100], [[["0.01"]], [["0.01"]]])
    fleet = Fleet("compiled", network, [Fragment("a", 0, "0.1", 10), Fragment("b", 1, "0.1", 10)])
    stages = Stages(network)
    types = types_of(fleet, stages)
    pricer = Pricer(types, tables_of(types, stages, FragmentSpace()))
    prices = np.full(len(types.members), 100 * UNIT, dtype=np.int64)
    pricer.price(prices)
    sets = sets_within(pricer, prices, 100 * UNIT, math.inf)
    assert sets is not None
    best_within(pricer, prices, sets, 200, 300 * UNIT, math.inf)
    OwnPricer(types, pricer.tables).price(prices)
    compile_wide()
