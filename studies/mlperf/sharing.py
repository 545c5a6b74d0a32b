"""One machine whose streams slow each other only while several are busy: execution by processor sharing (ours).

The session simulator cannot do this. It fixes the end of a batch at its start (`docs/model/serving.md`), since profiles
of e batches at a time are measured with e busy. Here the end moves with every start and end of another batch. Arrivals,
timeouts and factors of durations are the same as there. A test checks that both give the same latencies with one
stream.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from euclio.core.compiled import compiled
from euclio.serving.arrivals import duration_factors
from euclio.serving.units import NS_PER_S, Floats, Ints

NONE = -1.0
"""A time after all others."""


@dataclass(frozen=True, slots=True)
class Streams:
    """The streams of a machine.

    Attributes:
        number: batches that are executed at a time.
        alone_s: seconds of a batch of 1, 2, … inputs that runs alone.
        shares: what it uses of the machine then; together batches use no more than one machine.
        averaged: whether inputs of a batch vary independently, which divides its variation by the root of its size;
            else it varies like a single one.
        noise: coefficient of variation of single inputs.
        ahead: most batches that form while all streams are busy, and wait for one.
    """

    number: int
    alone_s: tuple[float, ...]
    shares: tuple[float, ...]
    averaged: bool
    noise: float
    ahead: int = 0

    def latencies_ns(self, arrivals: Ints, timeout_s: float, seed: int) -> tuple[Floats, int]:
        """Latencies of requests in nanoseconds, in the order in which they came, and the number of batches.

        Args:
            arrivals: times of the requests in nanoseconds, ascending.
            timeout_s: seconds that a batch waits for further requests; infinite means until it is full.
            seed: seed of the durations.
        """
        found = np.zeros(arrivals.size)
        factors = duration_factors(self.noise, seed)
        alone = np.array((0.0, *self.alone_s)) * NS_PER_S
        shares = np.array((0.0, *self.shares))
        batches = serve(
            arrivals.astype(np.float64),
            alone,
            shares,
            factors,
            0.5 if self.averaged else 0.0,
            self.number,
            self.ahead,
            timeout_s * NS_PER_S,
            found,
        )
        return found, int(batches)


@compiled
def serve(
    arrivals: Floats,
    alone: Floats,
    shares: Floats,
    factors: Floats,
    root: float,
    number: int,
    ahead: int,
    timeout: float,
    latencies: Floats,
) -> int:
    """Serve requests; writes their latencies and returns the number of batches.

    A free machine takes a batch when it is full, or when the timeout has passed since the later of two moments: a
    stream became free after none was, and the first waiting request came.

    Args:
        arrivals: ascending times, shape (requests,).
        alone: duration of a batch of 0, 1, … inputs on its own.
        shares: what it uses of the machine then.
        factors: factors of durations of single inputs, used in turn, one per batch.
        root: exponent of the batch's size that divides the variation.
        number: batches that are executed at a time.
        ahead: most batches that are formed and wait.
        timeout: time that a batch waits for further requests.
        latencies: shape (requests,), is written.
    """
    largest = alone.size - 1
    # Batches that were formed, in their order; the first `number` of them are executed.
    room = number + ahead
    begins, ends = np.zeros(room, np.int64), np.zeros(room, np.int64)
    left, used = np.zeros(room), np.zeros(room)
    now, free_since = 0.0, 0.0
    taken, come, formed, batches = 0, 0, 0, 0
    while taken < arrivals.size or formed > 0:
        executed = min(formed, number)
        # Batches that would use more than the machine slow each other alike.
        slowness = 0.0
        for k in range(executed):
            slowness += used[k]
        slowness = max(1.0, slowness)
        # The batch that ends first if nothing else happens before.
        first, at = -1, NONE
        for k in range(executed):
            end = now + left[k] * slowness
            if first < 0 or end < at:
                first, at = k, end
        # A batch starts where there is room and it is full or due, if no batch ends before that.
        starts = False
        if formed < room and taken < come:
            due = now
            # Once all requests have come and none can fill the batch, a stream takes the waiting ones.
            if come - taken < largest and (come < arrivals.size or timeout < np.inf):
                due = max(now, max(free_since, arrivals[taken]) + timeout)
            if at == NONE or due < at:
                starts, at = True, due
        # At equal times ends come first, then arrivals, then starts.
        comes = come < arrivals.size and (at == NONE or arrivals[come] < at or (starts and arrivals[come] == at))
        if comes:
            at = arrivals[come]
        # All batches in execution go on until the event, each slower by the factor of overbooking.
        for k in range(executed):
            left[k] -= (at - now) / slowness
        now = at
        if comes:
            come += 1
        elif starts:
            size = min(largest, come - taken)
            factor = 1.0 + (factors[batches % factors.size] - 1.0) / size**root
            begins[formed], ends[formed] = taken, taken + size
            left[formed], used[formed] = alone[size] * factor, shares[size]
            formed, taken, batches = formed + 1, taken + size, batches + 1
        else:
            # A batch ends. Its requests are done, and the batches behind it move up.
            for request in range(begins[first], ends[first]):
                latencies[request] = now - arrivals[request]
            if formed == room:
                free_since = now
            formed -= 1
            for k in range(first, formed):
                begins[k], ends[k], left[k], used[k] = begins[k + 1], ends[k + 1], left[k + 1], used[k + 1]
    return batches
