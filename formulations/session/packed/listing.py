"""The options of all modules that a plan up to a target may have (ours).

Prices of time come first. The linear relaxation of latency splitting over the options found so far has a flow. For
every module the option of least worth at that flow is looked for and added (column generation). The best of the bounds
leaves each module so much worth, and all options up to it are listed.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from euclio.core.compiled import is_past
from euclio.core.errors import InapplicableError
from euclio.problems.session import Charging, PlanSpace, Session
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import path_times
from euclio.problems.session.resources import machine_limits, usable_stock
from formulations.session.module.limit_rows import rows_of
from formulations.session.packed.options import (
    COST,
    FIRST,
    KIND,
    OWN,
    WHOLE,
    Listed,
    Machines,
    shareable,
)
from formulations.session.packed.prices import frontiers, rounding, worths
from formulations.session.packed.search import SLACK, Options
from formulations.session.split.frontiers import modes_below
from formulations.session.split.problem import Mode
from formulations.session.split.relaxation import relax

MOST_KEPT = 20_000
"""Options of a module at most."""
MOST_TAKEN = 2.0**40
"""Largest number of a limit on machines in whole units: sums are exact in floating point."""
ROUNDS = 12
"""Rounds in which prices of time are made better before options are listed."""


class Lists(NamedTuple):
    """The options of all modules.

    Attributes:
        types: hardware types.
        options: plans on machines of the modules' own, then those with a partial machine; worths are not set.
        alone: plans of each module on machines of its own, by row and place there, the first of its options.
        listed: plans of each module with a partial machine, which follow.
        complete: whether none is missing.
        beyond: whether it is known that no plan costs as little as the target.
        bound: no plan costs less per hour.
    """

    types: Machines
    options: Options
    alone: list[list[tuple[int, int]]]
    listed: list[Listed]
    complete: bool
    beyond: bool
    bound: float


class Lister:
    """Lists options for ever other targets.

    Attributes:
        types: hardware types.
        price: prices to begin with: of machines of each type, and none of what limits machines.
    """

    def __init__(self, session: Session, space: PlanSpace, s: SessionArrays, most: float, deadline: float) -> None:
        """List the plans on machines of the modules' own that a plan of at most `most` per hour may have."""
        self.types, self._arrays, self._deadline = _machines_of(session, s), s, deadline
        self._names = [h.name for h in session.hardware]
        self.price = np.append(self.types.price, np.zeros(self.types.capacity.size))
        modules = s.rate.size
        fastest, before, after = np.minimum.reduceat(s.duration, s.first[:-1]), np.zeros(modules), np.zeros(modules)
        path_times(s, fastest, before, after)
        self._longest = s.slo - before - after
        least = s.rate * np.minimum.reduceat(s.unit_cost, s.first[:-1])
        left = most - (least.sum() - least)
        apart = replace(space, charging=Charging.WHOLE)
        self._own, self._rows = modes_below(session, apart, left.tolist(), usable_stock(session), deadline)

    def refine(self, places: set[tuple[int, int]]) -> bool:
        """Make the latencies of some modes sure, given their rows and places there; False means too much work."""
        # From the last mode of a row on, so that the places before stay.
        for row, i in sorted(places, reverse=True):
            found = self._own.refined(row, i)
            if found is None:
                return False
            self._own = found
        return True

    def lists(self, target: float) -> Lists:
        """The options that a plan of at most `target` money per hour may have."""
        bound, flow, least = self._prices(target)
        beyond = bound > target * (1.0 + SLACK)
        listed, modules = [], range(self._arrays.rate.size)
        for m in modules:
            most = target * (1.0 + SLACK) - (bound - least[m])
            listed.append(self._shareable(m, flow[m], most, MOST_KEPT))
        complete = self._own.complete and all(own.complete for own in listed)
        tables = [np.concatenate((self._alone(m), listed[m].table)) for m in modules]
        alone = [self._places(m) for m in modules]
        return Lists(self.types, self._options(tables), alone, listed, complete, beyond, bound)

    def mode(self, place: tuple[int, int]) -> Mode:
        """A plan of a module on machines of its own, by its row and its place there."""
        return self._own.modes[place[0]][place[1]]

    def _prices(self, target: float) -> tuple[float, Floats, Floats]:
        """A bound, its prices of time, and the least worth of each module at these."""
        s, modules = self._arrays, self._arrays.rate.size
        tables = [self._alone(m) for m in range(modules)]
        flow, paid, best = np.zeros(modules), 0.0, (-math.inf, np.zeros(modules), np.zeros(modules))
        for _ in range(ROUNDS):
            least, added = np.zeros(modules), False
            for m in range(modules):
                own = worths(self._options([tables[m]], m), flow[m : m + 1], self.price)
                known = float(own.min()) if own.size else target
                found = self._shareable(m, float(flow[m]), known, 1)
                if found.table.size:
                    tables[m], added = np.concatenate((tables[m], found.table)), True
                    own = worths(self._options([found.table], m), flow[m : m + 1], self.price)
                elif not own.size:
                    # Each of its options alone is beyond the target.
                    return math.nextafter(target * (1.0 + SLACK), math.inf), flow, least
                if not found.complete:
                    return best
                least[m] = min(known, float(own.min()))
            bound = float(least.sum() + paid) - rounding(modules, float(np.abs(least).sum()) + abs(paid))
            best = max(best, (bound, flow, least), key=lambda one: one[0])
            if bound > target * (1.0 + SLACK):
                break
            o = self._options(tables)
            relaxed = relax(s, *frontiers(o.first, o.latency, worths(o, np.zeros(modules), self.price)))
            if not added or not math.isfinite(relaxed.bound) or is_past(self._deadline):
                break
            flow, paid = relaxed.flow, float(relaxed.bound - relaxed.base.sum())
        return best

    def _shareable(self, m: int, flow: float, most: float, kept: int) -> Listed:
        return shareable(self._arrays, m, self.types, float(self._longest[m]), flow, most, kept, self._deadline)

    def _places(self, m: int) -> list[tuple[int, int]]:
        """The plans of module m on machines of its own, by row and place there, each once."""
        rows = [row for row, own in enumerate(self._rows) if own == m]
        # Rows with fewer machines have some of the same plans.
        once = {self.mode((row, i)): (row, i) for row in rows for i in range(len(self._own.modes[row]))}
        return list(once.values())

    def _alone(self, m: int) -> Floats:
        """The plans on machines of module m's own as options."""
        modes = [self.mode(place) for place in self._places(m)]
        table = np.zeros((len(modes), FIRST + 1 + self.types.capacity.size))
        for row, mode in zip(table, modes, strict=True):
            row[COST], row[WHOLE] = mode.cost_per_h, mode.least_s
            assert mode.plan is not None
            for a in mode.plan.allocations:
                taken = self.types.takes[:, self._names.index(a.configuration.hardware)]
                row[FIRST + 1 :] += (a.machines + bool(a.partial_rps)) * taken
        table[:, KIND] = -1.0
        return table

    def _options(self, tables: list[Floats], m: int = 0) -> Options:
        """Tables of modules, from module m on, as options without worths."""
        table = np.concatenate(tables)
        first: Ints = np.cumsum([0, *(len(own) for own in tables)])
        module = m + np.repeat(np.arange(len(tables)), first[1:] - first[:-1])
        kind = table[:, KIND].astype(np.int64)
        with_others = table[:, OWN] + np.where(kind >= 0, self.types.wait[module, kind], 0.0)
        latency = np.maximum(table[:, WHOLE], np.where(kind >= 0, with_others, 0.0))
        return Options(first, table, latency, np.zeros(len(table)))


