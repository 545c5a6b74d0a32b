"""Packing patterns of one model: for every amount of GPUs, the least that their use loses.

A knapsack with one dimension per GPU type, in which a plan's patterns may not lose more than the gap altogether. The
gap is small, so few amounts can be reached. GPUs are counted in parts of one (`Grid.unit`), such as twelfths.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from formulations.pipeline.columns.enumeration import Floats, Ints
from formulations.pipeline.columns.task import Deadline


@dataclass(frozen=True, slots=True)
class Grid:
    """Amounts of GPUs: multiples of 1/unit of each type, from 0 to its count; `shape` has one more than the largest."""

    unit: Ints
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of amounts."""
        return math.prod(self.shape)

    @property
    def strides(self) -> Ints:
        """What one more part of each type adds to the flat index."""
        return np.array([math.prod(self.shape[i + 1 :]) for i in range(len(self.shape))], dtype=np.int64)

    def amounts(self, cells: Ints) -> Ints:
        """Parts of each type by flat index, shape (cells, types)."""
        return np.stack(np.unravel_index(cells, self.shape), axis=-1)


def grid_of(count: Ints, unit: Ints) -> Grid:
    """The grid of these counts of GPUs."""
    return Grid(unit, tuple(int(n) for n in count * unit + 1))


@dataclass(frozen=True, slots=True)
class Items:
    """What is packed: one pattern per amount, the least losing, in order of loss.

    Attributes:
        pattern: index of the pattern.
        amount: parts of each GPU type, shape (items, types).
        cell: the same as flat index.
        loss: what it loses.
    """

    pattern: Ints
    amount: Ints
    cell: Ints
    loss: Floats


@dataclass(frozen=True, slots=True)
class Packing:
    """Least losses by amount.

    Attributes:
        grid: the amounts.
        items: items by stage: of each stage at most one is packed; a single stage of which any number are.
        after: loss by flat index before the first and after every stage, infinite where an amount cannot be reached.
        repeated: whether items may be packed more than once.
    """

    grid: Grid
    items: tuple[Items, ...]
    after: tuple[Floats, ...]
    repeated: bool

    @property
    def loss(self) -> Floats:
        """Least loss by flat index."""
        return self.after[-1]

    def patterns_at(self, cell: int) -> list[int]:
        """Patterns that use exactly this amount at the least loss."""
        found = []
        for items, before, after in reversed(list(zip(self.items, self.after, self.after[1:], strict=False))):
            source = after if self.repeated else before
            while cell and (self.repeated or after[cell] < before[cell]):
                fits = np.flatnonzero((items.amount <= self.grid.amounts(np.array(cell))).all(axis=1))
                lost = source[cell - items.cell[fits]] + items.loss[fits]
                best = fits[np.argmin(lost)]
                found.append(int(items.pattern[best]))
                cell -= int(items.cell[best])
                if not self.repeated:
                    break
        return found


@dataclass(frozen=True, slots=True)
class Within:
    """What may be packed.

    Attributes:
        gap: what all patterns may lose together.
        part: worth of one part of a GPU by type.
        most: worth of all parts that may be used.
    """

    gap: float
    part: Floats
    most: float


def pack(grid: Grid, amount: Ints, loss: Floats, within: Within, stage: Ints | None, deadline: Deadline) -> Packing:
    """Pack patterns in all ways that lose no more than the gap.

    Without stages every pattern is packed at most once too: two of one column make one pattern that loses no more.

    Args:
        grid: amounts of GPUs.
        amount: parts of each GPU type by pattern, shape (patterns, types).
        loss: what each pattern loses.
        within: what all may lose and use together.
        stage: group of each pattern of which only one may be packed; None: any number of any pattern.
        deadline: when to stop.

    Raises:
        OutOfTimeError: the deadline has passed.
    """
    groups = [np.arange(len(loss))] if stage is None else [np.flatnonzero(stage == s) for s in np.unique(stage)]
    items = tuple(_items(grid, amount[rows], loss[rows], within, rows) for rows in groups)
    reached = np.full(grid.size, np.inf)
    reached[0] = 0.0
    after = [reached.copy()]
    cells = np.zeros(1, dtype=np.int64)
    for group in items:
        deadline.check()
        cells = _add_group(grid, cells, reached, group, within, alone=stage is not None)
        after.append(reached.copy())
    return Packing(grid, items, tuple(after), stage is None)


def _add_group(grid: Grid, cells: Ints, reached: Floats, items: Items, within: Within, *, alone: bool) -> Ints:
    """Add items to what has been reached: on top of one another, or each `alone` to what was reached before.

    Returns:
        All amounts reached.
    """
    before, found = cells, [cells]
    lost, amounts = reached[cells], grid.amounts(cells).T.copy()
    limit = np.array(grid.shape) - 1
    used = within.part @ amounts
    for cell, amount, loss in zip(items.cell, items.amount, items.loss, strict=True):
        if not alone:
            lost = reached[before]
        worth = float(within.part @ amount)
        fits = (lost <= within.gap - loss) & (used <= within.most - worth)
        for own, most in zip(amounts, limit - amount, strict=True):
            fits &= own <= most
        target, total = before[fits] + cell, lost[fits] + loss
        old = reached[target]
        better = total < old
        reached[target[better]] = total[better]
        fresh = np.isinf(old)
        if fresh.any():
            found.append(target[fresh])
            if not alone:
                before = np.concatenate([before, found[-1]])
                amounts = np.concatenate([amounts, amounts[:, fits][:, fresh] + amount[:, None]], axis=1)
                used = np.concatenate([used, used[fits][fresh] + worth])
    return np.concatenate(found)


def _items(grid: Grid, amount: Ints, loss: Floats, within: Within, patterns: Ints) -> Items:
    cell = amount @ grid.strides
    fits = (amount < np.array(grid.shape)).all(axis=1) & (loss <= within.gap)
    order = np.flatnonzero(fits)[np.lexsort((loss[fits], cell[fits]))]
    first = np.ones(len(order), dtype=bool)
    first[1:] = cell[order][1:] != cell[order][:-1]
    order = order[first]
    order = order[np.argsort(loss[order], kind="stable")]
    return Items(patterns[order], amount[order], cell[order], loss[order])
