"""Clusters whose blocks are taken apart into layers again: what an optimizer without pre-partitioning meets."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from euclio.problems.pipeline import BlockProfile, Cluster, Gpu, Model

LAYERS_PER_BLOCK = 8
LIGHTEST, HEAVIEST = 1, 20
"""Random weights of layers within their block."""


def unmerged(cluster: Cluster, seed: int, layers: int = LAYERS_PER_BLOCK) -> Cluster:
    """The cluster with every block split at random.

    The latencies of a block's layers add up to the block's, exactly, for every GPU type, share and batch size; their
    proportions differ by GPU type. Transfers within a block are interpolated between those at its ends.

    Args:
        cluster: the cluster.
        seed: seed of the split.
        layers: layers per block.
    """
    rng = random.Random(seed)
    models = tuple(_split(model, rng, layers) for model in cluster.models)
    return Cluster(f"{cluster.name}-unmerged", cluster.gpus, models, cluster.max_partitions, cluster.unify_batch)


def _split(model: Model, rng: random.Random, layers: int) -> Model:
    gpus = sorted({profile.gpu for profile in model.profiles})
    weights = {gpu: [_parts(rng, layers) for _ in range(model.blocks)] for gpu in gpus}
    profiles = [_profile(profile, weights[profile.gpu]) for profile in model.profiles]
    transfers = _transfers(model.transfer_s_per_request, model.blocks, layers)
    return _like(model, transfers, profiles)


def _parts(rng: random.Random, layers: int) -> list[Fraction]:
    weights = [rng.randint(LIGHTEST, HEAVIEST) for _ in range(layers)]
    return [Fraction(weight, sum(weights)) for weight in weights]


def _profile(profile: BlockProfile, parts: Sequence[Sequence[Fraction]]) -> BlockProfile:
    rows = [
        [part * latency for latency in row]
        for row, block in zip(profile.latency_s, parts, strict=True)
        for part in block
    ]
    return BlockProfile(profile.gpu, profile.share, rows)


def _transfers(between: Sequence[Fraction], blocks: int, layers: int) -> list[Fraction]:
    """Transfers at all boundaries of layers; before the first and after the last block they stay level."""
    ends = [between[0], *between, between[-1]] if between else [Fraction(0)] * 2
    steps = [start + (end - start) * i / layers for start, end in pairwise(ends) for i in range(1, layers + 1)]
    return steps[: blocks * layers - 1]


def scaled(cluster: Cluster, factor: int) -> Cluster:
    """The cluster with this many times the GPUs of every type."""
    gpus = [Gpu(gpu.name, gpu.count * factor, gpu.gpus_per_server, gpu.price_per_h) for gpu in cluster.gpus]
    return Cluster(f"{cluster.name}-x{factor}", gpus, cluster.models, cluster.max_partitions, cluster.unify_batch)


def merged(clusters: Sequence[Cluster], max_partitions: int) -> Cluster:
    """One cluster of the GPUs of several, which serves all their models on every type that any of them measured.

    Args:
        clusters: the clusters; a model's SLO, weight and transfers are those of the first that has it.
        max_partitions: most partitions of a pipeline.
    """
    gpus = {gpu.name: gpu for cluster in clusters for gpu in cluster.gpus}
    first: dict[str, Model] = {}
    profiles: dict[str, dict[tuple[str, int], BlockProfile]] = {}
    for model in (model for cluster in clusters for model in cluster.models):
        first.setdefault(model.name, model)
        known = profiles.setdefault(model.name, {})
        known.update({(p.gpu, p.share): p for p in model.profiles if (p.gpu, p.share) not in known})
    models = [
        _like(model, model.transfer_s_per_request, list(profiles[name].values())) for name, model in first.items()
    ]
    name = "+".join(cluster.name for cluster in clusters)
    return Cluster(name, list(gpus.values()), models, max_partitions, clusters[0].unify_batch)


def _like(model: Model, transfers: Sequence[Fraction], profiles: list[BlockProfile]) -> Model:
    return Model(
        model.name,
        model.slo_s,
        list(transfers),
        profiles,
        weight=model.weight,
        margin_s=model.margin_s,
        batch_build=model.batch_build,
        rate_rps=model.rate_rps,
    )
