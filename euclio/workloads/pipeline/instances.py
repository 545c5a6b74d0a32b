"""Clusters with synthetic models, as PPipe sets them up (PPipe §7.1): what `euclio generate pipelines` makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from euclio.core.errors import InputError
from euclio.problems.pipeline.instance import BlockProfile, Cluster
from euclio.workloads.pipeline.assembly import FASTEST, BlockedModel, Terms, assembled
from euclio.workloads.pipeline.layer_models import LayerProfile, find_model, groups, layer_profile, weights
from euclio.workloads.pipeline.setups import Setup, find_setup, with_counts

# Pre-partitioning: the layers of a model in a few blocks of near-equal runtime (PPipe §5.2).

NANOSECONDS = 10**9


def pre_partition(latency: Sequence[int | Fraction], blocks: int) -> tuple[range, ...]:
    """Group consecutive layers until their runtime is as near as possible to 1/N of the whole, from the first layer on.

    Args:
        latency: latency of each layer on the chosen GPU type, in any unit.
        blocks: N, the number of blocks wanted; at least the number of layers: every layer is a block.

    Returns:
        The layers of each block, in order. The last block takes what is left over; layers that are long against the
        wanted runtime can make fewer blocks.

    Raises:
        InputError: no blocks or no layers.
    """
    if blocks < 1 or not latency:
        raise InputError(
            f"{len(latency)} layers do not go into {blocks} blocks; both must be at least 1", field="blocks"
        )
    if blocks >= len(latency):
        return tuple(range(k, k + 1) for k in range(len(latency)))
    wanted = Fraction(sum(latency)) / blocks
    found: list[range] = []
    first = 0
    while first < len(latency) and len(found) < blocks - 1:
        end, runtime = first + 1, Fraction(latency[first])
        while end < len(latency) and abs(runtime + latency[end] - wanted) <= abs(runtime - wanted):
            runtime += latency[end]
            end += 1
        found.append(range(first, end))
        first = end
    if first < len(latency):
        found.append(range(first, len(latency)))
    return tuple(found)


def block_profiles(profile: LayerProfile, blocks: Sequence[range]) -> list[BlockProfile]:
    """The latencies of the blocks, all GPU types, shares and batches: sums over their layers (PPipe §5.2)."""
    return [
        BlockProfile(
            gpu,
            share,
            tuple(
                tuple(Fraction(sum(column), NANOSECONDS) for column in zip(*(rows[k] for k in block), strict=True))
                for block in blocks
            ),
        )
        for (gpu, share), rows in profile.latency_ns.items()
    ]


def boundary_bytes(profile: LayerProfile, blocks: Sequence[range]) -> list[int]:
    """Bytes that one request sends between consecutive blocks."""
    return [profile.transfer_bytes[before[-1]] for before, _ in pairwise(blocks)]


@dataclass(frozen=True, slots=True)
class ClusterRequest:
    """What cluster to make.

    Attributes:
        setup: GPUs and links.
        models: names of the models served together.
        weights: their parts of the load.
        seed: seed of the layer profiles.
        blocks: number of blocks that the layers are merged into.
        layers: layers of every model; None means each model's own number.
        terms: SLO, margin and the like.
    """

    setup: Setup
    models: tuple[str, ...]
    weights: tuple[Fraction, ...]
    seed: int = 0
    blocks: int = 10
    layers: int | None = None
    terms: Terms = field(default_factory=Terms)

    @property
    def name(self) -> str:
        """Name of the instance."""
        return f"{self.setup.name}-{'+'.join(self.models)}-{self.seed}"


def pipeline_cluster(request: ClusterRequest) -> Cluster:
    """Make a cluster; the same request makes the same one.

    Raises:
        InputError: unknown model, or numbers out of range.
    """
    models = [blocked_model(name, request.seed, request.blocks, request.layers) for name in request.models]
    return assembled(request.name, request.setup, models, request.weights, request.terms)


def blocked_model(name: str, seed: int = 0, blocks: int = 10, layers: int | None = None) -> BlockedModel:
    """A synthetic model, pre-partitioned by its latencies on L4 at batch 1.

    Args:
        name: a model of PPipe's Table 2.
        seed: seed of its layers.
        blocks: number of blocks wanted.
        layers: number of layers; None means the model's own.

    Raises:
        InputError: unknown model, or no blocks.
    """
    profile = layer_profile(name, seed, layers)
    cut = pre_partition([row[0] for row in profile.latency_ns[FASTEST, 1]], blocks)
    return BlockedModel(
        name,
        Fraction(profile.whole_ns(FASTEST), NANOSECONDS),
        tuple(block_profiles(profile, cut)),
        tuple(boundary_bytes(profile, cut)),
    )


PUBLISHED_BLOCKS = 10
"""Blocks of a model in PPipe's evaluation (§5.2)."""


