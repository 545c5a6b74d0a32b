"""How clusters, their plans and the checker's answers show themselves: tables of plans, and the rows of frames."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.result import Result
from euclio.core.showing import Head, View
from euclio.core.showing.html import MOST_ROWS
from euclio.core.space_fields import in_words
from euclio.core.tables import new_table, value_text
from euclio.core.words import DASH, amount, counted, figures, full, listed, milliseconds, percent, took
from euclio.problems.pipeline.evaluate import PipelineEvaluation, PlanEvaluation
from euclio.problems.pipeline.family import FAMILY
from euclio.problems.pipeline.instance import Cluster
from euclio.problems.pipeline.plan import Pipeline, PipelinePlan
from euclio.problems.pipeline.space import PipelineSpace

# Tables of pooled pipelines for people: what each model is served, by which pipelines, on which GPUs.


def pipeline_table(cluster: Cluster, result: Result[PipelinePlan, PipelineSpace, PlanEvaluation]) -> RenderableType:
    """A header and, where there is a plan, what each model is served, then one row per partition (times in ms)."""
    header = Text("\n".join(_header(cluster, result)))
    if result.plan is None or result.evaluation is None or result.value is None:
        return header
    return Group(
        header,
        Text(""),
        _model_table(cluster, result.plan, result.evaluation),
        Text(""),
        _partition_table(cluster, result.plan, result.evaluation),
    )


def describe_pipeline_space(space: PipelineSpace) -> str:
    """A plan space in a few words: the objective, then only what narrows or changes it."""
    return in_words(space)


def _header(cluster: Cluster, result: Result[PipelinePlan, PipelineSpace, PlanEvaluation]) -> list[str]:
    goal = FAMILY.goal(result.space)
    lines = [f"{result.instance}: {result.status.value}{value_text(result, goal)}"]
    if result.value is not None and result.evaluation is not None:
        used = [f"{amount(result.evaluation.gpus[gpu.name])} of {gpu.count:,} {gpu.name}" for gpu in cluster.gpus]
        lines.append(f"GPUs used: {', '.join(used)}")
    space = describe_pipeline_space(result.space)
    lines.append(f"solver {result.solver}, {took(result.wall_s, result.provenance)}; plan space: {space}")
    return lines


def _model_table(cluster: Cluster, plan: PipelinePlan, evaluation: PlanEvaluation) -> RenderableType:
    numbers = ("pipelines", "budget ms", "req/s", "weight", "req/s per weight", "load req/s")
    spare = ("weight", "load req/s", "budget ms", "req/s per weight")
    table = new_table("#", "model", *numbers, numbers=numbers, spare=spare)
    for i, (model, found) in enumerate(zip(cluster.models, evaluation.models, strict=True)):
        cells = (
            str(i),
            model.name,
            str(sum(pipeline.model == model.name for pipeline in plan.pipelines)),
            milliseconds(model.budget_s),
            figures(found.throughput_rps),
            figures(model.weight),
            figures(found.weighted_rps),
            DASH if model.rate_rps is None else figures(model.rate_rps),
        )
        table.add_row(*(Text(cell) for cell in cells))
    return table


def _partition_table(cluster: Cluster, plan: PipelinePlan, evaluation: PlanEvaluation) -> RenderableType:
    numbers = ("batch", "latency ms", "of budget", "pool req/s", "req/s")
    spare = ("of budget", "pool req/s", "latency ms", "virtual GPUs", "blocks", "batch")
    table = new_table("pipeline", "model #", "blocks", "virtual GPUs", *numbers, numbers=numbers, spare=spare)
    order = {model.name: i for i, model in enumerate(cluster.models)}
    pairs = enumerate(zip(plan.pipelines, evaluation.pipelines, strict=True))
    for i, (pipeline, found) in sorted(pairs, key=lambda pair: order[pair[1][0].model]):
        model = order[pipeline.model]
        rows = _pipeline_rows(pipeline, found, cluster.models[model].budget_s)
        rows[0][:2] = str(i), str(model)
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
    return table


def _pipeline_rows(pipeline: Pipeline, found: PipelineEvaluation, budget_s: Fraction) -> list[list[str]]:
    """One row per partition; what belongs to the whole pipeline stands in the first, its place in the plan is left."""
    rows = []
    for k, (p, rate) in enumerate(zip(pipeline.partitions, found.partition_rps, strict=True)):
        gpu = p.gpu if p.share == 1 else f"1/{p.share} {p.gpu}"
        whole = ["", "", ""]
        if k == 0:
            whole = [
                milliseconds(found.latency_s),
                percent(float(found.latency_s / budget_s), 1),
                figures(found.throughput_rps),
            ]
        blocks = f"{p.first_block}-{p.last_block}"
        rows.append(["", "", blocks, f"{p.gpus} x {gpu}", str(p.batch), *whole[:2], figures(rate), whole[2]])
    return rows


def _cluster_head(cluster: Cluster) -> Head:
    gpus = listed(f"{gpu.count:,} {gpu.name}" for gpu in cluster.gpus)
    return Head(cluster.name, "", (f"GPUs {gpus}", f"models {listed(model.name for model in cluster.models)}"))


def cluster_table(cluster: Cluster) -> RenderableType:
    """A row per model, then one per GPU type."""
    numbers = ("blocks", "SLO ms", "budget ms", "weight", "load req/s")
    models = new_table("model", *numbers, numbers=numbers)
    for model in cluster.models[:MOST_ROWS]:
        rate = DASH if model.rate_rps is None else figures(model.rate_rps)
        times = milliseconds(model.slo_s), milliseconds(model.budget_s)
        cells = (model.name, str(model.blocks), *times, figures(model.weight), rate)
        models.add_row(*(Text(cell) for cell in cells))
    heads = ("GPUs", "per server", "price/h")
    gpus = new_table("GPU type", *heads, numbers=heads)
    for gpu in cluster.gpus[:MOST_ROWS]:
        price = DASH if gpu.price_per_h is None else full(gpu.price_per_h)
        gpus.add_row(*(Text(cell) for cell in (gpu.name, f"{gpu.count:,}", str(gpu.gpus_per_server), price)))
    return Group(models, gpus)


def _cluster_rows(cluster: Cluster) -> list[dict[str, Any]]:
    """A row per model and GPU type or share of one that it was measured on."""
    return [
        {
            "model": model.name,
            "slo_s": model.slo_s,
            "budget_s": model.budget_s,
            "weight": model.weight,
            "rate_rps": model.rate_rps,
            "blocks": model.blocks,
            "gpu": profile.gpu,
            "share": Fraction(1, profile.share),
            "latency_of_batch_1_s": sum((row[0] for row in profile.latency_s), Fraction(0)),
        }
        for model in cluster.models
        for profile in model.profiles
    ]


def _plan_head(plan: PipelinePlan) -> Head:
    models = dict.fromkeys(pipeline.model for pipeline in plan.pipelines)
    return Head("", "", (counted(len(plan.pipelines), "pipeline"), f"models {listed(models)}"))


def plan_only_table(plan: PipelinePlan) -> RenderableType:
    """A row per partition; what it serves, only the checker knows."""
    numbers = ("virtual GPUs", "batch")
    table = new_table("pipeline", "model", "blocks", "GPU", *numbers, numbers=numbers)
    for row in plan_rows(None, plan, None)[:MOST_ROWS]:
        gpu = row["gpu"] if row["share"] == 1 else f"1/{1 / row['share']} {row['gpu']}"
        blocks = f"{row['first_block']}-{row['last_block']}"
        cells = (str(row["pipeline"]), row["model"], blocks, gpu, str(row["virtual_gpus"]), str(row["batch"]))
        table.add_row(*(Text(cell) for cell in cells))
    return table


def plan_rows(cluster: Cluster | None, plan: PipelinePlan, evaluation: PlanEvaluation | None) -> list[dict[str, Any]]:
    """A row per partition; what only the checker knows is left out without its answer."""
    rows: list[dict[str, Any]] = []
    for i, pipeline in enumerate(plan.pipelines):
        found = evaluation.pipelines[i] if evaluation is not None and evaluation.pipelines else None
        for k, own in enumerate(pipeline.partitions):
            row: dict[str, Any] = {
                "pipeline": i,
                "model": pipeline.model,
                "partition": k,
                "first_block": own.first_block,
                "last_block": own.last_block,
                "gpu": own.gpu,
                "share": Fraction(1, own.share),
                "virtual_gpus": own.gpus,
                "batch": own.batch,
            }
            if found is not None:
                rates = {"throughput_rps": found.partition_rps[k], "pipeline_rps": found.throughput_rps}
                row |= {**rates, "pipeline_latency_s": found.latency_s}
            rows.append(row)
    return rows


def _evaluation_head(found: PlanEvaluation) -> Head:
    value = () if found.value is None else (f"value {full(found.value)}",)
    used = listed(f"{amount(count)} {name}" for name, count in found.gpus.items())
    status = "accepted" if found.feasible else "refused"
    return Head("", status, (*value, f"GPUs used: {used or 'none'}", *found.violations[:1]))


def evaluation_table(found: PlanEvaluation) -> RenderableType:
    """Broken rules, then a row per model."""
    numbers = ("req/s", "req/s per weight")
    table = new_table("#", *numbers, numbers=numbers)
    for m, own in enumerate(found.models[:MOST_ROWS]):
        table.add_row(*(Text(cell) for cell in (str(m), figures(own.throughput_rps), figures(own.weighted_rps))))
    return Group(*map(Text, found.violations[1:MOST_ROWS]), *([table] if found.models else []))


def _evaluation_rows(found: PlanEvaluation) -> list[dict[str, Any]]:
    return [
        {"model": m, "throughput_rps": own.throughput_rps, "weighted_rps": own.weighted_rps}
        for m, own in enumerate(found.models)
    ]


CLUSTER = View(_cluster_head, cluster_table, rows=_cluster_rows)
PLAN = View(_plan_head, plan_only_table, rows=lambda plan: plan_rows(None, plan, None))
EVALUATION = View(_evaluation_head, evaluation_table, rows=_evaluation_rows)
