"""Events in the order of docs/model/serving.md: by time, then by kind, then by what the kind says."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple


class Kind(IntEnum):
    """Kinds of events, in their order at equal times."""

    END = 0
    """An execution ends; by the order in which executions started."""
    AVAILABLE = 1
    """A machine that others share may start again; by machine."""
    HANDED_ON = 2
    """A module hands on a request that it has held; by request, then module."""
    DUMMY = 3
    """A dummy becomes ready; by module."""
    ARRIVAL = 4
    """A request arrives; by request."""
    TIMEOUT = 5
    """A batch, or a machine that pulls, has waited long enough; by machine."""
    PULL = 6
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
