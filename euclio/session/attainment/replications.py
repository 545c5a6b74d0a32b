"""Independent simulations of one plan, as short as the question allows."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from euclio.session.simulation.engine import tables as t
from euclio.session.simulation.server import Server
from euclio.session.simulation.setup import Setup
from euclio.session.simulation.simulation import Driver, compile_simulator, incoming
from euclio.session.simulation.system import System
from euclio.simulation.noise import duration_factors
from euclio.simulation.setup import Arrivals
from euclio.simulation.units import Ints

PARTS = 10
"""A replication has so many parts, of which the first is left out: it begins with idle machines."""
FEWEST = 4
"""Replications that are made however late it is."""
LEAST_SLOS = 100
LEAST_BURSTS = 20
"""A replication is at least that long, in SLOs and in bursts."""


@dataclass(frozen=True, slots=True)
class Replications:
    """Simulations that differ by their seeds only.

    Attributes:
        setup: arrivals and dispatch; seconds and seed are replaced.
        seconds: length of each.
        seeds: their seeds; the same seeds bring the same requests to every plan.
    """

    setup: Setup
    seconds: float
    seeds: tuple[int, ...]


def replications(
    setup: Setup, slo_s: float, rate_rps: float, requests: int, number: int, stream: Iterable[int]
) -> Replications:
    """Replications with about so many requests each that count.

    Args:
        setup: arrivals and dispatch.
        slo_s: latency objective in seconds.
        rate_rps: mean rate of requests.
        requests: requests that count per replication.
        number: how many replications.
        stream: whole numbers; other numbers give independent seeds.
    """
    seconds = max(requests / rate_rps, LEAST_SLOS * slo_s) * PARTS / (PARTS - 1)
    if setup.arrivals is Arrivals.ON_OFF:
        seconds = max(seconds, LEAST_BURSTS * (setup.on_s + setup.off_s))
    state = np.random.SeedSequence(tuple(stream)).generate_state(number, np.uint64)
    return Replications(setup, seconds, tuple(int(seed >> np.uint64(1)) for seed in state))


def outcomes(
    system: System, asked: Replications, least: float = 0.0, ends_at: float | None = None
) -> tuple[Ints, Ints]:
    """Requests of each replication, and those answered within the SLO.

    Args:
        system: what serves.
        asked: the replications.
        least: they end as soon as their mean attainment is certain to be below this, whatever is left.
        ends_at: no more than `FEWEST` are made after this time, of the monotonic clock; None: all are.
    """
    compile_simulator()
    arrived: list[int] = []
    attained: list[int] = []
    missed = 0.0
    for seed in asked.seeds:
        came, kept = _replication(system, replace(asked.setup, seconds=asked.seconds, seed=seed))
        if came:
            arrived.append(came)
            attained.append(kept)
            missed += 1 - kept / came
        late = ends_at is not None and time.monotonic() >= ends_at
        if missed > (1 - least) * len(asked.seeds) or (late and len(arrived) >= FEWEST):
            break
    return np.array(arrived, np.int64), np.array(attained, np.int64)


def _replication(system: System, setup: Setup) -> tuple[int, int]:
    until = system.clock.up(setup.seconds)
    factors = duration_factors(setup.noise, setup.seed)
    server = Server(system, until_ticks=until, factors=factors, window_ticks=-(-until // PARTS))
    Driver(server, incoming(system, setup)).finish()
    counted = server.state.window[1:]
    return int(counted[:, t.WINDOW_ARRIVED].sum()), int(counted[:, t.WINDOW_ATTAINED].sum())
