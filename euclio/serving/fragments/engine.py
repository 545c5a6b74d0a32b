"""The loop over a queue's batches (compiled).

Nothing that happens at a stage changes what reaches it, so that stages are simulated one after the other, own ones
before the shared one behind them, and each queue by itself.
"""

from __future__ import annotations

from heapq import heapreplace

from euclio.core.compiled import compiled
from euclio.serving.requests import DROPPED
from euclio.serving.units import Floats, Ints

INSTANCE, REQUESTS, START, END = range(4)
"""Columns of a table of executions."""
COLUMNS = 4


@compiled
def serve_queue(
    queue: Ints,
    ready: Ints,
    deadline: Ints,
    latency: Ints,
    least: int,
    drops: bool,
    first_instance: int,
    instances: int,
    factors: Floats,
    number: int,
    start: Ints,
    end: Ints,
    outcome: Ints,
    executions: Ints,
) -> int:
    """Serve a queue, and return how many batches that took; times are in nanoseconds.

    An instance that is free takes what is there, up to the batch size. It never waits for more: the plan counts at most
    one execution of waiting, and at low rates a batch takes longer than that to fill.

    Args:
        queue: requests in the order in which they become ready.
        ready: when each request can be taken, shape (all requests,).
        deadline: when each has to have passed the last layer, shape (all requests,).
        latency: expected execution time of a batch by its size, shape (batch size + 1,).
        least: the least that a request takes from here to the last layer.
        drops: whether requests are dropped that cannot keep their deadline.
        first_instance: number of the first instance that draws from the queue.
        instances: how many do.
        factors: real over expected durations, used in turn.
        number: batches of other queues before, from which on factors are taken.
        start: gets the begin of each request's execution, shape (all requests,).
        end: gets its end, shape (all requests,).
        outcome: gets DROPPED where a request is dropped, shape (all requests,).
        executions: gets a row per batch, shape (at least the requests of the queue, COLUMNS).
    """
    most = latency.size - 1
    # Equal times are a heap already. The instance that is free for the longest comes first, then the first in order.
    free = [(0, first_instance + k) for k in range(instances)]
    place, done = 0, 0
    while place < queue.size:
        idle_since, instance = free[0]
        now = max(idle_since, ready[queue[place]])
        behind, size = place, 0
        # What becomes ready at this very moment is there.
        while behind < queue.size and size < most and ready[queue[behind]] <= now:
            # Not even a batch of its own here, and at once in what follows, would be in time.
            if drops and now + least > deadline[queue[behind]]:
                outcome[queue[behind]] = DROPPED
            else:
                size += 1
            behind += 1
        # If all were dropped, the instance is free for those that come next.
        if size > 0:
            # Whole nanoseconds, and at least one, so that time always goes on.
            until = now + max(1, round(latency[size] * factors[(number + done) % factors.size]))
            for k in range(place, behind):
                if outcome[queue[k]] != DROPPED:
                    start[queue[k]], end[queue[k]] = now, until
            executions[done, INSTANCE], executions[done, REQUESTS] = instance, size
            executions[done, START], executions[done, END] = now, until
            done += 1
            heapreplace(free, (until, instance))
        place = behind
    return done
