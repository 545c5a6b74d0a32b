"""Clusters with synthetic models, as PPipe sets them up (PPipe §7.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from euclio.errors import InputError
from euclio.exact import Number, exact_number
from euclio.pipeline import BatchBuild, Cluster, Model, PipelineSpace, evaluate
from euclio.registry import Limits, find_solver
from euclio.workloads.pipelines.blocks import NANOSECONDS, block_profiles, boundary_bytes, pre_partition
from euclio.workloads.pipelines.layers import layer_profile
from euclio.workloads.pipelines.setups import Setup

FASTEST = "L4"
"""The type whose latency at batch 1 sets the SLO and the blocks (PPipe §5.2, §7.1)."""


@dataclass(frozen=True, slots=True)
class ClusterRequest:
    """What cluster to make.

    Attributes:
        setup: GPUs and links.
        models: names of the models served together.
        weights: their parts of the load.
        seed: seed of the layer profiles.
        slo_scale: SLO over the latency on L4 at batch 1.
        margin: part of the SLO that plans leave free.
        blocks: number of blocks that the layers are merged into.
        layers: layers of every model; None: each model's own number.
        max_partitions: most partitions of a pipeline; None: 3 for one model and 2 for more, as the authors' artifact
            plans.
        batch_build_factor: factor of the batch-build delay, 1.3 in the artifact; None: no delay.
        rate_rps: load of all models together for the least-cost objective; None: none.
    """

    setup: Setup
    models: tuple[str, ...]
    weights: tuple[Fraction, ...]
    seed: int = 0
    slo_scale: Number = 5
    margin: Number = "0.4"
    blocks: int = 10
    layers: int | None = None
    max_partitions: int | None = None
    batch_build_factor: Number | None = "1.3"
    rate_rps: Number | None = None

    @property
    def name(self) -> str:
        """Name of the instance."""
        return f"{self.setup.name}-{'+'.join(self.models)}-{self.seed}"


def pipeline_cluster(request: ClusterRequest) -> Cluster:
    """Make a cluster; the same request makes the same one.

    The rate of a model's batch-build delay is what NP serves of it without that delay, as in the authors' artifact.

    Raises:
        InputError: unknown model, or numbers out of range.
    """
    if not 0 <= (margin := exact_number(request.margin, "margin", zero=True)) < 1:
        raise InputError(f"is {request.margin}; it must be less than 1", field="margin")
    models = [
        _model(request, name, weight, margin) for name, weight in zip(request.models, request.weights, strict=True)
    ]
    partitions = request.max_partitions or (3 if len(models) == 1 else 2)
    cluster = Cluster(request.name, request.setup.gpus, models, partitions)
    if request.batch_build_factor is None:
        return cluster
    served = _served_whole(cluster)
    delayed = [_with_batch_build(m, request.batch_build_factor, rate) for m, rate in zip(models, served, strict=True)]
    return Cluster(request.name, request.setup.gpus, delayed, partitions)


def _model(request: ClusterRequest, name: str, weight: Fraction, margin: Fraction) -> Model:
    profile = layer_profile(name, request.seed, request.layers)
    blocks = pre_partition([row[0] for row in profile.latency_ns[FASTEST, 1]], request.blocks)
    slo_s = exact_number(request.slo_scale, "slo_scale") * Fraction(profile.whole_ns(FASTEST), NANOSECONDS)
    per_byte_s = 8 / (request.setup.bandwidth_gbps * 10**9)
    rate = None if request.rate_rps is None else exact_number(request.rate_rps, "rate") * weight
    return Model(
        name,
        slo_s,
        [size * per_byte_s for size in boundary_bytes(profile, blocks)],
        block_profiles(profile, blocks, [gpu.name for gpu in request.setup.gpus]),
        weight=weight,
        margin_s=margin * slo_s,
        rate_rps=rate,
    )


def _served_whole(cluster: Cluster) -> list[Fraction]:
    """Requests per second of each model under NP, without a batch-build delay."""
    solver = find_solver("no-partitioning")
    space = solver.space_on(cluster, replace(PipelineSpace(), batch_build=False))
    plan = solver.run(cluster, space, Limits()).plan
    assert plan is not None
    return [model.throughput_rps for model in evaluate(cluster, plan, space).models]


def _with_batch_build(model: Model, factor: Number, rate_rps: Fraction) -> Model:
    """The model with a delay for batches that gather at a rate, rounded to millionths; none where it is 0."""
    build = BatchBuild(factor, f"{float(rate_rps):.6f}") if rate_rps else None
    return Model(
        model.name,
        model.slo_s,
        model.transfer_s_per_request,
        model.profiles,
        weight=model.weight,
        margin_s=model.margin_s,
        batch_build=build,
        rate_rps=model.rate_rps,
    )
