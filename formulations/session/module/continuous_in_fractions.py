"""The cheapest plan of one module within a latency budget under rule `continuous`, in fractions (ours).

With the machines before the last allocation fixed, the least total rate W, dummies included, follows from their needs.
The last allocation then has just enough whole machines, or one less and a partial one. Every comparison is exact. The
search is far slower than the compiled one (`continuous_module`) and meant for the budgets at which that met a tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from euclio.problems.session import Allocation, Configuration, Module, ModulePlan, PlanSpace
from euclio.problems.session.evaluate import rank_key
from euclio.problems.session.policies import Form
from formulations.effort import Effort

Machines = tuple[tuple[int, int], ...]
"""Configuration and whole machines of each allocation."""


@dataclass(frozen=True, slots=True)
class ContinuousModule:
    """A module in a plan space, configurations in rank order.

    Attributes:
        module: the module.
        configurations: those that the plan space allows.
        price: their unit prices.
        unit_cost: price per request per second.
        space: the plan space.
    """

    module: Module
    configurations: tuple[Configuration, ...]
    price: tuple[Fraction, ...]
    unit_cost: tuple[Fraction, ...]
    space: PlanSpace

    @property
    def by_rate(self) -> bool:
        """Whether whole machines collect from the rate left."""
        return self.space.policy.form.in_sequence

    @property
    def shared(self) -> bool:
        """Whether machines of one throughput-cost ratio share that rate."""
        return self.space.policy.form is Form.TIED

    @property
    def even(self) -> bool:
        """Whether all machines of the last allocation take equal shares of the rate that reaches it."""
        return self.space.policy.form is Form.EVEN

    def collected(self, c: Configuration) -> Fraction:
        """Requests over which a machine of the last allocation waits at its rate: q in d + q over that rate."""
        return self.space.policy.even_batch(c) if self.even else Fraction(c.batch)


def continuous_module(module: Module, price: dict[str, Fraction], space: PlanSpace) -> ContinuousModule:
    """A module ready for the search.

    Args:
        module: the module.
        price: price per hour by hardware name.
        space: plan space without `single_hardware`.
    """
    allowed = [c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)]
    unit = {c: price[c.hardware] / c.throughput_rps for c in allowed}
    ranked = sorted(allowed, key=lambda c: rank_key(c, price))
    return ContinuousModule(
        module, tuple(ranked), tuple(price[c.hardware] for c in ranked), tuple(unit[c] for c in ranked), space
    )


def cheapest_within(
    m: ContinuousModule, budget_s: Fraction, effort: Effort, *, strictly: bool = False
) -> tuple[Fraction, ModulePlan] | None:
    """The cheapest plan of a module within a latency budget, and its cost per hour.

    Args:
        m: the module.
        budget_s: largest worst-case latency in seconds.
        effort: counts nodes.
        strictly: plans strictly below the budget; the cost is then the largest lower bound on theirs, and the plan
            may take the whole budget if they come arbitrarily close to it.

    Returns:
        Cost and plan; None means that there is no plan.

    Raises:
        UndecidedError: the effort's limits are reached.
    """
    search = _ContinuousSearch(m, budget_s, effort, strictly)
    search.extend(0, (), Fraction(0), Fraction(0), Fraction(0), Fraction(0))
    return None if search.best is None else (search.best[0], search.plan())


def full_latencies(m: ContinuousModule, plan: ModulePlan) -> list[Fraction]:
    """Latencies of a plan's machines if its partial machine takes the rate of a whole one, in seconds.

    As the budget falls towards the longest of them, the partial machine fills up. There whole machines may be enough,
    and below it plans of other machines follow. So costs may step at these latencies, and at no others of this kind.

    Args:
        m: the module.
        plan: its plan.
    """
    last = plan.allocations[-1]
    if not last.partial_rps:
        return []
    c, policy = last.configuration, m.space.policy
    found = [c.duration_s + m.collected(c) / c.throughput_rps]
    # The partial machine counts with the rate of a whole one.
    left = sum((a.machines * a.configuration.throughput_rps for a in plan.allocations), c.throughput_rps)
    shared, ratio = left, None
    for a in plan.allocations:
        c = a.configuration
        unit = m.unit_cost[m.configurations.index(c)]
        if not m.shared or unit != ratio:
            shared, ratio = left, unit
        found.append(c.duration_s + c.batch / shared if m.by_rate else policy.fixed_latency(c))
        left -= a.machines * c.throughput_rps
    return found


class _ContinuousSearch:
    def __init__(self, m: ContinuousModule, budget_s: Fraction, effort: Effort, strictly: bool) -> None:
        self.m, self.effort, self.strictly = m, effort, strictly
        self.rate = m.module.rate_rps
        self.need = [
            m.collected(c) / (budget_s - c.duration_s) if c.duration_s < budget_s else None for c in m.configurations
        ]
        self.whole_allowed = [self._whole_fits(c, budget_s) for c in m.configurations]
        self.best: tuple[Fraction, Machines, Fraction] | None = None
        """Cost, whole machines, rate of the partial machine."""

    def _whole_fits(self, c: Configuration, budget_s: Fraction) -> bool:
        if self.m.by_rate:
            return c.duration_s < budget_s
        own = self.m.space.policy.fixed_latency(c)
        return own < budget_s if self.strictly else own <= budget_s

    def extend(
        self, first: int, before: Machines, cost: Fraction, bought: Fraction, origin: Fraction, needed: Fraction
    ) -> None:
        """Close the plan with each configuration from `first` on, or take machines of it and go on.

        Args:
            first: first configuration that may be used.
            before: machines of the allocations before.
            cost: their cost.
            bought: their rate.
            origin: rate before the first of them that shares its ratio with the last.
            needed: total rate that their latencies need.
        """
        m = self.m
        most = m.space.max_allocations or len(m.configurations)
        for j in range(first, len(m.configurations)):
            self.effort.count()
            left = max(self.rate, needed) - bought
            if self._too_expensive(cost + m.unit_cost[j] * left):
                return  # later configurations cost more per request
            need = self.need[j]
            if need is None:
                continue
            tied = m.shared and bool(before) and m.unit_cost[before[-1][0]] == m.unit_cost[j]
            start = origin if tied else bought
            least = max(needed, need + start) if m.by_rate else needed
            if m.even:
                self._close_even(j, before, cost, self.rate - bought, need)
            else:
                self._close(j, before, cost, bought, start, needed, least)
            if not self.whole_allowed[j] or len(before) + 1 >= most or j + 1 == len(m.configurations):
                continue
            t = m.configurations[j].throughput_rps
            open_rate = max(self.rate, least) - bought
            last = ceil(open_rate / t)
            if not (self.strictly and bought + last * t == least):
                last -= 1  # nothing would be left to buy; strictly below the budget the need has to be exceeded
            for n in range(last, 0, -1):
                spent = cost + n * m.price[j]
                if self._too_expensive(spent + m.unit_cost[j + 1] * (open_rate - n * t)):
                    break  # fewer machines leave more to the more expensive ones
                self.extend(j + 1, (*before, (j, n)), spent, bought + n * t, start, least)

    def _too_expensive(self, cost: Fraction) -> bool:
        return self.best is not None and cost >= self.best[0]

    def _close(
        self,
        j: int,
        before: Machines,
        cost: Fraction,
        bought: Fraction,
        start: Fraction,
        needed: Fraction,
        least: Fraction,
    ) -> None:
        """Offer the plans that end with configuration j: one partial machine, or whole ones, or both."""
        need, t = self.need[j], self.m.configurations[j].throughput_rps
        assert need is not None
        alone = need + start - bought if self.m.shared else need
        self._offer(cost, (*before, (j, 0)), j, max(self.rate, needed) - bought, alone)
        if not self.whole_allowed[j]:
            return
        open_rate = max(self.rate, least) - bought
        whole = max(1, ceil(open_rate / t))
        if self.strictly and bought + whole * t == least:
            whole += 1  # the need has to be exceeded, the rate need not
        self._take(cost + whole * self.m.price[j], (*before, (j, whole)), Fraction(0))
        if whole > 1:
            # One machine less, and a partial one for its part of the rate.
            n = whole - 1
            further = need + start - bought - n * t if self.m.shared else need
            self._offer(cost + n * self.m.price[j], (*before, (j, n)), j, open_rate - n * t, further)

    def _close_even(self, j: int, before: Machines, cost: Fraction, rate: Fraction, need: Fraction) -> None:
        """Offer the plan that ends with configuration j in form `EVEN`, given the rate that is left to buy.

        n machines take any rate R from n·need to n·t, where `need` is at most t if a full machine keeps the budget. The
        least such R that is enough has the fewest machines that can take the rest, as more machines need more.
        """
        if not self.whole_allowed[j]:
            return
        t = self.m.configurations[j].throughput_rps
        n = ceil(rate / t)
        taken = max(rate, n * need)
        whole = n if taken == n * t else n - 1
        partial = taken - whole * t
        self._take(cost + whole * self.m.price[j] + partial * self.m.unit_cost[j], (*before, (j, whole)), partial)

    def _offer(self, cost: Fraction, machines: Machines, j: int, rate: Fraction, need: Fraction) -> None:
        """A plan with a partial machine at the rate that is left to buy or at its own need, if it can take that."""
        partial = max(rate, need)
        if self.strictly and partial == 0:
            self._take(cost, machines, partial)  # any rate works, however small
        if 0 < partial < self.m.configurations[j].throughput_rps:
            self._take(cost + partial * self.m.unit_cost[j], machines, partial)

    def _take(self, cost: Fraction, machines: Machines, partial: Fraction) -> None:
        if not self._too_expensive(cost):
            self.best = (cost, machines, partial)

    def plan(self) -> ModulePlan:
        """The best plan."""
        assert self.best is not None
        _, machines, partial = self.best
        rows = [Allocation(self.m.configurations[j], n) for j, n in machines]
        taken = sum((a.machines * a.configuration.throughput_rps for a in rows), partial)
        rows[-1] = Allocation(rows[-1].configuration, rows[-1].machines, partial)
        return ModulePlan(tuple(rows), taken - self.rate)
