"""A bound on several modules over time: what machines cost is shared between modules and steps (ours).

The modules over time know what changes cost, and the steps know the SLO. Let any part s_k of a machine's price be
charged by its step, the rest by its module, and let a second of latency cost the module μ_k, which the step gives back.
For any such numbers the cost of a plan is at least

sum over modules of {Σ_k (L_k·p - s_k)·x_k + μ_k·latency_k, and the changes}
+ sum over steps of {Σ_m s_k·x_k - μ_k·latency_k},

each minimised alone: a module by dynamic programming over vectors of machines, which have to serve the rate of the step
at some latency, and a step as a session whose SLO and stock hold. With s = L·p + α_k - α_{k+1} and μ = 0 it is the
bound of `machine_values`; with s = 0 it is that of latencies at prices. It begins with s = L·p and μ = 0, that is with
the steps alone. Numbers follow subgradients: where a step has more machines than the module over time they get more
expensive there. What is lost: both may mix plans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from euclio.problems.day import Day
from formulations.day.ascent import Moves
from formulations.day.choices import Box, Floats, Ints, latency_tables
from formulations.day.course_kernel import cheapest_course
from formulations.day.machine_values import LEAST_MACHINES
from formulations.day.one_module import ROUNDING
from formulations.day.pool import Money
from formulations.day.steps import Steps

MOST_ENTRIES = 20_000_000
"""Entries of the tables of all modules at most, by step and vector; else there is no such bound."""
LEAST_SLO = 0.01
"""Share of the SLO by which a subgradient is small."""
SECONDS = 2.0
"""Unit in which prices of latency move, in multiples of what a module costs in a step, per SLO."""


@dataclass(slots=True)
class _Module:
    """A module over time.

    Attributes:
        latency_s: latencies of its vectors by rate.
        row: the rate of each step.
        shape: numbers of machines of each type, plus one.
        cost: room for the tables of all steps.
        on: machines of its last course, shape (steps, types).
        seconds: latencies of that course.
    """

    latency_s: Floats
    row: Ints
    shape: Ints
    cost: Floats
    on: Ints
    seconds: Floats


class SharedPrices:
    """Prices that are shared between modules and steps, on their way up.

    Attributes:
        steps: the steps, for bounds.
        money: what machines cost.
        charged: what steps charge for a machine, shape (steps, modules, types).
        worth: what a second of latency brings a step in, shape (steps, modules).
        best: the largest bound so far.
    """

    def __init__(self, day: Day, boxes: Sequence[Box], steps: Steps, money: Money, cost: float) -> None:
        """All is charged by the steps to begin with; `cost` is what a plan costs, for the size of moves."""
        self.steps, self.money = steps, money
        count, types = money.running.shape
        self._modules: list[_Module] = []
        for m, own in enumerate(boxes):
            tables, row = latency_tables(day, m, own)
            room = np.empty((count, tables.shape[1]))
            on, seconds = np.zeros((count, types), np.int64), np.zeros(count)
            self._modules.append(_Module(tables, row, own.most + 1, room, on, seconds))
        self.charged: Floats = np.repeat(money.running[:, None], len(boxes), axis=1)
        self.worth: Floats = np.zeros((count, len(boxes)))
        self.best = -np.inf
        # Machines are measured in what changes cost, so that all types move alike.
        self._machine_moves = Moves(money.start + money.stop, LEAST_MACHINES)
        per_slo = SECONDS * cost / self.worth.size
        self._second_moves = Moves(np.array(per_slo / steps.slo_s), LEAST_SLO)

    def prices(self) -> Floats:
        """Prices of machines in each step; below 0 where having one on is worth more than it costs."""
        return self.charged

    def climb(self, length: float) -> None:
        """Bound the cost by the present prices, and move them."""
        courses, steps = self._courses(), self.steps
        least, on = steps.cheapest(self.charged, self.worth)
        seconds = steps.latencies()
        self.best = max(self.best, courses + least - ROUNDING * self._size())
        machines = on - np.stack([module.on for module in self._modules], axis=1)
        slower = np.stack([module.seconds for module in self._modules], axis=1) - seconds
        self.charged = self.charged + self._machine_moves.next(machines, length)
        self.worth = self.worth + self._second_moves.next(slower / steps.slo_s, length)

    def _size(self) -> float:
        """The sum of all amounts that are added next to those of the steps, of which rounding is a share."""
        most, changes = self.steps.most, self.money.start + self.money.stop
        left = np.abs(self.money.running[:, None] - self.charged) + changes
        seconds = 2 * np.abs(self.worth).sum() * self.steps.slo_s
        return float((left * most).sum() + seconds)

    def _courses(self) -> float:
        """The least cost of the modules over time."""
        left = self.money.running[:, None] - self.charged
        total = 0.0
        for m, own in enumerate(self._modules):
            total += cheapest_course(
                own.latency_s,
                own.row,
                np.ascontiguousarray(left[:, m]),
                np.ascontiguousarray(self.worth[:, m]),
                self.money.start[m],
                self.money.stop[m],
                own.shape,
                own.cost,
                own.on,
                own.seconds,
            )
        return total


def fits(day: Day, boxes: Sequence[Box]) -> bool:
    """Whether the tables of all modules are small enough."""
    entries = len(day.steps) * sum(own.rates.shape[1] for own in boxes)
    return bool(entries <= MOST_ENTRIES)
