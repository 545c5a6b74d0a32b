"""The loop over events (compiled)."""

from __future__ import annotations

from euclio.core.compiled import compiled_on_tables
from euclio.serving.session.engine import tables as t
from euclio.serving.session.engine.batches import free_batch, new_invocation, start_batches
from euclio.serving.session.engine.dispatch import ask_to_pull, close, deal, pull, queue_of
from euclio.serving.session.engine.flow import end_invocation, enter_first_modules, reach, release
from euclio.serving.session.engine.tables import State, pop, push

FOREVER = 1 << 62
"""A time that is never reached."""
DONE, NEEDS_ARRIVALS, NEEDS_ROOM, LOG_IS_FULL = range(4)
"""Reasons for which the loop returns: no event is left before the time, or the caller must act first."""


@compiled_on_tables
def advance(s: State, until: int) -> int:
    """Process all events before a time; returns the reason of its end, and can be called again."""
    while True:
        if s.passages.shape[0] > 0 and _log_is_full(s):
            return LOG_IS_FULL
        place = s.number[t.ARRIVAL_PLACE]
        fed = place < s.arrival.size
        if not fed and s.number[t.FINAL] == 0:
            return NEEDS_ARRIVALS
        if s.number[t.EVENTS] == 0 and not fed:
            if until < FOREVER or not _close_what_is_open(s):
                return DONE
            continue
        kind = s.event[0, t.ORDER] >> t.KIND_SHIFT
        # Fed arrivals come before a client's request at the same time, and after events of earlier kinds.
        arrives = fed and (
            s.number[t.EVENTS] == 0
            or s.arrival[place] < s.event[0, t.TIME]
            or (s.arrival[place] == s.event[0, t.TIME] and kind >= t.ARRIVAL)
        )
        now = s.arrival[place] if arrives else s.event[0, t.TIME]
        if now >= until:
            return DONE
        if arrives or kind in (t.ARRIVAL, t.DUMMY):
            row = place if arrives else 0
            if not _fits(s, row, not arrives and kind == t.DUMMY):
                # Nothing has changed yet, so that the same event comes again once there is room.
                return NEEDS_ROOM
            s.number[t.NOW] = now
            if arrives:
                s.number[t.ARRIVAL_PLACE] = place + 1
                _let_in(s, row, now)
                continue
        s.number[t.NOW] = now
        payload = s.event[0, t.PAYLOAD]
        pop(s)
        _happen(s, kind, payload, now)


@compiled_on_tables
def _happen(s: State, kind: int, payload: int, now: int) -> None:
    if kind == t.END:
        _end_batch(s, payload, now)
    elif kind == t.WAKE:
        s.machine[payload, t.WAKING] = 0
        if s.machine[payload, t.QUEUE] != t.NONE or s.module[s.machine[payload, t.MODULE], t.TARGET_COUNT] == 0:
            ask_to_pull(s, queue_of(s, payload), now)
        else:
            start_batches(s, payload, now)
    elif kind == t.RELEASE:
        release(s, payload, now)
    elif kind == t.REACH:
        reach(s, payload, now)
    elif kind == t.DUMMY:
        _dummy(s, payload, now)
    elif kind == t.ARRIVAL:
        _let_in(s, 0, now)
    elif kind == t.TIME_OUT:
        _time_out(s, payload, now)
    else:
        s.queue[payload, t.PULLING] = 0
        pull(s, payload, now, False)


