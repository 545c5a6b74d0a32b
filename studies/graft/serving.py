"""Figures 8 to 10: which requests keep their objective from end to end, by simulation (Graft §5.2, §5.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from euclio.core.solving import solve
from euclio.serving.fragments import Arrivals, Setup, simulate
from euclio.serving.fragments.end_to_end import Ahead, ahead_of, end_to_end_ms, pooled_ms
from euclio.serving.fragments.record import Simulation
from euclio.workloads.fragments.clients import Client, fleet_now
from euclio.workloads.fragments.networks import Device
from studies.graft.cases import NETWORKS, SCALES, Scale, clients_of
from studies.graft.systems import GRAFT, GSLICE, GSLICE_PLUS, REGROUP, SOLVERS
from studies.graft.variants import Advance

SECONDS = 10.0
"""Seconds of sending, evenly from random phases (ours)."""
SERVED = (GRAFT, REGROUP, GSLICE, GSLICE_PLUS)
SERVED_SCALES = SCALES[:3]
"""Scales of Figures 8, 9 and 10; the paper has no latencies of the large mixed fleet."""


def latencies(seed: int, draws: int, advance: Advance, networks: Sequence[str] = tuple(NETWORKS)) -> pd.DataFrame:
    """One row per scale, network, draw, system and device.

    Columns are the share of requests within the objective, the median latency over the objective, and the number of
    requests.
    """
    rows = []
    for scale, key, draw in product(SERVED_SCALES, networks, range(draws)):
        clients = clients_of(key, scale.clients, 1000 * seed + draw, scale.tx2)
        rows += [
            {"scale": scale.key, "network": key, "draw": draw, "system": system, **found}
            for system in SERVED
            for found in _served(scale, clients, system)
        ]
        advance(1)
    return pd.DataFrame(rows)


def _served(scale: Scale, clients: list[Client], system: str) -> list[dict[str, Any]]:
    """The simulated requests of a system's plan, by device."""
    fleet = fleet_now(scale.key, clients)
    plan = solve(fleet, SOLVERS[system]).plan
    assert plan is not None, "clients are drawn that can be served"
    simulation = simulate(fleet, plan, Setup(Arrivals.UNIFORM, seconds=SECONDS))
    ahead = ahead_of(clients)
    devices = {device: [c.name for c in clients if c.device is device] for device in Device}
    return [{"device": device.value, **_kept(simulation, ahead, own)} for device, own in devices.items() if own]


def _kept(simulation: Simulation, ahead: Mapping[str, Ahead], names: Sequence[str]) -> dict[str, float]:
    latency = {name: found for name, found in end_to_end_ms(simulation, ahead).items() if name in names}
    slo_ms = {name: 1000 * float(ahead[name].slo_s) for name in names}
    pairs = zip(simulation.fleet.fragments, simulation.requests, strict=True)
    sent = sum(requests.outcome.size for fragment, requests in pairs if fragment.name in names)
    kept = sum(int((latency[name] <= slo_ms[name]).sum()) for name in names)
    over = pooled_ms({name: latency[name] / slo_ms[name] for name in names})
    return {"kept": kept / sent, "median": float(np.median(over)) if over.size else np.nan, "requests": sent}
