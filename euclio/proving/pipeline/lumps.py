"""The ways to use one pipeline: numbers of virtual GPUs that leave none of them out of use (ours).

A lump is a template with numbers of virtual GPUs none of which can fall without serving less. For every plan there is
one of lumps that serves as much on no more GPUs, so the search covers only lumps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from euclio.proving.effort import Effort, GivenUpError
from euclio.proving.pipeline.demand import Demand
from euclio.proving.pipeline.templates import Stage, Template

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

MOST_LUMPS = 100_000
"""Most virtual GPUs of a partition."""

MOST_REMEMBERED = 1_000_000
"""Lumps that are kept for the next question; others are made again."""

MOST_GPUS = 1e9
"""More GPUs than any cluster has."""

NEAR = 1e-9
"""A quotient this close to a whole number, relatively, is decided in fractions."""


@dataclass(frozen=True, slots=True)
class Lumps:
    """Lumps as arrays, in order of their groups; of each group at most one can be in a plan.

    Attributes:
        served: throughput of each as a part of the demand.
        use: GPUs that each uses of each pool, as fractions.
        virtual: virtual GPUs of each partition, 0 beyond the last.
        template: number of each one's template.
        group: number of each one's group.
    """

    served: Floats
    use: Floats
    virtual: Whole
    template: Whole
    group: Whole

    def only(self, chosen: Whole | NDArray[np.bool_]) -> Lumps:
        """Some of them."""
        return Lumps(
            self.served[chosen], self.use[chosen], self.virtual[chosen], self.template[chosen], self.group[chosen]
        )


def joined(parts: Sequence[Lumps]) -> Lumps:
    """One after another."""
    return Lumps(
        np.concatenate([part.served for part in parts]),
        np.concatenate([part.use for part in parts]),
        np.concatenate([part.virtual for part in parts]),
        np.concatenate([part.template for part in parts]),
        np.concatenate([part.group for part in parts]),
    )


class LumpMaker:
    """Makes the lumps of a model's templates, each template's once.

    Args:
        templates: the model's templates.
        groups: the group of each template.
        pools: the pool that a partition draws on, by position and GPU type, and their number.
        counts: GPUs there are of each type.
        demand: the model's demand.
    """

    def __init__(
        self,
        templates: Sequence[Template],
        groups: Sequence[int],
        pools: Sequence[Sequence[int]],
        counts: Sequence[int],
        demand: Demand,
    ) -> None:
        self._templates, self._groups, self._pools, self._counts = templates, groups, pools, counts
        self._demand = demand
        self._width = max(map(max, pools)) + 1
        self._made: dict[int, tuple[Floats, Floats, Whole]] = {}
        self._remembered = 0
        self.fluid = self._fluid()
        """One lump per template that meets the demand with fractions of virtual GPUs; lumps use no less per request."""
        self.least = np.array([min(1.0, float(t.slowest / demand.rate)) for t in templates])
        """The least that a lump of each template serves."""

    def lumps(self, numbers: Sequence[int], effort: Effort) -> Lumps:
        """All lumps of these templates, given in order of their groups.

        Raises:
            GivenUpError: the deadline passed.
        """
        parts = []
        for number in numbers:
            made = self._made.get(number)
            if made is None:
                effort.check()
                made = self._make(self._templates[number])
                self._remembered += len(made[0])
                # Memory is bounded: later lumps are made again each time.
                if self._remembered <= MOST_REMEMBERED:
                    self._made[number] = made
            parts.append(made)
        sizes = [len(part[0]) for part in parts]
        template = np.repeat(np.array(numbers, np.int64), sizes)
        return Lumps(
            np.concatenate([np.empty(0), *(part[0] for part in parts)]),
            np.concatenate([np.empty((0, self._width)), *(part[1] for part in parts)]),
            np.concatenate([np.empty((0, len(self._pools)), np.int64), *(part[2] for part in parts)]),
            template,
            np.array(self._groups, np.int64)[template] if len(template) else template,
        )

    def _fluid(self) -> Lumps:
        use = np.zeros((len(self._templates), self._width))
        for i, template in enumerate(self._templates):
            for k, stage in enumerate(template.stages):
                need = self._demand.rate / (stage.rate * stage.share)
                use[i, self._pools[k][stage.gpu]] += min(float(need), MOST_GPUS)
        numbers = np.arange(len(self._templates))
        virtual = np.zeros((len(numbers), len(self._pools)), np.int64)
        return Lumps(np.ones(len(numbers)), use, virtual, numbers, numbers)

    def _make(self, template: Template) -> tuple[Floats, Floats, Whole]:
        stages = template.stages
        rows = np.concatenate([self._led_by(stages, k) for k in range(len(stages))])
        most = np.array([self._counts[s.gpu] * s.share for s in stages])
        # More virtual GPUs than the cluster has of a type are in no plan; without them sums stay far below 64 bits.
        rows = rows[(rows <= most).all(axis=1)]
        # A lump that serves more uses no fewer of any, so different lumps differ in their sum.
        rows = rows[np.unique(rows.sum(axis=1), return_index=True)[1]]
        parts = [float(s.rate / self._demand.rate) for s in stages]
        use = np.zeros((len(rows), self._width))
        virtual = np.zeros((len(rows), len(self._pools)), np.int64)
        for k, stage in enumerate(stages):
            virtual[:, k] = rows[:, k]
            use[:, self._pools[k][stage.gpu]] += rows[:, k] / stage.share
        # More than the demand counts as the demand, so that one plentiful pipeline does not blur the others.
        served = np.minimum(np.min(rows * np.minimum(np.array(parts), 1.0), axis=1), 1.0)
        return served, use, virtual

    def _led_by(self, stages: tuple[Stage, ...], lead: int) -> Whole:
        """Numbers of virtual GPUs where this partition's, from 1 on, determine the throughput."""
        rate = stages[lead].rate
        # The first number that meets the demand alone is the last that matters.
        enough = int(self._demand.rate / rate) + 1
        most = min(enough, self._counts[stages[lead].gpu] * stages[lead].share)
        if most > MOST_LUMPS:
            raise GivenUpError(f"a partition may have {most} virtual GPUs; up to {MOST_LUMPS} are supported")
        own = np.arange(1, most + 1)
        columns = [own if k == lead else _ceilings(own, rate / stage.rate) for k, stage in enumerate(stages)]
        return np.stack(columns, axis=1)


def _ceilings(numbers: Whole, ratio: Fraction) -> Whole:
    """The whole numbers just not below multiples of a ratio, exactly."""
    limit = 2.0**62
    raw: Floats = np.minimum(numbers * float(ratio), limit)
    # A product near a whole number may be rounded to the wrong side of it: count those exactly.
    close = np.abs(raw - np.rint(raw)) <= NEAR * np.maximum(raw, 1)
    found: Whole = np.ceil(raw).astype(np.int64)
    for i in np.flatnonzero(close & (raw < limit)):
        found[i] = min(-(-int(numbers[i]) * ratio.numerator // ratio.denominator), 2**62)
    return found
