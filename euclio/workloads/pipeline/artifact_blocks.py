"""Models with the blocks that PPipe's authors measured, from their artifact or a table of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from euclio.core.errors import InputError
from euclio.problems.pipeline import Cluster
from euclio.workloads.pipeline.artifact import artifact_models, read_model
from euclio.workloads.pipeline.assembly import BlockedModel, Terms, assembled
from euclio.workloads.pipeline.block_table import TabledModel, boundaries_of, profiles_of, read_table
from euclio.workloads.pipeline.networks import networks
from euclio.workloads.pipeline.setups import Setup

GPUS = ("L4", "V100", "T4", "P4")
"""The GPU types of Table 1, all of which the artifact has measured."""


def artifact_cluster(
    path: Path, setup: Setup, models: Sequence[str], weights: Sequence[Fraction], terms: Terms
) -> Cluster:
    """The cluster of a setup that serves models of the artifact.

    Args:
        path: the artifact's checkout, or a table of its blocks, as of `blocked_models`.
        setup: GPUs and links.
        models: names of the models in the artifact.
        weights: their parts of the load.
        terms: SLO, margin and the like.

    Raises:
        InputError: a file is missing or malformed; names it.
    """
    read = blocked_models(path, models, [gpu.name for gpu in setup.gpus])
    return assembled(f"{setup.name}-{'+'.join(models)}", setup, read, weights, terms)


def measured_models(path: Path, gpus: Sequence[str] = GPUS) -> dict[str, BlockedModel]:
    """The 18 models by their names in Table 2.

    Args:
        path: the artifact's checkout, or a table of its blocks, as of `blocked_models`.
        gpus: the GPU types wanted.

    Raises:
        InputError: a file is missing or malformed, or a model has other numbers of blocks on two GPU types.
    """
    found = blocked_models(path, [network.artifact for network in networks().values()], gpus)
    return {name: replace(model, name=name) for name, model in zip(networks(), found, strict=True)}


def blocked_models(path: Path, names: Sequence[str], gpus: Sequence[str]) -> list[BlockedModel]:
    """Models of the artifact with their block latencies on some GPU types.

    Args:
        path: the artifact's checkout (`euclio.workloads.pipeline.artifact`), or a table of its blocks as a CSV file
            (`euclio.workloads.pipeline.block_table`), which has no times of whole models: those of
            ``ppipe-networks.json`` stand for them.
        names: names of the models in the artifact.
        gpus: the GPU types wanted.

    Raises:
        InputError: a file is missing or malformed, or a model has other numbers of blocks on two GPU types.
    """
    if not path.exists():
        raise InputError("does not exist; name the artifact's folder, or a table of its blocks", file=str(path))
    if path.is_dir():
        found = [read_model(path, name, gpus) for name in names]
    else:
        tabled = read_table(path, names)
        found = [_from_table(name, tabled, gpus, path) for name in names]
    for model in found:
        _refuse_uneven(model, path)
    return found


def listed_models(path: Path) -> list[str]:
    """Names of the models that a checkout lists, or that a table can be read for.

    Raises:
        InputError: the checkout has no list.
    """
    return [network.artifact for network in networks().values()] if path.is_file() else artifact_models(path)


def _from_table(name: str, tabled: dict[str, TabledModel], gpus: Sequence[str], path: Path) -> BlockedModel:
    whole_ns = {network.artifact: network.l4_ns for network in networks().values()}
    if name not in whole_ns:
        known = ", ".join(whole_ns)
        raise InputError(f"{name} has no known time on L4, which sets its objective; known: {known}", field="models")
    model = tabled.get(name)
    if model is None:
        raise InputError(f"has no blocks of {name}; add them", file=str(path), field="model")
    profiles = profiles_of(name, model, gpus, path)
    sizes = boundaries_of(name, model, len(profiles[0].latency_s), path)
    return BlockedModel(name, Fraction(whole_ns[name], 10**9), tuple(profiles), sizes)


def _refuse_uneven(model: BlockedModel, path: Path) -> None:
    """Refuse a model that is cut otherwise on another GPU type, since a pipeline hands over between the same blocks."""
    first = model.profiles[0]
    for one in model.profiles:
        if len(one.latency_s) != len(first.latency_s):
            raise InputError(
                f"on {one.gpu}, share {one.share}, has {len(one.latency_s)} blocks, but on {first.gpu}, share "
                f"{first.share}, {len(first.latency_s)} blocks; give it the same blocks everywhere",
                file=str(path),
                field=model.name,
            )
