"""Adversarial testing: nasty legal instances, plain exact references, and a campaign of all solvers over both."""

from euclio.core.compiled import time_runs

# Limits are set for compiled code; `tests/searches/search_ways.py` holds what is interpreted to it.
time_runs()
