"""The record of a simulation: the fate of every request, every use of a virtual GPU and of links."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from euclio.core.lazy import late_value
from euclio.core.showing import Framed, Plotted
from euclio.problems.pipeline import Cluster, PipelinePlan
from euclio.serving.pipeline import resources as r
from euclio.serving.pipeline.setup import Setup
from euclio.serving.pipeline.system import System, VirtualGpu
from euclio.serving.requests import Requests
from euclio.serving.units import Ints


@dataclass(frozen=True, slots=True)
class Uses:
    """Inferences on virtual GPUs, or transfers over links; one entry each, in the order of dispatch."""

    resource: Ints  # virtual GPU, or the server that sends
    receiver: Ints  # the server that receives (transfers), else -1; -1 too where it was not known when a transfer began
    pipeline: Ints  # pipeline in the plan
    partition: Ints  # partition that infers or is sent to, from 0
    batch: Ints  # number of the batch; reactive pools make batches of their own
    requests: Ints  # how many
    ready_ns: Ints  # earliest start if its resources were free
    start_ns: Ints  # begin
    end_ns: Ints  # end
    estimate_ns: Ints  # expected duration


@dataclass(frozen=True, slots=True, repr=False)
class Simulation(Framed, Plotted):
    """A simulated plan."""

    _view = late_value("euclio.serving.tables", "CLUSTER")

    cluster: Cluster  # the instance
    plan: PipelinePlan  # its plan
    setup: Setup  # arrivals, load, scheduler
    offered_rps: tuple[float, ...]  # mean rate of each model
    gpus: tuple[VirtualGpu, ...]  # virtual GPUs and where they are
    requests: tuple[Requests, ...]  # per model
    inferences: Uses  # every inference
    transfers: Uses  # every transfer
    batches: int  # batches that were dispatched
    probes: int  # calls of probe()
    wall_s: float  # seconds that the event loop took


def uses_of(system: System, node: Ints, gpus: int) -> Uses:
    """Nodes of a ledger as inferences, or as transfers."""
    resource, receiver, pool = node[:, r.RESOURCE], node[:, r.DOWNLINK], node[:, r.POOL]
    pipeline = system.pipeline_of[pool]
    return Uses(
        resource=np.where(receiver == r.NONE, resource, (resource - gpus) // 2),
        receiver=np.where(receiver < 0, r.NONE, (receiver - gpus) // 2),
        pipeline=system.plan_pipeline[pipeline],
        partition=pool - system.first_pool[pipeline],
        **{name: node[:, column].copy() for name, column in _COLUMNS.items()},
    )


_COLUMNS = {
    "batch": r.BATCH,
    "requests": r.COUNT,
    "ready_ns": r.READY,
    "start_ns": r.START,
    "end_ns": r.END,
    "estimate_ns": r.ESTIMATE,
}
