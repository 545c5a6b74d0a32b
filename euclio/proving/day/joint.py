"""The cheapest way through a day's steps, over vectors of the machines of all modules together, in integers (ours).

The cost of a way is a sum of whole numbers in a unit that all prices are multiples of, so that nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import lcm, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from euclio.problems.day.instance import HOUR_S
from euclio.proving.day.corners import ZERO, Choices, Shape, TooManyError, Vector
from euclio.proving.day.course import Course
from euclio.proving.effort import refuse_late

Whole = NDArray[Any]
"""Whole numbers of any size."""
Flags = NDArray[np.bool_]

MOST_CELLS, MOST_ENTRIES = 500_000, 4_000_000
"""Most vectors, and most vectors times steps."""
MOST_TIMES = 2_000_000
"""Most times of all modules together in a step."""
WIDE = 2**60
"""Numbers from here on are held as Python's own."""


@dataclass(frozen=True, slots=True)
class Way:
    """Machines from step to step.

    Attributes:
        cost: money in all.
        machines: by step and module.
    """

    cost: Fraction
    machines: tuple[Shape, ...]


class Together:
    """The vectors of a course's machines within its tops."""

    def __init__(self, course: Course, deadline: float, *, real: bool = False) -> None:
        """Prepare the search.

        Args:
            course: the course of the day.
            deadline: `time.perf_counter` value at which to stop.
            real: whether only corners that are uses count, so that the way is that of a plan.

        Raises:
            TooManyError: there are too many vectors.
        """
        self._course, self._deadline, self._real = course, deadline, real
        self._axes = course.axes
        self._shape = tuple(course.tops[m][h] + 1 for m, h in self._axes)
        if prod(self._shape) > MOST_CELLS or prod(self._shape) * len(course.steps) > MOST_ENTRIES:
            raise TooManyError
        if any(prod(len(set(own)) for own in choices.times) > MOST_TIMES for choices in course.steps):
            raise TooManyError
        day, hardware = course.day, course.day.session.hardware
        prices = [hardware[h].price_per_h for _, h in self._axes]
        running = [[step.length_s / HOUR_S * price for price in prices] for step in day.steps]
        up, down = ([price(m, h) for m, h in self._axes] for price in (day.price_of_start, day.price_of_stop))
        self._unit = lcm(*(value.denominator for row in (*running, up, down) for value in row))
        self._running = [[int(value * self._unit) for value in row] for row in running]
        self._up, self._down = [int(v * self._unit) for v in up], [int(v * self._unit) for v in down]
        rows = [*self._running, *[list(map(max, self._up, self._down))] * len(day.steps)]
        self._far = 1 + sum(v * (n - 1) for row in rows for v, n in zip(row, self._shape, strict=True))
        self._type: Any = np.int64 if self._far < WIDE else object
        self.entries = prod(self._shape) * len(course.steps)

    def way(self) -> Way | int:
        """The cheapest way, or the place of the first step that cannot be served.

        Raises:
            GivenUpError: the deadline has passed.
        """
        served: dict[int, Flags] = {}
        costs: list[Whole] = []
        for k, choices in enumerate(self._course.steps):
            refuse_late(self._deadline)
            if id(choices) not in served:
                served[id(choices)] = self._served(choices) & self._in_stock()
            if not served[id(choices)].any():
                return k
            before = self._changed(costs[-1]) if costs else np.zeros(self._shape, self._type)
            here = before + self._sums(self._running_costs(k))
            # Unreachable vectors cost at least `far`; the cost does not grow beyond that.
            costs.append(np.where(served[id(choices)], here, self._far).astype(self._type))
        return self._back(costs)

    def least(self) -> list[list[Shape]]:
        """By step the least machines that serve it within the stock, the cheapest first."""
        found: dict[int, list[Shape]] = {}
        prices = [self._course.day.session.hardware[h].price_per_h for _, h in self._axes]
        for choices in self._course.steps:
            refuse_late(self._deadline)
            if id(choices) not in found:
                served = self._served(choices)
                least = served & self._in_stock()
                for axis in range(served.ndim):
                    # A vector that serves with one machine less is not among the least.
                    np.moveaxis(least, axis, 0)[1:] &= ~np.moveaxis(served, axis, 0)[:-1]
                vectors = [tuple(map(int, at)) for at in np.argwhere(least)]
                vectors.sort(key=lambda on: (sum((p * n for p, n in zip(prices, on, strict=True)), ZERO), on))
                found[id(choices)] = [self._by_module(on) for on in vectors]
        return [found[id(choices)] for choices in self._course.steps]

    def _running_costs(self, k: int) -> list[Whole]:
        return [np.arange(n).astype(self._type) * v for n, v in zip(self._shape, self._running[k], strict=True)]

    def _sums(self, rows: Sequence[Whole]) -> Whole:
        """A number for each vector: the sum of a number for its machines on each axis."""
        found: Whole = np.zeros((1,) * len(rows), self._type)
        for axis, row in enumerate(rows):
            found = found + row.reshape([-1 if j == axis else 1 for j in range(len(rows))])
        return found

    def _changed(self, cost: Whole) -> Whole:
        """The least cost of each vector after machines were started and stopped, one axis after the other."""
        found = cost.copy()
        for axis, (up, down) in enumerate(zip(self._up, self._down, strict=True)):
            refuse_late(self._deadline)
            # Slices, since of a single number numpy makes one of 64 bits.
            along = np.moveaxis(found, axis, 0)
            for n in range(1, len(along)):
                along[n : n + 1] = np.minimum(along[n : n + 1], along[n - 1 : n] + up)
            for n in reversed(range(len(along) - 1)):
                along[n : n + 1] = np.minimum(along[n : n + 1], along[n + 1 : n + 2] + down)
        return found

    def _back(self, costs: Sequence[Whole]) -> Way:
        at = self._least(costs[-1])
        cost = Fraction(int(costs[-1][at]), self._unit)
        path = [at]
        for before in reversed(costs[:-1]):
            refuse_late(self._deadline)
            rows = [
                np.array([up * max(0, at[axis] - n) + down * max(0, n - at[axis]) for n in range(length)], self._type)
                for axis, (length, up, down) in enumerate(zip(self._shape, self._up, self._down, strict=True))
            ]
            at = self._least(before + self._sums(rows))
            path.append(at)
        return Way(cost, tuple(map(self._by_module, reversed(path))))

    def _least(self, cost: Whole) -> Vector:
        return tuple(int(n) for n in np.unravel_index(int(np.argmin(cost)), self._shape))

    def _by_module(self, at: Vector) -> Shape:
        rows = [[0] * len(row) for row in self._course.tops]
        for (m, h), n in zip(self._axes, at, strict=True):
            rows[m][h] = n
        return tuple(map(tuple, rows))

    def _served(self, choices: Choices) -> Flags:
        """The vectors whose fastest corners keep the SLO on all paths."""
        modules = range(len(choices.corners))
        timed = [
            [(t, one) for t, one in zip(times, own, strict=True) if not (self._real and one.above)]
            for times, own in zip(choices.times, choices.corners, strict=True)
        ]
        times = [sorted({t for t, _ in own}) for own in timed]
        in_time = np.zeros([len(own) + 1 for own in times], np.bool_)
        # The place behind the last time stands for vectors that cover no corner.
        in_time[tuple(slice(len(own)) for own in times)] = self._in_time(times, choices.slo)
        places = []
        for m in modules:
            place = {t: i for i, t in enumerate(times[m])}
            table = np.full([n + 1 for n in self._course.tops[m]], len(place), np.int64)
            for t, corner in timed[m]:
                table[corner.machines] = min(int(table[corner.machines]), place[t])
            for axis in range(table.ndim):
                table = np.minimum.accumulate(table, axis=axis)
            places.append(table.ravel())
        found: Flags = in_time[np.ix_(*places)].reshape(self._shape)
        return found

    def _in_time(self, times: Sequence[Sequence[int]], slo: int) -> Flags:
        """Whether times of all modules together keep the SLO, an axis per module."""
        session, modules = self._course.day.session, len(times)
        kind: Any = np.int64 if sum(max(own, default=0) for own in times) < WIDE and slo < WIDE else object
        until: list[Whole] = [np.zeros((1,) * modules, kind)] * modules
        for m in session.order:
            own = np.array(times[m], kind).reshape([-1 if j == m else 1 for j in range(modules)])
            before = [until[p] for p in session.parents()[m]]
            until[m] = reduce(np.maximum, before) + own if before else own
        # Before a slow module a path is no longer than after it, so that the ends of paths are enough, as all are here.
        longest = np.broadcast_to(reduce(np.maximum, until), [len(own) for own in times])
        return np.asarray(longest <= slo, np.bool_)

    def _in_stock(self) -> Flags:
        found = np.ones(self._shape, np.bool_)
        for h, hardware in enumerate(self._course.day.session.hardware):
            if hardware.count is not None:
                used = np.zeros((1,) * len(self._shape), np.int64)
                for axis, (_, own) in enumerate(self._axes):
                    if own == h:
                        along = [-1 if j == axis else 1 for j in range(len(self._shape))]
                        used = used + np.arange(self._shape[axis]).reshape(along)
                found &= used <= hardware.count
        return found
