"""Benchmarks: solver times against their targets, and as ratios within one run. Run with `python -m tests.bench`."""
