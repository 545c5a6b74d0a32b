"""Solver `regroup` lays one set after the other, the tightest fragments first, at prices of a linear program (ours).

Fragments that begin at one layer stand in a queue by time budget. Each has a price as its worth. The search lays the
sets of largest gain from the tightest fragment on, for many plans side by side. Exact arithmetic prices all results
again. The answer is the best of these and of the plans of Graft and GSLICE+.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.fragments import Budgets, Fleet, FragmentPlan, FragmentSpace, Sharing
from euclio.problems.fragments.realigned import Priced, least_set, part_of
from euclio.problems.fragments.stages import Stages
from heuristics.fragments.graft import solve_graft, uniform_groups
from heuristics.fragments.gslice import solve_gslice_plus
from heuristics.fragments.options import GraftOptions, gslice_plus_space
from heuristics.fragments.regrouping_kernel import Prices, best_sets
from heuristics.fragments.regrouping_prices import Sets, prices_of
from heuristics.fragments.regrouping_tables import (
    NEVER,
    Queues,
    Rules,
    Tables,
    divide_heads,
    entries,
    queues_of,
    tables_of,
)

# Plans as paths from no served fragment to all, set by set, the cheapest by prices first, for `regroup` (ours).
#
# Sets come in the order of their least time budgets, so the next one has the tightest remaining fragment. If all rates
# are equal and sets keep their least budget, this loses no plan, since a tighter fragment may replace a looser one. A
# path's loss is its share less the worth of the served fragments, and its final share the loss plus the worth of all.
# So paths to states with about as many served fragments compare by their loss, and few of each are kept.

State = tuple[int, ...]
"""Numbers of served fragments of each queue."""


LEAST_LOSS_PCT = 1.0
"""Least limit on the loss of paths, since prices of classes are rough and losses may be below zero."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The effort of a search for paths.

    Attributes:
        kept: kept states of those with about as many served fragments.
        bins: kinds of such states.
        slack_pct: largest difference of the losses of sets from a state.
        most: most sets from a state.
    """

    kept: int
    bins: int
    slack_pct: float
    most: int


class _PathStep(NamedTuple):
    loss: float
    before: State | None


Path = tuple[float, list[tuple[State, State]]]
"""The loss of a path, and its sets, each by the states before and after it."""


class PathSearch:
    """Finds paths in the queues of a fleet."""

    def __init__(self, queues: Queues, tables: Tables, rules: Rules) -> None:
        self._queues, self._tables, self._rules = queues, tables, rules
        self._sizes = np.diff(queues.starts)
        self._number = int(self._sizes.sum())
        self._start: State = tuple(0 for _ in self._sizes)
        self._end: State = tuple(self._sizes.tolist())

    def path(self, prices: Prices, efforts: Sequence[Effort], deadline: float) -> Path | None:
        """The best path found with rising efforts, up to a deadline; None if there is none."""
        best = self._greedy(prices)
        for effort in efforts:
            most_loss = math.inf if best is None else max(best[0], LEAST_LOSS_PCT)
            found = self._best(prices, effort, most_loss, deadline)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
        return best

    def _greedy(self, prices: Prices) -> Path | None:
        """The path that takes the set of least loss each time."""
        state, loss, path = self._start, 0.0, []
        while state != self._end:
            following = self._next(prices, state, 0.0, 1)
            if not following:
                return None
            path.append((state, following[0][0]))
            state, loss = following[0][0], loss + following[0][1]
        return loss, path

    def _best(self, prices: Prices, effort: Effort, most_loss: float, deadline: float) -> Path | None:
        """The best path found with states within a loss."""
        steps = {self._start: _PathStep(0.0, None)}
        width = -(-self._number // effort.bins)
        bins: list[list[tuple[float, State]]] = [[] for _ in range(self._number // width + 1)]
        bins[0].append((0.0, self._start))
        for heap in bins:
            done: set[State] = set()
            # A set may end in its first bin, which is then searched too.
            while heap and len(done) < effort.kept and time.perf_counter() < deadline:
                loss, state = heappop(heap)
                if state in done or state == self._end or loss > most_loss:
                    continue
                done.add(state)
                for after, more in self._next(prices, state, min(effort.slack_pct, most_loss - loss), effort.most):
                    if after not in steps or loss + more < steps[after].loss:
                        steps[after] = _PathStep(loss + more, state)
                        heappush(bins[sum(after) // width], (loss + more, after))
        if self._end not in steps:
            return None
        path, state = [], self._end
        while (before := steps[state].before) is not None:
            path.append((before, state))
            state = before
        return steps[self._end].loss, path[::-1]

    def _next(self, prices: Prices, state: State, slack_pct: float, most: int) -> list[tuple[State, float]]:
        """The states after some sets, up to a number, with their losses, the least first."""
        queues = self._queues
        served = np.array(state, dtype=np.int64)
        must = min((queues.limits[queues.starts[b] + own], b) for b, own in enumerate(state) if own < self._sizes[b])[1]
        gain, taken = best_sets(queues, self._tables, self._rules, prices, served, must, slack_pct)
        ranked = np.argsort(-gain, kind="stable")[:most]
        least = max(gain[ranked[0]] - slack_pct, -NEVER / 2)
        return [(tuple((served + taken[k]).tolist()), -float(gain[k])) for k in ranked.tolist() if gain[k] >= least]


CLASSES = (12, 100)
"""Most classes of time budgets of a queue, few for the first prices, then more."""
REACH = 150
"""Most fragments of a set."""
LOOKS, FEW = 400, 1000
"""Tried times of a set's shared stage for this many fragments or more; fewer fragments get proportionally more."""
MASSIVE = 0.01
"""Merging threshold of Graft for thousands of fragments (Graft §5.8)."""
MOST_ENTRIES = 60_000_000
"""Most choices of all stages times rates; beyond, only the published systems plan."""
MOST_SPLITS = 2000
"""Most pairs of a head and the rest after it for dividing a begin's fragments into heads in every way."""


