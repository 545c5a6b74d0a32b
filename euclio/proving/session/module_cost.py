"""Least cost of counts of machines under a latency budget: proven by search; every plan found is checked exactly."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from euclio.proving.effort import Effort, GivenUpError
from euclio.proving.session import module_search as searching
from euclio.proving.session.integers import ScaledModule, can_fill_exactly, prices_on_grid, scaled
from euclio.proving.session.modules import Offer, Ranked, offer

CALL_NODES = 500_000
"""Nodes between two looks at the clock."""

FIRST_SHARE, GROWTH = Fraction(1, 4096), 8
"""A search first asks for plans barely above the proven cost, then for ever more expensive ones. A search without a
plan visits few nodes, and the first plan is found under a near cutoff."""


TOO_FAR_APART = "its numbers lie too far apart for this prover"
"""The reason for giving up a search whose numbers do not fit into 64-bit integers."""


class CountsProver:
    """Answers the least cost of counts of a module's machines under latency budgets.

    Args:
        m: the module, and which of its plans are counted (`euclio.proving.session.curves`).
        cap: cost per hour that matters at most. None means that costs do not matter: any plan will do.
        margin: money per hour by which a least cost may be off (the plan returned may be that much too expensive).
        effort: deadline and count of nodes.
        accepts: whether a plan that was found counts; None accepts all.
    """

    def __init__(
        self,
        m: Ranked,
        cap: Fraction | None,
        margin: Fraction,
        effort: Effort,
        accepts: Callable[[Offer], bool] | None = None,
    ) -> None:
        self.m = m
        self._accepts = accepts
        self.margin = margin
        self._cap = cap
        self._effort = effort
        self._prices = prices_on_grid(m, cap)
        self._full = can_fill_exactly(m) if not m.dummy.adds else [True] * len(m.throughput)

    def cheapest(self, budget: Fraction, strict: bool, below: Fraction, proven: Fraction) -> Offer | None:
        """The cheapest plan within a budget among those below a cost; None if there is none.

        Args:
            budget: latency budget in seconds.
            strict: whether latencies have to stay below the budget.
            below: cost per hour that the plan has to stay below.
            proven: cost per hour that no plan within the budget stays below.
        """
        if not self.m.configurations:
            return None
        s = scaled(self.m, self._prices, self._full, budget, strict, self._cap)
        stack, *_ = searching.new_stack(s)
        root = searching.bound(s, 0, stack[0])
        # Even the relaxation has no plan within the budget.
        if math.isinf(root):
            return None
        proven = max(proven, Fraction(root) / self._prices.scale)
        width = (below - proven) * FIRST_SHARE
        while proven < below:
            target = min(below, proven + width)
            best = self._search(s, budget, strict, target, proven)
            if best is not None:
                return best
            proven, width = target, width * GROWTH
        return None

    def any_plan(self, budget: Fraction, strict: bool) -> Offer | None:
        """Some plan within a budget, at any cost; None if there is none."""
        if not self.m.configurations:
            return None
        s = scaled(self.m, self._prices, self._full, budget, strict, None)
        return self._search(s, budget, strict, None, Fraction(0))

    def _search(
        self, s: ScaledModule, budget: Fraction, strict: bool, below: Fraction | None, proven: Fraction
    ) -> Offer | None:
        stack, counts, at, found = searching.new_stack(s)
        best: Offer | None = None
        cut = 1 if below is None else self._cut(below)
        while True:
            status = searching.search(s, stack, counts, at, found, cut, CALL_NODES)
            self._effort.nodes += int(at[2])
            at[2] = 0
            for row in found[: at[1]] if status == searching.FOUND else ():
                plan = self._within(row, budget, strict)
                # The relaxation holds counts that exact arithmetic refuses, and plans that are no improvement.
                if plan is None or (below is not None and plan.cost >= (best.cost if best else below)):
                    continue
                best = plan
                if below is None:
                    break
                # From here on only plans that are cheaper by more than the margin matter.
                cut = min(cut, self._cut(plan.cost - self.margin))
            # A plan within the margin of what is proven cannot be beaten by more than that: stop here.
            done = best is not None and (below is None or best.cost - self.margin <= proven)
            if status in (searching.EXHAUSTED, searching.OVERFLOW) or done:
                # A search that overflowed may have missed plans, so its end proves nothing.
                if status == searching.OVERFLOW and not done:
                    raise GivenUpError(TOO_FAR_APART)
                return best
            if status == searching.LIMIT:
                self._effort.check()

    def _cut(self, cost: Fraction) -> int:
        # The search's costs are whole and rounded down: a cut rounded up keeps every plan below the cost.
        return math.ceil(cost * self._prices.scale)

    def _within(self, row: np.ndarray, budget: Fraction, strict: bool) -> Offer | None:
        *machines, partial_at = (int(n) for n in row)
        plan = offer(self.m, machines, partial_at, budget)
        if plan is None or plan.latency > budget or (strict and plan.latency == budget):
            return None
        return plan if self._accepts is None or self._accepts(plan) else None
