"""Fates of requests, and the share of them that kept the SLO."""

from __future__ import annotations

from dataclasses import dataclass

from euclio.serving.units import Ints

PENDING, SERVED, LATE, DROPPED = 0, 1, 2, 3
"""What became of a request."""


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests of one stream, in the order of arrival.

    Attributes:
        arrival_ns: arrivals.
        finish_ns: when they were served; -1: dropped.
        outcome: SERVED, LATE or DROPPED.
    """

    arrival_ns: Ints
    finish_ns: Ints
    outcome: Ints


def attainment(requests: Requests) -> float | None:
    """Share of requests that were served within the SLO; None: there were none."""
    return float((requests.outcome == SERVED).mean()) if requests.outcome.size else None
