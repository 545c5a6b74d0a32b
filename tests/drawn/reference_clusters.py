"""A plain exact reference for clusters: list all pipelines of every model, then all that a model can serve on any GPUs.

Written from the problem's definition alone; it shares no code with a solver, with the enumeration in `bruteforce` or
with the checker. A pipeline is a vector of virtual GPUs per place and type; what a model serves at most is found for
every vector of used capacity, from the empty one upwards. Models share nothing but the number of GPUs of each type.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from euclio.problems.pipeline import Cluster, Model, Objective, PipelineSpace

from .truth import NO_PLAN, TooLargeError, Truth

MOST_SHAPES = 20_000
MOST_STEPS = 3_000_000

Use = tuple[int, ...]
"""Units of capacity by place and type, entry place · types + type; a GPU is `per_gpu` units."""


class Part(NamedTuple):
    """What a partition needs of its place: type and share, seconds, and what one virtual GPU serves."""

    gpu: int
    share: int
    seconds: Fraction
    rate: Fraction


class Capacity(NamedTuple):
    """GPUs of a cluster in units, the number of places, and whether GPUs count whole at each place."""

    per_gpu: int
    counts: tuple[int, ...]
    places: int
    whole: bool

    def by_type(self, use: Use) -> tuple[int, ...]:
        """Units of each type that a use takes from the cluster."""
        types = len(self.counts)
        step = self.per_gpu if self.whole else 1
        return tuple(sum(math.ceil(Fraction(n, step)) * step for n in use[g::types]) for g in range(types))

    def fits(self, use: Use) -> bool:
        """Whether the cluster has as much."""
        return all(n <= count * self.per_gpu for n, count in zip(self.by_type(use), self.counts, strict=True))


def cluster_truth(cluster: Cluster, space: PipelineSpace) -> Truth:
    """The optimum of a cluster in a plan space.

    Raises:
        TooLargeError: there is too much to list.
    """
    shares = [p.share for m in cluster.models for p in m.profiles if p.share == 1 or space.virtual_gpus]
    capacity = Capacity(
        math.lcm(1, *shares), tuple(gpu.count for gpu in cluster.gpus), _most_places(cluster, space), space.whole_gpus
    )
    served = [_served(cluster, model, space, capacity) for model in cluster.models]
    best = _most_throughput(served, cluster, capacity)
    if space.objective is Objective.COST:
        best = _least_cost(served, cluster, capacity)
    return NO_PLAN if best is None else Truth(best, best)


def _most_places(cluster: Cluster, space: PipelineSpace) -> int:
    wanted = cluster.max_partitions if space.max_partitions is None else space.max_partitions
    return min(wanted, max(len(model.transfer_s_per_request) + 1 for model in cluster.models))


def _served(
    cluster: Cluster, model: Model, space: PipelineSpace, capacity: Capacity
) -> dict[tuple[int, ...], Fraction]:
    """What a model serves at most on any units of each type; what others reach with less is left out."""
    options = _options(cluster, model, space, capacity)
    scale = math.lcm(1, *(rate.denominator for rates in options.values() for rate in rates.values()))
    scaled = {seq: {use: int(rate * scale) for use, rate in rates.items()} for seq, rates in options.items()}
    nothing = (0,) * (capacity.places * len(capacity.counts))
    reached = (
        _once_each(nothing, scaled, capacity) if space.one_per_sequence else _any_number(nothing, scaled, capacity)
    )
    best: dict[tuple[int, ...], int] = {}
    for use, rate in reached.items():
        units = capacity.by_type(use)
        best[units] = max(rate, best.get(units, 0))
    kept: dict[tuple[int, ...], Fraction] = {}
    for units, rate in sorted(best.items(), key=lambda item: (-item[1], sum(item[0]))):
        if rate and not any(all(a <= b for a, b in zip(other, units, strict=True)) for other in kept):
            kept[units] = Fraction(rate, scale)
    return kept


Options = dict[tuple[int, ...], dict[Use, int]]
"""By sequence of types, by use, the most that one pipeline serves."""


def _any_number(nothing: Use, options: Options, capacity: Capacity) -> dict[Use, int]:
    """Every use that pipelines add up to, and the most that they serve: from the smallest use upwards."""
    flat = [(use, rate) for rates in options.values() for use, rate in rates.items()]
    most = sum(capacity.counts) * capacity.per_gpu * capacity.places
    levels: list[dict[Use, int]] = [{} for _ in range(most + 1)]
    levels[0][nothing] = 0
    steps = 0
    for level in levels:
        for use, served in level.items():
            for added, rate in flat:
                steps += 1
                total = tuple(a + b for a, b in zip(use, added, strict=True))
                _keep(levels, total, served + rate, capacity)
            if steps > MOST_STEPS:
                raise TooLargeError
    return {use: served for level in levels for use, served in level.items()}


def _keep(levels: list[dict[Use, int]], use: Use, served: int, capacity: Capacity) -> None:
    size = sum(use)
    if size >= len(levels):
        return
    known = levels[size].get(use)
    if known is None:
        if capacity.fits(use):
            levels[size][use] = served
    elif served > known:
        levels[size][use] = served


def _once_each(nothing: Use, options: Options, capacity: Capacity) -> dict[Use, int]:
    """Most requests served per use of GPUs, with at most one pipeline on each sequence of types."""
    reached = {nothing: 0}
    steps = 0
    for rates in options.values():
        after = dict(reached)
        for use, served in reached.items():
            for added, rate in rates.items():
                steps += 1
                total = tuple(a + b for a, b in zip(use, added, strict=True))
                known = after.get(total)
                if (known is None and capacity.fits(total)) or (known is not None and served + rate > known):
                    after[total] = served + rate
            if steps > MOST_STEPS:
                raise TooLargeError
        reached = after
    return reached


def _options(
    cluster: Cluster, model: Model, space: PipelineSpace, capacity: Capacity
) -> dict[tuple[int, ...], dict[Use, Fraction]]:
    """By sequence of types, every use of one pipeline that no other matches with less, and what it serves at most."""
    shapes: dict[tuple[tuple[int, int], ...], set[tuple[Fraction, ...]]] = {}
    for count, parts in enumerate(_shapes(cluster, model, space, capacity.places)):
        if count > MOST_SHAPES:
            raise TooLargeError
        key = tuple((part.gpu, part.share) for part in parts)
        shapes.setdefault(key, set()).add(tuple(part.rate for part in parts))
    found: dict[tuple[int, ...], dict[Use, Fraction]] = {}
    for key, rates in shapes.items():
        best = found.setdefault(tuple(gpu for gpu, _ in key), {})
        for vector in rates:
            if not any(other != vector and all(a >= b for a, b in zip(other, vector, strict=True)) for other in rates):
                for use, served in _sizes(key, vector, capacity):
                    best[use] = max(served, best.get(use, Fraction(0)))
    return {seq: _undominated(rates) for seq, rates in found.items()}


def _undominated(rates: dict[Use, Fraction]) -> dict[Use, Fraction]:
    kept: dict[Use, Fraction] = {}
    for use, rate in sorted(rates.items(), key=lambda item: (-item[1], sum(item[0]))):
        if not any(all(a <= b for a, b in zip(other, use, strict=True)) for other in kept):
            kept[use] = rate
    return kept


def _sizes(
    key: tuple[tuple[int, int], ...], rates: tuple[Fraction, ...], capacity: Capacity
) -> Iterator[tuple[Use, Fraction]]:
    """Virtual GPUs per place for every throughput that some place can just serve: more of them would be idle."""
    types = len(capacity.counts)
    throughputs = {
        n * rate
        for (gpu, share), rate in zip(key, rates, strict=True)
        for n in range(1, capacity.counts[gpu] * share + 1)
    }
    for throughput in throughputs:
        use = [0] * (capacity.places * types)
        for place, ((gpu, share), rate) in enumerate(zip(key, rates, strict=True)):
            use[place * types + gpu] = math.ceil(throughput / rate) * (capacity.per_gpu // share)
        if capacity.fits(tuple(use)):
            yield tuple(use), throughput


def _shapes(cluster: Cluster, model: Model, space: PipelineSpace, places: int) -> Iterator[tuple[Part, ...]]:
    """Cuts, types, shares and batches of every pipeline that is in time."""
    blocks = len(model.transfer_s_per_request) + 1
    budget = model.slo_s - model.margin_s
    unified = cluster.unify_batch if space.unify_batch is None else space.unify_batch
    longest = max(len(row) for profile in model.profiles for row in profile.latency_s)
    build = model.batch_build if space.batch_build else None

    def extend(first: int, batch: int | None, seconds: Fraction, parts: tuple[Part, ...]) -> Iterator[tuple[Part, ...]]:
        if seconds > budget:
            return
        if first == blocks:
            yield parts
            return
        if len(parts) == places:
            return
        for last, b in product(range(first, blocks), range(1, longest + 1)):
            if unified and batch is not None and b != batch:
                continue
            wait = Fraction(0)
            if not parts and build is not None:
                wait = build.factor * (b - 1) / build.rate_rps
            if last + 1 < blocks:
                wait += model.transfer_s_per_request[last] * b
            for part in _parts(cluster, model, space, first, last, b):
                yield from extend(last + 1, b, seconds + wait + part.seconds, (*parts, part))

    return extend(0, None, Fraction(0), ())


def _parts(cluster: Cluster, model: Model, space: PipelineSpace, first: int, last: int, batch: int) -> Iterator[Part]:
    """Every type and share that these blocks are measured on at a batch."""
    transfers = []
    if first > 0:
        transfers.append(model.transfer_s_per_request[first - 1])
    if last < len(model.transfer_s_per_request):
        transfers.append(model.transfer_s_per_request[last])
    for profile in model.profiles:
        rows = profile.latency_s[first : last + 1]
        if (profile.share > 1 and not space.virtual_gpus) or any(len(row) < batch for row in rows):
            continue
        number = next(i for i, gpu in enumerate(cluster.gpus) if gpu.name == profile.gpu)
        seconds = sum((row[batch - 1] for row in rows), Fraction(0))
        rate = batch / seconds
        for transfer in transfers:
            if transfer:  # the virtual GPUs of all GPUs of a server share its link
                rate = min(rate, 1 / (transfer * profile.share * cluster.gpus[number].gpus_per_server))
        yield Part(number, profile.share, seconds, rate)


def _choices(
    served: list[dict[tuple[int, ...], Fraction]], capacity: Capacity
) -> Iterator[tuple[tuple[int, ...], tuple[Fraction, ...]]]:
    """One entry of every model such that the cluster has the units; the units in all, and what each model is served."""
    limits = [count * capacity.per_gpu for count in capacity.counts]
    together: list[tuple[tuple[int, ...], tuple[Fraction, ...]]] = [((0,) * len(limits), ())]
    for one in served:
        added = [
            (tuple(a + b for a, b in zip(before, own, strict=True)), (*rates, rate))
            for before, rates in together
            for own, rate in one.items()
        ]
        together = [entry for entry in added if all(n <= most for n, most in zip(entry[0], limits, strict=True))]
    return iter(together)


def _most_throughput(
    served: list[dict[tuple[int, ...], Fraction]], cluster: Cluster, capacity: Capacity
) -> Fraction | None:
    weights = [model.weight for model in cluster.models]
    values = (min(r / w for r, w in zip(rates, weights, strict=True)) for _, rates in _choices(served, capacity))
    return max(values, default=None)


def _least_cost(served: list[dict[tuple[int, ...], Fraction]], cluster: Cluster, capacity: Capacity) -> Fraction | None:
    needed = [model.rate_rps for model in cluster.models]
    enough = [
        {units: rate for units, rate in one.items() if need is not None and rate >= need}
        for one, need in zip(served, needed, strict=True)
    ]
    prices = [gpu.price_per_h or Fraction(0) for gpu in cluster.gpus]
    costs = (
        sum((p * n for p, n in zip(prices, units, strict=True)), Fraction(0)) / capacity.per_gpu
        for units, _ in _choices(enough, capacity)
    )
    return min(costs, default=None)
