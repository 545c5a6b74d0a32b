"""Workloads: the five applications, the seeded protocol, random sessions and published profiles."""

from euclio.workloads.applications import Application, applications, find_application
from euclio.workloads.protocol import Draws, ProtocolParameters, Workload, draw, workloads

__all__ = [
    "Application",
    "Draws",
    "ProtocolParameters",
    "Workload",
    "applications",
    "draw",
    "find_application",
    "workloads",
]
