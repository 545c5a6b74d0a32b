"""Sessions for `euclio simulate`."""

from __future__ import annotations

from euclio.core.lazy import late
from euclio.core.parts.simulator import Simulator
from euclio.core.words import counted, duration
from euclio.session.simulation.metrics import describe
from euclio.session.simulation.record import Simulation
from euclio.session.simulation.service import planned_words
from euclio.session.simulation.setup import Setup
from euclio.session.simulation.simulation import highest_loads, offered_rps, simulate

MOST_REQUESTS = 10**10
"""Requests beyond which a simulation takes hours; memory does not grow with them."""


def _speed(simulation: Simulation) -> str:
    if not simulation.arrived:
        return ""
    return f"{counted(simulation.arrived, 'request')} simulated in {duration(simulation.wall_s)}"


SIMULATOR = Simulator(
    setup=Setup,
    offered_rps=offered_rps,
    simulate=simulate,
    highest_loads=highest_loads,
    describe=describe,
    table=late("euclio.session.simulation.table", "simulation_table"),
    loads_table=late("euclio.session.simulation.table", "loads_table"),
    speed=_speed,
    draw=late("euclio.session.simulation.timeline_figure", "draw"),
    draw_latencies=late("euclio.session.simulation.latency_figure", "draw"),
    planned=late("euclio.session.attainment.planned", "planned_fields"),
    as_planned=late("euclio.session.attainment.planned", "as_planned"),
    planned_words=planned_words,
    glance=late("euclio.session.questions.at_random", "glance"),
    keeps=True,
    most_requests=MOST_REQUESTS,
)
