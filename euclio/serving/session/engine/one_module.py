"""One module served by itself: when what becomes ready is executed, without a heap of events (compiled).

Nothing that happens in a module reaches back to one before it, so that modules can be served one after the other, each
with all that becomes ready until some time. A module needs no events then: batches are closed as invocations come, and
a machine takes its batches in the order in which they were closed (docs/model/serving.md, dispatch).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled_on_tables
from euclio.serving.session.engine.routers import (
    AT_RANDOM,
    BY_TURN,
    LAG,
    LEAST_IN_HAND,
    RATE,
    ROUTER,
    TARGET_MEMBER,
    TARGET_SIZE,
    TURN,
    TURN_OF,
    count_one,
    drawn_machine,
    drawn_other,
    first_due,
    load_of,
    most_pressing,
    next_turn,
)
from euclio.serving.session.engine.tables import NONE
from euclio.serving.session.targets import Turns, Unit
from euclio.serving.units import Ints

BY_ROUND = Unit.ROUND.value
WHOLE_BATCHES = Turns.BATCHES.value
MOST_MOVED = 16
"""Places by which batches are moved on average, at most, for their ends to be in order."""

# What is known of the module.
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
    HEAD,  # what waits in its own queue, as places in what is given
    TAIL,
    WAITING,
    MACHINE_COLUMNS,
) = range(15)
TAKEN = -2
"""Stands for the machine of an invocation that was in a batch."""


class Tables(NamedTuple):
    """A module: what describes it, where it stands, what is given to it, and what comes out.

    Attributes:
        number: what is known of the module.
        target: a row per target (`routers`), with its machines one after the other; none where machines pull.
        machine: a row per machine.
        router: the row of its router (`routers`).
        slot: when each slot is free.
        slot_size: how many invocations each executes, or executed last.
        open: requests of the batches that are collected.
        duration: durations by machine and size of a batch.
        time: when invocations become ready, ascending.
        request: whose they are.
        given: where machines have queues, the machine of each; `NONE`: it has none yet, `TAKEN`: it was executed.
        after: which is behind it in that queue.
        ends: when batches that were closed end, in the order in which they were closed.
        sizes: how many invocations they have.
        starts: where machines have queues, when they start, and ...
        by: ... on which machine.
        members: whose these are, where single invocations are dealt out; of whole batches they are as they came.
    """

    number: Ints
    target: Ints
    machine: Ints
    router: Ints
    slot: Ints
    slot_size: Ints
    open: Ints
    duration: Ints
    time: Ints
    request: Ints
    given: Ints
    after: Ints
    ends: Ints
    sizes: Ints
    starts: Ints
    by: Ints
    members: Ints


@compiled_on_tables
def serve(s: Tables, until: int) -> None:
    """Deal out single invocations that become ready before a time, and close what waits no longer than until then."""
    for k in range(s.number[INPUTS]):
        _deal(s, s.request[k], s.time[k])
    for machine in range(s.machine.shape[0]):
        if s.machine[machine, SIZE] > 0 and s.machine[machine, TIMEOUT] >= 0:
            due = s.machine[machine, OPENED] + s.machine[machine, TIMEOUT]
            if due < until:
                _close(s, machine, due)


@compiled_on_tables
def _deal(s: Tables, request: int, now: int) -> None:
    target = 0
    if s.target.shape[0] > 1:
        target = most_pressing(s.target, 0, s.target.shape[0], s.number[TOTAL_RATE])
    # Other machines collect at the same time; what becomes of them has to do with none of this one's batches.
    _close_late(s, s.target[target, TARGET_MEMBER] + s.target[target, TURN], now)
    machine = s.target[target, TARGET_MEMBER] + s.target[target, TURN]
    if s.machine[machine, SIZE] == 0:
        s.machine[machine, OPENED] = now
    s.open[s.machine[machine, OPEN_FIRST] + s.machine[machine, SIZE]] = request
    s.machine[machine, SIZE] += 1
    if s.target.shape[0] > 1:
        count_one(s.target, 0, s.target.shape[0], s.number[TOTAL_RATE], target)
    if s.number[TURNS] != WHOLE_BATCHES:
        next_turn(s.target, target)
    if s.machine[machine, SIZE] >= s.machine[machine, BATCH]:
        _close(s, machine, now)


@compiled_on_tables
def _close_late(s: Tables, machine: int, now: int) -> None:
    """Close the batch that a machine collects if its time was up before now."""
    if s.machine[machine, SIZE] > 0 and s.machine[machine, TIMEOUT] >= 0:
        due = s.machine[machine, OPENED] + s.machine[machine, TIMEOUT]
        if due < now:
            _close(s, machine, due)


@compiled_on_tables
def _close(s: Tables, machine: int, now: int) -> None:
    """Close the batch that a machine collects, and go on to whose turn it is."""
    _execute(s, machine, s.machine[machine, SIZE], now)
    first = s.machine[machine, OPEN_FIRST]
    for k in range(s.machine[machine, SIZE]):
        s.members[s.number[FILLED] + k] = s.open[first + k]
    s.number[FILLED] += s.machine[machine, SIZE]
    s.machine[machine, SIZE] = 0
    if s.number[TURNS] == WHOLE_BATCHES:
        next_turn(s.target, s.machine[machine, TARGET])


@compiled_on_tables
def serve_batches(s: Tables, until: int) -> int:
    """Deal out whole batches, each of what comes next; how many invocations are in batches closed before a time.

    One batch is collected at a time, so that nothing is looked at of most invocations.
    """
    head, inputs = 0, s.number[INPUTS]
    while head < inputs:
        target = s.number[CURRENT]
        if target == NONE:
            target = _choose(s)
        machine = s.target[target, TARGET_MEMBER] + s.target[target, TURN]
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
    chosen = first_due(s.target, 0) if s.target.shape[0] > 1 else 0
    s.number[CURRENT] = chosen
    s.number[LEFT] = s.target[chosen, TARGET_SIZE] if s.number[UNIT] == BY_ROUND else 1
    return int(chosen)


@compiled_on_tables
def _went_to(s: Tables, target: int, size: int) -> None:
    """Note that a batch of so many invocations went to a target, and go on to whose turn it is."""
    if s.target.shape[0] > 1:
        # As `count_one`, for all invocations of the batch at once.
        for k in range(s.target.shape[0]):
            s.target[k, LAG] += size * s.target[k, RATE]
        s.target[target, LAG] -= size * s.number[TOTAL_RATE]
    next_turn(s.target, target)
    s.number[LEFT] -= 1
    if s.number[LEFT] == 0:
        s.number[CURRENT] = NONE


@compiled_on_tables
def _execute(s: Tables, machine: int, size: int, now: int) -> None:
    """Let a machine take its next batch, as soon as it can; when it ends is put down."""
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
    """Give all that has become ready to the queues of machines, which take batches when they are free, up to a time."""
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
    """The machine that the next invocation is given to (`euclio.serving.session.engine.dispatch`)."""
    count, total = s.target.shape[0], s.number[TOTAL_RATE]
    if s.router[0, ROUTER] == BY_TURN:
        target = _choose(s)
        machine = s.target[target, TARGET_MEMBER] + s.target[target, TURN]
        if count > 1:
            count_one(s.target, 0, count, total, target)
        next_turn(s.target, target)
        return int(machine)
    if s.router[0, ROUTER] == LEAST_IN_HAND:
        return _least_loaded(s, now)
    one = drawn_machine(s.target, 0, total, s.router, 0)
    if s.router[0, ROUTER] == AT_RANDOM or s.machine.shape[0] == 1:
        return int(one)
    other = drawn_other(s.target, 0, total, s.router, 0, one, s.machine[one, TARGET])
    return int(other if _load(s, other, now) < _load(s, one, now) else one)


@compiled_on_tables
def _least_loaded(s: Tables, now: int) -> int:
    """The machine with the least load, of several the first after the one that was chosen last."""
    count = s.machine.shape[0]
    machine = s.router[0, TURN_OF]
    chosen, least = machine, _load(s, machine, now)
    for _ in range(count - 1):
        machine = machine + 1 if machine + 1 < count else 0
        load = _load(s, machine, now)
        if load < least:
            chosen, least = machine, load
    s.router[0, TURN_OF] = chosen + 1 if chosen + 1 < count else 0
    return int(chosen)


@compiled_on_tables
def _load(s: Tables, machine: int, now: int) -> float:
    """What a router knows of a machine's load: what ends at this very moment is not heard of yet."""
    _take(s, machine, now)
    in_hand = s.machine[machine, WAITING]
    first = s.machine[machine, SLOT_FIRST]
    for slot in range(first, first + s.machine[machine, SLOTS]):
        # What ends at this very moment still counts, as the router has not heard of it.
        if s.slot[slot] >= now:
            in_hand += s.slot_size[slot]
    return load_of(s.target, s.machine[machine, TARGET], in_hand)


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
    """Let machines that are free take what is there, in rank order, up to a time; how many were taken."""
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


