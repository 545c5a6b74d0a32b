"""Latency splitting by itself: one mode per module of a DAG, at the least cost within the SLO."""