def _machines_of(session: Session, s: SessionArrays) -> Machines:
    """The hardware types of a session."""
    names = [h.name for h in session.hardware]
    room = np.array([np.inf if h.memory_mb is None else float(h.memory_mb) for h in session.hardware])
    kind, memory = np.zeros(s.batch.size, np.int64), np.zeros(s.batch.size)
    shortest = np.full((s.rate.size, len(names)), np.inf)
    for m, module in enumerate(session.modules):
        for k in range(s.first[m], s.first[m + 1]):
            c = module.profile[s.profile_index[k]]
            kind[k] = names.index(c.hardware)
            shortest[m, kind[k]] = min(shortest[m, kind[k]], s.duration[k])
            # A model of unknown memory shares no machine of known memory.
            if np.isfinite(room[kind[k]]):
                memory[k] = np.inf if c.memory_mb is None else float(c.memory_mb)
    others = [np.delete(shortest, m, axis=0).min(axis=0) for m in range(s.rate.size)]
    price = np.array([float(h.price_per_h) for h in session.hardware])
    return Machines(kind, memory, room, price, np.array(others), *_limits_of(session, names))


def _limits_of(session: Session, names: list[str]) -> tuple[Floats, Floats]:
    """What machines of each type take of each limit, and its capacity, so that sums of machines are exact in floats."""
    rows = rows_of(machine_limits(session), names, 1)
    takes, capacity = rows.takes.astype(np.float64), rows.most.astype(np.float64)
    most = takes.max(axis=1, initial=0.0)
    if (np.maximum(most, capacity) > MOST_TAKEN).any():
        raise InapplicableError("resources have too many digits for machines that modules share")
    # Powers of two keep all digits, and make what machines take of all limits about as large.
    scale = np.exp2(np.ceil(np.log2(np.maximum(most, 1.0))))
    return takes / scale[:, None], capacity / scale
