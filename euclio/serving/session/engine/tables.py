"""The tables of a running simulation: a row per module, target, machine, batch, invocation, request and event.

All entries are whole numbers; times are ticks of the system's clock, references are row numbers, -1 stands for none.
"""

from __future__ import annotations

from typing import NamedTuple

from euclio.core.compiled import compiled_on_tables
from euclio.serving.units import Floats, Ints

NONE = -1

# Modules. The first columns describe them, the others are their state.
(
    CHILD_FIRST,  # its children stand in `State.child` from here
    CHILD_COUNT,
    PARENTS,  # how many it has
    TARGET_FIRST,
    TARGET_COUNT,  # 0: its machines pull from its queue
    MACHINE_FIRST,
    MACHINE_COUNT,
    UNIT,
    TURNS,
    TOTAL_RATE,  # sum of its targets' rates
    HOLD,  # least time from ready to handing on
    LEAST_AFTER,
    CURRENT,  # target that the module stays with
    LEFT,  # batches to close before it chooses again
    READY,  # invocations that became ready, without dummies
    ENDED,
    DROPPED_HERE,
    WORKED,  # sum of the real durations of ended batches
    EXPECTED,  # sum of their expected durations
    MODULE_COLUMNS,
) = range(20)

# Queues that machines pull from: a row per module, then one per machine that has its own.
(
    QUEUE_HEAD,  # invocations that wait to be pulled
    QUEUE_TAIL,
    QUEUE_SIZE,  # number of waiting ones; the taker updates it
    PULLING,  # whether an event to pull is to come
    PULL_FIRST,  # the machines that pull from it
    PULL_COUNT,
    QUEUE_COLUMNS,
) = range(7)

# Machines.
(
    MODULE,
    BATCH,
    SLOTS,
    DURATION_FIRST,  # start of its durations in `State.duration`, by size
    TIMEOUT,  # -1 means until the batch is full; for a machine that pulls, 0 means no wait
    SPACING,
    HOST,  # machine on which its batches wait and are executed: itself, or the first of those that are one machine
    TARGET,
    QUEUE,  # row of its own queue; -1 if it collects batches, or pulls from its module's
    IN_HAND,  # with its own queue: invocations that it was given and that have not ended
    LAST_ENDED,  # time when some of them ended last
    ENDED_THEN,  # number of those that ended at that moment
    FAILED,  # 1 if it has lost its running and waiting batches
    AVAILABLE,  # no batch starts before
    WAKING,  # whether an event to wake it is to come
    RUNNING,
    FREE_SINCE,  # last time at which it had a free slot again after it had none
    OPEN,  # batch that is being collected
    TIMER,  # whether a time-out is to come
    BATCH_HEAD,  # closed batches that wait
    BATCH_TAIL,
    WAITING,
    MOST_WAITING,
    BUSY,  # sum of the durations of its executions
    BATCHES,
    SERVED,  # invocations of batches that ended, with dummies
    MACHINE_COLUMNS,
) = range(27)

# Batches; free ones are linked by NEXT_BATCH.
HEAD, TAIL, SIZE, ON, NEXT_BATCH, OPENED, START, EXPECTED_TIME, BATCH_COLUMNS = range(9)

# Dummies of a module: the next one, and the period, each as whole ticks and a part (over OVER) of one.
DUE, CARRIED, PERIOD, PART, OVER, DUMMY_COLUMNS = range(6)
MOST_OVER = 1 << 62
"""Largest scale of parts of ticks, so that the sum of two stays within 64 bits."""

# Invocations; free ones are linked by NEXT.
REQUEST, BECAME_READY, NEXT, INVOCATION_COLUMNS = range(4)

# Requests; free ones are linked by NUMBER.
# IS_LATE: whether it has missed an objective of a module.
NUMBER, ARRIVED, LAST_END, OUTSTANDING, MODULES_LEFT, IS_DROPPED, IS_LATE, REQUEST_COLUMNS = range(8)
# State of a request at each module. READY_AT is a lower bound until it is ready. DONE_AT is the end so far of the last
# of its invocations there and at the modules before.
COUNT, INVOCATIONS_LEFT, PARENTS_LEFT, READY_AT, DONE_AT, PASSAGE_COLUMNS = range(6)
ELSEWHERE = -1
"""Stands for the invocations of a module of another stream."""

# Objectives of modules. The first columns describe them, the others count requests.
OBJECTIVE_MODULE, LIMIT, EXPECTED_TO, KEPT, OBJECTIVE_COLUMNS = range(5)

# Events in the heap.
TIME, ORDER, PAYLOAD, EVENT_COLUMNS = range(4)
END, WAKE, RELEASE, REACH, DUMMY, ARRIVAL, TIME_OUT, PULL = range(8)
"""Kinds of events, in their order at equal times."""
KIND_SHIFT = 56

# Numbers of the whole simulation.
(
    NOW,
    EVENTS,
    FREE_INVOCATION,
    FREE_BATCH,
    FREE_REQUEST,
    COMMITTED,  # invocations that requests in flight have or will have
    REQUESTS_IN_FLIGHT,
    STARTS,
    REQUESTS_SO_FAR,
    ARRIVAL_PLACE,
    FINAL,  # whether no more arrivals are to be fed
    SLO,
    HOLDS,
    DROPS,
    CLOSED_LOOP,  # whether an answered request is followed by the next one of its client
    UNTIL_ARRIVALS,  # no dummies and no requests of clients from here on
    TICKS_PER_NS,
    WINDOW,  # width of a window of arrivals; 0 disables windows
    ANSWERED,
    LATE,
    DROPPED,
    EXECUTIONS_LOGGED,
    PASSAGES_LOGGED,
    REQUESTS_LOGGED,
    NUMBERS,
) = range(25)

