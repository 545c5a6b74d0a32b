"""Simulation of the machines that serve a session's plan, request by request (docs/model/serving.md)."""
