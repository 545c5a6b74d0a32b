"""Fates of requests, and the share of them that kept the SLO."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from euclio.serving.units import NS_PER_S, Ints

PENDING, SERVED, LATE, DROPPED = 0, 1, 2, 3
"""What became of a request."""


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests of one stream, in the order of arrival."""

    arrival_ns: Ints  # arrivals
    finish_ns: Ints  # when they were served; -1: dropped
    outcome: Ints  # SERVED, LATE or DROPPED


def attainment(requests: Requests) -> float | None:
    """Share of requests that were served within the SLO; None: there were none."""
    return float((requests.outcome == SERVED).mean()) if requests.outcome.size else None


def stream_figures(name: str, rate_rps: float, requests: Requests) -> dict[str, Any]:
    """What became of a stream's requests, as plain data; latencies are None where none was answered."""
    answered = requests.finish_ns >= 0
    latency = (requests.finish_ns[answered] - requests.arrival_ns[answered]) / NS_PER_S
    return {
        "name": name,
        "offered_rps": rate_rps,
        "arrived": int(requests.outcome.size),
        "served": int((requests.outcome == SERVED).sum()),
        "late": int((requests.outcome == LATE).sum()),
        "dropped": int((requests.outcome == DROPPED).sum()),
        "attainment": attainment(requests),
        "latency_mean_s": float(latency.mean()) if latency.size else None,
        "latency_p99_s": float(np.quantile(latency, 0.99)) if latency.size else None,
    }
