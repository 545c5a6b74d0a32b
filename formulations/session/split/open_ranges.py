"""Open nodes of a branch and bound that splits ranges of points, one range per module (compiled, ours).

The search for one latency per module (`search.py`) keeps its open nodes here. They are a stack: the child with the
longer latencies cut off comes last and is examined first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from euclio.core.compiled import compiled
from euclio.problems.session.arrays import Floats, Ints

FIRST_CAPACITY = 64


class OpenRanges(NamedTuple):
    """Open nodes, one row each, the next one last; the search itself counts the rows in use.

    Attributes:
        first: first point of each module's range, shape (capacity, modules).
        last: last point of each module's range, which belongs to it, shape (capacity, modules).
        bound: lower bound on the choices within the ranges, shape (capacity,).
    """

    first: Ints
    last: Ints
    bound: Floats


@compiled
def open_root(sizes: Ints) -> OpenRanges:
    """One open node that contains all points of every module, without a known bound.

    Args:
        sizes: number of points of each module, shape (modules,).
    """
    first, last = np.zeros((FIRST_CAPACITY, sizes.size), np.int64), np.zeros((FIRST_CAPACITY, sizes.size), np.int64)
    last[0] = sizes - 1
    return OpenRanges(first, last, np.full(FIRST_CAPACITY, -np.inf))


@compiled
def with_children(
    nodes: OpenRanges, size: int, first: Ints, last: Ints, bound: float, m: int, left_last: int, right_first: int
) -> OpenRanges:
    """The open nodes and the two parts of a node that is split, in rows `size` and `size + 1`.

    Args:
        nodes: the open nodes.
        size: number of open nodes.
        first: first point of each module's range in the node that is split, shape (modules,).
        last: last point of each module's range in that node, shape (modules,).
        bound: lower bound of that node, which holds for both parts.
        m: the module whose range is split.
        left_last: last point of the left part of that module's range.
        right_first: first point of the right part.

    Returns:
        The nodes; their arrays are new if the old ones had no room for two more.
    """
    if size + 2 > nodes.bound.size:
        nodes = OpenRanges(
            np.concatenate((nodes.first, np.zeros_like(nodes.first))),
            np.concatenate((nodes.last, np.zeros_like(nodes.last))),
            np.concatenate((nodes.bound, np.zeros_like(nodes.bound))),
        )
    # The part with the shorter latencies comes last, so that it is examined first.
    nodes.first[size], nodes.last[size], nodes.bound[size] = first, last, bound
    nodes.first[size, m] = right_first
    nodes.first[size + 1], nodes.last[size + 1], nodes.bound[size + 1] = first, last, bound
    nodes.last[size + 1, m] = left_last
    return nodes


@compiled
def least_bound(nodes: OpenRanges, size: int, most: float) -> float:
    """The least bound of the first `size` open nodes, but no more than `most`; money per hour."""
    bound = most
    for i in range(size):
        bound = min(bound, nodes.bound[i])
    return bound
