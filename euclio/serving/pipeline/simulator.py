"""Pooled pipelines for `euclio simulate`."""

from __future__ import annotations

from euclio.core.lazy import late
from euclio.core.parts import Simulator
from euclio.core.words import duration
from euclio.serving.pipeline.metrics import describe, seconds_per_batch
from euclio.serving.pipeline.record import Simulation
from euclio.serving.pipeline.setup import Setup
from euclio.serving.pipeline.simulation import highest_loads, offered_rps, simulate


def _speed(simulation: Simulation) -> str:
    each = seconds_per_batch(simulation)
    return "" if each is None else f"simulated in {duration(simulation.wall_s)}, {duration(each)} per batch"


SIMULATOR = Simulator(
    setup=Setup,
    offered_rps=offered_rps,
    simulate=simulate,
    highest_loads=highest_loads,
    describe=describe,
    table=late("euclio.serving.pipeline.table", "simulation_table"),
    loads_table=late("euclio.serving.table", "highest_load_table"),
    speed=_speed,
    draw=late("euclio.serving.pipeline.timeline_figure", "draw"),
    draw_latencies=late("euclio.serving.pipeline.latency_figure", "draw"),
)
