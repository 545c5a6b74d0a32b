"""Clusters and their models in files: schema ``euclio/pipeline/1``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from euclio.core.errors import InputError
from euclio.files.boundary import FileModel, Flag, Name, Number, Whole, at, validated, without_schema
from euclio.files.json_reading import join_field, parse_json, read_json
from euclio.files.json_writing import json_text, write_text
from euclio.pipeline.instance import BatchBuild, BlockProfile, Cluster, Gpu, Model

SCHEMA = "euclio/pipeline/1"

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


def load_cluster(path: str | Path) -> Cluster:
    """The cluster in a file.

    Raises:
        InputError: naming the file, the field and the remedy.
    """
    return cluster_from_json(read_json(path), str(path))


def cluster_from_text(text: str, *, file: str | None = None) -> Cluster:
    """The cluster in a JSON text; `file` is named in errors.

    Raises:
        InputError: naming the field and the remedy.
    """
    return cluster_from_json(parse_json(text, file=file), file)


def save_cluster(cluster: Cluster, path: str | Path) -> None:
    """Write a cluster; reading it back gives an equal one.

    Raises:
        InputError: the file cannot be written.
    """
    write_text(cluster_to_text(cluster), path)


def cluster_to_text(cluster: Cluster) -> str:
    """The JSON text of a cluster, numbers as exact decimals."""
    return json_text(_data(cluster)) + "\n"


def cluster_from_json(value: Any, file: str | None) -> Cluster:
    """The cluster in parsed JSON; `file` is named in errors.

    A model need not be measured on every GPU type, but on each type that it lists the whole GPU (share 1) is needed.

    Raises:
        InputError: naming the field and the remedy.
    """
    model = validated(_Cluster, without_schema(value, SCHEMA, file), file)
    gpus: list[Gpu] = []
    for i, g in enumerate(model.gpus):
        with at(f"gpus[{i}]", file):
            gpus.append(Gpu(g.name, g.count, g.gpus_per_server, g.price_per_h))
    models: list[Model] = []
    for i, m in enumerate(model.models):
        with at(f"models[{i}]", file):
            models.append(_model(m))
    with at("", file):
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
        "schema": SCHEMA,
        "name": cluster.name,
        "gpus": [_gpu_data(gpu) for gpu in cluster.gpus],
        "max_partitions": cluster.max_partitions,
        "unify_batch": cluster.unify_batch,
        "models": [_model_data(model) for model in cluster.models],
    }


def _gpu_data(gpu: Gpu) -> dict[str, Any]:
    price = {} if gpu.price_per_h is None else {"price_per_h": gpu.price_per_h}
    return {"name": gpu.name, "count": gpu.count, "gpus_per_server": gpu.gpus_per_server, **price}


def _model_data(model: Model) -> dict[str, Any]:
    build = model.batch_build
    latencies: dict[str, dict[str, Any]] = {}
    for p in model.profiles:
        latencies.setdefault(p.gpu, {})[str(p.share)] = p.latency_s
    return {
        "name": model.name,
        "weight": model.weight,
        "slo_s": model.slo_s,
        "margin_s": model.margin_s,
        **({} if build is None else {"batch_build": {"factor": build.factor, "rate_rps": build.rate_rps}}),
        **({} if model.rate_rps is None else {"rate_rps": model.rate_rps}),
        "transfer_s_per_request": model.transfer_s_per_request,
        "block_latency_s": latencies,
    }
