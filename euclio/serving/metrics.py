"""Figures of one stream of requests, such as those of a model or a client."""

from __future__ import annotations

from typing import Any

import numpy as np

from euclio.serving.requests import DROPPED, LATE, SERVED, Requests, attainment
from euclio.serving.units import NS_PER_S


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
