"""Reservation tables: the uses of each virtual GPU and each link over time (PPipe §5.4, appendix A.3; compiled).

A node is one use: a partition's inference on a virtual GPU, or a transfer over an uplink and a downlink at once. If the
receiver is not known yet, a transfer takes its uplink alone. Every resource has a list of its nodes in the order of
their start.
"""

from __future__ import annotations

from heapq import heappush
from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.serving.pipeline.system import System
from euclio.serving.requests import DROPPED
from euclio.serving.units import Floats, Ints

NONE = -1
ANY = -2
"""Downlink of a transfer whose receiver is not known at its start: it takes its uplink alone."""
WAITING, RUNNING, DONE = 0, 1, 2


class Ledger(NamedTuple):
    """All uses of all resources, as planned until they happen; times in nanoseconds."""

    head: Ints  # first node that has not ended, per resource; -1 if there is none
    node: Ints  # one row per node, shape (nodes, columns); the columns are named by the constants of this module
    totals: Ints  # nodes, batches, calls of probe(), shape (3,)
    freed: Ints  # when each resource last ended a use; 0 if it has not
    factors: Floats  # real over expected durations, used in turn


NODES, BATCHES, PROBES = range(3)
"""Entries of `Ledger.totals`."""

RESOURCE, DOWNLINK = 0, 1
"""Virtual GPU of an inference or uplink of a transfer; downlink of a transfer or `ANY`, -1 for an inference."""
NEXT = 2
"""The next node on the first resource; in the next column, the one on the second; -1 if there is none."""
START, END, ESTIMATE, READY = 4, 5, 6, 7
"""Begin, end, expected duration; the time when all its inputs were there."""
PENDING, SUCCESSOR, STATE = 8, 9, 10
"""Nodes that must end before it; the node that waits for it, -1 for none; WAITING, RUNNING or DONE."""
POOL, FIRST, COUNT, BATCH = 11, 12, 13, 14
"""Pool that infers or is sent to; where its requests stand in the queues, how many; number of the batch."""
COLUMNS = 15


def new_ledger(resources: int, most_nodes: int, factors: Floats) -> Ledger:
    """An empty ledger; memory of nodes is not touched before they are used."""
    node = np.empty((most_nodes, COLUMNS), np.int64)
    head, freed = np.full(resources, NONE, np.int64), np.zeros(resources, np.int64)
    return Ledger(head, node, np.zeros(3, np.int64), freed, factors)


@compiled
def new_node(ledger: Ledger, pool: int, first: int, count: int, batch: int, estimate: int) -> int:
    """A node without resources."""
    node = ledger.totals[NODES]
    ledger.totals[NODES] += 1
    ledger.node[node] = NONE
    ledger.node[node, POOL], ledger.node[node, FIRST] = pool, first
    ledger.node[node, COUNT], ledger.node[node, BATCH] = count, batch
    ledger.node[node, ESTIMATE], ledger.node[node, PENDING], ledger.node[node, STATE] = estimate, 0, WAITING
    return int(node)


@compiled
def side_of(ledger: Ledger, node: int, resource: int) -> int:
    """Which of a node's two resources this is."""
    return 0 if ledger.node[node, RESOURCE] == resource else 1


@compiled
def earliest_slot(ledger: Ledger, resource: int, time: int, length: int) -> int:
    """The earliest time, no earlier than `time`, when a resource is free for `length` (A.3, `earliestSlot`)."""
    node = ledger.head[resource]
    # The gap before this node is too short: look behind it.
    while node >= 0 and ledger.node[node, START] - time < length:
        time = max(time, ledger.node[node, END])
        node = ledger.node[node, NEXT + side_of(ledger, node, resource)]
    return time


@compiled
def earliest_common_slot(ledger: Ledger, one: int, other: int, time: int, length: int) -> int:
    """The earliest time, no earlier than `time`, when two resources are both free for `length`, in nanoseconds."""
    while True:
        later = earliest_slot(ledger, other, earliest_slot(ledger, one, time, length), length)
        # Neither resource moved the time, so both are free then.
        if later == time:
            return time
        time = later


