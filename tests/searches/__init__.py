"""Searches for whole classes of faults: each draws cases from a seed and holds what euclio does against a reference."""

from euclio.core.compiled import time_runs

# Limits are set for compiled code; `search_ways` and `tests/euclio/core` hold what is interpreted to it.
time_runs()
