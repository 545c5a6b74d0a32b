"""Every pipeline of a model that a cluster can run within the SLO, one by one, in exact arithmetic.

A pipeline is its cuts, a GPU type, a share and a number of virtual GPUs per place, and its batch sizes. Of those on one
sequence of GPU types that use the same GPUs at the same places, only the one with the most throughput is kept, and none
that another one matches with fewer GPUs, which could take its place in every plan.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import NamedTuple

from euclio.problems.pipeline import Cluster, Model, Partition, Pipeline, PipelineSpace

Use = tuple[int, ...]
"""GPUs used, in units of 1/L, by place and GPU type: entry place · types + type."""


class UsedPipeline(NamedTuple):
    """A pipeline with the GPUs that it uses and its throughput in requests per second."""

    use: Use
    rate_rps: Fraction
    pipeline: Pipeline


class _Layout(NamedTuple):
    """A pipeline without its numbers of virtual GPUs: what each of its places runs, and on what.

    Attributes:
        sequence: GPU type of each place.
        shares: share v of a GPU at each place, one virtual GPU being 1/v of a GPU.
        ranges: first and last block of each place.
        sizes: batch size of each place.
    """

    sequence: tuple[str, ...]
    shares: tuple[int, ...]
    ranges: list[tuple[int, int]]
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Units:
    """GPUs of a cluster in units of 1/L, L such that every share of a GPU is a whole number of units.

    Attributes:
        per_gpu: L.
        whole: whether GPUs count whole per place.
        most: units of each type.
    """

    per_gpu: int
    whole: bool
    most: tuple[int, ...]

    def by_type(self, use: Use) -> tuple[int, ...]:
        """Units of each type that a use takes away: whole GPUs per place, or as used where fractions are added up."""
        types, unit = len(self.most), self.per_gpu if self.whole else 1
        return tuple(sum(-(-used // unit) * unit for used in use[k::types]) for k in range(types))

    def fits(self, use: Use) -> bool:
        """Whether the cluster has the GPUs that a use takes away."""
        return all(n <= most for n, most in zip(self.by_type(use), self.most, strict=True))


def units_of(cluster: Cluster, space: PipelineSpace) -> Units:
    """The units of a cluster in a plan space."""
    per_gpu = math.lcm(*(profile.share for model in cluster.models for profile in model.profiles))
    return Units(per_gpu, space.whole_gpus, tuple(gpu.count * per_gpu for gpu in cluster.gpus))


def pipelines_by_sequence(
    cluster: Cluster, model: Model, space: PipelineSpace
) -> dict[tuple[str, ...], list[UsedPipeline]]:
    """The pipelines of a model that are worth using, by sequence of GPU types (empty: none)."""
    names = [gpu.name for gpu in cluster.gpus]
    found: dict[tuple[str, ...], list[UsedPipeline]] = {}
    for places in range(1, space.most_partitions(cluster) + 1):
        for sequence in product(names, repeat=places):
            best: dict[Use, UsedPipeline] = {}
            for one in _on_sequence(cluster, model, sequence, space):
                # On the same GPUs only the most throughput matters; ties keep the first.
                if one.use not in best or one.rate_rps > best[one.use].rate_rps:
                    best[one.use] = one
            found[sequence] = _unmatched(list(best.values()))
    return found


def shape_count(cluster: Cluster, model: Model, space: PipelineSpace) -> int:
    """An upper bound on the number of a model's pipelines that are looked at."""
    total = 0
    for places in range(1, space.most_partitions(cluster) + 1):
        cuts = math.comb(model.blocks - 1, places - 1)
        for sequence in product(cluster.gpus, repeat=places):
            choices = [_profiles(model, gpu.name, space) for gpu in sequence]
            batches = max((batch for found in choices for _, batch in found), default=0)
            counts = [sum(gpu.count * v for v, _ in found) for gpu, found in zip(sequence, choices, strict=True)]
            total += cuts * math.prod(counts) * batches ** (1 if space.unifies_batch(cluster) else places)
    return total


def _profiles(model: Model, gpu: str, space: PipelineSpace) -> list[tuple[int, int]]:
    """Shares at which a model was measured on a GPU type, each with its largest batch; none: it was not measured."""
    return [
        (profile.share, max(map(len, profile.latency_s)))
        for profile in model.profiles
        if profile.gpu == gpu and (space.virtual_gpus or profile.share == 1)
    ]


