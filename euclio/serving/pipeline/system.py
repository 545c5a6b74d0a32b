"""Cluster and plan as flat arrays in whole nanoseconds: what the compiled event loop works on.

Durations are rounded down and objectives up, so that rounding makes nothing late that a plan has time for, however long
it is served.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from euclio.core.errors import InputError
from euclio.problems.pipeline import Cluster, Pipeline, PipelinePlan
from euclio.serving.pipeline.placement import VirtualGpu, place, servers
from euclio.serving.units import NANOSECONDS, Ints

MOST_GPUS = 10**6
"""Virtual GPUs of all pools together that are simulated; each has a place in memory."""


class System(NamedTuple):
    """Cluster and plan; durations are rounded down to nanoseconds, SLOs up.

    Pipelines stand model by model, pools (one per partition) pipeline by pipeline, virtual GPUs pool by pool. Resources
    are the virtual GPUs, then an uplink and a downlink per server.

    Attributes:
        slo: SLO of each model, shape (models,).
        first_pipeline: index of each model's first pipeline, then the total, shape (models + 1,).
        batch: unified batch size, shape (pipelines,).
        first_pool: index of each pipeline's first pool, then the total, shape (pipelines + 1,).
        first_gpu: index of each pool's first virtual GPU, then the total, shape (pools + 1,).
        latency: of a pool's partition, by batch size, shape (pools, largest batch + 1).
        transfer: of a batch into a pool, by batch size; 0: nothing is sent; shape as `latency`.
        after: planned transfers and latencies behind a pool, shape (pools,).
        uplink: resource that each virtual GPU sends through, shape (virtual GPUs,).
        downlink: resource that each virtual GPU receives through, shape (virtual GPUs,).
        resources: number of resources.
        model_of: model of each pipeline.
        pipeline_of: pipeline of each pool.
        plan_pipeline: pipeline's index in the plan, shape (pipelines,).
    """

    slo: Ints
    first_pipeline: Ints
    batch: Ints
    first_pool: Ints
    first_gpu: Ints
    latency: Ints
    transfer: Ints
    after: Ints
    uplink: Ints
    downlink: Ints
    resources: int
    model_of: Ints
    pipeline_of: Ints
    plan_pipeline: Ints


def build_system(cluster: Cluster, plan: PipelinePlan) -> tuple[System, tuple[VirtualGpu, ...]]:
    """Arrays of a feasible plan, and its virtual GPUs in their order.

    Raises:
        InputError: partitions of a pipeline differ in batch size, there are too many virtual GPUs, or they do not fit
            on the physical ones.
    """
    count = sum(partition.gpus for pipeline in plan.pipelines for partition in pipeline.partitions)
    if count > MOST_GPUS:
        raise InputError(f"has {count} virtual GPUs; up to {MOST_GPUS} are simulated", field="plan")
    names = [model.name for model in cluster.models]
    order = sorted(range(len(plan.pipelines)), key=lambda i: names.index(plan.pipelines[i].model))
    ordered = PipelinePlan(tuple(plan.pipelines[i] for i in order))
    for i, pipeline in zip(order, ordered.pipelines, strict=True):
        if len({p.batch for p in pipeline.partitions}) > 1:
            raise InputError(
                "its partitions differ in batch size, but the data plane needs one size per pipeline (PPipe §5.3); "
                "plan with unified batches",
                field=f"plan.pipelines[{i}]",
            )
    gpus = place(cluster, ordered)
    pools = [(p, k) for p in ordered.pipelines for k in range(len(p.partitions))]
    widest = max((p.partitions[0].batch for p in ordered.pipelines), default=1)
    latency = np.zeros((len(pools), widest + 1), np.int64)
    transfer = np.zeros_like(latency)
    for row, (pipeline, k) in enumerate(pools):
        for b in range(1, pipeline.partitions[k].batch + 1):
            latency[row, b], transfer[row, b] = _durations(cluster, pipeline, k, b)
    first_server_link = len(gpus)
    lengths = [len(p.partitions) for p in ordered.pipelines]
    pipeline_of = np.repeat(np.arange(len(lengths)), lengths)
    model_of = np.array([names.index(p.model) for p in ordered.pipelines], np.int64)
    batch = np.array([p.partitions[0].batch for p in ordered.pipelines], np.int64)
    uplink = np.array([first_server_link + 2 * g.server for g in gpus], np.int64)
    system = System(
        slo=np.array([NANOSECONDS.up(m.slo_s) for m in cluster.models], np.int64),
        first_pipeline=np.searchsorted(model_of, np.arange(len(names) + 1)).astype(np.int64),
        batch=batch,
        first_pool=_offsets(lengths),
        first_gpu=_offsets([p.partitions[k].gpus for p, k in pools]),
        latency=latency,
        transfer=transfer,
        after=_after(latency, transfer, batch, pipeline_of),
        uplink=uplink,
        downlink=uplink + 1,
        resources=len(gpus) + 2 * servers(cluster),
        model_of=model_of,
        pipeline_of=pipeline_of.astype(np.int64),
        plan_pipeline=np.array(order, np.int64),
    )
    return system, tuple(replace(g, pipeline=order[g.pipeline]) for g in gpus)


def _durations(cluster: Cluster, pipeline: Pipeline, k: int, batch: int) -> tuple[int, int]:
    """Latency of partition k and transfer into it, in nanoseconds."""
    model = next(m for m in cluster.models if m.name == pipeline.model)
    p = pipeline.partitions[k]
    own = model.latency_s(p.gpu, p.share, p.first_block, p.last_block, batch)
    assert own is not None
    sent = model.transfer_s_per_request[p.first_block - 1] * batch if k else Fraction(0)
    return NANOSECONDS.duration(own), NANOSECONDS.duration(sent)


def _offsets(lengths: list[int]) -> Ints:
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


def _after(latency: Ints, transfer: Ints, batch: Ints, pipeline_of: Ints) -> Ints:
    """What a pipeline has planned behind each of its pools."""
    after = np.zeros(len(pipeline_of), np.int64)
    for pool in range(len(pipeline_of) - 2, -1, -1):
        if pipeline_of[pool] == pipeline_of[pool + 1]:
            b = batch[pipeline_of[pool]]
            after[pool] = after[pool + 1] + latency[pool + 1, b] + transfer[pool + 1, b]
    return after
