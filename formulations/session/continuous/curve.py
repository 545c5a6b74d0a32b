"""What is known of a module's cost under rule `continuous`: plans at some budgets, and the intervals between (ours)."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.session.arrays import TIE, Floats, Ints

CLOSED = 16.0 * TIE
"""Intervals this narrow, as a share of their budget, hold no other plans: rounding blurs them."""


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


class Intervals(NamedTuple):
    """The intervals below a module's plans, shape (plans,): where they begin, by how much the cost falls, if open."""

    left: Floats
    latency: Floats
    cost: Floats
    is_open: NDArray[np.bool_]

    @property
    def least(self) -> Floats:
        """Least latency of a plan in the interval or at its right end, in seconds."""
        return np.where(self.is_open, self.left, self.latency)

    @property
    def drop(self) -> Floats:
        """By how much the cost falls over the interval."""
        return np.concatenate(([math.inf], self.cost[:-1])) - self.cost


@dataclass(slots=True)
class Curve:
    """What is known of a module's cost: plans by rising budget and falling cost; none within `least` seconds."""

    least: float
    plans: list[Found] = field(default_factory=list)
    budgets: list[float] = field(default_factory=list)

    def add(self, found: Found) -> None:
        """Insert a plan, or learn that there is none at its budget."""
        at = bisect_left(self.budgets, found.budget)
        if not math.isfinite(found.cost):
            self.least = max(self.least, found.budget)
        elif at < len(self.plans) and self.plans[at].cost >= found.cost:
            self.plans[at] = found
        elif at and self.plans[at - 1].cost <= found.cost:
            self.budgets[at - 1] = found.budget
        else:
            self.plans.insert(at, found)
            self.budgets.insert(at, found.budget)

    def intervals(self) -> Intervals:
        """What the plans say of the budgets between them."""
        left = np.array([self.least, *self.budgets[:-1]])
        latency = np.array([plan.latency for plan in self.plans])
        cost = np.array([plan.cost for plan in self.plans])
        return Intervals(left, latency, cost, latency - left > CLOSED * latency)
