"""The event loop of the data plane: arrivals, ends of nodes, timers, in the order of time (PPipe §6; compiled)."""

from __future__ import annotations

from heapq import heappop

from euclio.core.compiled import compiled
from euclio.serving.pipeline.execution import ENDS, Event, finish
from euclio.serving.pipeline.queues import Queues, waiting
from euclio.serving.pipeline.reactive import batch_by_pool, hand_over, send
from euclio.serving.pipeline.reservation import Path, batch_by_reservation
from euclio.serving.pipeline.resources import COUNT, DOWNLINK, FIRST, NONE, POOL, Ledger
from euclio.serving.pipeline.system import System
from euclio.serving.requests import LATE, SERVED
from euclio.serving.units import Floats, Ints

NO_EVENT = (1 << 62, 3, 0)


@compiled
def run_events(
    system: System,
    ledger: Ledger,
    queues: Queues,
    order: Ints,
    factors: Floats,
    reactive: bool,
    path: Path,
    other: Path,
) -> None:
    """Serve all arrivals; what happened stands in the ledger and the queues.

    Args:
        system: cluster and plan.
        ledger: empty reservation tables.
        queues: empty queues.
        order: requests in the order of arrival.
        factors: real over expected durations, used in turn.
        reactive: every pool batches by itself; else by reservation.
        path: scratch, with room for the longest pipeline.
        other: scratch of the same length.
    """
    events: list[Event] = [NO_EVENT]
    arrived = 0
    # The first event never comes due: it types the list, and spares a test for an empty one.
    while arrived < order.size or len(events) > 1:
        time, kind, what = events[0]
        # Arrivals are sorted already, so they are merged with the events and never pushed.
        if arrived < order.size and (queues.arrival[order[arrived]], 1) < (time, kind):
            request = order[arrived]
            arrived += 1
            time, queue = queues.arrival[request], queues.model[request]
            queues.last[queue] += 1
            due = waiting(queues, queue) >= queues.wanted[queue]
        else:
            heappop(events)
            if kind == ENDS:
                finish(ledger, events, factors, what, time, not reactive)
                queue = _finished(system, ledger, queues, events, factors, what, time, reactive)
                # Its scheduler sleeps until as many requests are there as it waits for.
                due = queue >= 0 and waiting(queues, queue) >= queues.wanted[queue]
            else:
                # A timer that has been set anew since is stale.
                queue, due = what, queues.timer[what] == time
        if not due:
            continue
        queues.timer[queue] = NONE
        if reactive:
            batch_by_pool(system, ledger, queues, events, factors, queue, time)
        else:
            batch_by_reservation(system, ledger, queues, events, factors, queue, time, path, other)


@compiled
def _finished(
    system: System,
    ledger: Ledger,
    queues: Queues,
    events: list[Event],
    factors: Floats,
    node: int,
    now: int,
    reactive: bool,
) -> int:
    """Mark what a pipeline's last partition has served, or pass a batch on; returns the queue that requests came to."""
    pool = ledger.node[node, POOL]
    # The end of a transfer serves no request; the inference after it does.
    if ledger.node[node, DOWNLINK] != NONE:
        return hand_over(system, ledger, queues, node, pool) if reactive else NONE
    # By reservation the next partition is entered already; a pool by itself has to be sent the batch.
    if pool + 1 < system.first_pool[system.pipeline_of[pool] + 1]:
        if not reactive:
            return NONE
        if system.transfer[pool + 1, ledger.node[node, COUNT]] == 0:
            return hand_over(system, ledger, queues, node, pool + 1)
        send(system, ledger, events, factors, node, now)
        return NONE
    for place in range(ledger.node[node, FIRST], ledger.node[node, FIRST] + ledger.node[node, COUNT]):
        request = queues.item[place]
        limit = queues.arrival[request] + system.slo[queues.model[request]]
        queues.outcome[request] = SERVED if now <= limit else LATE
        queues.finish[request] = now
    return NONE
