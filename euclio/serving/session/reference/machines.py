"""Machines: open batch, closed batches that wait, executions."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from euclio.serving.session.reference.records import Invocation


@dataclass(slots=True)
class MachineState:
    """What a machine has to do.

    Attributes:
        open: invocations of the batch that is being collected.
        opened: batches opened so far; a time-out is for the batch that it was set for.
        closed: closed batches that wait, first come first served, each with the machine that collected it.
        running: slots in use.
        free_since_ticks: when it last had a free slot again after it had none.
        asked_ticks: the latest time for which an event is set to ask whether it pulls.
        available_ticks: it starts no batch before.
        wakes: whether an event is set for that time.
        given: behind a router, invocations that it was given and that have not ended, or ended just now.
    """

    open: list[Invocation] = field(default_factory=list)
    opened: int = 0
    closed: deque[tuple[int, list[Invocation]]] = field(default_factory=deque)
    running: int = 0
    free_since_ticks: int = 0
    asked_ticks: int = 0
    available_ticks: int = 0
    wakes: bool = False
    given: list[Invocation] = field(default_factory=list)
