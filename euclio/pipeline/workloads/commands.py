"""What `euclio generate pipelines` makes: PPipe's clusters with synthetic models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from euclio.core.errors import InputError
from euclio.pipeline import Cluster
from euclio.pipeline.workloads.assembly import Terms
from euclio.pipeline.workloads.groups import groups, weights
from euclio.pipeline.workloads.instances import ClusterRequest, pipeline_cluster
from euclio.pipeline.workloads.layer_models import find_model
from euclio.pipeline.workloads.setups import find_setup, with_counts

PUBLISHED_BLOCKS = 10
"""Blocks of a model in PPipe's evaluation (§5.2)."""


@dataclass(frozen=True, slots=True)
class PipelineOptions:
    """Options of generated clusters; the defaults are PPipe's (§7.1).

    Attributes:
        cluster: name of the setup of Table 1.
        high: high-class GPUs; None: the setup's.
        low: low-class GPUs; None: the setup's.
        group: number of the group of three models, from 1; None: all six, unless models are named.
        slo_scale: SLO over the latency on L4 at batch 1.
        margin: part of the SLO that plans leave free.
        blocks: blocks that the layers are merged into; None: 10, or as many as there are layers.
        layers: layers of every model; None: each model's own number.
        max_partitions: most partitions of a pipeline; None: 3 for one model, else 2.
    """

    cluster: str = "HC1-L"
    high: int | None = None
    low: int | None = None
    group: int | None = None
    slo_scale: float = 5
    margin: float = 0.4
    blocks: int | None = None
    layers: int | None = None
    max_partitions: int | None = None


def generated_clusters(
    options: PipelineOptions,
    *,
    count: int = 1,
    seed: int = 0,
    models: list[str] | None = None,
    rate_rps: float | None = None,
) -> list[Cluster]:
    """The clusters that `cluster_requests` asks for."""
    asked = cluster_requests(options, count=count, seed=seed, models=models, rate_rps=rate_rps)
    return [pipeline_cluster(request) for request in asked]


def drawn_clusters(settings: Mapping[str, Any], count: int, seed: int) -> Iterator[Cluster]:
    """The clusters of kind "pipelines", each made when it is asked for; all settings are checked before.

    Args:
        settings: as read, by name: those of `PipelineOptions`, `models` and `rate`.
        count: number of seeds.
        seed: first seed.

    Raises:
        InputError: as `cluster_requests`.
    """
    rest = dict(settings)
    models, rate = rest.pop("models", None), rest.pop("rate", None)
    asked = cluster_requests(PipelineOptions(**rest), count=count, seed=seed, models=models, rate_rps=rate)
    return map(pipeline_cluster, asked)


def cluster_requests(
    options: PipelineOptions,
    *,
    count: int = 1,
    seed: int = 0,
    models: list[str] | None = None,
    rate_rps: float | None = None,
) -> list[ClusterRequest]:
    """What clusters to make.

    Args:
        options: what to make.
        count: number of seeds, from `seed` on; a seed draws layers, groups and weights.
        seed: first seed.
        models: names of the models served together; None: those of the group, or of each group.
        rate_rps: load of all models together for the least-cost objective; None: none.

    Raises:
        InputError: unknown names, numbers out of range, both models and a group, or more blocks than layers.
    """
    setup = with_counts(find_setup(options.cluster), options.high, options.low)
    terms = Terms(options.slo_scale, options.margin, options.max_partitions, rate_rps=rate_rps)
    return [
        ClusterRequest(
            setup, chosen, weights(len(chosen), number), number, _blocks(options, chosen), options.layers, terms
        )
        for number in range(seed, seed + count)
        for chosen in _chosen(options, models, number)
    ]


def _blocks(options: PipelineOptions, models: Sequence[str]) -> int:
    """Number of blocks; that of PPipe where none is given, as far as there are layers."""
    layers = {name: options.layers or find_model(name).layers for name in models}
    name, least = min(layers.items(), key=lambda item: item[1])
    if options.blocks is None:
        return min(PUBLISHED_BLOCKS, least)
    if options.blocks > least:
        raise InputError(f"is {options.blocks}; {name} has {least} layers, so give at most {least}", field="blocks")
    return options.blocks


def _chosen(options: PipelineOptions, models: list[str] | None, seed: int) -> list[tuple[str, ...]]:
    if models and options.group is not None:
        raise InputError("models are named too; leave one of the two out", field="group")
    if models:
        return [tuple(models)]
    found = groups(seed)
    if options.group is None:
        return list(found)
    if not 1 <= options.group <= len(found):
        raise InputError(f"is {options.group}; the groups are numbered from 1 to {len(found)}", field="group")
    return [found[options.group - 1]]
