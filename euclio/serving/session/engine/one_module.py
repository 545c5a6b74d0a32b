"""One module simulated by itself: times of execution of its invocations, without a heap of events (compiled).

The events in a module have no effect on modules before it. So modules can be simulated one after the other, each with
all invocations that become ready until some time. A module then needs no events: batches are closed as invocations
come, and a machine takes its batches in the order in which they were closed (docs/model/serving.md, dispatch).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled_on_tables
from euclio.serving.session.engine import routers
from euclio.serving.session.engine.tables import NONE
from euclio.serving.session.targets import Turns, Unit
from euclio.serving.units import Ints

BY_ROUND = Unit.ROUND.value
WHOLE_BATCHES = Turns.BATCHES.value

# Numbers of the module.
UNIT, TURNS, TOTAL_RATE, CURRENT, LEFT, INPUTS, CLOSED, FILLED, NUMBERS = range(9)
# Its machines.
(
    BATCH,
    SLOTS,
    SLOT_FIRST,  # when its slots are free stands in `Tables.slot` from here
    DURATION_FIRST,
    TIMEOUT,  # -1: until the batch is full
    SPACING,
    TARGET,
    OPEN_FIRST,  # what it collects stands in `Tables.open` from here
    AVAILABLE,  # no batch starts before
    OPENED,
    SIZE,  # invocations of the batch that it collects
    HEAD,  # first invocation in its own queue, as a place in the list of given ones
    TAIL,
    WAITING,
    MACHINE_COLUMNS,
) = range(15)
TAKEN = -2
"""Stands for the machine of an invocation that was in a batch."""


class Tables(NamedTuple):
    """A module: its description, its state, its input, and its output."""

    number: Ints  # numbers of the module
    target: Ints  # a row per target (`routers`), with its machines one after the other; none if machines pull
    machine: Ints  # a row per machine
    router: Ints  # the row of its router (`routers`)
    slot: Ints  # when each slot is free
    slot_size: Ints  # number of invocations that each executes, or executed last
    open: Ints  # requests of the batches that are collected
    duration: Ints  # durations by machine and size of a batch
    time: Ints  # when invocations become ready, ascending
    request: Ints  # their requests
    given: Ints  # if machines have queues, the machine of each; `NONE` before it has one, `TAKEN` once it was executed
    after: Ints  # the next one in that queue
    ends: Ints  # ends of closed batches, in the order in which they were closed
    sizes: Ints  # their numbers of invocations
    starts: Ints  # if machines have queues, their starts, and
    by: Ints  # ... their machines
    members: Ints  # requests of these, if single invocations are dealt out; whole batches have them as they came


@compiled_on_tables
def serve(s: Tables, until: int) -> None:
    """Deal out single invocations that become ready before a time, and close batches whose timeout ends by then."""
    for k in range(s.number[INPUTS]):
        _deal(s, s.request[k], s.time[k])
    for machine in range(s.machine.shape[0]):
        _close_late(s, machine, until)


@compiled_on_tables
def _deal(s: Tables, request: int, now: int) -> None:
    target = _next_target(s)
    # Other machines collect at the same time, without effect on this one's batches.
    _close_late(s, s.target[target, routers.TARGET_MEMBER] + s.target[target, routers.TURN], now)
    machine = s.target[target, routers.TARGET_MEMBER] + s.target[target, routers.TURN]
    if s.machine[machine, SIZE] == 0:
        s.machine[machine, OPENED] = now
    s.open[s.machine[machine, OPEN_FIRST] + s.machine[machine, SIZE]] = request
    s.machine[machine, SIZE] += 1
    if s.number[TURNS] != WHOLE_BATCHES:
        routers.next_turn(s.target, target)
    if s.machine[machine, SIZE] >= s.machine[machine, BATCH]:
        _close(s, machine, now)


@compiled_on_tables
def _next_target(s: Tables) -> int:
    """The target of the next single invocation; it counts as dealt out."""
    count, total = s.target.shape[0], s.number[TOTAL_RATE]
    if count == 1:
        return 0
    target = routers.most_pressing(s.target, 0, count, total)
    routers.count_one(s.target, 0, count, total, target)
    return int(target)


@compiled_on_tables
def _close_late(s: Tables, machine: int, now: int) -> None:
    """Close the batch that a machine collects if its time is up before a moment."""
    if s.machine[machine, SIZE] > 0 and s.machine[machine, TIMEOUT] >= 0:
        due = s.machine[machine, OPENED] + s.machine[machine, TIMEOUT]
        if due < now:
            _close(s, machine, due)


@compiled_on_tables
def _close(s: Tables, machine: int, now: int) -> None:
    """Close the batch that a machine collects, and pass the turn on."""
    _execute(s, machine, s.machine[machine, SIZE], now)
    first = s.machine[machine, OPEN_FIRST]
    for k in range(s.machine[machine, SIZE]):
        s.members[s.number[FILLED] + k] = s.open[first + k]
    s.number[FILLED] += s.machine[machine, SIZE]
    s.machine[machine, SIZE] = 0
    if s.number[TURNS] == WHOLE_BATCHES:
        routers.next_turn(s.target, s.machine[machine, TARGET])


@compiled_on_tables
def serve_batches(s: Tables, until: int) -> int:
    """Deal out whole batches of consecutive invocations; returns how many of these are in batches closed before a time.

    One batch is collected at a time, so that most invocations need no look.
    """
    head, inputs = 0, s.number[INPUTS]
    while head < inputs:
        target = s.number[CURRENT]
        if target == NONE:
            target = _choose(s)
        machine = s.target[target, routers.TARGET_MEMBER] + s.target[target, routers.TURN]
        last, timeout = head + s.machine[machine, BATCH], s.machine[machine, TIMEOUT]
        due = s.time[head] + timeout
        # A batch that is full and one whose time is up at the same moment: the invocation is in it.
        if last <= inputs and (timeout < 0 or s.time[last - 1] <= due):
            now = s.time[last - 1]
        elif timeout < 0 or due >= until:
            return head
        else:
            now, last = due, min(last, inputs)
            # Its time was up before it was full: what becomes ready after that is not in it.
            while s.time[last - 1] > due:
                last -= 1
        _execute(s, machine, last - head, now)
        _went_to(s, target, last - head)
        head = last
    return head


@compiled_on_tables
def _choose(s: Tables) -> int:
    """The target that is due (`euclio.serving.session.engine.dispatch`); it becomes the current one."""
    chosen = routers.first_due(s.target, 0) if s.target.shape[0] > 1 else 0
    s.number[CURRENT] = chosen
    s.number[LEFT] = s.target[chosen, routers.TARGET_SIZE] if s.number[UNIT] == BY_ROUND else 1
    return int(chosen)


@compiled_on_tables
def _went_to(s: Tables, target: int, size: int) -> None:
    """Note that a batch of `size` invocations went to a target, and pass the turn on."""
    if s.target.shape[0] > 1:
        # As `count_one`, for all invocations of the batch at once.
        for k in range(s.target.shape[0]):
            s.target[k, routers.LAG] += size * s.target[k, routers.RATE]
        s.target[target, routers.LAG] -= size * s.number[TOTAL_RATE]
    routers.next_turn(s.target, target)
    s.number[LEFT] -= 1
    if s.number[LEFT] == 0:
        s.number[CURRENT] = NONE


@compiled_on_tables
def _execute(s: Tables, machine: int, size: int, now: int) -> None:
    """Let a machine take its next batch as soon as it can, and note its end."""
    slot = _free_slot(s, machine)
    start = max(now, s.machine[machine, AVAILABLE], s.slot[slot])
    # At least a tick, so that time always goes on.
    end = start + max(1, s.duration[s.machine[machine, DURATION_FIRST] + size])
    s.slot[slot] = end
    if s.machine[machine, SPACING] > 0:
        s.machine[machine, AVAILABLE] = start + s.machine[machine, SPACING]
    s.ends[s.number[CLOSED]], s.sizes[s.number[CLOSED]] = end, size
    s.number[CLOSED] += 1


@compiled_on_tables
def _free_slot(s: Tables, machine: int) -> int:
    """The slot that is free first."""
    first = s.machine[machine, SLOT_FIRST]
    found = first
    for k in range(first + 1, first + s.machine[machine, SLOTS]):
        if s.slot[k] < s.slot[found]:
            found = k
    return int(found)


@compiled_on_tables
def route(s: Tables, until: int) -> None:
    """Give all ready invocations to the queues of machines, which take batches when they are free, up to a time."""
    for k in range(s.number[INPUTS]):
        if s.given[k] == NONE:
            s.given[k] = _routed(s, s.time[k])
        machine = s.given[k]
        if s.machine[machine, WAITING] == 0:
            s.machine[machine, HEAD] = k
        else:
            s.after[s.machine[machine, TAIL]] = k
        s.machine[machine, TAIL] = k
        s.machine[machine, WAITING] += 1
    for machine in range(s.machine.shape[0]):
        _take(s, machine, until)


@compiled_on_tables
def _routed(s: Tables, now: int) -> int:
    """The machine of the next invocation (`euclio.serving.session.engine.dispatch`)."""
    total = s.number[TOTAL_RATE]
    if s.router[0, routers.ROUTER] == routers.BY_TURN:
        target = _next_target(s)
        machine = s.target[target, routers.TARGET_MEMBER] + s.target[target, routers.TURN]
        routers.next_turn(s.target, target)
        return int(machine)
    if s.router[0, routers.ROUTER] == routers.LEAST_IN_HAND:
        return _least_loaded(s, now)
    one = routers.drawn_machine(s.target, 0, total, s.router, 0)
    if s.router[0, routers.ROUTER] == routers.AT_RANDOM or s.machine.shape[0] == 1:
        return int(one)
    other = routers.drawn_other(s.target, 0, total, s.router, 0, one, s.machine[one, TARGET])
    return int(other if _load(s, other, now) < _load(s, one, now) else one)


@compiled_on_tables
def _least_loaded(s: Tables, now: int) -> int:
    """The machine with the least load; of several, the first after the one that was chosen last."""
    count = s.machine.shape[0]
    machine = s.router[0, routers.TURN_OF]
    chosen, least = machine, _load(s, machine, now)
    for _ in range(count - 1):
        machine = machine + 1 if machine + 1 < count else 0
        load = _load(s, machine, now)
        if load < least:
            chosen, least = machine, load
    s.router[0, routers.TURN_OF] = chosen + 1 if chosen + 1 < count else 0
    return int(chosen)


@compiled_on_tables
def _load(s: Tables, machine: int, now: int) -> float:
    """A machine's load as its router knows it: ends at this moment are not known yet."""
    _take(s, machine, now)
    in_hand = s.machine[machine, WAITING]
    first = s.machine[machine, SLOT_FIRST]
    for slot in range(first, first + s.machine[machine, SLOTS]):
        # Invocations that end at this moment still count, since the router does not know it yet.
        if s.slot[slot] >= now:
            in_hand += s.slot_size[slot]
    return routers.load_of(s.target, s.machine[machine, TARGET], in_hand)


