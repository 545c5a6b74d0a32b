"""The least latency of a model's pipelines, a bound that explains why a cluster cannot serve it (PPipe §5.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from euclio.core.result import Status
from euclio.core.words import full
from euclio.problems.pipeline.instance import Cluster, Model
from euclio.problems.pipeline.space import FULL_PIPELINE_SPACE, Objective, PipelineSpace

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
