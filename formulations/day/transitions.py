"""The cheapest way from any vector of machines to any other, where starts and stops cost in proportion (ours)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from euclio.problems.day.instance import Day
from formulations.day.path_kernel import after_changes, best_before

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ChangePrices:
    """What changes cost, by axis of a table.

    Attributes:
        start: money per machine that is started.
        stop: money per machine that is stopped.
    """

    start: tuple[float, ...]
    stop: tuple[float, ...]

    def after_change(self, cost: Floats) -> Floats:
        """The least cost of each vector after a change, given that of each before it.

        Machines of the types change one type after the other, each by a running minimum upwards and one downwards: a
        start that is taken back is never cheaper, since neither price is below 0.
        """
        found = np.array(cost, order="C")
        after_changes(found.ravel(), np.array(cost.shape, np.int64), np.array(self.start), np.array(self.stop))
        return found

    def best_before(self, cost: Floats, machines: tuple[int, ...]) -> tuple[int, ...]:
        """The vector from which a change to `machines` is the cheapest, the first of equals."""
        to = int(np.ravel_multi_index(machines, cost.shape))
        found = best_before(cost.ravel(), np.array(cost.shape, np.int64), to, np.array(self.start), np.array(self.stop))
        return tuple(int(n) for n in np.unravel_index(found, cost.shape))


def change_prices(day: Day, axes: Sequence[tuple[int, int]]) -> ChangePrices:
    """The prices of changes by axis: the numbers of a module and a hardware type."""
    return ChangePrices(
        tuple(float(day.price_of_start(m, h)) for m, h in axes),
        tuple(float(day.price_of_stop(m, h)) for m, h in axes),
    )


def per_vector(prices: tuple[float, ...], shape: tuple[int, ...]) -> Floats:
    """Price of each vector of machines, given that of a machine by axis."""
    total = np.zeros(shape)
    for axis, price in enumerate(prices):
        total = total + _along(price * np.arange(shape[axis], dtype=np.float64), axis, len(shape))
    return total


def _along(values: Floats, axis: int, axes: int) -> Floats:
    """Values along one axis of a table."""
    return values.reshape([len(values) if k == axis else 1 for k in range(axes)])
