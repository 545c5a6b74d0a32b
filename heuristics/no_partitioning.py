"""No-Partitioning (NP): whole models on whole GPUs, the best allocation of them (PPipe §7.1).

The paper solves its MILP with one partition and without virtual GPUs. What is left of it is one whole number per model
and GPU type: a small MILP, solved by HiGHS as SciPy brings it.
"""

from __future__ import annotations

from dataclasses import replace

from euclio.families import find_family
from euclio.pipeline import Cluster, Objective, PipelinePlan, PipelineSpace, evaluate
from euclio.registry import Limits
from euclio.result import Answer
from heuristics.gpu_counts import Counts, Gpus, cheapest_counts, fairest_counts, with_spare_gpus
from heuristics.whole_models import Rates, whole_model_pipeline, whole_models

NAME = "no-partitioning"
NO_PARTITIONING_SPACE = PipelineSpace(max_partitions=1, virtual_gpus=False)


def no_partitioning_space(cluster: Cluster, space: PipelineSpace) -> PipelineSpace:
    """What NP's design leaves of a plan space: one partition, whole GPUs."""
    return replace(space, max_partitions=1, virtual_gpus=False)


def solve_no_partitioning(cluster: Cluster, space: PipelineSpace, limits: Limits[PipelinePlan]) -> Answer[PipelinePlan]:
    """Allocate whole GPUs to whole models.

    Args:
        cluster: the instance.
        space: plan space; its batch-build rule and its objective count, partitions and shares are NP's.
        limits: limits of the run.

    Returns:
        The best plan of NP's plan space with a bound that proves it, or one without a proof where the time limit hit.

    Raises:
        InputError: the least-cost objective without rates or prices.
    """
    rates = whole_models(cluster, space)
    counts = no_partitioning_counts(cluster, space, rates, limits.time_limit_s)
    if counts.gpus is None:
        reason = "whole models on whole GPUs cannot serve the rates within the SLOs" if counts.infeasible else ""
        return Answer(None, counts.raw_status, infeasible=counts.infeasible, reason=reason)
    plan = PipelinePlan(
        tuple(
            whole_model_pipeline(model, gpu.name, rates[model.name, gpu.name], n)
            for model in cluster.models
            for gpu in cluster.gpus
            if (n := counts.gpus.get((model.name, gpu.name), 0))
        )
    )
    value = evaluate(cluster, plan, no_partitioning_space(cluster, space)).value
    return Answer(plan, counts.raw_status, None if value is None else float(value), counts.bound)


def no_partitioning_counts(
    cluster: Cluster, space: PipelineSpace, rates: Rates, time_limit_s: float | None = None
) -> Counts:
    """NP's allocation of whole GPUs.

    What the throughput objective leaves over goes to the models that are served least per weight (ours; the paper does
    not say).

    Raises:
        InputError: the least-cost objective without rates or prices.
    """
    if space.objective is Objective.COST:
        find_family("pipeline").check_space(cluster, space)
        return _unservable(cluster, rates) or cheapest_counts(cluster, rates, time_limit_s)
    if _unservable(cluster, rates):
        # The smallest throughput is 0 whatever the others get.
        nothing: Gpus = dict.fromkeys(rates, 0)
        return Counts(with_spare_gpus(cluster, rates, nothing), 0.0, "a model meets its SLO on no GPU type")
    counts = fairest_counts(cluster, rates, time_limit_s)
    return counts if counts.gpus is None else replace(counts, gpus=with_spare_gpus(cluster, rates, counts.gpus))


def _unservable(cluster: Cluster, rates: Rates) -> Counts | None:
    """The answer where a model meets its SLO on no GPU type; None: each has one."""
    if {model for model, _ in rates} == {model.name for model in cluster.models}:
        return None
    return Counts(None, None, "a model meets its SLO on no GPU type", infeasible=True)
