"""Timeline of a simulation: rows are slots of machines, boxes executions of batches."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from matplotlib.figure import Figure

from euclio.core.words import counted, full
from euclio.serving.session.record import Simulation
from euclio.serving.timeline_figure import Boxes, Group, draw_timeline
from euclio.serving.units import Ints

MOST_ALLOCATIONS = 16
"""Allocations that are drawn: those of the first modules."""


def draw(simulation: Simulation) -> Figure:
    """The timeline of one and a half SLOs in the middle of a simulation.

    Returns:
        Allocations one below the other, in the order of the plan. A module has one colour; the number in a box is that
        of the invocations in the batch, dummies included.
    """
    setup, done = simulation.setup, simulation.executions
    groups = _groups(simulation)
    shown = groups[:MOST_ALLOCATIONS]
    part = "" if len(shown) == len(groups) else f", {len(shown)} of {len(groups)} allocations"
    load = (
        f"{setup.clients} clients" if setup.clients else f"{setup.arrivals.value} arrivals at load {full(setup.load)}"
    )
    title = (
        f"{simulation.session.name}: {load}, dispatch {simulation.dispatch.value}{part}\n"
        "box: an execution; number: invocations in its batch; colour: module"
    )
    boxes = Boxes(_slots(simulation), done.module, done.invocations, done.start_ns, done.end_ns)
    return draw_timeline(shown, boxes, done.begin_s, done.length_s, title, "slots of machines, one per row")


def _slots(simulation: Simulation) -> Ints:
    """A slot for each execution, numbered machine by machine: the first that is free when it starts."""
    done = simulation.executions
    slots = [machine.slots for machine in simulation.system.machines]
    first = np.concatenate(([0], np.cumsum(slots)))
    free_at = np.zeros(first[-1], np.int64)
    found = np.zeros(done.machine.size, np.int64)
    for k in np.lexsort((done.end_ns, done.start_ns)):
        own = slice(first[done.machine[k]], first[done.machine[k] + 1])
        found[k] = own.start + int(np.argmax(free_at[own] <= done.start_ns[k]))
        free_at[found[k]] = done.end_ns[k]
    return found


def _groups(simulation: Simulation) -> list[Group]:
    """Label and slots of every allocation."""
    found, first = [], 0
    for (module, place), alike in groupby(simulation.system.machines, key=lambda m: (m.module, m.allocation)):
        machines = list(alike)
        slots = tuple(range(first, first + sum(machine.slots for machine in machines)))
        first += len(slots)
        c = simulation.plan.modules[module].allocations[place].configuration
        whose = simulation.system.modules[module].name
        size = f"{counted(len(machines), 'machine')} of {c.hardware}, batch {c.batch}, concurrency {c.concurrency}"
        found.append(Group(f"{whose}: {size}", slots))
    return found
