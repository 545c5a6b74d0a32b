"""Sessions for `euclio simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from euclio.core.lazy import late
from euclio.core.parts import Simulator
from euclio.core.words import counted, duration
from euclio.serving.session.setup import Setup

if TYPE_CHECKING:
    from euclio.serving.session.record import Simulation
import argparse

from euclio.core.numbers import Number
from euclio.core.parameters import Parameter
from euclio.core.values import count, seconds
from euclio.serving.session.setup import Dispatch, Dropping, Partial


def time_out(text: Number) -> float:
    """Seconds, or infinity for "none"."""
    try:
        return float("inf") if text in ("none", float("inf")) else seconds(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(f"{error}, or none") from None


SETUP_OPTIONS = (
    Parameter(
        "--dispatch",
        "dispatch",
        "who is given the next invocation; default: what the plan's policy stands for",
        choices=tuple(word.value for word in Dispatch),
    ),
    Parameter(
        "--time-out",
        "timeout_s",
        "seconds that a batch waits to be filled, or none; default: as long as the plan counts on",
        parse=time_out,
        metavar="S",
    ),
    Parameter(
        "--no-dummies",
        "dummies",
        "send none of the plan's dummies; the default",
        value=False,
    ),
    Parameter(
        "--dummies",
        "dummies",
        "send the plan's dummies, which its worst case counts on, or which stand for capacity that is kept free",
        value=True,
        instead_of=("no_dummies",),
    ),
    Parameter("--hold", "hold", "modules hand requests on no earlier than after their worst-case latency", value=True),
    Parameter(
        "--no-hold",
        "hold",
        "modules hand requests on at once, also where the plan was made otherwise",
        value=False,
        instead_of=("hold",),
    ),
    Parameter(
        "--dropping",
        "dropping",
        "drop requests that cannot be answered in time any more, or none; default: never",
        choices=tuple(word.value for word in Dropping),
    ),
    Parameter(
        "--partial",
        "partial",
        "whether a machine that is not used in full stands alone or is shared with others; default: alone",
        choices=tuple(word.value for word in Partial),
    ),
    Parameter(
        "--clients",
        "clients",
        "clients that send their next request when the last one is answered, instead of arrivals",
        parse=count,
        metavar="N",
        instead_of=("arrivals", "trace", "load", "full_load", "highest_load"),
    ),
)
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
    draw_latencies=late("euclio.serving.latency_figure", "draw"),
    planned=late("euclio.serving.attainment.served", "planned_fields"),
    as_planned=late("euclio.serving.attainment.served", "as_planned"),
    planned_words=late("euclio.serving.attainment.served", "planned_words"),
    glance=late("euclio.questions.at_random", "glance"),
    keeps=True,
    most_requests=MOST_REQUESTS,
)
