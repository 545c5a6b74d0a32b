"""Grouping of parts of similar properties: Graft's greedy balanced partitioning of a complete graph (Graft §4.2).

The paper weights an edge by the distance of its ends and keeps heavy edges inside of groups, which puts unlike
fragments together; its text wants like ones together. So an edge weighs minus the distance (ours), unless the printed
weight is asked for. In groups of equal size a constant added to all weights changes nothing of what is best, but much
of what the greedy does: weights above 0 draw parts to whatever group has most of them. The properties are scaled to
their range among the parts, as the paper gives no scale.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from euclio.problems.fragments.realigned import Part
from heuristics.fragments.options import Edges, Weights

Array = npt.NDArray[Any]


def groups_of(
    parts: Sequence[Part], size: int, weights: Weights, seed: int, edges: Edges = Edges.SIMILARITY
) -> list[list[int]]:
    """Places of the parts by group.

    Random parts begin the groups, as many as are needed for groups of a size; each other part, in order, joins the
    group with room whose cost (1) grows least: the variance of the weights inside of it, and the weights across groups.

    Args:
        parts: the parts.
        size: most parts of a group.
        weights: weights of the properties.
        seed: seed of the parts that begin.
        edges: what an edge weighs.
    """
    points = properties(parts, weights)
    number = math.ceil(len(parts) / size)
    # The same parts begin whatever the seeds of other random choices are.
    chosen = np.random.default_rng(seed).permutation(len(parts))
    grouping = _Grouping(points, number, edges)
    for group, k in enumerate(chosen[:number]):
        grouping.join(int(k), group)
    for k in np.sort(chosen[number:]):
        grouping.join(int(k), grouping.cheapest(int(k), size))
    return [[int(k) for k in np.flatnonzero(grouping.group == g)] for g in range(number)]


def properties(parts: Sequence[Part], weights: Weights) -> Array:
    """Partition point, time budget and rate of the parts, scaled to their range and weighted, shape (parts, 3)."""
    rows = np.array([[part.begin, float(part.budget_s), float(part.rate_rps)] for part in parts])
    low, high = rows.min(axis=0), rows.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    scaled: Array = (rows - low) / span * np.array(weights)
    return scaled


class _Grouping:
    """Groups as they grow.

    Attributes:
        group: group of each part, -1: none yet; shape (parts,).
    """

    def __init__(self, points: Array, number: int, edges: Edges) -> None:
        self.group = np.full(len(points), -1)
        self._points, self._number = points, number
        self._sign = 1.0 if edges is Edges.DISTANCE else -1.0
        self._size, self._edges = np.zeros(number), np.zeros(number)
        self._sum, self._squares = np.zeros(number), np.zeros(number)

    def join(self, k: int, group: int) -> None:
        """Put a part into a group."""
        _, total, squares = self._to_groups(k)
        self._edges[group] += self._size[group]
        self._sum[group] += total[group]
        self._squares[group] += squares[group]
        self._size[group] += 1
        self.group[k] = group

    def cheapest(self, k: int, size: int) -> int:
        """The group with room whose cost grows least by a part; of several the first."""
        across, total, squares = self._to_groups(k)
        inside = _variance(self._edges + self._size, self._sum + total, self._squares + squares)
        growth = inside - _variance(self._edges, self._sum, self._squares) + 2 * (across - total)
        return int(np.argmin(np.where(self._size < size, growth, math.inf)))

    def _to_groups(self, k: int) -> tuple[float, Array, Array]:
        """Weights of the edges from a part to all that are grouped: their sum, and sums and squares by group."""
        placed = self.group >= 0
        weight = self._sign * np.linalg.norm(self._points[placed] - self._points[k], axis=1)
        groups = self.group[placed]
        total = np.bincount(groups, weight, self._number)
        return float(weight.sum()), total, np.bincount(groups, weight**2, self._number)


def _variance(count: Array, total: Array, squares: Array) -> Array:
    """Variance of weights by their number, sum and sum of squares; 0 of none."""
    number = np.maximum(count, 1)
    found: Array = squares / number - (total / number) ** 2
    return found
