"""Simulate the data plane of a plan (PPipe §6, §7)."""

from __future__ import annotations

import time
from dataclasses import replace
from heapq import heappop

import numpy as np

from euclio.core.compiled import before_timing, compiled
from euclio.core.errors import InputError
from euclio.core.lazy import late
from euclio.core.parameters import verb_text
from euclio.core.parts import Simulator
from euclio.core.progress import told
from euclio.core.words import duration
from euclio.problems.pipeline import Cluster, PipelinePlan, PipelineSpace, evaluate
from euclio.serving.arrivals import arrivals_of, duration_factors
from euclio.serving.pipeline import resources as r
from euclio.serving.pipeline.metrics import describe, seconds_per_batch
from euclio.serving.pipeline.reactive import batch_by_pool, hand_over, send
from euclio.serving.pipeline.record import Simulation, uses_of
from euclio.serving.pipeline.reservation import Path, batch_by_reservation, new_path
from euclio.serving.pipeline.resources import Event, Ledger, Queues, finish, new_ledger, new_queues, waiting
from euclio.serving.pipeline.setup import Scheduler, Setup
from euclio.serving.pipeline.system import System, build_system
from euclio.serving.requests import LATE, SERVED, Requests, attainment, highest_in_grid
from euclio.serving.units import Floats, Ints

# The event loop of the data plane: arrivals, ends of nodes, timers, in the order of time (PPipe §6; compiled).

NO_EVENT = (1 << 62, 3, 0)


@compiled
def run_events(
    system: System, ledger: Ledger, queues: Queues, order: Ints, reactive: bool, path: Path, other: Path
) -> None:
    """Serve all arrivals, and record the events in the ledger and the queues.

    Args:
        system: cluster and plan.
        ledger: empty reservation tables.
        queues: empty queues.
        order: requests in the order of arrival.
        reactive: whether every pool batches by itself; otherwise by reservation.
        path: scratch, with room for the longest pipeline.
        other: scratch of the same length.
    """
    events: list[Event] = [NO_EVENT]
    arrived = 0
    # The first event never happens: it types the list, and saves a test for an empty one.
    while arrived < order.size or len(events) > 1:
        time, kind, what = events[0]
        # Arrivals are sorted already, so they are merged with the events and never pushed.
        if arrived < order.size and (queues.arrival[order[arrived]], 1) < (time, kind):
            request = order[arrived]
            arrived += 1
            time, queue = queues.arrival[request], queues.model[request]
            queues.last[queue] += 1
            due = waiting(queues, queue) >= queues.wanted[queue]
        else:
            heappop(events)
            if kind == r.ENDS:
                finish(ledger, events, what, time, not reactive)
                queue = _finished(system, ledger, queues, events, what, time, reactive)
                # Its scheduler sleeps until as many requests are there as it waits for.
                due = queue >= 0 and waiting(queues, queue) >= queues.wanted[queue]
            else:
                # A timer that has been set anew since is stale.
                queue, due = what, queues.timer[what] == time
        if not due:
            continue
        queues.timer[queue] = r.NONE
        if reactive:
            batch_by_pool(system, ledger, queues, events, queue, time)
        else:
            batch_by_reservation(system, ledger, queues, events, queue, time, path, other)


@compiled
def _finished(
    system: System, ledger: Ledger, queues: Queues, events: list[Event], node: int, now: int, reactive: bool
) -> int:
    """Mark the requests that a last partition has served, or pass a batch on; returns the queue that received it."""
    pool = ledger.node[node, r.POOL]
    # The end of a transfer serves no request; the inference after it does.
    if ledger.node[node, r.DOWNLINK] != r.NONE:
        return hand_over(system, ledger, queues, node, pool) if reactive else r.NONE
    # By reservation the next partition is entered already; without it, the batch must be sent to the pool.
    if pool + 1 < system.first_pool[system.pipeline_of[pool] + 1]:
        if not reactive:
            return r.NONE
        if system.transfer[pool + 1, ledger.node[node, r.COUNT]] == 0:
            return hand_over(system, ledger, queues, node, pool + 1)
        send(system, ledger, events, node, now)
        return r.NONE
    for place in range(ledger.node[node, r.FIRST], ledger.node[node, r.FIRST] + ledger.node[node, r.COUNT]):
        request = queues.item[place]
        limit = queues.arrival[request] + system.slo[queues.model[request]]
        queues.outcome[request] = SERVED if now <= limit else LATE
        queues.finish[request] = now
    return r.NONE


