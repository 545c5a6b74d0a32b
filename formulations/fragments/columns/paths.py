"""The best plan of sets within a slack: a shortest path, in whole numbers (ours).

The fragments of a class, which have one begin and one rate, stand in a row, the tightest first. Some best plan is built
as follows: the tightest fragment of all that are left goes into a set with the tightest so many of each class, and so
on with the others. For take the set of that fragment in any best plan: its least budget is the fragment's, whoever else
is in it, so that a tighter fragment may change places with a member of the same class: the least budget of the set that
it leaves does not fall.

So what is left is known by how many of each class are taken. Such numbers are nodes, sets are arcs from fewer to more,
and their lengths are reduced costs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from euclio.core.compiled import compiled, is_past
from formulations.fragments.columns.tables import NEVER
from formulations.fragments.columns.types import Ints

EVERY = 64
"""Nodes between two looks at the clock."""


class Graph(NamedTuple):
    """Fragments in rows, and the sets that are arcs.

    Attributes:
        first: fragments of class c stand at `first[c]` to `first[c + 1]`, the tightest first, shape (classes + 1,).
        rank: per fragment the place of its limit among all limits, ascending.
        worth: prices of all fragments before one, summed up, in units, shape (fragments + 1,).
        set_start: sets of the limit with rank t are those from `set_start[t]` to `set_start[t + 1]`.
        numbers: per set how many fragments of each class it takes, shape (sets, classes).
        share: per set its GPU share in units.
        radix: place value of each class in the number of a node, shape (classes,).
    """

    first: Ints
    rank: Ints
    worth: Ints
    set_start: Ints
    numbers: Ints
    share: Ints
    radix: Ints


@compiled
def shortest_path(graph: Graph, slack: int, length: Ints, arc: npt.NDArray[np.int32], deadline: float) -> bool:
    """The lengths of the shortest paths from no fragment to each node, and their last arcs.

    Args:
        graph: fragments and sets.
        slack: longest path of interest, in units.
        length: filled in, `NEVER` where there is no path within the slack; shape (nodes,).
        arc: filled in: the set that a shortest path ends with, shape (nodes,).
        deadline: `clock` value at which to stop.

    Returns:
        Whether all nodes were seen before the deadline.
    """
    first, rank, worth, set_start, numbers, share, radix = graph
    classes = len(radix)
    length[:] = NEVER
    length[0] = 0
    taken = np.zeros(classes, dtype=np.int64)
    # Each arc leads to a node with a higher number.
    seen = 0
    for node in range(len(length) - 1):
        # Prune: the slack has all that the sets still to come may gain in it.
        if length[node] > slack:
            continue
        seen += 1
        if seen % EVERY == 0 and is_past(deadline):
            return False
        # How many of each class are taken, and the tightest fragment that is left: the next set has to take it.
        rest, tightest, at = node, -1, -1
        for c in range(classes - 1, -1, -1):
            taken[c] = rest // radix[c]
            rest -= taken[c] * radix[c]
            place = first[c] + taken[c]
            if place < first[c + 1] and (at < 0 or rank[place] < tightest):
                tightest, at = rank[place], c
        for k in range(set_start[tightest], set_start[tightest + 1]):
            if numbers[k, at] == 0:
                continue
            # The set takes the tightest fragments left of each class, as far as there are as many.
            cost, end = length[node] + share[k], node
            for c in range(classes):
                place = first[c] + taken[c]
                if place + numbers[k, c] > first[c + 1]:
                    cost = NEVER
                    break
                cost -= worth[place + numbers[k, c]] - worth[place]
                end += numbers[k, c] * radix[c]
            if cost <= slack and cost < length[end]:
                length[end], arc[end] = cost, k
    return True
