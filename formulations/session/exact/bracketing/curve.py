"""What is known of a module's cost under rule `continuous`: plans at some budgets, and the intervals between (ours).

Over an open interval (l, a] below a plan of latency a and cost c, no plan costs less than c, and none less than a line
that was found for the interval (`line.py`). The larger of both falls from the line's start to c and stays.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.problems.session.arrays import Floats, Ints
from formulations.session.module.line import Line
from formulations.tolerances import CLOSED

NO_LINE = Line(math.nan, 0.0, 0.0)


class Found(NamedTuple):
    """The cheapest plan of one module at a budget.

    Attributes:
        budget: L in seconds.
        latency: worst-case latency a of the plan in seconds.
        cost: money per hour; infinite: no plan.
        machines: whole machines per configuration of the module, shape (its configurations,).
        partial_at: configuration of the session with the partial machine, -1: none.
    """

    budget: float
    latency: float
    cost: float
    machines: Ints
    partial_at: int


class Bounds(NamedTuple):
    """Lower bound on a module's cost: points by rising latency, each followed by a step or a line to the next one.

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
        left: where the interval begins, in seconds.
        latency: where it ends, in seconds: worst-case latency of the plan.
        cost: cost of the plan per hour.
        is_open: whether other plans may lie within the interval.
        start: bound in money per hour with which the interval's line begins; the cost of the plan: there is no line.
        slope: by how much the line falls, in money per hour for each second.
        is_drawn: whether a line was looked for.
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
        """By how much the cost per hour falls over the interval; infinite: nothing is known below it."""
        return np.concatenate(([math.inf], self.cost[:-1])) - self.cost

    @property
    def vague(self) -> Floats:
        """About the most by which the cost per hour may exceed the bound within the interval."""
        before = np.concatenate(([math.inf], self.cost[:-1]))
        return np.where(self.slope > 0.0, np.minimum(before - self.start, self.drop), self.drop)

    def bounds(self) -> Bounds:
        """The lower bound on the module's cost that the intervals and the plans at their ends make together."""
        # A closed interval ends where the next one begins: of two points at one latency the cheaper one counts.
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
    """What is known of a module's cost: plans by rising budget and falling cost; none within `least` seconds."""

    least: float
    plans: list[Found] = field(default_factory=list)
    budgets: list[float] = field(default_factory=list)
    lines: dict[float, Line] = field(default_factory=dict)
    """By the budget at which their interval ends; one that begins elsewhere is out of date."""

    def add(self, found: Found) -> None:
        """Insert the cheapest plan at its budget; one of infinite cost says that there is none within that budget.

        Plans stay by rising budget and falling cost. Where another budget has a plan as cheap, one of both is kept.
        """
        at = bisect_left(self.budgets, found.budget)
        if not math.isfinite(found.cost):
            self.least = max(self.least, found.budget)
        elif at < len(self.plans) and self.plans[at].cost >= found.cost:
            self.plans[at] = found
        elif at and self.plans[at - 1].cost <= found.cost:
            # Nothing is cheaper up to this budget, so that the plan before it covers it too.
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
        # A line of an interval that was cut since begins elsewhere; `NO_LINE` begins at no number and is never drawn.
        is_drawn = np.array([line.left for line in lines]) == left
        start = np.where(is_drawn, [line.start for line in lines], cost)
        slope = np.where(is_drawn, [line.slope for line in lines], 0.0)
        return Intervals(left, latency, cost, latency - left > CLOSED * latency, start, slope, is_drawn)
