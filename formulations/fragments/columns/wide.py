"""A plan and a bound for thousands of fragments (ours).

The plan is that of `regroup`. Its linear program also begins the one here, whose duals are only a proposal: they are
rounded down to whole units, and pricing in whole numbers proves what bound they give (`gains.py`).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from itertools import chain, pairwise

import numpy as np

from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.fragments import Budgets, Fleet, Fragment, FragmentPlan, FragmentSpace, Network
from euclio.fragments.instance import WHOLE_GPU_PCT
from euclio.fragments.stages import FITS, Stages
from formulations.fragments.columns.coarse import coarser
from formulations.fragments.columns.gains import largest_gains
from formulations.fragments.columns.types import MOST_PCT, MOST_TICKS, NEVER, UNIT, Ints, Types, types_of
from formulations.fragments.fluid import fluid_bound_pct
from heuristics.fragments.regrouping import REACH, fine_prices, solve_regroup
from heuristics.fragments.regrouping_kernel import divide_heads
from heuristics.fragments.regrouping_prices import ALONE_PCT, Floats, PriceProgram, Sets, classes_of
from heuristics.fragments.regrouping_tables import Queues, queues_of

WIDTH = 250
"""Fragments of a stage in the first tables; larger sets are bounded by their least share per fragment."""
MOST_ENTRIES = 24_000_000
"""Entries of a table beyond which tables are not made wider."""
GAIN_UNITS = UNIT // 1000
"""Sets that gain less are not looked for: a thousand of them are a percent of one GPU."""
PARTS = (0.9999, 0.9995, 0.999, 0.998, 0.995, 0.99)
"""Parts of the prices that are tried as well."""
MOST_LIMITS = 400
"""Time budgets of a queue beyond which they are rounded."""


@dataclass(frozen=True, slots=True)
class WideTables:
    """Least GPU shares in units of shared stages and of heads, by time and number of fragments.

    Shared stages of re-partition point p take the rows `shared_start[p]` to `shared_start[p + 1]`, heads of queue b
    that end at p the rows `own_start[b, p]` to `own_start[b, p + 1]`; rows by ascending time.

    Attributes:
        shared_start: shape (layers + 1,).
        shared_ticks: times, shape (rows,).
        shared_cost: shape (rows, width + 1).
        shared_least: least share per fragment of any number, rounded down, shape (rows,).
        own_start: shape (queues, layers + 1).
        own_ticks: times, shape (rows,).
        own_cost: share of the cheapest heads, one or several, shape (rows, width + 1).
        own_least: as `shared_least`, shape (rows,).
    """

    shared_start: Ints
    shared_ticks: Ints
    shared_cost: Ints
    shared_least: Ints
    own_start: Ints
    own_ticks: Ints
    own_cost: Ints
    own_least: Ints


def wide_tables(types: Types, stages: Stages, space: FragmentSpace, most: int = WIDTH) -> WideTables:
    """The tables of a plan space, for at most so many fragments of a stage.

    Raises:
        InapplicableError: times do not fit into 64 bits.
    """
    layers, begins = stages.network.layers, np.unique(types.begin).tolist()
    total = int(types.counts.sum())
    width = min(most, total, space.max_members or total)
    rows = _Rows(stages, types, width, space.max_instances)
    shared = [rows.of(p, layers) if p >= begins[0] else rows.none() for p in range(layers)]
    heads = [[rows.of(begin, p) if p > begin else rows.none() for p in range(layers)] for begin in begins]
    sizes = np.array([[len(ticks) for ticks, _, _ in own] for own in heads], dtype=np.int64)
    ends = np.cumsum(sizes.ravel()).reshape(sizes.shape)
    own_cost = np.concatenate([cost for own in heads for _, cost, _ in own])
    divide_heads(own_cost)
    return WideTables(
        np.cumsum([0, *(len(ticks) for ticks, _, _ in shared)]).astype(np.int64),
        np.concatenate([ticks for ticks, _, _ in shared]),
        np.concatenate([cost for _, cost, _ in shared]),
        np.concatenate([least for _, _, least in shared]),
        np.concatenate((ends[:, :1] - sizes[:, :1], ends), axis=1),
        np.concatenate([ticks for own in heads for ticks, _, _ in own]),
        own_cost,
        np.concatenate([least for own in heads for _, _, least in own]),
    )


class _Rows:
    """Makes the rows of one range of layers after the other."""

    def __init__(self, stages: Stages, types: Types, width: int, max_instances: int | None) -> None:
        self._stages, self._width, self._max_instances = stages, width, max_instances
        self._per_tick = types.rate_rps / stages.ticks_per_s

    def none(self) -> tuple[Ints, Ints, Ints]:
        """The rows of a range that no stage runs."""
        return np.zeros(0, dtype=np.int64), np.zeros((0, self._width + 1), dtype=np.int64), np.zeros(0, dtype=np.int64)

    def of(self, first: int, end: int) -> tuple[Ints, Ints, Ints]:
        """Times at which some number of fragments is served at a smaller share, shares, and the least per fragment."""
        choices = self._stages.choices(first, end)
        above, below = self._per_tick.numerator, self._per_tick.denominator
        ticks, batch, share = (part.astype(object) for part in (choices.ticks, choices.batch, choices.share_pct))
        if int(ticks.max()) >= MOST_TICKS:
            raise InapplicableError("latencies and time budgets have too many digits for 64 bits")
        each = np.minimum.accumulate((UNIT * share * ticks * above) // (batch * below))
        load, room = ticks * above, batch * below
        if self._width * int(load.max()) < FITS and int(room.max()) < FITS:
            load, room = load.astype(np.int64), room.astype(np.int64)
        instances = -(-(load[:, None] * np.arange(self._width + 1)) // room[:, None])
        if int(each.max()) >= MOST_PCT * UNIT or int(instances.max()) * WHOLE_GPU_PCT >= MOST_PCT:
            raise InapplicableError("latencies or GPU shares have too many digits for 64 bits")
        instances = instances.astype(np.int64)
        cost = instances * (share.astype(np.int64) * UNIT)[:, None]
        if self._max_instances is not None:
            cost[instances > self._max_instances] = NEVER
        cost = np.minimum(np.minimum.accumulate(cost, axis=0), NEVER)
        last = np.append(ticks[1:] != ticks[:-1], True).astype(bool)
        ticks, cost, each = ticks[last].astype(np.int64), cost[last], each[last].astype(np.int64)
        cheaper = (cost[1:] < cost[:-1]).any(axis=1) | (each[1:] < each[:-1])
        kept = np.append(True, cheaper)
        return ticks[kept], cost[kept], each[kept]


@dataclass(frozen=True, slots=True)
class WideBound:
    """What column generation proved.

    Attributes:
        bound_units: proven least GPU share of any plan in units.
        sets: columns.
        rounds: number of pricings.
        wider: sets of more fragments than the tables have may gain, so that wider tables may prove more.
    """

    bound_units: int
    sets: Sets
    rounds: int
    wider: bool

    @property
    def bound_pct(self) -> int:
        """The bound in whole percents, rounded up."""
        return -(-self.bound_units // UNIT)


def _bound(queues: Queues, tables: WideTables, sets: Sets, members: int, deadline: float) -> WideBound:
    """Generate columns until hardly any set gains, or the deadline has passed.

    Args:
        queues: the fragments.
        tables: shares of their stages.
        sets: columns to begin with; each fragment is in one.
        members: most fragments of a set.
        deadline: `time.perf_counter` value.
    """
    program = PriceProgram(queues, classes_of(queues, len(queues.places)), ALONE_PCT)
    for places, share_pct in sets:
        program.add(places, share_pct)
    pricing = WidePricing(queues, tables, members)
    best, rounds = 0, 0
    while True:
        prices = program.prices()
        bound, found, wider = pricing.bound(prices.price, 1.0)
        best, rounds, sets = max(best, bound), rounds + 1, sets + found
        for places, share_pct in found:
            program.add(places, share_pct)
        if not found or time.perf_counter() >= deadline:
            break
    # Where some sets still gain, slightly lower prices lose less than as many of these as there are fragments.
    scaled = [pricing.bound(prices.price, part)[0] for part in PARTS]
    return WideBound(max(best, *scaled), sets, rounds, wider)


def wide_bound(
    types: Types, queues: Queues, stages: Stages, space: FragmentSpace, sets: Sets, deadline: float
) -> WideBound:
    """A bound on all plans of fragments of one rate that keep the least budget of their set.

    Args:
        types: the types of the fragments.
        queues: the fragments, their unit of rate that of one.
        stages: stages of their network.
        space: plan space.
        sets: sets to begin with.
        deadline: `time.perf_counter` value.

    Raises:
        InapplicableError: times do not fit into 64 bits.
    """
    members = min(len(queues.places), space.max_members or len(queues.places))
    width, rounds, best = WIDTH, 0, 0
    while True:
        tables = wide_tables(types, stages, space, width)
        found = _bound(queues, tables, sets, members, deadline)
        sets, rounds, best = found.sets, rounds + found.rounds, max(best, found.bound_units)
        width *= 2
        full = width * max(len(tables.own_cost), len(tables.shared_cost)) > MOST_ENTRIES
        if not found.wider or full or time.perf_counter() >= deadline:
            return WideBound(best, sets, rounds, found.wider)


class WidePricing:
    """Proves bounds by prices.

    Args:
        queues: the fragments.
        tables: shares of their stages.
        members: most fragments of a set.
    """

    def __init__(self, queues: Queues, tables: WideTables, members: int) -> None:
        self._queues, self._tables, self._members = queues, tables, members
        self._item_limit = queues.limits.astype(np.int64)
        self._limits, place = np.unique(self._item_limit, return_inverse=True)
        self._fragments = np.bincount(place)

    def bound(self, price: Floats, part: float) -> tuple[int, Sets, bool]:
        """The bound in units that a part of the prices of fragments proves, sets that gain, and if wider ones may."""
        prices = np.floor(price * part * UNIT).astype(np.int64)
        for first, end in pairwise(self._queues.starts.tolist()):
            prices[first:end] = np.minimum.accumulate(prices[first:end])
        gains, taken = self.gains(prices)
        worth = np.concatenate(([0], np.cumsum(prices)))
        lost = sum(int(k) * int(gain) for k, gain in zip(self._fragments, gains, strict=True))
        gaining, known = gains > GAIN_UNITS, taken.any(axis=1)
        sets = self._sets(np.flatnonzero(gaining & known).tolist(), gains, taken, worth)
        return int(worth[-1]) - lost, sets, bool((gaining & ~known).any())

    def gains(self, prices: Ints) -> tuple[Ints, Ints]:
        """What sets of each limit gain at most, and what they take, see `largest_gains`.

        Args:
            prices: prices in units, not rising within a queue, shape (fragments,).
        """
        queues, tables = self._queues, self._tables
        taken = np.zeros((len(self._limits), len(queues.begins)), dtype=np.int64)
        gains = largest_gains(
            self._limits,
            queues.starts,
            self._item_limit,
            prices,
            np.concatenate(([0], np.cumsum(prices))),
            queues.begins,
            self._members,
            tables.shared_start,
            tables.shared_ticks,
            tables.shared_cost,
            tables.shared_least,
            tables.own_start,
            tables.own_ticks,
            tables.own_cost,
            tables.own_least,
            taken,
        )
        return gains, taken

    def _sets(self, places_of_limits: list[int], gains: Ints, taken: Ints, worth: Ints) -> Sets:
        sets = []
        for t in places_of_limits:
            spans = pairwise(self._queues.starts.tolist())
            first = [a + int(np.searchsorted(self._item_limit[a:b], self._limits[t])) for a, b in spans]
            end = [a + int(k) for a, k in zip(first, taken[t], strict=True)]
            share = sum(int(worth[b] - worth[a]) for a, b in zip(first, end, strict=True)) - int(gains[t])
            places = np.concatenate([np.arange(a, b) for a, b in zip(first, end, strict=True)])
            sets.append((places, share / UNIT))
        return sets


def solve_wide(
    fleet: Fleet, stages: Stages, space: FragmentSpace, limits: Limits[FragmentPlan]
) -> Answer[FragmentPlan]:
    """A plan and a bound of a fleet in which each fragment can be served by itself.

    Under time budgets of their own the bound is that of the least share per request.

    Args:
        fleet: the instance.
        stages: stages of its network.
        space: plan space; fragments may be realigned.
        limits: time limit.
    """
    deadline = math.inf if limits.time_limit_s is None else time.perf_counter() + limits.time_limit_s
    answer = solve_regroup(fleet, space, limits)
    assert answer.plan is not None
    assert answer.claimed is not None
    bound, stats = float(fluid_bound_pct(fleet)), dict[str, float]()
    if space.budgets is Budgets.LEAST:
        # Stages that serve less take no larger a share; one rate is the least of all.
        *_, lowered = chain([fleet], coarser(fleet) if len({own.rate_rps for own in fleet.fragments}) > 1 else ())
        found = _of_one_rate(lowered, stages, space, answer.plan, deadline)
        if found is not None:
            bound = max(bound, float(found.bound_pct))
            stats = {"columns": float(len(found.sets)), "rounds": float(found.rounds)}
    bound = min(bound, answer.claimed)
    raw = "optimal" if bound >= answer.claimed else "gap"
    return Answer(answer.plan, raw, answer.claimed, bound, stats={**stats, "root_bound": bound})


def _of_one_rate(
    fleet: Fleet, stages: Stages, space: FragmentSpace, plan: FragmentPlan, deadline: float
) -> WideBound | None:
    """The bound on all plans of fragments of one rate, from the sets of a plan on; None: numbers are too large."""
    queues = _fewer_limits(_rounded_up(queues_of(fleet, stages, range(len(fleet.fragments)), REACH), fleet, stages))
    try:
        _, sets = fine_prices(stages, queues, space, [plan])
        return wide_bound(types_of(fleet, stages), queues, stages, space, sets, deadline)
    except InapplicableError:
        return None


def _rounded_up(queues: Queues, fleet: Fleet, stages: Stages) -> Queues:
    """The fragments with limits that are no less than they are in whole ticks, which floats hold only to 2^53."""
    exact = [stages.execution_ticks(fleet.fragments[k].budget_s) for k in queues.places.tolist()]
    floats = queues.limits.tolist()
    limits = [
        own if int(own) >= ticks else math.nextafter(own, math.inf) for own, ticks in zip(floats, exact, strict=True)
    ]
    return replace(queues, limits=np.array(limits))


def _fewer_limits(queues: Queues) -> Queues:
    """The fragments with limits rounded up to a few hundred per queue.

    With more time no plan becomes infeasible and no stage takes a larger share, so that a bound on these is one on
    those given.
    """
    classes = classes_of(queues, MOST_LIMITS)
    ends = np.append(np.flatnonzero(np.diff(classes)), len(classes) - 1)
    return replace(queues, limits=queues.limits[ends[classes]])


def compile_wide() -> None:
    """Compile what fleets of few fragments do without."""
    network = Network("compiled", [1], [100], [[["0.01"]], [["0.01"]]])
    fleet = Fleet("compiled", network, [Fragment("a", 0, "0.1", 10), Fragment("b", 1, "0.1", 10)])
    stages = Stages(network)
    solve_wide(fleet, stages, FragmentSpace(), Limits())
