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
CLASSES = ("easy", "medium", "hard", "open")
"""Classes of the benchmark set."""
ALL = "all"
"""Word for all proofs of the benchmark set."""
SAMPLE = 20
"""Proofs of the benchmark set that are tried."""
