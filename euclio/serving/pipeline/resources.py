"""Reservation tables: for each virtual GPU and each link, who uses it when (PPipe §5.4, appendix A.3; compiled).

A node is one use: a partition's inference on a virtual GPU, or a transfer over an uplink and a downlink at once, or
over an uplink alone where nobody knows yet who receives. Every resource has its nodes in a list in the order of their
start.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.serving.units import Ints

NONE = -1
ANY = -2
"""Downlink of a transfer whose receiver is not known when it begins: it takes its uplink alone."""
WAITING, RUNNING, DONE = 0, 1, 2


class Ledger(NamedTuple):
    """All uses of all resources, as planned until they happen; times in nanoseconds.

    Attributes:
        head: first node that has not ended, per resource; -1: none.
        node: one row per node, shape (nodes, columns); the columns are named by the constants of this module.
        totals: nodes, batches, calls of probe(), shape (3,).
        freed: when each resource last ended a use; 0: it has not.
    """

    head: Ints
    node: Ints
    totals: Ints
    freed: Ints


NODES, BATCHES, PROBES = range(3)
"""Entries of `Ledger.totals`."""

RESOURCE, DOWNLINK = 0, 1
"""Virtual GPU of an inference or uplink of a transfer; downlink of a transfer or `ANY`, -1 for an inference."""
NEXT = 2
"""The node after on the first resource; in the next column, that on the second; -1: none."""
START, END, ESTIMATE, READY = 4, 5, 6, 7
"""Begin, end, expected duration; when all that it waits for was there, apart from its resources."""
PENDING, SUCCESSOR, STATE = 8, 9, 10
"""Nodes that have to end before it; the node that waits for it, -1: none; WAITING, RUNNING or DONE."""
POOL, FIRST, COUNT, BATCH = 11, 12, 13, 14
"""Pool that infers or is sent to; where its requests stand in the queues, how many; number of the batch."""
COLUMNS = 15


def new_ledger(resources: int, most_nodes: int) -> Ledger:
    """An empty ledger; memory of nodes is not touched before they are used."""
    node = np.empty((most_nodes, COLUMNS), np.int64)
    return Ledger(np.full(resources, NONE, np.int64), node, np.zeros(3, np.int64), np.zeros(resources, np.int64))


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
    """When a resource has done all that is entered, if nothing is late from now on."""
    time, node = now, ledger.head[resource]
    while node >= 0:
        # What runs ends as entered; what waits begins once all before it has ended.
        if ledger.node[node, STATE] == RUNNING:
            time = max(time, ledger.node[node, END])
        else:
            time = max(time, ledger.node[node, START]) + ledger.node[node, ESTIMATE]
        node = ledger.node[node, NEXT + side_of(ledger, node, resource)]
    return time
