"""Options of the places of a pipeline: what p and g of PPipe's models are indexed by (appendix, Tables 3 and 5).

Left out in exact arithmetic, and no optimum is lost: options that no choice for the other places brings within the
budget. The most virtual GPUs of an option are the smaller of what its type has left once every other place of the
pipeline has its least, and of what reaches the throughput that the pipeline cannot exceed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from euclio.problems.pipeline import Cluster, Model, PipelineSpace

Measured = tuple[int, int, int, int, Fraction]
"""A measured partition: share, batch, first block, end, latency in seconds."""


@dataclass(frozen=True, slots=True)
class Option:
    """One way to run a place of a pipeline.

    Attributes:
        name: v, b, i, j as they stand in the names of variables.
        share: v.
        batch: b.
        first: first block, i.
        end: first block after it, j.
        latency_s: seconds of the partition, the transfer behind it and, at the first place, the batch-build delay.
        rate_rps: X, requests per second of one virtual GPU, within what the links carry.
        most_gpus: G, the most virtual GPUs that are of use.
    """

    name: str
    share: int
    batch: int
    first: int
    end: int
    latency_s: Fraction
    rate_rps: Fraction
    most_gpus: int = 0


def partitions_on(model: Model, gpu: str, space: PipelineSpace) -> Iterator[Measured]:
    """Every measured partition of a model on a GPU type that the plan space allows."""
    for profile in model.profiles:
        if profile.gpu != gpu or (profile.share != 1 and not space.virtual_gpus):
            continue
        rows = profile.latency_s
        for batch in range(1, max(map(len, rows)) + 1):
            for first in range(model.blocks):
                total = Fraction(0)
                for end in range(first + 1, model.blocks + 1):
                    if len(rows[end - 1]) < batch:
                        break
                    total += rows[end - 1][batch - 1]
                    yield profile.share, batch, first, end, total


def options_of(
    cluster: Cluster,
    model: Model,
    place: tuple[str, int, bool],
    partitions: list[Measured],
    space: PipelineSpace,
) -> list[Option]:
    """All options of a place that the plan space allows, before any is left out.

    Args:
        cluster: the cluster.
        model: the model.
        place: the place's GPU type, its number d in the pipeline, and whether it is the last one.
        partitions: the model's measured partitions on that GPU type.
        space: plan space.
    """
    found = []
    gpu, d, last = place
    per_server = cluster.gpu(gpu).gpus_per_server
    for share, batch, first, end, own in partitions:
        if (first == 0) != (d == 0) or (end == model.blocks) != last:
            continue
        latency, rate = own, batch / own
        before = model.transfer_s_per_request[first - 1] if d else Fraction(0)
        after = Fraction(0) if last else model.transfer_s_per_request[end - 1]
        for transfer in (before, after):
            if transfer:
                rate = min(rate, 1 / (transfer * share * per_server))
        latency += after * batch
        if d == 0 and space.batch_build and model.batch_build is not None:
            latency += model.batch_build.delay_s(batch)
        found.append(Option(f"{d}_v{share}_b{batch}_{first}_{end}", share, batch, first, end, latency, rate))
    return found


def within_budget(places: list[list[Option]], model: Model, unified: bool) -> list[list[Option]]:
    """The options that some choice for the other places brings within the budget."""
    if not unified:
        return _completable(places, model)
    kept: list[list[Option]] = [[] for _ in places]
    for batch in sorted({option.batch for option in places[0]}):
        chains = _completable([[o for o in options if o.batch == batch] for options in places], model)
        for all_kept, options in zip(kept, chains, strict=True):
            all_kept += options
    return kept


def _completable(places: list[list[Option]], model: Model) -> list[list[Option]]:
    """The options of each place that options of all other places complete to a pipeline within the budget."""
    ahead: list[dict[int, Fraction]] = [{0: Fraction(0)}]
    for options in places:
        least: dict[int, Fraction] = {}
        for o in options:
            if o.first in ahead[-1]:
                total = ahead[-1][o.first] + o.latency_s
                least[o.end] = min(least.get(o.end, total), total)
        ahead.append(least)
    behind: list[dict[int, Fraction]] = [{model.blocks: Fraction(0)}]
    for options in reversed(places):
        least = {}
        for o in options:
            if o.end in behind[-1]:
                total = behind[-1][o.end] + o.latency_s
                least[o.first] = min(least.get(o.first, total), total)
        behind.append(least)
    behind.reverse()
    return [
        [
            o
            for o in options
            if o.first in ahead[d]
            and o.end in behind[d + 1]
            and ahead[d][o.first] + o.latency_s + behind[d + 1][o.end] <= model.budget_s
        ]
        for d, options in enumerate(places)
    ]


def limited(
    cluster: Cluster, sequence: Sequence[str], places: list[list[Option]], space: PipelineSpace
) -> tuple[tuple[tuple[Option, ...], ...], Fraction]:
    """The options with their most virtual GPUs, and the most throughput of the pipeline."""
    if not all(places):
        return tuple(() for _ in places), Fraction(0)
    least = [Fraction(1 if space.whole_gpus else Fraction(1, max(o.share for o in options))) for options in places]
    most: list[list[int]] = []
    for d, options in enumerate(places):
        others = sum((need for e, need in enumerate(least) if e != d and sequence[e] == sequence[d]), Fraction(0))
        left = cluster.gpu(sequence[d]).count - others
        most.append([math.floor(left * o.share) for o in options])
    through = [
        max(o.rate_rps * n for o, n in zip(options, counts, strict=True))
        for options, counts in zip(places, most, strict=True)
    ]
    rate = min(through)
    limited = tuple(
        tuple(
            replace(o, most_gpus=min(n, math.ceil(rate / o.rate_rps)))
            for o, n in zip(options, counts, strict=True)
            if n >= 1
        )
        for options, counts in zip(places, most, strict=True)
    )
    return limited if rate > 0 else tuple(() for _ in places), rate