@compiled
def mark_reserved(ledger: Ledger, node: int, side: int, resource: int) -> None:
    """Enter a node, whose start is set, into the list of a resource (A.3, `markReserved`)."""
    ledger.node[node, RESOURCE + side] = resource
    before, after = NONE, ledger.head[resource]
    # Equal starts keep the order in which they were entered.
    while after >= 0 and ledger.node[after, START] <= ledger.node[node, START]:
        before, after = after, ledger.node[after, NEXT + side_of(ledger, after, resource)]
    ledger.node[node, NEXT + side] = after
    if before < 0:
        ledger.head[resource] = node
    else:
        ledger.node[before, NEXT + side_of(ledger, before, resource)] = node


@compiled
def free_at(ledger: Ledger, resource: int, now: int) -> int:
    """When a resource has done all its entered nodes, if none is late from now on."""
    time, node = now, ledger.head[resource]
    while node >= 0:
        # A running node ends as entered; a waiting one begins once all before it have ended.
        if ledger.node[node, STATE] == RUNNING:
            time = max(time, ledger.node[node, END])
        else:
            time = max(time, ledger.node[node, START]) + ledger.node[node, ESTIMATE]
        node = ledger.node[node, NEXT + side_of(ledger, node, resource)]
    return time


# The real course of entered nodes: begin, end, and the report back to the tables (PPipe §5.4; compiled).  A node begins
# as soon as its inputs are there and it is first in the lists of its resources. If its times differ from the plan, the
# tables take the real ones, and later nodes move back if they must (feedback correction).

ENDS, TIMER = 0, 2
"""Kinds of events; at equal times, ends come first, then arrivals (1), then timers."""
Event = tuple[int, int, int]
"""Time, kind, and node or queue."""


@compiled
def begin_if_possible(ledger: Ledger, events: list[Event], node: int, now: int, links: bool) -> None:
    """Begin a node unless it has begun, or must wait for an input or a resource; -1 stands for no node.

    Its end is added to the events. `links` states whether delays are tracked through links.
    """
    # It has begun, or the input that is missing calls again when it ends.
    if node < 0 or ledger.node[node, STATE] != WAITING or ledger.node[node, PENDING] > 0:
        return
    one, other = ledger.node[node, RESOURCE], ledger.node[node, DOWNLINK]
    # Resources are used in the order of the tables: another node comes before it.
    if ledger.head[one] != node or (other >= 0 and ledger.head[other] != node):
        return
    ledger.node[node, STATE] = RUNNING
    # Not at the planned time: the tables take the real one, and followers keep behind it.
    if ledger.node[node, START] != now:
        ledger.node[node, START], ledger.node[node, END] = now, now + ledger.node[node, ESTIMATE]
        move_followers(ledger, node, links)
    # Whole nanoseconds, and at least one, so that time always goes on.
    length = max(1, round(ledger.node[node, ESTIMATE] * ledger.factors[node % ledger.factors.size]))
    heappush(events, (now + length, ENDS, node))


@compiled
def finish(ledger: Ledger, events: list[Event], node: int, now: int, links: bool) -> None:
    """End a node, report it, and begin the nodes that waited for it."""
    reported = ledger.node[node, END]
    ledger.node[node, END], ledger.node[node, STATE] = now, DONE
    for side in range(2):
        resource = ledger.node[node, RESOURCE + side]
        if resource >= 0:
            ledger.head[resource], ledger.freed[resource] = ledger.node[node, NEXT + side], now
    # Only a delay moves others back; after an early end they begin by themselves.
    if now > reported:
        move_followers(ledger, node, links)
    successor = ledger.node[node, SUCCESSOR]
    if successor >= 0:
        ledger.node[successor, PENDING] -= 1
        if ledger.node[successor, PENDING] == 0:
            ledger.node[successor, READY] = now
    for side in range(2):
        begin_if_possible(ledger, events, ledger.node[node, NEXT + side], now, links)
    begin_if_possible(ledger, events, successor, now, links)


