"""What `euclio generate pipelines` makes: PPipe's clusters with synthetic models."""

from __future__ import annotations

from dataclasses import dataclass

from euclio.errors import InputError
from euclio.pipeline import Cluster
from euclio.workloads.pipelines.assembly import Terms
from euclio.workloads.pipelines.groups import groups, weights
from euclio.workloads.pipelines.instances import ClusterRequest, pipeline_cluster
from euclio.workloads.pipelines.setups import find_setup, with_counts


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
        blocks: blocks that the layers are merged into.
        layers: layers of every model; None: each model's own number.
        max_partitions: most partitions of a pipeline; None: 3 for one model, else 2.
    """

    cluster: str = "HC1-L"
    high: int | None = None
    low: int | None = None
    group: int | None = None
    slo_scale: float = 5
    margin: float = 0.4
    blocks: int = 10
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
    """The clusters asked for.

    Args:
        options: what to make.
        count: number of seeds, from `seed` on; a seed draws layers, groups and weights.
        seed: first seed.
        models: names of the models served together; None: those of the group, or of each group.
        rate_rps: load of all models together for the least-cost objective; None: none.

    Raises:
        InputError: unknown names, numbers out of range, or both models and a group.
    """
    setup = with_counts(find_setup(options.cluster), options.high, options.low)
    return [
        pipeline_cluster(
            ClusterRequest(
                setup,
                chosen,
                weights(len(chosen), number),
                number,
                options.blocks,
                options.layers,
                Terms(options.slo_scale, options.margin, options.max_partitions, rate_rps=rate_rps),
            )
        )
        for number in range(seed, seed + count)
        for chosen in _chosen(options, models, number)
    ]


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
