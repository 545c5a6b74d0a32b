"""Measurements in a worker process: one machine under a Poisson load or closed-loop clients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from euclio.problems.session.instance import Configuration, Hardware, Module, Session
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.serving.arrivals import arrivals_of, duration_factors
from euclio.serving.histogram import quantiles
from euclio.serving.session.engine import tables as t
from euclio.serving.session.server import Server
from euclio.serving.session.setup import Dispatch, Setup
from euclio.serving.session.system import build_system
from euclio.serving.units import NS_PER_S, Ints
from studies.mlperf.choices import TRIED
from studies.mlperf.inputs import PERCENTILES, ServerCase, analyzer_runs, cases
from studies.mlperf.rules import (
    BEFORE,
    CONFIGURED,
    PRICE_PER_H,
    RULES,
    SWEPT,
    Rule,
    modelled,
    noise,
    streams,
    timeout_s,
)
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


GPU = "TITAN RTX"
SLO_S = 10
"""Placeholder objective; these sessions have none."""
SETTING = ["model", "instances", "largest_batch"]
"""Columns of the server's set-up."""
SIMULATED_S = 600.0


def most_clients(runs: pd.DataFrame) -> int:
    """The largest number of clients, which saturates the server."""
    return int(runs.clients.max())


def capacities() -> pd.DataFrame:
    """Requests per second of a saturated server, one row per set-up: clients over mean latency, by Little's law.

    `saturated_per_s` is the mean of repeated runs, `name` a name of the set-up.
    """
    runs = named_runs()
    saturated = runs[runs.clients == most_clients(runs)]
    found = saturated.groupby([*SETTING, "name"])[["through_latency_per_s"]].mean().reset_index()
    return found.rename(columns={"through_latency_per_s": "saturated_per_s"})


def named_runs() -> pd.DataFrame:
    """Model Analyzer's measurements with the name of the set-up."""
    runs = analyzer_runs()
    instances, batch = runs.instances.astype(str), runs.largest_batch.astype(str)
    return runs.assign(name=runs.model + ", " + instances + " × batch " + batch)


def session_of(name: str, model: str, instances: int, capacity_rps: float) -> Session:
    """The session of one module at the rate of a saturated server: as many requests at a time as instances."""
    machine = Configuration(GPU, 1, instances, instances / capacity_rps)
    module = Module(model, machine.throughput_rps, [machine])
    return Session(name, SLO_S, [Hardware(GPU, PRICE_PER_H)], [module])


def sessions() -> list[Session]:
    """The sessions of all set-ups."""
    rows = capacities().to_dict("records")
    return [session_of(row["name"], row["model"], row["instances"], row["saturated_per_s"]) for row in rows]


def among_clients(session: Session, seed: int, length: float) -> list[dict[str, Any]]:
    """Simulate all measured numbers of clients of a set-up, except the one that its profile is read from.

    Args:
        session: the set-up.
        seed: seed of the simulation, in which nothing is random.
        length: the share of ten minutes that is simulated.
    """
    # Read from the measurements again, since writing and reading a session rounds it.
    (exact,) = [one for one in sessions() if one.name == session.name]
    (profile,) = exact.modules[0].profile
    machine = LoadedMachine(exact, Plan((ModulePlan((Allocation(profile, 1),)),)), 0.0, 0.0)
    runs = named_runs()
    own = runs[runs.name == session.name]
    rows = []
    for clients in sorted(set(own.clients) - {most_clients(runs)}):
        found = machine.among(int(clients), length * SIMULATED_S, seed)
        rows.append({"clients": int(clients), **{f"simulated_{key}": value for key, value in found.items()}})
    return rows


def compared(simulated: pd.DataFrame) -> pd.DataFrame:
    """One row per predicted measurement, with errors as shares of the measured values.

    Args:
        simulated: rows of `among_clients`, with the set-up's name as `instance`.
    """
    rows = simulated.rename(columns={"instance": "name"})
    found = named_runs().merge(rows, on=["name", "clients"], how="inner")
    for name in ("mean", "p90", "p99"):
        found[f"error_{name}"] = 1000.0 * found[f"simulated_{name}"] / found[f"latency_{name}_ms"] - 1.0
    found["error_per_s"] = found.simulated_per_s / found.through_latency_per_s - 1.0
    return _with_fewer(found).drop(columns="name")


def _with_fewer(found: pd.DataFrame) -> pd.DataFrame:
    """Add the error of the mean with no more instances than clients.

    The set-up with that many instances was measured too, and simulated.
    """
    means = found.groupby([*SETTING, "clients"]).simulated_mean.first()
    fewer = found.assign(instances=found[["instances", "clients"]].min(axis=1))
    by_clients = means.reindex(pd.MultiIndex.from_frame(fewer[[*SETTING, "clients"]])).to_numpy()
    return found.assign(error_mean_of_used=1000.0 * by_clients / found.latency_mean_ms - 1.0)
