"""Rule `continuous`: the cheapest plan of a session by bracketing every module's latency budget (ours).

A module's cost C(L) never rises with its budget L. The cheapest plan at L takes a <= L seconds, so C is constant on
[a, L]; on the interval down to the next smaller budget l whose cost is known, C is at least C(a). Taken as a mode of
latency l and cost C(a), the interval bounds all plans within it from below, and the cheapest choice of one mode per
module bounds the session (`mode_search`). Where that choice is not a plan, its intervals are cut: at budgets that use
up the SLO, whose plans together serve the session, or just below a step of the cost.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

import numpy as np

from euclio.session.arrays import TIE, Floats, Ints, SessionArrays
from euclio.session.dispatch import path_times
from formulations.session.continuous.curve import Curve, Found, Intervals
from formulations.session.continuous.module_search import search_continuous
from formulations.session.continuous.problem import continuous_problem
from formulations.session.exact.frontier_search import INFEASIBLE, LIMIT, OPTIMAL
from formulations.session.exact.mode_search import search_modes
from formulations.session.exact.modes import new_modes

GAP = 5e-7
"""Relative gap between plan and bound at which the search stops."""
SHARE = 0.05
"""Share of the gap left to the search of one module, and to the choice of modes."""
JUST_BELOW = 1.0 - 4.0 * TIE
NEAR = 32
"""So many intervals to either side of a chosen one are halved."""
INSIDE = 1e-3
"""Least share of an interval to cut off."""
PAST = 1.0 + 3.0 * TIE
"""Budgets are cut this much past the SLO, so that the intervals above two cuts together are clearly beyond it."""
NODES_BETWEEN_CLOCKS = 1 << 20


class ContinuousProof(NamedTuple):
    """Outcome of the search.

    Attributes:
        status: OPTIMAL, INFEASIBLE or LIMIT.
        bound: proven lower bound on the session's cost per hour.
        plans: the best plan's modules; empty: none was found.
        solves: searches of one module.
        rounds: choices of modes.
    """

    status: int
    bound: float
    plans: tuple[Found, ...]
    solves: int
    rounds: int

    @property
    def cost(self) -> float:
        """Money per hour; infinite: no plan."""
        return sum(plan.cost for plan in self.plans) if self.plans else math.inf


class _OutOfTimeError(Exception):
    """The deadline has passed."""


class ContinuousSearch:
    """The search of one session; see the module's docstring."""

    def __init__(self, arrays: SessionArrays, least: list[float], deadline: float) -> None:
        """Start from bounds on the modules' latencies.

        Args:
            arrays: the session in its plan space.
            least: lower bound on each module's worst-case latency in seconds.
            deadline: `time.perf_counter` value at which to stop; infinite: never.
        """
        self.arrays, self.deadline = arrays, deadline
        self.curves = [Curve(latency) for latency in least]
        self.bound, self.plans, self.solves, self.rounds = 0.0, tuple[Found, ...](), 0, 0
        self.blurred = False
        """Whether a configuration that was left out as too narrow may belong to a cheaper plan."""

    def prove(self) -> ContinuousProof:
        """Search until bound and plan meet, or the deadline has passed."""
        try:
            status = self._prove()
        except _OutOfTimeError:
            status = LIMIT
        if self.blurred:
            return ContinuousProof(LIMIT, 0.0, self.plans, self.solves, self.rounds)
        return ContinuousProof(status, self.bound, self.plans, self.solves, self.rounds)

    def _prove(self) -> int:
        before, after = self._around(np.array([curve.least for curve in self.curves]))
        for m, room in enumerate(self.arrays.slo - before - after):
            if room <= 0.0 or not math.isfinite(self._search(m, float(room)).cost):
                return INFEASIBLE
        while True:
            intervals = [curve.intervals() for curve in self.curves]
            chosen, bound, complete = self._choose(intervals)
            self.bound = max(self.bound, min(bound, self._cost()))
            if self.bound >= self._cost() * (1.0 - GAP):
                return OPTIMAL if self.plans else INFEASIBLE
            if not complete:
                return LIMIT
            if not chosen:
                continue
            before_cut = self._cost()
            is_open = self._cut(intervals, chosen)
            if not is_open and self._cost() == before_cut:
                return LIMIT
            self._halve_near(intervals, chosen)

    def _cost(self) -> float:
        return sum(plan.cost for plan in self.plans) if self.plans else math.inf

    def _around(self, latency: Floats) -> tuple[Floats, Floats]:
        """Longest path before and after each module, in seconds."""
        before, after = np.zeros(latency.size), np.zeros(latency.size)
        path_times(self.arrays, latency, before, after)
        return before, after

    def _search(self, m: int, budget: float) -> Found:
        """The cheapest plan of module m at a budget, added to its curve."""
        problem, nodes = continuous_problem(self.arrays, m, budget), NODES_BETWEEN_CLOCKS
        while True:
            if time.perf_counter() >= self.deadline:
                raise _OutOfTimeError
            self.solves += 1
            found = search_continuous(problem, SHARE * GAP, nodes)
            if found.complete:
                break
            nodes *= 4
        machines = np.zeros(self.arrays.first[m + 1] - self.arrays.first[m], np.int64)
        machines[problem.configuration - self.arrays.first[m]] = found.machines
        partial_at = int(problem.configuration[found.partial_at]) if found.partial_at >= 0 else -1
        self.blurred = self.blurred or found.cost > problem.hidden
        plan = Found(budget, min(found.latency, budget), found.cost, machines, partial_at)
        self.curves[m].add(plan)
        return plan

    def _choose(self, intervals: list[Intervals]) -> tuple[list[int], float, bool]:
        """One interval per module, which bound all plans; the bound, and if it is proven; none: the bound is met."""
        if time.perf_counter() >= self.deadline:
            raise _OutOfTimeError
        self.rounds += 1
        modes, rows = new_modes(len(intervals), max(row.left.size for row in intervals)), list[Ints]()
        for m, known in enumerate(intervals):
            # A closed interval ends where the next one begins: of two modes at one latency the cheaper one counts.
            least = known.least
            row = np.flatnonzero(np.append(least[:-1] < least[1:], True))
            modes.size[m] = row.size
            modes.latency[m, : row.size] = least[row]
            modes.cost[m, : row.size] = known.cost[row] * (1.0 - SHARE * GAP)
            rows.append(row)
        open_gap = 1.0 - self.bound / self._cost() if self.plans and self._cost() > 0.0 else 0.0
        share = SHARE * max(GAP, open_gap)
        choice = search_modes(self.arrays, modes, self._cost(), share, self.deadline)
        found = math.isfinite(choice.cost)
        chosen = [int(row[i]) for row, i in zip(rows, choice.chosen, strict=True)] if found else []
        return chosen, choice.bound * (1.0 - share), choice.complete

    def _cut(self, intervals: list[Intervals], chosen: list[int]) -> bool:
        """Cut the intervals below the chosen plans; False: none is open."""
        served = [curve.plans[i] for curve, i in zip(self.curves, chosen, strict=True)]
        left = np.array([known.least[i] for known, i in zip(intervals, chosen, strict=True)])
        right = np.array([plan.latency for plan in served])
        budgets = left + self._share_within(left, right) * (right - left)
        for m in np.flatnonzero(budgets < right):
            plan, budget = served[m], self.curves[m].budgets[chosen[m]]
            served[m] = self._search(int(m), float(budgets[m]))
            may_step = plan.partial_at < 0 or plan.latency < budget * JUST_BELOW
            if may_step and served[m].cost > plan.cost and plan.latency * JUST_BELOW > budgets[m]:
                self._search(int(m), plan.latency * JUST_BELOW)
        self._offer(served)
        return bool((left < right).any())

    def _halve_near(self, intervals: list[Intervals], chosen: list[int]) -> None:
        """Halve intervals beside the chosen ones over which the cost falls by more than a share of the gap."""
        vague = 0.25 * (self._cost() - self.bound) / len(chosen)
        if not math.isfinite(vague):
            return
        for m, (known, at) in enumerate(zip(intervals, chosen, strict=True)):
            vaguest = known.is_open & (known.drop > vague)
            vaguest[at] = False
            for i in np.flatnonzero(vaguest[: at + NEAR + 1]):
                if i >= at - NEAR:
                    self._search(m, 0.5 * float(known.left[i] + known.latency[i]))

    def _share_within(self, left: Floats, right: Floats) -> float:
        """Largest share of all intervals that can be added to their left ends within the SLO; halves where none can."""
        low, high = 0.0, 1.0
        if self._is_within(right):
            return high
        while high - low > 1e-14:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self._is_within(left + middle * (right - left)) else (low, middle)
        return low if low > INSIDE else 0.5

    def _is_within(self, latency: Floats) -> bool:
        before, after = np.zeros(latency.size), np.zeros(latency.size)
        return path_times(self.arrays, latency, before, after) <= self.arrays.slo * PAST

    def _offer(self, plans: list[Found]) -> None:
        """Keep the plans if they serve the session for less."""
        if sum(plan.cost for plan in plans) < self._cost() and self._is_within(np.array([p.latency for p in plans])):
            self.plans = tuple(plans)
