"""Resource reservation-based adaptive batching (PPipe §5.4, appendix A.3, Algorithms 1 and 2; compiled).

The code follows the printed pseudocode line by line, and corrects its slips by the text. It does not probe a batch of 0
requests (line 13 counts down to 0). Lines 20 to 27 print bs and r, and mean bs* and resv*. Line 14 probes the unified
batch size once more, with the result of line 7. The code counts that call without making it.

"Till requests are about to miss deadline" (line 23) is the last moment at which a full batch of bs* requests still
meets it. Then, or when bs* requests are waiting, the algorithm starts over.

Two rules are not in the paper, but in the authors' published simulator. Without them, plans that links or whole-model
pipelines bound do not reach full load. A pipeline of unified batch 1 that cannot meet the deadline comes after all
others in line 8. Otherwise the oldest request is dropped although another pipeline can serve it. And `probe` compares
virtual GPUs by the time when the batch can leave them, which is when their uplink is free: otherwise the first servers'
uplinks are loaded while others are idle.
"""

from __future__ import annotations

from heapq import heappush
from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.serving.pipeline import resources as r
from euclio.serving.pipeline.resources import (
    Event,
    Ledger,
    Queues,
    begin_if_possible,
    deadline_of,
    drop_first,
    earliest_common_slot,
    earliest_slot,
    mark_reserved,
    new_node,
    take,
    waiting,
)
from euclio.serving.pipeline.system import System
from euclio.serving.units import Ints

NEVER = 1 << 62


class Path(NamedTuple):
    """A pipeline path and its reservations, by partition: virtual GPU, start of the transfer into it, its start."""

    gpu: Ints
    sent: Ints
    start: Ints


def new_path(partitions: int) -> Path:
    """An empty path."""
    return Path(*(np.full(partitions, r.NONE, np.int64) for _ in range(3)))


@compiled
def probe(system: System, ledger: Ledger, pipeline: int, size: int, now: int, path: Path) -> tuple[int, int]:
    """Algorithm 2: a path for a batch, greedily the earliest end of each partition.

    Args:
        system: cluster and plan.
        ledger: reservation tables.
        pipeline: the assumed pooled pipeline.
        size: batch size.
        now: time.
        path: the result is written here.

    Returns:
        End of the last partition, and time spent waiting for resources.
    """
    ledger.totals[r.PROBES] += 1
    t_g, waited, last = now, 0, r.NONE
    first_pool, end_pool = system.first_pool[pipeline], system.first_pool[pipeline + 1]
    for pool in range(first_pool, end_pool):
        k = pool - first_pool
        l_n, l_i = system.transfer[pool, size], system.latency[pool, size]
        onward = system.transfer[pool + 1, size] if pool + 1 < end_pool else 0
        soonest, earliest, best = t_g + l_n + l_i, NEVER, NEVER
        for gpu in range(system.first_gpu[pool], system.first_gpu[pool + 1]):
            t, sent = t_g, r.NONE
            if l_n > 0:
                if earliest_slot(ledger, gpu, t + l_n, l_i) + l_i >= best:  # too late however soon the transfer is
                    continue
                sent = earliest_common_slot(ledger, system.uplink[last], system.downlink[gpu], t, l_n)
                t = sent + l_n
            start = earliest_slot(ledger, gpu, t, l_i)
            t = start + l_i
            # It leaves after the best one so far, even if its uplink is free.
            if t >= best:
                continue
            passed_on = earliest_slot(ledger, system.uplink[gpu], t, onward) if onward > 0 else t
            # Strictly earlier: ties go to the first virtual GPU in order.
            if passed_on < best:
                best, earliest = passed_on, t
                path.gpu[k], path.sent[k], path.start[k] = gpu, sent, start
                if passed_on == soonest:  # no other virtual GPU can be earlier
                    break
        waited += earliest - soonest
        t_g, last = earliest, path.gpu[k]
    return t_g, waited


@compiled
def reserve(system: System, ledger: Ledger, pipeline: int, path: Path, first: int, size: int, now: int) -> int:
    """Algorithm 2, lines 30-32: enter a path into the tables; returns the node of the first partition."""
    batch = ledger.totals[r.BATCHES]
    ledger.totals[r.BATCHES] += 1
    first_pool = system.first_pool[pipeline]
    entered, last = r.NONE, r.NONE
    for pool in range(first_pool, system.first_pool[pipeline + 1]):
        k = pool - first_pool
        if path.sent[k] >= 0:
            link = new_node(ledger, pool, first, size, batch, system.transfer[pool, size])
            _plan(ledger, link, path.sent[k], last)
            mark_reserved(ledger, link, 0, system.uplink[path.gpu[k - 1]])
            mark_reserved(ledger, link, 1, system.downlink[path.gpu[k]])
            last = link
        node = new_node(ledger, pool, first, size, batch, system.latency[pool, size])
        _plan(ledger, node, path.start[k], last)
        mark_reserved(ledger, node, 0, path.gpu[k])
        if last < 0:
            entered = node
            ledger.node[node, r.READY] = now
        last = node
    return entered


@compiled
def _plan(ledger: Ledger, node: int, start: int, after: int) -> None:
    ledger.node[node, r.START], ledger.node[node, r.END] = start, start + ledger.node[node, r.ESTIMATE]
    if after >= 0:
        ledger.node[after, r.SUCCESSOR] = node
        ledger.node[node, r.PENDING] = 1


@compiled
def batch_by_reservation(
    system: System, ledger: Ledger, queues: Queues, events: list[Event], model: int, now: int, path: Path, other: Path
) -> None:
    """Algorithm 1 for the queue of a model, until it is empty or waits; `path` and `other` are overwritten."""
    while waiting(queues, model) > 0:
        deadline = deadline_of(system, queues, model)
        # Lines 5-9: the pooled pipeline with the shortest waiting time at its unified batch size.
        chosen, shortest, finish = r.NONE, NEVER, NEVER
        for pipeline in range(system.first_pipeline[model], system.first_pipeline[model + 1]):
            end, waited = probe(system, ledger, pipeline, system.batch[pipeline], now, other)
            if end > deadline and system.batch[pipeline] == 1:
                waited += system.slo[model]  # after all that can be of use
            # Strictly shorter: ties go to the first pipeline in order.
            if waited < shortest:
                chosen, shortest, finish = pipeline, waited, end
                path, other = other, path
        # Lines 12-17: the largest batch that meets the deadline of the oldest request.
        size = system.batch[chosen] if chosen >= 0 else 0
        ledger.totals[r.PROBES] += size > 0
        while size > 0 and finish > deadline:
            size -= 1
            if size > 0:
                finish, shortest = probe(system, ledger, chosen, size, now, path)
        # Lines 20-27: drop, wait or dispatch.
        if size == 0:
            drop_first(queues, model)
        elif waiting(queues, model) < size:
            queues.wanted[model] = size
            # One tick after the last moment at which the awaited batch still meets the deadline.
            queues.timer[model] = now + deadline - finish + shortest + 1
            heappush(events, (queues.timer[model], r.TIMER, model))
            return
        else:
            first = take(queues, model, size)
            node = reserve(system, ledger, chosen, path, first, size, now)
            begin_if_possible(ledger, events, node, now, True)
    queues.wanted[model] = 1
