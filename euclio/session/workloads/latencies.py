"""Least and most useful latency of a session: the ends of the scale on which tightness is measured (ours)."""

from __future__ import annotations

import numpy as np

from euclio.session import FULL_SPACE, Session
from euclio.session.arrays import SessionArrays, session_arrays


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
    return _longest(arrays, least), _longest(arrays, useful)


def _longest(arrays: SessionArrays, latency: list[float]) -> float:
    finish = [0.0] * len(latency)
    for m in arrays.order.tolist():
        parents = arrays.parent[arrays.parent_first[m] : arrays.parent_first[m + 1]]
        finish[m] = latency[m] + max((finish[p] for p in parents), default=0.0)
    return max(finish)
