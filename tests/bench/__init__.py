"""Benchmarks: solver times against their targets, and as ratios within one run. Run with `python -m tests.bench`."""

from euclio.core.compiled import time_runs

# What is timed is compiled before.
time_runs()