@compiled
def move_followers(ledger: Ledger, node: int, links: bool) -> None:
    """Move back the nodes that cannot begin as planned because a node ends later, in the same order."""
    late = [(node, ledger.node[node, END])]
    while late:
        cause, time = late.pop()
        for way in range(3):
            if way == 2:
                follower = ledger.node[cause, SUCCESSOR]
            else:
                follower = ledger.node[cause, NEXT + way] if links or ledger.node[cause, DOWNLINK] == NONE else NONE
            # A node that was to begin later anyway stops the delay.
            if follower >= 0 and ledger.node[follower, STATE] == WAITING and ledger.node[follower, START] < time:
                ledger.node[follower, START] = time
                ledger.node[follower, END] = time + ledger.node[follower, ESTIMATE]
                late.append((follower, ledger.node[follower, END]))


# Queues of requests that wait to be batched (compiled).


class Queues(NamedTuple):
    """One queue per model, then one per pool that is not first in its pipeline (pools that batch by themselves)."""

    base: Ints  # start of each queue in `item`, shape (queues,), as the next ones
    first: Ints  # its oldest pending entry, from 0
    last: Ints  # one past its youngest
    wanted: Ints  # pending requests at which its scheduler looks again
    timer: Ints  # when it looks again otherwise
    waited: Ints  # the oldest request with which its scheduler has waited for others; -1 for none
    item: Ints  # requests, queue by queue
    model_of: Ints  # model of each queue
    model: Ints  # model of each request, shape (requests,)
    arrival: Ints  # arrival of each request in nanoseconds, model by model, shape (requests,)
    outcome: Ints  # PENDING, SERVED, LATE or DROPPED, shape (requests,)
    finish: Ints  # when each request was served, in nanoseconds, shape (requests,); -1 if it was not


def new_queues(system: System, arrivals: list[Ints], per_pool: bool) -> Queues:
    """Empty queues for the arrivals of each model; `per_pool` adds those of the pools."""
    sizes = [len(a) for a in arrivals]
    models = list(range(len(arrivals)))
    if per_pool:
        models += [int(system.model_of[p]) for p in system.pipeline_of]
    lengths = [sizes[m] for m in models]
    starts = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    total = sum(sizes)
    item = np.empty(starts[-1], np.int64)
    item[:total] = np.arange(total)
    zero = np.zeros(len(models), np.int64)
    return Queues(
        starts[:-1],
        zero,
        zero.copy(),
        np.ones_like(zero),
        np.full_like(zero, -1),
        np.full_like(zero, -1),
        item,
        np.array(models, np.int64),
        np.repeat(np.arange(len(sizes)), sizes).astype(np.int64),
        np.concatenate([*arrivals, np.zeros(0, np.int64)]),
        np.zeros(total, np.int64),
        np.full(total, -1, np.int64),
    )


@compiled
def waiting(queues: Queues, queue: int) -> int:
    """Pending requests of a queue."""
    return int(queues.last[queue] - queues.first[queue])


@compiled
def oldest(queues: Queues, queue: int) -> int:
    """The oldest pending request."""
    return int(queues.item[queues.base[queue] + queues.first[queue]])


@compiled
def deadline_of(system: System, queues: Queues, queue: int) -> int:
    """When the oldest pending request has to be served."""
    return int(queues.arrival[oldest(queues, queue)] + system.slo[queues.model_of[queue]])


@compiled
def drop_first(queues: Queues, queue: int) -> None:
    """Drop the oldest pending request."""
    queues.outcome[oldest(queues, queue)] = DROPPED
    queues.first[queue] += 1


@compiled
def take(queues: Queues, queue: int, size: int) -> int:
    """Take the oldest requests; returns the place in `item` of the first, which the others follow."""
    place = queues.base[queue] + queues.first[queue]
    queues.first[queue] += size
    return int(place)
