"""Fates of requests, the share of them that kept the SLO, and the highest load at which nearly all do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from euclio.core.words import full
from euclio.serving.units import NS_PER_S, Ints

PENDING, SERVED, LATE, DROPPED = 0, 1, 2, 3
"""Fates of a request."""


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests of one stream, in the order of arrival."""

    arrival_ns: Ints  # arrivals
    finish_ns: Ints  # when they were served; -1 if dropped
    outcome: Ints  # SERVED, LATE or DROPPED


def attainment(requests: Requests) -> float | None:
    """Share of requests that were served within the SLO; None if there were none."""
    return float((requests.outcome == SERVED).mean()) if requests.outcome.size else None


def stream_figures(name: str, rate_rps: float, requests: Requests) -> dict[str, Any]:
    """Fates and latencies of a stream's requests as plain data; latencies are None if none was answered."""
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


# The highest load that a plan serves at 99 % SLO attainment (PPipe §7.1, Figures 6, 9, 10).

if TYPE_CHECKING:
    from rich.console import RenderableType

GRID = tuple(step / 20 for step in range(1, 21))
"""Load factors that the paper tries: 0.05 to 1 in steps of 0.05."""

TARGET = 0.99
"""SLO attainment that counts as served."""


def highest_in_grid(shares_at: Callable[[float], Mapping[str, float | None]]) -> dict[str, float]:
    """Per stream of requests the highest load factor of the grid with an attainment of at least 99 %; 0 for none.

    All streams are under load together; one without requests counts as served. The search goes down the grid as far as
    needed.

    Args:
        shares_at: simulates a load factor and returns the attainment of each stream; None for a stream without
            requests.
    """
    found: dict[str, float] = {}
    for load in reversed(GRID):
        shares = shares_at(load)
        for name, share in shares.items():
            if share is None or share >= TARGET:
                found.setdefault(name, load)
        if len(found) == len(shares):
            break
    return {name: found.get(name, 0.0) for name in shares}


def highest_load_table(loads: dict[str, float], stream: str) -> RenderableType:
    """The highest load factor of each stream of requests at 99 % attainment, and their mean."""
    # Simulations without a table need not import the code of tables.
    from euclio.core.fitted_table import Column, Label, table_of

    rows = [*loads.items(), ("mean", sum(loads.values()) / len(loads))]
    columns = (Label(stream), Column("highest load at 99 %"))
    return table_of([[name, full(load, digits=3)] for name, load in rows], columns)
