"""Discrete-event simulation of the data plane that serves a plan of pooled pipelines (PPipe §5.4, §6, §7)."""

from euclio.serving.pipeline.metrics import describe, mean_attainment, utilization
from euclio.serving.pipeline.record import Simulation, Uses
from euclio.serving.pipeline.setup import Scheduler, Setup
from euclio.serving.pipeline.simulation import highest_loads, simulate
from euclio.serving.requests import Requests, attainment
from euclio.serving.setup import Arrivals
from euclio.serving.trace_files import load_trace

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