class Passing(NamedTuple):
    """Batches of a module in the order in which they were closed, and what is known of the requests.

    Attributes:
        ends: when each batch ends.
        sizes: how many invocations each has.
        members: whose these are; `NONE`: a dummy.
        left: invocations of this module that each request still has; empty: each has one.
        number: the batches that have not ended, then their invocations, which are kept in front.
    """

    ends: Ints
    sizes: Ints
    members: Ints
    left: Ints
    number: Ints


@compiled_on_tables
def in_order(s: Passing, until: int, order: Ints) -> int:
    """The batches that end before a time, as they do; how many: -1 if they are too far from being in order."""
    count = moved = 0
    for k in range(s.ends.shape[0]):
        if s.ends[k] >= until:
            continue
        # Batches end nearly in the order in which they were closed, so that sorting by insertion moves few.
        place = count
        while place > 0 and s.ends[order[place - 1]] > s.ends[k]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = k
        count += 1
        moved += count - 1 - place
        # Machines that fall behind each other more and more would be moved further and further.
        if moved > MOST_MOVED * s.ends.shape[0]:
            return -1
    return count


@compiled_on_tables
def pass_on(s: Passing, order: Ints, first: Ints, time: Ints, request: Ints) -> int:
    """When which requests have passed the module, as batches end; how many.

    Args:
        s: the batches.
        order: those that have ended, as they do.
        first: where the members of each begin.
        time: when requests have passed.
        request: which they are.
    """
    found, counted = 0, s.left.shape[0] > 0
    for k in range(order.shape[0]):
        batch = order[k]
        end, begin = s.ends[batch], first[batch]
        for place in range(begin, begin + s.sizes[batch]):
            own = s.members[place]
            if own == NONE:
                continue
            # A request has passed when the last of its invocations has ended.
            if counted:
                s.left[own] -= 1
                if s.left[own] > 0:
                    continue
            time[found], request[found] = end, own
            found += 1
    return found


