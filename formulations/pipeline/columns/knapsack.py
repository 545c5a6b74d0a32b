"""The knapsack of one model: for every amount of GPUs, the least loss of patterns that use exactly that amount.

It has one dimension per GPU type, and the gap limits the total loss of all patterns. The gap is small, so patterns
reach few amounts, and the search visits only those. GPUs are counted in parts of one (`Grid.unit`), such as twelfths,
so amounts are whole numbers. Losses are floats.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from formulations.pipeline.columns.enumeration import Floats, Ints
from formulations.pipeline.columns.problem import Deadline


@dataclass(frozen=True, slots=True)
class Grid:
    """Amounts of GPUs in parts of one, of each type from 0 to all of the cluster.

    Attributes:
        unit: parts of a GPU by type.
        shape: number of amounts by type, which is one more than the largest.
    """

    unit: Ints
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of amounts of all types together."""
        return math.prod(self.shape)

    @property
    def strides(self) -> Ints:
        """The step of the flat index for one more part of each type."""
        return np.array([math.prod(self.shape[i + 1 :]) for i in range(len(self.shape))], dtype=np.int64)

    def amounts(self, cells: Ints) -> Ints:
        """Parts of each type by flat index, shape (cells, types)."""
        return np.stack(np.unravel_index(cells, self.shape), axis=-1)


def grid_of(count: Ints, unit: Ints) -> Grid:
    """The grid of all amounts of GPUs that a cluster has.

    Args:
        count: GPUs by type.
        unit: parts of one GPU, by type.
    """
    return Grid(unit, tuple(int(n) for n in count * unit + 1))


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a knapsack, by rising loss; for each amount the pattern that loses least.

    Attributes:
        pattern: index of the pattern.
        amount: parts of each GPU type, shape (items, types).
        cell: flat index of that amount, shape (items,).
        loss: worth that the item loses, shape (items,).
    """

    pattern: Ints
    amount: Ints
    cell: Ints
    loss: Floats


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a packing.

    Attributes:
        gap: worth that all patterns may lose together.
        part: worth of one part of a GPU by type.
        most: largest worth of all parts in use.
    """

    gap: float
    part: Floats
    most: float


@dataclass(frozen=True, slots=True)
class Packing:
    """Least losses by amount of GPUs.

    Attributes:
        grid: the amounts.
        items: items by group, each with at most one packed item; or a single group with any number of each item.
        after: loss by flat index before the first and after every group; infinite for an unreachable amount.
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

    @property
    def reached(self) -> Ints:
        """Flat indices of the amounts that patterns can use exactly within the gap, ascending."""
        return np.flatnonzero(np.isfinite(self.loss))

    def patterns_at(self, cell: int) -> list[int]:
        """Patterns that use exactly this amount at the least loss, from a walk back through the groups."""
        found = []
        for items, before, after in reversed(list(zip(self.items, self.after, self.after[1:], strict=False))):
            # If items repeat, the same group packed the items below an item.
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


def pack(grid: Grid, amount: Ints, loss: Floats, limits: Limits, sequence: Ints | None, deadline: Deadline) -> Packing:
    """Pack patterns in all ways that keep the limits.

    Without sequences a pattern may be packed more than once: two patterns of one column are one of twice as many
    virtual GPUs, which loses no more.

    Args:
        grid: amounts of GPUs.
        amount: parts of each GPU type by pattern, shape (patterns, types).
        loss: worth that each pattern loses.
        limits: the limits of a packing.
        sequence: group of each pattern, with at most one pattern per group. None means any number of any pattern.
        deadline: the deadline.

    Raises:
        OutOfTimeError: the deadline has passed.
    """
    every = [np.arange(len(loss))]
    groups = every if sequence is None else [np.flatnonzero(sequence == s) for s in np.unique(sequence)]
    items = tuple(_items(grid, amount[rows], loss[rows], limits, rows) for rows in groups)
    least = np.full(grid.size, np.inf)
    least[0] = 0.0
    after = [least.copy()]
    cells = np.zeros(1, dtype=np.int64)
    for group in items:
        deadline.check()
        cells = _add_group(grid, cells, least, group, limits, once=sequence is not None)
        after.append(least.copy())
    return Packing(grid, items, tuple(after), sequence is None)


def _add_group(grid: Grid, cells: Ints, least: Floats, items: Items, limits: Limits, *, once: bool) -> Ints:
    """Add the items of a group, and lower the least losses in place.

    Args:
        grid: amounts of GPUs.
        cells: amounts that were reached before.
        least: least loss by flat index.
        items: the items.
        limits: the limits of a packing.
        once: whether only one item of the group joins the packings before it; else any number.

    Returns:
        All amounts reached.
    """
    before, found = cells, [cells]
    lost, amounts = least[cells], grid.amounts(cells).T.copy()
    limit = np.array(grid.shape) - 1
    used = limits.part @ amounts
    for cell, amount, loss in zip(items.cell, items.amount, items.loss, strict=True):
        # Other items of the group may have lowered these losses, and may join this one then.
        if not once:
            lost = least[before]
        worth = float(limits.part @ amount)
        fits = (lost <= limits.gap - loss) & (used <= limits.most - worth)
        for own, most in zip(amounts, limit - amount, strict=True):
            fits &= own <= most
        target, total = before[fits] + cell, lost[fits] + loss
        old = least[target]
        better = total < old
        least[target[better]] = total[better]
        fresh = np.isinf(old)
        if fresh.any():
            found.append(target[fresh])
            if not once:
                before = np.concatenate([before, found[-1]])
                amounts = np.concatenate([amounts, amounts[:, fits][:, fresh] + amount[:, None]], axis=1)
                used = np.concatenate([used, used[fits][fresh] + worth])
    return np.concatenate(found)


def _items(grid: Grid, amount: Ints, loss: Floats, limits: Limits, patterns: Ints) -> Items:
    """The items of a group: for each amount the fitting pattern of least loss."""
    cell = amount @ grid.strides
    fits = (amount < np.array(grid.shape)).all(axis=1) & (loss <= limits.gap)
    order = np.flatnonzero(fits)[np.lexsort((loss[fits], cell[fits]))]
    first = np.ones(len(order), dtype=bool)
    first[1:] = cell[order][1:] != cell[order][:-1]
    order = order[first]
    order = order[np.argsort(loss[order], kind="stable")]
    return Items(patterns[order], amount[order], cell[order], loss[order])
