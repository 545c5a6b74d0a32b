"""Applications that share limits: the cost of each with so much of every limit, divided among them (ours).

Let F_p(k) be the least cost of part p of the DAG with k units of the limits, such as machines of two types. The session
costs min Σ F_p(k_p) over Σ k_p ≤ K, where k and K have an entry for each limit. At prices λ per unit the cheapest plan
of a part bounds F_p(k) from below by its value less λ·k. A division by these bounds is a lower bound on the session;
where it relies on bounds, those F_p(k) are found exactly, each by a search of its part alone. The division that relies
on none is optimal. Few are found: all others are too expensive by their bounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.core.numbers import LARGEST
from euclio.core.result import Answer
from euclio.problems.session import ModulePlan, Plan, PlanSpace, Session, evaluate
from euclio.problems.session.arrays import Floats
from euclio.problems.session.objectives import parts
from formulations.effort import INFEASIBLE
from formulations.session.exact.apart import Part
from formulations.session.exact.frontier_search import Proof
from formulations.session.exact.stock.search import StockSearch, answer_of
from formulations.session.exact.stock.stock import limits_of, why_too_small
from formulations.session.module.limit_rows import Counts
from formulations.tolerances import GAP, SUMS

MOST_UNITS, MOST_CELLS = 1024, 4096
"""Units of a limit, and numbers of units of all limits together, up to which they are divided; boxes divide more."""
TIES = 4.0 * SUMS
"""Share by which sums of bounds may differ through rounding alone."""
PRICES_FIRST = 2
"""Best prices at whose plans the division begins."""

Units = tuple[int, ...]
"""Units of each limit."""


class Priced(NamedTuple):
    """The bound of a session at prices of its limits, and the units that each part's cheapest plan takes there."""

    bound: float
    price: Floats
    units: list[Units]


@dataclass(slots=True)
class PooledSearch(StockSearch):
    """A search for the cheapest whole machines within limits that several parts of the DAG share."""

    _least: list[Floats] = field(init=False)
    _known: list[Floats] = field(init=False)
    _plans: dict[tuple[int, Units], Plan] = field(init=False, default_factory=dict)
    _settled: list[NDArray[np.bool_]] = field(init=False)
    _sessions: list[Session] = field(init=False)
    _per_unit: list[Fraction] = field(init=False)
    _own_slo: float = field(init=False)
    _priced: list[Priced] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        """Of a part nothing is known to begin with, whatever it has of the limits."""
        StockSearch.__post_init__(self)
        shape = [most + 1 for most in self.units]
        self._least = [np.zeros(shape) for _ in self._apart]
        self._known = [np.full(shape, np.inf) for _ in self._apart]
        self._settled = [np.zeros(shape, np.bool_) for _ in self._apart]
        self._sessions = [_session_of(self.session, part) for part in self._apart]
        self._per_unit = [
            Fraction(1, lcm(*(each.denominator for each in limit.takes.values()))) for limit in self.limits
        ]
        self._own_slo = self._arrays.slo

    def run(self) -> None:
        """Price the session, and divide the limits among its parts where that does not settle it."""
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
        arrays, room, paid = self._charged(price), self._room(most), self._paid(price)
        for least, part in zip(self._least, self._apart, strict=True):
            value = self._cheapest_part(part, arrays, room).bound
            np.maximum(least, value - paid - SUMS * (value + paid), out=least)
        used = self._point(found).used
        units = [tuple(map(int, self._rows.takes @ used[part.modules].sum(axis=0))) for part in self._apart]
        self._priced.append(Priced(self._value(found, price), price, units))
        return found

    def _paid(self, price: Floats) -> Floats:
        """The price of all numbers of units, an axis for each limit."""
        paid: Floats = np.tensordot(price, np.indices(self._least[0].shape), 1)
        return paid

    def _divide(self) -> None:
        """Divide the units by bounds, and find what the division relies on, until it relies on none.

        The units that plans take at the best prices come first: bounds are exact there, and together they are often a
        good plan.
        """
        best = sorted(self._priced, key=lambda one: one.bound)[-PRICES_FIRST:]
        self.bound = best[-1].bound
        for p, k in {(p, k) for one in best for p, k in enumerate(one.units)}:
            if all(own <= most for own, most in zip(k, self.units, strict=True)) and self.complete:
                self._find(p, k)
        self._offer_division()
        while self.complete:
            self.bound, shares = division(self._of_interest(), self._settled)
            if self.bound >= self._limit():
                # No plan within the limits costs as much as the ceiling.
                self.bound = math.inf if self.plan is None and self.bound >= self._ceiling else self.bound
                break
            new = [(p, k) for p, k in enumerate(shares) if not self._settled[p][k]]
            for p, k in new:
                self._find(p, k)
            self._offer_division()
            if not new:
                break
        self.bound = min(self.bound, self.cost)

    def _of_interest(self) -> list[Floats]:
        """The bounds of all parts, infinite for units with which no division costs less than the best plan.

        At prices λ every division costs at least Σ min (bound + λ·k) less λ·K, and more by what each of its parts is
        above its own minimum.
        """
        if self.plan is None:
            return self._least
        paid = self._paid(max(self._priced, key=lambda one: one.bound).price)
        reduced = [least + paid for least in self._least]
        rest = self.cost - (sum(float(own.min()) for own in reduced) - float(paid.flat[-1]))
        # What rounding may have added to a sum keeps its units.
        rest += SUMS * (self.cost + float(paid.flat[-1]))
        return [
            np.where(own > own.min() + rest, np.inf, least) for least, own in zip(self._least, reduced, strict=True)
        ]

    def _find(self, p: int, k: Units) -> None:
        """The least cost of a part with so many units, and with any number between those that its plan takes and k."""
        limits = [
            limit._replace(capacity=own * unit) for limit, own, unit in zip(self.limits, k, self._per_unit, strict=True)
        ]
        # What costs a part more than its bound and all that is open makes no division better than the best plan.
        cutoff = self._least[p][k] + max(0.0, self.cost - self.bound)
        search = StockSearch(self._sessions[p], self.space, limits, self.deadline, cutoff=cutoff)
        search.run()
        self.solves, self.boxes = self.solves + search.solves, self.boxes + search.boxes
        self.complete = self.complete and search.complete
        self.effort.nodes += search.effort.nodes
        # A search that ends at its cutoff has found no least cost: with fewer units it says less than is open there.
        exact = search.bound >= search.cost * (1.0 - GAP)
        used = k if exact or search.bound < math.inf else (0,) * len(k)
        if search.plan is not None:
            taken = tuple(int(search.taken(limit) / unit) for limit, unit in zip(limits, self._per_unit, strict=True))
            used = taken if exact else k
            if search.cost < self._known[p][taken]:
                self._known[p][taken], self._plans[p, taken] = search.cost, search.plan
        self._settled[p][tuple(slice(a, b + 1) for a, b in zip(used, k, strict=True))] = True
        # With fewer units no plan is cheaper.
        fewer = tuple(slice(own + 1) for own in k)
        np.maximum(self._least[p][fewer], search.bound, out=self._least[p][fewer])

    def _offer_division(self) -> None:
        """Keep the best plan of the parts' known ones that are within the limits together."""
        value, shares = division(self._known)
        if value >= self.cost:
            return
        modules: dict[int, ModulePlan] = {}
        for p, (part, k) in enumerate(zip(self._apart, shares, strict=True)):
            modules |= dict(zip(part.modules.tolist(), self._plans[p, k].modules, strict=True))
        plan = Plan(tuple(modules[m] for m in range(len(modules))))
        checked = evaluate(self.session, plan, self.space)
        if checked.feasible and checked.cost_per_h is not None and checked.cost_per_h < self.cost:
            self.cost, self.plan = float(checked.cost_per_h), plan


