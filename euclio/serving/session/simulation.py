"""Simulate the machines that serve a session's plan, request by request (docs/model/serving.md)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from euclio.core.compiled import before_timing
from euclio.core.progress import late_bar, told
from euclio.problems.session.instance import Configuration, Hardware, Module, Session
from euclio.problems.session.plan import Allocation, ModulePlan, Plan
from euclio.problems.session.services import request_rate
from euclio.problems.session.space import FULL_SPACE, PlanSpace
from euclio.serving.arrivals import CHUNK, arrival_chunks, duration_factors
from euclio.serving.requests import highest_in_grid
from euclio.serving.session.clock import offered
from euclio.serving.session.engine import tables as t
from euclio.serving.session.engine.loop import FOREVER
from euclio.serving.session.record import (
    Executions,
    Latencies,
    MachineTallies,
    ModuleTally,
    ObjectiveTally,
    Simulation,
)
from euclio.serving.session.server import Counts, Piece, Server, together
from euclio.serving.session.setup import Setup
from euclio.serving.session.system import System, build_system
from euclio.serving.session.targets import own_dispatch
from euclio.serving.setup import Arrivals
from euclio.serving.units import Clock, Ints

WINDOWS = 100
"""Windows of arrivals in which attained requests are counted apart."""
TIMELINE_SLOS = 1.5
"""Length of the part of the time of which executions are kept, in SLOs."""

Progress = Callable[[float], None]
"""Takes the seconds that have been simulated."""


def simulate(
    session: Session,
    plan: Plan,
    setup: Setup | None = None,
    space: PlanSpace | None = None,
    *,
    progress: Progress | None = None,
) -> Simulation:
    """Send requests through the machines of a plan until all are answered.

    Args:
        session: the instance.
        plan: a plan of it; it need not keep the SLO.
        setup: arrivals, load, dispatch; by default Poisson arrivals at the session's rate for 30 s.
        space: plan space of the plan, whose policy dispatches.
        progress: called now and then; None shows a bar after a while.

    Returns:
        The record of the requests. The same input gives the same record; memory does not grow with their number.

    Raises:
        InputError: the plan cannot be priced, or it has numbers that are too large to be simulated.
    """
    compile_simulator()
    setup, space = setup or Setup(), space or FULL_SPACE
    system = build_system(session, plan, space, setup, fine=True)
    until = system.clock.up(setup.seconds)
    server = Server(
        system,
        until_ticks=until,
        factors=duration_factors(setup.noise, setup.seed),
        closed_loop=setup.clients > 0,
        window_ticks=-(-until // WINDOWS),
        seed=setup.seed,
    )
    began = time.perf_counter()
    with late_bar("simulated seconds", setup.seconds) as reached:
        driver = Driver(server, incoming(system, setup), progress or reached)
        executions, busy_ticks = _run(driver, server, setup)
    wall_s = time.perf_counter() - began
    state = server.state
    number = state.number
    return Simulation(
        session,
        plan,
        setup,
        system,
        setup.dispatch or own_dispatch(space.policy),
        offered_rps(session, plan, setup, space)[0],
        int(number[t.REQUESTS_SO_FAR]),
        int(number[t.LATE]),
        int(number[t.DROPPED]),
        _latencies(state, len(system.modules), system.clock),
        tuple(
            ModuleTally(int(row[t.READY]), int(row[t.DROPPED_HERE]), _latencies(state, m, system.clock))
            for m, row in enumerate(state.module)
        ),
        MachineTallies(
            busy_ticks / (state.machine[:, t.SLOTS] * until),
            *(state.machine[:, column].copy() for column in (t.BATCHES, t.SERVED, t.MOST_WAITING)),
        ),
        state.window.copy(),
        executions,
        wall_s,
        tuple(
            ObjectiveTally(int(row[t.EXPECTED_TO]), int(row[t.KEPT]), _latencies(state, place, system.clock))
            for place, row in enumerate(state.objective, len(system.modules) + 1)
        ),
    )


def offered_rps(session: Session, plan: Plan, setup: Setup, space: PlanSpace | None = None) -> tuple[float, ...]:
    """Mean rate of requests at the load of a setup, in requests per second; 0 if clients wait for answers."""
    full = float(request_rate(session)) if setup.full_load_rps is None else setup.full_load_rps
    return (0.0 if setup.clients else setup.load * full,)


@told("looking for the highest load")
def highest_loads(session: Session, plan: Plan, setup: Setup, space: PlanSpace | None = None) -> dict[str, float]:
    """The highest load factor at which the session's attainment is 99 % or more."""

    def share_at(load: float) -> dict[str, float | None]:
        return {session.name: simulate(session, plan, replace(setup, load=load), space).attainment}

    return highest_in_grid(share_at)


