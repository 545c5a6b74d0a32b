"""Latency from end to end: the client's layers, the uplink, and the server as simulated (Graft Figures 8 to 10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from euclio.serving.fragments.record import Simulation
from euclio.serving.requests import DROPPED
from euclio.serving.units import Floats
from euclio.workloads.fragments.clients import Client
from euclio.workloads.fragments.neurosurgeon import best_cut

MS_PER_S = 1000
NS_PER_MS = 10**6


@dataclass(frozen=True, slots=True)
class Ahead:
    """The time of a client's requests before they reach the server.

    Attributes:
        mobile_s: seconds of the client's layers.
        uplink_s: seconds of sending.
        slo_s: latency objective from end to end, in seconds.
    """

    mobile_s: Fraction
    uplink_s: Fraction
    slo_s: Fraction


def ahead_of(clients: Sequence[Client], seconds: int = 0) -> dict[str, Ahead]:
    """Per client, by name, the time before the server some seconds from now.

    A client that then leaves no layer to the server is left out, as in `fleet_now`.
    """
    found = {}
    for client in clients:
        mbps = client.uplink_mbps(seconds)
        if client.fragment(mbps) is not None:
            cut = best_cut(client.model, client.device, mbps)
            found[client.name] = Ahead(cut.mobile_s, cut.sending_s, client.slo_s)
    return found


def end_to_end_ms(simulation: Simulation, ahead: Mapping[str, Ahead]) -> dict[str, Floats]:
    """Per fragment, by name, the latency of each request that was answered, in milliseconds, in the order of arrival.

    Args:
        simulation: the server's part.
        ahead: the time before it, by fragment.
    """
    found = {}
    for fragment, requests in zip(simulation.fleet.fragments, simulation.requests, strict=True):
        answered = requests.outcome != DROPPED
        server = (requests.finish_ns[answered] - requests.arrival_ns[answered]) / NS_PER_MS
        own = ahead[fragment.name]
        found[fragment.name] = server + float(MS_PER_S * (own.mobile_s + own.uplink_s))
    return found


def within_objective(simulation: Simulation, ahead: Mapping[str, Ahead]) -> float | None:
    """Share of all requests that were answered within their client's objective; None if there were none.

    It is no less than the share within time budgets, which are the rest of the objective, rounded down.
    """
    found = end_to_end_ms(simulation, ahead)
    kept = sum(int((found[name] <= float(MS_PER_S * ahead[name].slo_s)).sum()) for name in found)
    arrived = sum(requests.outcome.size for requests in simulation.requests)
    return kept / arrived if arrived else None


def pooled_ms(latencies: Mapping[str, Floats]) -> Floats:
    """Latencies of several fragments together, ascending."""
    return np.sort(np.concatenate([*latencies.values(), np.zeros(0)]))
