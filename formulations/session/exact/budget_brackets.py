"""Rule `continuous`: the cheapest plan of a session by bracketing every module's latency budget (ours).

A module's cost C(L) never rises with its budget L. The cheapest plan at L takes a <= L seconds, so C is constant on
[a, L]. On the interval down to the next smaller budget l whose cost is known, C is at least C(a). Taken as a mode of
latency l and cost C(a), the interval bounds all plans within it from below, and the cheapest choice of one mode per
module bounds the session (`split/search.py`). If that choice is not a plan, its intervals are cut at budgets that
use up the SLO, whose plans together serve the session, or just below a step of the cost.
"""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import path_times
from formulations.effort import INFEASIBLE, LIMIT, OPTIMAL, began, first_nodes, next_nodes
from formulations.session.module.continuous import continuous_problem, search_continuous
from formulations.session.module.line import Line, search_line
from formulations.session.split.course import unwatched
from formulations.session.split.modes import new_modes
from formulations.session.split.search import search_choices
from formulations.tolerances import CLOSED, CONTINUOUS_GAP, JUST_BELOW, JUST_PAST

# The known parts of a module's cost under rule `continuous`: plans at some budgets, and the intervals between (ours).
#
# Over an open interval (l, a] below a plan of latency a and cost c, no plan costs less than c, and none less than a
# line that was found for the interval (`line.py`). The larger of both falls from the line's start to c and stays.

NO_LINE = Line(math.nan, 0.0, 0.0)


class BudgetPlan(NamedTuple):
    """The cheapest plan of one module at a budget.

    Attributes:
        budget: L in seconds.
        latency: worst-case latency a of the plan in seconds.
        cost: money per hour; infinite means no plan.
        machines: whole machines per configuration of the module, shape (its configurations,).
        partial_at: configuration of the session with the partial machine; -1 means none.
    """

    budget: float
    latency: float
    cost: float
    machines: Ints
    partial_at: int


class Bounds(NamedTuple):
    """Lower bound on a module's cost: points by rising latency, with a step or a line from each to the next one.

    Attributes:
        latency: seconds, shape (points,).
        cost: money per hour, shape (points,).
        leads: whether a line leads to the next point, shape (points,).
        interval: number of the interval that the point belongs to, shape (points,).
    """

    latency: Floats
    cost: Floats
    leads: NDArray[np.bool_]
    interval: Ints


class Intervals(NamedTuple):
    """The intervals of latency budgets below a module's plans, one per plan; all arrays have the shape (plans,).

    Attributes:
        left: start of the interval, in seconds.
        latency: end of the interval, in seconds: worst-case latency of the plan.
        cost: cost of the plan per hour.
        is_open: whether other plans may lie within the interval.
        start: bound in money per hour at the start of the interval's line; the cost of the plan if there is no line.
        slope: fall of the line, in money per hour for each second.
        is_drawn: whether a line was searched.
    """

    left: Floats
    latency: Floats
    cost: Floats
    is_open: NDArray[np.bool_]
    start: Floats
    slope: Floats
    is_drawn: NDArray[np.bool_]

    @property
    def least(self) -> Floats:
        """Least latency of a plan in the interval or at its right end, in seconds."""
        return np.where(self.is_open, self.left, self.latency)

    @property
    def drop(self) -> Floats:
        """The fall of the cost per hour over the interval; infinite means that the cost below it is unknown."""
        return np.concatenate(([math.inf], self.cost[:-1])) - self.cost

    @property
    def vague(self) -> Floats:
        """The approximate largest excess of the cost per hour over the bound within the interval."""
        before = np.concatenate(([math.inf], self.cost[:-1]))
        return np.where(self.slope > 0.0, np.minimum(before - self.start, self.drop), self.drop)

    def bounds(self) -> Bounds:
        """The lower bound on the module's cost by the intervals and the plans at their ends."""
        # A closed interval ends where the next one begins; of two points at one latency the cheaper one counts.
        least = self.least
        row = np.flatnonzero(np.append(least[:-1] < least[1:], True))
        fall = np.where(self.is_open & (self.slope > 0.0), self.start - self.cost, 0.0)[row]
        with np.errstate(divide="ignore", invalid="ignore"):
            flat = least[row] + np.where(fall > 0.0, fall / self.slope[row], 0.0)
        leads = (fall > 0.0) & (flat > least[row]) & (flat <= self.latency[row])
        # Sorting by place puts the end of a line after its start.
        place = np.concatenate((2 * np.arange(row.size), 2 * np.flatnonzero(leads) + 1))
        order = np.argsort(place)
        latency = np.concatenate((least[row], flat[leads]))[order]
        cost = np.concatenate((self.cost[row] + np.where(leads, fall, 0.0), self.cost[row][leads]))[order]
        starts = np.concatenate((leads, np.zeros(int(leads.sum()), np.bool_)))[order]
        return Bounds(latency, cost, starts, np.concatenate((row, row[leads]))[order])


