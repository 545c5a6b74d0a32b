"""Least cost as a function of the latency objective: module frontiers merged bottom up over the DAG."""
