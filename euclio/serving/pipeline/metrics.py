"""Figures of a simulation: SLO attainment, utilisation, transfers, the scheduler's work (PPipe §7.1, §7.2, §7.4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from euclio.serving.pipeline.record import Simulation
from euclio.serving.requests import attainment, stream_figures
from euclio.serving.units import NS_PER_S


def mean_attainment(simulation: Simulation) -> float | None:
    """Mean of the models' attainments, as the paper averages them."""
    found = [x for x in map(attainment, simulation.requests) if x is not None]
    return float(np.mean(found)) if found else None


def utilization(simulation: Simulation, model: str | None = None) -> dict[str, float]:
    """Temporal utilisation of each GPU type while requests come: busy time over the time of all its GPUs, used or not.

    A GPU counts by the shares of its virtual ones that are busy.

    Args:
        simulation: the simulation.
        model: the model whose inferences count as busy time; None means all.
    """
    until = simulation.setup.seconds * NS_PER_S
    uses = simulation.inferences
    busy = np.minimum(uses.end_ns, until) - np.minimum(uses.start_ns, until)
    counted = _pipelines_of(simulation, model)[uses.pipeline]
    per_gpu = np.bincount(uses.resource[counted], busy[counted], minlength=len(simulation.gpus))
    found = dict.fromkeys((gpu.name for gpu in simulation.cluster.gpus), 0.0)
    for gpu, time in zip(simulation.gpus, per_gpu, strict=True):
        found[gpu.gpu] += float(time) / gpu.share
    return {gpu.name: found[gpu.name] / (gpu.count * until) for gpu in simulation.cluster.gpus}


def probes_per_batch(simulation: Simulation) -> float | None:
    """Mean calls of probe() per dispatched batch (the paper has 3.58); None without a batch."""
    return simulation.probes / simulation.batches if simulation.batches else None


def seconds_per_batch(simulation: Simulation) -> float | None:
    """Seconds of the event loop per dispatched batch, the scheduler's included (less than 9 µs in the paper)."""
    return simulation.wall_s / simulation.batches if simulation.batches else None


def _pipelines_of(simulation: Simulation, model: str | None) -> NDArray[np.bool_]:
    """Mask of the plan's pipelines that serve a model; None means all models."""
    return np.array([model in (None, pipeline.model) for pipeline in simulation.plan.pipelines], bool)


def transfer_seconds(
    simulation: Simulation, model: str | None = None, partition: int | None = None
) -> dict[str, float | None]:
    """Mean and 99th percentile of the time that transfers take, waiting for links included, and the mean without.

    Args:
        simulation: the simulation.
        model: the model whose transfers count; None means all.
        partition: the partition, from 0, whose input they are; None means any.
    """
    uses = simulation.transfers
    counted = _pipelines_of(simulation, model)[uses.pipeline]
    if partition is not None:
        counted &= uses.partition == partition
    if not counted.any():
        return {"mean_s": None, "p99_s": None, "alone_mean_s": None}
    taken = (uses.end_ns - uses.ready_ns)[counted] / NS_PER_S
    return {
        "mean_s": float(taken.mean()),
        "p99_s": float(np.quantile(taken, 0.99)),
        "alone_mean_s": float((uses.end_ns - uses.start_ns)[counted].mean() / NS_PER_S),
    }


def describe(simulation: Simulation) -> dict[str, Any]:
    """All figures as plain data; the same input gives the same, so that run times are not among them."""
    first = simulation.inferences.partition == 0
    sizes = simulation.inferences.requests[first]
    return {
        "instance": simulation.cluster.name,
        **simulation.setup.describe(),
        "attainment": mean_attainment(simulation),
        "models": [
            stream_figures(model.name, rate, requests)
            for model, rate, requests in zip(
                simulation.cluster.models, simulation.offered_rps, simulation.requests, strict=True
            )
        ],
        "utilization": utilization(simulation),
        "batches": simulation.batches,
        "mean_batch": float(sizes.mean()) if sizes.size else None,
        "probes_per_batch": probes_per_batch(simulation) if simulation.probes else None,
        "transfers": {"count": int(simulation.transfers.start_ns.size), **transfer_seconds(simulation)},
    }
