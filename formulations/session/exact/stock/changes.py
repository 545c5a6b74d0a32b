"""Solver `exact` close to a running plan: changes of machines are charged, or limited over all modules (ours).

A limit on changes couples the modules as a type in stock does: it is one more column of that search (`stock`). At a
price on changes modules are independent again, and the least changes of one module are not available to the others.
The cheapest plan of one module at a price is another problem than without (`charged_states`), since it may keep
machines that it does not need.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from euclio.core.result import Answer
from euclio.core.words import counted
from euclio.problems.session import PlanSpace, Session
from euclio.problems.session.arrays import Floats, Ints
from euclio.problems.session.resources import without_stock
from euclio.problems.session.running import Running
from formulations.session.exact.frontier_search import ANY_WORK, Proof, prove_within
from formulations.session.exact.in_fractions.stock import BoxPlan, Changes, cheapest_in_box
from formulations.session.exact.stock.boxes import Attainable, Box, Point
from formulations.session.exact.stock.search import WHY_S, StockSearch, answer_of
from formulations.session.exact.stock.stock import limited_by, limits_of, why_too_small
from formulations.session.module.charges import Charges
from formulations.session.module.limit_rows import Counts
from formulations.session.module.problem import NO_LIMIT, Stock
from formulations.session.split.course import unwatched
from formulations.tolerances import GAP


@dataclass(slots=True)
class ChangesSearch(StockSearch):
    """A search for the cheapest plan within a stock and close to the running plan; costs are without `gone`.

    Attributes:
        counted: whether the search is for the fewest changes instead: machines cost nothing, a change costs 1.
        gone: machines that every plan removes, because no plan has any of their type in their module.
    """

    counted: bool = False
    gone: int = field(init=False, default=0)
    _running: Ints = field(init=False)
    _type: Ints = field(init=False)
    _change: Floats = field(init=False)
    _gone_cost: float = field(init=False)

    def __post_init__(self) -> None:
        """Number all types, those with a limit first, and count the running machines."""
        StockSearch.__post_init__(self)
        running = self.session.running
        assert running is not None
        arrays, modules = self._arrays, self.session.modules
        names = dict.fromkeys([*self._types, *(h.name for h in self.session.hardware)])
        place = {name: i for i, name in enumerate(names)}
        hardware = [c.hardware for c in self._profile]
        self._type = np.array([place[name] for name in hardware], np.int64)
        self._running = np.zeros((len(modules), len(place)), np.int64)
        usable = {(modules[m].name, name): (m, place[name]) for m, name in zip(self._owner(), hardware, strict=True)}
        paid = Fraction(0)
        for where, machines in running.counts.items():
            if where in usable:
                self._running[usable[where]] = machines
            else:
                self.gone += machines
                paid += machines * self.session.change_price(where[0])
        self._change = np.array([float(self.session.change_price(module.name)) for module in modules])
        self._gone_cost = float(self.gone) if self.counted else float(paid)
        if self.counted:
            nothing = np.zeros_like(arrays.price)
            self._arrays, self._change = arrays._replace(price=nothing, unit_cost=nothing), np.ones(len(modules))
            self._scale = np.ones_like(self._scale)
        elif running.most_changes is not None:
            left = (running.most_changes - self.gone) * self._parts_of
            self._rows = self._rows.with_column(left)
            self._scale = np.append(self._scale, float(np.median(arrays.price)) or 1.0)
        # The largest cost of plans with changes is unknown.
        self._ceiling = math.inf
        without = replace(running, most_changes=None)
        self._unlimited = replace(without_stock(self.session), running=without)

    @property
    def impossible(self) -> bool:
        """Whether the machines that every plan removes are too many changes."""
        return bool((self._rows.most[len(self.limits) :] < 0).any())

    @property
    def gone_cost(self) -> float:
        """The charge per hour of the machines that every plan removes."""
        return self._gone_cost

    def _owner(self) -> Ints:
        """Module of each configuration."""
        return np.repeat(np.arange(self._arrays.rate.size), np.diff(self._arrays.first))

    def _in_fractions(self, box: Box) -> BoxPlan | None:
        """The cheapest plan of a box at its prices, with its changes, in exact arithmetic."""
        running = self.session.running
        assert running is not None
        usable: list[dict[str, int]] = [
            {h: running.counts[module.name, h] for h in dict.fromkeys(self._profile[k].hardware for k in own)}
            for module, own in zip(self.session.modules, self._configurations(), strict=True)
        ]
        left = None if running.most_changes is None or self.counted else running.most_changes - self.gone
        modules = self.session.modules
        each = [Fraction(1) if self.counted else self.session.change_price(module.name) for module in modules]
        changes = Changes(usable, each, left, self.counted)
        return cheapest_in_box(self._limited(), box, self._limit(), self.effort, changes)

    def _configurations(self) -> list[range]:
        """The configurations of each module."""
        first = self._arrays.first
        return [range(int(lo), int(hi)) for lo, hi in pairwise(first)]

    def _most(self, none: Counts) -> Counts:
        most, count = StockSearch._most(self, none), len(self._types)
        # No module has more of a type than its running machines plus all changes; stocks may have billions.
        if most.shape[1] > count:
            reached = self._running[:, :count].astype(object) * self._parts_of + int(self._rows.most[-1])
            most[:, :count] = np.minimum(most[:, :count], reached)
        return most

    def _listed(self) -> Attainable:
        found = StockSearch._listed(self)
        if self._rows.most.size == len(self.limits):
            return found
        whole = range(0, int(self._rows.most[-1]) + 1, self._parts_of)
        return Attainable([[*row, whole] for row in found.values])

    def _cheapest(self, most: Counts, price: Floats) -> Proof:
        self.solves += 1
        count, rows, (modules, types) = len(self._types), len(self.limits), self._running.shape
        arrays = self._charged(price[:rows])
        room = np.full((modules, types), float(NO_LIMIT))
        room[:, :count] = self._room(most[:, :count])
        changes = np.full(modules, NO_LIMIT, np.int64)
        if most.shape[1] > count:
            changes[:] = most[:, count] // self._parts_of
        charges = Charges(self._running, self._change + float(price[rows:].sum()), changes)
        stock = Stock(self._type, room, self._gives, self._asked)
        return prove_within(arrays, stock, charges, GAP, self.deadline, math.inf, ANY_WORK, unwatched())

    def _point(self, proof: Proof) -> Point:
        cost, used = StockSearch._point(self, proof)
        held = np.zeros_like(self._running)
        np.add.at(held, (self._owner(), self._type), proof.machines)
        for m, k in enumerate(proof.partial_at):
            if k >= 0:
                held[m, self._type[k]] += 1
        changes = np.abs(held - self._running).sum(axis=1)
        if used.shape[1] > len(self._types):
            used[:, -1] = self._counts([int(n) * self._parts_of for n in changes])
        return Point(cost + float(self._change @ changes), used)


def solve_with_changes(session: Session, space: PlanSpace, deadline: float) -> Answer:
    """The cheapest plan close to the running plan, also within a stock, with proof.

    Args:
        session: the instance, with running machines whose changes are charged or limited.
        space: plan space without `single_hardware` that the solver covers.
        deadline: `time.perf_counter` value at which to stop; infinite means never.

    Returns:
        The plan and the bound; if there is no plan with so few changes, the number that would be enough.
    """
    search = ChangesSearch(session, space, limits_of(session, space), deadline)
    if search.impossible:
        search.bound = math.inf
    else:
        search.run()
    return answer_of(search, lambda: why_too_far(session, space, deadline), search.gone_cost)


def why_too_far(session: Session, space: PlanSpace, deadline: float) -> str:
    """The number of changes that would be enough, in a sentence.

    Args:
        session: the instance, which has no plan with the changes that it allows.
        space: the plan space.
        deadline: `time.perf_counter` value at which to stop; the sentence leaves out results unknown by then.
    """
    running = session.running
    assert running is not None
    limits = limits_of(session, space)
    free = replace(session, running=None)
    # Changes are only charged, not limited, so machines are missing.
    if running.most_changes is None:
        return why_too_small(free, space, limits, deadline)
    fewest = ChangesSearch(
        replace(session, running=Running(running.machines)),
        space,
        limits,
        min(deadline, time.perf_counter() + WHY_S),
        counted=True,
    )
    fewest.run()
    if fewest.plan is None and math.isinf(fewest.bound):
        return why_too_small(free, space, limits, deadline)
    within = f" and {limited_by(limits)}" if limits else ""
    machines = counted(running.most_changes, "machine")
    why = f"no plan meets the SLO with at most {machines} added or removed{within} (proven)"
    if fewest.plan is None:
        return why
    # Changes are whole numbers, so their bound may be rounded up.
    least, found = math.ceil(fewest.bound - GAP) + fewest.gone, round(fewest.cost) + fewest.gone
    return f"{why}; {found} would do" if least >= found else f"{why}; {found} would do, perhaps fewer"
