"""The reactive scheduler (PPipe §7.4): every pool batches by itself and knows nothing of the links (compiled).

A pool takes its virtual GPU that is free first and the largest batch, up to the planned one, that leaves the planned
latencies and transfers of the later pools before the deadline of its oldest request. A model's first pools draw from
one queue; waiting is as in Algorithm 1. The paper gives the idea in two sentences. Its observations and the authors'
published simulator settle the open points:

- Of the free virtual GPUs, a pool takes the one that became free first.
- A batch that ends is sent over its server's uplink at once. The next pool takes its requests when the
  transfer is over; slow transfers make it drop requests, as the paper observes. The receiver is not known before the
  next pool has batched the requests, so that a transfer takes no downlink.
- A request that comes to the head of a queue too late for a batch of the planned size is dropped, "in order for the
  remaining requests to meet their SLOs": the early drop of Nexus, the paper's [47]. If the pool has waited for others,
  the request goes in the largest batch that is in time.
"""

from __future__ import annotations

from heapq import heappush

from euclio.core.compiled import compiled
from euclio.serving.pipeline import resources as r
from euclio.serving.pipeline.resources import (
    Event,
    Ledger,
    Queues,
    begin_if_possible,
    deadline_of,
    drop_first,
    free_at,
    mark_reserved,
    new_node,
    oldest,
    take,
    waiting,
)
from euclio.serving.pipeline.system import System


@compiled
def send(system: System, ledger: Ledger, events: list[Event], node: int, now: int) -> None:
    """Send an ended batch towards the next pool over the uplink of its server, after earlier transfers there."""
    pool, count = ledger.node[node, r.POOL] + 1, ledger.node[node, r.COUNT]
    length = system.transfer[pool, count]
    link = new_node(ledger, pool, ledger.node[node, r.FIRST], count, ledger.node[node, r.BATCH], length)
    ledger.node[link, r.START], ledger.node[link, r.END] = now, now + length
    ledger.node[link, r.READY], ledger.node[link, r.DOWNLINK] = now, r.ANY
    mark_reserved(ledger, link, 0, system.uplink[ledger.node[node, r.RESOURCE]])
    begin_if_possible(ledger, events, link, now, False)


@compiled
def hand_over(system: System, ledger: Ledger, queues: Queues, node: int, pool: int) -> int:
    """Put the requests of a node, which has ended, into the queue of a pool, and return that queue."""
    queue = system.slo.size + pool
    for place in range(ledger.node[node, r.FIRST], ledger.node[node, r.FIRST] + ledger.node[node, r.COUNT]):
        queues.item[queues.base[queue] + queues.last[queue]] = queues.item[place]
        queues.last[queue] += 1
    return int(queue)


@compiled
def batch_by_pool(system: System, ledger: Ledger, queues: Queues, events: list[Event], queue: int, now: int) -> None:
    """Batch the requests of a queue until it is empty or waits."""
    while waiting(queues, queue) > 0:
        pool, gpu, free = _first_free(system, ledger, queue, now)
        limit = (deadline_of(system, queues, queue) - system.after[pool]) if pool >= 0 else now
        planned = system.batch[system.pipeline_of[pool]] if pool >= 0 else 0
        size, end, idle = planned, now, max(0, free - now)
        while size > 0:
            end = max(now, free) + system.latency[pool, size]
            # From the planned size down, so the first that is in time is the largest.
            if end <= limit:
                break
            size -= 1
        if size == 0 or (size < planned and queues.waited[queue] != oldest(queues, queue)):
            # No batch serves it, or only one that takes time from the requests behind it.
            drop_first(queues, queue)
        elif waiting(queues, queue) < size:
            queues.wanted[queue], queues.waited[queue] = size, oldest(queues, queue)
            # One tick after the last moment at which a batch of this size is in time: from then on, a smaller one is
            # chosen.
            queues.timer[queue] = now + limit - end + idle + 1
            heappush(events, (queues.timer[queue], r.TIMER, queue))
            return
        else:
            first, batch = take(queues, queue, size), ledger.totals[r.BATCHES]
            node = new_node(ledger, pool, first, size, batch, system.latency[pool, size])
            ledger.totals[r.BATCHES] += 1
            ledger.node[node, r.START], ledger.node[node, r.END] = end - ledger.node[node, r.ESTIMATE], end
            ledger.node[node, r.READY] = now
            mark_reserved(ledger, node, 0, gpu)
            begin_if_possible(ledger, events, node, now, False)
    queues.wanted[queue] = 1


@compiled
def _first_free(system: System, ledger: Ledger, queue: int, now: int) -> tuple[int, int, int]:
    """Pool, virtual GPU and the time when it is free, over the pools that draw from a queue; -1 if there is none."""
    models = system.slo.size
    found, earliest = (r.NONE, r.NONE, now), 1 << 62
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
            # Of those that are free already, the one that has been free for longest.
            since = free_at(ledger, gpu, now) if ledger.head[gpu] >= 0 else ledger.freed[gpu]
            # Strictly earlier: ties go to the first virtual GPU in order.
            if since < earliest:
                found, earliest = (pool, gpu, max(now, since)), since
    return found
