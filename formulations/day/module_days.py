"""One module of several over time: the cheapest numbers of machines for a latency budget in each step (ours).

Numbers of machines are looked for within a box around those of the steps' own plans, so that what is found is a plan
and not a bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, prod

import numpy as np
from numpy.typing import NDArray

from euclio.day import Day, Serving
from euclio.day.instance import HOUR_S
from formulations.day.one_path import Path, cheapest_path
from formulations.day.rate_table import RateTable, most_alone, rate_table
from formulations.day.transitions import ChangePrices, Floats, change_prices, per_vector

BOX_CELLS = 6_000
"""Vectors of machines of a box at most: a path through 288 steps takes about a tenth of a second."""
ROOM = 1.5
"""A box has machines for so many times the largest cost of the module in a step's own plan."""

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ModuleDay:
    """A module over time.

    Attributes:
        day: the instance.
        index: which module.
        most: ends of the box, by hardware type.
        deadline: when to give up, on the clock of `time.perf_counter`.
    """

    day: Day
    index: int
    most: dict[str, int]
    deadline: float
    _tables: dict[float, RateTable] = field(default_factory=dict)

    @property
    def hardware(self) -> tuple[str, ...]:
        """Hardware types of the box, one per axis."""
        return tuple(self.most)

    @property
    def rates_rps(self) -> list[Fraction]:
        """Rate of the module in each step."""
        return [step.rates_rps[self.index] for step in self.day.steps]

    def table(self, budget_s: float) -> RateTable:
        """The rates of the vectors of the box within a budget."""
        if budget_s not in self._tables:
            session = self.day.session
            module, budget = session.modules[self.index], Fraction(budget_s)
            self._tables[budget_s] = rate_table(session, module, budget, Fraction(0), most=self.most)
        return self._tables[budget_s]

    def path(self, budgets_s: Sequence[float], kept: Sequence[Vector]) -> Path:
        """The cheapest path within a budget for each step.

        Args:
            budgets_s: seconds per step.
            kept: vectors that serve anyway, and so do those with more machines.
        """
        rates = self.rates_rps

        def serves(k: int) -> NDArray[np.bool_]:
            enough = self.table(budgets_s[k]).serves(rates[k])
            enough[tuple(slice(n, None) for n in kept[k])] = True
            return enough

        hours = [float(step.length_s / HOUR_S) for step in self.day.steps]
        found = cheapest_path(serves, self._per_h, hours, self._changes, self.deadline)
        assert not isinstance(found, int)
        return found

    def vector(self, serving: tuple[Serving, ...]) -> Vector:
        """Machines that serve, by axis."""
        return tuple(sum(one.machines for one in serving if one.hardware == name) for name in self.most)

    @property
    def _per_h(self) -> Floats:
        price = self.day.session.price
        shape = tuple(n + 1 for n in self.most.values())
        return per_vector(tuple(float(price[name]) for name in self.most), shape)

    @property
    def _changes(self) -> ChangePrices:
        return change_prices(self.day, self.hardware)


def module_day(day: Day, index: int, used: Sequence[tuple[Serving, ...]], deadline: float) -> ModuleDay:
    """A module with its box.

    Args:
        day: the instance.
        index: which module.
        used: what serves in the steps' own plans.
        deadline: when to give up.
    """
    session, module = day.session, day.session.modules[index]
    price = session.price
    costs = (sum(one.machines * price[one.hardware] for one in serving) for serving in used)
    largest = ROOM * float(max(costs))
    fast = [c for c in module.profile if c.duration_s < session.slo_s]
    needed = {c: c.batch / (session.slo_s - c.duration_s) for c in fast}
    alone = most_alone(session, fast, needed, day.largest_rates_rps[index])
    seen = dict.fromkeys(alone, 0)
    for one in (own for serving in used for own in serving):
        seen[one.hardware] = max(seen[one.hardware], one.machines)
    most: dict[str, int] = {}
    for hardware in session.hardware:
        if hardware.name in alone:
            unit = float(hardware.price_per_h)
            affordable = ceil(largest / unit) if unit else alone[hardware.name]
            most[hardware.name] = max(seen[hardware.name], min(affordable, alone[hardware.name]))
    while prod(n + 1 for n in most.values()) > BOX_CELLS:
        spare = {name: (n + 1) / (seen[name] + 1) for name, n in most.items()}
        widest = max(spare, key=lambda name: spare[name])
        if most[widest] == seen[widest]:
            break
        most[widest] -= 1
    return ModuleDay(day, index, most, deadline)


def latency_s(day: Day, index: int, serving: tuple[Serving, ...]) -> float:
    """Worst-case latency of full machines of one module, which are listed in rank order, in floats."""
    known = {(c.hardware, c.batch, c.concurrency): c for c in day.session.modules[index].profile}
    behind, worst = 0.0, 0.0
    for one in reversed(serving):
        c = known[one.hardware, one.batch, one.concurrency]
        behind += one.machines * float(c.throughput_rps)
        worst = max(worst, float(c.duration_s) + c.batch / behind)
    return worst
