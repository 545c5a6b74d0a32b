"""A bound on several modules over time: machines at values, so that steps are independent (ours).

Let a machine of module m and type h that is on at the begin of step k be worth α_k between -v and u, where u and v are
what a start and a stop cost. A change from x to y machines costs at least α·(y - x), whichever way it goes. So for any
such values the cost of a plan is at least

sum over steps of {Σ_m Σ_h (L_k·p + α_k - α_{k+1})·x_k}, with α_1 = α_{K+1} = 0,

and each step is a session whose machines have prices of their own, which `step_kernel` solves with its SLO and the
stock. Values follow subgradients: a machine that is started between two steps is worth more there. What is lost is that
a step may mix plans.
"""

from __future__ import annotations

import numpy as np

from formulations.day.ascent import Moves
from formulations.day.choices import Floats
from formulations.day.pool import Money
from formulations.day.steps import Steps

LEAST_MACHINES = 0.1
"""Machines by which a subgradient is small."""


class MachineValues:
    """Values of machines on their way up.

    Attributes:
        steps: the steps, for bounds.
        money: what machines cost.
        values: the values, shape (steps + 1, modules, types).
        best: the largest bound so far.
        worth: what a second of latency is worth: nothing.
    """

    def __init__(self, steps: Steps, money: Money) -> None:
        """All values are 0 to begin with."""
        self.steps, self.money = steps, money
        count = len(money.running)
        self.values: Floats = np.zeros((count + 1, *steps.most.shape))
        self.best, self.worth = -np.inf, None
        # Values are measured in what changes cost, so that all types move alike.
        self._moves = Moves(money.start + money.stop, LEAST_MACHINES)

    def prices(self) -> Floats:
        """Prices of machines in each step; below 0 where having one on is worth more than it costs."""
        return self.money.running[:, None] + self.values[:-1] - self.values[1:]

    def climb(self, length: float) -> None:
        """Bound the cost by the present values, and move them."""
        bound, on = self.steps.cheapest(self.prices())
        self.best = max(self.best, bound)
        moved = self.values[1:-1] + self._moves.next(on[1:] - on[:-1], length)
        # The bound holds for values from minus the price of a stop to that of a start.
        self.values[1:-1] = np.clip(moved, -self.money.stop, self.money.start)