@compiled_on_tables
def answer(s: Passing, until: int, finish: Ints) -> None:
    """Note for requests that no module comes after what of the batches ends before a time, in any order.

    Args:
        s: the batches.
        until: the time.
        finish: when the last invocation of each request has ended so far.
    """
    place = 0
    for batch in range(s.ends.shape[0]):
        end, last = s.ends[batch], place + s.sizes[batch]
        if end < until:
            for k in range(place, last):
                own = s.members[k]
                if own != NONE:
                    finish[own] = max(finish[own], end)
        place = last


@compiled_on_tables
def keep_running(s: Passing, until: int) -> None:
    """Put in front what has not ended before a time."""
    place = kept = filled = 0
    for batch in range(s.ends.shape[0]):
        end, size = s.ends[batch], s.sizes[batch]
        if end >= until:
            s.ends[kept], s.sizes[kept] = end, size
            for k in range(place, place + size):
                s.members[filled] = s.members[k]
                filled += 1
            kept += 1
        place += size
    s.number[0], s.number[1] = kept, filled


@compiled_on_tables
def merge(time: Ints, request: Ints, other_time: Ints, other: Ints, merged_time: Ints, merged: Ints) -> None:
    """Two lists of times and requests as one, by time; of equal times those of the first list come first."""
    a = b = 0
    for k in range(merged_time.shape[0]):
        if b == other_time.shape[0] or (a < time.shape[0] and time[a] <= other_time[b]):
            merged_time[k], merged[k] = time[a], request[a]
            a += 1
        else:
            merged_time[k], merged[k] = other_time[b], other[b]
            b += 1


