"""What really happens to entered nodes: begin, end, and the report back to the tables (PPipe §5.4; compiled).

A node begins as soon as its inputs are there and it is first in the lists of its resources. Where its times differ from
the plan, the tables take the real ones, and what follows moves back if it must (feedback correction).
"""

from __future__ import annotations

from heapq import heappush

from euclio.core.compiled import compiled
from euclio.serving.pipeline.resources import (
    DONE,
    DOWNLINK,
    END,
    ESTIMATE,
    NEXT,
    NONE,
    PENDING,
    READY,
    RESOURCE,
    RUNNING,
    START,
    STATE,
    SUCCESSOR,
    WAITING,
    Ledger,
)
from euclio.serving.units import Floats

ENDS, TIMER = 0, 2
"""Kinds of events; at the same time, what ends goes first, then arrivals (1), then timers."""

Event = tuple[int, int, int]
"""Time, kind, and node or queue."""


@compiled
def begin_if_possible(ledger: Ledger, events: list[Event], factors: Floats, node: int, now: int, links: bool) -> None:
    """Let a node begin unless it has, or has to wait for an input or a resource; -1: no node.

    Args:
        ledger: the tables.
        events: coming events; its end is added.
        factors: real over expected durations, used in turn.
        node: the node.
        now: time.
        links: whether delays are tracked through links.
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
    length = max(1, round(ledger.node[node, ESTIMATE] * factors[node % factors.size]))
    heappush(events, (now + length, ENDS, node))


@compiled
def finish(ledger: Ledger, events: list[Event], factors: Floats, node: int, now: int, links: bool) -> None:
    """End a node, report it, and let begin what waited for it."""
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
        begin_if_possible(ledger, events, factors, ledger.node[node, NEXT + side], now, links)
    begin_if_possible(ledger, events, factors, successor, now, links)


@compiled
def move_followers(ledger: Ledger, node: int, links: bool) -> None:
    """Move back what cannot begin as planned because a node ends later; order stays as it is."""
    late = [(node, ledger.node[node, END])]
    while late:
        cause, time = late.pop()
        for way in range(3):
            if way == 2:
                follower = ledger.node[cause, SUCCESSOR]
            else:
                follower = ledger.node[cause, NEXT + way] if links or ledger.node[cause, DOWNLINK] == NONE else NONE
            # One that was to begin later anyway stops the delay there.
            if follower >= 0 and ledger.node[follower, STATE] == WAITING and ledger.node[follower, START] < time:
                ledger.node[follower, START] = time
                ledger.node[follower, END] = time + ledger.node[follower, ESTIMATE]
                late.append((follower, ledger.node[follower, END]))
