"""A plan and a bound for thousands of fragments (ours).

The plan is that of `regroup`. Its linear program also begins the one here, with duals as a proposal. They are rounded
down to whole units, and pricing in whole numbers proves their bound (`gains.py`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, chain, pairwise

import numpy as np

from euclio.core.errors import InapplicableError
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.fragments import Budgets, Fleet, Fragment, FragmentPlan, FragmentSpace, Network
from euclio.problems.fragments.stages import Stages
from formulations.fragments.columns.gains import WIDTH, PricedQueues, WideTables, largest_gains, wide_tables
from formulations.fragments.columns.tables import UNIT
from formulations.fragments.columns.types import Ints, Types, types_of
from heuristics.fragments.regrouping import REACH, fine_prices, solve_regroup
from heuristics.fragments.regrouping_prices import ALONE_PCT, Floats, PriceProgram, Sets, classes_of
from heuristics.fragments.regrouping_tables import Queues, queues_of

# Rates rounded down until few are different, a relaxation for too many exact ones (ours).
#
# A stage that serves less takes no larger share, so a bound on fragments of lower rates bounds the given ones.

STEPS = (2, 4, 16)
"""Factors for rounding: rates are rounded down to the least rate times powers of one of these, finer ones first."""
MOST_TIMES = 2**8
"""Largest rate over the least one; larger rates are rounded down to it."""


def coarser(fleet: Fleet) -> Iterator[Fleet]:
    """The fleet with fewer and fewer different rates, none above those given; at last all have the least one."""
    least = min(fragment.rate_rps for fragment in fleet.fragments)
    for step in STEPS:
        yield _rounded(fleet, least, step)
    yield Fleet(fleet.name, fleet.network, [replace(own, rate_rps=least) for own in fleet.fragments])


def _rounded(fleet: Fleet, least: Fraction, step: int) -> Fleet:
    fragments = []
    for own in fleet.fragments:
        times = min(math.floor(own.rate_rps / least), MOST_TIMES)
        power = 1
        while power * step <= times:
            power *= step
        fragments.append(replace(own, rate_rps=least * power))
    return Fleet(fleet.name, fleet.network, fragments)


# A bound on every plan of any fleet, in fractions, at once (ours).
#
# A stage of layers a … e − 1 at batch b and share s, with latency l = Σ l_k, has c · b / l at least its rate q. So its
# share c · s is at least q · Σ s · l_k / b, at least the need of each layer for each request in any stage.


def fluid_bound_pct(fleet: Fleet) -> int:
    """A lower bound on the GPU share of any plan, in whole percents, apart from time budgets and whole instances."""
    network = fleet.network
    each = [
        min(
            share * latency_s / batch
            for batch, row in zip(network.batches, rows, strict=True)
            for share, latency_s in zip(network.shares_pct, row, strict=True)
        )
        for rows in network.layer_latency_s
    ]
    from_layer = list(accumulate(reversed(each), initial=Fraction(0)))[::-1]
    return math.ceil(sum(own.rate_rps * from_layer[own.partition_point] for own in fleet.fragments))


# A bound on plans of thousands of fragments of one rate, by prices that a float proposes and integers prove (ours).

MOST_ENTRIES = 24_000_000
"""Most entries of a table for wider tables."""
GAIN_UNITS = UNIT // 1000
"""Least gain of a set worth a search; a thousand such gains are a percent of one GPU."""
PARTS = (0.9999, 0.9995, 0.999, 0.998, 0.995, 0.99)
"""Factors of the prices to try as well."""


@dataclass(frozen=True, slots=True)
class WideBound:
    """The proof of column generation.

    Attributes:
        bound_units: proven least GPU share of any plan in units.
        sets: columns.
        rounds: number of pricings.
        wider: whether sets with more fragments than the tables may gain, so that wider tables may prove more.
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
    # If some sets still gain, slightly lower prices lose less than one such gain for each fragment.
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
        """The bound in units from a part of the prices of fragments, sets that gain, and whether wider ones may."""
        prices = np.floor(price * part * UNIT).astype(np.int64)
        # Prices must not rise within a queue (`gains`), and lower ones prove a bound as well.
        for first, end in pairwise(self._queues.starts.tolist()):
            prices[first:end] = np.minimum.accumulate(prices[first:end])
        gains, taken = self.gains(prices)
        worth = np.concatenate(([0], np.cumsum(prices)))
        lost = sum(int(k) * int(gain) for k, gain in zip(self._fragments, gains, strict=True))
        gaining, known = gains > GAIN_UNITS, taken.any(axis=1)
        sets = self._sets(np.flatnonzero(gaining & known).tolist(), gains, taken, worth)
        return int(worth[-1]) - lost, sets, bool((gaining & ~known).any())

    def gains(self, prices: Ints) -> tuple[Ints, Ints]:
        """The largest gain of sets of each limit, and their fragments; see `largest_gains`.

        Args:
            prices: prices in units, not rising within a queue, shape (fragments,).
        """
        queues = self._queues
        taken = np.zeros((len(self._limits), len(queues.begins)), dtype=np.int64)
        worth = np.concatenate(([0], np.cumsum(prices)))
        items = PricedQueues(queues.begins, queues.starts, self._item_limit, prices, worth)
        gains = largest_gains(self._tables, self._limits, items, self._members, taken)
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


