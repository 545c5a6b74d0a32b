"""Solver `exact` if machines of some types are paid for, used or not (ours; docs/model/limits.md).

A type of price p of which k machines are paid for costs p·max(k, n), with n machines in use. For every price ν from 0
to p, plans at the price p − ν with an additional cost of ν·k cost no more. So the search begins with prices that
promise the best bound, as on a stock. The rest is a search over the most machines U of each such type, at the price 0
with an additional cost of p·k. Within U the cheapest plan, of n machines, settles all plans with at least n: at
p·max(k, n) they cost no less. The others have fewer than n of some type with n above k, and are searched with that as
the most.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import count
from math import floor

import numpy as np

from euclio.core.result import Answer
from euclio.problems.session import Plan, PlanSpace, Session, evaluate
from euclio.problems.session.evaluate import machines_by_hardware
from euclio.problems.session.machine_limits import paid_for
from euclio.problems.session.resources import MachineLimit
from formulations.session.exact.stock.boxes import parts_of_machines
from formulations.session.exact.stock.prices import better_price
from formulations.session.exact.stock.search import StockSearch, answer_of
from formulations.session.exact.stock.stock import limits_of, why_too_small
from formulations.tolerances import GAP, SUMS

ROUNDS = 8
"""Prices that are tried before the numbers of most machines."""

ByType = dict[str, Fraction]
"""Machines or money per hour by hardware type."""


@dataclass(slots=True)
class _PaidSearch:
    """A search for the cheapest plan if machines of some types are paid for, used or not.

    Attributes:
        session: the instance.
        space: plan space without `single_hardware`.
        deadline: `time.perf_counter` value at which to stop.
        cost: cost per hour of the best plan found; None before the first.
        plan: that plan.
        bound: proven lower bound on the cost of all plans.
        searches: searches done.
    """

    session: Session
    space: PlanSpace
    deadline: float
    cost: Fraction | None = None
    plan: Plan | None = None
    bound: float = 0.0
    searches: list[StockSearch] = field(default_factory=list)
    _plain: Session = field(init=False)
    _limits: list[MachineLimit] = field(init=False)
    _least: dict[str, int] = field(init=False)
    _price: ByType = field(init=False)
    _apart: Fraction = field(init=False)
    _priced: list[tuple[ByType, float]] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        """Leave out the machines that are paid for; those of types that no plan may use are a constant."""
        hardware = tuple(replace(h, at_least=None) for h in self.session.hardware)
        self._plain = replace(self.session, hardware=hardware)
        self._limits = limits_of(self._plain, self.space)
        asked, price = paid_for(self.session), self.session.price
        allowed = {h.name for h in self.space.hardware_of(self.session)}
        self._least = {name: least for name, least in asked.items() if name in allowed}
        self._price = {name: price[name] for name in self._least}
        self._apart = sum((least * price[name] for name, least in asked.items() if name not in allowed), Fraction(0))

    def run(self) -> StockSearch:
        """Search until bound and plan meet, or the time is up.

        Returns:
            The search without machines that are paid for: without a plan there, there is none at all.
        """
        first = self._searched({}, {})
        paid = self._paid(self._price)
        self.bound = max(first.bound, paid) + float(self._apart)
        if first.plan is None:
            self.bound = first.bound if math.isinf(first.bound) else self.bound
            return first
        self._try_prices(first)
        if self.cost is not None and not self._settles(self.bound):
            self._try_most()
        return first

    def _paid(self, prices: Mapping[str, Fraction]) -> float:
        """The cost of the machines that are paid for at some prices."""
        return float(sum((price * self._least[name] for name, price in prices.items()), Fraction(0)))

    def _settles(self, bound: float) -> bool:
        """Whether a bound leaves nothing of interest."""
        return self.cost is not None and bound >= float(self.cost) * (1.0 - GAP)

    def _searched(self, discount: ByType, most: ByType) -> StockSearch:
        """The cheapest plan with cheaper machines and the most of some types; it is offered as a plan."""
        rows, limited = [], dict(most)
        for limit in self._limits:
            own = limited.pop(limit.name, limit.capacity) if limit.is_stock else limit.capacity
            rows.append(limit._replace(capacity=min(limit.capacity, own)))
        rows += [MachineLimit(name, n, {name: Fraction(1)}, True) for name, n in limited.items()]
        search = StockSearch(self._plain, self.space, rows, self.deadline, discount=discount)
        search.run()
        self.searches.append(search)
        if search.plan is not None:
            checked = evaluate(self.session, search.plan, self.space)
            cost = checked.cost_per_h if checked.feasible else None
            if cost is not None and (self.cost is None or cost < self.cost):
                self.cost, self.plan = cost, search.plan
        return search

    def _used(self, plan: Plan) -> ByType:
        """The machines of a plan of the types that are paid for."""
        checked = evaluate(self._plain, plan, self.space)
        found = machines_by_hardware(plan, [m.partial_rps for m in checked.modules], self.space)
        return {name: found.get(name, Fraction(0)) for name in self._least}

    def _try_prices(self, first: StockSearch) -> None:
        """Lower prices as long as the known plans promise a better bound."""
        names, search = list(self._least), first
        scale = np.array([float(self._price[name]) for name in names])
        now, costs, lacking = np.zeros(len(names)), list[float](), list[list[float]]()
        self._priced.append(({}, first.bound))
        for _ in range(ROUNDS):
            if self._settles(self.bound) or search.plan is None or not search.complete:
                return
            used = self._used(search.plan)
            lacking.append([float(self._least[name] - used[name]) for name in names])
            plain = evaluate(self._plain, search.plan, self.space).cost_per_h
            assert plain is not None
            costs.append(float(plain))
            better = better_price(np.array(costs), np.array(lacking), now, scale, math.inf)
            if better is None:
                return
            capped = np.minimum(better, scale)
            if (capped == now).all():
                return
            now = capped
            # A float may be a little above the price that it stands for.
            discount = {n: min(Fraction(float(x)), self._price[n]) for n, x in zip(names, now, strict=True) if x > 0}
            search = self._searched(discount, self._most_of_interest())
            self._priced.append((discount, search.bound))
            self._lift(search.bound, discount)

    def _lift(self, bound: float, discount: ByType) -> None:
        """Record the bound of a search that contains every plan cheaper than the best one."""
        if math.isinf(bound):
            self.bound = max(self.bound, float(self.cost or 0))
            return
        found = (bound + self._paid(discount)) * (1.0 - SUMS) + float(self._apart)
        self.bound = max(self.bound, min(found, float(self.cost or 0)))

    def _most_of_interest(self) -> ByType:
        """The most machines of each type in a plan that is cheaper than the best one."""
        assert self.cost is not None
        best, most = self.cost - self._apart, ByType()
        for name, price in self._price.items():
            others = sum((p * self._least[other] for other, p in self._price.items() if other != name), Fraction(0))
            bounds = [(best - others) / price]
            for discount, bound in self._priced:
                own = discount.get(name, Fraction(0))
                if own and math.isfinite(bound):
                    rest = sum((p * self._least[other] for other, p in discount.items() if other != name), Fraction(0))
                    bounds.append((best - rest - Fraction(bound * (1.0 - SUMS))) / own)
            most[name] = Fraction(max(self._least[name], floor(min(bounds)) + (not self.space.charging.whole)))
        return most

    def _try_most(self) -> None:
        """Search over the most machines of each type, by rising bound."""
        step = Fraction(1, parts_of_machines(self._plain, self.space))
        numbers, paid = count(), self._paid(self._price) + float(self._apart)
        queue: list[tuple[float, int, ByType]] = [(self.bound, next(numbers), self._most_of_interest())]
        seen, closed = set[tuple[Fraction, ...]](), math.inf
        while queue and not self._settles(queue[0][0]):
            bound, _, most = heapq.heappop(queue)
            search = self._searched(self._price, most)
            if math.isfinite(search.bound):
                bound = max(bound, search.bound * (1.0 - SUMS) + paid)
            elif search.plan is None:
                continue
            if search.plan is None or not search.complete:
                closed = min(closed, bound)
                break
            used = self._used(search.plan)
            more = [name for name, n in used.items() if n > self._least[name]]
            at_least = sum((self._price[name] * (used[name] - self._least[name]) for name in more), Fraction(0))
            closed = min(closed, max(bound, search.bound * (1.0 - SUMS) + paid + float(at_least)))
            for name in more:
                fewer = {**most, name: used[name] - step}
                key = tuple(fewer.values())
                if key not in seen and not self._settles(bound):
                    seen.add(key)
                    heapq.heappush(queue, (bound, next(numbers), fewer))
        self.bound = max(self.bound, min(float(self.cost or 0), closed, *(entry[0] for entry in queue)))


def solve_paid_for(session: Session, space: PlanSpace, deadline: float) -> Answer:
    """The cheapest plan if machines of some types are paid for, used or not, also within a stock, with proof.

    Args:
        session: the instance, without spare machines, and without limits on changes or prices of them.
        space: plan space with whole machines or a countable dummy rule, and without `single_hardware`.
        deadline: `time.perf_counter` value at which to stop; infinite means never.

    Returns:
        The plan and the bound.
    """
    search = _PaidSearch(session, space, deadline)
    first = search.run()
    limits: Sequence[MachineLimit] = first.limits
    if search.plan is None:
        found = answer_of(first, lambda: why_too_small(first.session, space, limits, deadline))
        return found if found.infeasible else replace(found, bound=search.bound)
    assert search.cost is not None
    stats = {
        "solves": float(sum(one.solves for one in search.searches)),
        "boxes": float(sum(one.boxes for one in search.searches)),
    }
    complete = all(one.complete for one in search.searches)
    undecided = "a tie with the SLO is undecided" if complete else "the time limit was hit"
    return Answer.proven(search.plan, float(search.cost), search.bound, undecided, stats)
