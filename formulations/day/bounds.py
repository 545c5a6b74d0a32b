"""Bounds on several modules over time (ours), by prices of machines and of latency, and steps that follow them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.problems.day import Day
from formulations.day.choices import Box, Floats, Ints, latency_tables
from formulations.day.paths import after_changes, best_before
from formulations.day.pool import Money
from formulations.day.rate_table import ROUNDING
from formulations.day.steps import Steps

# The cheapest course of one module over all steps, at prices of machines and of latency (compiled, ours).


class Course(NamedTuple):
    """A module over time, and its last course of machines.

    Attributes:
        latency_s: latency of each vector of machines by rate, infinite if it does not serve, shape (rates, vectors).
        row: the row of each step's rate.
        shape: numbers of machines of each type, plus one.
        cost: room for the tables of all steps, shape (steps, vectors).
        on: machines of its last course, shape (steps, types).
        seconds: latencies of that course.
    """

    latency_s: Floats
    row: Ints
    shape: Ints
    cost: Floats
    on: Ints
    seconds: Floats


@compiled
def cheapest_course(own: Course, prices: Floats, price_of_s: Floats, start: Floats, stop: Floats) -> float:
    """The least cost of a course of vectors of machines; writes the course.

    Args:
        own: the module.
        prices: price of a machine in each step, shape (steps, types).
        price_of_s: price of a second of latency in each step.
        start: money per machine that is started, by type.
        stop: money per machine that is stopped, by type.
    """
    latency_s, row, shape, cost = own.latency_s, own.row, own.shape, own.cost
    steps, cells = cost.shape
    types = shape.size
    # List the vector of each place of a flat table, since prices and changes are per type.
    vectors = np.empty((types, cells))
    for place in range(cells):
        rest = place
        for axis in range(types - 1, -1, -1):
            vectors[axis, place] = rest % shape[axis]
            rest //= shape[axis]
    # Forward pass: the cost of the cheapest course up to a step, by its last vector.
    for k in range(steps):
        here = cost[k]
        if k:
            here[:] = cost[k - 1]
            # One sweep per type covers all changes of vectors, since changes are charged type by type.
            after_changes(here, shape, start, stop)
        else:
            here[:] = 0.0
        seconds = latency_s[row[k]]
        for axis in range(types):
            price, numbers = prices[k, axis], vectors[axis]
            for place in range(cells):
                here[place] += price * numbers[place]
        for place in range(cells):
            # A vector that does not serve the step has infinite latency, so no course goes through it.
            slow = seconds[place]
            here[place] = here[place] + price_of_s[k] * slow if slow < np.inf else np.inf
    at = int(np.argmin(cost[steps - 1]))
    least = cost[steps - 1, at]
    # Backward pass: the tables lack the predecessors of vectors, so each step needs one more search.
    for k in range(steps - 1, -1, -1):
        for axis in range(types):
            own.on[k, axis] = int(vectors[axis, at])
        own.seconds[k] = latency_s[row[k], at]
        if k:
            at = best_before(cost[k - 1], shape, at, start, stop)
    return float(least)


# Numbers that follow subgradients of a bound, with steps scaled by the recent size of each one (ours).
#
# A bound that holds for any prices is the largest at some; at an edge a subgradient points up. The moves are those of
# Adam (Kingma and Ba, *Adam: A Method for Stochastic Optimization*, ICLR 2015, algorithm 1): a mean of the last
# subgradients over the root of the mean of their squares. So a price with a move in one step of the day does not wait
# for those with moves in all steps. The length falls from move to move by the same factor.

FIRST_LENGTH, LAST_LENGTH = 0.2, 0.005
"""Length of the first move and of the last one, in units of the numbers."""
MEAN, SQUARE = 0.8, 0.95
"""Share of the mean before in the next one, of subgradients and of their squares."""


def length_of(n: int, moves: int) -> float:
    """Length of move n of a number of moves."""
    return float(FIRST_LENGTH * (LAST_LENGTH / FIRST_LENGTH) ** (n / moves))


class Moves:
    """Moves of some numbers.

    Attributes:
        unit: about the largest change of each number by a move of length 1.
        least: subgradients that are small next to it move a number by less.
    """

    def __init__(self, unit: Floats, least: float) -> None:
        """Begin without a move."""
        self.unit, self.least = unit, least
        self._made = 0
        self._mean: Floats = np.zeros(1)
        self._square: Floats = np.zeros(1)

    def next(self, subgradient: Floats, length: float) -> Floats:
        """The changes of the numbers by the next move."""
        self._made += 1
        self._mean = MEAN * self._mean + (1 - MEAN) * subgradient
        self._square = SQUARE * self._square + (1 - SQUARE) * subgradient**2
        # Both means begin at 0, and this corrects them.
        mean, square = self._mean / (1 - MEAN**self._made), self._square / (1 - SQUARE**self._made)
        moved: Floats = length * self.unit * mean / (np.sqrt(square) + self.least)
        return moved


# A bound on several modules over time, with values of machines that make steps independent (ours).
#
# A start costs u and a stop v. Let a machine of module m and type h that is on at the begin of step k be worth α_k
# between -v and u. A change from x to y machines costs at least α·(y - x), up or down. So for any such values the cost
# of a plan is at least
#
# sum over steps of {Σ_m Σ_h (L_k·p + α_k - α_{k+1})·x_k}, with α_1 = α_{K+1} = 0,
#
# and each step is a session with its own prices of machines, which `step_kernel` solves with its SLO and the stock.
# Values follow subgradients: a machine that starts between two steps gets a higher value there. The bound is not tight,
# since a step may mix plans.

LEAST_MACHINES = 0.1
"""Number of machines that is small as a subgradient."""


class MachineValues:
    """Values of machines during the ascent of the bound.

    Attributes:
        steps: the steps, for bounds.
        money: costs of machines.
        values: the values, shape (steps + 1, modules, types).
        best: the largest bound so far.
        worth: value of a second of latency, which is 0.
    """

    def __init__(self, steps: Steps, money: Money) -> None:
        """Begin with all values at 0."""
        self.steps, self.money = steps, money
        count = len(money.running)
        self.values: Floats = np.zeros((count + 1, *steps.most.shape))
        self.best, self.worth = -np.inf, None
        # The unit of values is the cost of changes, so that all types move alike.
        self._moves = Moves(money.start + money.stop, LEAST_MACHINES)

    def prices(self) -> Floats:
        """Prices of machines in each step; below 0 if a running one is worth more than it costs."""
        return self.money.running[:, None] + self.values[:-1] - self.values[1:]

    def climb(self, length: float) -> None:
        """Bound the cost by the present values, and move them."""
        bound, on = self.steps.cheapest(self.prices())
        self.best = max(self.best, bound)
        moved = self.values[1:-1] + self._moves.next(on[1:] - on[:-1], length)
        # The bound holds for values from minus the price of a stop to that of a start.
        self.values[1:-1] = np.clip(moved, -self.money.stop, self.money.start)


# A bound on several modules over time, with the costs of machines divided between modules and steps (ours).
#
# The modules over time know the costs of changes, and the steps know the SLO. Let its step charge any part s_k of a
# machine's price, and its module the rest. Let a second of latency cost the module μ_k, which the step gives back. For
# any such numbers the cost of a plan is at least
#
# sum over modules of {Σ_k (L_k·p - s_k)·x_k + μ_k·latency_k, and the changes} + sum over steps of {Σ_m s_k·x_k -
# μ_k·latency_k},
#
# each minimised alone: a module by dynamic programming over vectors of machines that serve the rate of the step at some
# latency, and a step as a session with its SLO and stock. With s = L·p + α_k - α_{k+1} and μ = 0 it is the bound of
# `MachineValues`; with s = 0 it is that of latencies at prices. It begins with s = L·p and μ = 0, that is with the
# steps alone. Numbers follow subgradients: if a step has more machines than the module over time, they get more
# expensive there. The bound is not tight, since both may mix plans.

MOST_ENTRIES = 20_000_000
"""Most entries of the tables of all modules, by step and vector; beyond, there is no such bound."""
LEAST_SLO = 0.01
"""Share of the SLO that is small as a subgradient."""
SECONDS = 2.0
"""Unit of moves of latency prices, in multiples of a module's cost in a step, per SLO."""


