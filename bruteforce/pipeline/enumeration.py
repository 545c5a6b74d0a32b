"""Solver `pipeline-bruteforce`: the best plan of a small cluster, by enumeration (docs/model/pipelines.md).

For each model, the solver lists sets of its pipelines sequence by sequence. A set has at most one pipeline per
sequence, or any number if the plan space allows it. Of the sets that use the same GPUs at the same places, the solver
keeps the one with the most throughput. Then it combines the sets of all models in every way that fits the cluster's
GPUs. Arithmetic is exact.

`every_sequence` demands one pipeline of every model on every sequence of GPU types, as PPipe's MILP is printed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import NamedTuple

from bruteforce.session.combination import TimeUpError
from euclio.core.errors import InapplicableError
from euclio.core.families import find_family
from euclio.core.registry import Limits
from euclio.core.result import Answer
from euclio.problems.pipeline import Cluster, Model, Objective, Partition, Pipeline, PipelinePlan, PipelineSpace

# Every pipeline of a model that a cluster can run within the SLO, one by one, in exact arithmetic.
#
# A pipeline is its cuts, a GPU type, a share and a number of virtual GPUs per place, and its batch sizes. Of the
# pipelines on one sequence of GPU types that use the same GPUs at the same places, only the one with the most
# throughput is kept. A pipeline is dropped if another one has as much throughput with fewer GPUs: the other could
# replace it in every plan.

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
    """The pipelines of a model that are worth using, by sequence of GPU types; a sequence may have none."""
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
    """Shares at which a model was measured on a GPU type, each with its largest batch; empty if it was not measured."""
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
        The rates; None if a place was not measured, or the pipeline misses its SLO.
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
        # In order of falling throughput, every pipeline that matches another one comes before it.
        if not any(all(a <= b for a, b in zip(other.use, one.use, strict=True)) for other in kept):
            kept.append(one)
    return kept


NAME = "pipeline-bruteforce"
MOST_PIPELINES = 2_000_000
"""Pipelines of all models beyond which the enumeration refuses to begin."""
MOST_SETS = 200_000
"""Sets of GPUs that a model may use beyond which the enumeration refuses to begin."""

Sets = dict[Use, tuple[Fraction, tuple[Pipeline, ...]]]
"""By the GPUs used, the most throughput of a model and its pipelines."""
Totals = dict[tuple[int, ...], tuple[Fraction, tuple[Pipeline, ...]]]
"""By GPUs of each type in units of 1/L, the smallest weighted throughput and the pipelines of all models."""


def solve_by_pipeline_enumeration(
    cluster: Cluster, space: PipelineSpace, limits: Limits[PipelinePlan], *, every_sequence: bool = False
) -> Answer[PipelinePlan]:
    """The best plan of a cluster, by enumeration.

    Args:
        cluster: the cluster.
        space: plan space.
        limits: time limit.
        every_sequence: demand a pipeline of each model on each sequence of GPU types. The answer is then no bound for
            the plan space. If no such plan exists, the space may still have others.

    Raises:
        InapplicableError: there is too much to list.
        InputError: the objective is the least cost, and a price or a load is missing.
    """
    _require_small(cluster, space)
    find_family("pipeline").check_space(cluster, space)
    deadline = limits.deadline()
    enumeration = _ClusterEnumeration(cluster, space, deadline, every_sequence, units_of(cluster, space))
    try:
        totals = enumeration.totals()
    except TimeUpError:
        return Answer(None, "time limit", reason="the time limit was reached before every plan was seen")
    value, pipelines = enumeration.best(totals) if totals else (Fraction(0), ())
    if not pipelines:
        how = ", with a pipeline on every sequence of GPU types" if every_sequence else ""
        reason = f"no plan serves every model within its SLO on these GPUs{how}"
        return Answer(None, "exhausted", infeasible=not every_sequence, reason=reason)
    bound = None if every_sequence else float(value)
    return Answer(PipelinePlan(pipelines), "exhausted", float(value), bound, stats={"sets": float(enumeration.sets)})


@dataclass(slots=True)
class _ClusterEnumeration:
    """The enumeration of one cluster's plans.

    Attributes:
        cluster: the cluster.
        space: plan space.
        deadline: `time.perf_counter` value at which to give up.
        every_sequence: whether each sequence has to be used.
        units: what GPUs are counted in.
        sets: sets of pipelines looked at.
    """

    cluster: Cluster
    space: PipelineSpace
    deadline: float
    every_sequence: bool
    units: Units
    sets: int = 0

    def totals(self) -> Totals:
        """All models together: the best there is for each number of GPUs.

        Raises:
            TimeUpError: the deadline has passed.
        """
        most = self.units.most
        # Below 0 stands for no model yet: the first one's throughput then is the smallest.
        totals: Totals = {(0,) * len(most): (Fraction(-1), ())}
        for model in self.cluster.models:
            alone: Totals = {}
            for use, (rate, pipelines) in self.sets_of(model).items():
                needed = model.rate_rps if self.space.objective is Objective.COST else None
                # A plan serves every model, and under least cost its load.
                if rate >= (needed or 0) and rate > 0:
                    _keep(alone, self.units.by_type(use), rate / model.weight, pipelines)
            together: Totals = {}
            for a, (low, first) in totals.items():
                for b, (rate, second) in alone.items():
                    units = tuple(x + y for x, y in zip(a, b, strict=True))
                    # GPUs are only added, so a set that does not fit now never fits later.
                    if all(n <= limit for n, limit in zip(units, most, strict=True)):
                        _keep(together, units, rate if low < 0 else min(low, rate), first + second)
            totals = together
        return totals

    def sets_of(self, model: Model) -> Sets:
        """Sets of a model's pipelines that fit into the cluster."""
        nothing = (0,) * (len(self.cluster.gpus) * self.space.most_partitions(self.cluster))
        sets: Sets = {nothing: (Fraction(0), ())}
        for pipelines in pipelines_by_sequence(self.cluster, model, self.space).values():
            added = self._added(sets.items(), pipelines)
            # Every sequence is demanded, so sets without one of its pipelines go.
            if self.every_sequence:
                sets = added
                continue
            # A sequence may have any number of pipelines: stop when one more improves no set. The GPUs bound the
            # number.
            while added:
                better = {use: found for use, found in added.items() if use not in sets or found[0] > sets[use][0]}
                sets.update(better)
                added = {} if self.space.one_per_sequence else self._added(better.items(), pipelines)
        return sets

    def _added(
        self, sets: Iterable[tuple[Use, tuple[Fraction, tuple[Pipeline, ...]]]], pipelines: list[UsedPipeline]
    ) -> Sets:
        """The sets that adding one of the pipelines to one of the sets makes, the best for each use of GPUs."""
        found: Sets = {}
        for use, (rate, chosen) in sets:
            if time.perf_counter() > self.deadline:
                raise TimeUpError
            for one in pipelines:
                self.sets += 1
                total = tuple(a + b for a, b in zip(use, one.use, strict=True))
                if self.units.fits(total):
                    _keep(found, total, rate + one.rate_rps, (*chosen, one.pipeline))
        return found

    def best(self, totals: Totals) -> tuple[Fraction, tuple[Pipeline, ...]]:
        """Value and pipelines of the best plan: most throughput, or least cost per hour."""
        if self.space.objective is Objective.THROUGHPUT:
            return max(totals.values(), key=lambda found: found[0])
        prices = [(gpu.price_per_h or Fraction(0)) / self.units.per_gpu for gpu in self.cluster.gpus]
        costs = {units: sum((p * n for p, n in zip(prices, units, strict=True)), Fraction(0)) for units in totals}
        cheapest = min(costs, key=lambda units: costs[units])
        return costs[cheapest], totals[cheapest][1]


