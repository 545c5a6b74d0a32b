"""Displays of clusters, their plans and the checker's answers: tables of plans, and the rows of frames."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from euclio.core.fitted_table import Column, Label, table_of
from euclio.core.result import Result
from euclio.core.showing import Head, View, fields_of
from euclio.core.showing.html import MOST_ROWS
from euclio.core.showing.results import checked_head, checked_view
from euclio.core.space_fields import in_words
from euclio.core.tables import value_text
from euclio.core.words import amount, counted, decimals, figures, full, listed, milliseconds, percent, took
from euclio.problems.pipeline.evaluate import PlanEvaluation
from euclio.problems.pipeline.family import FAMILY
from euclio.problems.pipeline.instance import Cluster
from euclio.problems.pipeline.plan import PipelinePlan
from euclio.problems.pipeline.space import PipelineSpace

# Tables of pooled pipelines for people: each model's throughput, pipelines and GPUs.


def pipeline_table(cluster: Cluster, result: Result[PipelinePlan, PipelineSpace, PlanEvaluation]) -> RenderableType:
    """A header and, if there is a plan, each model's throughput, then one row per partition (times in ms)."""
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
    """A plan space in a few words: the objective, then its restrictions and changes."""
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
    used = Counter(pipeline.model for pipeline in plan.pipelines)
    rows = [
        fields_of(model, "name", "budget_s", "weight", "rate_rps") | {"pipelines": used[model.name], **served}
        for model, served in zip(cluster.models, _evaluation_rows(evaluation), strict=True)
    ]
    return table_of(rows, SERVED_COLUMNS)


def _gpu(row: dict[str, Any]) -> str:
    return str(row["gpu"]) if row["share"] == 1 else f"1/{1 / row['share']} {row['gpu']}"


def _blocks(row: dict[str, Any]) -> str:
    return f"{row['first_block']}-{row['last_block']}"


SERVED_COLUMNS = (
    Label("#", "model"),
    Label("model", "name"),
    Column("pipelines"),
    Column("budget ms", "budget_s", milliseconds, spare=3),
    Column("req/s", "throughput_rps", figures),
    Column("weight", form=figures, spare=1),
    Column("req/s per weight", "weighted_rps", figures, spare=4),
    Column("load req/s", "rate_rps", figures, spare=2),
)
PARTITION_COLUMNS = (
    Label("pipeline"),
    Label("model #"),
    Label("blocks", _blocks, spare=5),
    Label("virtual GPUs", lambda row: f"{row['virtual_gpus']} x {_gpu(row)}", spare=4),
    Column("batch", spare=6),
    Column("latency ms", "pipeline_latency_s", milliseconds, spare=3),
    Column("of budget", form=lambda share: percent(float(share), 1), spare=1),
    Column("pool req/s", "throughput_rps", figures, spare=2),
    Column("req/s", "pipeline_rps", figures),
)
OF_A_PIPELINE = ("pipeline", "pipeline_latency_s", "pipeline_rps")
"""Common fields of all partitions of a pipeline; tables have them in the row of the first."""


def _partition_table(cluster: Cluster, plan: PipelinePlan, evaluation: PlanEvaluation) -> RenderableType:
    """The pipelines of each model one after the other; facts of a whole pipeline are in its first row."""
    order = {model.name: i for i, model in enumerate(cluster.models)}
    rows = []
    for row in sorted(plan_rows(cluster, plan, evaluation), key=lambda row: order[row["model"]]):
        model = order[row["model"]]
        if row["partition"]:
            rows.append({name: value for name, value in row.items() if name not in OF_A_PIPELINE})
        else:
            of_budget = row["pipeline_latency_s"] / cluster.models[model].budget_s
            rows.append({**row, "model #": model, "of budget": of_budget})
    return table_of(rows, PARTITION_COLUMNS)


def _cluster_head(cluster: Cluster) -> Head:
    gpus = listed(f"{gpu.count:,} {gpu.name}" for gpu in cluster.gpus)
    return Head(cluster.name, "", (f"GPUs {gpus}", f"models {listed(model.name for model in cluster.models)}"))


MODEL_COLUMNS = (
    Label("model", "name"),
    Column("blocks"),
    Column("SLO ms", "slo_s", milliseconds),
    Column("budget ms", "budget_s", milliseconds),
    Column("weight", form=figures),
    Column("load req/s", "rate_rps", figures),
)
GPU_COLUMNS = (
    Label("GPU type", "name"),
    Column("GPUs", "count", decimals),
    Column("per server", "gpus_per_server"),
    Column("price/h", "price_per_h", full),
)


def cluster_table(cluster: Cluster) -> RenderableType:
    """A row per model, then one per GPU type."""
    return Group(table_of(cluster.models[:MOST_ROWS], MODEL_COLUMNS), table_of(cluster.gpus[:MOST_ROWS], GPU_COLUMNS))


def _cluster_rows(cluster: Cluster) -> list[dict[str, Any]]:
    """A row per model and measured GPU type or share of one."""
    return [
        {
            "model": model.name,
            **fields_of(model, "slo_s", "budget_s", "weight", "rate_rps", "blocks"),
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


PLAN_COLUMNS = (
    Label("pipeline"),
    Label("model"),
    Label("blocks", _blocks),
    Label("GPU", _gpu),
    Column("virtual GPUs", "virtual_gpus"),
    Column("batch"),
)


def plan_rows(cluster: Cluster | None, plan: PipelinePlan, evaluation: PlanEvaluation | None) -> list[dict[str, Any]]:
    """A row per partition; without the checker's answer, its numbers are left out."""
    rows: list[dict[str, Any]] = []
    for i, pipeline in enumerate(plan.pipelines):
        found = evaluation.pipelines[i] if evaluation is not None and evaluation.pipelines else None
        for k, own in enumerate(pipeline.partitions):
            row: dict[str, Any] = {
                "pipeline": i,
                "model": pipeline.model,
                "partition": k,
                **fields_of(own, "first_block", "last_block", "gpu"),
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
    used = listed(f"{amount(count)} {name}" for name, count in found.gpus.items())
    value = "" if found.value is None else f"value {full(found.value)}"
    return checked_head(found, value, f"GPUs used: {used or 'none'}")


def _evaluation_rows(found: PlanEvaluation) -> list[dict[str, Any]]:
    return [{"model": m, **fields_of(own, "throughput_rps", "weighted_rps")} for m, own in enumerate(found.models)]


CLUSTER = View(_cluster_head, cluster_table, rows=_cluster_rows)
PLAN = View(_plan_head, rows=lambda plan: plan_rows(None, plan, None), columns=PLAN_COLUMNS)
SERVED = (SERVED_COLUMNS[k] for k in (0, 4, 6))
EVALUATION = checked_view(_evaluation_head, _evaluation_rows, *SERVED)