class Invoking(NamedTuple):
    """Requests that come to a module which they invoke more than once, or never.

    Attributes:
        time: when, ascending.
        request: which requests.
        counts: invocations by request and module.
        left: invocations of this module that each request still has.
        ready: when invocations become ready.
        whose: whose they are.
        skipped_time: when requests come that do not invoke it.
        skipped: which these are.
        number: how many invocations there are, then how many requests without one.
    """

    time: Ints
    request: Ints
    counts: NDArray[np.int32]
    left: Ints
    ready: Ints
    whose: Ints
    skipped_time: Ints
    skipped: Ints
    number: Ints


@compiled_on_tables
def invoke(s: Invoking, module: int) -> None:
    """The invocations of requests that come to a module."""
    found = skipped = 0
    for k in range(s.time.shape[0]):
        own, now = s.request[k], s.time[k]
        each = s.counts[own, module]
        if each == 0:
            s.skipped_time[skipped], s.skipped[skipped] = now, own
            skipped += 1
        s.left[own] = each
        for _ in range(each):
            s.ready[found], s.whose[found] = now, own
            found += 1
    s.number[0], s.number[1] = found, skipped


@compiled_on_tables
def join(time: Ints, request: Ints, waiting: Ints, modules: int) -> int:
    """Keep of what has passed the modules before one what has passed the last of them; how many are kept, in front.

    Args:
        time: when, ascending.
        request: which requests.
        waiting: how many of these modules each request has still to pass; 0: all, if it has passed none yet.
        modules: how many there are.
    """
    kept = 0
    for k in range(time.shape[0]):
        own = request[k]
        if waiting[own] == 0:
            waiting[own] = modules
        waiting[own] -= 1
        if waiting[own] == 0:
            time[kept], request[kept] = time[k], own
            kept += 1
    return kept


@compiled_on_tables
def count(arrival: Ints, took: Ints, window: int, levels: Ints, arrived: Ints, within: Ints) -> None:
    """Count requests by window of arrival, and by the first level that they are not slower than.

    Args:
        arrival: when each came.
        took: how long it took.
        window: length of a window.
        levels: ascending.
        arrived: requests by window.
        within: requests by window and level, those slower than all last.
    """
    for k in range(arrival.shape[0]):
        row = arrival[k] // window
        low, high = 0, levels.shape[0]
        while low < high:
            middle = (low + high) >> 1
            if levels[middle] < took[k]:
                low = middle + 1
            else:
                high = middle
        arrived[row] += 1
        within[row, low] += 1


@compiled_on_tables
def note_ready(time: Ints, request: Ints, first: int, ready: Ints, ended: Ints) -> None:
    """Note when requests become ready at a module; none of their invocations has ended there.

    Args:
        time: when.
        request: which requests; those before `first` are forgotten.
        first: the request in row 0 of what is written.
        ready: one tick after each became ready.
        ended: when the last of its invocations has ended so far.
    """
    for k in range(time.shape[0]):
        row = request[k] - first
        if row >= 0:
            ready[row], ended[row] = time[k] + 1, time[k]


@compiled_on_tables
def note_ends(s: Passing, until: int, first: int, ended: Ints) -> None:
    """Note the batches that end before a time; other arguments as those of `note_ready`."""
    at = 0
    for i in range(s.ends.shape[0]):
        if s.ends[i] < until:
            for k in range(at, at + s.sizes[i]):
                row = s.members[k] - first
                if row >= 0:
                    ended[row] = max(ended[row], s.ends[i])
        at += s.sizes[i]
