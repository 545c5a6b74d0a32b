"""Fleets for `euclio simulate`."""

from __future__ import annotations

from euclio.core.lazy import late
from euclio.core.parts.simulator import Simulator
from euclio.core.words import counted, duration
from euclio.serving.fragments.metrics import describe
from euclio.serving.fragments.record import Simulation
from euclio.serving.fragments.setup import Setup
from euclio.serving.fragments.simulation import highest_loads, offered_rps, simulate


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
    draw=late("euclio.serving.fragments.timeline_figure", "draw"),
    draw_latencies=late("euclio.serving.fragments.distribution_figure", "draw"),
)
