"""Discrete-event simulation of the server that runs a plan of fragments (Graft §3, §5, §6)."""

from euclio.fragments.simulation.metrics import describe, total_attainment, utilization
from euclio.fragments.simulation.record import Executions, Passages, Simulation
from euclio.fragments.simulation.setup import Dispatch, Dropping, Phases, Setup
from euclio.fragments.simulation.simulation import highest_loads, simulate
from euclio.fragments.simulation.switching import Switch, switch
from euclio.simulation.requests import Requests, attainment
from euclio.simulation.setup import Arrivals
from euclio.simulation.trace_files import load_trace

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
