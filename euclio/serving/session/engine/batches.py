"""Machines: batches that are collected, closed and started (compiled)."""

from __future__ import annotations

from euclio.core.compiled import compiled_on_tables
from euclio.serving.histogram import bin_of
from euclio.serving.session.engine import tables as t
from euclio.serving.session.engine.tables import State, push

# Requests in flight: their ends and their measured latencies (compiled).


@compiled_on_tables
def measure(s: State, row: int, latency: int) -> None:
    """Count a latency in the histogram of a module, of requests, or of an objective."""
    # Most clocks tick nanoseconds, and a division takes time.
    latency_ns = latency // s.number[t.TICKS_PER_NS] if s.number[t.TICKS_PER_NS] > 1 else latency
    place, exponent = bin_of(latency_ns, s.guess[row])
    s.guess[row] = exponent
    s.histogram[row, place] += 1
    s.total[row] += latency
    if latency > s.largest[row]:
        s.largest[row] = latency


@compiled_on_tables
def answer(s: State, request: int, now: int) -> None:
    """End a request whose work is done, at the end of its last invocation."""
    latency = s.request[request, t.LAST_END] - s.request[request, t.ARRIVED]
    measure(s, s.module.shape[0], latency)
    s.number[t.ANSWERED] += 1
    several = s.objective.shape[0] > 0
    if s.request[request, t.IS_LATE] == 1 or (not several and latency > s.number[t.SLO]):
        s.number[t.LATE] += 1
    elif s.number[t.WINDOW] > 0:
        s.window[s.request[request, t.ARRIVED] // s.number[t.WINDOW], t.WINDOW_ATTAINED] += 1
    _log(s, request, s.request[request, t.LAST_END])
    _next_of_client(s, now)
    _free(s, request)


@compiled_on_tables
def drop(s: State, request: int, now: int) -> None:
    """Mark a request as dropped, the first time one of its invocations is."""
    if s.request[request, t.IS_DROPPED] == 0:
        s.request[request, t.IS_DROPPED] = 1
        s.number[t.DROPPED] += 1
        for module in range(s.module.shape[0]):
            # Invocations that are not dealt out yet never will be.
            if s.passage[request, module, t.PARENTS_LEFT] > 0:
                s.number[t.COMMITTED] -= s.passage[request, module, t.COUNT]
        _log(s, request, t.NONE)
        _next_of_client(s, now)


@compiled_on_tables
def let_go(s: State, request: int) -> None:
    """Count down the open invocations of a request; a dropped request is forgotten after the last."""
    s.request[request, t.OUTSTANDING] -= 1
    if s.request[request, t.IS_DROPPED] == 1 and s.request[request, t.OUTSTANDING] == 0:
        _free(s, request)


@compiled_on_tables
def _log(s: State, request: int, finished: int) -> None:
    place = s.number[t.REQUESTS_LOGGED]
    if place < s.answers.shape[0]:
        s.answers[place, t.ANSWER_NUMBER] = s.request[request, t.NUMBER]
        s.answers[place, t.ANSWER_ARRIVED] = s.request[request, t.ARRIVED]
        s.answers[place, t.ANSWER_FINISHED] = finished
        s.number[t.REQUESTS_LOGGED] = place + 1


@compiled_on_tables
def _next_of_client(s: State, now: int) -> None:
    if s.number[t.CLOSED_LOOP] == 1 and now < s.number[t.UNTIL_ARRIVALS]:
        push(s, now, t.ARRIVAL, 0, 0)


@compiled_on_tables
def _free(s: State, request: int) -> None:
    s.number[t.REQUESTS_IN_FLIGHT] -= 1
    s.request[request, t.NUMBER] = s.number[t.FREE_REQUEST]
    s.number[t.FREE_REQUEST] = request


@compiled_on_tables
def new_batch(s: State, machine: int, now: int) -> int:
    """An empty batch of a machine."""
    batch = s.number[t.FREE_BATCH]
    s.number[t.FREE_BATCH] = s.batch[batch, t.NEXT_BATCH]
    s.batch[batch, t.HEAD], s.batch[batch, t.TAIL], s.batch[batch, t.SIZE] = t.NONE, t.NONE, 0
    s.batch[batch, t.ON], s.batch[batch, t.NEXT_BATCH], s.batch[batch, t.OPENED] = machine, t.NONE, now
    return int(batch)


@compiled_on_tables
def open_batch(s: State, machine: int, now: int) -> int:
    """A batch that a machine begins to collect, with its time-out."""
    batch = new_batch(s, machine, now)
    s.machine[machine, t.OPEN] = batch
    # One time-out per machine is in the heap at most. It finds out which batch is open when it comes.
    if s.machine[machine, t.TIMEOUT] >= 0 and s.machine[machine, t.TIMER] == 0:
        push(s, now + s.machine[machine, t.TIMEOUT], t.TIME_OUT, machine, machine)
        s.machine[machine, t.TIMER] = 1
    return batch


@compiled_on_tables
def add(s: State, batch: int, invocation: int) -> None:
    """Add an invocation to a batch."""
    s.invocation[invocation, t.NEXT] = t.NONE
    if s.batch[batch, t.SIZE] == 0:
        s.batch[batch, t.HEAD] = invocation
    else:
        s.invocation[s.batch[batch, t.TAIL], t.NEXT] = invocation
    s.batch[batch, t.TAIL] = invocation
    s.batch[batch, t.SIZE] += 1


@compiled_on_tables
def submit(s: State, batch: int, now: int) -> None:
    """Give a closed batch to its machine, which starts it if it can."""
    machine = s.batch[batch, t.ON]
    # Modules that share a machine collect separate batches, which wait in one queue.
    host = s.machine[machine, t.HOST]
    if s.machine[host, t.WAITING] == 0:
        s.machine[host, t.BATCH_HEAD] = batch
    else:
        s.batch[s.machine[host, t.BATCH_TAIL], t.NEXT_BATCH] = batch
    s.machine[host, t.BATCH_TAIL] = batch
    s.machine[host, t.WAITING] += 1
    start_batches(s, host, now)
    if s.machine[host, t.WAITING] > s.machine[machine, t.MOST_WAITING]:
        s.machine[machine, t.MOST_WAITING] = s.machine[host, t.WAITING]


@compiled_on_tables
def is_available(s: State, machine: int, now: int) -> bool:
    """Whether a machine may start a batch; if not, it is woken when it may."""
    if s.machine[machine, t.AVAILABLE] <= now:
        return True
    if s.machine[machine, t.WAKING] == 0:
        push(s, s.machine[machine, t.AVAILABLE], t.WAKE, machine, machine)
        s.machine[machine, t.WAKING] = 1
    return False


@compiled_on_tables
def start_batches(s: State, machine: int, now: int) -> None:
    """Start waiting batches of a machine, first come, first served, while it has free slots.

    If modules share it, it is the machine on which all their batches wait (`HOST`).
    """
    while s.machine[machine, t.WAITING] > 0 and s.machine[machine, t.RUNNING] < s.machine[machine, t.SLOTS]:
        if not is_available(s, machine, now):
            return
        batch = s.machine[machine, t.BATCH_HEAD]
        s.machine[machine, t.BATCH_HEAD] = s.batch[batch, t.NEXT_BATCH]
        s.machine[machine, t.WAITING] -= 1
        start(s, batch, now)


@compiled_on_tables
def start(s: State, batch: int, now: int) -> None:
    """Execute a batch without its dropped invocations; an empty one is forgotten."""
    machine = s.batch[batch, t.ON]
    if s.number[t.DROPS] == 1 or s.machine[machine, t.FAILED] == 1:
        _drop_hopeless(s, batch, now)
        if s.batch[batch, t.SIZE] == 0:
            free_batch(s, batch)
            return
    module = s.machine[machine, t.MODULE]
    expected = s.duration[s.machine[machine, t.DURATION_FIRST] + s.batch[batch, t.SIZE]]
    real = expected * s.factor[s.number[t.STARTS] % s.factor.size] * s.stretch[module]
    # At least a tick, so that time always goes on.
    duration = max(1, int(real + 0.5))
    s.batch[batch, t.START], s.batch[batch, t.EXPECTED_TIME] = now, expected
    push(s, now + duration, t.END, s.number[t.STARTS], batch)
    s.number[t.STARTS] += 1
    s.machine[s.machine[machine, t.HOST], t.RUNNING] += 1
    s.machine[machine, t.BUSY] += duration
    s.machine[machine, t.BATCHES] += 1
    if s.machine[machine, t.SPACING] > 0:
        s.machine[machine, t.AVAILABLE] = now + s.machine[machine, t.SPACING]


@compiled_on_tables
def _drop_hopeless(s: State, batch: int, now: int) -> None:
    """Remove invocations of dropped requests, and those that would be late even if executed now."""
    machine = s.batch[batch, t.ON]
    module = s.machine[machine, t.MODULE]
    # The duration is that of the whole batch: a smaller one may be quicker, but is not considered again.
    least = s.duration[s.machine[machine, t.DURATION_FIRST] + s.batch[batch, t.SIZE]] * s.stretch[module]
    earliest = now + int(least + 0.5) + s.module[module, t.LEAST_AFTER]
    here = s.batch[batch, t.HEAD]
    s.batch[batch, t.HEAD], s.batch[batch, t.TAIL], s.batch[batch, t.SIZE] = t.NONE, t.NONE, 0
    while here != t.NONE:
        behind = s.invocation[here, t.NEXT]
        request = s.invocation[here, t.REQUEST]
        lost = s.machine[machine, t.FAILED] == 1
        if request != t.NONE and not lost:
            hopeless = s.number[t.DROPS] == 1 and earliest > s.request[request, t.ARRIVED] + s.number[t.SLO]
            lost = hopeless or s.request[request, t.IS_DROPPED] == 1
        if lost:
            if s.machine[machine, t.QUEUE] != t.NONE:
                s.machine[machine, t.IN_HAND] -= 1
            lose(s, here, module, now)
        else:
            add(s, batch, here)
        here = behind


@compiled_on_tables
def lose(s: State, invocation: int, module: int, now: int) -> None:
    """Drop an invocation, and with it its request."""
    request = s.invocation[invocation, t.REQUEST]
    free_invocation(s, invocation)
    if request != t.NONE:
        s.module[module, t.DROPPED_HERE] += 1
        drop(s, request, now)
        let_go(s, request)


@compiled_on_tables
def free_batch(s: State, batch: int) -> None:
    """Free a batch's row."""
    s.batch[batch, t.NEXT_BATCH] = s.number[t.FREE_BATCH]
    s.number[t.FREE_BATCH] = batch


@compiled_on_tables
def new_invocation(s: State) -> int:
    """A free row for an invocation; there is one, since requests enter only if all their invocations fit."""
    invocation = s.number[t.FREE_INVOCATION]
    s.number[t.FREE_INVOCATION] = s.invocation[invocation, t.NEXT]
    return int(invocation)


@compiled_on_tables
def free_invocation(s: State, invocation: int) -> None:
    """Free an invocation's row."""
    s.invocation[invocation, t.NEXT] = s.number[t.FREE_INVOCATION]
    s.number[t.FREE_INVOCATION] = invocation
    s.number[t.COMMITTED] -= 1