class SharedPrices:
    """Prices divided between modules and steps, during the ascent of the bound.

    Attributes:
        steps: the steps, for bounds.
        money: costs of machines.
        charged: price of a machine in steps, shape (steps, modules, types).
        worth: money that a second of latency brings a step, shape (steps, modules).
        best: the largest bound so far.
    """

    def __init__(self, day: Day, boxes: Sequence[Box], steps: Steps, money: Money, cost: float) -> None:
        """Begin with all charged by the steps; `cost` is the cost of a plan, for the size of moves."""
        self.steps, self.money = steps, money
        count, types = money.running.shape
        self._modules: list[Course] = []
        for m, own in enumerate(boxes):
            tables, row = latency_tables(day, m, own)
            room = np.empty((count, tables.shape[1]))
            on, seconds = np.zeros((count, types), np.int64), np.zeros(count)
            self._modules.append(Course(tables, row, own.most + 1, room, on, seconds))
        self.charged: Floats = np.repeat(money.running[:, None], len(boxes), axis=1)
        self.worth: Floats = np.zeros((count, len(boxes)))
        self.best = -np.inf
        # The unit of machines is the cost of changes, so that all types move alike.
        self._machine_moves = Moves(money.start + money.stop, LEAST_MACHINES)
        per_slo = SECONDS * cost / self.worth.size
        self._second_moves = Moves(np.array(per_slo / steps.slo_s), LEAST_SLO)

    def prices(self) -> Floats:
        """Prices of machines in each step; below 0 if a running one is worth more than it costs."""
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
        """The sum of all amounts added to those of the steps, for an allowance for rounding as a share of it."""
        most, changes = self.steps.most, self.money.start + self.money.stop
        left = np.abs(self.money.running[:, None] - self.charged) + changes
        seconds = 2 * np.abs(self.worth).sum() * self.steps.slo_s
        return float((left * most).sum() + seconds)

    def _courses(self) -> float:
        """The least cost of the modules over time."""
        left = self.money.running[:, None] - self.charged
        total = 0.0
        for m, own in enumerate(self._modules):
            prices, worth = np.ascontiguousarray(left[:, m]), np.ascontiguousarray(self.worth[:, m])
            total += cheapest_course(own, prices, worth, self.money.start[m], self.money.stop[m])
        return total


def fits(day: Day, boxes: Sequence[Box]) -> bool:
    """Whether the tables of all modules are small enough."""
    entries = len(day.steps) * sum(own.rates.shape[1] for own in boxes)
    return bool(entries <= MOST_ENTRIES)