@dataclass(slots=True)
class Curve:
    """The known part of a module's cost: plans by rising budget and falling cost; none within `least` seconds."""

    least: float
    plans: list[BudgetPlan] = field(default_factory=list)
    budgets: list[float] = field(default_factory=list)
    lines: dict[float, Line] = field(default_factory=dict)
    """By the budget at the end of their interval; a line that begins elsewhere is out of date."""

    def add(self, found: BudgetPlan) -> None:
        """Insert the cheapest plan at its budget; infinite cost means that there is no plan within that budget.

        Plans stay by rising budget and falling cost. If another budget has a plan of the same cost, one of both stays.
        """
        at = bisect_left(self.budgets, found.budget)
        if not math.isfinite(found.cost):
            self.least = max(self.least, found.budget)
        elif at < len(self.plans) and self.plans[at].cost >= found.cost:
            self.plans[at] = found
        elif at and self.plans[at - 1].cost <= found.cost:
            # Nothing is cheaper up to this budget, so the plan before it covers it too.
            self.budgets[at - 1] = found.budget
        else:
            self.plans.insert(at, found)
            self.budgets.insert(at, found.budget)

    def intervals(self) -> Intervals:
        """The intervals below the plans, as far as the plans and the lines found bound the cost within them."""
        left = np.array([self.least, *self.budgets[:-1]])
        latency = np.array([plan.latency for plan in self.plans])
        cost = np.array([plan.cost for plan in self.plans])
        lines = [self.lines.get(budget, NO_LINE) for budget in self.budgets]
        # A line of an interval that was cut since begins elsewhere; `NO_LINE` begins at NaN and is never drawn.
        is_drawn = np.array([line.left for line in lines]) == left
        start = np.where(is_drawn, [line.start for line in lines], cost)
        slope = np.where(is_drawn, [line.slope for line in lines], 0.0)
        return Intervals(left, latency, cost, latency - left > CLOSED * latency, start, slope, is_drawn)


SHARE = 0.05
"""Share of the gap that is left to the search of one module, and to the choice of modes."""
NEAR = 32
"""Number of intervals on either side of a chosen one that are halved."""
INSIDE = 1e-3
"""Least share of an interval to cut off."""
ROUNDS_OF_STEPS = 4
"""Rounds without lines: most sessions are solved by then."""
LINE_NODES = 1 << 14
"""Most nodes of the search for a line."""
LINE_SEARCHES = 16
"""The most searches of the module's plans that a line may cost in nodes, because it should save that many."""