@compiled_on_tables
def _let_in(s: State, row: int, now: int) -> None:
    """A request arrives."""
    request = s.number[t.FREE_REQUEST]
    s.number[t.FREE_REQUEST] = s.request[request, t.NUMBER]
    modules = s.module.shape[0]
    s.request[request, t.NUMBER] = s.number[t.REQUESTS_SO_FAR]
    s.request[request, t.ARRIVED], s.request[request, t.LAST_END] = now, now
    s.request[request, t.OUTSTANDING], s.request[request, t.IS_DROPPED], s.request[request, t.IS_LATE] = 0, 0, 0
    s.request[request, t.MODULES_LEFT] = modules
    s.number[t.REQUESTS_SO_FAR] += 1
    s.number[t.REQUESTS_IN_FLIGHT] += 1
    if s.number[t.WINDOW] > 0:
        s.window[now // s.number[t.WINDOW], t.WINDOW_ARRIVED] += 1
    for module in range(modules):
        count = s.counts[row, module]
        s.passage[request, module, t.COUNT] = count
        s.passage[request, module, t.INVOCATIONS_LEFT] = 0
        s.passage[request, module, t.READY_AT], s.passage[request, module, t.DONE_AT] = now, now
        if count == t.ELSEWHERE:
            s.passage[request, module, t.PARENTS_LEFT] = 0
            s.request[request, t.MODULES_LEFT] -= 1
        else:
            s.number[t.COMMITTED] += count
            s.passage[request, module, t.PARENTS_LEFT] = s.module[module, t.PARENTS]
    for k in range(s.objective.shape[0]):
        if s.counts[row, s.objective[k, t.OBJECTIVE_MODULE]] != t.ELSEWHERE:
            s.objective[k, t.EXPECTED_TO] += 1
    enter_first_modules(s, request, now)


@compiled_on_tables
def _dummy(s: State, module: int, now: int) -> None:
    """A dummy becomes ready, and the next one is announced."""
    if now >= s.number[t.UNTIL_ARRIVALS]:
        return
    # Parts of ticks carry over to the next dummy, so that any number of dummies keeps their rate.
    s.dummy[module, t.DUE] += s.dummy[module, t.PERIOD]
    s.dummy[module, t.CARRIED] += s.dummy[module, t.PART]
    if s.dummy[module, t.CARRIED] >= s.dummy[module, t.OVER]:
        s.dummy[module, t.CARRIED] -= s.dummy[module, t.OVER]
        s.dummy[module, t.DUE] += 1
    push(s, s.dummy[module, t.DUE], t.DUMMY, module, module)
    s.number[t.COMMITTED] += 1
    invocation = new_invocation(s)
    s.invocation[invocation, t.REQUEST], s.invocation[invocation, t.BECAME_READY] = t.NONE, now
    deal(s, module, invocation, now)


@compiled_on_tables
def _time_out(s: State, machine: int, now: int) -> None:
    """Close the batch that a machine collects, unless this was the timeout of an earlier batch.

    A machine that pulls collects none; it looks at the queue again.
    """
    s.machine[machine, t.TIMER] = 0
    batch = s.machine[machine, t.OPEN]
    if batch == t.NONE:
        if s.queue[queue_of(s, machine), t.QUEUE_HEAD] != t.NONE:
            ask_to_pull(s, queue_of(s, machine), now)
        return
    due = s.batch[batch, t.OPENED] + s.machine[machine, t.TIMEOUT]
    if due > now:
        push(s, due, t.TIME_OUT, machine, machine)
        s.machine[machine, t.TIMER] = 1
    else:
        close(s, machine, now)


@compiled_on_tables
def _end_batch(s: State, batch: int, now: int) -> None:
    """An execution ends: its invocations do, in their order, then its slot is free for the next batch."""
    machine = s.batch[batch, t.ON]
    module = s.machine[machine, t.MODULE]
    _log_execution(s, batch, module, machine, now)
    s.machine[machine, t.SERVED] += s.batch[batch, t.SIZE]
    _leave_hand(s, machine, s.batch[batch, t.SIZE], now)
    s.module[module, t.WORKED] += now - s.batch[batch, t.START]
    s.module[module, t.EXPECTED] += s.batch[batch, t.EXPECTED_TIME]
    here = s.batch[batch, t.HEAD]
    while here != t.NONE:
        behind = s.invocation[here, t.NEXT]
        _log_passage(s, here, batch, module, machine, now)
        end_invocation(s, here, module, machine, now)
        here = behind
    free_batch(s, batch)
    host = s.machine[machine, t.HOST]
    if s.machine[host, t.RUNNING] == s.machine[host, t.SLOTS]:
        s.machine[host, t.FREE_SINCE] = now
    s.machine[host, t.RUNNING] -= 1
    start_batches(s, host, now)
    queue = queue_of(s, machine)
    if s.queue[queue, t.QUEUE_HEAD] != t.NONE:
        ask_to_pull(s, queue, now)


@compiled_on_tables
def _leave_hand(s: State, machine: int, size: int, now: int) -> None:
    """Note that a machine with its own queue has ended `size` invocations; its router knows it after this moment."""
    if s.machine[machine, t.QUEUE] == t.NONE:
        return
    if s.machine[machine, t.LAST_ENDED] != now:
        s.machine[machine, t.LAST_ENDED], s.machine[machine, t.ENDED_THEN] = now, 0
    s.machine[machine, t.ENDED_THEN] += size
    s.machine[machine, t.IN_HAND] -= size


@compiled_on_tables
def _close_what_is_open(s: State) -> bool:
    """Close all batches that nothing fills any more, by machine, and pull what waits; whether there was any."""
    found = False
    for machine in range(s.machine.shape[0]):
        if s.machine[machine, t.OPEN] != t.NONE:
            close(s, machine, s.number[t.NOW])
            found = True
    for queue in range(s.queue.shape[0]):
        waiting = s.queue[queue, t.QUEUE_SIZE]
        if waiting > 0:
            pull(s, queue, s.number[t.NOW], True)
            found = found or s.queue[queue, t.QUEUE_SIZE] < waiting
    # A machine that is not available yet takes it when it is.
    return bool(found or s.number[t.EVENTS] > 0)


@compiled_on_tables
def _fits(s: State, row: int, dummy: bool) -> bool:
    """Whether there is room for all invocations that a request will make, or for a dummy."""
    wanted = 1
    if not dummy:
        if s.number[t.REQUESTS_IN_FLIGHT] >= s.request.shape[0]:
            return False
        wanted = 0
        for module in range(s.module.shape[0]):
            wanted += max(0, s.counts[row, module])
    return bool(s.number[t.COMMITTED] + wanted <= s.invocation.shape[0])


@compiled_on_tables
def _log_is_full(s: State) -> bool:
    """Whether one of the logs is half full; the other half has room for the entries of one event."""
    return bool(
        2 * s.number[t.EXECUTIONS_LOGGED] > s.executions.shape[0]
        or 2 * s.number[t.PASSAGES_LOGGED] > s.passages.shape[0]
        or 2 * s.number[t.REQUESTS_LOGGED] > s.answers.shape[0]
    )


@compiled_on_tables
def _log_execution(s: State, batch: int, module: int, machine: int, now: int) -> None:
    place = s.number[t.EXECUTIONS_LOGGED]
    if place < s.executions.shape[0]:
        s.executions[place, t.LOG_MODULE], s.executions[place, t.LOG_MACHINE] = module, machine
        s.executions[place, t.LOG_SIZE] = s.batch[batch, t.SIZE]
        s.executions[place, t.LOG_START], s.executions[place, t.LOG_END] = s.batch[batch, t.START], now
        s.number[t.EXECUTIONS_LOGGED] = place + 1


@compiled_on_tables
def _log_passage(s: State, invocation: int, batch: int, module: int, machine: int, now: int) -> None:
    place = s.number[t.PASSAGES_LOGGED]
    if place < s.passages.shape[0]:
        request = s.invocation[invocation, t.REQUEST]
        s.passages[place, t.PASSAGE_REQUEST] = t.NONE if request == t.NONE else s.request[request, t.NUMBER]
        s.passages[place, t.PASSAGE_MODULE], s.passages[place, t.PASSAGE_MACHINE] = module, machine
        s.passages[place, t.PASSAGE_READY] = s.invocation[invocation, t.BECAME_READY]
        s.passages[place, t.PASSAGE_START], s.passages[place, t.PASSAGE_END] = s.batch[batch, t.START], now
        s.number[t.PASSAGES_LOGGED] = place + 1
