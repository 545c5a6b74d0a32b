"""Pooled pipelines for `euclio simulate`."""

from __future__ import annotations

from euclio.core.lazy import late
from euclio.core.parts.simulator import Simulator
from euclio.core.words import duration
from euclio.pipeline.simulation.metrics import describe, seconds_per_batch
from euclio.pipeline.simulation.record import Simulation
from euclio.pipeline.simulation.setup import Setup
from euclio.pipeline.simulation.simulation import highest_loads, offered_rps, simulate


def _speed(simulation: Simulation) -> str:
    each = seconds_per_batch(simulation)
    return "" if each is None else f"simulated in {duration(simulation.wall_s)}, {duration(each)} per batch"


SIMULATOR = Simulator(
    setup=Setup,
    offered_rps=offered_rps,
    simulate=simulate,
    highest_loads=highest_loads,
    describe=describe,
    table=late("euclio.pipeline.simulation.table", "simulation_table"),
    loads_table=late("euclio.simulation.table", "highest_load_table"),
    speed=_speed,
    draw=late("euclio.pipeline.simulation.timeline_figure", "draw"),
    draw_latencies=late("euclio.pipeline.simulation.latency_figure", "draw"),
)
