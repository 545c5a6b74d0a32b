"""Workloads: the five applications, the seeded protocol, random sessions and published profiles."""

from euclio.workloads.protocol import Draws, ProtocolParameters, Workload, draw, workloads

__all__ = ["Draws", "ProtocolParameters", "Workload", "draw", "workloads"]
