"""What the reference simulator says of a run, event by event."""

from __future__ import annotations

from dataclasses import dataclass, field

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
        executions: batches, in the order in which they started.
        invocations: invocations, in the order in which they were dealt out, or became ready where machines pull.
    """

    arrival_ticks: list[int] = field(default_factory=list)
    finish_ticks: list[int] = field(default_factory=list)
    executions: list[Execution] = field(default_factory=list)
    invocations: list[Invocation] = field(default_factory=list)
