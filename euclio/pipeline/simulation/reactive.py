"""The reactive scheduler (PPipe §7.4): every pool batches by itself and knows nothing of the links (compiled).

A pool takes its virtual GPU that is free first and the largest batch, up to the planned one, that leaves the planned
latencies and transfers of the later pools before the deadline of its oldest request. The paper gives the idea in a
sentence; waiting and dropping are as in Algorithm 1. A model's first pools draw from one queue.
"""

from __future__ import annotations

from heapq import heappush

from euclio.core.compiled import compiled
from euclio.pipeline.simulation.execution import TIMER, Event, begin_if_possible
from euclio.pipeline.simulation.queues import Queues, deadline_of, drop_first, take, waiting
from euclio.pipeline.simulation.resources import (
    BATCHES,
    COUNT,
    END,
    ESTIMATE,
    FIRST,
    NONE,
    PENDING,
    POOL,
    READY,
    RESOURCE,
    START,
    SUCCESSOR,
    Ledger,
    free_at,
    mark_reserved,
    new_node,
)
from euclio.pipeline.simulation.system import System
from euclio.simulation.units import Floats


@compiled
def hand_over(system: System, ledger: Ledger, queues: Queues, node: int) -> int:
    """Put the requests of an ended batch into the queue of the next pool, and return that queue."""
    queue = system.slo.size + ledger.node[node, POOL] + 1
    for place in range(ledger.node[node, FIRST], ledger.node[node, FIRST] + ledger.node[node, COUNT]):
        entry = queues.base[queue] + queues.last[queue]
        queues.item[entry], queues.source[entry] = queues.item[place], node
        queues.last[queue] += 1
    return int(queue)


@compiled
def batch_by_pool(
    system: System, ledger: Ledger, queues: Queues, events: list[Event], factors: Floats, queue: int, now: int
) -> None:
    """Batch the requests of a queue until it is empty or waits."""
    while waiting(queues, queue) > 0:
        pool, gpu, free = _first_free(system, ledger, queue, now)
        limit = (deadline_of(system, queues, queue) - system.after[pool]) if pool >= 0 else now
        size, end, idle = (system.batch[system.pipeline_of[pool]] if pool >= 0 else 0), now, 0
        while size > 0:
            there = now + system.transfer[pool, size]
            end, idle = max(there, free) + system.latency[pool, size], max(0, free - there)
            # From the planned size down, so the first that is in time is the largest.
            if end <= limit:
                break
            size -= 1
        if size == 0:
            # Not even a batch of its own would serve the oldest request in time.
            drop_first(queues, queue)
        elif waiting(queues, queue) < size:
            queues.wanted[queue] = size
            # One tick after the last moment at which a batch of this size is in time: then a smaller one is chosen.
            queues.timer[queue] = now + limit - end + idle + 1
            heappush(events, (queues.timer[queue], TIMER, queue))
            return
        else:
            _dispatch(system, ledger, queues, events, factors, queue, pool, gpu, size, end, now)
    queues.wanted[queue] = 1


@compiled
def _first_free(system: System, ledger: Ledger, queue: int, now: int) -> tuple[int, int, int]:
    """Pool, virtual GPU and when it is free, over the pools that draw from a queue; -1: there is none."""
    models = system.slo.size
    found = (NONE, NONE, 1 << 62)
    if queue >= models:
        first, last, is_front = queue - models, queue - models + 1, False
    else:
        first, last = (
            system.first_pool[system.first_pipeline[queue]],
            system.first_pool[system.first_pipeline[queue + 1]],
        )
        is_front = True
    for pool in range(first, last):
        # Requests from outside enter at the first pool of a pipeline.
        if is_front and system.first_pool[system.pipeline_of[pool]] != pool:
            continue
        for gpu in range(system.first_gpu[pool], system.first_gpu[pool + 1]):
            free = free_at(ledger, gpu, now)
            # Strictly earlier: ties go to the first virtual GPU in order.
            if free < found[2]:
                found = (pool, gpu, free)
                # None is free earlier than now.
                if free == now:
                    return found
    return found


@compiled
def _dispatch(
    system: System,
    ledger: Ledger,
    queues: Queues,
    events: list[Event],
    factors: Floats,
    queue: int,
    pool: int,
    gpu: int,
    size: int,
    end: int,
    now: int,
) -> None:
    """Send a batch to a virtual GPU: one transfer per batch that its requests come from, then the inference."""
    batch = ledger.totals[BATCHES]
    ledger.totals[BATCHES] += 1
    place = take(queues, queue, size)
    node = new_node(ledger, pool, place, size, batch, system.latency[pool, size])
    ledger.node[node, START], ledger.node[node, END] = end - ledger.node[node, ESTIMATE], end
    ledger.node[node, READY] = now
    mark_reserved(ledger, node, 0, gpu)
    first = place
    while first < place + size and system.transfer[pool, size] > 0:
        source, count = queues.source[first], 1
        # Requests that come from one GPU travel in one transfer.
        while first + count < place + size and queues.source[first + count] == source:
            count += 1
        link = new_node(ledger, pool, first, count, batch, system.transfer[pool, count])
        ledger.node[link, START], ledger.node[link, END] = now, now + ledger.node[link, ESTIMATE]
        ledger.node[link, READY], ledger.node[link, SUCCESSOR] = now, node
        ledger.node[node, PENDING] += 1
        mark_reserved(ledger, link, 0, system.uplink[ledger.node[source, RESOURCE]])
        mark_reserved(ledger, link, 1, system.downlink[gpu])
        begin_if_possible(ledger, events, factors, link, now, False)
        first += count
    begin_if_possible(ledger, events, factors, node, now, False)
