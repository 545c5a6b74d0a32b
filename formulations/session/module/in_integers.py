"""The cheapest plan of one module within a latency budget, in integers: decides ties that floats cannot (ours).

Rates and costs are integers on common scales made from the decimal text of the input, and needs are rounded to the
integer that decides the comparison, so every comparison is exact. The search goes down the ranking as the compiled one
does (`by_share`). It is a thousand times slower and meant for the few budgets at which that one met a tie.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import accumulate
from math import ceil, floor, inf, lcm
from typing import TYPE_CHECKING

from euclio.problems.session import Allocation, Configuration, DummyRule, Module, ModulePlan, PlanSpace
from euclio.problems.session.evaluate import rank_key
from euclio.problems.session.policies import Form
from formulations.effort import Effort

if TYPE_CHECKING:
    from formulations.session.demands import LeastRow


@dataclass(frozen=True, slots=True)
class MachineLimits:
    """The limits on the machines of a module, by name of the hardware; types that are not named have no limit.

    Attributes:
        most: most machines or, if they are charged by share, most of the sum of their shares.
        price_per_h: additional price of a machine of a type.
        running: machines that run already; types that are not named have none.
        change_per_h: price of each machine added to or removed from those.
        most_changes: most machines added and removed together; None means any number.
        rows: least totals of its machines.
    """

    most: dict[str, Fraction] = field(default_factory=dict)
    price_per_h: dict[str, Fraction] = field(default_factory=dict)
    running: dict[str, int] = field(default_factory=dict)
    change_per_h: Fraction = Fraction(0)
    most_changes: int | None = None
    rows: tuple[LeastRow, ...] = ()

    @property
    def change(self) -> bool:
        """Whether changes of running machines cost anything or are limited."""
        return self.change_per_h > 0 or self.most_changes is not None

    def changes(self, machines: dict[str, int]) -> int:
        """Number of machines, given by name of the hardware, that are added to and removed from the running ones."""
        return sum(abs(machines.get(name, 0) - self.running.get(name, 0)) for name in {*machines, *self.running})


NO_LIMITS = MachineLimits()


@dataclass(frozen=True, slots=True)
class RationalModule:
    """A module in a plan space as integers, configurations in rank order.

    Attributes:
        module: the module.
        configurations: those that the plan space allows.
        rate: its rate, in 1/`rate_scale` requests per second.
        throughput: t of each configuration, in 1/`rate_scale` requests per second.
        unit_cost: cost of one such unit of rate on each configuration, in 1/`cost_scale` money per hour, with the
            additional price of its machines.
        least: the least unit cost of a configuration and of all behind it. Without additional prices it is their own,
            as configurations are ranked by it.
        rate_scale: units of rate per request per second.
        cost_scale: units of cost per money per hour.
        group: number of the configuration's throughput-cost ratio.
        change: cost of a change, in 1/`cost_scale` money per hour.
        limits: the limits on its machines.
        space: the plan space.
    """

    module: Module
    configurations: tuple[Configuration, ...]
    rate: int
    throughput: tuple[int, ...]
    unit_cost: tuple[int, ...]
    least: tuple[int, ...]
    rate_scale: int
    cost_scale: int
    group: tuple[int, ...]
    change: int
    limits: MachineLimits
    space: PlanSpace

    def change_cost(self, machines: dict[str, int]) -> int | None:
        """Cost of the changes to machines by name of the hardware, in units of cost; None if they are too many."""
        changes = self.limits.changes(machines) if self.limits.change else 0
        most = self.limits.most_changes
        return None if most is not None and changes > most else self.change * changes

    @property
    def most(self) -> int:
        """Most allocations."""
        allowed = len(self.configurations)
        return allowed if self.space.max_allocations is None else min(allowed, self.space.max_allocations)

    def room(self, before: tuple[tuple[int, int], ...], j: int) -> Fraction | float:
        """Most machines of configuration j next to others, given as configurations and numbers; infinite means any."""
        hardware = self.configurations[j].hardware
        most = self.limits.most.get(hardware)
        if most is None:
            return inf
        return most - sum(n for i, n in before if self.configurations[i].hardware == hardware)

    def asked(self, before: tuple[tuple[int, int], ...], j: int) -> tuple[Fraction, bool]:
        """Machines of configuration j that rows require next to others, and whether no row requires others as well."""
        most, alone = Fraction(0), True
        for row in self.limits.rows:
            lacks = row.least - sum((n * row.gives(self.configurations[i]) for i, n in before), Fraction(0))
            own = row.gives(self.configurations[j])
            if lacks > 0 and own:
                most = max(most, lacks / own)
            alone = alone and (lacks <= 0 or own > 0)
        return most, alone


@dataclass(frozen=True, slots=True)
class Needs:
    """Rates that configurations need to stay within a budget; infinite means that no rate is enough.

    Attributes:
        whole: rate that is left when a whole machine begins, dummies included.
        partial: rate that a partial machine takes (under `tc-shared` that its ratio takes).
        each: in form `EVEN`, rate that a machine of the last allocation needs if one of them is partial: n + 1 of them
            take n + 1 times that together, or more if `strictly` is set; infinite means that no rate is enough. Other
            forms have none.
        strictly: whether latencies have to stay below the budget, not only within.
        nearly: whether a partial machine that is arbitrarily close to full stays below the budget: its latency is
            above d + b/t, so d + b/t itself has to be below.
    """

    whole: tuple[float, ...]
    partial: tuple[float, ...]
    each: tuple[Fraction | float, ...] = ()
    strictly: bool = False
    nearly: tuple[bool, ...] = ()


def rational_module(
    module: Module, price: dict[str, Fraction], space: PlanSpace, limits: MachineLimits = NO_LIMITS
) -> RationalModule:
    """A module in a plan space as integers, on the smallest scales on which its rates and costs are whole.

    Args:
        module: the module.
        price: price per hour by hardware name.
        space: plan space without `single_hardware`, with a countable dummy rule or whole machines.
        limits: the limits on its machines.
    """
    allowed = [c for c in module.profile if space.allows(c.hardware, c.batch, c.concurrency)]
    unit = {c: price[c.hardware] / c.throughput_rps for c in allowed}
    ranked = sorted(allowed, key=lambda c: rank_key(c, price))
    rate_scale = lcm(module.rate_rps.denominator, *(c.throughput_rps.denominator for c in ranked))
    # Additional prices do not affect the ranking, which decides how requests are dispatched.
    per_unit = [(unit[c] + limits.price_per_h.get(c.hardware, 0) / c.throughput_rps) / rate_scale for c in ranked]
    cost_scale = lcm(limits.change_per_h.denominator, *(cost.denominator for cost in per_unit))
    unit_cost = tuple(int(cost * cost_scale) for cost in per_unit)
    distinct = sorted(set(unit.values()))
    return RationalModule(
        module,
        tuple(ranked),
        int(module.rate_rps * rate_scale),
        tuple(int(c.throughput_rps * rate_scale) for c in ranked),
        unit_cost,
        tuple(accumulate(unit_cost[::-1], min))[::-1],
        rate_scale,
        cost_scale,
        tuple(distinct.index(unit[c]) for c in ranked),
        int(limits.change_per_h * cost_scale),
        limits,
        space,
    )


def needs_within(m: RationalModule, budget_s: Fraction, *, strictly: bool) -> Needs:
    """The rates that configurations need to stay within a latency budget.

    Args:
        m: the module.
        budget_s: the budget in seconds.
        strictly: whether latencies have to stay below the budget.

    Returns:
        One rate per configuration for whole and for partial machines, in units of the module's scale.
    """
    if m.space.policy.form is Form.EVEN:
        return _even_needs(m, budget_s, strictly)
    whole, partial = [], []
    for c in m.configurations:
        need = _least_rate(c, m.rate_scale, budget_s, strictly)
        partial.append(need)
        if m.space.policy.form.in_sequence:
            whole.append(need)
            continue
        own = m.space.policy.fixed_latency(c)
        whole.append(0 if own < budget_s or (own == budget_s and not strictly) else inf)
    if not m.space.fills or m.space.dummy.countable or m.space.policy.form.in_sequence:
        return Needs(tuple(whole), tuple(partial))
    nearly = tuple(c.duration_s + c.batch / c.throughput_rps < budget_s for c in m.configurations)
    return Needs(tuple(whole), tuple(partial), (), strictly, nearly)


def _even_needs(m: RationalModule, budget_s: Fraction, strictly: bool) -> Needs:
    """Needs in form `EVEN`: full machines need 0, or no rate is enough; n machines at rate R need R >= n·q/(L − d)."""
    policy = m.space.policy
    whole: list[float] = []
    each: list[Fraction | float] = []
    for c in m.configurations:
        full = policy.fixed_latency(c)
        fits = full < budget_s or (full == budget_s and not strictly)
        whole.append(0 if fits else inf)
        # If a full machine is too slow, so is one with a smaller share.
        each.append(policy.even_batch(c) * m.rate_scale / (budget_s - c.duration_s) if fits else inf)
    return Needs(tuple(whole), tuple(whole), tuple(each), strictly)


def _least_rate(c: Configuration, scale: int, budget_s: Fraction, strictly: bool) -> float:
    """The least integer rate w with d + b/w within (strictly: below) the budget."""
    if budget_s <= c.duration_s:
        return inf
    rate = c.batch * scale / (budget_s - c.duration_s)
    return floor(rate) + 1 if strictly else ceil(rate)


def cheapest_plan(m: RationalModule, needs: Needs, cutoff: Fraction | None, effort: Effort) -> ModulePlan | None:
    """The cheapest plan of a module whose machines all have what they need; None if none costs less than the cutoff.

    Args:
        m: the module.
        needs: needs of its configurations within the budget.
        cutoff: cost per hour that the plan has to stay below; None means any.
        effort: counts nodes.

    Raises:
        UndecidedError: the effort's limits are reached.
    """
    search = _ShareSearch(m, needs, effort, inf if cutoff is None else ceil(cutoff * m.cost_scale))
    search.extend(0, m.rate, 0, 0, (), m.rate)
    return None if search.best is None else plan_of(m, *search.best)


class _ShareSearch:
    """One depth-first search in integers; `below` is the cost in units that a plan has to stay below."""

    def __init__(self, m: RationalModule, needs: Needs, effort: Effort, below: float) -> None:
        self.m, self.needs, self.effort, self.below = m, needs, effort, below
        self.best: tuple[tuple[tuple[int, int], ...], int] | None = None
        self.shared = m.space.policy.form is Form.TIED
        self.whole = m.space.charging.whole
        self.dummies = m.space.dummy.adds
        self.most_throughput = [max(m.throughput[i:], default=0) for i in range(len(m.throughput) + 1)]

    def extend(
        self, first: int, rest: int, cost: int, deficit: int, before: tuple[tuple[int, int], ...], collecting: int
    ) -> None:
        """Close the plan with each configuration from `first` on, or take machines of it and go on.

        Args:
            first: first configuration that may be used.
            rest: rate left.
            cost: cost of the machines before.
            deficit: dummies that they need beyond the rate.
            before: configuration and number of these machines, by allocation.
            collecting: rate at which the ratio of the last of them collects.
        """
        m = self.m
        for j in range(first, len(m.configurations)):
            self.effort.count()
            if cost + m.least[j] * (rest + deficit) >= self.below:
                return  # no later configuration costs less per request
            tied = self.shared and bool(before) and m.group[j] == m.group[before[-1][0]]
            w = collecting if tied else rest
            whole, left = divmod(rest, m.throughput[j])
            lacking, room = max(deficit, self.needs.whole[j] - w), m.room(before, j)
            asked, alone = m.asked(before, j)
            if deficit == 0 and (whole == 0 or lacking <= 0) and self._closes(j, whole, left, w):
                charged = (whole + 1) * m.throughput[j] if left and self.whole else rest
                if alone and asked * m.throughput[j] <= rest and charged <= room * m.throughput[j]:
                    self._offer(cost + charged * m.unit_cost[j], (*before, (j, whole)), left)
                    if not m.limits.change and charged == rest and m.unit_cost[j] == m.least[j]:
                        return  # no plan that continues from here is cheaper
            # Too slow for the budget, or in need of dummies that the rule forbids; a later configuration may work.
            if lacking == inf or (lacking > 0 and not self.dummies):
                continue
            filled = self.dummies and left and m.throughput[j] - left >= lacking
            if filled and alone and asked <= whole + 1 <= room:
                whole_cost = m.throughput[j] * m.unit_cost[j]
                self._offer(cost + (whole + 1) * whole_cost, (*before, (j, whole + 1)), 0)
            if len(before) + 1 >= m.most or lacking >= self.most_throughput[j + 1]:
                continue  # no last machine can take that many dummies
            for n in range(int(min(whole if left else whole - 1, room)), 0, -1):
                spent = cost + n * m.throughput[j] * m.unit_cost[j]
                further = rest - n * m.throughput[j]
                if spent + m.least[j + 1] * (further + int(lacking)) >= self.below:
                    if m.unit_cost[j] > m.least[j + 1]:
                        continue
                    break  # fewer machines leave more to the more expensive ones
                self.extend(j + 1, further, spent, int(lacking), (*before, (j, n)), w)

    def _closes(self, j: int, whole: int, left: int, w: int) -> bool:
        """Whether whole machines of configuration j, and a partial one for the rest, end a plan in time."""
        if left == 0:
            return whole > 0
        if self.needs.each:
            least = (whole + 1) * self.needs.each[j]
            taken = whole * self.m.throughput[j] + left
            return taken > least if self.needs.strictly else taken >= least
        return self.needs.partial[j] <= (w if self.shared else left)

    def _offer(self, cost: int, machines: tuple[tuple[int, int], ...], partial: int) -> None:
        """Keep a plan if it costs less than the best one so far, with its changes."""
        if self.m.limits.change:
            held: dict[str, int] = {}
            for i, (j, n) in enumerate(machines):
                name = self.m.configurations[j].hardware
                held[name] = held.get(name, 0) + n + (1 if partial and i + 1 == len(machines) else 0)
            changes = self.m.change_cost(held)
            if changes is None:
                return
            cost += changes
        if cost < self.below:
            self.below, self.best = cost, (machines, partial)


def plan_of(m: RationalModule, machines: tuple[tuple[int, int], ...], partial: int) -> ModulePlan:
    """The plan of counts by configuration, of which the last one has the partial rate, in units."""
    taken = sum(n * m.throughput[j] for j, n in machines) + partial
    rows = [Allocation(m.configurations[j], n) for j, n in machines]
    rows[-1] = Allocation(rows[-1].configuration, rows[-1].machines, Fraction(partial, m.rate_scale))
    return ModulePlan(tuple(rows), Fraction(taken - m.rate, m.rate_scale))


# The cheapest whole machines of one module within a budget, in integers: decides ties that floats cannot (ours).
#
# The search is that of `search_cover`, on the exact numbers of `RationalModule`.


def cheapest_filled(m: RationalModule, needs: Needs, cutoff: Fraction | None, effort: Effort) -> ModulePlan | None:
    """The cheapest plan of a module if dummies fill whole machines at no cost; None if none is below the cutoff.

    A partial machine that is to be filled up nearly to full takes the rest of the rate that the whole ones leave.

    Args:
        m: the module, in a plan space that fills.
        needs: needs of its configurations within the budget.
        cutoff: cost per hour that the plan has to stay below; None means any.
        effort: counts nodes.

    Raises:
        UndecidedError: the effort's limits are reached.
    """
    search = _WholeSearch(m, needs, effort, inf if cutoff is None else ceil(cutoff * m.cost_scale))
    search.extend(0, m.rate, 0, (), m.rate, 0)
    full = None if search.best is None else plan_of(m, search.best, search.partial)
    if needs.nearly or m.space.policy.form is not Form.FIXED or inf not in needs.whole:
        return full
    # Full machines of a configuration are too slow, a partial one may not be (`rr` with concurrency).
    below = cutoff if full is None else Fraction(int(search.below), m.cost_scale)
    partly = replace(m, space=replace(m.space, dummy=DummyRule.NONE))
    return cheapest_plan(partly, needs, below, effort) or full


class _WholeSearch:
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
            taken: the part of it that this ratio has.
        """
        m = self.m
        for j in range(first, len(m.configurations)):
            self.effort.count()
            if cost + m.least[j] * required >= self.below:
                return  # no later configuration costs less per request
            need, room, (asked, alone) = self.needs.whole[j], m.room(before, j), m.asked(before, j)
            if need == inf:
                # Full machines of it are always too slow, but one that is nearly full may end the plan.
                nearly = self.needs.nearly and self.needs.nearly[j] and required < m.throughput[j]
                if nearly and alone and asked <= 1 <= room:
                    self._offer(cost + self.price[j], (*before, (j, 0)), required)
                continue
            tied = self.shared and bool(before) and m.group[j] == m.group[before[-1][0]]
            begun, had = (max(start, int(need)), taken) if tied else (max(required, int(need)), 0)
            here, t = begun - had, m.throughput[j]
            # Its need may be more than others need, and one machine of it is used at least.
            if cost + max(m.least[j] * here, self.price[j]) >= self.below:
                continue
            n = max(1, -(-here // t), ceil(asked))
            if alone and n <= room:
                self._offer(cost + n * self.price[j], (*before, (j, n)), 0)
            if len(before) + 1 >= m.most or j + 1 >= len(m.configurations):
                continue
            # As many, if others have to meet the rest of a row.
            for fewer in range(int(min(n - 1 if alone else n, room)), 0, -1):
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
