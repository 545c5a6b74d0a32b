"""Requests between modules that are served in turn: under way, among dummies, and as they are watched (ours)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import numpy as np

from euclio.serving.session.engine import between_modules as between
from euclio.serving.session.engine.tables import NONE
from euclio.serving.session.server import dummy_row
from euclio.serving.session.system import ServedModule
from euclio.serving.units import Ints

UNANSWERED = np.iinfo(np.int64).max
"""Latency of a request that is not answered yet."""
NOTHING = np.zeros(0, np.int64)


class Way:
    """The requests that are on their way from a module to a child of it."""

    def __init__(self, delay_ticks: int) -> None:
        self._delay = delay_ticks
        self._time = self.request = NOTHING
        """When it is there, ascending, and which requests it is of."""

    def go_to(self, time: Ints, request: Ints, until: int) -> tuple[Ints, Ints]:
        """The requests that are there before a time. At one moment they are in the order in which they came."""
        time, request = np.concatenate((self._time, time + self._delay)), np.concatenate((self.request, request))
        there = int(np.searchsorted(time, until))
        self._time, self.request = time[there:], request[there:]
        order = np.lexsort((request[:there], time[:there]))
        return time[order], request[order]


class Requests:
    """What is known of all requests of a simulation, by number."""

    def __init__(self, modules: int) -> None:
        self.finish = NOTHING
        self.waiting = [NOTHING for _ in range(modules)]
        """By module, where it is asked: how many modules before it, then how many invocations, each has yet to pass."""

    def add(self, arrival: Ints, numbers: Ints, room: int) -> None:
        """Let requests come, and where more rows are needed make room for so many at least."""
        last = numbers[0] + len(numbers) if len(numbers) else 0
        if last > len(self.finish):
            # All requests that have been drawn: whoever shares them lets nearly all of them come.
            self.finish = _longer(self.finish, max(last, room))
        self.finish[last - len(numbers) : last] = arrival

    def waiting_at(self, m: int) -> Ints:
        """What requests have still to pass at a module."""
        if len(self.waiting[m]) < len(self.finish):
            self.waiting[m] = _longer(self.waiting[m], len(self.finish))
        return self.waiting[m]


def _longer(table: Ints, rows: int) -> Ints:
    # Zeros are not written before they are asked for, and tables are mostly longer than what comes.
    found = np.zeros(rows, np.int64)
    found[: len(table)] = table
    return found


class Watch:
    """When requests were ready at a module, and when the last of their invocations has ended there so far."""

    def __init__(self) -> None:
        self._first = 0
        """The first request that is not forgotten."""
        self._ready, self._ended = NOTHING, NOTHING
        """One tick after each was ready, or 0 before it is; when its last invocation has ended so far."""

    def come(self, time: Ints, request: Ints) -> None:
        """Note what becomes ready."""
        rows = int(request.max()) + 1 - self._first if request.size else 0
        if rows > len(self._ready):
            rows = max(rows, 2 * len(self._ready))
            self._ready, self._ended = (_longer(table, rows) for table in (self._ready, self._ended))
        between.note_ready(time, request, self._first, self._ready, self._ended)

    def end(self, ends: Ints, sizes: Ints, members: Ints, until: int) -> None:
        """Note the batches that end before a time."""
        passing = between.Passing(ends, sizes, members, NOTHING, NOTHING)
        between.note_ends(passing, until, self._first, 0, self._ended)

    def latencies(self, first: int, last: int) -> Ints:
        """How long requests took; of those that are under way, too little."""
        if last - self._first > len(self._ready):
            self._ready, self._ended = (_longer(table, last - self._first) for table in (self._ready, self._ended))
        rows = slice(first - self._first, last - self._first)
        ready, ended = self._ready[rows], self._ended[rows]
        return np.where(ready == 0, UNANSWERED, ended - ready + 1)

    def forget(self, before: int) -> None:
        """Keep only requests from one on."""
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

        At the same tick requests that come from a module before are first, those that come from outside last.
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
    return (due + k * whole + (carried + k * part) // over for k in count())


def merged(one: tuple[Ints, Ints], other: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """Times and requests of two lists as one, by time."""
    time, request = (np.empty(len(one[0]) + len(other[0]), np.int64) for _ in range(2))
    between.merge(*one, *other, time, request)
    return time, request
