"""Least and most useful latency of a session: the ends of the scale on which tightness is measured (ours)."""

from __future__ import annotations

import numpy as np

from euclio.session import FULL_SPACE, Session
from euclio.session.arrays import session_arrays
from euclio.session.paths import times_until


def latency_range(session: Session) -> tuple[float, float]:
    """Longest paths in seconds with every module at its least and at its most useful latency.

    A module's least latency is the smallest d + b/T over its configurations, its most useful one d + b/T of the
    best-ranked configuration: a larger budget buys it nothing more.
    """
    arrays = session_arrays(session, FULL_SPACE)
    least, useful = [], []
    for m in range(len(session.modules)):
        rows = slice(int(arrays.first[m]), int(arrays.first[m + 1]))
        latency = arrays.duration[rows] + arrays.batch[rows] / arrays.rate[m]
        least.append(float(np.min(latency)))
        useful.append(float(latency[0]))
    return max(times_until(session, least)), max(times_until(session, useful))