@compiled_on_tables
def _take(s: Tables, machine: int, until: int) -> None:
    """Let a machine take what waits in its queue whenever it is free, before a time."""
    while s.machine[machine, WAITING] > 0:
        slot, k = _free_slot(s, machine), s.machine[machine, HEAD]
        start = max(s.machine[machine, AVAILABLE], s.slot[slot], s.time[k])
        if start >= until:
            return
        size, most = 0, min(s.machine[machine, BATCH], s.machine[machine, WAITING])
        # What it was given since is known already, and was not there yet.
        while size < most and s.time[k] <= start:
            s.members[s.number[FILLED] + size] = s.request[k]
            s.given[k] = TAKEN
            size += 1
            k = s.after[k]
        s.machine[machine, HEAD] = k
        s.machine[machine, WAITING] -= size
        s.number[FILLED] += size
        s.starts[s.number[CLOSED]], s.by[s.number[CLOSED]] = start, machine
        _execute(s, machine, size, start)
        s.slot_size[slot] = size


@compiled_on_tables
def pull(s: Tables, until: int) -> int:
    """Let free machines take waiting invocations, in rank order, up to a time; returns the number of taken ones."""
    head, seen, inputs = 0, 0, s.number[INPUTS]
    while head < inputs:
        now = _free_at(s, 0)
        for machine in range(1, s.machine.shape[0]):
            now = min(now, _free_at(s, machine))
        # The next time at which both a machine is free and an invocation is there.
        now = max(now, s.time[head])
        if now >= until:
            return head
        while seen < inputs and s.time[seen] <= now:
            seen += 1
        for machine in range(s.machine.shape[0]):
            while head < seen and _free_at(s, machine) <= now:
                size = min(s.machine[machine, BATCH], seen - head)
                _execute(s, machine, size, now)
                head += size
            if head == seen:
                break
    return head


@compiled_on_tables
def _free_at(s: Tables, machine: int) -> int:
    return int(max(s.machine[machine, AVAILABLE], s.slot[_free_slot(s, machine)]))


def compile_one_module() -> None:
    """Compile the kernels, or load their machine code."""
    nothing = np.zeros(0, np.int64)
    table, row = np.zeros((1, 1), np.int64), np.zeros(NUMBERS, np.int64)
    tables = Tables(row, table[:0], table[:0], table, *(nothing,) * 13)
    serve(tables, 0)
    serve_batches(tables, 0)
    route(tables, 0)
    pull(tables, 0)
