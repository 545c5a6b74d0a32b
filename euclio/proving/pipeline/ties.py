"""Bounds in fractions, for where rounding would decide: a bound that meets the demand to the last digit (ours).

The prices that HiGHS proposes are turned into the fractions that they stand for, by solving in fractions the equations
that they fulfil: what the linear program takes is worth its price. Any prices make a valid bound, so a wrong guess only
makes a weaker one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from euclio.proving.pipeline.lumps import Lumps
from euclio.proving.pipeline.pricing import Box, Proposal
from euclio.proving.pipeline.templates import Template

TAKEN = 1e-9
"""Of what the linear program takes less than this, it takes nothing."""

ALIKE = 1e-9
"""Numbers this close, as parts of a demand, may be the same; which they are is found in fractions."""

MOST_LUMPS = 3000
"""Beyond this many lumps whose sign rounding may decide, fractions take too long."""


@dataclass(frozen=True, slots=True)
class ExactLumps:
    """What lumps serve and use, in fractions.

    Attributes:
        templates: the model's.
        pools: the pool that a partition draws on, by position and GPU type.
        rate: demand in requests per second.
    """

    templates: Sequence[Template]
    pools: Sequence[Sequence[int]]
    rate: Fraction

    def of(self, lumps: Lumps, i: int) -> tuple[Fraction, dict[int, Fraction]]:
        """What a lump serves as a part of the demand, at most 1, and GPUs by pool."""
        stages = self.templates[int(lumps.template[i])].stages
        numbers = [int(n) for n in lumps.virtual[i][: len(stages)]]
        use: dict[int, Fraction] = {}
        for k, (stage, n) in enumerate(zip(stages, numbers, strict=True)):
            pool = self.pools[k][stage.gpu]
            use[pool] = use.get(pool, Fraction(0)) + Fraction(n, stage.share)
        served = min(n * stage.rate for n, stage in zip(numbers, stages, strict=True)) / self.rate
        return min(served, Fraction(1)), use


def exact_bound(
    exact: ExactLumps,
    lumps: Lumps,
    box: Box,
    held: tuple[frozenset[int], frozenset[int]],
    proposal: Proposal,
) -> Fraction | None:
    """An upper bound on what can be served as a part of the demand, without rounding; None: it would take too long.

    Args:
        exact: the lumps' numbers in fractions.
        lumps: those that may be in a plan.
        box: GPUs of the pools.
        held: groups of which one lump has to be in the plan, and groups that are used at most once.
        proposal: prices, and what is worth its price.
    """
    forced, limited = held
    prices = _exact_prices(exact, lumps, box, forced | limited, proposal)
    total = _worth(box, prices)
    charge = lumps.use @ np.array([float(price) for price in prices])
    gain = lumps.served - charge
    unsure = ALIKE * (1.0 + charge)
    best: dict[int, Fraction] = {}
    starts = np.flatnonzero(np.diff(lumps.group, prepend=-1))
    most = np.repeat(np.maximum.reduceat(gain - unsure, starts), np.diff(np.append(starts, len(gain))))
    needed = np.isin(lumps.group, list(forced))
    # Only a lump that may be its group's best and, unless one is forced, may pay, changes the sum.
    close = np.flatnonzero((gain + unsure >= most) & (needed | (gain + unsure >= 0)))
    if len(close) > MOST_LUMPS:
        return None
    for i in close:
        served, use = exact.of(lumps, int(i))
        worth = served - sum((n * prices[p] for p, n in use.items()), Fraction(0))
        group = int(lumps.group[i])
        floor = worth if group in forced else max(worth, Fraction(0))
        best[group] = max(best.get(group, floor), floor)
    return total + sum(best.values(), Fraction(0))


def _worth(box: Box, prices: Sequence[Fraction]) -> Fraction:
    total = Fraction(0)
    for number, pools in zip(box.available, box.of_type, strict=True):
        left = number - sum(box.least[p] for p in pools)
        total += sum((box.least[p] * prices[p] for p in pools), Fraction(0))
        for p in sorted(pools, key=lambda q: -prices[q]):
            more = min(left, Fraction(box.most[p] - box.least[p]))
            total += more * prices[p]
            left -= more
    return total


def _exact_prices(
    exact: ExactLumps, lumps: Lumps, box: Box, held: frozenset[int], proposal: Proposal
) -> list[Fraction]:
    """The prices that the proposed ones stand for, in fractions, none below 0."""
    scale = ALIKE * (1.0 + float(proposal.prices.max(initial=0.0)))
    unknown: dict[int, int] = {}
    values: list[Fraction] = []
    # Pools of one type between which GPUs move freely have one price.
    for pools in box.of_type:
        for p in pools:
            price = float(proposal.prices[p])
            if price > scale:
                same = [q for q in pools if q in unknown and abs(float(proposal.prices[q]) - price) <= scale]
                unknown[p] = unknown[same[0]] if same else len(values)
                if not same:
                    values.append(Fraction(price))
    extra: dict[int, int] = {}
    rows: list[tuple[dict[int, Fraction], Fraction]] = []
    for i in np.argsort(-proposal.part):
        # Sorted by part: the program takes none of the following lumps either.
        if proposal.part[i] <= TAKEN:
            break
        served, use = exact.of(lumps, int(i))
        row: dict[int, Fraction] = {}
        for p, n in use.items():
            if p in unknown:
                row[unknown[p]] = row.get(unknown[p], Fraction(0)) + n
        group = int(lumps.group[i])
        if group in held:
            row[extra.setdefault(group, len(values) + len(extra))] = Fraction(1)
        rows.append((row, served))
    solved = _solved(rows, len(values) + len(extra), values)
    return [max(solved[unknown[p]], Fraction(0)) if p in unknown else Fraction(0) for p in range(len(proposal.prices))]


def _solved(
    rows: list[tuple[dict[int, Fraction], Fraction]], width: int, default: Sequence[Fraction]
) -> list[Fraction]:
    """A solution of as many equations, in order, as have one; unknowns that they leave open keep their default."""
    pivots: list[tuple[int, dict[int, Fraction], Fraction]] = []
    for row, right in rows:
        row = dict(row)
        for column, other, value in pivots:
            factor = row.get(column, Fraction(0))
            if factor:
                for k, x in other.items():
                    row[k] = row.get(k, Fraction(0)) - factor * x
                right -= factor * value
        row = {k: x for k, x in row.items() if x}
        # It says no more than the equations before it.
        if not row:
            continue
        # The unknowns of groups go first, so that prices are what is left to be determined by the rest.
        column = max(row)
        scale = row[column]
        pivots.append((column, {k: x / scale for k, x in row.items()}, right / scale))
    found = [*default, *[Fraction(0)] * (width - len(default))]
    for column, row, right in reversed(pivots):
        found[column] = right - sum((x * found[k] for k, x in row.items() if k != column), Fraction(0))
    return found
