"""Worst-case latency of machines, modules and paths through the DAG."""