# Logs.
LOG_MODULE, LOG_MACHINE, LOG_SIZE, LOG_START, LOG_END, EXECUTION_LOG_COLUMNS = range(6)
PASSAGE_REQUEST, PASSAGE_MODULE, PASSAGE_READY, PASSAGE_MACHINE, PASSAGE_START, PASSAGE_END, PASSAGE_LOG_COLUMNS = (
    range(7)
)
ANSWER_NUMBER, ANSWER_ARRIVED, ANSWER_FINISHED, ANSWER_LOG_COLUMNS = range(4)

# Windows of arrivals.
WINDOW_ARRIVED, WINDOW_ATTAINED, WINDOW_COLUMNS = range(3)


class State(NamedTuple):
    """The tables."""

    number: Ints  # shape (NUMBERS,)
    module: Ints  # shape (modules, MODULE_COLUMNS)
    child: Ints  # children of all modules, one after the other
    delay: Ints  # time from the end of their parent to the start of each of them
    objective: Ints  # shape (objectives, OBJECTIVE_COLUMNS); without any, requests have one, of their latency
    target: Ints  # shape (targets, TARGET_COLUMNS); the columns are those of `routers`
    member: Ints  # machines of all targets, one after the other
    router: Ints  # shape (modules, ROUTER_COLUMNS); the columns are those of `routers`
    queue: Ints  # shape (modules and machines with queues, QUEUE_COLUMNS)
    machine: Ints  # shape (machines, MACHINE_COLUMNS)
    duration: Ints  # durations of batches by size, machine by machine or shared
    batch: Ints  # shape (capacity, BATCH_COLUMNS)
    invocation: Ints  # shape (capacity, INVOCATION_COLUMNS)
    request: Ints  # shape (requests in flight at most, REQUEST_COLUMNS)
    passage: Ints  # shape (requests in flight at most, modules, PASSAGE_COLUMNS)
    event: Ints  # the heap, shape (capacity, EVENT_COLUMNS)
    arrival: Ints  # arrivals that are fed, shape (any,)
    # invocations per arriving request and module, shape (any, modules); `ELSEWHERE` at modules of other streams.
    counts: Ints
    factor: Floats  # real over expected durations, used in turn
    stretch: Floats  # factor on all durations of a module, shape (modules,)
    dummy: Ints  # when dummies of a module come, shape (modules, DUMMY_COLUMNS)
    # latencies in nanoseconds, rounded down, of each module, then of requests, then up to each objective, shape
    # (modules + 1 + objectives, BINS).
    histogram: Ints
    guess: Ints  # exponent of the last entry of each histogram
    total: Floats  # sum of latencies of each in ticks
    largest: Ints  # largest latency of each in ticks
    window: Ints  # shape (windows, WINDOW_COLUMNS)
    executions: Ints  # log, shape (any, EXECUTION_LOG_COLUMNS)
    passages: Ints  # log of invocations, shape (any, PASSAGE_LOG_COLUMNS)
    answers: Ints  # log of requests, shape (any, ANSWER_LOG_COLUMNS)
    stack: Ints  # modules from which to go on, used within one event, shape (modules,)


@compiled_on_tables
def push(s: State, time: int, kind: int, identity: int, payload: int) -> None:
    """Add an event; at equal times the kind decides which comes first, then the identity."""
    # Kind and identity are one number, so that a tie takes one comparison.
    order = (kind << KIND_SHIFT) | identity
    place = s.number[EVENTS]
    s.number[EVENTS] = place + 1
    # Events above that come later move down; the new one is written once, where it stays.
    while place > 0:
        above = (place - 1) >> 1
        if s.event[above, TIME] < time or (s.event[above, TIME] == time and s.event[above, ORDER] < order):
            break
        s.event[place, TIME] = s.event[above, TIME]
        s.event[place, ORDER] = s.event[above, ORDER]
        s.event[place, PAYLOAD] = s.event[above, PAYLOAD]
        place = above
    s.event[place, TIME], s.event[place, ORDER], s.event[place, PAYLOAD] = time, order, payload


@compiled_on_tables
def pop(s: State) -> None:
    """Take the first event off the heap."""
    size = s.number[EVENTS] - 1
    s.number[EVENTS] = size
    if size == 0:
        return
    # The last event is to fill the gap at the top, from where it sinks.
    time, order, payload = s.event[size, TIME], s.event[size, ORDER], s.event[size, PAYLOAD]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        right = below + 1
        if right < size and (
            s.event[right, TIME] < s.event[below, TIME]
            or (s.event[right, TIME] == s.event[below, TIME] and s.event[right, ORDER] < s.event[below, ORDER])
        ):
            below = right
        if time < s.event[below, TIME] or (time == s.event[below, TIME] and order < s.event[below, ORDER]):
            break
        s.event[place, TIME] = s.event[below, TIME]
        s.event[place, ORDER] = s.event[below, ORDER]
        s.event[place, PAYLOAD] = s.event[below, PAYLOAD]
        place = below
    s.event[place, TIME], s.event[place, ORDER], s.event[place, PAYLOAD] = time, order, payload
