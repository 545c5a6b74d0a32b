"""No-Partitioning (NP): whole models on whole GPUs, the best allocation of them (PPipe §7.1).

The paper solves its MILP with one partition and without virtual GPUs. This leaves one whole number per model and GPU
type, a small MILP for SciPy's HiGHS.
"""

from __future__ import annotations

from dataclasses import replace

from euclio.core.families import find_family
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.pipeline import Cluster, Objective, PipelinePlan, PipelineSpace, evaluate
from heuristics.pipeline import no_partitioning_space
from heuristics.pipeline.gpu_counts import (
    Counts,
    Rates,
    cheapest_counts,
    fairest_counts,
    whole_model_pipeline,
    whole_models,
    with_spare_gpus,
)

NAME = "no-partitioning"


def solve_no_partitioning(cluster: Cluster, space: PipelineSpace, limits: Limits[PipelinePlan]) -> Answer[PipelinePlan]:
    """Allocate whole GPUs to whole models.

    Args:
        cluster: the instance.
        space: plan space; its batch-build rule and its objective count, partitions and shares are NP's.
        limits: limits of the run.

    Returns:
        The best plan of NP's plan space with a bound that proves it, or one without a proof after a timeout.

    Raises:
        InputError: the least-cost objective without rates or prices.
    """
    rates = whole_models(cluster, space)
    counts = no_partitioning_counts(cluster, space, rates, limits.time_limit_s)
    if counts.gpus is None:
        return Answer(None, counts.raw_status, infeasible=counts.infeasible, reason=counts.reason)
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
    """NP's allocation of whole GPUs; none if they cannot serve every model, or for least cost its rate.

    For the throughput objective, spare GPUs go to the models with the least rate per weight (ours; the paper is
    silent).

    Raises:
        InputError: the least-cost objective without rates or prices.
    """
    least_cost = space.objective is Objective.COST
    if least_cost:
        find_family("pipeline").check_space(cluster, space)
    servable = {model for model, _ in rates}
    missed = [model.name for model in cluster.models if model.name not in servable]
    if missed:
        return Counts(None, None, "not solved", True, f"model {missed[0]} meets its SLO whole on no whole GPU")
    counts = (cheapest_counts if least_cost else fairest_counts)(cluster, rates, time_limit_s)
    if counts.infeasible:
        what = "carry every model's load" if least_cost else "serve every model"
        return replace(counts, reason=f"there are too few whole GPUs to {what} without partitioning")
    if counts.gpus is None or least_cost:
        return counts
    return replace(counts, gpus=with_spare_gpus(cluster, rates, counts.gpus))
