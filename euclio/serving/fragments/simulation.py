"""Simulate the server that runs a plan of fragments (Graft §3, §5)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from heapq import heapreplace
from itertools import chain, pairwise, zip_longest
from typing import NamedTuple

import numpy as np

from euclio.core.compiled import before_timing, compiled
from euclio.core.lazy import late
from euclio.core.parts import Simulator
from euclio.core.progress import told
from euclio.core.words import counted, duration
from euclio.problems.fragments.instance import Fleet
from euclio.problems.fragments.plan import FragmentPlan
from euclio.problems.fragments.space import FragmentSpace
from euclio.serving.arrivals import arrivals_of, duration_factors
from euclio.serving.fragments.metrics import describe
from euclio.serving.fragments.record import Executions, Passages, Simulation
from euclio.serving.fragments.setup import Dispatch, Dropping, Phases, Setup
from euclio.serving.fragments.system import ServedStage, build_system
from euclio.serving.requests import DROPPED, LATE, SERVED, Requests, attainment, highest_in_grid
from euclio.serving.setup import Arrivals
from euclio.serving.units import NANOSECONDS, NS_PER_S, Floats, Ints

INSTANCE, REQUESTS, START, END = range(4)
"""Columns of a table of executions."""
COLUMNS = 4


class Served(NamedTuple):
    """All requests, fragment by fragment, as stages serve them; times are in nanoseconds, shape (requests,).

    Attributes:
        ready: when each can be taken.
        deadline: when each has to have passed the last layer.
        start: gets the begin of each one's execution.
        end: gets its end.
        outcome: gets DROPPED where a request is dropped.
        factors: real over expected durations, used in turn, shape (any,).
    """

    ready: Ints
    deadline: Ints
    start: Ints
    end: Ints
    outcome: Ints
    factors: Floats


# The events at a stage do not change its arrivals. So stages are simulated one after the other, own ones before the
# shared one behind them, and each queue by itself.
@compiled
def serve_queue(
    queue: Ints, s: Served, latency: Ints, least: int, drops: bool, first_instance: int, instances: int, number: int
) -> Ints:
    """Serve a queue, and return a row per batch, shape (batches, COLUMNS).

    A free instance takes the requests that are ready, up to the batch size. It never waits for more: the plan counts at
    most one execution of waiting, and at low rates a batch takes longer than that to fill.

    Args:
        queue: requests in the order in which they become ready.
        s: all requests.
        latency: expected execution time of a batch by its size, shape (batch size + 1,).
        least: the least time of a request from here to the last layer.
        drops: whether requests are dropped that cannot keep their deadline.
        first_instance: number of the first instance that draws from the queue.
        instances: their number.
        number: batches of other queues before, from which on factors are taken.
    """
    executions = np.empty((queue.size, COLUMNS), np.int64)
    most = latency.size - 1
    # Equal times are a heap already. The instance that is free for the longest comes first, then the first in order.
    free = [(0, first_instance + k) for k in range(instances)]
    place, done = 0, 0
    while place < queue.size:
        idle_since, instance = free[0]
        now = max(idle_since, s.ready[queue[place]])
        behind, size = place, 0
        # Requests that become ready at this moment are included.
        while behind < queue.size and size < most and s.ready[queue[behind]] <= now:
            # Not even a batch of its own here, and at once in what follows, would be in time.
            if drops and now + least > s.deadline[queue[behind]]:
                s.outcome[queue[behind]] = DROPPED
            else:
                size += 1
            behind += 1
        # If all were dropped, the instance is free for those that come next.
        if size > 0:
            # Whole nanoseconds, and at least one, so that time always goes on.
            until = now + max(1, round(latency[size] * s.factors[(number + done) % s.factors.size]))
            for k in range(place, behind):
                if s.outcome[queue[k]] != DROPPED:
                    s.start[queue[k]], s.end[queue[k]] = now, until
            executions[done, INSTANCE], executions[done, REQUESTS] = instance, size
            executions[done, START], executions[done, END] = now, until
            done += 1
            heapreplace(free, (until, instance))
        place = behind
    return executions[:done].copy()


# When in their periods clients send, where arrivals are uniform: evenly spaced streams may still coincide (ours).


def phased_arrivals(plan: FragmentPlan, setup: Setup, rates_rps: Sequence[float]) -> list[Ints]:
    """Arrivals of each fragment in whole nanoseconds, ascending, in [0, seconds).

    Args:
        plan: the plan, whose sets are staggered.
        setup: how requests come, and the seed.
        rates_rps: mean rate of each fragment.
    """
    found = arrivals_of(setup, rates_rps)
    if setup.arrivals is not Arrivals.UNIFORM:
        return found
    until = NANOSECONDS.up(setup.seconds)
    moved = []
    for times, rate, part in zip(found, rates_rps, _parts(plan, setup, len(found)), strict=True):
        later = times + int(min(part / rate, setup.seconds) * NS_PER_S)
        moved.append(later[later < until])
    return moved


def _parts(plan: FragmentPlan, setup: Setup, fragments: int) -> Floats:
    """The part of its period after which each client sends first, in [0, 1)."""
    if setup.phases is Phases.RANDOM:
        return np.random.default_rng([setup.seed, 2]).random(fragments)
    parts = np.zeros(fragments)
    if setup.phases is Phases.STAGGERED:
        for own in plan.sets:
            # In turn over the heads, so that those of one head are apart as well.
            rounds = chain.from_iterable(zip_longest(*(head.fragments for head in own.heads)))
            members = [k for k in rounds if k is not None]
            parts[members] = np.arange(len(members)) / len(members)
    return parts


# The order of requests in a stage's queues.


def in_order(fragments: Sequence[int], first_request: Ints, ready_ns: Ints, outcome: Ints) -> Ints:
    """The requests of some fragments that were not dropped, as they become ready.

    Of equally early ones those of the first fragment go first.

    Args:
        fragments: places of the fragments, ascending.
        first_request: number of each fragment's first request, then the total, shape (fragments + 1,).
        ready_ns: when each request can be taken, shape (requests,).
        outcome: its fate so far, shape (requests,).
    """
    pieces = [np.arange(first_request[k], first_request[k + 1]) for k in fragments]
    requests: Ints = np.concatenate(pieces)
    requests = requests[outcome[requests] != DROPPED]
    # Each fragment's requests are in order already, so that a stable sort merges few runs.
    return requests[np.argsort(ready_ns[requests], kind="stable")]


def queues_of(stage: ServedStage, requests: Ints, dispatch: Dispatch) -> Iterator[tuple[Ints, int, int]]:
    """The queues of a stage: requests in order, the first instance that draws from them, and the number of these."""
    first, instances = stage.first_instance, stage.stage.instances
    if dispatch is Dispatch.SHARED:
        yield requests, first, instances
        return
    for k in range(instances):
        yield np.ascontiguousarray(requests[k::instances]), first + k, 1


NOT = -1
LONGEST_NS = 1 << 62
"""Longest time budget in nanoseconds; no request is served that late."""


@told("simulating")
def simulate(
    fleet: Fleet, plan: FragmentPlan, setup: Setup | None = None, space: FragmentSpace | None = None
) -> Simulation:
    """Send every client's requests through the stages of a plan.

    Args:
        fleet: the instance.
        plan: realigned sets of its fragments.
        setup: arrivals, load, queues; by default Poisson arrivals at the fragments' rates for 30 s.
        space: plan space of the plan; it has no effect, since each request has its own fragment's time budget.

    Returns:
        The fate of every request, and every execution. The same input gives the same record.

    Raises:
        InputError: the plan cannot be priced, or an execution is too long to simulate.
    """
    setup = setup or Setup()
    stages = build_system(fleet, plan)
    rates = offered_rps(fleet, plan, setup, space)
    state = _FleetState(fleet, phased_arrivals(plan, setup, rates), setup)
    compile_simulator()
    began = time.perf_counter()
    executions = [_run_stage(stage, state, setup) for stage in stages]
    wall_s = time.perf_counter() - began
    answered = state.outcome != DROPPED
    state.outcome[answered] = np.where(state.finish <= state.deadline, SERVED, LATE)[answered]
    parts = [slice(*ends) for ends in pairwise(state.first)]
    stage, rows = np.repeat(np.arange(len(stages)), [len(own) for own in executions]), np.concatenate(executions)
    return Simulation(
        fleet,
        plan,
        setup,
        rates,
        stages,
        tuple(Requests(state.arrival[p], state.finish[p], state.outcome[p]) for p in parts),
        tuple(Passages(state.own_start[p], state.own_end[p], state.shared_start[p]) for p in parts),
        Executions(stage, *(rows[:, column].copy() for column in (INSTANCE, REQUESTS, START, END))),
        wall_s,
    )


@told("looking for the highest load")
def highest_loads(
    fleet: Fleet, plan: FragmentPlan, setup: Setup, space: FragmentSpace | None = None
) -> dict[str, float]:
    """Per fragment the highest load factor at which its attainment is 99 % or more."""

    def shares_at(load: float) -> dict[str, float | None]:
        found = simulate(fleet, plan, replace(setup, load=load), space)
        return {f.name: attainment(own) for f, own in zip(fleet.fragments, found.requests, strict=True)}

    return highest_in_grid(shares_at)


def offered_rps(
    fleet: Fleet, plan: FragmentPlan, setup: Setup, space: FragmentSpace | None = None
) -> tuple[float, ...]:
    """Mean rate of each fragment at the load of a setup, in requests per second."""
    full = setup.full_load_rps
    return tuple(setup.load * (float(f.rate_rps) if full is None else full) for f in fleet.fragments)


class _FleetState:
    """All requests, fragment by fragment, while stages are simulated; times in nanoseconds, -1 for later ones."""

    def __init__(self, fleet: Fleet, arrivals: Sequence[Ints], setup: Setup) -> None:
        self.first: Ints = np.concatenate(([0], np.cumsum([len(times) for times in arrivals]))).astype(np.int64)
        self.arrival: Ints = np.concatenate([*arrivals, np.zeros(0, np.int64)])
        budgets = [min(NANOSECONDS.up(fragment.budget_s), LONGEST_NS) for fragment in fleet.fragments]
        self.deadline = self.arrival + np.repeat(np.array(budgets, np.int64), np.diff(self.first))
        self.factors = duration_factors(setup.noise, setup.seed)
        size = self.arrival.size
        self.outcome, self.ready, self.batches = np.zeros(size, np.int64), self.arrival.copy(), 0
        self.own_start, self.own_end, self.shared_start, self.finish = (np.full(size, NOT) for _ in range(4))


def _run_stage(stage: ServedStage, state: _FleetState, setup: Setup) -> Ints:
    """Serve a stage's requests; returns a row per execution."""
    start, end = (state.shared_start, state.finish) if stage.shared else (state.own_start, state.own_end)
    served = Served(state.ready, state.deadline, start, end, state.outcome, state.factors)
    latency, least, drops = stage.latency_ns, stage.least_ns, setup.dropping is Dropping.HOPELESS
    requests = in_order(stage.fragments, state.first, state.ready, state.outcome)
    tables = []
    for queue, instance, instances in queues_of(stage, requests, setup.dispatch):
        tables.append(serve_queue(queue, served, latency, least, drops, instance, instances, state.batches))
        state.batches += len(tables[-1])
    if not stage.shared:
        state.ready[requests] = end[requests]
    return np.concatenate(tables)


@before_timing
def compile_simulator() -> None:
    """Compile the simulator, or load machine code, before anything is timed."""
    none = np.zeros(0, np.int64)
    serve_queue(none, Served(*(none,) * 5, np.ones(1)), np.ones(2, np.int64), 1, True, 0, 1, 0)


def _speed(simulation: Simulation) -> str:
    batches = simulation.executions.requests.size
    if not batches:
        return ""
    return f"{counted(batches, 'batch', 'batches')} simulated in {duration(simulation.wall_s)}"


SIMULATOR = Simulator(
    setup=Setup,
    offered_rps=offered_rps,
    simulate=simulate,
    highest_loads=highest_loads,
    describe=describe,
    table=late("euclio.serving.tables", "fleet_table"),
    stream="fragment",
    speed=_speed,
)