def _run(driver: Driver, server: Server, setup: Setup) -> tuple[Executions, Ints]:
    """Run to the end; gives what was executed in the middle, and how long machines were busy while requests came."""
    begin_s = setup.seconds / 2
    length_s = min(TIMELINE_SLOS * float(server.system.session.slo_s), setup.seconds - begin_s)
    longest = max(machine.duration_ticks[-1] for machine in server.system.machines)
    clock = server.system.clock
    begin, end, until = clock.down(begin_s), clock.down(begin_s + length_s), clock.up(setup.seconds)
    # Executions are logged when they end. Where that may be after the arrivals, logs are kept until the very end.
    logged, last = min(until, end + 2 * longest), end + 2 * longest >= until
    driver.go_to(max(0, begin - 2 * longest))
    server.keep_logs(True)
    driver.go_to(logged)
    if not last:
        rows = server.logs().executions
        server.keep_logs(False)
        driver.go_to(until)
    busy = server.busy_ticks(until)
    driver.finish()
    if last:
        rows = server.logs().executions
    shown = rows[(rows[:, t.LOG_END] > begin) & (rows[:, t.LOG_START] < end)]
    what = (shown[:, column].copy() for column in (t.LOG_MODULE, t.LOG_MACHINE, t.LOG_SIZE))
    when = (shown[:, column] // clock.ticks_per_ns for column in (t.LOG_START, t.LOG_END))
    return Executions(begin_s, length_s, *what, *when), busy


class Driver:
    """Feeds a server with arrivals, piece by piece."""

    def __init__(self, server: Server, pieces: Iterator[Piece], progress: Progress | None = None) -> None:
        """Begin before the first arrival; `progress` is called after each piece that is fed."""
        self._server, self._pieces, self._progress = server, pieces, progress
        nothing = np.zeros(0, np.int64), np.zeros((0, len(server.system.modules)), np.int64)
        self._next: Piece | None = next(pieces, nothing)

    def go_to(self, until_ticks: int) -> None:
        """Let all happen that happens before a time."""
        while not self._server.advance(until_ticks):
            assert self._next is not None, "the server asks for arrivals after the last"
            piece, self._next = self._next, next(self._pieces, None)
            self._server.feed(*piece, last=self._next is None)
            if piece[0].size and self._progress is not None:
                self._progress(float(piece[0][-1]) / self._server.system.clock.ticks_per_s)

    def finish(self) -> None:
        """Go on until all requests are answered."""
        self.go_to(FOREVER)


def incoming(system: System, setup: Setup) -> Iterator[Piece]:
    """The requests of a setup, in pieces; of clients, the first request of each.

    Each stream has arrivals of its own, of the same kind and at its own rate. The first draws as the only one would.
    """
    if setup.clients:
        # The next requests of a client are like its first one: all have the invocations of the first request of all.
        each = Counts([module.per_request for module in system.modules]).take(1)
        yield np.zeros(setup.clients, np.int64), np.repeat(each, setup.clients, axis=0)
        return
    even = setup.arrivals is Arrivals.UNIFORM
    rate = offered(setup, system.rate_rps) if even else offered_rps(system.session, system.plan, setup)[0]
    rates = [rate * (share if even else float(share)) for share in system.shares]
    yield from together(system, arrival_chunks(setup, rates, CHUNK, system.clock))


def _latencies(state: t.State, row: int, clock: Clock) -> Latencies:
    bins = np.flatnonzero(state.histogram[row])
    total_ns = float(state.total[row]) / clock.ticks_per_ns
    return Latencies(bins, state.histogram[row, bins], total_ns, int(state.largest[row]) // clock.ticks_per_ns)


@before_timing
def compile_simulator() -> None:
    """Compile the simulator, or load machine code, before anything is timed."""
    configuration = Configuration("one", 1, 1, 1)
    session = Session("tiny", 1, [Hardware("one", 1)], [Module("tiny", 1, [configuration])])
    plan = Plan((ModulePlan((Allocation(configuration, 1),)),))
    Server(build_system(session, plan), until_ticks=0).advance(0)
