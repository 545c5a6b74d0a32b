"""The checker of pooled pipelines, which alone decides feasibility and throughput (docs/model/pipelines.md).

Exact rational arithmetic from the decimal text of the input; it shares no code with any solver.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from euclio.core.lazy import late_value
from euclio.core.showing import Framed
from euclio.core.words import full
from euclio.problems.pipeline.instance import Cluster, Model
from euclio.problems.pipeline.plan import Partition, Pipeline, PipelinePlan
from euclio.problems.pipeline.space import FULL_PIPELINE_SPACE, Objective, PipelineSpace


@dataclass(frozen=True, slots=True)
class PipelineEvaluation:
    """The checker's result for one pipeline.

    Attributes:
        latency_s: partitions, transfers and batch-build delay in seconds.
        throughput_rps: the smallest throughput over its partitions.
        partition_rps: each partition's throughput, link limits included.
    """

    latency_s: Fraction
    throughput_rps: Fraction
    partition_rps: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class ModelEvaluation:
    """Throughput of one model over all its pipelines, and the same per weight, in requests per second."""

    throughput_rps: Fraction
    weighted_rps: Fraction


@dataclass(frozen=True, slots=True, repr=False)
class PlanEvaluation(Framed):
    """The checker's answer on a plan.

    Attributes:
        violations: one line per broken rule; empty if the plan is feasible.
        value: the objective: the smallest throughput per weight in requests per second, or money per hour; None if it
            could not be computed.
        pipelines: one entry per pipeline (empty if one could not be priced).
        models: one entry per model (empty if a pipeline could not be priced).
        gpus: GPUs used by type, whole ones, or fractions if the plan space adds them up.
    """

    _view = late_value("euclio.problems.pipeline.views", "EVALUATION")

    violations: tuple[str, ...]
    value: Fraction | None
    pipelines: tuple[PipelineEvaluation, ...]
    models: tuple[ModelEvaluation, ...]
    gpus: dict[str, Fraction]

    @property
    def feasible(self) -> bool:
        """Whether no rule is broken."""
        return not self.violations


def evaluate(cluster: Cluster, plan: PipelinePlan, space: PipelineSpace = FULL_PIPELINE_SPACE) -> PlanEvaluation:
    """Check and price a plan.

    A plan without some model is refused, since its smallest throughput is 0, like that of no plan at all.

    Args:
        cluster: the instance.
        plan: pooled pipelines of its models.
        space: plan space of the plan, and the objective.

    Returns:
        The checker's answer; it never raises on a wrong plan.
    """
    models = {model.name: model for model in cluster.models}
    violations = [line for i, p in enumerate(plan.pipelines) for line in _malformed(cluster, models, p, i, space)]
    if violations:
        return PlanEvaluation(tuple(violations), None, (), (), {})
    found = tuple(_priced(cluster, models[p.model], p, space) for p in plan.pipelines)
    for i, (pipeline, priced) in enumerate(zip(plan.pipelines, found, strict=True)):
        budget = models[pipeline.model].budget_s
        if priced.latency_s > budget:
            violations.append(
                f"pipeline {i} of {pipeline.model}: latency {full(priced.latency_s)} s exceeds the SLO without "
                f"its margin, {full(budget)} s"
            )
    gpus = _gpus(cluster, plan, space)
    for gpu in cluster.gpus:
        if gpus[gpu.name] > gpu.count:
            violations.append(f"{full(gpus[gpu.name])} GPUs of type {gpu.name} are used, there are {gpu.count}")
    if space.one_per_sequence:
        violations += _repeated(plan)
    served = [
        sum((e.throughput_rps for p, e in zip(plan.pipelines, found, strict=True) if p.model == m.name), Fraction(0))
        for m in cluster.models
    ]
    per_model = tuple(ModelEvaluation(x, x / m.weight) for x, m in zip(served, cluster.models, strict=True))
    value, lacking = _value(cluster, per_model, gpus, space)
    return PlanEvaluation((*violations, *lacking), value, found, per_model, gpus)


def _malformed(
    cluster: Cluster, models: dict[str, Model], pipeline: Pipeline, number: int, space: PipelineSpace
) -> list[str]:
    """Errors that prevent the pricing of a pipeline, or break the plan space."""
    where = f"pipeline {number} of {pipeline.model}"
    if pipeline.model not in models:
        return [f"{where}: the model is not in the cluster"]
    model, parts = models[pipeline.model], pipeline.partitions
    if not 1 <= len(parts) <= space.most_partitions(cluster):
        return [f"{where}: has {len(parts)} partitions; 1 to {space.most_partitions(cluster)} are allowed"]
    ends = [-1, *(p.last_block for p in parts)]
    if any(p.first_block != end + 1 or p.last_block < p.first_block for p, end in zip(parts, ends, strict=False)):
        return [f"{where}: the partitions do not follow on one another"]
    if parts[-1].last_block != model.blocks - 1:
        return [f"{where}: the partitions do not cover the blocks 0 to {model.blocks - 1}"]
    lines = [f"{where}, partition {k}: {line}" for k, p in enumerate(parts) for line in _wrong(model, p, space)]
    if space.unifies_batch(cluster) and len({p.batch for p in parts}) > 1:
        lines.append(f"{where}: the partitions have different batch sizes")
    return lines


def _wrong(model: Model, partition: Partition, space: PipelineSpace) -> list[str]:
    lines = []
    if partition.gpus < 1:
        lines.append(f"has {partition.gpus} virtual GPUs; at least 1 is needed")
    if partition.share != 1 and not space.virtual_gpus:
        lines.append(f"divides a GPU by {partition.share}; only whole GPUs are allowed")
    p = partition
    if p.batch < 1 or model.latency_s(p.gpu, p.share, p.first_block, p.last_block, p.batch) is None:
        lines.append(f"batch {p.batch} on 1/{p.share} of a {p.gpu} was not measured for every block")
    return lines


def _priced(cluster: Cluster, model: Model, pipeline: Pipeline, space: PipelineSpace) -> PipelineEvaluation:
    parts = pipeline.partitions
    latency = Fraction(0)
    rates = []
    for k, p in enumerate(parts):
        own = model.latency_s(p.gpu, p.share, p.first_block, p.last_block, p.batch)
        assert own is not None
        latency += own
        transfers = [model.transfer_s_per_request[p.first_block - 1]] if k else []
        if k + 1 < len(parts):
            transfers.append(model.transfer_s_per_request[p.last_block])
            latency += transfers[-1] * p.batch
        sharing = p.share * cluster.gpu(p.gpu).gpus_per_server
        links = [1 / (transfer * sharing) for transfer in transfers if transfer]
        rates.append(p.gpus * min([p.batch / own, *links]))
    if space.batch_build and model.batch_build is not None:
        latency += model.batch_build.delay_s(parts[0].batch)
    return PipelineEvaluation(latency, min(rates), tuple(rates))


def _gpus(cluster: Cluster, plan: PipelinePlan, space: PipelineSpace) -> dict[str, Fraction]:
    """GPUs used by type: shares of one model, position and type together, counted up to whole GPUs."""
    pools: dict[tuple[str, int, str], Fraction] = {}
    for pipeline in plan.pipelines:
        for k, p in enumerate(pipeline.partitions):
            key = (pipeline.model, k, p.gpu)
            pools[key] = pools.get(key, Fraction(0)) + Fraction(p.gpus, p.share)
    used = {gpu.name: Fraction(0) for gpu in cluster.gpus}
    for (_, _, name), amount in pools.items():
        used[name] += math.ceil(amount) if space.whole_gpus else amount
    return used


def _repeated(plan: PipelinePlan) -> list[str]:
    seen = sorted((p.model, p.sequence) for p in plan.pipelines)
    return [
        f"model {a[0]} has two pipelines on {' -> '.join(a[1])}; one per sequence is allowed"
        for a, b in pairwise(seen)
        if a == b
    ]


def _value(
    cluster: Cluster, models: tuple[ModelEvaluation, ...], gpus: dict[str, Fraction], space: PipelineSpace
) -> tuple[Fraction | None, list[str]]:
    lacking = []
    if space.objective is Objective.THROUGHPUT:
        served = zip(cluster.models, models, strict=True)
        lacking = [f"model {model.name} is not served" for model, found in served if not found.throughput_rps]
        return min(m.weighted_rps for m in models), lacking
    for model, found in zip(cluster.models, models, strict=True):
        if model.rate_rps is None:
            lacking.append(f"model {model.name} has no rate_rps, which the least-cost objective needs")
        elif found.throughput_rps < model.rate_rps:
            lacking.append(
                f"model {model.name} is served {full(found.throughput_rps)} of {full(model.rate_rps)} "
                "requests per second"
            )
    total = Fraction(0)
    for gpu in cluster.gpus:
        if gpu.price_per_h is None:
            return None, [*lacking, f"GPU type {gpu.name} has no price_per_h, which the least-cost objective needs"]
        total += gpus[gpu.name] * gpu.price_per_h
    return total, lacking