def _keep(
    found: dict[tuple[int, ...], tuple[Fraction, tuple[Pipeline, ...]]],
    key: tuple[int, ...],
    value: Fraction,
    pipelines: tuple[Pipeline, ...],
) -> None:
    # Strictly more: ties keep the plan that was found first.
    if key not in found or value > found[key][0]:
        found[key] = (value, pipelines)


def _require_small(cluster: Cluster, space: PipelineSpace) -> None:
    pipelines = sum(shape_count(cluster, model, space) for model in cluster.models)
    sets = math.prod(
        _use_count(gpu.count, units_of(cluster, space).per_gpu, space.most_partitions(cluster)) for gpu in cluster.gpus
    )
    if pipelines > MOST_PIPELINES or sets > MOST_SETS:
        raise InapplicableError(
            f"there are up to {pipelines} pipelines on {sets} sets of GPUs; {NAME} lists at most {MOST_PIPELINES} on "
            f"{MOST_SETS}; take fewer blocks, GPUs, shares or partitions"
        )


def _use_count(count: int, units: int, places: int) -> int:
    """Ways to use whole GPUs of one type at some places, each filled up to any unit."""
    ways = [1] + [0] * count
    for _ in range(places):
        ways = [ways[n] + units * sum(ways[:n]) for n in range(count + 1)]
    return sum(ways)
