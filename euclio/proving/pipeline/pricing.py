"""Upper bounds on the throughput of one model, from prices on its pools of GPUs (ours).

With a price per GPU of each pool, the throughput is at most the worth of the GPUs plus the throughput of single lumps
beyond their own price. That holds for any prices, so HiGHS only proposes them, by a linear program, and the bound is
computed anew; a margin towards searching more covers its rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from euclio.core.linear_program import Rows, least_cost
from euclio.proving.effort import Effort
from euclio.proving.pipeline.lumps import Floats, Lumps, Whole
from euclio.proving.pipeline.templates import Template

MARGIN = 4e-15
"""Largest effect of rounding on one term of a sum, as a part of the largest term."""

PENALTY = 50.0
"""Cost of a missing forced lump in the linear program, in demands."""

SIFTED = 3000
"""Up to this many lumps enter the linear program at once; beyond, column generation adds those that pay."""

SIFTED_GAIN = 1e-10
"""Throughput beyond its price from which a lump is added, as a part of the demand."""

OVERFULL = 1e-7
"""By how much a group may be used more than once before the linear program limits it to once."""


@dataclass(frozen=True, slots=True)
class Box:
    """Least and most GPUs of each pool, and GPUs of each type.

    Attributes:
        least: per pool, in GPUs.
        most: per pool, in GPUs.
        available: per GPU type; a type's pools have no more together.
        of_type: per GPU type, its pools.
    """

    least: tuple[int, ...]
    most: tuple[int, ...]
    available: tuple[Fraction, ...]
    of_type: tuple[tuple[int, ...], ...]

    def worth(self, prices: Floats) -> float:
        """The largest worth of the GPUs over all divisions of a type's GPUs among its pools."""
        total = 0.0
        for available, pools in zip(self.available, self.of_type, strict=True):
            left = float(available) - sum(self.least[p] for p in pools)
            total += sum(self.least[p] * float(prices[p]) for p in pools)
            # GPUs beyond each pool's least are worth most in the pool of the highest price.
            for p in sorted(pools, key=lambda q: -prices[q]):
                more = min(left, self.most[p] - self.least[p])
                total += more * float(prices[p])
                left -= more
        return total


@dataclass(frozen=True, slots=True)
class Proposal:
    """The linear program's proposal; nothing relies on it.

    Attributes:
        prices: per pool, in demands per GPU.
        part: how much of each lump it takes.
        overfull: groups that it takes more than once.
    """

    prices: Floats
    part: Floats
    overfull: frozenset[int]


def propose(
    lumps: Lumps, box: Box, forced: frozenset[int], limited: frozenset[int], hint: Floats, effort: Effort
) -> Proposal | None:
    """Solve the linear program over fractions of lumps; None if HiGHS has no answer.

    Args:
        lumps: those that may be in a plan.
        box: GPUs of the pools.
        forced: groups of which one lump has to be in the plan.
        limited: groups that are explicitly used at most once.
        hint: prices to begin with: where there are many lumps, the lumps of most worth at them come first.
        effort: deadline.
    """
    number = len(lumps.served)
    if number <= SIFTED:
        return _proposed(lumps, box, forced, limited, effort)
    taken = np.isin(lumps.group, list(forced))
    taken[_worthiest(lumps, taken, hint)] = True
    while True:
        effort.check()
        found = _proposed(lumps.only(taken), box, forced, limited, effort)
        if found is None:
            return None
        best = _worthiest(lumps, taken, found.prices)
        best = best[lumps.served[best] - lumps.use[best] @ found.prices > SIFTED_GAIN]
        # No lump that was left out pays at these prices: they are optimal for all lumps.
        if not len(best):
            part = np.zeros(number)
            part[taken] = found.part
            return replace(found, part=part)
        taken[best] = True


