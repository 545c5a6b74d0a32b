"""Applications that share one limit: what each costs with so much of it, divided among them (ours).

Let F_p(k) be the least cost of part p of the DAG with k units of the limit, such as machines of one type. The session
costs min Σ F_p(k_p) over Σ k_p ≤ K. At a price λ per unit the cheapest plan of a part bounds F_p(k) from below by its
value less λ·k. A division by these bounds is a lower bound on the session; where it relies on bounds, those F_p(k) are
found exactly, each by a search of its part alone. The division that relies on none is optimal. Few are found: all
others are too expensive by their bounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm

import numpy as np

from euclio.core.numbers import LARGEST
from euclio.core.result import Answer
from euclio.problems.session import ModulePlan, Plan, PlanSpace, Session, evaluate
from euclio.problems.session.arrays import Floats, Ints
from euclio.problems.session.objectives import parts
from formulations.effort import INFEASIBLE
from formulations.session.exact.apart import Part
from formulations.session.exact.frontier_search import Proof
from formulations.session.exact.stock.boxes import Counts
from formulations.session.exact.stock.search import StockSearch, answer_of
from formulations.session.exact.stock.stock import limits_of, why_too_small
from formulations.tolerances import GAP, SUMS

MOST_UNITS = 1024
"""Units of a limit up to which they are divided; boxes divide more."""


@dataclass(slots=True)
class PooledSearch(StockSearch):
    """A search for the cheapest whole machines within one limit that several parts of the DAG share."""

    _least: list[Floats] = field(init=False)
    _found: dict[tuple[int, int], StockSearch] = field(init=False, default_factory=dict)
    _sessions: list[Session] = field(init=False)
    _per_unit: Fraction = field(init=False)
    _own_slo: float = field(init=False)

    def __post_init__(self) -> None:
        """Of a part nothing is known to begin with, whatever it has of the limit."""
        StockSearch.__post_init__(self)
        self._least = [np.zeros(int(self._rows.most[0]) + 1) for _ in self._apart]
        self._sessions = [_session_of(self.session, part) for part in self._apart]
        self._per_unit = Fraction(1, lcm(*(each.denominator for each in self.limits[0].takes.values())))
        self._own_slo = self._arrays.slo

    def run(self) -> None:
        """Price the session, and divide the limit among its parts where that does not settle it."""
        left = self._in_time(self._parts, self._root())
        self.boxes = 1
        if self.complete and (left or self._tied):
            self._tied.clear()
            self._divide()
        else:
            self.bound = min(self.cost, *(box.bound for box in left)) if left else self.cost

    def _cheapest(self, most: Counts, price: Floats) -> Proof:
        """Price all parts, and keep what that says of each: its value at a price bounds it with any units."""
        found = StockSearch._cheapest(self, most, price)
        # Just inside the SLO there are fewer plans, which bound nothing.
        if found.status == INFEASIBLE or self._arrays.slo != self._own_slo:
            return found
        arrays, room = self._charged(price), self._room(most)
        for least, part in zip(self._least, self._apart, strict=True):
            value, paid = self._cheapest_part(part, arrays, room).bound, price[0] * np.arange(least.size)
            np.maximum(least, value - paid - SUMS * (value + paid), out=least)
        return found

    def _divide(self) -> None:
        """Divide the units by bounds, and find what the division relies on, until it relies on none."""
        while True:
            self.bound, shares = division(self._least)
            if self.bound >= self._limit() or not self.complete:
                break
            new = [(p, k) for p, k in enumerate(shares) if (p, k) not in self._found]
            for p, k in new:
                self._find(p, k)
            self._offer_division(shares)
            if not new:
                break
        self.bound = min(self.bound, self.cost)

    def _find(self, p: int, k: int) -> None:
        """The least cost of a part with so many units, and with any number between those that its plan takes and k."""
        limit = self.limits[0]._replace(capacity=k * self._per_unit)
        # What costs a part more than its bound and all that is open makes no division better than the best plan.
        cutoff = self._least[p][k] + max(0.0, self.cost - self.bound)
        search = StockSearch(self._sessions[p], self.space, [limit], self.deadline, cutoff=cutoff)
        search.run()
        self.solves, self.boxes = self.solves + search.solves, self.boxes + search.boxes
        self.complete = self.complete and search.complete
        self.effort.nodes += search.effort.nodes
        # A search that ends at its cutoff has found no least cost: with fewer units it says less than is open there.
        used = k
        if search.plan is None and math.isinf(search.bound):
            used = 0
        elif search.plan is not None and search.bound >= search.cost * (1.0 - GAP):
            used = int(search.taken(limit) / self._per_unit)
        self._found |= {(p, units): search for units in range(used, k + 1)}
        # With fewer units no plan is cheaper.
        np.maximum(self._least[p][: k + 1], search.bound, out=self._least[p][: k + 1])

    def _offer_division(self, shares: Sequence[int]) -> None:
        """Keep the plan of a division if it is the best so far."""
        modules: dict[int, ModulePlan] = {}
        for p, (part, k) in enumerate(zip(self._apart, shares, strict=True)):
            plan = self._found[p, k].plan
            if plan is None:
                return
            modules |= dict(zip(part.modules.tolist(), plan.modules, strict=True))
        plan = Plan(tuple(modules[m] for m in range(len(modules))))
        checked = evaluate(self.session, plan, self.space)
        if checked.feasible and checked.cost_per_h is not None and checked.cost_per_h < self.cost:
            self.cost, self.plan = float(checked.cost_per_h), plan


def division(least: Sequence[Floats]) -> tuple[float, list[int]]:
    """The division of units among parts that costs least together, and what it costs.

    Args:
        least: for each part what it costs with 0, 1, ... units, all of one length.
    """
    together, chosen = least[0], list[Ints]()
    for own in least[1:]:
        best, at = np.full(own.size, np.inf), np.zeros(own.size, np.int64)
        for k, cost in enumerate(own):
            with_k = together[: own.size - k] + cost
            better = with_k < best[k:]
            best[k:][better], at[k:][better] = with_k[better], k
        together = best
        chosen.append(at)
    left = int(np.argmin(together))
    value, shares = float(together[left]), list[int]()
    for at in reversed(chosen):
        shares.append(int(at[left]))
        left -= shares[-1]
    return value, [left, *reversed(shares)]


def _session_of(session: Session, part: Part) -> Session:
    """A part of the DAG as a session; without an objective of its own it may take as long as a session may name."""
    modules = tuple(session.modules[m] for m in part.modules)
    names = {module.name for module in modules}
    objectives = tuple(one for one in session.objectives if one.to in names)
    longest = max((one.slo_s for one in objectives), default=Fraction(LARGEST))
    return replace(
        session,
        slo_s=longest if session.objectives else session.slo_s,
        modules=modules,
        edges=tuple(edge for edge in session.edges if edge[0] in names),
        objectives=objectives,
        delay_s={edge: delay for edge, delay in session.delay_s.items() if edge[0] in names},
        applications=(),
        least_machines={name: least for name, least in session.least_machines.items() if name in names},
    )


def solve_stock(session: Session, space: PlanSpace, deadline: float) -> Answer:
    """The cheapest plan within the stock, with proof.

    Args:
        session: the instance, with a stock.
        space: plan space with whole machines and without `single_hardware`.
        deadline: `time.perf_counter` value at which to stop; infinite means never.

    Returns:
        The plan and the bound; where the stock is too small, of which type how many more machines would do.
    """
    limits = limits_of(session, space)
    divides = len(limits) == 1 and space.charging.whole and len(parts(session.parents())) > 1
    search = StockSearch(session, space, limits, deadline)
    if divides and search.most_units <= MOST_UNITS:
        search = PooledSearch(session, space, limits, deadline)
    search.run()
    return answer_of(search, lambda: why_too_small(session, space, limits, deadline))
