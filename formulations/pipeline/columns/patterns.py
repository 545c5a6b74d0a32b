"""Patterns: columns with numbers of virtual GPUs, and their losses at the relaxation's prices.

A pattern with g_k virtual GPUs at position k serves x = min_k g_k · rate_k requests per second and loses

    Σ_k π_k · g_k / v_k − μ · x  =  reduced cost · x  +  Σ_k π_k / v_k · (g_k − x / rate_k)

with both terms at least 0: the loss of the column by itself, and the loss of partly used virtual GPUs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from formulations.pipeline.columns.enumeration import Columns, Floats, Ints
from formulations.pipeline.columns.problem import Problem, TooManyError
from formulations.pipeline.columns.relaxation import Relaxation
from formulations.tolerances import SUMS

MOST_PATTERNS = 3 * 10**7
"""Most patterns in a search, also those that lose too much; about a gigabyte."""
TRIED = 100
"""Numbers of virtual GPUs of a bottleneck to try one by one for a decision whether a column matters."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """Columns with numbers of virtual GPUs; no position has more than the slowest partition needs.

    Attributes:
        column: index of the column, shape (patterns,).
        count: virtual GPUs by position, shape (patterns, positions).
        served: requests per second.
        loss: worth of the virtual GPUs less the worth of their requests, at least 0.
    """

    column: Ints
    count: Ints
    served: Floats
    loss: Floats

    def take(self, chosen: Ints | np.ndarray) -> Patterns:
        """The patterns at the given indices, or those that a mask chooses, in that order."""
        return Patterns(self.column[chosen], self.count[chosen], self.served[chosen], self.loss[chosen])

    def __len__(self) -> int:
        """Number of patterns."""
        return len(self.column)


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of a search for patterns: the allowed columns, and the gap.

    Attributes:
        problem: the instance.
        columns: all columns.
        prices: the relaxation; columns of infinite reduced cost have no patterns.
        gap: worth that a pattern may lose.
    """

    problem: Problem
    columns: Columns
    prices: Relaxation
    gap: float

    def find(self, most: int | None = None) -> Patterns:
        """All patterns that lose no more than the gap and fit into the cluster.

        The slowest partition of a pattern, its bottleneck, decides its requests, so each position is tried as the
        bottleneck with 1, 2, … virtual GPUs. A column loses its reduced cost on every request, which limits them.

        Args:
            most: most virtual GPUs of a bottleneck; None means no limit but the cluster.

        Raises:
            TooManyError: there are too many.
        """
        near = np.flatnonzero(self.prices.reduced_cost * self.columns.rate.min(axis=1) <= self.gap)
        limit = float("inf") if most is None else float(most)
        return concatenated([self._with_bottleneck(near, k, limit) for k in range(self.columns.gpu.shape[1])])

    def find_columns(self) -> Ints:
        """Indices of the columns that may be part of a plan within the gap, ascending.

        Few virtual GPUs are tried one by one; with more, a column loses its reduced cost on all their requests.
        """
        patterns = self.find(TRIED)
        many = self.prices.reduced_cost * self.columns.rate.min(axis=1) * TRIED <= self.gap
        return np.union1d(patterns.column, np.flatnonzero(many))

    def find_above(self, column: int, assigned: Ints) -> Patterns:
        """Patterns of one column with at least the virtual GPUs that are assigned to it by position.

        They lose no more than the gap with the assigned virtual GPUs. Their counts and requests per second are those on
        top of the assigned ones, which count as serving their worth.
        """
        columns, live = self.columns, self.columns.live[column]
        gpu, share, rate = columns.gpu[column, live], columns.share[column, live], columns.rate[column, live]
        room, worth = self.problem.count[gpu] * share, self.prices.gpu[gpu] / share
        price = self.prices.model[columns.model[column]]
        # Each position in turn is the bottleneck, with its assigned virtual GPUs and any number on top.
        steps = zip(assigned[live], room, rate, strict=True)
        served = np.unique(np.concatenate([np.arange(max(1, n), n + more + 1) * own for n, more, own in steps]))
        whole = np.ceil(served[:, None] / rate * (1 - SUMS)).astype(np.int64)
        loss = np.maximum(whole @ worth - served * price, 0.0)
        above = whole - assigned[live]
        fits = (loss <= self.gap) & ((above >= 0) & (above <= room)).all(axis=1)
        counts = np.zeros((int(fits.sum()), len(live)), dtype=np.int64)
        counts[:, live] = above[fits]
        added = served[fits] - float(assigned[live] @ worth) / price
        return Patterns(np.full(len(counts), column), counts, added, loss[fits])

    def _with_bottleneck(self, near: Ints, position: int, limit: float) -> Patterns:
        """Patterns of the near columns with the bottleneck at this position and at most `limit` GPUs."""
        columns, count, reduced_cost = self.columns, self.problem.count, self.prices.reduced_cost
        rows = near[columns.gpu[near, position] >= 0]
        rate = columns.rate[rows, position]
        most = np.minimum(count[columns.gpu[rows, position]] * columns.share[rows, position], limit)
        with np.errstate(divide="ignore"):
            most = np.minimum(most, self.gap * (1 + SUMS) / (reduced_cost[rows] * rate)).astype(np.int64)
        if most.sum() > MOST_PATTERNS:
            raise TooManyError
        # One row for each column and 1, 2, …, most virtual GPUs of its bottleneck.
        column = np.repeat(rows, most)
        number = np.arange(1, len(column) + 1) - np.repeat(np.cumsum(most) - most, most)
        served = number * columns.rate[column, position]
        found = _Partial(column, served, reduced_cost[column] * served, {position: number})
        for k in range(columns.gpu.shape[1]):
            if k != position:
                found = self._with_position(found, k)
        counts = np.stack([found.counts[k] for k in range(columns.gpu.shape[1])], axis=1)
        fits = np.ones(len(counts), dtype=bool)
        gpu, used = columns.gpu[found.column], counts / columns.share[found.column]
        for t, available in enumerate(count):
            fits &= np.where(gpu == t, used, 0.0).sum(axis=1) <= available * (1 + SUMS)
        return Patterns(found.column[fits], counts[fits], found.served[fits], found.loss[fits])

    def _with_position(self, found: _Partial, position: int) -> _Partial:
        """Give a position the virtual GPUs for the patterns' requests.

        Their capacity beyond that is lost. Patterns that need more virtual GPUs than there are, or lose more than the
        gap, are left out. Needs are rounded down by `SUMS`, in favour of plans.
        """
        columns = self.columns
        gpu, share = columns.gpu[found.column, position], columns.share[found.column, position]
        needed = found.served / columns.rate[found.column, position]
        count = np.where(gpu >= 0, np.maximum(np.ceil(needed * (1 - SUMS)), 1.0), 0.0)
        worth = self.prices.gpu[gpu] / share
        loss = found.loss + np.maximum(count - needed, 0.0) * worth
        fits = np.flatnonzero((loss <= self.gap) & (count <= self.problem.count[gpu] * share))
        counts = {k: own[fits] for k, own in found.counts.items()}
        counts[position] = count[fits].astype(np.int64)
        return _Partial(found.column[fits], found.served[fits], loss[fits], counts)


class _Partial(NamedTuple):
    """Patterns with virtual GPUs at some positions only, with their losses so far."""

    column: Ints
    served: Floats
    loss: Floats
    counts: dict[int, Ints]


def concatenated(parts: list[Patterns]) -> Patterns:
    """The patterns of several lists in one, list by list."""
    return Patterns(*(np.concatenate([getattr(part, name) for part in parts]) for name in Patterns.__slots__))
