"""Serve a plan under a load in simulation (§7.1), as rows."""

from __future__ import annotations

from euclio.pipeline import Cluster, PipelinePlan
from euclio.pipeline.simulation.metrics import (
    probes_per_batch,
    seconds_per_batch,
    transfer_seconds,
    utilization,
)
from euclio.pipeline.simulation.setup import Arrivals, Scheduler, Setup
from euclio.pipeline.simulation.simulation import simulate
from euclio.simulation.requests import Requests, attainment
from euclio.studies.rows import Row


def serve(
    cluster: Cluster,
    plan: PipelinePlan,
    full_load_rps: float,
    load: float,
    seconds: float,
    seed: int,
    arrivals: Arrivals = Arrivals.POISSON,
    scheduler: Scheduler = Scheduler.RESERVATION,
) -> list[Row]:
    """One row per model: its attainment, and what the simulation says of the whole cluster.

    Args:
        cluster: the instance; its first GPU type is the high class, its last the low class.
        plan: the plan.
        full_load_rps: throughput per weight at load factor 1.
        load: load factor.
        seconds: how long requests come.
        seed: seed of the arrivals; plans served with the same one get the same requests.
        arrivals: how requests come.
        scheduler: who forms batches.
    """
    setup = Setup(arrivals, load, seconds, scheduler=scheduler, seed=seed, full_load_rps=full_load_rps)
    found = simulate(cluster, plan, setup)
    used = utilization(found)
    transfers = transfer_seconds(found)
    whole = {
        "arrivals": arrivals.value,
        "scheduler": scheduler.value,
        "load": load,
        "high_class": used[cluster.gpus[0].name],
        "low_class": used[cluster.gpus[-1].name],
        "batches": found.batches,
        "probes_per_batch": probes_per_batch(found),
        "seconds_per_batch": seconds_per_batch(found),
        "transfer_mean_s": transfers["mean_s"],
        "transfer_p99_s": transfers["p99_s"],
        "transfer_alone_s": transfers["alone_mean_s"],
    }
    return [
        {**whole, "model": model.name, "requests": requests.outcome.size, "attainment": _attainment(requests)}
        for model, requests in zip(cluster.models, found.requests, strict=True)
    ]


def _attainment(requests: Requests) -> float:
    """A model without requests counts as served."""
    share = attainment(requests)
    return 1.0 if share is None else share