def _worthiest(lumps: Lumps, taken: NDArray[np.bool_], prices: Floats) -> Whole:
    """The lumps, of those not taken, that serve most beyond their price."""
    others = np.flatnonzero(~taken)
    gain = lumps.served[others] - lumps.use[others] @ prices
    return others[np.argsort(-gain)[: SIFTED // 2]]


def _proposed(
    lumps: Lumps, box: Box, forced: frozenset[int], limited: frozenset[int], effort: Effort
) -> Proposal | None:
    number, pools = lumps.use.shape
    exactly = sorted(forced)
    # Variables: a part of each lump, GPUs of each pool, and the missing part of each forced group.
    rows = Rows()
    for p in range(pools):
        own = np.flatnonzero(lumps.use[:, p])
        rows.add(-np.inf, 0.0, np.append(own, number + p), np.append(lumps.use[own, p], -1.0))
    for available, of_type in zip(box.available, box.of_type, strict=True):
        rows.add(-np.inf, float(available), number + np.array(of_type), np.ones(len(of_type)))
    for group in sorted(limited - forced):
        own = np.flatnonzero(lumps.group == group)
        rows.add(-np.inf, 1.0, own, np.ones(len(own)))
    for i, group in enumerate(exactly):
        own = np.append(np.flatnonzero(lumps.group == group), number + pools + i)
        rows.add(1.0, 1.0, own, np.ones(len(own)))
    missing = len(exactly)
    found = least_cost(
        np.concatenate([-lumps.served, np.zeros(pools), np.full(missing, PENALTY)]),
        np.concatenate([np.zeros(number), np.array(box.least, float), np.zeros(missing)]),
        np.concatenate([np.full(number, np.inf), np.array(box.most, float), np.full(missing, np.inf)]),
        rows,
        effort.left_s(),
    )
    if found is None:
        return None
    part = found[0][:number]
    total = np.bincount(lumps.group, part) if number else np.empty(0)
    overfull = frozenset(int(g) for g in np.flatnonzero(total > 1 + OVERFULL))
    return Proposal(np.maximum(-found[1][:pools], 0.0), part, overfull)


@dataclass(frozen=True, slots=True)
class Bound:
    """An upper bound on the throughput of a model, as a part of its demand.

    Attributes:
        value: the bound, rounding included.
        fits: which lumps can be in a plan that meets the demand.
    """

    value: float
    fits: NDArray[np.bool_]


def bound(lumps: Lumps, box: Box, forced: frozenset[int], prices: Floats) -> Bound:
    """The bound that given prices of GPUs prove, and the lumps that it leaves."""
    worth = box.worth(prices)
    charge = lumps.use @ prices
    gain = lumps.served - charge
    starts = np.flatnonzero(np.diff(lumps.group, prepend=-1))
    groups = lumps.group[starts]
    if not np.isin(list(forced), groups).all():
        # A group that has to be there has no lump left.
        return Bound(-np.inf, np.zeros(len(gain), bool))
    best = np.maximum.reduceat(gain, starts) if len(starts) else np.empty(0)
    # A group that may stay away adds nothing where it does not pay; a forced one may cost.
    counted = np.where(np.isin(groups, list(forced)), best, np.maximum(best, 0.0))
    # Rounding may affect each group's part, also where it counts as nothing.
    room = MARGIN * (len(groups) + 4) * (worth + float(np.abs(counted).max(initial=0.0)) + charge.max(initial=0.0) + 1)
    value = worth + float(counted.sum()) + room
    sizes = np.diff(np.append(starts, len(gain)))
    # NaN (prices beyond all bounds) drops nothing.
    short = value + room - np.repeat(counted, sizes) + gain < 1
    return Bound(value, ~short)


# Bounds in fractions, for where rounding would decide: a bound that meets the demand to the last digit (ours).
#
# Fractions replace the prices that HiGHS proposes: they solve exactly the equations that these prices fulfil, by which
# each lump of the linear program's solution is worth its price. Any prices make a valid bound, so a wrong guess only
# makes a weaker one.

TAKEN = 1e-9
"""Parts of lumps in the linear program below this count as 0."""
ALIKE = 1e-9
"""Numbers this close, as parts of a demand, may be the same; fractions decide."""
MOST_LUMPS = 3000
"""Beyond this many lumps whose sign rounding may decide, fractions take too long."""


@dataclass(frozen=True, slots=True)
class ExactLumps:
    """Throughput and use of lumps, in fractions.

    Attributes:
        templates: the model's templates.
        pools: the pool that a partition draws on, by position and GPU type.
        rate: demand in requests per second.
    """

    templates: Sequence[Template]
    pools: Sequence[Sequence[int]]
    rate: Fraction

    def of(self, lumps: Lumps, i: int) -> tuple[Fraction, dict[int, Fraction]]:
        """A lump's throughput as a part of the demand, at most 1, and its GPUs by pool."""
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
    """An upper bound on the throughput as a part of the demand, without rounding; None if it would take too long.

    Args:
        exact: the lumps' numbers in fractions.
        lumps: those that may be in a plan.
        box: GPUs of the pools.
        held: groups of which one lump has to be in the plan, and groups that are used at most once.
        proposal: prices, and lumps that are worth theirs.
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
        # It follows from the equations before it.
        if not row:
            continue
        # The unknowns of groups go first, so that the rest determines the prices.
        column = max(row)
        scale = row[column]
        pivots.append((column, {k: x / scale for k, x in row.items()}, right / scale))
    found = [*default, *[Fraction(0)] * (width - len(default))]
    for column, row, right in reversed(pivots):
        found[column] = right - sum((x * found[k] for k, x in row.items() if k != column), Fraction(0))
    return found
