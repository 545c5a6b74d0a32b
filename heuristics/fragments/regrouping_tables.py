"""The queues of a fleet and the least GPU shares of its stages as tables, for `regroup` (ours).

Rates count in units. If all are equal, or small multiples of one, tables are exact; else rates of stages are rounded up
to whole units. Tables guide the search, and exact arithmetic prices its results.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from euclio.core.compiled import compiled
from euclio.problems.fragments import Fleet
from euclio.problems.fragments.stages import Stages

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

NEVER = 1e15
"""The GPU share of a stage that is too slow, more than that of any plan."""
MOST_UNITS = 500
"""Most units of the rates of a set without rounding."""


class Rules(NamedTuple):
    """The rules for sets.

    Attributes:
        own: whether fragments keep their own time budgets, not the least of the set.
        reach: most fragments of a set.
        looks: most tried times of a set's shared stage, those with the largest bounds.
        points: the first re-partition point, and the one behind the last.
        max_instances: most instances of a stage; infinite means any number.
    """

    own: bool
    reach: int
    looks: int
    points: tuple[int, int]
    max_instances: float


class Queues(NamedTuple):
    """The fragments by first layer, the tightest first.

    Attributes:
        places: places in the fleet, queue after queue, shape (fragments,).
        begins: first layer of each queue, ascending, shape (queues,).
        starts: queue b is `places[starts[b]:starts[b + 1]]`, shape (queues + 1,).
        limits: longest execution of each in ticks, shape (fragments,).
        units: sums of the rates in units before each place, shape (fragments + 1,).
        per_tick: requests per tick of a unit of rate.
    """

    places: Ints
    begins: Ints
    starts: Ints
    limits: Floats
    units: Floats
    per_tick: float

    @property
    def even(self) -> bool:
        """Whether a unit is the rate of each fragment."""
        return bool((np.diff(self.units) == 1).all())


def queues_of(fleet: Fleet, stages: Stages, places: Sequence[int], reach: int) -> Queues:
    """The queues of some fragments, given the most that may share instances."""
    limit = {k: stages.execution_ticks(fleet.fragments[k].budget_s) for k in places}
    order = sorted(places, key=lambda k: (fleet.fragments[k].partition_point, limit[k], k))
    begin = np.array([fleet.fragments[k].partition_point for k in order], dtype=np.int64)
    begins = np.unique(begin)
    rates = [fleet.fragments[k].rate_rps for k in order]
    largest = sum(sorted(rates, reverse=True)[:reach], Fraction(0))
    common = math.lcm(*(q.denominator for q in rates))
    unit = Fraction(math.gcd(*(int(q * common) for q in rates)), common)
    unit = max(unit, largest / MOST_UNITS)
    return Queues(
        np.array(order, dtype=np.int64),
        begins,
        np.searchsorted(begin, [*begins.tolist(), int(begins[-1]) + 1]).astype(np.int64),
        np.array([float(limit[k]) for k in order]),
        np.cumsum([0.0, *(float(q / unit) for q in rates)]),
        float(unit / stages.ticks_per_s),
    )


class Tables(NamedTuple):
    """Least GPU shares in percent of shared stages and of heads, by time and rate in units.

    Shared stages of re-partition point p take the rows `shared_start[p]` to `shared_start[p + 1]`, heads of queue b
    that end at p the rows `own_start[b, p]` to `own_start[b, p + 1]`; rows by ascending time, none without a gain.

    Attributes:
        shared_start: shape (layers + 1,).
        shared_ticks: times, shape (rows,).
        shared_cost: shape (rows, units + 1).
        shared_least: least share per unit of rate over all rates, shape (rows,).
        own_start: shape (queues, layers + 1).
        own_ticks: times, shape (rows,).
        own_cost: share of the cheapest head or, with equal rates, heads; shape (rows, units + 1).
        own_least: as `shared_least`, shape (rows,).
    """

    shared_start: Ints
    shared_ticks: Floats
    shared_cost: Floats
    shared_least: Floats
    own_start: Ints
    own_ticks: Floats
    own_cost: Floats
    own_least: Floats


def _units(queues: Queues, rules: Rules) -> int:
    """Units of rate of the largest sets."""
    rates = np.sort(np.diff(queues.units))[::-1]
    return math.ceil(float(rates[: rules.reach].sum()))


def entries(stages: Stages, queues: Queues, rules: Rules) -> int:
    """Number of choices behind the tables, each for all rates."""
    network, (first, end) = stages.network, rules.points
    ranges = sum(1 + int((queues.begins < p).sum()) for p in range(first, end))
    return ranges * len(network.batches) * len(network.shares_pct) * (_units(queues, rules) + 1)


def tables_of(stages: Stages, queues: Queues, rules: Rules) -> Tables:
    """The tables of the allowed sets."""
    units = _units(queues, rules)
    table = _Maker(stages, queues.per_tick, rules.max_instances, units)
    layers, begins, points = stages.network.layers, queues.begins.tolist(), range(*rules.points)
    shared = [table.of(p, layers) if p in points else table.none() for p in range(layers)]
    heads = [[table.of(b, p) if p in points and b < p else table.none() for p in range(layers)] for b in begins]
    shared_cost = np.concatenate([cost for _, cost in shared])
    own_cost = np.concatenate([cost for row in heads for _, cost in row])
    sizes = np.array([[len(ticks) for ticks, _ in row] for row in heads], dtype=np.int64)
    if queues.even:
        divide_heads(own_cost)
    ends = np.cumsum(sizes.ravel()).reshape(sizes.shape)
    return Tables(
        np.cumsum([0, *(len(ticks) for ticks, _ in shared)]).astype(np.int64),
        np.concatenate([ticks for ticks, _ in shared]),
        shared_cost,
        (shared_cost[:, 1:] / np.arange(1, units + 1)).min(axis=1),
        np.concatenate((ends[:, :1] - sizes[:, :1], ends), axis=1),
        np.concatenate([ticks for row in heads for ticks, _ in row]),
        own_cost,
        (own_cost[:, 1:] / np.arange(1, units + 1)).min(axis=1),
    )


@compiled
def divide_heads(cost: npt.NDArray[Any]) -> None:
    """From the least share of one head by time and number of fragments to that of one head or several, in place."""
    for row in range(cost.shape[0]):
        for k in range(2, cost.shape[1]):
            for some in range(1, k // 2 + 1):
                cost[row, k] = min(cost[row, k], cost[row, some] + cost[row, k - some])


class _Maker:
    """Makes the tables of one range of layers after the other."""

    def __init__(self, stages: Stages, per_tick: float, max_instances: float, units: int) -> None:
        self._stages, self._max_instances = stages, max_instances
        self._per_tick = np.arange(units + 1) * per_tick

    def none(self) -> tuple[Floats, Floats]:
        """The table of a range without a stage."""
        return np.zeros(0), np.zeros((0, len(self._per_tick)))

    def of(self, first: int, end: int) -> tuple[Floats, Floats]:
        """Times at which the share of some rate falls, and the least share within each by rate."""
        choices = self._stages.choices(first, end)
        if not len(choices.ticks):
            return self.none()
        ticks, batch, share = (part.astype(np.float64) for part in (choices.ticks, choices.batch, choices.share_pct))
        instances = np.ceil(ticks[:, None] / batch[:, None] * self._per_tick - 1e-9)
        cost = instances * share[:, None]
        cost[instances > self._max_instances] = NEVER
        cost = np.minimum.accumulate(cost, axis=0)
        last = np.append(ticks[1:] != ticks[:-1], True)
        ticks, cost = ticks[last], cost[last]
        new = np.append(True, (cost[1:] < cost[:-1]).any(axis=1)) & (cost[:, 1:] < NEVER).any(axis=1)
        return ticks[new], cost[new]