def solve_regroup(fleet: Fleet, space: FragmentSpace, limits: Limits[FragmentPlan]) -> Answer[FragmentPlan]:
    """The best plan found.

    Args:
        fleet: the instance.
        space: plan space.
        limits: limits of the run; the seed is Graft's.
    """
    deadline = limits.deadline()
    known = [
        solve_graft(fleet, space, limits, options=GraftOptions()),
        solve_graft(fleet, space, limits, options=GraftOptions(threshold=MASSIVE)),
        solve_gslice_plus(fleet, gslice_plus_space(fleet, space), limits),
    ]
    if known[0].plan is None:
        return known[0]
    stages = Stages(fleet.network)
    plans = [answer.plan for answer in known if answer.plan is not None]
    groups = [_laid(fleet, stages, space, places, plans, deadline) for places in _apart(fleet, space)]
    sets = [own for group in groups if group is not None for own in group]
    if None not in groups:
        total = float(sum(own.total_pct for own in sets))
        known.insert(0, Answer(FragmentPlan(tuple(own.plan for own in sets)), "finished", total))
    best = min(known, key=lambda answer: math.inf if answer.claimed is None else answer.claimed)
    return Answer(best.plan, "finished", best.claimed, stats={"laid": float(len(sets))})


def _apart(fleet: Fleet, space: FragmentSpace) -> list[list[int]]:
    """Places of the fragments that may share instances."""
    if space.sharing is Sharing.ALONE:
        return [[k] for k in range(len(fleet.fragments))]
    return [list(range(len(fleet.fragments)))] if space.sharing is Sharing.REALIGNED else uniform_groups(fleet)


def _laid(
    fleet: Fleet,
    stages: Stages,
    space: FragmentSpace,
    places: Sequence[int],
    plans: Sequence[FragmentPlan],
    deadline: float,
) -> list[Priced] | None:
    """The sets of the search for some fragments; None if tables would be too large, or time is over."""
    if len(places) == 1:
        return _set(fleet, stages, space, places)
    queues = queues_of(fleet, stages, places, REACH)
    rules = _rules(stages, queues, space)
    if time.perf_counter() >= deadline or entries(stages, queues, rules) > MOST_ENTRIES:
        return None
    tables = tables_of(stages, queues, rules)
    prices, _ = _prices(queues, tables, rules, plans)
    found = PathSearch(queues, tables, rules).path(prices, _efforts(len(places)), deadline)
    if found is None:
        return None
    return [own for before, after in found[1] for own in _set(fleet, stages, space, _members(queues, before, after))]


def _efforts(number: int) -> tuple[Effort, ...]:
    """The loss of a first quick search bounds that of the next. Fewer fragments get more paths."""
    return (Effort(1, 200, 2.0, 6), Effort(max(1, 1000 // number), 1000, 2.0 + 300 / number, 8 + 1000 // number))


def fine_prices(
    stages: Stages, queues: Queues, space: FragmentSpace, plans: Sequence[FragmentPlan]
) -> tuple[Prices, Sets]:
    """Prices of some fragments, and the sets behind them, starting with those of some plans."""
    rules = _rules(stages, queues, space)
    return _prices(queues, tables_of(stages, queues, rules), rules, plans)


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


def _rules(stages: Stages, queues: Queues, space: FragmentSpace) -> Rules:
    """The rules for sets."""
    begin, layers = int(queues.begins[0]), stages.network.layers
    return Rules(
        space.budgets is Budgets.OWN,
        min(len(queues.places), REACH, space.max_members or REACH),
        max(LOOKS, LOOKS * FEW // len(queues.places)),
        (begin, layers if space.sharing is Sharing.REALIGNED else begin + 1),
        math.inf if space.max_instances is None else float(space.max_instances),
    )


def _members(queues: Queues, before: State, after: State) -> list[int]:
    """Places in the fleet of the fragments of a set, queue after queue."""
    spans = zip(queues.starts[:-1].tolist(), before, after, strict=True)
    return [int(k) for start, first, end in spans for k in queues.places[start + first : start + end]]


def _set(fleet: Fleet, stages: Stages, space: FragmentSpace, members: Sequence[int]) -> list[Priced]:
    """A set at its exact share; if it is not feasible, its fragments one by one."""
    by_begin: dict[int, list[int]] = {}
    for k in members:
        by_begin.setdefault(fleet.fragments[k].partition_point, []).append(k)
    found = least_set(stages, [part_of(fleet, own) for own in by_begin.values()], space, merge=False)
    if sum(_splits(fleet, own) for own in by_begin.values()) <= MOST_SPLITS:
        points = None if found is None else [found.plan.repartition_point]
        divided = least_set(stages, [part_of(fleet, [k]) for k in members], space, merge=True, points=points)
        found = divided if found is None or (divided is not None and divided.total_pct < found.total_pct) else found
    if found is not None:
        return [found]
    # A fragment by itself is feasible, since Graft has a plan.
    return [own for k in members for own in _set(fleet, stages, space, [k])]


def _splits(fleet: Fleet, members: Sequence[int]) -> int:
    """Pairs of a head and the rest after it, for fragments that begin at one layer."""
    kinds = Counter((fleet.fragments[k].rate_rps, fleet.fragments[k].budget_s) for k in members)
    return math.prod(number + 1 for number in kinds.values()) ** 2


def compile_regroup() -> None:
    """Compile the functions that fragments of different rates do not need."""
    divide_heads(np.zeros((1, 2)))
