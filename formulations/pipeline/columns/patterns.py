"""Patterns: a column with its numbers of virtual GPUs, and what it loses against the relaxation's prices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from formulations.pipeline.columns.enumeration import Columns, Floats, Ints
from formulations.pipeline.columns.relaxation import Relaxation
from formulations.pipeline.columns.task import ROUNDING, Task, TooManyError

MOST_PATTERNS = 3 * 10**7
"""Patterns to look at, before they are seen to lose too much; about a gigabyte."""
TRIED = 100
"""Virtual GPUs of a bottleneck that are tried one by one to tell whether a column matters."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """Columns with numbers of virtual GPUs, none more than the slowest partition needs.

    Attributes:
        column: index of the column, shape (patterns,).
        count: virtual GPUs by position, shape (patterns, positions).
        served: requests per second.
        loss: worth of the virtual GPUs less the worth of what they serve, at least 0.
    """

    column: Ints
    count: Ints
    served: Floats
    loss: Floats

    def take(self, chosen: Ints | np.ndarray) -> Patterns:
        """These patterns alone."""
        return Patterns(self.column[chosen], self.count[chosen], self.served[chosen], self.loss[chosen])

    def __len__(self) -> int:
        """Number of patterns."""
        return len(self.column)


def find_patterns(
    task: Task, columns: Columns, relaxation: Relaxation, gap: float, most: int | None = None
) -> Patterns:
    """All patterns that lose no more than the gap and fit into the cluster.

    The rate of a pattern is that of one of its partitions, the bottleneck, so each position is tried as bottleneck with
    1, 2, … virtual GPUs. A column loses its excess on every request, which limits them.

    Args:
        task: the instance.
        columns: all columns.
        relaxation: prices.
        gap: what a pattern may lose.
        most: most virtual GPUs of a bottleneck; None: as many as there are.

    Raises:
        TooManyError: there are too many.
    """
    near = np.flatnonzero(relaxation.excess * columns.rate.min(axis=1) <= gap)
    limit = float("inf") if most is None else float(most)
    positions = range(columns.gpu.shape[1])
    return joined([_with_bottleneck(task, columns, relaxation, gap, near, k, limit) for k in positions])


def joined(parts: list[Patterns]) -> Patterns:
    """All these patterns."""
    return Patterns(*(np.concatenate([getattr(part, name) for part in parts]) for name in Patterns.__slots__))


def patterns_above(
    task: Task, columns: Columns, relaxation: Relaxation, gap: float, column: int, count: Ints
) -> Patterns:
    """Patterns of a column with at least these virtual GPUs that lose no more than the gap altogether.

    Their counts and requests per second are what is next to those virtual GPUs and the worth of these in requests.

    Args:
        task: the instance, without those virtual GPUs.
        columns: all columns.
        relaxation: prices.
        gap: what a pattern may lose.
        column: index of the column.
        count: virtual GPUs by position.
    """
    live = columns.live[column]
    gpu, share, rate = columns.gpu[column, live], columns.share[column, live], columns.rate[column, live]
    room, worth, price = task.count[gpu] * share, relaxation.gpu[gpu] / share, relaxation.model[columns.model[column]]
    tried = [np.arange(max(1, n), n + more + 1) * own for n, more, own in zip(count[live], room, rate, strict=True)]
    served = np.unique(np.concatenate(tried))
    whole = np.ceil(served[:, None] / rate * (1 - ROUNDING)).astype(np.int64)
    loss = np.maximum(whole @ worth - served * price, 0.0)
    above = whole - count[live]
    fits = (loss <= gap) & ((above >= 0) & (above <= room)).all(axis=1)
    counts = np.zeros((int(fits.sum()), len(live)), dtype=np.int64)
    counts[:, live] = above[fits]
    beside = served[fits] - float(count[live] @ worth) / price
    return Patterns(np.full(len(counts), column), counts, beside, loss[fits])


def _with_bottleneck(
    task: Task, columns: Columns, relaxation: Relaxation, gap: float, near: Ints, position: int, limit: float
) -> Patterns:
    rows = near[columns.gpu[near, position] >= 0]
    rate = columns.rate[rows, position]
    most = np.minimum(task.count[columns.gpu[rows, position]] * columns.share[rows, position], limit)
    with np.errstate(divide="ignore"):
        most = np.minimum(most, gap * (1 + ROUNDING) / (relaxation.excess[rows] * rate)).astype(np.int64)
    if most.sum() > MOST_PATTERNS:
        raise TooManyError
    column = np.repeat(rows, most)
    count = np.arange(1, len(column) + 1) - np.repeat(np.cumsum(most) - most, most)
    served = count * columns.rate[column, position]
    found = _Partial(column, served, relaxation.excess[column] * served, {position: count})
    for k in range(columns.gpu.shape[1]):
        if k != position:
            found = _serve(task, found, columns, relaxation, gap, k)
    counts = np.stack([found.counts[k] for k in range(columns.gpu.shape[1])], axis=1)
    fits = np.ones(len(counts), dtype=bool)
    gpu, used = columns.gpu[found.column], counts / columns.share[found.column]
    for t, available in enumerate(task.count):
        fits &= np.where(gpu == t, used, 0.0).sum(axis=1) <= available * (1 + ROUNDING)
    return Patterns(found.column[fits], counts[fits], found.served[fits], found.loss[fits])


class _Partial(NamedTuple):
    """Patterns of which only some positions have their virtual GPUs, with what they lose so far."""

    column: Ints
    served: Floats
    loss: Floats
    counts: dict[int, Ints]


def _serve(
    task: Task, found: _Partial, columns: Columns, relaxation: Relaxation, gap: float, position: int
) -> _Partial:
    """Give a position the virtual GPUs that it needs, if there are so many; what these serve too much is lost."""
    gpu = columns.gpu[found.column, position]
    needed = found.served / columns.rate[found.column, position]
    count = np.where(gpu >= 0, np.maximum(np.ceil(needed * (1 - ROUNDING)), 1.0), 0.0)
    worth = relaxation.gpu[gpu] / columns.share[found.column, position]
    loss = found.loss + np.maximum(count - needed, 0.0) * worth
    fits = np.flatnonzero((loss <= gap) & (count <= task.count[gpu] * columns.share[found.column, position]))
    counts = {k: own[fits] for k, own in found.counts.items()}
    counts[position] = count[fits].astype(np.int64)
    return _Partial(found.column[fits], found.served[fits], loss[fits], counts)


def columns_within(task: Task, columns: Columns, relaxation: Relaxation, gap: float) -> Ints:
    """Columns that may be part of a plan that loses no more than the gap.

    Few virtual GPUs are tried one by one; with more, a column loses its excess on all that these serve.
    """
    patterns = find_patterns(task, columns, relaxation, gap, TRIED)
    many = relaxation.excess * columns.rate.min(axis=1) * TRIED <= gap
    return np.union1d(patterns.column, np.flatnonzero(many))
