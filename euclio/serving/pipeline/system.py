"""Cluster and plan as flat arrays in whole nanoseconds, for the compiled event loop.

Durations are rounded down and objectives up, so that rounding makes no request late that is in time in the plan, for
any length of the simulation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from euclio.core.errors import InputError
from euclio.problems.pipeline import Cluster, Partition, Pipeline, PipelinePlan
from euclio.serving.units import NANOSECONDS, Ints

# Placement of virtual GPUs on physical GPUs and servers (docs/model/pipelines.md; ours).

FULL = Fraction(1)


@dataclass(frozen=True, slots=True)
class VirtualGpu:
    """A virtual GPU of a pool."""

    pipeline: int  # its pipeline in the plan
    partition: int  # its partition in the pipeline, from 0
    gpu: str  # GPU type
    share: int  # v, being the v-th part of a GPU
    physical: int  # physical GPU of that type, from 0
    server: int  # server that the physical GPU is in, over all types, from 0


def place(cluster: Cluster, plan: PipelinePlan) -> tuple[VirtualGpu, ...]:
    """Put every virtual GPU of a plan on a physical GPU and a server.

    Virtual GPUs share a physical one if model, position and GPU type agree, as the checker counts them. Physical GPUs
    fill a type's servers one after the other, pool by pool in the order of the plan.

    Returns:
        The virtual GPUs, pipeline by pipeline, partition by partition.

    Raises:
        InputError: the virtual GPUs do not fit on the physical ones.
    """
    groups: dict[tuple[str, int, str], list[tuple[int, int, Partition]]] = {}
    for i, pipeline in enumerate(plan.pipelines):
        for k, partition in enumerate(pipeline.partitions):
            groups.setdefault((pipeline.model, k, partition.gpu), []).append((i, k, partition))
    used = dict.fromkeys((gpu.name for gpu in cluster.gpus), 0)
    first_server, _ = _first_servers(cluster)
    placed: dict[tuple[int, int], list[VirtualGpu]] = {}
    for (_, _, name), members in groups.items():
        bins = _pack([p.share for _, _, p in members for _ in range(p.gpus)])
        seats = iter(bins)
        for i, k, p in members:
            found = placed.setdefault((i, k), [])
            for _ in range(p.gpus):
                physical = used[name] + next(seats)
                server = first_server[name] + physical // cluster.gpu(name).gpus_per_server
                found.append(VirtualGpu(i, k, name, p.share, physical, server))
        used[name] += max(bins) + 1
    for gpu in cluster.gpus:
        if used[gpu.name] > gpu.count:
            raise InputError(
                f"the plan needs {used[gpu.name]} GPUs of type {gpu.name}, there are {gpu.count}; give a feasible plan "
                "that counts whole GPUs"
            )
    return tuple(v for key in sorted(placed) for v in placed[key])


def _first_servers(cluster: Cluster) -> tuple[dict[str, int], int]:
    """The first server of each GPU type, and the number of servers in a cluster, used or not."""
    first, total = {}, 0
    for gpu in cluster.gpus:
        first[gpu.name] = total
        total += -(-gpu.count // gpu.gpus_per_server)
    return first, total


def _pack(shares: list[int]) -> list[int]:
    """The GPU, from 0, that each share 1/v goes to.

    Equal shares fill GPUs of their own first; the rest goes to the fewest GPUs that a search finds.
    """
    seats = [-1] * len(shares)
    gpus = 0
    rest: list[int] = []
    for v in sorted(set(shares)):
        members = [i for i, share in enumerate(shares) if share == v]
        whole = len(members) // v * v
        for n, i in enumerate(members[:whole]):
            seats[i] = gpus + n // v
        gpus += whole // v
        rest += members[whole:]
    if rest:
        for i, seat in zip(rest, _pack_rest([shares[i] for i in rest]), strict=True):
            seats[i] = gpus + seat
    return seats


def _pack_rest(shares: list[int]) -> list[int]:
    """Seats of left-over shares, largest part first, on the fewest GPUs (fewer than v are left of each v)."""
    # One GPU more each time: the first number that works is the fewest.
    bins = 1
    while True:
        seats = _seats([Fraction(1, v) for v in shares], [FULL] * bins)
        if seats is not None:
            return seats
        bins += 1


def _seats(parts: list[Fraction], free: list[Fraction]) -> list[int] | None:
    if not parts:
        return []
    # Not enough room in total.
    if sum(parts) > sum(free):
        return None
    tried = set()
    for i, room in enumerate(free):
        # GPUs with equal room are alike, so one of them is enough to try.
        if room < parts[0] or room in tried:
            continue
        tried.add(room)
        rest = _seats(parts[1:], [*free[:i], room - parts[0], *free[i + 1 :]])
        if rest is not None:
            return [i, *rest]
    return None


MOST_GPUS = 10**6
"""Virtual GPUs of all pools together that are simulated; each has a place in memory."""


class System(NamedTuple):
    """Cluster and plan; durations are rounded down to nanoseconds, SLOs up.

    Pipelines stand model by model, pools (one per partition) pipeline by pipeline, virtual GPUs pool by pool. Resources
    are the virtual GPUs, then an uplink and a downlink per server.
    """

    slo: Ints  # SLO of each model, shape (models,)
    first_pipeline: Ints  # index of each model's first pipeline, then the total, shape (models + 1,)
    batch: Ints  # unified batch size, shape (pipelines,)
    first_pool: Ints  # index of each pipeline's first pool, then the total, shape (pipelines + 1,)
    first_gpu: Ints  # index of each pool's first virtual GPU, then the total, shape (pools + 1,)
    latency: Ints  # of a pool's partition, by batch size, shape (pools, largest batch + 1)
    transfer: Ints  # of a batch into a pool, by batch size, 0 if nothing is sent; shape as `latency`
    after: Ints  # planned transfers and latencies behind a pool, shape (pools,)
    uplink: Ints  # resource that each virtual GPU sends through, shape (virtual GPUs,)
    downlink: Ints  # resource that each virtual GPU receives through, shape (virtual GPUs,)
    resources: int  # number of resources
    model_of: Ints  # model of each pipeline
    pipeline_of: Ints  # pipeline of each pool
    plan_pipeline: Ints  # pipeline's index in the plan, shape (pipelines,)


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
        resources=len(gpus) + 2 * _first_servers(cluster)[1],
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
    """Planned time of a pipeline behind each of its pools."""
    after = np.zeros(len(pipeline_of), np.int64)
    for pool in range(len(pipeline_of) - 2, -1, -1):
        if pipeline_of[pool] == pipeline_of[pool + 1]:
            b = batch[pipeline_of[pool]]
            after[pool] = after[pool + 1] + latency[pool + 1, b] + transfer[pool + 1, b]
    return after