def _on_sequence(
    cluster: Cluster, model: Model, sequence: tuple[str, ...], space: PipelineSpace
) -> Iterator[UsedPipeline]:
    """Every pipeline of a model on a sequence of GPU types that keeps its SLO and fits into the cluster."""
    choices = [_profiles(model, gpu, space) for gpu in sequence]
    if not all(choices):
        return
    batches = range(1, max(batch for found in choices for _, batch in found) + 1)
    same = space.unifies_batch(cluster)
    for cuts in combinations(range(1, model.blocks), len(sequence) - 1):
        ranges = [(first, end - 1) for first, end in pairwise((0, *cuts, model.blocks))]
        for shares in product(*([v for v, _ in found] for found in choices)):
            for sizes in ((b,) * len(sequence) for b in batches) if same else product(batches, repeat=len(sequence)):
                layout = _Layout(sequence, shares, ranges, sizes)
                rates = _rates(cluster, model, layout, space)
                if rates is not None:
                    yield from _with_gpus(cluster, model, layout, rates, space)


def _rates(cluster: Cluster, model: Model, layout: _Layout, space: PipelineSpace) -> list[Fraction] | None:
    """Requests per second of one virtual GPU at each place of a pipeline, limits of the links included.

    Returns:
        The rates; None: a place was not measured, or the pipeline misses its SLO.
    """
    left = model.slo_s - model.margin_s
    sequence, shares, ranges, sizes = layout
    if space.batch_build and model.batch_build is not None:
        left -= model.batch_build.factor * (sizes[0] - 1) / model.batch_build.rate_rps
    rates = []
    for d, (gpu, v, (first, last), batch) in enumerate(zip(sequence, shares, ranges, sizes, strict=True)):
        latency = model.latency_s(gpu, v, first, last, batch)
        if latency is None:
            return None
        left -= latency
        rate = batch / latency
        # All virtual GPUs of a server share its link.
        on_link = v * cluster.gpu(gpu).gpus_per_server
        if d > 0:
            received = model.transfer_s_per_request[first - 1]
            rate = min(rate, 1 / (received * on_link)) if received else rate
        if d + 1 < len(sequence):
            sent = model.transfer_s_per_request[last]
            left -= sent * batch
            rate = min(rate, 1 / (sent * on_link)) if sent else rate
        rates.append(rate)
    return rates if left >= 0 else None


def _with_gpus(
    cluster: Cluster, model: Model, layout: _Layout, rates: list[Fraction], space: PipelineSpace
) -> Iterator[UsedPipeline]:
    """A pipeline with every number of virtual GPUs at its places that the cluster has.

    Args:
        cluster: the cluster.
        model: the model.
        layout: the pipeline.
        rates: requests per second of one virtual GPU at each place.
        space: plan space.
    """
    sequence, shares, ranges, sizes = layout
    names = [gpu.name for gpu in cluster.gpus]
    types, units = len(names), units_of(cluster, space)
    numbers = [range(1, cluster.gpu(gpu).count * v + 1) for gpu, v in zip(sequence, shares, strict=True)]
    for counts in product(*numbers):
        use = [0] * (types * space.most_partitions(cluster))
        for d, (gpu, v, n) in enumerate(zip(sequence, shares, counts, strict=True)):
            use[d * types + names.index(gpu)] = n * units.per_gpu // v
        if units.fits(tuple(use)):
            partitions = tuple(
                Partition(gpu, v, n, first, last, batch)
                for gpu, v, n, (first, last), batch in zip(sequence, shares, counts, ranges, sizes, strict=True)
            )
            rate = min(n * x for n, x in zip(counts, rates, strict=True))
            yield UsedPipeline(tuple(use), rate, Pipeline(model.name, partitions))


def _unmatched(pipelines: list[UsedPipeline]) -> list[UsedPipeline]:
    """The pipelines that no other one matches in throughput with no more GPUs at any place, by falling throughput."""
    kept: list[UsedPipeline] = []
    for one in sorted(pipelines, key=lambda p: (-p.rate_rps, sum(p.use), p.use)):
        # By falling throughput whatever matches a pipeline comes before it.
        if not any(all(a <= b for a, b in zip(other.use, one.use, strict=True)) for other in kept):
            kept.append(one)
    return kept