def division(least: Sequence[Floats], settled: Sequence[NDArray[np.bool_]] | None = None) -> tuple[float, list[Units]]:
    """The division of units among parts that costs least together, and what it costs.

    Args:
        least: for each part what it costs with so many units, an axis for each limit, all of one shape. Infinite costs
            are passed over.
        settled: units whose costs are no mere bounds: the division has these where others cost as much but for
            rounding.
    """
    shape, sums = least[0].shape, [least[0]]
    for own in least[1:]:
        best, worth = np.full(shape, np.inf), np.isfinite(own)
        for axis in range(own.ndim):
            # More units for the same cost are never better.
            fewer, more = np.swapaxes(own, 0, axis)[:-1], np.swapaxes(own, 0, axis)[1:]
            np.swapaxes(worth, 0, axis)[1:] &= more < fewer
        for k in zip(*np.nonzero(worth), strict=True):
            rest = best[tuple(slice(one, None) for one in k)]
            np.minimum(rest, sums[-1][tuple(slice(size) for size in rest.shape)] + own[k], out=rest)
        sums.append(best)
    left = np.unravel_index(int(np.argmin(sums[-1])), shape)
    value, shares = float(sums[-1][left]), list[Units]()
    for p in range(len(least) - 1, 0, -1):
        # The same sums as above, so that the least is one of them to the bit.
        within = tuple(slice(one + 1) for one in left)
        together = sums[p - 1][within][(slice(None, None, -1),) * len(shape)] + least[p][within]
        ties = together <= together.min() * (1.0 + TIES)
        alike = ties if settled is None else ties & settled[p][within]
        taken = np.unravel_index(int(np.argmax(alike if alike.any() else ties)), together.shape)
        shares.append(tuple(int(one) for one in taken))
        left = tuple(one - each for one, each in zip(left, taken, strict=True))
    return value, [tuple(int(one) for one in left), *reversed(shares)]


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
    search = StockSearch(session, space, limits, deadline)
    several = bool(limits) and space.charging.whole and len(parts(session.parents())) > 1
    if several and max(search.units) <= MOST_UNITS and math.prod(most + 1 for most in search.units) <= MOST_CELLS:
        search = PooledSearch(session, space, limits, deadline)
    search.run()
    return answer_of(search, lambda: why_too_small(session, space, limits, deadline))
