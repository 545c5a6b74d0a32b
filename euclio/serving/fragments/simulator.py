"""Fleets for `euclio simulate`."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from euclio.core.lazy import late
from euclio.core.parts import Simulator
from euclio.core.words import counted, duration, full, listed
from euclio.serving.fragments.metrics import describe
from euclio.serving.fragments.record import Simulation
from euclio.serving.fragments.setup import Setup
from euclio.serving.fragments.simulation import highest_loads, offered_rps, simulate
from euclio.serving.fragments.system import ServedStage
from euclio.serving.timeline_figure import Boxes, Group, draw_timeline

# Timeline of a simulation: rows are instances, boxes executions of batches.

NAMES_SHOWN = 3
MOST_STAGES = 12
"""Stages that are drawn: those of the first sets."""


def draw(simulation: Simulation, begin_s: float | None = None, length_s: float | None = None) -> Figure:
    """The timeline of a part of a simulation.

    Args:
        simulation: what is drawn.
        begin_s: where the part begins; by default in the middle of the arrivals.
        length_s: how long it is; by default one and a half times the longest time budget.

    Returns:
        Stages one below the other, own ones before the shared one of their set, as many as fit. A set has one colour;
        the number in a box is that of the requests in the batch.
    """
    setup, done = simulation.setup, simulation.executions
    begin = setup.seconds / 2 if begin_s is None else begin_s
    length = 1.5 * max(float(f.budget_s) for f in simulation.fleet.fragments) if length_s is None else length_s
    shown = simulation.stages[:MOST_STAGES]
    groups = [_group(simulation, stage) for stage in shown]
    part = "" if len(shown) == len(simulation.stages) else f", {len(shown)} of {len(simulation.stages)} stages"
    title = (
        f"{simulation.fleet.name}: {setup.arrivals.value} arrivals at load {full(setup.load)}{part}\n"
        "box: an execution; number: requests in its batch; colour: set"
    )
    colour = np.array([stage.place for stage in simulation.stages])[done.stage]
    boxes = Boxes(done.instance, colour, done.requests, done.start_ns, done.end_ns)
    return draw_timeline(groups, boxes, begin, length, title, "instances, one per row")


def _group(simulation: Simulation, stage: ServedStage) -> Group:
    """Label and instances of a stage."""
    whose = listed((simulation.fleet.fragments[k].name for k in stage.fragments), NAMES_SHOWN)
    size = f"{counted(stage.stage.instances, 'instance')} of {stage.stage.share_pct} %, batch {stage.stage.batch}"
    label = f"set {stage.place}, layers {stage.first}-{stage.end - 1} of {whose}: {size}"
    return Group(label, tuple(range(stage.first_instance, stage.first_instance + stage.stage.instances)))


def _speed(simulation: Simulation) -> str:
    batches = simulation.executions.requests.size
    if not batches:
        return ""
    return f"{counted(batches, 'batch', 'batches')} simulated in {duration(simulation.wall_s)}"


SIMULATOR = Simulator(
    setup=Setup,
    offered_rps=offered_rps,
    simulate=simulate,
    highest_loads=highest_loads,
    describe=describe,
    table=late("euclio.serving.fragments.table", "simulation_table"),
    loads_table=late("euclio.serving.fragments.table", "loads_table"),
    speed=_speed,
    draw=late("euclio.serving.fragments.simulator", "draw"),
    draw_latencies=late("euclio.serving.fragments.distribution_figure", "draw"),
)
