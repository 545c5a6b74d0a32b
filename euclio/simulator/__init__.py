"""Discrete-event simulation of the data plane that serves a plan of pooled pipelines (PPipe §5.4, §6, §7)."""

from euclio.simulator.highest_load import highest_loads
from euclio.simulator.metrics import attainment, describe, mean_attainment, utilization
from euclio.simulator.record import Requests, Simulation, Uses
from euclio.simulator.setup import Arrivals, Scheduler, Setup
from euclio.simulator.simulation import simulate
from euclio.simulator.trace_files import load_trace

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