class ContinuousProof(NamedTuple):
    """The plan of a session that the bracketing of budgets found, with its proof.

    Attributes:
        status: OPTIMAL, INFEASIBLE or LIMIT.
        bound: proven lower bound on the session's cost per hour.
        plans: the plan of each module in the best plan found; empty means that none was found.
        solves: searches of one module, for plans and for lines.
        rounds: choices of one interval per module.
    """

    status: int
    bound: float
    plans: tuple[BudgetPlan, ...]
    solves: int
    rounds: int

    @property
    def cost(self) -> float:
        """Money per hour; infinite means no plan."""
        return sum(plan.cost for plan in self.plans) if self.plans else math.inf


class _OutOfTimeError(Exception):
    """The deadline has passed."""


class ContinuousSearch:
    """The bracketing of the latency budgets of one session's modules, until bound and plan meet."""

    def __init__(
        self, arrays: SessionArrays, least: list[float], deadline: float, most: tuple[float, ...] | None = None
    ) -> None:
        """Start from bounds on the modules' latencies.

        Args:
            arrays: the session in its plan space.
            least: lower bound on each module's worst-case latency in seconds.
            deadline: `time.perf_counter` value at which to stop; infinite means never.
            most: only plans in which no module takes longer than this, in seconds; None means any.
        """
        self.arrays, self.deadline = arrays, deadline
        self.most = np.full(len(least), np.inf) if most is None else np.array(most)
        self.curves = [Curve(latency) for latency in least]
        self.bound, self.plans, self.solves, self.rounds = 0.0, tuple[BudgetPlan, ...](), 0, 0
        self.searches, self.nodes = [0] * len(least), [0] * len(least)
        """Finished searches of each module's plans, and their nodes."""
        self.blurred = False
        """Whether a configuration that was left out as too narrow may belong to a cheaper plan."""

    def prove(self) -> ContinuousProof:
        """Search until bound and plan meet within `CONTINUOUS_GAP`, no progress is possible, or time is up."""
        try:
            status = self._prove()
        except _OutOfTimeError:
            status = LIMIT
        # A configuration that was left out may be part of a cheaper plan, so no bound holds.
        if self.blurred:
            return ContinuousProof(LIMIT, 0.0, self.plans, self.solves, self.rounds)
        return ContinuousProof(status, self.bound, self.plans, self.solves, self.rounds)

    def _prove(self) -> int:
        before, after = self._around(np.array([curve.least for curve in self.curves]))
        for m, room in enumerate(np.minimum(self.arrays.slo - before - after, self.most)):
            # The module has no plan even if all others take no longer than their bounds.
            if room <= 0.0 or not math.isfinite(self._search(m, float(room)).cost):
                return INFEASIBLE
        while True:
            intervals = [curve.intervals() for curve in self.curves]
            chosen, latency, bound, complete = self._choose(intervals)
            self.bound = max(self.bound, min(bound, self._cost()))
            if self.bound >= self._cost() * (1.0 - CONTINUOUS_GAP):
                return OPTIMAL if self.plans else INFEASIBLE
            # The deadline stopped the search over lines.
            if not complete:
                return LIMIT
            # The search found no choice below the plan's cost. Its tolerance shrinks with the gap, so it runs again.
            if not chosen:
                continue
            known = self.solves
            before_cut = self._cost()
            self._cut(intervals, chosen, latency)
            self._sharpen(latency)
            # Nothing was learned, so the next round would be the same: intervals are as narrow as rounding.
            if self.solves == known and self._cost() == before_cut:
                return LIMIT

    def _cost(self) -> float:
        """Cost per hour of the best plan found; infinite means none yet."""
        return sum(plan.cost for plan in self.plans) if self.plans else math.inf

    def _around(self, latency: Floats) -> tuple[Floats, Floats]:
        """Longest path before and after each module, in seconds."""
        before, after = np.zeros(latency.size), np.zeros(latency.size)
        path_times(self.arrays, latency, before, after)
        return before, after

    def _search(self, m: int, budget: float) -> BudgetPlan:
        """The cheapest plan of module m at a budget in seconds, which is added to its curve."""
        problem, nodes = continuous_problem(self.arrays, m, budget), first_nodes(self.deadline)
        while True:
            begun_s = began(self.deadline)
            if nodes == 0 or time.perf_counter() >= self.deadline:
                raise _OutOfTimeError
            self.solves += 1
            found = search_continuous(problem, SHARE * CONTINUOUS_GAP, nodes)
            if found.complete:
                break
            nodes = next_nodes(nodes, begun_s, self.deadline)
        self.searches[m] += 1
        self.nodes[m] += found.nodes
        machines = np.zeros(self.arrays.first[m + 1] - self.arrays.first[m], np.int64)
        machines[problem.configuration - self.arrays.first[m]] = found.machines
        partial_at = int(problem.configuration[found.partial_at]) if found.partial_at >= 0 else -1
        # A cheaper plan might use a configuration that was left out as too narrow.
        self.blurred = self.blurred or found.cost > problem.hidden
        plan = BudgetPlan(budget, min(found.latency, budget), found.cost, machines, partial_at)
        self.curves[m].add(plan)
        return plan

    def _choose(self, intervals: list[Intervals]) -> tuple[list[int], Floats, float, bool]:
        """Choose one interval and one latency per module so that the bounds there cost least.

        Returns:
            The interval of each module, the latencies in seconds, a lower bound on the cost per hour of all plans, and
            whether the search was exhausted. No interval means that no choice costs less than the plan found.
        """
        if time.perf_counter() >= self.deadline:
            raise _OutOfTimeError
        self.rounds += 1
        bounds = [known.bounds() for known in intervals]
        modes = new_modes(len(bounds), max(row.latency.size for row in bounds))
        leads = np.zeros(modes.latency.shape, np.bool_)
        for m, row in enumerate(bounds):
            modes.size[m] = size = row.latency.size
            modes.latency[m, :size], leads[m, :size] = row.latency, row.leads
            # Plans are the cheapest up to the share of the gap that their searches were given.
            modes.cost[m, :size] = row.cost * (1.0 - SHARE * CONTINUOUS_GAP)
        open_gap = 1.0 - self.bound / self._cost() if self.plans and self._cost() > 0.0 else 0.0
        # As long as the gap is wide, choices that differ by less than a share of it need not be distinguished.
        share = SHARE * max(CONTINUOUS_GAP, open_gap)
        choice = search_choices(self.arrays, modes, leads, self._cost(), share, self.deadline, unwatched())
        found = math.isfinite(choice.cost)
        chosen = [int(row.interval[i]) for row, i in zip(bounds, choice.chosen, strict=True)] if found else []
        return chosen, choice.latency, choice.bound * (1.0 - share), choice.complete

    def _cut(self, intervals: list[Intervals], chosen: list[int], latency: Floats) -> None:
        """Cut the chosen intervals at the latency chosen on a line, or else where the rest of the SLO is shared."""
        served = [curve.plans[i] for curve, i in zip(self.curves, chosen, strict=True)]
        left = np.array([known.least[i] for known, i in zip(intervals, chosen, strict=True)])
        right = np.array([plan.latency for plan in served])
        close = self._close()
        # If the left ends use up the SLO, the plans there serve the session, and none beyond them does.
        at_left = [max(0, i - 1) if left[m] < right[m] else i for m, i in enumerate(chosen)]
        self._offer([curve.plans[i] for curve, i in zip(self.curves, at_left, strict=True)])
        for m, (known, i) in enumerate(zip(intervals, chosen, strict=True)):
            inside = INSIDE * (right[m] - left[m])
            # Only on a falling line does the chosen latency say where to cut.
            if known.slope[i] == 0.0 or left[m] == right[m]:
                continue
            if left[m] + inside < latency[m] < right[m] - inside:
                left[m] = right[m] = latency[m]
            elif latency[m] <= left[m] + inside and i > 0 and known.vague[i] <= close:
                # At the left end of an interval that is known well enough, the plan before it was the choice.
                served[m] = self.curves[m].plans[i - 1]
                left[m] = right[m] = served[m].latency
        budgets = left + self._share_within(left, right) * (right - left)
        for m in range(len(chosen)):
            # A plan that keeps its budget anyway is the cheapest one there already.
            if budgets[m] < served[m].latency:
                served[m] = self._search_step(m, served[m], self.curves[m].budgets[chosen[m]], float(budgets[m]))
        self._offer(served)

    def _search_step(self, m: int, plan: BudgetPlan, plan_budget: float, budget: float) -> BudgetPlan:
        """The cheapest plan of module m at a budget below a plan's; costs may step just below that plan."""
        found = self._search(m, budget)
        # A plan with a partial machine that uses up its budget is on a falling part of the cost, not at a step.
        may_step = plan.partial_at < 0 or plan.latency < plan_budget * JUST_BELOW
        if may_step and found.cost > plan.cost and plan.latency * JUST_BELOW > budget:
            self._search(m, plan.latency * JUST_BELOW)
        return found

    def _close(self) -> float:
        """The largest error per hour of every module's bound at which the gap still closes; 0 without a plan."""
        return 0.25 * (self._cost() - self.bound) / len(self.curves) if self.plans else 0.0

    def _sharpen(self, latency: Floats) -> None:
        """Search lines over intervals near the chosen latencies that bound the cost poorly; halve those with one."""
        close = self._close()
        if not self.plans:
            return
        for m, curve in enumerate(self.curves):
            known, budgets = curve.intervals(), curve.budgets.copy()
            at = int(np.searchsorted(known.latency, latency[m]))
            near = np.flatnonzero((known.is_open & (known.vague > close))[: at + NEAR + 1])
            for i in near[near >= at - NEAR]:
                if self.rounds > ROUNDS_OF_STEPS and not known.is_drawn[i] and known.drop[i] <= known.cost[i]:
                    curve.lines[budgets[i]] = self._line(m, known, int(i))
                else:
                    self._search(m, 0.5 * float(known.left[i] + known.latency[i]))

    def _line(self, m: int, known: Intervals, i: int) -> Line:
        """A line below the costs of module m over interval i; a level one at the known bound if none is better."""
        left, end, cost, drop = (float(v[i]) for v in (known.left, known.latency, known.cost, known.drop))
        problem = continuous_problem(self.arrays, m, end)
        # Lines do not cover configurations left out as too narrow, and their search needs prices above 0.
        if cost + drop <= problem.hidden and problem.price.min() > 0.0:
            self.solves += 1
            slope = drop / (end - left)
            most = min(LINE_NODES, LINE_SEARCHES * self.nodes[m] // self.searches[m])
            found = search_line(problem, left, slope, cost + drop, SHARE * CONTINUOUS_GAP, most)
            if found.complete and found.start > cost:
                return Line(left, found.start, slope)
        return Line(left, cost, 0.0)

    def _share_within(self, left: Floats, right: Floats) -> float:
        """Largest share of all intervals that can be added to their left ends within the SLO; a half if none can."""
        low, high = 0.0, 1.0
        if self._is_within(right):
            return high
        while high - low > 1e-14:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self._is_within(left + middle * (right - left)) else (low, middle)
        return low if low > INSIDE else 0.5

    def _is_within(self, latency: Floats) -> bool:
        """Whether these latencies in seconds meet the SLO, which is taken a little longer (`JUST_PAST`)."""
        before, after = np.zeros(latency.size), np.zeros(latency.size)
        return path_times(self.arrays, latency, before, after) <= self.arrays.slo * JUST_PAST

    def _offer(self, plans: list[BudgetPlan]) -> None:
        """Keep one plan per module as the best plan of the session if they meet the SLO and cost less than it."""
        if sum(plan.cost for plan in plans) < self._cost() and self._is_within(np.array([p.latency for p in plans])):
            self.plans = tuple(plans)
