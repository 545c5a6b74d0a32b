"""Fleets for `euclio simulate`."""

from __future__ import annotations

from euclio.core.lazy import late
from euclio.core.parts.simulator import Simulator
from euclio.core.words import counted, duration
from euclio.fragments.simulation.metrics import describe
from euclio.fragments.simulation.record import Simulation
from euclio.fragments.simulation.setup import Setup
from euclio.fragments.simulation.simulation import highest_loads, offered_rps, simulate


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
    table=late("euclio.fragments.simulation.table", "simulation_table"),
    loads_table=late("euclio.fragments.simulation.table", "loads_table"),
    speed=_speed,
    draw=late("euclio.fragments.simulation.timeline_figure", "draw"),
    draw_latencies=late("euclio.fragments.simulation.distribution_figure", "draw"),
)
