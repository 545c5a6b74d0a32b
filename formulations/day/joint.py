"""The least cost of several modules over time with few machines, by vectors of all modules together (ours).

As for one module, the cheapest way through the steps is a dynamic program over vectors of machines, here with an axis
per module and hardware type. A vector serves a step if the modules' least latencies with its machines keep the SLO on
all paths. Fractions decide this if floats are close to it.

Axes must end. For bounds a vector at the end of an axis stands for all with more machines there: any rate, and any
latency above the least duration on that type. If all vectors of a way serve by themselves, it is the optimum. If not,
its axes with vectors at their ends become longer, as long as there is room.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from euclio.problems.day import Day, Serving, Staffing
from euclio.problems.day.instance import HOUR_S
from euclio.problems.session import Configuration
from euclio.problems.session.evaluate import rank_key
from formulations.day.answers import nothing_serves, staffing
from formulations.day.paths import LateError, MachinePath, change_prices, cheapest_path, per_vector
from formulations.day.rate_table import ROUNDING, SLACK, most_alone

# All uses of a module's machines within a box, with their rates and latencies when full (ours).
#
# A use is a number of machines of each configuration. Floats list and sort; fractions decide if a use is within
# rounding of a rate or of another latency.

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Uses:
    """Uses of a module's machines.

    Attributes:
        configurations: configurations that are fast enough, the last rank first.
        most: most machines by hardware type.
        counts: machines by configuration, shape (uses, configurations).
        machines: machines by type, shape (uses, types).
        rate: largest rate in requests per second.
        latency_s: worst-case latency in seconds.
    """

    configurations: tuple[Configuration, ...]
    most: tuple[int, ...]
    counts: Ints
    machines: Ints
    rate: Floats
    latency_s: Floats

    def exact_rate(self, use: int) -> Fraction:
        """The rate of a use."""
        return sum((int(n) * c.throughput_rps for n, c in self._used(use)), Fraction(0))

    def exact_latency(self, use: int) -> Fraction:
        """The latency of a use: d + b/w, with the rate w of the configuration and of all that rank behind it."""
        rate = latency = Fraction(0)
        for n, c in self._used(use):
            rate += int(n) * c.throughput_rps
            latency = max(latency, c.duration_s + c.batch / rate)
        return latency

    def serving(self, use: int) -> tuple[Serving, ...]:
        """The serving machines."""
        return tuple(Serving(c.hardware, c.batch, c.concurrency, int(n)) for n, c in reversed(self._used(use)))

    def enough(self, rate_rps: Fraction) -> NDArray[np.bool_]:
        """The uses that serve a rate, exactly."""
        asked = float(rate_rps)
        found: NDArray[np.bool_] = self.rate >= asked * (1 - SLACK)
        for use in np.flatnonzero(found & (self.rate <= asked * (1 + SLACK))):
            found[use] = self.exact_rate(int(use)) >= rate_rps
        return found

    def least(self, rate_rps: Fraction) -> list[tuple[int, Fraction]]:
        """Uses that serve a rate, and their latencies.

        For every other use that serves it, one of these is as fast with no more machines of any type.
        """
        fits = self.enough(rate_rps)
        shape = tuple(n + 1 for n in self.most)
        table = np.full(shape, np.inf)
        places = np.ravel_multi_index(tuple(self.machines.T), shape)
        np.minimum.at(table.ravel(), places[fits], self.latency_s[fits])
        for axis in range(table.ndim):
            table = np.minimum.accumulate(table, axis=axis)
        near = np.flatnonzero(fits & (self.latency_s <= table.ravel()[places] * (1 + SLACK)))
        # With equal latencies those with fewest machines come first, so none comes before a use within it.
        exact = sorted((self.exact_latency(int(use)), int(self.machines[use].sum()), int(use)) for use in near)
        kept: list[tuple[int, Fraction]] = []
        vectors = np.empty((len(exact), len(self.most)), np.int64)
        for latency, _, use in exact:
            if not (vectors[: len(kept)] <= self.machines[use]).all(axis=1).any():
                vectors[len(kept)] = self.machines[use]
                kept.append((use, latency))
        return kept

    def _used(self, use: int) -> list[tuple[int, Configuration]]:
        return [(n, c) for n, c in zip(self.counts[use], self.configurations, strict=True) if n]


def number_of_uses(day: Day, m: int, most: Sequence[int]) -> int:
    """Number of uses of a module within a box."""
    session = day.session
    fast = [c.hardware for c in session.modules[m].profile if c.duration_s < session.slo_s]
    kinds = [fast.count(hardware.name) for hardware in session.hardware]
    return prod(comb(n + kind, kind) for n, kind in zip(most, kinds, strict=True))


def uses_of(day: Day, m: int, most: Sequence[int]) -> Uses:
    """All nonempty uses of a module within the SLO and a number of machines by hardware type."""
    session, module = day.session, day.session.modules[m]
    names = [hardware.name for hardware in session.hardware]
    fast = tuple(
        sorted(
            (c for c in module.profile if c.duration_s < session.slo_s),
            key=lambda c: rank_key(c, session.price),
            reverse=True,
        )
    )
    types = np.array([names.index(c.hardware) for c in fast], np.int64)
    counts = np.zeros((1, len(fast)), np.int64)
    for h, limit in enumerate(most):
        own = np.flatnonzero(types == h)
        part = np.zeros((1, len(fast)), np.int64)
        for c in own:
            more = np.repeat(part, limit + 1, axis=0)
            more[:, c] = np.tile(np.arange(limit + 1), len(part))
            # Rows beyond the limit are cut after each configuration, so they are never multiplied.
            part = more[more[:, own].sum(axis=1) <= limit]
        counts = (counts[:, None] + part[None]).reshape(-1, len(fast))
    counts = counts[counts.any(axis=1)]
    throughput = np.array([float(c.throughput_rps) for c in fast])
    behind = np.cumsum(counts * throughput, axis=1)
    batch, duration = np.array([c.batch for c in fast]), np.array([float(c.duration_s) for c in fast])
    with np.errstate(divide="ignore", invalid="ignore"):
        latency = np.where(counts > 0, duration + batch / behind, 0.0).max(axis=1, initial=0.0)
    in_time = latency <= float(session.slo_s) * (1 + SLACK)
    counts, behind, latency = counts[in_time], behind[in_time], latency[in_time]
    machines = np.stack([counts[:, types == h].sum(axis=1) for h in range(len(names))], axis=1)
    rate = behind[:, -1] if fast else np.zeros(0)
    return Uses(fast, tuple(most), counts, machines, rate, latency)


Shape = tuple[tuple[int, ...], ...]
"""Most machines of each type, by module."""

FIRST_END = 2
"""First ends of axes, in machines of a type."""
MOST_CELLS = 1_000_000
"""Most vectors of all modules together."""
MOST_ENTRIES = 20_000_000
"""Most vectors times steps, a few seconds."""
MOST_USES, MOST_USES_BY_RATE = 200_000, 5_000_000
"""Most uses of machines of a module, and most uses times its different rates."""
NEAR = 1e-9
"""Share of the SLO within which fractions add up paths."""


@dataclass(frozen=True, slots=True)
class Level:
    """A use of a module's machines in a step.

    Attributes:
        latency_s: their latency.
        above: whether it is only a limit, for more machines than the axis has.
        use: place among the module's uses; -1 if it takes more machines, or none for want of requests.
    """

    latency_s: Fraction
    above: bool
    use: int


@dataclass(frozen=True, slots=True)
class Joint:
    """The result of the search.

    Attributes:
        bound: lower bound on the cost of plans.
        way: the cheapest plan of each step within the axes' ends; None if there is none.
        proven: whether no plan beyond these ends is cheaper either.
    """

    bound: float
    way: list[tuple[Staffing, ...]] | None
    proven: bool


def cheapest_of_all(day: Day, deadline: float) -> Joint | None:
    """The cheapest plan, and a bound that mostly proves it; None if there are too many vectors.

    Args:
        day: the instance.
        deadline: deadline on the clock of `time.perf_counter`.

    Raises:
        NoPlanError: nothing serves a step.
        LateError: the deadline passed before anything was found.
    """
    first = _first_ends(day)
    hopeless = [m for m, row in enumerate(first) if not any(row)]
    if hopeless:
        # A module has no configuration that is faster than the SLO and in stock.
        raise nothing_serves(day, next(k for k, own in enumerate(day.steps) if any(own.rates_rps[m] for m in hopeless)))
    most: Shape | None = first
    found: Joint | None = None
    while most is not None and _small(day, most):
        try:
            found, longer = _within(day, most, -math.inf if found is None else found.bound, deadline)
        except LateError:
            if found is None:
                raise
            break
        most = _longer(day, most, longer) if longer.any() else None
    return found


def _within(day: Day, most: Shape, known: float, deadline: float) -> tuple[Joint, Flags]:
    """The result within the ends of axes, given a known bound, and the ends that prevented a proof."""
    table = _Table(day, most, deadline)
    relaxed = table.path(True)
    if isinstance(relaxed, int):
        raise nothing_serves(day, relaxed)
    bound = max(known, relaxed.cost * (1 - ROUNDING))
    longer = table.ends_used(relaxed)
    # The way serves by itself, and the relaxed tables have all others, so it is the cheapest of all.
    if not longer.any():
        return Joint(bound, table.way(relaxed), True), longer
    within = table.path(False)
    return Joint(bound, None if isinstance(within, int) else table.way(within), False), longer


def _first_ends(day: Day) -> Shape:
    """As many machines as serve the largest load alone, but few, and no more than the stock."""
    session = day.session
    found = []
    for module, rate in zip(session.modules, day.largest_rates_rps, strict=True):
        fast = [c for c in module.profile if c.duration_s < session.slo_s]
        needed = {c: c.batch / (session.slo_s - c.duration_s) for c in fast}
        alone = most_alone(session, fast, needed, rate)
        found.append(tuple(min(FIRST_END, alone.get(h.name, 0)) for h in session.hardware))
    return tuple(found)


def _longer(day: Day, most: Shape, used: Flags) -> Shape | None:
    """Longer axes in place of short ones; None if they are as long as the stock."""
    stock = [math.inf if h.count is None else h.count for h in day.session.hardware]
    found = tuple(
        tuple(int(min(n + n // 2 + 1, stock[h])) if used[m, h] else n for h, n in enumerate(row))
        for m, row in enumerate(most)
    )
    return None if found == most else found


def _small(day: Day, most: Shape) -> bool:
    cells = prod(n + 1 for row in most for n in row)
    if cells > MOST_CELLS or cells * len(day.steps) > MOST_ENTRIES:
        return False
    for m, row in enumerate(most):
        uses = number_of_uses(day, m, row)
        rates = len({step.rates_rps[m] for step in day.steps})
        if uses > MOST_USES or uses * rates > MOST_USES_BY_RATE:
            return False
    return True


class _Table:
    """Vectors of machines of all modules within the ends of the axes, with a deadline."""

    def __init__(self, day: Day, most: Shape, deadline: float) -> None:
        session = day.session
        self.day, self.most, self.deadline = day, most, deadline
        self.uses: list[Uses] = [uses_of(day, m, own) for m, own in enumerate(most)]
        self.axes = [(m, h) for m, row in enumerate(most) for h, n in enumerate(row) if n]
        self.shape = tuple(most[m][h] + 1 for m, h in self.axes)
        self.ended = [
            [n > 0 and (h.count is None or n < h.count) for n, h in zip(row, session.hardware, strict=True)]
            for row in most
        ]
        self.in_stock = self._within_stock()
        self._known: dict[tuple[int, Fraction, bool], tuple[list[Level], Ints]] = {}
        self._serving: dict[tuple[tuple[Fraction, ...], bool], Flags] = {}

    def path(self, relaxed: bool) -> MachinePath | int:
        """The cheapest way, or the first step that no vector serves; if relaxed, ends stand for more machines."""
        day = self.day
        prices = [day.session.hardware[h].price_per_h for _, h in self.axes]
        changes = change_prices(day, self.axes)
        return cheapest_path(
            lambda k: self._serves(k, relaxed),
            per_vector(tuple(map(float, prices)), self.shape),
            [float(step.length_s / HOUR_S) for step in day.steps],
            changes,
            self.deadline,
        )

    def ends_used(self, path: MachinePath) -> Flags:
        """The ends of axes on a way in steps that it does not serve by itself, shape (modules, types)."""
        found = np.zeros((len(self.most), len(self.day.session.hardware)), np.bool_)
        for k, on in enumerate(path.machines):
            if not self._serves(k, False)[on]:
                for axis, (m, h) in enumerate(self.axes):
                    found[m, h] |= self.ended[m][h] and on[axis] == self.most[m][h]
        return found

    def way(self, path: MachinePath) -> list[tuple[Staffing, ...]]:
        """The plans of a way that serves all steps."""
        return [self._staffings(k, on) for k, on in enumerate(path.machines)]

    def _staffings(self, k: int, on: tuple[int, ...]) -> tuple[Staffing, ...]:
        machines = [[0] * len(row) for row in self.most]
        for (m, h), n in zip(self.axes, on, strict=True):
            machines[m][h] = n
        found = []
        for m, (own, rate) in enumerate(zip(machines, self.day.steps[k].rates_rps, strict=True)):
            levels, table = self._levels(m, rate, False)
            use = levels[int(table[self._place(m, own)])].use
            named = {h.name: n for h, n in zip(self.day.session.hardware, own, strict=True)}
            found.append(staffing(self.uses[m].serving(use) if rate else (), named))
        return tuple(found)

    def _place(self, m: int, machines: Sequence[int]) -> int:
        return int(np.ravel_multi_index(tuple(machines), tuple(n + 1 for n in self.most[m])))

    def _serves(self, k: int, relaxed: bool) -> Flags:
        """The vectors that serve a step; equal steps are computed once."""
        rates = self.day.steps[k].rates_rps
        if (rates, relaxed) not in self._serving:
            self._serving[rates, relaxed] = self._serving_at(rates, relaxed)
        return self._serving[rates, relaxed]

    def _serving_at(self, rates: tuple[Fraction, ...], relaxed: bool) -> Flags:
        own = [self._levels(m, rate, relaxed) for m, rate in enumerate(rates)]
        enough = self._in_time([levels for levels, _ in own])
        # If no machines serve, the place is one behind the last level.
        padded = np.zeros(tuple(n + 1 for n in enough.shape), np.bool_)
        padded[tuple(slice(n) for n in enough.shape)] = enough
        found: Flags = padded[np.ix_(*(table for _, table in own))].reshape(self.shape) & self.in_stock
        return found

    def _levels(self, m: int, rate_rps: Fraction, relaxed: bool) -> tuple[list[Level], Ints]:
        """Latencies of a module at a rate, ascending, and each vector's best place; their number if none serves."""
        key = (m, rate_rps, relaxed)
        if key not in self._known:
            self._refuse_late()
            entries = self._entries(m, rate_rps, relaxed)
            shape = tuple(n + 1 for n in self.most[m])
            table = np.full(shape, len(entries), np.int64)
            for level, (_, _, _, machines) in enumerate(entries):
                table[machines] = min(table[machines], level)
            # More machines serve no worse, so the best level of a vector is the best of all vectors within it.
            for axis in range(table.ndim):
                table = np.minimum.accumulate(table, axis=axis)
            self._known[key] = [Level(*entry[:3]) for entry in entries], table.ravel()
        return self._known[key]

    def _entries(self, m: int, rate_rps: Fraction, relaxed: bool) -> list[tuple[Fraction, bool, int, tuple[int, ...]]]:
        """Levels of a module with the machines that reach them; without requests, no time with no machines."""
        if not rate_rps:
            return [(Fraction(0), False, -1, (0,) * len(self.most[m]))]
        own = self.uses[m]
        found = [(latency, False, use, tuple(own.machines[use])) for use, latency in own.least(rate_rps)]
        return sorted([*found, *(self._beyond(m) if relaxed else ())], key=lambda entry: entry[:2])

    def _beyond(self, m: int) -> Iterator[tuple[Fraction, bool, int, tuple[int, ...]]]:
        """Limits of machines beyond the ends of axes: the least duration on their type, at any rate."""
        for h, hardware in enumerate(self.day.session.hardware):
            if self.ended[m][h]:
                least = min(c.duration_s for c in self.uses[m].configurations if c.hardware == hardware.name)
                yield least, True, -1, tuple(n if j == h else 0 for j, n in enumerate(self.most[m]))

    def _in_time(self, levels: Sequence[Sequence[Level]]) -> Flags:
        """Whether levels of all modules together keep the SLO, with an axis per module."""
        session, modules = self.day.session, len(levels)
        slo = float(session.slo_s)
        parents = session.parents()
        until: list[NDArray[np.float64]] = [np.zeros((1,) * modules)] * modules
        for m in session.order:
            own = np.array([float(level.latency_s) for level in levels[m]])
            own = own.reshape([-1 if j == m else 1 for j in range(modules)])
            before = np.zeros((1,) * modules)
            for parent in parents[m]:
                before = np.maximum(before, until[parent])
            until[m] = before + own
        longest = np.zeros(tuple(len(own) for own in levels))
        for own in until:
            longest = np.maximum(longest, own)
        found: Flags = longest <= slo * (1 + NEAR)
        # Floats decide all paths except those that rounding may have moved across the SLO.
        for at in np.argwhere(found & (longest >= slo * (1 - NEAR))):
            self._refuse_late()
            found[tuple(at)] = self._exactly_in_time([own[n] for own, n in zip(levels, at, strict=True)])
        return found

    def _refuse_late(self) -> None:
        if time.perf_counter() > self.deadline:
            raise LateError

    def _exactly_in_time(self, chosen: Sequence[Level]) -> bool:
        """Whether all paths keep the SLO; a path with a limit latency must be shorter."""
        session = self.day.session
        parents = session.parents()
        until: list[tuple[Fraction, bool]] = [(Fraction(0), False)] * len(chosen)
        for m in session.order:
            # Of two ends at one time the one with a limit latency is the later one.
            before = max((until[parent] for parent in parents[m]), default=(Fraction(0), False))
            until[m] = before[0] + chosen[m].latency_s, before[1] or chosen[m].above
        length, above = max(until)
        return length < session.slo_s or (length == session.slo_s and not above)

    def _within_stock(self) -> Flags:
        """The vectors within the stock."""
        found = np.ones(self.shape, np.bool_)
        for h, hardware in enumerate(self.day.session.hardware):
            if hardware.count is not None:
                found &= per_vector(tuple(float(own == h) for _, own in self.axes), self.shape) <= hardware.count
        return found
