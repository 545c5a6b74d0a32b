"""Pooled pipelines on a cluster as a problem family."""

from __future__ import annotations

from typing import TYPE_CHECKING

from euclio.core.errors import InputError
from euclio.core.family import Explained, Family
from euclio.core.lazy import late, late_value
from euclio.core.objective import LEAST_COST, MOST_THROUGHPUT
from euclio.core.parameters import Demand, Parameter
from euclio.core.space_fields import in_words, options_of
from euclio.core.tolerances import PROOF_TOLERANCE
from euclio.core.words import amount
from euclio.problems.pipeline.evaluate import PlanEvaluation, evaluate
from euclio.problems.pipeline.instance import BatchBuild, BlockProfile, Cluster, Gpu, Model
from euclio.problems.pipeline.plan import PipelinePlan
from euclio.problems.pipeline.space import FULL_PIPELINE_SPACE, Objective, PipelineSpace

if TYPE_CHECKING:
    from euclio.core.result import Result


def _check_space(cluster: Cluster, space: PipelineSpace) -> None:
    if space.objective is not Objective.COST:
        return
    lacking = [f"gpus[{i}].price_per_h" for i, gpu in enumerate(cluster.gpus) if gpu.price_per_h is None]
    lacking += [f"models[{i}].rate_rps" for i, model in enumerate(cluster.models) if model.rate_rps is None]
    if lacking:
        raise InputError("is missing; the least-cost objective needs it", field=lacking[0])


def _summary(cluster: Cluster, space: PipelineSpace, evaluation: PlanEvaluation) -> str:
    assert evaluation.value is not None
    goal = FAMILY.goal(space)
    gpus = ", ".join(f"{amount(evaluation.gpus[gpu.name])} of {gpu.count:,} {gpu.name}" for gpu in cluster.gpus)
    return f"{goal.name} {amount(evaluation.value)} {goal.unit}, GPUs {gpus}"


def _why_infeasible(
    cluster: Cluster, result: Result[PipelinePlan, PipelineSpace, PlanEvaluation], limit_s: float | None
) -> str:
    from euclio.problems.pipeline.least_latency import why_no_pipeline

    own = f": {result.reason}" if result.reason else ""
    return why_no_pipeline(cluster, result.space) or (
        f"{result.solver} found no plan for the GPUs at hand, although every model has a pipeline that fits its SLO"
        + own
    )


def _explain(cluster: Cluster, space: PipelineSpace, limit_s: float | None) -> Explained:
    from euclio.problems.pipeline.least_latency import explain_latencies

    return Explained(*explain_latencies(cluster, space))


def _tiny(space: PipelineSpace) -> tuple[Cluster, PipelineSpace]:
    """Two models on two GPU types, priced and with loads, so that either objective has a plan."""
    gpus = [Gpu("big", 1, 1, 3), Gpu("small", 2, 1, 1)]
    big = [["0.010", "0.016"], ["0.012", "0.020"], ["0.008", "0.013"]]
    small = [["0.025", "0.040"], ["0.030", "0.055"], ["0.016", "0.030"]]
    half = [["0.018"], ["0.022"], ["0.015"]]
    profiles = [BlockProfile("big", 1, big), BlockProfile("big", 2, half), BlockProfile("small", 1, small)]
    models = [
        Model(name, "0.12", ["0.001", "0.002"], profiles, batch_build=BatchBuild("1.3", 200), rate_rps=20)
        for name in ("a", "b")
    ]
    return Cluster("warm-up", gpus, models, max_partitions=2), space


PIPELINE_DEMANDS = (
    Demand("least_cost", "the least-cost objective", lambda _, space: space.objective is Objective.COST, assumed=True),
    Demand(
        "several_pipelines",
        "several pipelines per model and sequence of GPU types",
        lambda _, space: not space.one_per_sequence,
        assumed=True,
    ),
    Demand("whole_gpus", "whole GPUs, as its model adds up fractions of them", lambda _, s: s.whole_gpus, assumed=True),
)


def _features(cluster: Cluster) -> dict[str, float]:
    return {
        "models": len(cluster.models),
        "blocks": sum(model.blocks for model in cluster.models),
        "gpus": sum(gpu.count for gpu in cluster.gpus),
        "gpu_types": len(cluster.gpus),
        "profiles": sum(len(model.profiles) for model in cluster.models),
    }


FAMILY = Family(
    name="pipeline",
    instances="clusters",
    schema="euclio/pipeline/1",
    instance=Cluster,
    plan=PipelinePlan,
    goals=(MOST_THROUGHPUT, LEAST_COST),
    full_space=FULL_PIPELINE_SPACE,
    default_solver="columns",
    improvers=("no-partitioning", "dart-r", "ppipe"),
    space_options=options_of(PipelineSpace),
    read=late("euclio.problems.pipeline.files", "cluster_from_json"),
    to_text=late("euclio.problems.pipeline.files", "cluster_to_text"),
    evaluate=evaluate,
    plan_files=late_value("euclio.problems.pipeline.plan_files", "PIPELINE_PLANS"),
    check_space=_check_space,
    describe_space=in_words,
    table=late("euclio.problems.pipeline.views", "pipeline_table"),
    summary=_summary,
    why_infeasible=_why_infeasible,
    explain=_explain,
    tiny=_tiny,
    find_better=late("euclio.proving.pipeline.certifying", "find_better"),
    warm_up_prover=late("euclio.proving.pipeline.certifying", "warm_up"),
    prove=late("euclio.proving.pipeline.proof", "cluster_proof"),
    pose=late("euclio.proving.pipeline.program", "cluster_program"),
    tolerance=lambda space: PROOF_TOLERANCE,
    demands=PIPELINE_DEMANDS,
    features=_features,
    sources=late_value("euclio.contract.sources", "CLUSTER_SOURCES"),
    designs=late("euclio.workloads.pipeline.designs", "cluster_designs"),
    kinds=late_value("euclio.workloads.pipeline.kinds", "KINDS"),
    importers=late_value("euclio.workloads.pipeline.importers", "IMPORTERS"),
    compile_rest=late("euclio.serving.pipeline.simulation", "compile_simulator"),
    simulator=late_value("euclio.serving.pipeline.simulation", "SIMULATOR"),
    setup_options=lambda: (
        Parameter(
            "--scheduler", "scheduler", "who forms batches; default: reservation", choices=("reservation", "reactive")
        ),
    ),
    rows=late("euclio.problems.pipeline.views", "plan_rows"),
)
