"""Simulate the data plane of a plan (PPipe §6, §7)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from euclio.core.compiled import before_timing
from euclio.core.errors import InputError
from euclio.core.progress import told
from euclio.problems.pipeline import Cluster, PipelinePlan, PipelineSpace, evaluate
from euclio.serving import highest_load
from euclio.serving.arrivals import arrivals_of
from euclio.serving.noise import duration_factors
from euclio.serving.pipeline.engine import run_events
from euclio.serving.pipeline.queues import Queues, new_queues
from euclio.serving.pipeline.record import Ran, Simulation, record
from euclio.serving.pipeline.reservation import new_path
from euclio.serving.pipeline.resources import Ledger, new_ledger
from euclio.serving.pipeline.setup import Scheduler, Setup
from euclio.serving.pipeline.system import System, build_system
from euclio.serving.requests import attainment
from euclio.serving.units import Ints


@told("simulating")
def simulate(
    cluster: Cluster, plan: PipelinePlan, setup: Setup | None = None, space: PipelineSpace | None = None
) -> Simulation:
    """Serve a load with a plan.

    Args:
        cluster: the instance.
        plan: pooled pipelines of its models.
        setup: arrivals, load, scheduler; by default Poisson arrivals at full load for 30 s by reservation.
        space: plan space that the plan is priced under where the setup does not say what full load is.

    Returns:
        What became of every request, and every use of virtual GPUs and links. The same input gives the same.

    Raises:
        InputError: the plan cannot be priced or placed, its batches are not unified, or a trace has no timestamps.
    """
    setup = setup or Setup()
    rates = offered_rps(cluster, plan, setup, space)
    system, gpus = build_system(cluster, plan)
    return record(cluster, plan, setup, rates, system, gpus, _run(system, arrivals_of(setup, rates), setup))


@told("looking for the highest load")
def highest_loads(
    cluster: Cluster,
    plan: PipelinePlan,
    setup: Setup,
    space: PipelineSpace | None = None,
    done: Callable[[Simulation], None] = lambda _: None,
) -> dict[str, float]:
    """Per model the highest load factor at which its attainment is 99 % or more; `done` gets every simulation.

    Source: PPipe §7.1, Figures 6, 9 and 10.
    """
    names = [model.name for model in cluster.models]

    def shares_at(load: float) -> dict[str, float | None]:
        simulation = simulate(cluster, plan, replace(setup, load=load), space)
        done(simulation)
        return dict(zip(names, map(attainment, simulation.requests), strict=True))

    return highest_load.highest_loads(names, shares_at)


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
            raise InputError(f"{evaluation.violations[0]}; `euclio verify` says more", field="plan")
        full = float(min(model.weighted_rps for model in evaluation.models))
    return tuple(setup.load * full * float(model.weight) for model in cluster.models)


def _run(system: System, arrivals: list[Ints], setup: Setup) -> Ran:
    """Ledger and queues after all events, and the seconds that took."""
    compile_simulator()
    factors = duration_factors(setup.noise, setup.seed)
    reactive = setup.scheduler is Scheduler.REACTIVE
    ledger, queues, order, longest = _empty(system, arrivals, reactive)
    began = time.perf_counter()
    run_events(system, ledger, queues, order, factors, reactive, new_path(longest), new_path(longest))
    return Ran(ledger, queues, time.perf_counter() - began)


def _empty(system: System, arrivals: list[Ints], reactive: bool) -> tuple[Ledger, Queues, Ints, int]:
    queues = new_queues(system, arrivals, reactive)
    longest = int(np.diff(system.first_pool).max(initial=1))
    ledger = new_ledger(system.resources, len(queues.arrival) * (2 * longest - 1))
    return ledger, queues, np.argsort(queues.arrival, kind="stable"), longest


@before_timing
def compile_simulator() -> None:
    """Compile the simulator, or load machine code, before anything is timed."""
    none = np.zeros(0, np.int64)
    table = np.zeros((0, 2), np.int64)
    first = np.zeros(2, np.int64)
    system = System(none, first, none, first[:1], first[:1], table, table, none, none, none, 0, none, none, none)
    ledger, queues, order, longest = _empty(system, [none], False)
    run_events(system, ledger, queues, order, np.ones(1), False, new_path(longest), new_path(longest))
