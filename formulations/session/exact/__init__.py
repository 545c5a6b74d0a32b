"""Solver `exact`: module frontiers resolved lazily under the relaxation of the whole DAG."""
