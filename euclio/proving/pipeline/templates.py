"""All pipelines of a model that keep its latency objective, without their numbers of GPUs, in exact arithmetic (ours).

A template is a pipeline of which only the numbers of virtual GPUs are open: where the model is cut, and each
partition's GPU type, share and batch. Its latency does not depend on the numbers of GPUs.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np

from euclio.problems.pipeline.instance import BlockProfile, Cluster, Model
from euclio.problems.pipeline.space import PipelineSpace
from euclio.proving.effort import Effort


@dataclass(frozen=True, slots=True)
class Stage:
    """One partition of a template.

    Attributes:
        gpu: number of its GPU type in the cluster.
        share: v, each virtual GPU being the v-th part of a GPU.
        first: first block, from 0.
        last: last block, inclusive.
        batch: batch size.
        ticks: latency and the transfer to the next partition, in the model's unit of time.
        rate: requests per second of one virtual GPU, link limits included.
        rounded: the rate as a float.
    """

    gpu: int
    share: int
    first: int
    last: int
    batch: int
    ticks: int
    rate: Fraction
    rounded: float


@dataclass(frozen=True, slots=True)
class Template:
    """A pipeline that keeps its latency objective, with the numbers of virtual GPUs left open."""

    stages: tuple[Stage, ...]

    @property
    def sequence(self) -> tuple[int, ...]:
        """GPU types of the partitions in order."""
        return tuple(stage.gpu for stage in self.stages)

    @property
    def slowest(self) -> Fraction:
        """The least rate of a virtual GPU: what the pipeline serves at least."""
        return min(stage.rate for stage in self.stages)


def templates(cluster: Cluster, model: Model, space: PipelineSpace, effort: Effort) -> list[Template]:
    """All templates of a model in a plan space, except those that another one replaces at no cost.

    One replaces another if it has the same GPU types and shares in order and every rate is at least as high: the same
    numbers of virtual GPUs then serve at least as much on the same GPUs.

    Raises:
        GivenUpError: the deadline passed.
    """
    stages = _Stages(cluster, model, space)
    most = min(space.most_partitions(cluster), model.blocks)
    alike: dict[tuple[tuple[int, int], ...], list[Template]] = defaultdict(list)
    for length in range(1, most + 1):
        for cuts in combinations(range(1, model.blocks), length - 1):
            ends = (0, *cuts, model.blocks)
            effort.check()
            for chain in _chains(stages, [(a, b - 1) for a, b in pairwise(ends)], effort):
                alike[tuple((stage.gpu, stage.share) for stage in chain)].append(Template(chain))
    return [best for found in alike.values() for best in _undominated(found, effort)]


class _Stages:
    """Stages of a model by range of blocks, and the time that is left for them by the first one's batch."""

    def __init__(self, cluster: Cluster, model: Model, space: PipelineSpace) -> None:
        self.model = model
        self.unified = space.unifies_batch(cluster)
        self._build = model.batch_build if space.batch_build else None
        self._servers = {gpu.name: gpu.gpus_per_server for gpu in cluster.gpus}
        self._numbers = {gpu.name: i for i, gpu in enumerate(cluster.gpus)}
        self._profiles = [p for p in model.profiles if space.virtual_gpus or p.share == 1]
        times = [x for p in self._profiles for row in p.latency_s for x in row] + list(model.transfer_s_per_request)
        self._unit = math.lcm(*(x.denominator for x in times))
        self._found: dict[tuple[int, int], list[Stage]] = {}

    def of(self, first: int, last: int) -> list[Stage]:
        """All stages that run a given range of blocks."""
        if (first, last) not in self._found:
            self._found[first, last] = [s for p in self._profiles for s in self._on(p, first, last)]
        return self._found[first, last]

    def budget(self, batch: int) -> int:
        """Ticks that a pipeline with a first batch of this size may take, rounded down."""
        delay = self._build.delay_s(batch) if self._build is not None else Fraction(0)
        return math.floor((self.model.budget_s - delay) * self._unit)

    def _on(self, profile: BlockProfile, first: int, last: int) -> Iterator[Stage]:
        model, rows = self.model, profile.latency_s[first : last + 1]
        before = model.transfer_s_per_request[first - 1] if first else Fraction(0)
        after = model.transfer_s_per_request[last] if last + 1 < model.blocks else Fraction(0)
        # A batch counts where the blocks of this very partition have it measured; the others may have less.
        for batch in range(1, min(len(row) for row in rows) + 1):
            own = sum((row[batch - 1] for row in rows), Fraction(0))
            links = [1 / (x * profile.share * self._servers[profile.gpu]) for x in (before, after) if x]
            ticks = (own + after * batch) * self._unit
            rate = min([batch / own, *links])
            yield Stage(
                self._numbers[profile.gpu],
                profile.share,
                first,
                last,
                batch,
                ticks.numerator,
                rate,
                float(rate),
            )


def _chains(stages: _Stages, ranges: list[tuple[int, int]], effort: Effort) -> Iterator[tuple[Stage, ...]]:
    """All chains of stages on given ranges of blocks whose latency is within the SLO."""
    options = [stages.of(*blocks) for blocks in ranges]
    for head in options[0]:
        effort.check()
        rest = options[1:]
        if stages.unified:
            rest = [[s for s in level if s.batch == head.batch] for level in rest]
        if all(rest):
            # The least time of the later ranges, so that no chain begins that cannot fit.
            least = [0]
            for level in reversed(rest):
                least.append(least[-1] + min(s.ticks for s in level))
            yield from _longer((head,), rest, stages.budget(head.batch) - head.ticks, least[::-1])


def _longer(
    chain: tuple[Stage, ...], rest: list[list[Stage]], ticks: int, least: list[int]
) -> Iterator[tuple[Stage, ...]]:
    # The later ranges take at least more than is left of the budget.
    if ticks < least[0]:
        return
    if not rest:
        yield chain
        return
    for stage in rest[0]:
        yield from _longer((*chain, stage), rest[1:], ticks - stage.ticks, least[1:])


def _undominated(found: list[Template], effort: Effort) -> list[Template]:
    """Those for which no other one has all rates at least as high; of equal ones one stays."""
    # Rounding to the nearest float keeps the order of fractions, but for those that become the same.
    rounded = np.array([[stage.rounded for stage in template.stages] for template in found])
    kept: list[int] = []
    # In descending order a template comes after those that replace it.
    for i in np.lexsort(-rounded.T[::-1]):
        effort.check()
        above = np.flatnonzero((rounded[kept] >= rounded[i]).all(axis=1))
        if not any(_replaces(found[kept[j]], found[i]) for j in above):
            kept.append(int(i))
    return [found[i] for i in kept]


def _replaces(other: Template, template: Template) -> bool:
    return all(a.rate >= b.rate for a, b in zip(other.stages, template.stages, strict=True))
