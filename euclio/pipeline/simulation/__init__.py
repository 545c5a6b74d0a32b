"""Discrete-event simulation of the data plane that serves a plan of pooled pipelines (PPipe §5.4, §6, §7)."""

from euclio.pipeline.simulation.metrics import describe, mean_attainment, utilization
from euclio.pipeline.simulation.record import Simulation, Uses
from euclio.pipeline.simulation.setup import Scheduler, Setup
from euclio.pipeline.simulation.simulation import highest_loads, simulate
from euclio.simulation.requests import Requests, attainment
from euclio.simulation.setup import Arrivals
from euclio.simulation.trace_files import load_trace

__all__ = [
    "Arrivals",
    "Requests",
    "Scheduler",
    "Setup",
    "Simulation",
    "Uses",
    "attainment",
    "describe",
    "highest_loads",
    "load_trace",
    "mean_attainment",
    "simulate",
    "utilization",
]