MOST_LIMITS = 400
"""Most different time budgets of a queue without rounding."""
EXACT_TICKS = 2**53
"""Largest time that is exact as a float, as in queues; a bound by rounded ones would prove nothing."""


def solve_wide(
    fleet: Fleet, stages: Stages, space: FragmentSpace, limits: Limits[FragmentPlan]
) -> Answer[FragmentPlan]:
    """A plan and a bound for a fleet in which each fragment can be served by itself.

    Under time budgets of their own the bound is that of the least share per request.

    Args:
        fleet: the instance.
        stages: stages of its network.
        space: plan space; fragments may be realigned.
        limits: time limit.
    """
    deadline = limits.deadline()
    answer = solve_regroup(fleet, space, limits)
    assert answer.plan is not None
    assert answer.claimed is not None
    bound, stats = float(fluid_bound_pct(fleet)), dict[str, float]()
    if space.budgets is Budgets.LEAST:
        # Stages that serve less take no larger share; the one rate is the least of all.
        *_, lowered = chain([fleet], coarser(fleet) if len({own.rate_rps for own in fleet.fragments}) > 1 else ())
        found = _of_one_rate(lowered, stages, space, answer.plan, deadline)
        if found is not None:
            bound = max(bound, float(found.bound_pct))
            stats = {"columns": float(len(found.sets)), "rounds": float(found.rounds)}
    bound = min(bound, answer.claimed)
    stats["root_bound"] = bound
    return Answer.proven(answer.plan, answer.claimed, bound, "", stats, otherwise="gap", tolerance=0.0)


def _of_one_rate(
    fleet: Fleet, stages: Stages, space: FragmentSpace, plan: FragmentPlan, deadline: float
) -> WideBound | None:
    """The bound on all plans of fragments of one rate, from a plan's sets on; None if numbers are too large."""
    try:
        types = types_of(fleet, stages)
        if int(types.limit.max()) > EXACT_TICKS:
            return None
        queues = _fewer_limits(queues_of(fleet, stages, range(len(fleet.fragments)), REACH))
        _, sets = fine_prices(stages, queues, space, [plan])
        return wide_bound(types, queues, stages, space, sets, deadline)
    except InapplicableError:
        return None


def _fewer_limits(queues: Queues) -> Queues:
    """The fragments with limits rounded up to a few hundred per queue.

    With more time no plan becomes infeasible and no stage takes a larger share, so a bound on these bounds the given
    ones.
    """
    classes = classes_of(queues, MOST_LIMITS)
    ends = np.append(np.flatnonzero(np.diff(classes)), len(classes) - 1)
    return queues._replace(limits=queues.limits[ends[classes]])


def compile_wide() -> None:
    """Compile the functions that fleets of few fragments do not need."""
    network = Network("compiled", [1], [100], [[["0.01"]], [["0.01"]]])
    fleet = Fleet("compiled", network, [Fragment("a", 0, "0.1", 10), Fragment("b", 1, "0.1", 10)])
    stages = Stages(network)
    solve_wide(fleet, stages, FragmentSpace(), Limits())
