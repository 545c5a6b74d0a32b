"""The loop over events (compiled)."""

from __future__ import annotations

from euclio.core.compiled import compiled_on_tables
from euclio.serving.session.engine.batches import free_batch, new_invocation, start_batches
from euclio.serving.session.engine.dispatch import ask_to_pull, close, deal, pull, queue_of
from euclio.serving.session.engine.flow import end_invocation, enter_first_modules, release
from euclio.serving.session.engine.tables import (
    ARRIVAL,
    ARRIVAL_PLACE,
    ARRIVED,
    BECAME_READY,
    CARRIED,
    COMMITTED,
    COUNT,
    DUE,
    DUMMY,
    END,
    ENDED_THEN,
    EVENTS,
    EXECUTIONS_LOGGED,
    EXPECTED,
    EXPECTED_TIME,
    FINAL,
    FREE_REQUEST,
    FREE_SINCE,
    HEAD,
    HOST,
    IN_HAND,
    INVOCATIONS_LEFT,
    IS_DROPPED,
    KIND_SHIFT,
    LAST_END,
    LAST_ENDED,
    LOG_END,
    LOG_MACHINE,
    LOG_MODULE,
    LOG_SIZE,
    LOG_START,
    MODULE,
    MODULES_LEFT,
    NEXT,
    NONE,
    NOW,
    NUMBER,
    ON,
    OPEN,
    OPENED,
    ORDER,
    OUTSTANDING,
    OVER,
    PARENTS,
    PARENTS_LEFT,
    PART,
    PASSAGE_END,
    PASSAGE_MACHINE,
    PASSAGE_MODULE,
    PASSAGE_READY,
    PASSAGE_REQUEST,
    PASSAGE_START,
    PASSAGES_LOGGED,
    PAYLOAD,
    PERIOD,
    PULLING,
    QUEUE,
    QUEUE_HEAD,
    QUEUE_SIZE,
    RELEASE,
    REQUEST,
    REQUESTS_IN_FLIGHT,
    REQUESTS_LOGGED,
    REQUESTS_SO_FAR,
    RUNNING,
    SERVED,
    SIZE,
    SLOTS,
    START,
    TARGET_COUNT,
    TIME,
    TIME_OUT,
    TIMEOUT,
    TIMER,
    UNTIL_ARRIVALS,
    WAKE,
    WAKING,
    WINDOW,
    WINDOW_ARRIVED,
    WORKED,
    State,
    pop,
    push,
)

FOREVER = 1 << 62
"""A time that is never reached."""
DONE, NEEDS_ARRIVALS, NEEDS_ROOM, LOG_IS_FULL = range(4)
"""Why the loop returns: nothing is left until the time asked for; or what has to be given to it first."""


@compiled_on_tables
def advance(s: State, until: int) -> int:
    """Let all happen that happens before a time; returns why it ended, and can be called again."""
    while True:
        if s.passages.shape[0] > 0 and _log_is_full(s):
            return LOG_IS_FULL
        place = s.number[ARRIVAL_PLACE]
        fed = place < s.arrival.size
        if not fed and s.number[FINAL] == 0:
            return NEEDS_ARRIVALS
        if s.number[EVENTS] == 0 and not fed:
            if until < FOREVER or not _close_what_is_open(s):
                return DONE
            continue
        kind = s.event[0, ORDER] >> KIND_SHIFT
        # What is fed comes before a request of a client at the same time, and after events of earlier kinds.
        arrives = fed and (
            s.number[EVENTS] == 0
            or s.arrival[place] < s.event[0, TIME]
            or (s.arrival[place] == s.event[0, TIME] and kind >= ARRIVAL)
        )
        now = s.arrival[place] if arrives else s.event[0, TIME]
        if now >= until:
            return DONE
        if arrives or kind in (ARRIVAL, DUMMY):
            row = place if arrives else 0
            if not _fits(s, row, not arrives and kind == DUMMY):
                # Nothing has been changed yet, so that the same event comes again once there is room.
                return NEEDS_ROOM
            s.number[NOW] = now
            if arrives:
                s.number[ARRIVAL_PLACE] = place + 1
                _let_in(s, row, now)
                continue
        s.number[NOW] = now
        payload = s.event[0, PAYLOAD]
        pop(s)
        _happen(s, kind, payload, now)


