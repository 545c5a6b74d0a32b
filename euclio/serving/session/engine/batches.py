"""Machines: batches that are collected, closed and started (compiled)."""

from __future__ import annotations

from euclio.core.compiled import compiled_on_tables
from euclio.serving.histogram import bin_of
from euclio.serving.session.engine.tables import (
    ANSWER_ARRIVED,
    ANSWER_FINISHED,
    ANSWER_NUMBER,
    ANSWERED,
    ARRIVAL,
    ARRIVED,
    AVAILABLE,
    BATCH_HEAD,
    BATCH_TAIL,
    BATCHES,
    BUSY,
    CLOSED_LOOP,
    COMMITTED,
    COUNT,
    DROPPED,
    DROPPED_HERE,
    DROPS,
    DURATION_FIRST,
    END,
    EXPECTED_TIME,
    FAILED,
    FREE_BATCH,
    FREE_INVOCATION,
    FREE_REQUEST,
    HEAD,
    HOST,
    IN_HAND,
    IS_DROPPED,
    LAST_END,
    LATE,
    LEAST_AFTER,
    MODULE,
    MOST_WAITING,
    NEXT,
    NEXT_BATCH,
    NONE,
    NUMBER,
    ON,
    OPEN,
    OPENED,
    OUTSTANDING,
    PARENTS_LEFT,
    QUEUE,
    REQUEST,
    REQUESTS_IN_FLIGHT,
    REQUESTS_LOGGED,
    RUNNING,
    SIZE,
    SLO,
    SLOTS,
    SPACING,
    START,
    STARTS,
    TAIL,
    TICKS_PER_NS,
    TIME_OUT,
    TIMEOUT,
    TIMER,
    UNTIL_ARRIVALS,
    WAITING,
    WAKE,
    WAKING,
    WINDOW,
    WINDOW_ATTAINED,
    State,
    push,
)

# Requests in flight: how they end, and what is measured of them (compiled).


@compiled_on_tables
def measure(s: State, row: int, latency: int) -> None:
    """Count a latency in the histogram of a module, or in the last one, of requests."""
    # Most clocks tick nanoseconds, and dividing takes its time.
    latency_ns = latency // s.number[TICKS_PER_NS] if s.number[TICKS_PER_NS] > 1 else latency
    place, exponent = bin_of(latency_ns, s.guess[row])
    s.guess[row] = exponent
    s.histogram[row, place] += 1
    s.total[row] += latency
    if latency > s.largest[row]:
        s.largest[row] = latency


