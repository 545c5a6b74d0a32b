"""Discrete-event simulation of the server that runs a plan of fragments (Graft §3, §5, §6)."""

from euclio.serving.fragments.metrics import describe, total_attainment, utilization
from euclio.serving.fragments.record import Executions, Passages, Simulation
from euclio.serving.fragments.setup import Dispatch, Dropping, Phases, Setup
from euclio.serving.fragments.simulation import highest_loads, simulate
from euclio.serving.fragments.switching import Switch, switch
from euclio.serving.requests import Requests, attainment
from euclio.serving.setup import Arrivals
from euclio.serving.trace_files import load_trace

__all__ = [
    "Arrivals",
    "Dispatch",
    "Dropping",
    "Executions",
    "Passages",
    "Phases",
    "Requests",
    "Setup",
    "Simulation",
    "Switch",
    "attainment",
    "describe",
    "highest_loads",
    "load_trace",
    "simulate",
    "switch",
    "total_attainment",
    "utilization",
]
