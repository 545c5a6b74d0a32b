"""Timeline of a simulation: rows are machines, boxes executions of batches."""

from __future__ import annotations

from itertools import groupby

from matplotlib.figure import Figure

from euclio.core.words import counted
from euclio.session.simulation.record import Simulation
from euclio.simulation.timeline_figure import Boxes, Group, draw_timeline

MOST_ALLOCATIONS = 16
"""Allocations that are drawn: those of the first modules."""


def draw(simulation: Simulation) -> Figure:
    """The timeline of one and a half SLOs in the middle of a simulation.

    Returns:
        Allocations one below the other, in the order of the plan. A module has one colour; the number in a box is that of
        the invocations in the batch, dummies included.
    """
    setup, done = simulation.setup, simulation.executions
    groups = _groups(simulation)
    shown = groups[:MOST_ALLOCATIONS]
    part = "" if len(shown) == len(groups) else f", {len(shown)} of {len(groups)} allocations"
    load = f"{setup.clients} clients" if setup.clients else f"{setup.arrivals.value} arrivals at load {setup.load:g}"
    title = (
        f"{simulation.session.name}: {load}, dispatch {simulation.dispatch.value}{part}\n"
        "box: an execution; number: invocations in its batch; colour: module"
    )
    boxes = Boxes(done.machine, done.module, done.invocations, done.start_ns, done.end_ns)
    return draw_timeline(shown, boxes, done.begin_s, done.length_s, title, "slots of machines, one machine per row")


def _groups(simulation: Simulation) -> list[Group]:
    """Label and machines of every allocation."""
    numbered = enumerate(simulation.system.machines)
    found = []
    for (module, place), members in groupby(numbered, key=lambda pair: (pair[1].module, pair[1].allocation)):
        numbers = tuple(number for number, _ in members)
        c = simulation.plan.modules[module].allocations[place].configuration
        whose = simulation.system.modules[module].name
        size = f"{counted(len(numbers), 'machine')} of {c.hardware}, batch {c.batch}, concurrency {c.concurrency}"
        found.append(Group(f"{whose}: {size}", numbers))
    return found
