"""Even latency splitting: Clipper as Harpagon compares it (§IV-A): equal shares along each path."""

from __future__ import annotations

import numpy as np

from euclio.core.compiled import compiled
from euclio.problems.session.arrays import Floats, SessionArrays
from euclio.problems.session.latency.dispatch import path_times


@compiled
def split_evenly(s: SessionArrays) -> Floats:
    """Budget per module in seconds: the SLO divided by the modules on the longest chain through it."""
    ones = np.ones(s.rate.size)
    before, after = np.zeros(s.rate.size), np.zeros(s.rate.size)
    path_times(s, ones, before, after)
    return s.slo / (before + ones + after)
