"""Everything that a module may bring to machines that modules share: whole machines and one partial machine (ours).

An option is a number of whole machines of each configuration and a partial machine that serves the rest of the rate
without dummies. There are finitely many. They are listed down the ranking. Two cuts keep the list short. A machine may
not be slower than the other modules ever allow. An option may not be worth more than the other modules ever leave. Its
*worth* is the cost of its whole machines, a part of the shared machine's price as large as the part of its time, and
its latency at a price of time. What is left to buy costs at least the least unit cost from the current rank on.

An option is dropped if another one on the same hardware type is clearly as good or better in everything. Floats that
are within rounding of each other decide nothing: then both options stay, so that no plan is lost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import clock, compiled
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
-1. The first four and `MEMORY` and `BUSY` are compared when options are dropped."""


class Machines(NamedTuple):
    """Hardware types, and what configurations need of them.

    Attributes:
        kind: hardware type of each configuration, shape (configurations,), like the next one.
        memory: memory of its model in MB; 0 if that of its machines is unknown, infinite if only its own is.
        room: memory of a machine of each type in MB, infinite if unknown; shape (types,), like the next one.
        price: money per hour for a machine of each type.
        wait: seconds that a batch of each module waits at least for another module on a machine of each type; infinite
            if no other module can be there; shape (modules, types).
    """

    kind: Ints
    memory: Floats
    room: Floats
    price: Floats
    wait: Floats


class Listed(NamedTuple):
    """Options of one module.

    Attributes:
        table: numbers by option, shape (options, 8); columns from `COST` to `FIRST`.
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
    lo, hi = s.first[m], s.first[m + 1]
    size = hi - lo
    t, low = s.throughput[lo:hi], np.append(s.low[lo:hi], s.low[s.batch.size + m])
    table, partial_at = np.zeros((64, FIRST + 1)), np.zeros(64, np.int64)
    machines = np.zeros((64, size), np.int64)
    kept, nodes = 0, 0
    levels = min(size, s.max_allocations) + 1
    # A level is an allocation: its configuration, its machines, and before it the cost and the latency.
    at, count = np.zeros(levels, np.int64), np.zeros(levels, np.int64)
    cost, slow, decides = np.zeros(levels), np.zeros(levels), np.full(levels, -1, np.int64)
    least = _least_unit_costs(s, lo, hi)
    longest, most = longest * (1.0 + TIE), most * (1.0 + TIE)
    at[0], d = -1, 0
    row = np.zeros(FIRST + 1)
    while d >= 0:
        nodes += 1
        if kept > most_kept or (nodes % BETWEEN == 0 and clock() > deadline):
            return Listed(table[:kept], partial_at[:kept], machines[:kept], nodes, False)
        if count[d] <= 1:
            # All numbers of machines of this configuration have been tried: on to the next rank.
            at[d], count[d] = at[d] + 1, 0
            j = at[d]
            left = rate_left(s.rate[m], t, low, at, count, d, min(j, size - 1), 0)
            # What is left costs no less at any later rank, so the level ends.
            if j >= size or cost[d] + least[j] * left + flow * slow[d] > most:
                d -= 1
                continue
            k = lo + j
            n = _filled(s.rate[m], t, low, at, count, d, j, left)
            rest = rate_left(s.rate[m], t, low, at, count, d, j, n)
            # With machines of this rank, these may be too slow for the module.
            full = whole_latency(s, k, max(n, 1), 0.0, left, left)
            if rest > 0.0 and (n == 0 or full <= longest):
                own = partial_latency(s, k, n, rest, left, left)
                busy = rest * s.duration[k] / s.batch[k]
                kind = types.kind[k]
                total = cost[d] + n * s.price[k]
                fits = own + types.wait[m, kind] <= longest and busy < 1.0 + TIE and types.memory[k] <= types.room[kind]
                whole = max(slow[d], full) if n > 0 else slow[d]
                worth = total + busy * types.price[kind] + flow * max(whole, own + types.wait[m, kind])
                if fits and worth <= most:
                    # Only what is worth less than the best one so far is asked for.
                    if most_kept == 1:
                        kept, most = 0, worth
                    row[COST], row[OWN], row[DURATION], row[BUSY] = total, own, s.duration[k], busy
                    row[MEMORY], row[KIND] = types.memory[k], kind
                    row[WHOLE], row[FIRST] = slow[d], decides[d]
                    if n > 0 and full > slow[d]:
                        row[WHOLE], row[FIRST] = full, k if d == 0 else -1
                    if not _needless(table, kept, row):
                        kept = _without_needless(table, partial_at, machines, kept, row)
                        if kept == partial_at.size:
                            table = np.concatenate((table, np.zeros_like(table)))
                            partial_at = np.concatenate((partial_at, np.zeros_like(partial_at)))
                            machines = np.concatenate((machines, np.zeros_like(machines)))
                        table[kept], partial_at[kept] = row, k
                        machines[kept] = 0
                        for i in range(d):
                            machines[kept, at[i]] = count[i]
                        machines[kept, j] = n
                        kept += 1
            # Further ranks take what some machines of this one leave, if the plan space allows more allocations.
            if n == 0 or full > longest or d + 2 > s.max_allocations or j + 1 >= size:
                continue
            # All machines that fit leave nothing for a partial machine if they take the rate exactly.
            count[d] = n + 1 if rest > 0.0 else n
        count[d] -= 1
        if count[d] < 1:
            continue
        k = lo + at[d]
        before = rate_left(s.rate[m], t, low, at, count, d, at[d], 0)
        total = cost[d] + count[d] * s.price[k]
        left = rate_left(s.rate[m], t, low, at, count, d, at[d], count[d])
        full = whole_latency(s, k, count[d], 0.0, before, before)
        if total + least[at[d] + 1] * left + flow * max(slow[d], full) > most:
            continue
        cost[d + 1], slow[d + 1], decides[d + 1] = total, slow[d], decides[d]
        if full > slow[d]:
            slow[d + 1], decides[d + 1] = full, k if d == 0 else -1
        d += 1
        at[d], count[d] = at[d - 1], 0
    return Listed(table[:kept], partial_at[:kept], machines[:kept], nodes, True)


@compiled
def _least_unit_costs(s: SessionArrays, lo: int, hi: int) -> Floats:
    """The least unit cost of a configuration and of all behind it, shape (configurations + 1,)."""
    least = np.full(hi - lo + 1, np.inf)
    for j in range(hi - lo - 1, -1, -1):
        least[j] = min(least[j + 1], s.unit_cost[lo + j])
    return least


@compiled
def _filled(rate: float, t: Floats, low: Floats, at: Ints, count: Ints, d: int, j: int, left: float) -> int:
    """Whole machines of configuration j that the rate left fills; a multiple of t that is close is decided exactly."""
    n = int(left / t[j] + 0.5)
    return n if rate_left(rate, t, low, at, count, d, j, n) >= 0.0 else n - 1


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
