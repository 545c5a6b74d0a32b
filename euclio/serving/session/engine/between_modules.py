"""Requests between modules that are simulated one by one: in order, under way, among dummies, watched (ours)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from euclio.core.compiled import compiled_on_tables
from euclio.serving.session.engine.tables import NONE
from euclio.serving.session.server import dummy_row
from euclio.serving.session.system import ServedModule
from euclio.serving.units import Ints

MOST_MOVED = 16
"""Largest mean number of places by which batches move to bring their ends in order."""


class Passing(NamedTuple):
    """Batches of a module in the order in which they were closed, and the state of the requests."""

    ends: Ints  # when each batch ends
    sizes: Ints  # number of invocations of each
    members: Ints  # the requests of these; `NONE` for a dummy
    left: Ints  # open invocations of each request at this module; empty if each has one
    number: Ints  # number of batches that have not ended, then of their invocations, which stand in front


@compiled_on_tables
def in_order(s: Passing, until: int, order: Ints) -> int:
    """List the batches that end before a time, by ends; returns their number, -1 if the order is too different."""
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
    """List times and requests that have passed the module, as batches end; returns their number.

    `order` are the ended batches by their ends; `first` is the place of each one's first member.
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
def keep_running(s: Passing, until: int) -> None:
    """Move the batches that have not ended before a time to the front."""
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
    """Requests that come to a module which they invoke more than once, or never."""

    time: Ints  # times, ascending
    request: Ints  # the requests
    counts: NDArray[np.int32]  # invocations by request and module
    left: Ints  # open invocations of each request at this module
    ready: Ints  # when invocations become ready
    whose: Ints  # their requests
    skipped_time: Ints  # when requests come that do not invoke it
    skipped: Ints  # these requests
    number: Ints  # number of invocations, then of requests without one


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
    """Keep the requests that have passed the last of the modules before one, in front; returns their number.

    `waiting` is the number of these modules that each request must still pass; 0 stands for all if it has passed none.
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
    """Count requests by window of arrival, and by the first level that they do not exceed.

    `levels` ascend; the last column of `within` has the requests that exceed all.
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

    Row 0 is request `first`; earlier ones are forgotten. `ready` is noted one tick later, so that 0 means never.
    """
    for k in range(time.shape[0]):
        row = request[k] - first
        if row >= 0:
            ready[row], ended[row] = time[k] + 1, time[k]


@compiled_on_tables
def note_ends(s: Passing, until: int, first: int, more: int, ended: Ints) -> None:
    """Note the batches that end before a time, in any order.

    Row 0 is request `first`; earlier ones are forgotten. `more` is added to the ends.
    """
    at = 0
    for i in range(s.ends.shape[0]):
        if s.ends[i] < until:
            for k in range(at, at + s.sizes[i]):
                row = s.members[k] - first
                if row >= 0:
                    ended[row] = max(ended[row], s.ends[i] + more)
        at += s.sizes[i]


def compile_between_modules(row: Ints) -> None:
    """Compile the kernels, or load their machine code."""
    nothing = np.zeros(0, np.int64)
    passing = Passing(*(nothing,) * 4, row)
    in_order(passing, 0, nothing)
    pass_on(passing, *(nothing,) * 4)
    keep_running(passing, 0)
    merge(*(nothing,) * 6)
    invoke(Invoking(nothing, nothing, np.zeros((0, 1), np.int32), *(nothing,) * 5, row), 0)
    join(nothing, nothing, nothing, 1)
    count(nothing, nothing, 1, nothing, nothing, np.zeros((1, 1), np.int64))
    note_ready(nothing, nothing, 0, nothing, nothing)
    note_ends(passing, 0, 0, 0, nothing)


# State from one stretch of time to the next (interpreted; it calls the kernels above).

UNANSWERED = np.iinfo(np.int64).max
"""Latency of a request that is not answered yet."""
NOTHING = np.zeros(0, np.int64)


class Way:
    """The requests that are on their way from a module to a child of it."""

    def __init__(self, delay_ticks: int) -> None:
        self._delay = delay_ticks
        self._time = self.request = NOTHING
        """Times of their arrival there, ascending, and the requests."""

    def go_to(self, time: Ints, request: Ints, until: int) -> tuple[Ints, Ints]:
        """The requests that arrive before a time; equal times keep the order in which they came."""
        time, request = np.concatenate((self._time, time + self._delay)), np.concatenate((self.request, request))
        there = int(np.searchsorted(time, until))
        self._time, self.request = time[there:], request[there:]
        order = np.lexsort((request[:there], time[:there]))
        return time[order], request[order]


class Requests:
    """State of all requests of a simulation, by number."""

    def __init__(self, modules: int) -> None:
        self.finish = NOTHING
        self.waiting = [NOTHING for _ in range(modules)]
        """By module, if needed: how many modules before it, then invocations, each request must still pass."""

    def add(self, arrival: Ints, numbers: Ints, room: int) -> None:
        """Let requests come, and where more rows are needed make room for so many at least."""
        last = numbers[0] + len(numbers) if len(numbers) else 0
        if last > len(self.finish):
            # All requests that have been drawn: whoever shares them lets nearly all of them come.
            self.finish = _longer(self.finish, max(last, room))
        self.finish[last - len(numbers) : last] = arrival

    def waiting_at(self, m: int) -> Ints:
        """Numbers that requests must still pass at a module."""
        if len(self.waiting[m]) < len(self.finish):
            self.waiting[m] = _longer(self.waiting[m], len(self.finish))
        return self.waiting[m]


def _longer(table: Ints, rows: int) -> Ints:
    # The system writes zeros at their first use only, and tables are mostly longer than needed.
    found = np.zeros(rows, np.int64)
    found[: len(table)] = table
    return found


class Watch:
    """Times at which requests were ready at a module, and ends of the last of their invocations there so far."""

    def __init__(self) -> None:
        self._first = 0
        """The first request that is not forgotten."""
        self._ready, self._ended = NOTHING, NOTHING
        """One tick after each was ready, or 0 before it is; when its last invocation has ended so far."""

    def come(self, time: Ints, request: Ints) -> None:
        """Note requests that become ready."""
        rows = int(request.max()) + 1 - self._first if request.size else 0
        if rows > len(self._ready):
            rows = max(rows, 2 * len(self._ready))
            self._ready, self._ended = (_longer(table, rows) for table in (self._ready, self._ended))
        note_ready(time, request, self._first, self._ready, self._ended)

    def end(self, ends: Ints, sizes: Ints, members: Ints, until: int) -> None:
        """Note the batches that end before a time."""
        passing = Passing(ends, sizes, members, NOTHING, NOTHING)
        note_ends(passing, until, self._first, 0, self._ended)

    def latencies(self, first: int, last: int) -> Ints:
        """Latencies of requests; of those under way, a part."""
        if last - self._first > len(self._ready):
            self._ready, self._ended = (_longer(table, last - self._first) for table in (self._ready, self._ended))
        rows = slice(first - self._first, last - self._first)
        ready, ended = self._ready[rows], self._ended[rows]
        return np.where(ready == 0, UNANSWERED, ended - ready + 1)

    def forget(self, before: int) -> None:
        """Forget requests before one."""
        gone = before - self._first
        self._first, self._ready, self._ended = before, self._ready[gone:].copy(), self._ended[gone:].copy()


class Dummies:
    """The dummies of a module, evenly spaced."""

    def __init__(self, module: ServedModule, until_ticks: int | None) -> None:
        self._first, self._until = not module.parents, until_ticks
        self._due = _dummy_times(module)
        self._next = next(self._due)

    def among(self, time: Ints, request: Ints, until: int) -> tuple[Ints, Ints]:
        """Invocations with the dummies before a time among them.

        At the same tick, requests from a module before come first, and requests from outside last.
        """
        until = until if self._until is None else min(until, self._until)
        due = []
        while self._next < until:
            due.append(self._next)
            self._next = next(self._due)
        dummies = np.array(due, np.int64), np.full(len(due), NONE)
        return merged(dummies, (time, request)) if self._first else merged((time, request), dummies)


def _dummy_times(module: ServedModule) -> Iterator[int]:
    """When dummies come, in ticks, as the engine counts them."""
    due, carried, whole, part, over = dummy_row(module.dummy_period_ticks)
    return (due + k * whole + (carried + k * part) // over for k in itertools.count())


def merged(one: tuple[Ints, Ints], other: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Times and requests of two lists as one, by time."""
    time, request = (np.empty(len(one[0]) + len(other[0]), np.int64) for _ in range(2))
    merge(*one, *other, time, request)
    return time, request
