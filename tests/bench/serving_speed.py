"""The simulators of sessions: requests per second through three modules, the compiled one against the plain one."""

from __future__ import annotations

import time
import tracemalloc

import numpy as np

from euclio.problems.session import Allocation, Configuration, Hardware, Module, ModulePlan, Plan, Session
from euclio.serving.session.engine import tables
from euclio.serving.session.server import Server
from euclio.serving.session.setup import Dispatch, Setup
from euclio.serving.session.simulation import Driver, incoming
from euclio.serving.session.system import System, build_system
from euclio.serving.setup import Arrivals
from tests.bench.measuring import bar
from tests.bench.report import Line, Section
from tests.helpers.session_reference import serve

BATCH, MACHINES, DURATION_S = 8, 3, "0.04"
LOADS = {Arrivals.UNIFORM: 1.0, Arrivals.POISSON: 0.8}
"""At 0.9 batches that time out leave too few slots under `rounds`: requests pile up, and memory with them."""
DISPATCHERS = (Dispatch.ROUNDS, Dispatch.REQUESTS, Dispatch.PULL)
REQUESTS = 2_000_000
PLAIN_REQUESTS = 20_000
TARGET_PER_S = 5e6
FLAT_MB = 1.0
"""How much more memory ten times as many requests may take."""


def serving_speed() -> Section:
    """The section about simulations of sessions."""
    rows, slowest, ratios = [], float("inf"), []
    with bar("simulations of sessions", len(DISPATCHERS) * len(LOADS)) as advance:
        for dispatch in DISPATCHERS:
            system = chain(dispatch)
            for arrivals, load in LOADS.items():
                setup = Setup(arrivals, load, REQUESTS / float(system.rate_rps) / load)
                _compiled(system, Setup(arrivals, load, 1.0))
                speed = max(_compiled(system, setup) for _ in range(3))
                plain = _plain(system, Setup(arrivals, load, PLAIN_REQUESTS / float(system.rate_rps) / load))
                slowest = min(slowest, speed)
                ratios.append(speed / plain)
                rows.append(
                    (dispatch.value, arrivals.value, f"{speed / 1e6:.2f} million", f"{plain:,.0f}", f"{ratios[-1]:.0f}")
                )
                advance()
    more_mb = _more_mb(chain(Dispatch.ROUNDS))
    lines = (
        Line("slowest", f"{slowest / 1e6:.2f} million/s", "≥ 5 million/s", slowest >= TARGET_PER_S),
        Line("least ratio to the plain simulator", f"{min(ratios):.0f}"),
        Line("memory for ten times as many requests", f"+{more_mb:.2f} MB", f"≤ {FLAT_MB:g} MB", more_mb <= FLAT_MB),
    )
    columns = ("dispatcher", "arrivals", "requests per second", "plain Python", "ratio")
    title = f"Sessions served: three modules, batch {BATCH}, {REQUESTS:,} requests, one core"
    return Section(title, lines, columns=columns, rows=tuple(rows))


def chain(dispatch: Dispatch) -> System:
    """Three modules in a row, machines of batch 8 that are busy all the time at full load."""
    configuration = Configuration("one", BATCH, 1, DURATION_S)
    rate = MACHINES * configuration.throughput_rps
    modules = [Module(name, rate, [configuration]) for name in "abc"]
    session = Session("chain", 1, [Hardware("one", 1)], modules, [("a", "b"), ("b", "c")])
    plan = Plan(tuple(ModulePlan((Allocation(configuration, MACHINES),)) for _ in modules))
    return build_system(session, plan, None, Setup(dispatch=dispatch))


def _compiled(system: System, setup: Setup) -> float:
    """Requests per CPU second of the compiled simulator; drawing arrivals is not counted."""
    chunks = list(incoming(system, setup))
    server = Server(system, until_ticks=int(setup.seconds * 1e9))
    began = time.process_time()
    Driver(server, iter(chunks)).finish()
    return float(server.state.number[tables.ANSWERED]) / (time.process_time() - began)


def _plain(system: System, setup: Setup) -> float:
    """Requests per CPU second of the simulator in plain Python."""
    chunks = list(incoming(system, setup))
    arrivals = np.concatenate([times for times, _ in chunks]).tolist()
    counts = np.concatenate([found for _, found in chunks]).tolist()
    began = time.process_time()
    serve(system, arrivals, counts)
    return len(arrivals) / (time.process_time() - began)


def _more_mb(system: System) -> float:
    """Megabytes that a run of ten times as many requests takes more at its most."""
    peaks = []
    for seconds in (500.0, 5000.0):
        setup = Setup(Arrivals.POISSON, LOADS[Arrivals.POISSON], seconds)
        tracemalloc.start()
        Driver(Server(system, until_ticks=int(seconds * 1e9)), incoming(system, setup)).finish()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    return (peaks[1] - peaks[0]) / 1e6
