"""Discrete-event simulation of the data plane that serves a plan of pooled pipelines (PPipe §5.4, §6, §7)."""

from euclio.pipeline.simulation.highest_load import highest_loads
from euclio.pipeline.simulation.metrics import attainment, describe, mean_attainment, utilization
from euclio.pipeline.simulation.record import Requests, Simulation, Uses
from euclio.pipeline.simulation.setup import Arrivals, Scheduler, Setup
from euclio.pipeline.simulation.simulation import simulate
from euclio.pipeline.simulation.trace_files import load_trace

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
