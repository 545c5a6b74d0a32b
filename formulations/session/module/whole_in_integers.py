"""The cheapest whole machines of one module within a budget, in integers: decides ties that floats cannot (ours).

The search is that of `cover_search`, on the exact numbers of `rational.module`.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil, inf

from euclio.problems.session import DummyRule, ModulePlan
from euclio.problems.session.policies import Form
from formulations.effort import Effort
from formulations.session.module.in_integers import Needs, RationalModule, cheapest_plan, plan_of


def cheapest_filled(m: RationalModule, needs: Needs, cutoff: Fraction | None, effort: Effort) -> ModulePlan | None:
    """The cheapest plan of a module where dummies fill whole machines for nothing; None: none is below the cutoff.

    A partial machine that is to be filled up as near to full as needed takes what the whole ones leave of the rate.

    Args:
        m: the module, in a plan space that fills.
        needs: what its configurations need within the budget.
        cutoff: cost per hour that the plan has to stay below; None: any.
        effort: counts nodes.

    Raises:
        UndecidedError: the effort's limits are reached.
    """
    search = _Search(m, needs, effort, inf if cutoff is None else ceil(cutoff * m.cost_scale))
    search.extend(0, m.rate, 0, (), m.rate, 0)
    full = None if search.best is None else plan_of(m, search.best, search.partial)
    if needs.nearly or m.space.policy.form is not Form.FIXED or inf not in needs.whole:
        return full
    # Full machines of a configuration are too slow, a partial one may not be (`rr` with concurrency).
    below = cutoff if full is None else Fraction(int(search.below), m.cost_scale)
    partly = replace(m, space=replace(m.space, dummy=DummyRule.NONE))
    return cheapest_plan(partly, needs, below, effort) or full


class _Search:
    """One depth-first search in integers; `below` is the cost in units that a plan has to stay below."""

    def __init__(self, m: RationalModule, needs: Needs, effort: Effort, below: float) -> None:
        self.m, self.needs, self.effort, self.below = m, needs, effort, below
        self.best: tuple[tuple[int, int], ...] | None = None
        self.partial = 0
        """Rate of the best plan's partial machine, in units."""
        self.shared = m.space.policy.form is Form.TIED
        self.price = [t * cost for t, cost in zip(m.throughput, m.unit_cost, strict=True)]

    def extend(
        self, first: int, required: int, cost: int, before: tuple[tuple[int, int], ...], start: int, taken: int
    ) -> None:
        """Complete the plan with each configuration from `first` on, or take fewer machines of it and go on.

        Args:
            first: first configuration that may be used.
            required: rate that is required of the machines to come.
            cost: cost of the machines before.
            before: configuration and number of these machines, by allocation.
            start: rate that is required from the first configuration of the ratio of the last of them on.
            taken: what that ratio has of it.
        """
        m = self.m
        for j in range(first, len(m.configurations)):
            self.effort.count()
            if cost + m.least[j] * required >= self.below:
                return  # nothing from here on costs less per request
            need, room = self.needs.whole[j], m.room(before, j)
            if need == inf:
                # Full machines of it are too slow, whatever follows: one that is nearly full may end the plan.
                if self.needs.nearly and self.needs.nearly[j] and required < m.throughput[j] and room >= 1:
                    self._offer(cost + self.price[j], (*before, (j, 0)), required)
                continue
            tied = self.shared and bool(before) and m.group[j] == m.group[before[-1][0]]
            begun, had = (max(start, int(need)), taken) if tied else (max(required, int(need)), 0)
            here, t = begun - had, m.throughput[j]
            # Its need may be more than others need, and one machine of it is used at least.
            if cost + max(m.least[j] * here, self.price[j]) >= self.below:
                continue
            n = -(-here // t)
            if n <= room:
                self._offer(cost + n * self.price[j], (*before, (j, n)), 0)
            if len(before) + 1 >= m.most or j + 1 >= len(m.configurations):
                continue
            for fewer in range(int(min(n - 1, room)), 0, -1):
                spent, further = cost + fewer * self.price[j], here - fewer * t
                if spent + m.least[j + 1] * further >= self.below:
                    if m.unit_cost[j] > m.least[j + 1]:
                        self.effort.count()
                        continue
                    break  # fewer machines leave more to the more expensive ones
                self.extend(j + 1, further, spent, (*before, (j, fewer)), begun, had + fewer * t)

    def _offer(self, cost: int, machines: tuple[tuple[int, int], ...], partial: int) -> None:
        """Keep a plan if it costs less than the best one so far."""
        if cost < self.below:
            self.below, self.best, self.partial = cost, machines, partial