@compiled_on_tables
def _happen(s: State, kind: int, payload: int, now: int) -> None:
    if kind == END:
        _end_batch(s, payload, now)
    elif kind == WAKE:
        s.machine[payload, WAKING] = 0
        if s.machine[payload, QUEUE] != NONE or s.module[s.machine[payload, MODULE], TARGET_COUNT] == 0:
            ask_to_pull(s, queue_of(s, payload), now)
        else:
            start_batches(s, payload, now)
    elif kind == RELEASE:
        release(s, payload, now)
    elif kind == DUMMY:
        _dummy(s, payload, now)
    elif kind == ARRIVAL:
        _let_in(s, 0, now)
    elif kind == TIME_OUT:
        _time_out(s, payload, now)
    else:
        s.queue[payload, PULLING] = 0
        pull(s, payload, now, False)


@compiled_on_tables
def _let_in(s: State, row: int, now: int) -> None:
    """A request arrives."""
    request = s.number[FREE_REQUEST]
    s.number[FREE_REQUEST] = s.request[request, NUMBER]
    modules = s.module.shape[0]
    s.request[request, NUMBER] = s.number[REQUESTS_SO_FAR]
    s.request[request, ARRIVED], s.request[request, LAST_END] = now, now
    s.request[request, OUTSTANDING], s.request[request, IS_DROPPED] = 0, 0
    s.request[request, MODULES_LEFT] = modules
    s.number[REQUESTS_SO_FAR] += 1
    s.number[REQUESTS_IN_FLIGHT] += 1
    if s.number[WINDOW] > 0:
        s.window[now // s.number[WINDOW], WINDOW_ARRIVED] += 1
    for module in range(modules):
        count = s.counts[row, module]
        s.number[COMMITTED] += count
        s.passage[request, module, COUNT] = count
        s.passage[request, module, PARENTS_LEFT] = s.module[module, PARENTS]
        s.passage[request, module, INVOCATIONS_LEFT] = 0
    enter_first_modules(s, request, now)


@compiled_on_tables
def _dummy(s: State, module: int, now: int) -> None:
    """A dummy becomes ready, and the next one is announced."""
    if now >= s.number[UNTIL_ARRIVALS]:
        return
    # Parts of ticks are carried from one to the next, so that dummies are at their rate however many they are.
    s.dummy[module, DUE] += s.dummy[module, PERIOD]
    s.dummy[module, CARRIED] += s.dummy[module, PART]
    if s.dummy[module, CARRIED] >= s.dummy[module, OVER]:
        s.dummy[module, CARRIED] -= s.dummy[module, OVER]
        s.dummy[module, DUE] += 1
    push(s, s.dummy[module, DUE], DUMMY, module, module)
    s.number[COMMITTED] += 1
    invocation = new_invocation(s)
    s.invocation[invocation, REQUEST], s.invocation[invocation, BECAME_READY] = NONE, now
    deal(s, module, invocation, now)


@compiled_on_tables
def _time_out(s: State, machine: int, now: int) -> None:
    """Close the batch that a machine collects, unless it is a later one than that whose time-out this was.

    A machine that pulls collects none; it looks again at what waits.
    """
    s.machine[machine, TIMER] = 0
    batch = s.machine[machine, OPEN]
    if batch == NONE:
        if s.queue[queue_of(s, machine), QUEUE_HEAD] != NONE:
            ask_to_pull(s, queue_of(s, machine), now)
        return
    due = s.batch[batch, OPENED] + s.machine[machine, TIMEOUT]
    if due > now:
        push(s, due, TIME_OUT, machine, machine)
        s.machine[machine, TIMER] = 1
    else:
        close(s, machine, now)


@compiled_on_tables
def _end_batch(s: State, batch: int, now: int) -> None:
    """An execution ends: its invocations do, in their order, then its slot is free for the next batch."""
    machine = s.batch[batch, ON]
    module = s.machine[machine, MODULE]
    _log_execution(s, batch, module, machine, now)
    s.machine[machine, SERVED] += s.batch[batch, SIZE]
    _leave_hand(s, machine, s.batch[batch, SIZE], now)
    s.module[module, WORKED] += now - s.batch[batch, START]
    s.module[module, EXPECTED] += s.batch[batch, EXPECTED_TIME]
    here = s.batch[batch, HEAD]
    while here != NONE:
        behind = s.invocation[here, NEXT]
        _log_passage(s, here, batch, module, machine, now)
        end_invocation(s, here, module, machine, now)
        here = behind
    free_batch(s, batch)
    host = s.machine[machine, HOST]
    if s.machine[host, RUNNING] == s.machine[host, SLOTS]:
        s.machine[host, FREE_SINCE] = now
    s.machine[host, RUNNING] -= 1
    start_batches(s, host, now)
    queue = queue_of(s, machine)
    if s.queue[queue, QUEUE_HEAD] != NONE:
        ask_to_pull(s, queue, now)


@compiled_on_tables
def _leave_hand(s: State, machine: int, size: int, now: int) -> None:
    """Note that a machine with a queue of its own has done so much; its router hears of it after this moment."""
    if s.machine[machine, QUEUE] == NONE:
        return
    if s.machine[machine, LAST_ENDED] != now:
        s.machine[machine, LAST_ENDED], s.machine[machine, ENDED_THEN] = now, 0
    s.machine[machine, ENDED_THEN] += size
    s.machine[machine, IN_HAND] -= size


@compiled_on_tables
def _close_what_is_open(s: State) -> bool:
    """Close all batches that nothing fills any more, by machine, and pull what waits; whether there was any."""
    found = False
    for machine in range(s.machine.shape[0]):
        if s.machine[machine, OPEN] != NONE:
            close(s, machine, s.number[NOW])
            found = True
    for queue in range(s.queue.shape[0]):
        waiting = s.queue[queue, QUEUE_SIZE]
        if waiting > 0:
            pull(s, queue, s.number[NOW], True)
            found = found or s.queue[queue, QUEUE_SIZE] < waiting
    # A machine that is not available yet takes it when it is.
    return bool(found or s.number[EVENTS] > 0)


@compiled_on_tables
def _fits(s: State, row: int, dummy: bool) -> bool:
    """Whether there is room for all invocations that a request will make, or for a dummy."""
    wanted = 1
    if not dummy:
        if s.number[REQUESTS_IN_FLIGHT] >= s.request.shape[0]:
            return False
        wanted = s.counts[row].sum()
    return bool(s.number[COMMITTED] + wanted <= s.invocation.shape[0])


@compiled_on_tables
def _log_is_full(s: State) -> bool:
    """Whether one of the logs is half full, which leaves room for all that one event can write."""
    return bool(
        2 * s.number[EXECUTIONS_LOGGED] > s.executions.shape[0]
        or 2 * s.number[PASSAGES_LOGGED] > s.passages.shape[0]
        or 2 * s.number[REQUESTS_LOGGED] > s.answers.shape[0]
    )


@compiled_on_tables
def _log_execution(s: State, batch: int, module: int, machine: int, now: int) -> None:
    place = s.number[EXECUTIONS_LOGGED]
    if place < s.executions.shape[0]:
        s.executions[place, LOG_MODULE], s.executions[place, LOG_MACHINE] = module, machine
        s.executions[place, LOG_SIZE] = s.batch[batch, SIZE]
        s.executions[place, LOG_START], s.executions[place, LOG_END] = s.batch[batch, START], now
        s.number[EXECUTIONS_LOGGED] = place + 1


@compiled_on_tables
def _log_passage(s: State, invocation: int, batch: int, module: int, machine: int, now: int) -> None:
    place = s.number[PASSAGES_LOGGED]
    if place < s.passages.shape[0]:
        request = s.invocation[invocation, REQUEST]
        s.passages[place, PASSAGE_REQUEST] = NONE if request == NONE else s.request[request, NUMBER]
        s.passages[place, PASSAGE_MODULE], s.passages[place, PASSAGE_MACHINE] = module, machine
        s.passages[place, PASSAGE_READY] = s.invocation[invocation, BECAME_READY]
        s.passages[place, PASSAGE_START], s.passages[place, PASSAGE_END] = s.batch[batch, START], now
        s.number[PASSAGES_LOGGED] = place + 1
