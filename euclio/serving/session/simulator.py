"""Sessions for `euclio simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from euclio.core.lazy import late
from euclio.core.parts import Simulator
from euclio.core.words import counted, duration
from euclio.serving.session.setup import Setup

if TYPE_CHECKING:
    from euclio.serving.session.record import Simulation

MOST_REQUESTS = 10**10
"""Requests beyond which a simulation takes hours; memory does not grow with them."""


def _speed(simulation: Simulation) -> str:
    if not simulation.arrived:
        return ""
    return f"{counted(simulation.arrived, 'request')} simulated in {duration(simulation.wall_s)}"


SIMULATOR = Simulator(
    setup=Setup,
    # Whoever prints a plan asks for its glance, and nothing is simulated.
    offered_rps=late("euclio.serving.session.simulation", "offered_rps"),
    simulate=late("euclio.serving.session.simulation", "simulate"),
    highest_loads=late("euclio.serving.session.simulation", "highest_loads"),
    describe=late("euclio.serving.session.metrics", "describe"),
    table=late("euclio.serving.session.table", "simulation_table"),
    loads_table=late("euclio.serving.session.table", "loads_table"),
    speed=_speed,
    draw=late("euclio.serving.session.timeline_figure", "draw"),
    draw_latencies=late("euclio.serving.session.latency_figure", "draw"),
    planned=late("euclio.serving.attainment.planned", "planned_fields"),
    as_planned=late("euclio.serving.attainment.planned", "as_planned"),
    planned_words=late("euclio.serving.attainment.planned", "planned_words"),
    glance=late("euclio.questions.at_random", "glance"),
    keeps=True,
    most_requests=MOST_REQUESTS,
)
