"""Tables of pooled pipelines for people: what each model is served, by which pipelines, on which GPUs."""

from __future__ import annotations

from fractions import Fraction

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.result import Result
from euclio.core.space_fields import in_words
from euclio.core.tables import new_table, value_text
from euclio.core.words import DASH, amount, figures, milliseconds, percent, took
from euclio.problems.pipeline import Cluster, Pipeline, PipelineEvaluation, PipelinePlan, PipelineSpace
from euclio.problems.pipeline.evaluate import PlanEvaluation
from euclio.problems.pipeline.family import FAMILY


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
