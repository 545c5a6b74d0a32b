"""A bound on several modules over time: what machines cost is shared between modules and steps (ours).

The modules over time know what changes cost, and the steps know the SLO. Let any part s_k of a machine's price be
charged by its step, the rest by its module, and let a second of latency cost the module μ_k, which the step gives back.
For any such numbers the cost of a plan is at least

sum over modules of {Σ_k (L_k·p - s_k)·x_k + μ_k·latency_k, and the changes}
+ sum over steps of {Σ_m s_k·x_k - μ_k·latency_k},

each minimised alone: a module by dynamic programming over vectors of machines, which have to serve the rate of the step
at some latency, and a step as a session whose SLO holds. With s = L·p + α_k - α_{k+1} and μ = 0 it is the bound of
`machine_values`, from which it begins; with s = 0 it is that of latencies at prices. Numbers follow subgradients: where
a step has more machines than the module over time they get more expensive there. What is lost: both may mix plans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from euclio.day import Day
from formulations.day.choices import Box, Floats, Ints, latency_tables
from formulations.day.course_kernel import cheapest_course
from formulations.day.machine_values import Ascent
from formulations.day.one_module import ROUNDING

MOST_ENTRIES = 20_000_000
"""Entries of the tables of all modules at most, by step and vector; else there is no such bound."""
FIRST_LENGTH, PATIENCE, SHORTER = 0.3, 6, 0.7
"""Steps along subgradients: the first length, numbers without a better bound before they get shorter, by how much."""
INERTIA = 0.9
"""Share of the direction before in the next one."""


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
    """Prices that are shared between modules and steps, on their way up; `best` is the largest bound so far."""

    def __init__(self, day: Day, boxes: Sequence[Box], begun: Ascent) -> None:
        """It begins with the values of machines of an ascent that is over."""
        self.begun, self.money = begun, begun.money
        steps, types = self.money.running.shape
        self.modules: list[_Module] = []
        for m, own in enumerate(boxes):
            tables, row = latency_tables(day, m, own)
            room = np.empty((steps, tables.shape[1]))
            on, seconds = np.zeros((steps, types), np.int64), np.zeros(steps)
            self.modules.append(_Module(tables, row, own.most + 1, room, on, seconds))
        self.charged = self.money.running[:, None] + begun.values[:-1] - begun.values[1:]
        self.per_s = np.zeros((steps, len(boxes)))
        self.stock_prices = begun.stock_prices.copy()
        self.best = begun.best
        self._length, self._waited = FIRST_LENGTH, 0
        self._direction: tuple[Floats, Floats] | None = None

    def prices(self) -> Floats:
        """Prices of machines in each step; below 0 where having one on is worth more than it costs."""
        found: Floats = self.charged + self.stock_prices[:, None]
        return found

    def climb(self, target: float) -> None:
        """Bound the cost by the present prices, and move them; `target` is what a plan costs."""
        courses = self._courses()
        least, on, seconds, excess = self._steps()
        bound = courses + least - ROUNDING * self._size()
        if bound > self.best:
            self.best, self._waited = bound, 0
        else:
            self._waited += 1
            if self._waited >= PATIENCE:
                self._length, self._waited = self._length * SHORTER, 0
        machines = (on - np.stack([own.on for own in self.modules], axis=1)).astype(np.float64)
        slower = np.stack([own.seconds for own in self.modules], axis=1) - seconds
        if self._direction is not None:
            machines = INERTIA * self._direction[0] + (1 - INERTIA) * machines
            slower = INERTIA * self._direction[1] + (1 - INERTIA) * slower
        self._direction = machines, slower
        # Machines are measured in what changes cost, seconds in the mean cost of a module and step per SLO.
        unit = self.money.start + self.money.stop
        per_s = target / self.per_s.size / self.begun.steps.slo_s**2
        size = float((machines**2 * unit).sum() + (slower**2).sum() * per_s + (excess**2 * unit).sum())
        if not size:
            return
        # Polyak's rule, as in `machine_values`.
        move = self._length * max(0.0, target - bound) / size
        self.charged = self.charged + move * unit * machines
        self.per_s = self.per_s + move * per_s * slower
        self.stock_prices = np.maximum(0.0, self.stock_prices + move * unit * excess)

    def _size(self) -> float:
        """The sum of all amounts that are added, of which rounding is a share."""
        most, changes = self.begun.most, self.money.start + self.money.stop
        left = np.abs(self.money.running[:, None] - self.charged) + np.abs(self.charged) + changes
        seconds = 2 * np.abs(self.per_s).sum() * self.begun.steps.slo_s
        stock = self.stock_prices[:, None] * most
        return float((left * most).sum() + seconds + 2 * stock.sum())

    def _courses(self) -> float:
        """The least cost of the modules over time."""
        left = self.money.running[:, None] - self.charged
        total = 0.0
        for m, own in enumerate(self.modules):
            total += cheapest_course(
                own.latency_s,
                own.row,
                np.ascontiguousarray(left[:, m]),
                np.ascontiguousarray(self.per_s[:, m]),
                self.money.start,
                self.money.stop,
                own.shape,
                own.cost,
                own.on,
                own.seconds,
            )
        return total

    def _steps(self) -> tuple[float, Ints, Floats, Floats]:
        """The least cost of the steps, machines and latencies chosen there, and machines beyond the stock."""
        own = self.begun.steps
        prices = self.prices()
        # A price below 0 is taken as 0 here and paid out below, with as many machines on as are of any use.
        least, on = own.cheapest(np.maximum(prices, 0.0), self.per_s)
        on = np.where(prices < 0, self.begun.most, on)
        seconds = np.where(own.chosen >= 0, own.choices.latency_s[own.chosen], 0.0)
        given, excess = self.begun.beyond_stock(self.stock_prices, on)
        total = float(least.sum() + (np.minimum(prices, 0.0) * self.begun.most).sum() - given)
        return total, on, seconds, excess


def fits(day: Day, boxes: Sequence[Box]) -> bool:
    """Whether the tables of all modules are small enough."""
    entries = len(day.steps) * sum(own.rates.shape[1] for own in boxes)
    return bool(entries <= MOST_ENTRIES)
