"""The largest rate that numbers of machines can serve, for one module and one latency budget (ours).

A full machine takes d + b/w under policy tc, with the rate w of its configuration and of all that rank behind it. From
the last rank to the first, with R the rate so far, n machines of a configuration keep a budget if R + n·t is at least
b/(budget - d). A larger R is never worse for later ones, so one number per vector of machines is enough
(docs/model/load-over-time.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled
from euclio.core.errors import InapplicableError
from euclio.core.words import plain
from euclio.problems.day import Day
from euclio.problems.day.instance import HOUR_S
from euclio.problems.day.plan import Serving
from euclio.problems.session import Configuration, Module, Session
from euclio.problems.session.evaluate import rank_key
from formulations.day.answers import Made, day_plan, nothing_serves, staffing
from formulations.day.paths import change_prices, cheapest_path, per_vector

# The largest rates of vectors of machines for many latency budgets at once, with their machines (compiled, ours).
#
# The recursion is that of `rate_table`: from the last rank to the first, with R the rate so far, n machines of a
# configuration keep a budget L if R + n·t is at least b/(L - d), and then R grows by n·t.

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@compiled
def largest_rates(
    budgets_s: Floats, duration_s: Floats, batch: Floats, rate_rps: Floats, axis: Ints, shape: Ints, slack: float
) -> Floats:
    """The largest rate of each vector within each budget.

    Args:
        budgets_s: budgets, shape (budgets,).
        duration_s: durations of the configurations, the last rank first.
        batch: their batch sizes.
        rate_rps: rates of one machine of each.
        axis: the axis of the hardware type of each.
        shape: numbers of machines of each type, plus one.
        slack: share by which a threshold may be missed.

    Returns:
        Rates, shape (budgets, vectors); vectors in the order of a flat array of `shape`.
    """
    cells = 1
    for size in shape:
        cells *= size
    found = np.zeros((budgets_s.size, cells))
    for level in range(budgets_s.size):
        for j in range(duration_s.size):
            if duration_s[j] < budgets_s[level]:
                needed = batch[j] / (budgets_s[level] - duration_s[j]) * (1.0 - slack)
                _with_configuration(found[level], needed, rate_rps[j], axis[j], shape)
    return found


@compiled
def _with_configuration(rate: Floats, needed: float, own: float, axis: int, shape: Ints) -> None:
    """Raise the rates of all vectors by one more configuration, which ranks before those so far."""
    stride = 1
    for later in range(axis + 1, shape.size):
        stride *= shape[later]
    length = shape[axis]
    for outer in range(rate.size // (stride * length)):
        for inner in range(stride):
            start = outer * stride * length + inner
            # With n machines of it at x the rate is rate[x - n] + n·own: the best over n is a running maximum of
            # rate[y] - y·own over what was before it.
            best = rate[start]
            for x in range(1, length):
                place = start + x * stride
                reached = best + x * own
                without = rate[place]
                if reached >= needed and reached > without:
                    rate[place] = reached
                if without - x * own > best:
                    best = without - x * own


@compiled
def machines_used(
    on: Ints,
    budget_s: float,
    asked_rps: float,
    duration_s: Floats,
    batch: Floats,
    rate_rps: Floats,
    axis: Ints,
    slack: float,
) -> Ints:
    """Machines of each configuration that serve a rate within a budget and a number of machines of each type.

    No machine of them can be left out. All zeros mean that they do not serve it.

    Args:
        on: machines of each type.
        budget_s: the budget.
        asked_rps: the rate.
        duration_s: durations of the configurations, the last rank first.
        batch: their batch sizes.
        rate_rps: rates of one machine of each.
        axis: the axis of the hardware type of each.
        slack: share by which a threshold may be missed.
    """
    shape = on + 1
    cells = 1
    for size in shape:
        cells *= size
    # The rates after each configuration are kept, so that the way back knows the source of each.
    layers = np.zeros((duration_s.size + 1, cells))
    for j in range(duration_s.size):
        layers[j + 1] = layers[j]
        if duration_s[j] < budget_s:
            needed = batch[j] / (budget_s - duration_s[j]) * (1.0 - slack)
            _with_configuration(layers[j + 1], needed, rate_rps[j], axis[j], shape)
    counts = np.zeros(duration_s.size, np.int64)
    strides = np.ones(on.size, np.int64)
    for a in range(on.size - 2, -1, -1):
        strides[a] = strides[a + 1] * shape[a + 1]
    place, last = cells - 1, layers[duration_s.size]
    if last[place] < asked_rps * (1.0 - slack):
        return counts
    # Unneeded machines go first, type by type. Fewer machines never serve more, so none of the remaining ones can go
    # later.
    left = on.copy()
    for a in range(on.size):
        while left[a] > 0 and last[place - strides[a]] >= asked_rps * (1.0 - slack):
            left[a] -= 1
            place -= strides[a]
    # Back from the last layer: if a configuration raised the rate, some number of its machines did, and the layer
    # before has the rest without them.
    for j in range(duration_s.size - 1, -1, -1):
        if layers[j + 1, place] == layers[j, place]:
            continue
        stride, best = strides[axis[j]], -1.0
        for n in range(1, left[axis[j]] + 1):
            reached = layers[j, place - n * stride] + n * rate_rps[j]
            if reached > best:
                best, counts[j] = reached, n
        left[axis[j]] -= counts[j]
        place -= counts[j] * stride
    return counts


MOST_CELLS = 2_000_000
"""Most vectors of machines of a table."""
SLACK = 1e-12
"""Share by which floats may miss a threshold. Sums of some hundred rates err by less, so no vector is lost."""

Table = NDArray[Any]
"""A table with an entry per vector of machines and an axis per hardware type, of floats, or of fractions as objects."""


@dataclass(frozen=True, slots=True)
class FastConfiguration:
    """A configuration that is fast enough for the budget.

    Attributes:
        configuration: the configuration.
        axis: axis of its hardware type in tables.
        needed_rps: least rate of its machines and all behind them in rank.
    """

    configuration: Configuration
    axis: int
    needed_rps: Fraction


@dataclass(frozen=True, slots=True)
class RateTable:
    """Largest rates by vector of machines.

    Attributes:
        hardware: names of the hardware types, one per axis, without types that are too slow for the budget.
        rows: the configurations, the last rank first.
        layers: largest rate of each vector with no row, with the first row, with the first two, …
        exact: whether entries are fractions; else floats that are rather too large than too small.
    """

    hardware: tuple[str, ...]
    rows: tuple[FastConfiguration, ...]
    layers: tuple[Table, ...]
    exact: bool

    @property
    def rate(self) -> Table:
        """The largest rate of each vector."""
        return self.layers[-1]

    def serves(self, rate_rps: Fraction) -> NDArray[np.bool_]:
        """Whether vectors of machines can serve a rate."""
        least = rate_rps if self.exact else float(rate_rps) * (1 - SLACK)
        return np.asarray(self.rate >= least, dtype=np.bool_)

    def serving(self, machines: tuple[int, ...], rate_rps: Fraction) -> tuple[Serving, ...]:
        """The machines that serve a rate within a vector; none of them can be left out.

        Args:
            machines: a vector that can serve the rate.
            rate_rps: the rate.
        """
        enough = self.serves(rate_rps)
        left = list(machines)
        # Fewer machines never serve more, so one pass over the types removes all unneeded ones.
        for axis in range(len(left)):
            while left[axis] and enough[_less(left, axis, 1)]:
                left[axis] -= 1
        found: list[Serving] = []
        for k in reversed(range(len(self.rows))):
            n = self._machines_of(k, left)
            if n:
                c = self.rows[k].configuration
                found.append(Serving(c.hardware, c.batch, c.concurrency, n))
                left[self.rows[k].axis] -= n
        return tuple(found)

    def _machines_of(self, k: int, left: list[int]) -> int:
        """Machines of a row in the best use of the rest."""
        row, without = self.rows[k], self.layers[k]
        at = tuple(left)
        if self.layers[k + 1][at] == without[at]:
            return 0
        t = _number(row.configuration.throughput_rps, self.exact)
        # The layers have rates without their machines, so the numbers of machines are found again.
        return max(range(1, left[row.axis] + 1), key=lambda n: without[_less(left, row.axis, n)] + n * t)


def rate_table(
    session: Session,
    module: Module,
    budget_s: Fraction,
    largest_rps: Fraction,
    *,
    exact: bool = False,
) -> RateTable:
    """The largest rates of a module within a latency budget.

    Args:
        session: the session, for prices and stock.
        module: the module.
        budget_s: largest worst-case latency in seconds.
        largest_rps: the largest rate for the table; its axes end at numbers of machines that serve it alone.
        exact: whether to compute in fractions.

    Raises:
        InapplicableError: the table would have more than `MOST_CELLS` entries.
    """
    fast = [c for c in module.profile if c.duration_s < budget_s]
    needed = {c: c.batch / (budget_s - c.duration_s) for c in fast}
    ends = most_alone(session, fast, needed, largest_rps)
    hardware = tuple(h.name for h in session.hardware if h.name in ends)
    shape = tuple(ends[name] + 1 for name in hardware)
    if prod(shape) > MOST_CELLS:
        found = f"{plain(prod(shape), 3, ',')} numbers of machines by type; at most {MOST_CELLS:,} are searched"
        raise InapplicableError(f"module {module.name} has {found}")
    last_first = sorted((c for c in fast if c.hardware in ends), key=lambda c: rank_key(c, session.price), reverse=True)
    rows = tuple(FastConfiguration(c, hardware.index(c.hardware), needed[c]) for c in last_first)
    layers = [np.full(shape, Fraction(0), dtype=object) if exact else np.zeros(shape)]
    for row in rows:
        layers.append(_with_row(layers[-1], row, exact))
    return RateTable(hardware, rows, tuple(layers), exact)


def most_alone(
    session: Session, fast: Iterable[Configuration], needed: Mapping[Configuration, Fraction], largest_rps: Fraction
) -> dict[str, int]:
    """The least number of machines of each hardware type that serve the largest rate alone, at most the stock."""
    most: dict[str, int] = {}
    for c in fast:
        alone = ceil(max(largest_rps, needed[c]) / c.throughput_rps)
        most[c.hardware] = min(alone, most.get(c.hardware, alone))
    stock = session.stock
    return {name: min(count, stock.get(name, count)) for name, count in most.items()}


def _with_row(rate: Table, row: FastConfiguration, exact: bool) -> Table:
    """The largest rates with one more configuration, which ranks before those so far."""
    length = rate.shape[row.axis]
    t = _number(row.configuration.throughput_rps, exact)
    steps = np.array([n * t for n in range(length)], dtype=object if exact else np.float64)
    added = steps.reshape([length if axis == row.axis else 1 for axis in range(rate.ndim)])
    # With n machines of it at x the rate is rate[x - n] + n·t; the largest over n ≥ 1 is a running maximum.
    best = np.maximum.accumulate(rate - added, axis=row.axis)
    before = [slice(None)] * rate.ndim
    after = list(before)
    before[row.axis], after[row.axis] = slice(0, length - 1), slice(1, length)
    reached = best[tuple(before)] + added[tuple(after)]
    needed = row.needed_rps if exact else float(row.needed_rps) * (1 - SLACK)
    result = rate.copy()
    improved = (reached >= needed) & (reached > rate[tuple(after)])
    result[tuple(after)][improved] = reached[improved]
    return result


def _number(value: Fraction, exact: bool) -> Any:
    return value if exact else float(value)


def _less(machines: list[int], axis: int, n: int) -> tuple[int, ...]:
    return tuple(own - n if k == axis else own for k, own in enumerate(machines))


# One module over time, by dynamic programming over vectors of machines (ours).

ROUNDING = 1e-10
"""Share by which sums of 20,000 steps in floats may be too large, with a hundredfold margin."""


def cheapest_of_one_module(day: Day, deadline: float, exact: bool) -> Made:
    """The cheapest plan of a day with one module, and a bound that proves it.

    Args:
        day: the instance.
        deadline: deadline on the clock of `time.perf_counter`.
        exact: whether to compare rates as fractions. Otherwise vectors that serve because of rounding count too, so the
            bound holds and the plan may be infeasible.

    Raises:
        NoPlanError: nothing serves a step.
        LateError: the deadline passed.
        InapplicableError: there are too many numbers of machines.
    """
    session = day.session
    rates = [step.rates_rps[0] for step in day.steps]
    table = rate_table(session, session.modules[0], session.slo_s, max(rates), exact=exact)
    prices = tuple(float(session.price[name]) for name in table.hardware)
    types = [hardware.name for hardware in session.hardware]
    found = cheapest_path(
        lambda k: table.serves(rates[k]),
        per_vector(prices, table.rate.shape),
        [float(step.length_s / HOUR_S) for step in day.steps],
        change_prices(day, [(0, types.index(name)) for name in table.hardware]),
        deadline,
    )
    if isinstance(found, int):
        raise nothing_serves(day, found)
    modules = (
        [staffing(table.serving(on, rate), dict(zip(table.hardware, on, strict=True)))]
        for on, rate in zip(found.machines, rates, strict=True)
    )
    return Made(day_plan(modules), found.cost * (1 - ROUNDING))