@told("simulating")
def simulate(
    cluster: Cluster, plan: PipelinePlan, setup: Setup | None = None, space: PipelineSpace | None = None
) -> Simulation:
    """Serve a load with a plan.

    Args:
        cluster: the instance.
        plan: pooled pipelines of its models.
        setup: arrivals, load, scheduler; by default Poisson arrivals at full load for 30 s by reservation.
        space: plan space that prices the plan if the setup does not state the full load.

    Returns:
        The fate of every request, and every use of virtual GPUs and links. The same input gives the same record.

    Raises:
        InputError: the plan cannot be priced or placed, its batches are not unified, or a trace has no timestamps.
    """
    setup = setup or Setup()
    rates = offered_rps(cluster, plan, setup, space)
    system, gpus = build_system(cluster, plan)
    compile_simulator()
    reactive, factors = setup.scheduler is Scheduler.REACTIVE, duration_factors(setup.noise, setup.seed)
    ledger, queues, order, longest = _empty(system, arrivals_of(setup, rates), reactive, factors)
    began = time.perf_counter()
    run_events(system, ledger, queues, order, reactive, new_path(longest), new_path(longest))
    wall_s = time.perf_counter() - began
    of_model = [queues.model == m for m in range(len(cluster.models))]
    node = ledger.node[: ledger.totals[r.NODES]]
    sent = node[:, r.DOWNLINK] != r.NONE
    return Simulation(
        cluster,
        plan,
        setup,
        rates,
        gpus,
        tuple(Requests(queues.arrival[m], queues.finish[m], queues.outcome[m]) for m in of_model),
        uses_of(system, node[~sent], len(gpus)),
        uses_of(system, node[sent], len(gpus)),
        int(ledger.totals[r.BATCHES]),
        int(ledger.totals[r.PROBES]),
        wall_s,
    )


@told("looking for the highest load")
def highest_loads(
    cluster: Cluster, plan: PipelinePlan, setup: Setup, space: PipelineSpace | None = None
) -> dict[str, float]:
    """Per model the highest load factor at which its attainment is 99 % or more (PPipe §7.1, Figures 6, 9 and 10)."""

    def shares_at(load: float) -> dict[str, float | None]:
        found = simulate(cluster, plan, replace(setup, load=load), space)
        return {m.name: attainment(own) for m, own in zip(cluster.models, found.requests, strict=True)}

    return highest_in_grid(shares_at)


def offered_rps(
    cluster: Cluster, plan: PipelinePlan, setup: Setup, space: PipelineSpace | None = None
) -> tuple[float, ...]:
    """Mean rate of each model at the load of a setup: load · full load · weight, in requests per second.

    Raises:
        InputError: the plan cannot be priced.
    """
    full = setup.full_load_rps
    if full is None:
        evaluation = evaluate(cluster, plan, space or PipelineSpace())
        if not evaluation.models:
            raise InputError(f"{evaluation.violations[0]}; {verb_text('verify')} says more", field="plan")
        full = float(min(model.weighted_rps for model in evaluation.models))
    return tuple(setup.load * full * float(model.weight) for model in cluster.models)


def _empty(system: System, arrivals: list[Ints], reactive: bool, factors: Floats) -> tuple[Ledger, Queues, Ints, int]:
    queues = new_queues(system, arrivals, reactive)
    longest = int(np.diff(system.first_pool).max(initial=1))
    ledger = new_ledger(system.resources, len(queues.arrival) * (2 * longest - 1), factors)
    return ledger, queues, np.argsort(queues.arrival, kind="stable"), longest


@before_timing
def compile_simulator() -> None:
    """Compile the simulator, or load machine code, before anything is timed."""
    none = np.zeros(0, np.int64)
    table = np.zeros((0, 2), np.int64)
    first = np.zeros(2, np.int64)
    system = System(none, first, none, first[:1], first[:1], table, table, none, none, none, 0, none, none, none)
    ledger, queues, order, longest = _empty(system, [none], False, np.ones(1))
    run_events(system, ledger, queues, order, False, new_path(longest), new_path(longest))


def _speed(simulation: Simulation) -> str:
    each = seconds_per_batch(simulation)
    return "" if each is None else f"simulated in {duration(simulation.wall_s)}, {duration(each)} per batch"


SIMULATOR = Simulator(
    setup=Setup,
    offered_rps=offered_rps,
    simulate=simulate,
    highest_loads=highest_loads,
    describe=describe,
    table=late("euclio.serving.tables", "cluster_table"),
    stream="model",
    speed=_speed,
)
