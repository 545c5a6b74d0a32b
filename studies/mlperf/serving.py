"""Measurements in a worker process: one machine under a Poisson load or closed-loop clients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from euclio.problems.session.instance import Session
from euclio.problems.session.plan import Plan
from euclio.serving.arrivals import arrivals_of, duration_factors
from euclio.serving.histogram import quantiles
from euclio.serving.session.engine import tables as t
from euclio.serving.session.server import Server
from euclio.serving.session.setup import Dispatch, Setup
from euclio.serving.session.system import build_system
from euclio.serving.units import NS_PER_S, Ints
from studies.mlperf.choices import TRIED
from studies.mlperf.inputs import PERCENTILES, ServerCase, cases
from studies.mlperf.rules import BEFORE, CONFIGURED, RULES, SWEPT, Rule, modelled, noise, streams, timeout_s
from studies.mlperf.sharing import Streams

SHARES = np.array([int(name[1:]) / 100 for name in PERCENTILES])
LEAST_S, LEAST_REQUESTS = 600.0, 270_336
"""Shortest run and fewest requests of MLPerf's Server scenario."""
SLIGHT = 0.03
"""Share by which the load is changed, to see the effect of a few per cent of throughput."""
COARSE, FINE = 20, 1000
"""Steps of the search for the largest load, per capacity of the machine."""


@dataclass(frozen=True, slots=True)
class LoadedMachine:
    """A machine for a simulation, with its noise.

    Attributes:
        session: an instance of one module.
        plan: one machine.
        timeout_s: seconds that a batch waits for further requests; infinite means until it is full.
        noise: coefficient of variation of durations.
        length: the share of MLPerf's shortest run that is simulated.
        streams: streams that slow each other only while several are busy; None leaves this to the plan.
    """

    session: Session
    plan: Plan
    timeout_s: float
    noise: float
    length: float = 1.0
    streams: Streams | None = None

    @property
    def capacity_rps(self) -> float:
        """Requests per second of full batches."""
        return float(self.session.modules[0].rate_rps)

    def under(self, load_rps: float, seed: int) -> dict[str, float]:
        """Percentiles in seconds, and the mean batch, under a Poisson load of MLPerf's length."""
        seconds = self.length * max(LEAST_S, LEAST_REQUESTS / load_rps)
        setup = Setup(dispatch=Dispatch.PULL, timeout_s=self.timeout_s, seconds=seconds, seed=seed, noise=self.noise)
        (arrival,) = arrivals_of(setup, [load_rps])
        if self.streams is not None:
            return self._shared(self.streams, setup, arrival)
        server = self._server(setup)
        server.feed(arrival, np.ones((arrival.size, 1), np.int64), last=True)
        server.advance()
        return {**_percentiles(server), "mean_batch": arrival.size / int(server.state.machine[0, t.BATCHES])}

    def _shared(self, streams: Streams, setup: Setup, arrival: Ints) -> dict[str, float]:
        latencies, batches = streams.latencies_ns(arrival, self.timeout_s, setup.seed)
        found = np.quantile(latencies, SHARES, method="inverted_cdf") / NS_PER_S
        return {**dict(zip(PERCENTILES, map(float, found), strict=True)), "mean_batch": arrival.size / batches}

    def among(self, clients: int, seconds: float, seed: int) -> dict[str, float]:
        """Percentiles and mean in seconds, and answers per second, for clients that send one request at a time."""
        setup = Setup(dispatch=Dispatch.PULL, timeout_s=self.timeout_s, seconds=seconds, seed=seed, noise=self.noise)
        server = self._server(setup, closed_loop=True)
        server.feed(np.zeros(clients, np.int64), np.ones((clients, 1), np.int64), last=True)
        server.advance()
        answered, number = int(server.state.number[t.ANSWERED]), server.state.number
        mean_s = float(server.state.total[-1]) / answered / NS_PER_S
        return {**_percentiles(server), "mean": mean_s, "per_s": answered * NS_PER_S / float(number[t.NOW])}

    def _server(self, setup: Setup, *, closed_loop: bool = False) -> Server:
        system = build_system(self.session, self.plan, None, setup)
        factors = duration_factors(setup.noise, setup.seed)
        until_ticks = system.clock.up(setup.seconds)
        return Server(system, until_ticks=until_ticks, factors=factors, closed_loop=closed_loop)


def _percentiles(server: Server) -> dict[str, float]:
    found = quantiles(server.state.histogram[-1], SHARES) / NS_PER_S
    return dict(zip(PERCENTILES, map(float, found), strict=True))


def machine_of(case: ServerCase, rule: Rule, length: float = 1.0) -> LoadedMachine:
    """The machine that a rule makes of a server."""
    return LoadedMachine(*modelled(case, rule), timeout_s(case, rule), noise(case, rule), length, streams(case, rule))


def served(_: Session, case: str, rule: str, seeds: list[int], length: float) -> list[dict[str, Any]]:
    """Simulate a server at the submitted load.

    The page's rule and the previous rule get a search for the largest load within the bound, with the first seed. The
    page's rule also runs at slightly less and slightly more load.

    Args:
        _: the instance; case and rule replace it.
        case: name of the server.
        rule: label of the rule.
        seeds: seeds, with a row for each.
        length: the share of MLPerf's shortest run that is simulated.
    """
    (own,) = [one for one in cases() if one.name == case]
    (by,) = [one for one in (*RULES, *SWEPT, *TRIED) if one.label == rule]
    machine = machine_of(own, by, length)
    head: dict[str, Any] = {"case": case, "group": own.group, "rule": rule, "capacity_rps": machine.capacity_rps}
    if by in (CONFIGURED, BEFORE):
        holds = lambda load: machine.under(load, seeds[0])["p99"] <= own.bound_s  # noqa: E731
        head["largest_rps"] = largest_load(machine.capacity_rps, holds)
    if by == CONFIGURED:
        for name, change in (("less", 1.0 - SLIGHT), ("more", 1.0 + SLIGHT)):
            found = machine.under(change * own.submitted_rps, seeds[0])
            head.update({f"{percentile}_{name}": found[percentile] for percentile in PERCENTILES})
    return [{**head, "seed": seed, **machine.under(own.submitted_rps, seed)} for seed in seeds]


def largest_load(capacity_rps: float, holds: Callable[[float], bool]) -> float:
    """The largest load that holds, to a thousandth of the capacity, up to the capacity; 0 if no tried load holds.

    Loads are tried from above, since a small load may fail if batches wait for further requests.

    Args:
        capacity_rps: requests per second of full batches.
        holds: whether a load in requests per second keeps the bound.
    """
    step = FINE // COARSE
    low = next((k for k in range(FINE, 0, -step) if holds(capacity_rps * k / FINE)), 0)
    high = low + step
    if low == 0 or low == FINE:
        return capacity_rps * low / FINE
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(capacity_rps * middle / FINE) else (low, middle)
    return capacity_rps * low / FINE
