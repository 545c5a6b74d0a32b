"""Everything that a module may bring to machines that modules share: whole machines and one partial machine (ours).

An option is a number of whole machines of each configuration and a partial machine that serves the rest of the rate
without dummies. There are finitely many. They are listed down the ranking. Two cuts keep the list short. A machine may
not be slower than the other modules ever allow. An option may not be worth more than the other modules ever leave. Its
*worth* is the cost of its whole machines, a part of the shared machine's price as large as the part of its time, and
its latency at a price of time. The rest of the rate costs at least the least unit cost from the current rank on.

An option is dropped if another one on the same hardware type is clearly as good or better in everything. Floats that
are within rounding of each other decide nothing: then both options stay, so that no plan is lost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled, is_past
from euclio.core.tolerances import TIE
from euclio.problems.session.arrays import Floats, Ints, SessionArrays
from euclio.problems.session.latency.dispatch import partial_latency, whole_latency
from formulations.session.module.remaining_rate import rate_left

BETWEEN = 64
"""Nodes between two looks at the clock: some microseconds, or interpreted some milliseconds."""
COST, WHOLE, OWN, DURATION, BUSY, MEMORY, KIND, FIRST = range(8)
"""Columns of a table of options: money per hour for the whole machines; their largest latency in seconds, 0 if there
are none; that of the partial machine without waits; the duration of its batches; the share of the time that it works;
memory of its model in MB; its hardware type; the configuration that decides `WHOLE` if it serves the whole rate, else
-1. A further column for each limit on machines has what the whole machines take of it. All but the last two of these
names are compared when options are dropped."""


class Machines(NamedTuple):
    """Hardware types, and what configurations need of them.

    Attributes:
        kind: hardware type of each configuration, shape (configurations,), like the next one.
        memory: memory of its model in MB; 0 if that of its machines is unknown, infinite if only its own is.
        room: memory of a machine of each type in MB, infinite if unknown; shape (types,), like the next one.
        price: money per hour for a machine of each type.
        wait: seconds that a batch of each module waits at least for another module on a machine of each type; infinite
            if no other module can be there; shape (modules, types).
        takes: what a machine of each type takes of each limit on machines, shape (limits, types). Sums of machines are
            exact in floating point.
        capacity: the most that all machines take, shape (limits,).
    """

    kind: Ints
    memory: Floats
    room: Floats
    price: Floats
    wait: Floats
    takes: Floats
    capacity: Floats


class Listed(NamedTuple):
    """Options of one module.

    Attributes:
        table: numbers by option, shape (options, 8 + limits); columns from `COST` to `FIRST`, then a limit each.
        partial_at: configuration of the partial machine, shape (options,).
        machines: whole machines by configuration of the module, shape (options, configurations of the module).
        nodes: nodes of the listing.
        complete: whether no option is missing.
    """

    table: Floats
    partial_at: Ints
    machines: Ints
    nodes: int
    complete: bool


class _Asked(NamedTuple):
    """The module that is asked for, and what its options have to obey; attributes as of `shareable`."""

    m: int
    longest: float
    flow: float


class _Levels(NamedTuple):
    """The allocations of the plan under way; a level's cost and latencies are those of the levels before it.

    Attributes:
        at: configuration, counted from the module's first one, shape (levels,), like the next ones.
        tried: whole machines that are tried next.
        cost: money per hour.
        slow: largest latency in seconds.
        decides: the configuration that decides it if it serves the whole rate, else -1.
    """

    at: Ints
    tried: Ints
    cost: Floats
    slow: Floats
    decides: Ints


class _Kept(NamedTuple):
    """The options that are kept, in arrays that have more room; attributes as of `Listed`."""

    table: Floats
    partial_at: Ints
    machines: Ints
    size: int


@compiled
def shareable(
    s: SessionArrays, m: int, types: Machines, longest: float, flow: float, most: float, most_kept: int, deadline: float
) -> Listed:
    """The options of a module with a partial machine.

    Args:
        s: the session.
        m: the module.
        types: hardware types.
        longest: largest latency that the other modules leave the module, in seconds.
        flow: price of time, in money per hour and second of the module's latency.
        most: the largest worth, in money per hour.
        most_kept: options after which the listing is broken off; 1 asks for the option of least worth alone.
        deadline: `time.perf_counter` value at which it is broken off.
    """
    lo, size, rate = s.first[m], s.first[m + 1] - s.first[m], s.rate[m]
    t, low = s.throughput[lo : lo + size], np.append(s.low[lo : lo + size], s.low[s.batch.size + m])
    width = FIRST + 1 + types.capacity.size
    kept = _Kept(np.zeros((64, width)), np.zeros(64, np.int64), np.zeros((64, size), np.int64), 0)
    v, least, row = _no_levels(min(size, s.max_allocations) + 1), _least_unit_costs(s, m), np.zeros(width)
    longest, most = longest * (1.0 + TIE), most * (1.0 + TIE)
    asked, d, nodes = _Asked(m, longest, flow), 0, 0
    while d >= 0:
        nodes += 1
        if kept.size > most_kept or (nodes % BETWEEN == 0 and is_past(deadline)):
            return _listed(kept, nodes, False)
        if v.tried[d] <= 1:
            # All numbers of machines of this configuration have been tried: on to the next rank.
            v.at[d], v.tried[d] = v.at[d] + 1, 0
            j = v.at[d]
            left = rate_left(rate, t, low, v.at, v.tried, d, min(j, size - 1), 0)
            # The rest of the rate costs no less at any later rank, so the level ends.
            if j >= size or v.cost[d] + least[j] * left + flow * v.slow[d] > most:
                d -= 1
                continue
            n = _filled(rate, t, low, v, d, j, left)
            rest = rate_left(rate, t, low, v.at, v.tried, d, j, n)
            # With machines of this rank, these may be too slow for the module.
            full = whole_latency(s, lo + j, max(n, 1), 0.0, left, left)
            if rest > 0.0 and (n == 0 or full <= longest):
                worth = _write_option(s, asked, types, v, d, n, rest, row)
                if worth <= most:
                    # Only what is worth less than the best one so far is asked for.
                    if most_kept == 1:
                        kept, most = _Kept(kept.table, kept.partial_at, kept.machines, 0), worth
                    kept = _with_option(kept, row, v, d, n, lo + j)
            # Further ranks take what some machines of this one leave, if the plan space allows more allocations.
            if n == 0 or full > longest or d + 2 > s.max_allocations or j + 1 >= size:
                continue
            # All machines that fit leave nothing for a partial machine if they take the rate exactly.
            v.tried[d] = n + 1 if rest > 0.0 else n
        v.tried[d] -= 1
        if v.tried[d] < 1:
            continue
        left = rate_left(rate, t, low, v.at, v.tried, d, v.at[d], v.tried[d])
        _write_level(s, m, v, d, rate_left(rate, t, low, v.at, v.tried, d, v.at[d], 0))
        if v.cost[d + 1] + least[v.at[d] + 1] * left + flow * v.slow[d + 1] <= most:
            d += 1
            v.at[d], v.tried[d] = v.at[d - 1], 0
    return _listed(kept, nodes, True)


@compiled
def _listed(kept: _Kept, nodes: int, complete: bool) -> Listed:
    """The options that are kept, without the room that is left."""
    return Listed(kept.table[: kept.size], kept.partial_at[: kept.size], kept.machines[: kept.size], nodes, complete)


@compiled
def _no_levels(levels: int) -> _Levels:
    """Before the first configuration of the first level."""
    none = np.full((2, levels), -1, np.int64)
    return _Levels(none[0], np.zeros(levels, np.int64), np.zeros(levels), np.zeros(levels), none[1])


@compiled
def _write_level(s: SessionArrays, m: int, v: _Levels, d: int, left: float) -> None:
    """Write the cost and the latency before level d + 1, given the rate that is left when level d begins."""
    k = s.first[m] + v.at[d]
    full = whole_latency(s, k, v.tried[d], 0.0, left, left)
    v.cost[d + 1], v.slow[d + 1], v.decides[d + 1] = v.cost[d] + v.tried[d] * s.price[k], v.slow[d], v.decides[d]
    if full > v.slow[d]:
        v.slow[d + 1], v.decides[d + 1] = full, k if d == 0 else -1


@compiled
def _write_option(
    s: SessionArrays, asked: _Asked, types: Machines, v: _Levels, d: int, n: int, rest: float, row: Floats
) -> float:
    """Write the numbers of an option that ends at level d with n whole machines and a partial one of rate `rest`.

    Returns:
        Its worth in money per hour; infinite if it can be on no shared machine.
    """
    k = s.first[asked.m] + v.at[d]
    kind, left = types.kind[k], n * s.throughput[k] + rest
    row[COST], row[WHOLE], row[FIRST] = v.cost[d] + n * s.price[k], v.slow[d], v.decides[d]
    if n > 0:
        full = whole_latency(s, k, n, 0.0, left, left)
        if full > v.slow[d]:
            row[WHOLE], row[FIRST] = full, k if d == 0 else -1
    row[OWN], row[DURATION] = partial_latency(s, k, n, rest, left, left), s.duration[k]
    row[BUSY], row[MEMORY], row[KIND] = rest * s.duration[k] / s.batch[k], types.memory[k], kind
    for limit in range(types.capacity.size):
        taken = n * types.takes[limit, kind]
        for i in range(d):
            taken += v.tried[i] * types.takes[limit, types.kind[s.first[asked.m] + v.at[i]]]
        row[FIRST + 1 + limit] = taken
        # The shared machine takes some of it too.
        if taken + types.takes[limit, kind] > types.capacity[limit]:
            return np.inf
    with_others = row[OWN] + types.wait[asked.m, kind]
    if with_others > asked.longest or row[BUSY] >= 1.0 + TIE or types.memory[k] > types.room[kind]:
        return np.inf
    return float(row[COST] + row[BUSY] * types.price[kind] + asked.flow * max(row[WHOLE], with_others))


@compiled
def _with_option(kept: _Kept, row: Floats, v: _Levels, d: int, n: int, k: int) -> _Kept:
    """The options with one more of configuration k, if none that is kept replaces it, and without those it replaces."""
    if _needless(kept.table, kept.size, row):
        return kept
    end = _without_needless(kept.table, kept.partial_at, kept.machines, kept.size, row)
    table, partial_at, machines = kept.table, kept.partial_at, kept.machines
    if end == partial_at.size:
        table = np.concatenate((table, np.zeros_like(table)))
        partial_at = np.concatenate((partial_at, np.zeros_like(partial_at)))
        machines = np.concatenate((machines, np.zeros_like(machines)))
    table[end], partial_at[end], machines[end] = row, k, 0
    for i in range(d):
        machines[end, v.at[i]] = v.tried[i]
    machines[end, v.at[d]] = n
    return _Kept(table, partial_at, machines, end + 1)


@compiled
def _least_unit_costs(s: SessionArrays, m: int) -> Floats:
    """The least unit cost of a configuration of module m and of all behind it, shape (configurations + 1,)."""
    lo, hi = s.first[m], s.first[m + 1]
    least = np.full(hi - lo + 1, np.inf)
    for j in range(hi - lo - 1, -1, -1):
        least[j] = min(least[j + 1], s.unit_cost[lo + j])
    return least


@compiled
def _filled(rate: float, t: Floats, low: Floats, v: _Levels, d: int, j: int, left: float) -> int:
    """Whole machines of configuration j that the rate left fills; a multiple of t that is close is decided exactly."""
    n = int(left / t[j] + 0.5)
    return n if rate_left(rate, t, low, v.at, v.tried, d, j, n) >= 0.0 else n - 1


@compiled
def _clearly(one: float, other: float) -> int:
    """2 if one number is clearly no larger than another, 1 if rounding may decide it, 0 if it is larger."""
    if one <= other * (1.0 - TIE) or one == 0.0:
        return 2
    return 1 if one <= other * (1.0 + TIE) else 0


@compiled
def _replaces(one: Floats, other: Floats) -> bool:
    """Whether one option makes another one of the same type needless."""
    if one[KIND] != other[KIND]:
        return False
    # Durations and memory are the input's own numbers; equal configurations at equal rates give equal floats.
    if one[DURATION] > other[DURATION] or one[MEMORY] > other[MEMORY]:
        return False
    for limit in range(FIRST + 1, one.size):
        if one[limit] > other[limit]:
            return False
    if not (one[COST] == other[COST] or _clearly(one[COST], other[COST]) == 2):
        return False
    same = one[FIRST] == other[FIRST] and one[FIRST] >= 0.0
    if not (same or _clearly(one[WHOLE], other[WHOLE]) == 2):
        return False
    return _clearly(one[OWN], other[OWN]) == 2 and _clearly(one[BUSY], other[BUSY]) == 2


@compiled
def _needless(table: Floats, kept: int, row: Floats) -> bool:
    """Whether an option that is kept replaces a new one."""
    for i in range(kept):
        if _replaces(table[i], row):
            return True
    return False


@compiled
def _without_needless(table: Floats, partial_at: Ints, machines: Ints, kept: int, row: Floats) -> int:
    """Close up the options that a new one does not replace; returns their number."""
    end = 0
    for i in range(kept):
        if _replaces(row, table[i]):
            continue
        if end < i:
            table[end], partial_at[end], machines[end] = table[i], partial_at[i], machines[i]
        end += 1
    return end
