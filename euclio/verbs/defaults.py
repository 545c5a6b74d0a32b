"""What verbs take where nothing is given, for their own files and for the help of the commands."""

from __future__ import annotations

CERTIFY_S = 60.0
"""Limit in seconds of the prover for each proof of `compare`."""
LIMIT_S = 10.0
"""Limit in seconds of each run of `what_if` and `changes`: far from what profiles are for, proofs take long."""
SERVED = "session"
"""The family whose plans can be asked for an attainment."""
SERVING = ("dispatch", "time_out", "hold", "dropping")
"""Keywords of its simulations that a plan can be made for; the others are what the plan pays for."""
PERCENTILES = {"p90": 0.9, "p95": 0.95, "p99": 0.99, "p999": 0.999}
"""Keywords of percentile objectives: the share of requests that is to be answered within so many seconds."""
MODULE_PERCENTILES = {f"module_{name}": share for name, share in PERCENTILES.items()}
"""The same of single modules, each a number of seconds by the name of the module."""
CLASSES = ("easy", "medium", "hard", "open")
"""Classes of the benchmark set."""
ALL = "all"
"""Word for all proofs of the benchmark set."""
SAMPLE = 20
"""Proofs of the benchmark set that are tried."""
