"""Clusters and their models in files: schema ``euclio/pipeline/1``."""

from __future__ import annotations

from typing import Any

from euclio.core.errors import InputError
from euclio.files.boundary import FileModel, Flag, Name, Number, Whole, at
from euclio.files.dataclass_files import plain_data
from euclio.files.instance_files import InstanceFormat
from euclio.files.json_reading import join_field
from euclio.problems.pipeline.instance import BatchBuild, BlockProfile, Cluster, Gpu, Model

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
