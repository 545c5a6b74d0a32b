"""A plain simulator of whole machines, which shares nothing with euclio's: a second look at what no plan may keep.

Modules are served one after the other, each invocation by the slot of a machine that its rule names. No rule is one of
euclio's dispatchers; some look ahead and drop what they cannot answer in time, as whoever schedules may.
"""

from __future__ import annotations

from collections.abc import Sequence

import numba
import numpy as np
from numpy.typing import NDArray

from euclio.problems.session import Session
from euclio.problems.session.latency.paths import times_from
from euclio.problems.session.plan import Plan

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
IN_ORDER, IN_TIME, LAZY, SLOWEST = range(4)
"""Rules: the slot that is free first, nothing dropped; that which ends first in time; the same, and batches wait to be
filled; the slot that ends last in time."""


def served(session: Session, plan: Plan, requests: int, seed: int, rule: int) -> float:
    """The share of Poisson requests that a plan of full whole machines keeps, but for the first of them."""
    behind = {child for _, child in session.edges}
    rate = max(m.rate_rps for m in session.modules if m.name not in behind)
    arrived = np.cumsum(np.random.default_rng(seed).exponential(1 / float(rate), requests))
    slots = [_slots(session, plan, m) for m in range(len(session.modules))]
    rest = [float(s) for s in _rest(session, plan, rate)]
    slo, parents = float(session.slo_s), session.parents()
    ended: list[Floats] = [arrived] * len(session.modules)
    for m in session.order:
        ready = np.max([ended[p] for p in parents[m]], axis=0) if parents[m] else arrived
        ratio = session.modules[m].rate_rps / rate
        above, below = ratio.numerator, ratio.denominator
        counted = np.array([k * above // below for k in range(requests + 1)]) if ratio != 1 else np.arange(requests + 1)
        request = np.repeat(np.arange(requests), np.diff(counted))
        request = request[np.isfinite(ready[request])]
        request = request[np.argsort(ready[request], kind="stable")]
        ends = np.empty(len(request))
        _serve(ready[request], arrived[request] + slo - rest[m], *slots[m], rule, ends)
        ended[m] = ready.copy()
        np.maximum.at(ended[m], request, ends)
    kept = np.max(ended, axis=0) - arrived <= slo
    return float(kept[requests // 50 :].mean())


def _slots(session: Session, plan: Plan, m: int) -> tuple[Floats, Ints]:
    """Durations by slot and size, from 1 on, and the largest size of each slot."""
    profile, rows = session.modules[m].profile, []
    for allocation in plan.modules[m].allocations:
        c = allocation.configuration
        same = [k for k in profile if (k.hardware, k.concurrency) == (c.hardware, c.concurrency) and k.batch <= c.batch]
        row = [
            min(float(k.duration_s) for k in same if k.batch >= size) for size in range(1, c.batch + 1)
        ]  # fmt: skip
        rows += [row] * (allocation.machines * c.concurrency)
    most = max(map(len, rows))
    durations = np.array([row + [np.inf] * (most - len(row)) for row in rows])
    return durations, np.array(list(map(len, rows)))


def _rest(session: Session, plan: Plan, rate: object) -> Sequence[object]:
    """The least seconds that a request takes behind each module, by what the plan's machines take."""
    least = [
        min(
            min(k.duration_s for k in module.profile if k.hardware == a.configuration.hardware) for a in own.allocations
        )
        if module.rate_rps >= rate  # type: ignore[operator]
        else 0 * session.slo_s
        for module, own in zip(session.modules, plan.modules, strict=True)
    ]
    return [after - own for after, own in zip(times_from(session, least), least, strict=True)]


@numba.njit
def _serve(
    ready: Floats, due: Floats, durations: Floats, most: Ints, rule: int, ends: Floats
) -> None:  # pragma: no cover
    """When each invocation ends, infinite: it is dropped; they are given in the order in which they are ready."""
    free = np.zeros(len(most))
    head = 0
    while head < len(ready):
        chosen, value, start = -1, np.inf, 0.0
        for slot in range(len(most)):
            begin = max(ready[head], free[slot])
            end = begin + durations[slot, 0]
            if rule != 0 and end > due[head]:
                continue
            own = begin if rule == 0 else (-end if rule == 3 else end)
            if chosen < 0 or own < value:
                chosen, value, start = slot, own, begin
        if chosen < 0:
            ends[head] = np.inf
            head += 1
            continue
        limit = min(most[chosen], len(ready) - head)
        if rule == 2:
            until = due[head] - durations[chosen, limit - 1]
            start = max(start, min(until, ready[head + limit - 1]))
        size = 1
        while size < limit and ready[head + size] <= start:
            if rule != 0 and start + durations[chosen, size] > due[head]:
                break
            size += 1
        end = start + durations[chosen, size - 1]
        free[chosen] = end
        ends[head : head + size] = end
        head += size
