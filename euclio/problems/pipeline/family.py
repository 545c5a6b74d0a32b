"""Pooled pipelines on a cluster as a problem family."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from euclio.core.errors import InputError
from euclio.core.family import Explained, Family
from euclio.core.lazy import late, late_value
from euclio.core.objective import LEAST_COST, MOST_THROUGHPUT
from euclio.core.parameters import Demand, Parameter
from euclio.core.result import Status
from euclio.core.space_fields import in_words, options_of
from euclio.core.tolerances import PROOF_TOLERANCE
from euclio.core.words import amount, full
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
    own = f": {result.reason}" if result.reason else ""
    return why_no_pipeline(cluster, result.space) or (
        f"{result.solver} found no plan for the GPUs at hand, although every model has a pipeline that fits its SLO"
        + own
    )


def _explain(cluster: Cluster, space: PipelineSpace, limit_s: float | None) -> Explained:
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
    plan_files=late_value("euclio.problems.pipeline.files", "PIPELINE_PLANS"),
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


SCHEMA = "euclio/explanation/1"


def least_latency_s(cluster: Cluster, model: Model, space: PipelineSpace = FULL_PIPELINE_SPACE) -> Fraction | None:
    """The least latency of any pipeline of a model in seconds, at any throughput; exact.

    Args:
        cluster: the instance.
        model: one of its models.
        space: plan space.

    Returns:
        The latency with transfers and batch-build delay; None if no pipeline has measurements of all blocks.
    """
    most = max(len(row) for profile in model.profiles for row in profile.latency_s)
    batches = range(1, most + 1)
    sets: Iterable[Sequence[int]] = [[b] for b in batches] if space.unifies_batch(cluster) else [batches]
    found = [_least(cluster, model, space, allowed) for allowed in sets]
    return min((latency for latency in found if latency is not None), default=None)


def _least(cluster: Cluster, model: Model, space: PipelineSpace, batches: Sequence[int]) -> Fraction | None:
    """A model's least latency in seconds with these batches, by a dynamic program over partitions; None if none."""
    heads: dict[int, Fraction] = {0: Fraction(0)}
    best: Fraction | None = None
    for position in range(min(space.most_partitions(cluster), model.blocks)):
        reached: dict[int, Fraction] = {}
        for start, before in heads.items():
            for end, own in _partitions(model, space, start, batches, first=position == 0).items():
                if end not in reached or before + own < reached[end]:
                    reached[end] = before + own
        heads = reached
        done = heads.pop(model.blocks, None)
        if done is not None and (best is None or done < best):
            best = done
    return best


def _partitions(
    model: Model, space: PipelineSpace, start: int, batches: Sequence[int], *, first: bool
) -> dict[int, Fraction]:
    """The least latency of a partition from a block on, by the block after it: delay, blocks, transfer onwards."""
    found: dict[int, Fraction] = {}
    build = model.batch_build if first and space.batch_build else None
    for batch in batches:
        delay = Fraction(0) if build is None else build.delay_s(batch)
        for profile in model.profiles:
            if profile.share > 1 and not space.virtual_gpus:
                continue
            total = delay
            for end in range(start + 1, model.blocks + 1):
                row = profile.latency_s[end - 1]
                if len(row) < batch:
                    break
                total += row[batch - 1]
                onwards = model.transfer_s_per_request[end - 1] * batch if end < model.blocks else 0
                if end not in found or total + onwards < found[end]:
                    found[end] = total + onwards
    return found


def why_no_pipeline(cluster: Cluster, space: PipelineSpace) -> str:
    """The models that no pipeline serves within the SLO, in one line; empty if there are none."""
    least = [(model, least_latency_s(cluster, model, space)) for model in cluster.models]
    return "; ".join(_why(model, latency) for model, latency in least if not _fits(model, latency))


def explain_latencies(cluster: Cluster, space: PipelineSpace) -> tuple[Status, str, dict[str, Any]]:
    """Status, text and data: each model's least latency against its budget.

    The solvers decide whether the GPUs suffice for given loads (the least-cost objective), or few GPUs for every model
    at once; here this is unknown.
    """
    least = [(model, least_latency_s(cluster, model, space)) for model in cluster.models]
    fitting = all(_fits(model, latency) for model, latency in least)
    status = Status.INFEASIBLE if not fitting else Status.FEASIBLE
    if fitting and (space.objective is Objective.COST or not _plenty(cluster, space)):
        status = Status.UNKNOWN
    lines = [f"{cluster.name}: {status.value}"]
    for model, latency in least:
        within = f"model {model.name}: least latency {full(latency, ' s')} of {full(model.budget_s)} s"
        lines.append(within if _fits(model, latency) else _why(model, latency))
    if status is Status.UNKNOWN:
        lines.append(
            "every model has a pipeline that fits its SLO; whether the GPUs carry them all, a solver finds out"
        )
    return (
        status,
        "\n".join(lines),
        {
            "schema": SCHEMA,
            "instance": cluster.name,
            "status": status.value,
            "plan_space": space.describe(),
            "models": [
                {"name": model.name, "budget_s": model.budget_s, "least_latency_s": latency} for model, latency in least
            ],
        },
    )


def _plenty(cluster: Cluster, space: PipelineSpace) -> bool:
    """Whether every model has a pipeline with a GPU for each of its partitions, of any type."""
    needed = 0
    for model in cluster.models:
        needed += next(
            parts
            for parts in range(1, space.most_partitions(cluster) + 1)
            if _fits(model, least_latency_s(cluster, model, replace(space, max_partitions=parts)))
        )
    return all(gpu.count >= needed for gpu in cluster.gpus)


def _fits(model: Model, latency: Fraction | None) -> bool:
    return latency is not None and latency <= model.budget_s


def _why(model: Model, latency: Fraction | None) -> str:
    if latency is None:
        return f"no pipeline of model {model.name} is measured for every block"
    return (
        f"no pipeline of model {model.name} fits its SLO: the least latency is {full(latency)} s, the SLO without its "
        f"margin {full(model.budget_s)} s"
    )