@compiled_on_tables
def answer(s: State, request: int, now: int) -> None:
    """End a request all of whose work is done, which it was when its last invocation ended."""
    latency = s.request[request, LAST_END] - s.request[request, ARRIVED]
    measure(s, s.module.shape[0], latency)
    s.number[ANSWERED] += 1
    if latency > s.number[SLO]:
        s.number[LATE] += 1
    elif s.number[WINDOW] > 0:
        s.window[s.request[request, ARRIVED] // s.number[WINDOW], WINDOW_ATTAINED] += 1
    _log(s, request, s.request[request, LAST_END])
    _next_of_client(s, now)
    _free(s, request)


@compiled_on_tables
def drop(s: State, request: int, now: int) -> None:
    """Mark a request as dropped, the first time one of its invocations is."""
    if s.request[request, IS_DROPPED] == 0:
        s.request[request, IS_DROPPED] = 1
        s.number[DROPPED] += 1
        for module in range(s.module.shape[0]):
            # What it has not been given yet, it will not be.
            if s.passage[request, module, PARENTS_LEFT] > 0:
                s.number[COMMITTED] -= s.passage[request, module, COUNT]
        _log(s, request, NONE)
        _next_of_client(s, now)


@compiled_on_tables
def let_go(s: State, request: int) -> None:
    """Take away one of the things that a request has under way; a dropped one is forgotten after the last."""
    s.request[request, OUTSTANDING] -= 1
    if s.request[request, IS_DROPPED] == 1 and s.request[request, OUTSTANDING] == 0:
        _free(s, request)


@compiled_on_tables
def _log(s: State, request: int, finished: int) -> None:
    place = s.number[REQUESTS_LOGGED]
    if place < s.answers.shape[0]:
        s.answers[place, ANSWER_NUMBER] = s.request[request, NUMBER]
        s.answers[place, ANSWER_ARRIVED] = s.request[request, ARRIVED]
        s.answers[place, ANSWER_FINISHED] = finished
        s.number[REQUESTS_LOGGED] = place + 1


@compiled_on_tables
def _next_of_client(s: State, now: int) -> None:
    if s.number[CLOSED_LOOP] == 1 and now < s.number[UNTIL_ARRIVALS]:
        push(s, now, ARRIVAL, 0, 0)


@compiled_on_tables
def _free(s: State, request: int) -> None:
    s.number[REQUESTS_IN_FLIGHT] -= 1
    s.request[request, NUMBER] = s.number[FREE_REQUEST]
    s.number[FREE_REQUEST] = request


@compiled_on_tables
def new_batch(s: State, machine: int, now: int) -> int:
    """An empty batch of a machine."""
    batch = s.number[FREE_BATCH]
    s.number[FREE_BATCH] = s.batch[batch, NEXT_BATCH]
    s.batch[batch, HEAD], s.batch[batch, TAIL], s.batch[batch, SIZE] = NONE, NONE, 0
    s.batch[batch, ON], s.batch[batch, NEXT_BATCH], s.batch[batch, OPENED] = machine, NONE, now
    return int(batch)


@compiled_on_tables
def open_batch(s: State, machine: int, now: int) -> int:
    """A batch that a machine begins to collect, with its time-out."""
    batch = new_batch(s, machine, now)
    s.machine[machine, OPEN] = batch
    # One time-out per machine is in the heap at most. It finds out which batch is open when it comes.
    if s.machine[machine, TIMEOUT] >= 0 and s.machine[machine, TIMER] == 0:
        push(s, now + s.machine[machine, TIMEOUT], TIME_OUT, machine, machine)
        s.machine[machine, TIMER] = 1
    return batch


@compiled_on_tables
def add(s: State, batch: int, invocation: int) -> None:
    """Add an invocation to a batch."""
    s.invocation[invocation, NEXT] = NONE
    if s.batch[batch, SIZE] == 0:
        s.batch[batch, HEAD] = invocation
    else:
        s.invocation[s.batch[batch, TAIL], NEXT] = invocation
    s.batch[batch, TAIL] = invocation
    s.batch[batch, SIZE] += 1


@compiled_on_tables
def submit(s: State, batch: int, now: int) -> None:
    """Give a closed batch to its machine, which starts it if it can."""
    machine = s.batch[batch, ON]
    # Modules that share a machine collect batches apart, and let them wait in one queue.
    host = s.machine[machine, HOST]
    if s.machine[host, WAITING] == 0:
        s.machine[host, BATCH_HEAD] = batch
    else:
        s.batch[s.machine[host, BATCH_TAIL], NEXT_BATCH] = batch
    s.machine[host, BATCH_TAIL] = batch
    s.machine[host, WAITING] += 1
    start_batches(s, host, now)
    if s.machine[host, WAITING] > s.machine[machine, MOST_WAITING]:
        s.machine[machine, MOST_WAITING] = s.machine[host, WAITING]


@compiled_on_tables
def start_batches(s: State, machine: int, now: int) -> None:
    """Start batches that wait at a machine, first come first served, as far as there are slots.

    Of modules that share one it is the machine on which all their batches wait (`HOST`).
    """
    while s.machine[machine, WAITING] > 0 and s.machine[machine, RUNNING] < s.machine[machine, SLOTS]:
        if s.machine[machine, AVAILABLE] > now:
            if s.machine[machine, WAKING] == 0:
                push(s, s.machine[machine, AVAILABLE], WAKE, machine, machine)
                s.machine[machine, WAKING] = 1
            return
        batch = s.machine[machine, BATCH_HEAD]
        s.machine[machine, BATCH_HEAD] = s.batch[batch, NEXT_BATCH]
        s.machine[machine, WAITING] -= 1
        start(s, batch, now)


@compiled_on_tables
def start(s: State, batch: int, now: int) -> None:
    """Execute a batch, without what is dropped; one with nothing left is forgotten."""
    machine = s.batch[batch, ON]
    if s.number[DROPS] == 1 or s.machine[machine, FAILED] == 1:
        _drop_hopeless(s, batch, now)
        if s.batch[batch, SIZE] == 0:
            free_batch(s, batch)
            return
    module = s.machine[machine, MODULE]
    expected = s.duration[s.machine[machine, DURATION_FIRST] + s.batch[batch, SIZE]]
    real = expected * s.factor[s.number[STARTS] % s.factor.size] * s.stretch[module]
    # At least a tick, so that time always goes on.
    duration = max(1, int(real + 0.5))
    s.batch[batch, START], s.batch[batch, EXPECTED_TIME] = now, expected
    push(s, now + duration, END, s.number[STARTS], batch)
    s.number[STARTS] += 1
    s.machine[s.machine[machine, HOST], RUNNING] += 1
    s.machine[machine, BUSY] += duration
    s.machine[machine, BATCHES] += 1
    if s.machine[machine, SPACING] > 0:
        s.machine[machine, AVAILABLE] = now + s.machine[machine, SPACING]


@compiled_on_tables
def _drop_hopeless(s: State, batch: int, now: int) -> None:
    """Take out of a batch what is of dropped requests, or could not be answered in time even if executed now."""
    machine = s.batch[batch, ON]
    module = s.machine[machine, MODULE]
    # The batch is taken as it stands: what is dropped may make it smaller and quicker, which is not looked at again.
    least = s.duration[s.machine[machine, DURATION_FIRST] + s.batch[batch, SIZE]] * s.stretch[module]
    earliest = now + int(least + 0.5) + s.module[module, LEAST_AFTER]
    here = s.batch[batch, HEAD]
    s.batch[batch, HEAD], s.batch[batch, TAIL], s.batch[batch, SIZE] = NONE, NONE, 0
    while here != NONE:
        behind = s.invocation[here, NEXT]
        request = s.invocation[here, REQUEST]
        lost = s.machine[machine, FAILED] == 1
        if request != NONE and not lost:
            hopeless = s.number[DROPS] == 1 and earliest > s.request[request, ARRIVED] + s.number[SLO]
            lost = hopeless or s.request[request, IS_DROPPED] == 1
        if lost:
            if s.machine[machine, QUEUE] != NONE:
                s.machine[machine, IN_HAND] -= 1
            lose(s, here, module, now)
        else:
            add(s, batch, here)
        here = behind


@compiled_on_tables
def lose(s: State, invocation: int, module: int, now: int) -> None:
    """Drop an invocation, and with it its request."""
    request = s.invocation[invocation, REQUEST]
    free_invocation(s, invocation)
    if request != NONE:
        s.module[module, DROPPED_HERE] += 1
        drop(s, request, now)
        let_go(s, request)


@compiled_on_tables
def free_batch(s: State, batch: int) -> None:
    """Let a batch's row be used anew."""
    s.batch[batch, NEXT_BATCH] = s.number[FREE_BATCH]
    s.number[FREE_BATCH] = batch


@compiled_on_tables
def new_invocation(s: State) -> int:
    """A free row for an invocation; there is one, as requests are let in only if all of theirs fit."""
    invocation = s.number[FREE_INVOCATION]
    s.number[FREE_INVOCATION] = s.invocation[invocation, NEXT]
    return int(invocation)


@compiled_on_tables
def free_invocation(s: State, invocation: int) -> None:
    """Let an invocation's row be used anew."""
    s.invocation[invocation, NEXT] = s.number[FREE_INVOCATION]
    s.number[FREE_INVOCATION] = invocation
    s.number[COMMITTED] -= 1
