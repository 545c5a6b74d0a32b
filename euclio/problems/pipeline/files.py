"""Clusters and their models in files: schema ``euclio/pipeline/1``."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from euclio.core.errors import InputError
from euclio.core.numbers import count_number, exact, whole_number
from euclio.core.parts import PlanFiles
from euclio.files.boundary import FileModel, Flag, Name, Number, Whole, at
from euclio.files.dataclass_files import plain_data
from euclio.files.instance_files import InstanceFormat
from euclio.files.json_reading import join_field
from euclio.files.plan_files import options_model, space_reader
from euclio.problems.pipeline import Cluster, Partition, Pipeline, PipelinePlan, PipelineSpace, PlanEvaluation
from euclio.problems.pipeline.instance import BatchBuild, BlockProfile, Gpu, Model

WHOLE = "1"
"""The share of a GPU that is not divided."""


class _Gpu(FileModel):
    name: Name
    count: Whole
    gpus_per_server: Whole
    price_per_h: Number | None = None


class _BatchBuild(FileModel):
    factor: Number
    rate_rps: Number


class _Model(FileModel):
    name: Name
    weight: Number
    slo_s: Number
    margin_s: Number
    batch_build: _BatchBuild | None = None
    rate_rps: Number | None = None
    transfer_s_per_request: list[Number]
    block_latency_s: dict[str, dict[str, list[list[Number]]]]


class _Cluster(FileModel):
    name: Name
    gpus: list[_Gpu]
    max_partitions: Whole
    unify_batch: Flag
    models: list[_Model]


def _cluster(model: _Cluster) -> Cluster:
    """The cluster that a file holds.

    A model may lack some GPU types, but each type that it lists needs a measurement of the whole GPU (share 1).
    """
    gpus: list[Gpu] = []
    for i, g in enumerate(model.gpus):
        with at(f"gpus[{i}]", None):
            gpus.append(Gpu(g.name, g.count, g.gpus_per_server, g.price_per_h))
    models: list[Model] = []
    for i, m in enumerate(model.models):
        with at(f"models[{i}]", None):
            models.append(_model(m))
    return Cluster(model.name, gpus, models, model.max_partitions, model.unify_batch)


def _model(model: _Model) -> Model:
    batch_build = None
    if model.batch_build is not None:
        with at("batch_build", None):
            batch_build = BatchBuild(model.batch_build.factor, model.batch_build.rate_rps)
    profiles = [
        _profile(gpu, share, rows)
        for gpu, by_share in model.block_latency_s.items()
        for share, rows in _with_whole(gpu, by_share).items()
    ]
    return Model(
        model.name,
        model.slo_s,
        model.transfer_s_per_request,
        profiles,
        weight=model.weight,
        margin_s=model.margin_s,
        batch_build=batch_build,
        rate_rps=model.rate_rps,
    )


def _with_whole(gpu: str, by_share: dict[str, list[list[Number]]]) -> dict[str, list[list[Number]]]:
    if WHOLE not in by_share:
        field = join_field(join_field("block_latency_s", gpu), WHOLE)
        raise InputError("is missing; add the block latencies on the whole GPU (share 1)", field=field)
    return by_share


def _profile(gpu: str, share: str, rows: list[list[Number]]) -> BlockProfile:
    field = join_field(join_field("block_latency_s", gpu), share)
    if not (share.isascii() and share.isdecimal() and share[0] != "0" and len(share) <= 7):
        raise InputError('is no share; write v for the v-th part of a GPU, such as "2"', field=field)
    with at(field, None):
        return BlockProfile(gpu, int(share), rows)


def _data(cluster: Cluster) -> dict[str, Any]:
    return {
        "name": cluster.name,
        "gpus": [_given(gpu) for gpu in cluster.gpus],
        "max_partitions": cluster.max_partitions,
        "unify_batch": cluster.unify_batch,
        "models": [_model_data(model) for model in cluster.models],
    }


def _model_data(model: Model) -> dict[str, Any]:
    own = _given(model)
    del own["profiles"]
    latencies: dict[str, dict[str, Any]] = {}
    for p in model.profiles:
        latencies.setdefault(p.gpu, {})[str(p.share)] = p.latency_s
    return {**own, "block_latency_s": latencies}


def _given(part: Gpu | Model) -> dict[str, Any]:
    """A part of the cluster as plain data, without its empty fields."""
    return {name: value for name, value in plain_data(part).items() if value is not None}


CLUSTERS = InstanceFormat("euclio/pipeline/1", _Cluster, _cluster, _data)
load_cluster, save_cluster = CLUSTERS.load, CLUSTERS.save
cluster_from_text, cluster_from_json, cluster_to_text = CLUSTERS.from_text, CLUSTERS.from_json, CLUSTERS.to_text


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


def _plan_data(cluster: Cluster, plan: PipelinePlan, evaluation: PlanEvaluation) -> dict[str, Any]:
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
PIPELINE_PLANS = PlanFiles(_OPTIONS, _ClusterPlan, space_reader(PipelineSpace), _plan, _written, _checked, _plan_data)
