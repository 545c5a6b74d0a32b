"""A bound on several modules over time: machines at values, so that steps are independent (ours).

Let a machine of module m and type h that is on at the begin of step k be worth α_k between -v and u, where u and v are
what a start and a stop cost. A change from x to y machines costs at least α·(y - x), whichever way it goes. So for any
such values the cost of a plan is at least

sum over steps of {Σ_m Σ_h (L_k·p + α_k - α_{k+1})·x_k}, with α_1 = α_{K+1} = 0,

and each step is a session whose machines have prices of their own, which `step_kernel` solves with its SLO. A stock has
a price λ_k ≥ 0 per machine on in the step, of which stock·λ_k is given back. Values and prices follow subgradients: a
machine that is started between two steps is worth more there. What is lost is that a step may mix plans.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from formulations.day.choices import Choices, Floats, Ints
from formulations.day.one_module import ROUNDING
from formulations.day.pool import Money
from formulations.day.step_kernel import Flags, cheapest_steps

FIRST_LENGTH, PATIENCE, SHORTER = 0.1, 15, 0.8
"""Steps along subgradients: their first length, values without a better bound before they get shorter, by how much."""
INERTIA = 0.9
"""Share of the direction before in the next one."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of a load, for choices at prices.

    Attributes:
        choices: what the modules choose from.
        through: which modules each path goes through, shape (paths, modules).
        slo_s: the objective, with a margin for plans or bounds.
        chosen: what was chosen last, with which the next search begins, shape (steps, modules); -1: nothing.
    """

    choices: Choices
    through: Flags
    slo_s: float
    chosen: Ints

    def cheapest(self, prices: Floats, worth: Floats | None = None) -> tuple[Floats, Ints]:
        """Lower bounds of the steps, and chosen machines, shape (steps, modules, types); none where none were found.

        Args:
            prices: price of a machine in each step, at least 0, shape (steps, modules, types).
            worth: money that a second of latency brings in, shape (steps, modules); none without.
        """
        own, least = self.choices, np.empty(len(prices))
        latencies = np.zeros(prices.shape[:2]) if worth is None else worth
        cheapest_steps(
            own.vectors, own.latency_s, own.first, prices, latencies, self.through, self.slo_s, least, self.chosen
        )
        return least, np.where(self.chosen[:, :, None] >= 0, own.vectors[self.chosen], 0)


def steps_of(choices: Choices, through: Flags, slo_s: float) -> Steps:
    """The steps of some choices, nothing of which is chosen yet."""
    return Steps(choices, through, slo_s, np.full(choices.first.shape[:2], -1, np.int64))


@dataclass(slots=True)
class Ascent:
    """Values of machines on their way up.

    Attributes:
        steps: the steps, for bounds.
        money: what machines cost.
        most: no more machines than these are of use, shape (modules, types).
        stock: machines of each type; infinite: no limit.
        best: the largest bound so far.
        values: the values, shape (steps + 1, modules, types).
        stock_prices: price of the stock, shape (steps, types).
    """

    steps: Steps
    money: Money
    most: Ints
    stock: Floats
    values: Floats
    stock_prices: Floats
    best: float = -np.inf
    _length: float = FIRST_LENGTH
    _waited: int = 0
    _direction: Floats | None = None

    def prices(self) -> Floats:
        """Prices of machines in each step; below 0 where having one on is worth more than it costs."""
        values = self.money.running[:, None] + self.values[:-1] - self.values[1:]
        return values + self.stock_prices[:, None]

    def beyond_stock(self, stock_prices: Floats, on: Ints) -> tuple[float, Floats]:
        """What the stock's prices give back, and machines beyond it by step and type: 0 where prices cannot fall."""
        limited = np.isfinite(self.stock)
        given = float((stock_prices[:, limited] * self.stock[limited]).sum())
        excess = np.where(limited, on.sum(axis=1) - np.where(limited, self.stock, 0.0), 0.0)
        return given, np.where((stock_prices <= 0) & (excess < 0), 0.0, excess)

    def climb(self, target: float) -> None:
        """Bound the cost by the present values, and move them; `target` is what a plan costs."""
        prices = self.prices()
        least, on = self.steps.cheapest(np.maximum(prices, 0.0))
        # Below a price of 0 as many as are of any use cost least.
        on = np.where(prices < 0, self.most, on)
        given, excess = self.beyond_stock(self.stock_prices, on)
        bound = float(least.sum() + (np.minimum(prices, 0.0) * self.most).sum() - given)
        # What sums of amounts of this size may have gained by rounding.
        bound -= ROUNDING * float((np.abs(prices) * self.most).sum() + given)
        if bound > self.best:
            self.best, self._waited = bound, 0
        else:
            self._waited += 1
            if self._waited >= PATIENCE:
                self._length, self._waited = self._length * SHORTER, 0
        ascent = np.zeros_like(self.values)
        ascent[1:-1] = on[1:] - on[:-1]
        old = self._direction
        self._direction = ascent if old is None else INERTIA * old + (1 - INERTIA) * ascent
        # Values are measured in what changes cost, so that all types move alike.
        unit = self.money.start + self.money.stop
        size = float((self._direction**2 * unit).sum() + (excess**2 * unit).sum())
        if not size:
            return
        # Polyak's rule: what is missing to the target, over the square of the direction.
        move = self._length * max(0.0, target - bound) / size
        # The bound holds for values from minus the price of a stop to that of a start.
        self.values = np.clip(self.values + move * unit * self._direction, -self.money.stop, self.money.start)
        self.values[0] = self.values[-1] = 0.0
        self.stock_prices = np.maximum(0.0, self.stock_prices + move * unit * excess)