@dataclass(frozen=True, slots=True)
class PipelineOptions:
    """Options of generated clusters; the defaults are PPipe's (§7.1).

    Attributes:
        cluster: name of the setup of Table 1.
        high: high-class GPUs; None means the setup's.
        low: low-class GPUs; None means the setup's.
        group: number of the group of three models, from 1; None means all six, unless models are named.
        models: names of the models served together; None means those of the group, or of each group.
        rate: load of all models together in requests per second, for the least-cost objective; None if there is none.
        slo_scale: SLO over the latency on L4 at batch 1.
        margin: part of the SLO that plans leave free.
        blocks: blocks that the layers are merged into; None: 10, or as many as there are layers.
        layers: layers of every model; None means each model's own number.
        max_partitions: most partitions of a pipeline; None: 3 for one model, else 2.
    """

    cluster: str = "HC1-L"
    high: int | None = None
    low: int | None = None
    group: int | None = None
    models: Sequence[str] | None = None
    rate: float | None = None
    slo_scale: float = 5
    margin: float = 0.4
    blocks: int | None = None
    layers: int | None = None
    max_partitions: int | None = None


def generated_clusters(options: PipelineOptions, count: int = 1, seed: int = 0) -> Iterator[Cluster]:
    """The clusters that options ask for, each made when it is asked for; all options are checked before.

    Args:
        options: what to make.
        count: number of seeds, from `seed` on; a seed draws layers, groups and weights.
        seed: first seed.

    Raises:
        InputError: unknown names, numbers out of range, both models and a group, or more blocks than layers.
    """
    setup = with_counts(find_setup(options.cluster), options.high, options.low)
    terms = Terms(options.slo_scale, options.margin, options.max_partitions, rate_rps=options.rate)
    asked = [
        ClusterRequest(
            setup, chosen, weights(len(chosen), number), number, _blocks(options, chosen), options.layers, terms
        )
        for number in range(seed, seed + count)
        for chosen in _chosen(options, number)
    ]
    return map(pipeline_cluster, asked)


def _blocks(options: PipelineOptions, models: Sequence[str]) -> int:
    """Number of blocks; that of PPipe where none is given, as far as there are layers."""
    layers = {name: options.layers or find_model(name).layers for name in models}
    name, least = min(layers.items(), key=lambda item: item[1])
    if options.blocks is None:
        return min(PUBLISHED_BLOCKS, least)
    if options.blocks > least:
        raise InputError(f"is {options.blocks}; {name} has {least} layers, so give at most {least}", field="blocks")
    return options.blocks


def _chosen(options: PipelineOptions, seed: int) -> list[tuple[str, ...]]:
    if options.models and options.group is not None:
        raise InputError("models are named too; leave one of the two out", field="group")
    if options.models:
        return [tuple(options.models)]
    found = groups(seed)
    if options.group is None:
        return list(found)
    if not 1 <= options.group <= len(found):
        raise InputError(f"is {options.group}; the groups are numbered from 1 to {len(found)}", field="group")
    return [found[options.group - 1]]
