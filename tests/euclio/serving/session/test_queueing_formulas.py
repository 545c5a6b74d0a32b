"""The compiled simulator against formulas of queueing theory, within confidence intervals of batch means.

Machines that pull are the servers of one queue. Half-widths are 4 standard errors, so that a right simulator fails
about once in fifteen thousand seeds; seeds are fixed.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from euclio.problems.session import Configuration, Hardware, Module, Session
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.problems.session.policies import Policy
from euclio.problems.session.rules import DummyRule
from euclio.problems.session.space import PlanSpace
from euclio.serving.session.server import Server
from euclio.serving.session.setup import Dispatch, Setup
from euclio.serving.session.system import build_system
from euclio.serving.units import Floats, Ints

SERVICE_S = Fraction("0.01")
REQUESTS, WARM_UP, GROUPS = 400_000, 40_000, 60


def waits(
    arrival_s: Floats, machines: int, batch: int = 1, factors: Floats | None = None, timeout_s: float | None = None
) -> Floats:
    """Seconds that requests wait for the start of their batch, in the order of their arrivals."""
    c = Configuration("h", batch, 1, SERVICE_S)
    rate = machines * c.throughput_rps
    session = Session("queue", 1, [Hardware("h", 1)], [Module("m", rate, [c])])
    setup = Setup(dispatch=Dispatch.PULL, timeout_s=timeout_s)
    plan = Plan((ModulePlan((Allocation(c, machines),)),))
    system = build_system(session, plan, PlanSpace(Policy.TC, DummyRule.NONE), setup)
    times: Ints = np.round(arrival_s * 1e9).astype(np.int64)
    server = Server(system, until_ticks=int(times[-1]) + 1, factors=factors, logs=True)
    server.feed(times, np.ones((len(times), 1), np.int64), last=True)
    server.advance()
    log = server.logs().invocations
    found = (log[:, 4] - log[:, 2]) / 1e9
    return np.asarray(found[np.argsort(log[:, 0])], float)


def poisson(rate: float, seed: int, requests: int = REQUESTS) -> Floats:
    return np.asarray(np.cumsum(np.random.default_rng(seed).exponential(1 / rate, requests)))


def check(values: Floats, wanted: float) -> None:
    """The mean after the warm-up is as wanted, within 4 standard errors of the means of groups in a row."""
    means = np.array([group.mean() for group in np.array_split(values[WARM_UP:], GROUPS)])
    half_width = 4 * means.std(ddof=1) / math.sqrt(GROUPS)
    assert abs(means.mean() - wanted) <= half_width
    assert half_width <= 0.15 * max(wanted, 1e-4)  # else the test says nothing


def erlang_c(servers: int, load: float) -> float:
    """Erlang's C formula: the probability to wait in M/M/c, at a load in Erlangs."""
    terms = [load**k / math.factorial(k) for k in range(servers)]
    last = load**servers / math.factorial(servers) * servers / (servers - load)
    return last / (sum(terms) + last)


@pytest.mark.fifth("servers")
@pytest.mark.parametrize(("servers", "utilisation"), [(1, 0.5), (1, 0.8), (3, 0.7), (8, 0.8)])
def test_mmc(servers: int, utilisation: float) -> None:
    """M/M/c, Erlang: the mean wait is C(c, a)·s/(c − a); the services are exponential by their factors."""
    load = servers * utilisation
    factors = np.random.default_rng(servers).exponential(size=REQUESTS + 1)
    found = waits(poisson(load / float(SERVICE_S), 17 * servers), servers, factors=factors)
    check(found, erlang_c(servers, load) * float(SERVICE_S) / (servers - load))


@pytest.mark.parametrize("utilisation", [0.3, 0.6, 0.85])
def test_md1(utilisation: float) -> None:
    """M/D/1, Pollaczek and Khinchine: the mean wait is ρ·s/(2·(1 − ρ))."""
    found = waits(poisson(utilisation / float(SERVICE_S), 5), 1)
    check(found, utilisation * float(SERVICE_S) / (2 * (1 - utilisation)))


def crommelin(servers: int, load: float) -> float:
    """Mean wait in M/D/c in services, Crommelin: from the numbers in the system, as they are a service time apart.

    If j are in the system, j − c of them or none are one service later, and what has come in the meantime.
    """
    size = 40 * servers
    come = np.array([math.exp(-load + k * math.log(load) - math.lgamma(k + 1)) for k in range(size)])
    share = np.zeros(size)
    share[0] = 1.0
    for _ in range(4000):
        left = np.zeros(size)
        left[0] = share[: servers + 1].sum()
        left[1 : size - servers] = share[servers + 1 :]
        share = np.convolve(left, come)[:size]
    queue = float((np.maximum(np.arange(size) - servers, 0) * share).sum())
    return queue / load


@pytest.mark.parametrize(("servers", "utilisation"), [(2, 0.7), (5, 0.85)])
def test_mdc(servers: int, utilisation: float) -> None:
    """M/D/c, Crommelin (1932); Little's law makes the wait of the queue."""
    load = servers * utilisation
    found = waits(poisson(load / float(SERVICE_S), 23), servers)
    check(found, crommelin(servers, load) * float(SERVICE_S))


@pytest.mark.parametrize(("batch", "utilisation"), [(4, 0.6), (8, 0.8)])
def test_full_batches(batch: int, utilisation: float) -> None:
    """Poisson arrivals, one machine that takes full batches only: bulk service of Bailey (1954) with full batches.

    A batch is full with every b-th arrival: an E_b/D/1 queue, which is what every server of M/D/b sees, as customers
    take its servers in turn. So it waits as in M/D/b; a request waits for its batch to be full before, (b − 1)/(2·λ).
    """
    rate = utilisation * batch / float(SERVICE_S)
    found = waits(poisson(rate, 29), 1, batch, timeout_s=float("inf"))
    check(found, (batch - 1) / (2 * rate) + crommelin(batch, utilisation * batch) * float(SERVICE_S))


def test_dd1() -> None:
    """D/D/1: evenly spaced requests at the full rate of the machines never wait."""
    assert waits(np.arange(10_000) * 0.0025, 4).max() == 0.0
