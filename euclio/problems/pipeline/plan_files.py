"""Plans of clusters in result files.

A pipeline's batch is that of its first partition; a partition names its own if it differs.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from euclio.core.errors import InputError
from euclio.core.numbers import count_number, exact, whole_number
from euclio.core.parts import PlanFiles
from euclio.files.boundary import FileModel, Name, Number, Whole
from euclio.files.dataclass_files import plain_data
from euclio.files.plan_files import options_model, space_reader
from euclio.problems.pipeline import Cluster, Partition, Pipeline, PipelinePlan, PipelineSpace, PlanEvaluation


class _Partition(FileModel):
    gpu: Name
    share: Whole
    gpus: Whole
    first_block: Whole
    last_block: Whole
    batch: Whole | None = None


class _Pipeline(FileModel):
    model: Name
    batch: Whole
    rate_rps: Number
    partitions: list[_Partition]


class _ClusterPlan(FileModel):
    pipelines: list[_Pipeline]


def _plan(model: _ClusterPlan, cluster: Cluster) -> PipelinePlan:
    return PipelinePlan(tuple(_pipeline(p, cluster, f"plan.pipelines[{i}]") for i, p in enumerate(model.pipelines)))


def _pipeline(model: _Pipeline, cluster: Cluster, field: str) -> Pipeline:
    _of_the_instance("model", model.model, {m.name for m in cluster.models}, f"{field}.model")
    if not model.partitions:
        raise InputError("is empty; a pipeline has at least one partition", field=f"{field}.partitions")
    parts = [_partition(p, model.batch, cluster, f"{field}.partitions[{k}]") for k, p in enumerate(model.partitions)]
    if parts[0].batch != model.batch:
        raise InputError(
            f"is {parts[0].batch}, but the batch of the pipeline, which is its first partition's, is {model.batch}; "
            "write the same",
            field=f"{field}.partitions[0].batch",
        )
    return Pipeline(model.model, tuple(parts))


def _partition(model: _Partition, batch: int, cluster: Cluster, field: str) -> Partition:
    _of_the_instance("GPU type", model.gpu, {g.name for g in cluster.gpus}, f"{field}.gpu")
    return Partition(
        model.gpu,
        whole_number(model.share, f"{field}.share"),
        count_number(model.gpus, f"{field}.gpus"),
        _block(model.first_block, f"{field}.first_block"),
        _block(model.last_block, f"{field}.last_block"),
        whole_number(batch if model.batch is None else model.batch, f"{field}.batch"),
    )


def _block(value: int, field: str) -> int:
    if value < 0:
        raise InputError(f"is {value}; blocks are counted from 0", field=field)
    return value


def _of_the_instance(what: str, name: str, known: set[str], field: str) -> None:
    if name not in known:
        raise InputError(f"{what} {name!r} is not in the instance; give the result of this instance", field=field)


def _written(plan: _ClusterPlan, cluster: Cluster) -> dict[str, Fraction]:
    return _figures([exact(pipeline.rate_rps) for pipeline in plan.pipelines])


def _checked(cluster: Cluster, plan: PipelinePlan, evaluation: PlanEvaluation) -> dict[str, Fraction]:
    return _figures([found.throughput_rps for found in evaluation.pipelines])


def _figures(rates_rps: list[Fraction]) -> dict[str, Fraction]:
    return {f"plan.pipelines[{i}].rate_rps": rate for i, rate in enumerate(rates_rps)}


def _data(cluster: Cluster, plan: PipelinePlan, evaluation: PlanEvaluation) -> dict[str, Any]:
    found = zip(plan.pipelines, evaluation.pipelines, strict=True)
    return {"pipelines": [_pipeline_data(pipeline, priced.throughput_rps) for pipeline, priced in found]}


def _pipeline_data(pipeline: Pipeline, rate_rps: Fraction) -> dict[str, Any]:
    batch = pipeline.partitions[0].batch
    return {
        "model": pipeline.model,
        "batch": batch,
        "rate_rps": rate_rps,
        "partitions": [
            {name: value for name, value in plain_data(p).items() if not (name == "batch" and value == batch)}
            for p in pipeline.partitions
        ],
    }


_OPTIONS = options_model(PipelineSpace)
PIPELINE_PLANS = PlanFiles(_OPTIONS, _ClusterPlan, space_reader(PipelineSpace), _plan, _written, _checked, _data)
