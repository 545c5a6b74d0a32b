"""What the reference simulator says of a run, event by event."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from fractions import Fraction
from typing import NamedTuple

from euclio.serving.session.system import System

# Requests on their way through the graph: what is left of each, and what is reached next.


@dataclass(slots=True)
class Request:
    """A request.

    Attributes:
        arrival_ticks: when it arrived.
        left: of each module, invocations that have not ended.
        waiting: of each module, parents that have not handed it on.
        ready_ticks: of each module, when its invocations became ready, or not before.
        done_ticks: of each module, when the last invocation there or before it has ended so far.
        to_pass: modules that it has not passed yet.
        last_end_ticks: when an invocation of it ended last.
        dropped: whether it was dropped.
    """

    arrival_ticks: int
    left: list[int]
    waiting: list[int]
    ready_ticks: list[int]
    done_ticks: list[int]
    to_pass: int
    last_end_ticks: int
    dropped: bool = False


def new_request(system: System, arrival_ticks: int, counts: Sequence[int]) -> Request:
    """A request that has arrived; `counts` are its invocations of each module, `ELSEWHERE` of those it never passes."""
    waiting, began = [len(module.parents) for module in system.modules], [arrival_ticks] * len(counts)
    to_pass = sum(count != ELSEWHERE for count in counts)
    return Request(arrival_ticks, list(counts), waiting, began, list(began), to_pass, arrival_ticks)


ELSEWHERE = -1
"""Invocations of a module of another application."""


def counts_of(system: System, number: int, stream: int = 0) -> list[int]:
    """Invocations of each module that the request of this number makes: ⌊(k + 1)·ratio⌋ − ⌊k·ratio⌋ of request k.

    Args:
        system: what serves it.
        number: k, its number among the requests of its stream.
        stream: the stream.
    """
    return [
        _whole((number + 1) * m.per_request) - _whole(number * m.per_request) if m.stream == stream else ELSEWHERE
        for m in system.modules
    ]


def _whole(value: Fraction) -> int:
    return value.numerator // value.denominator


def entered(system: System, counts: Sequence[int]) -> list[int]:
    """Numbers of the modules that a request with these invocations enters by."""
    return [m for m, module in enumerate(system.modules) if not module.parents and counts[m] != ELSEWHERE]


def reached(system: System, request: Request, modules: Iterable[int], now: int) -> list[int]:
    """Children that a request is to reach when these modules hand it on, ascending; `ready_ticks` says when."""
    found = []
    for m in modules:
        for child, delay in zip(system.modules[m].children, system.modules[m].delays_ticks, strict=True):
            request.waiting[child] -= 1
            request.ready_ticks[child] = max(request.ready_ticks[child], now + delay)
            request.done_ticks[child] = max(request.done_ticks[child], request.done_ticks[m])
            if request.waiting[child] == 0:
                found.append(child)
    return sorted(found)


# Events in the order of docs/model/serving.md: by time, then by kind, then by what the kind says.


class Kind(IntEnum):
    """Kinds of events, in their order at equal times."""

    END = 0
    """An execution ends; by the order in which executions started."""
    AVAILABLE = 1
    """A machine that others share may start again; by machine."""
    HANDED_ON = 2
    """A module hands on a request that it has held; by request, then module."""
    REACHED = 3
    """A request reaches a module after a delay; by request, then module."""
    DUMMY = 4
    """A dummy becomes ready; by module."""
    ARRIVAL = 5
    """A request arrives; by request."""
    TIMEOUT = 6
    """A batch, or a machine that pulls, has waited long enough; by machine."""
    PULL = 7
    """Machines that are free take what is there; by module, and behind routers by machine."""


class Event(NamedTuple):
    """An event; tuples compare as the order wants it.

    Attributes:
        time_ticks: when.
        kind: what.
        first: what events of its kind are ordered by.
        second: what they are ordered by next; of a time-out, the batch that it closes, if its machine collects one.
    """

    time_ticks: int
    kind: Kind
    first: int
    second: int = 0


@dataclass(slots=True)
class Calendar:
    """Events to come.

    Attributes:
        now_ticks: time of the event that was taken last.
        heap: the events.
    """

    now_ticks: int = 0
    heap: list[Event] = field(default_factory=list)

    def add(self, time_ticks: int, kind: Kind, first: int, second: int = 0) -> None:
        """Note an event."""
        heapq.heappush(self.heap, Event(time_ticks, kind, first, second))

    def take(self) -> Event | None:
        """The next event, and move to its time; None: none is left."""
        if not self.heap:
            return None
        event = heapq.heappop(self.heap)
        self.now_ticks = event.time_ticks
        return event


DUMMY = -1
"""Stands for the request of a dummy."""
NEVER = -1
"""Stands for a time that does not come: of what was dropped."""


@dataclass(slots=True)
class Invocation:
    """An invocation of a module.

    Attributes:
        request: number of its request; `DUMMY`: it is a dummy.
        module: number of the module.
        ready_ticks: when it became ready.
        machine: number of the machine that it was given to; -1: none yet, machines pull.
        start_ticks: when its batch started; `NEVER`: it was dropped.
        end_ticks: when its batch ended; `NEVER`: it was dropped.
    """

    request: int
    module: int
    ready_ticks: int
    machine: int = -1
    start_ticks: int = NEVER
    end_ticks: int = NEVER


@dataclass(frozen=True, slots=True)
class Execution:
    """A batch that was executed.

    Attributes:
        module: number of the module.
        machine: number of the machine.
        size: invocations in it, dummies included.
        start_ticks: when it started.
        end_ticks: when it ended.
    """

    module: int
    machine: int
    size: int
    start_ticks: int
    end_ticks: int


@dataclass(slots=True)
class Served:
    """A run.

    Attributes:
        arrival_ticks: when requests arrived, in the order of their numbers.
        finish_ticks: when all invocations of a request had ended; `NEVER`: it was dropped.
        objective_ticks: when the invocations that each objective counts had ended; `NEVER`: it was dropped before, or
            it is of another application.
        executions: batches, in the order in which they started.
        invocations: invocations, in the order in which they were dealt out, or became ready where machines pull.
    """

    arrival_ticks: list[int] = field(default_factory=list)
    finish_ticks: list[int] = field(default_factory=list)
    objective_ticks: list[list[int]] = field(default_factory=list)
    executions: list[Execution] = field(default_factory=list)
    invocations: list[Invocation] = field(default_factory=list)
