"""Branch and bound over the columns that each sequence of GPU types may use, where it may have only one (ours).

A node has some of the columns; the others have infinite reduced cost in its relaxation. Nodes are taken by falling
bound, and branched on for one of two reasons:

1. The relaxation mixes columns of a sequence, which a plan may not: the sequence's columns are divided in two by how
   they use GPU types, so that those mixed are parted.
2. The node is not searched to the end, as several columns serve the same at the same loss: one of them or another.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from formulations.pipeline.columns.assignment import loosest
from formulations.pipeline.columns.dominance import EQUAL, unmerged
from formulations.pipeline.columns.enumeration import Ints
from formulations.pipeline.columns.node import Node
from formulations.pipeline.columns.problem import Progress
from formulations.pipeline.columns.relaxation import Relaxation, relax, usage

MOST_SEARCHED = 50
"""Nodes that are searched; after that those that are not searched to the end stay so."""


def branch_and_bound(root: Node, search: Callable[[Node], None]) -> None:
    """Search nodes by falling bound until no other can have a better plan.

    Args:
        root: the node of all columns.
        search: finds the best plan of a node's allowed columns if it can, and lowers the bound of its progress.

    Raises:
        OutOfTimeError: the deadline has passed.
    """
    # `proven` is the greatest bound of the nodes that are done with; the root's plans are worth no more than that or
    # the greatest bound of an open one.
    progress, proven, exhausted, searched = root.progress, -math.inf, True, 0
    opened = [(-progress.bound, 0, root.relaxation)]
    number = 0
    while opened:
        root.deadline.check()
        bound, _, relaxation = heapq.heappop(opened)
        progress.lower(max(-bound, proven))
        if -bound <= progress.target:
            # No open node can have a better plan than the incumbent.
            exhausted = False
            break
        node = replace(root, relaxation=relaxation, progress=replace(progress, bound=-bound, trace=[]))
        halves = _parted(node)
        if not halves:
            searched += 1
            _search(node, search, progress)
            own = node.progress
            done = own.exhausted or own.bound <= own.target or own.closed
            # Plans on fractions of GPUs are never searched to the end.
            over = done or searched >= MOST_SEARCHED or not root.problem.whole
            halves = [] if over else _one_or_others(node)
            exhausted = exhausted and own.exhausted
            proven = proven if halves else max(proven, -math.inf if own.exhausted else own.bound)
        for half in halves:
            solved = _relaxed(root, half)
            if solved is not None:
                number += 1
                # A part is worth no more than the whole, whatever its own relaxation says.
                heapq.heappush(opened, (-min(solved.bound, node.progress.bound), number, solved))
    progress.exhausted = exhausted and progress.plan is None
    progress.lower(proven)


def _search(node: Node, search: Callable[[Node], None], progress: Progress) -> None:
    """Search a node; its plan becomes the incumbent of the whole search if it is better, also when time runs out."""
    try:
        search(node)
    finally:
        if node.progress.plan is not None:
            progress.improve(node.progress.value, node.progress.plan)


def _relaxed(root: Node, kept: Ints) -> Relaxation | None:
    """The relaxation over some columns; all other columns have infinite reduced cost in it.

    Args:
        root: the node of all columns.
        kept: indices of the columns that are allowed.

    Returns:
        The relaxation; None: the columns kept cannot serve the rates.
    """
    columns = root.columns
    kept = kept[unmerged(columns.take(kept), np.arange(len(kept)), alone=True)]
    models = np.unique(columns.model[kept])
    solved = relax(root.problem, columns.take(kept)) if len(models) == len(root.problem.weight) else None
    if solved is None:
        return None
    reduced_cost = np.full(len(columns), np.inf)
    reduced_cost[kept] = solved.reduced_cost
    basis = {int(kept[c]): served for c, served in solved.basis.items()}
    return replace(solved, reduced_cost=reduced_cost, basis=basis)


def _parted(node: Node) -> list[Ints]:
    """Two parts of the columns that part those of a sequence that the relaxation mixes; none are mixed: no parts."""
    columns, prices = node.columns, node.relaxation
    of_sequence: dict[int, list[int]] = defaultdict(list)
    for column in sorted(prices.basis, key=lambda c: (-prices.basis[c], c)):
        of_sequence[int(columns.sequence[column])].append(column)
    mixed = [own for own in of_sequence.values() if len(own) > 1]
    if not mixed:
        return []
    # The sequence whose second column serves requests of most worth: rounding it away would lose most.
    first, second = max(mixed, key=lambda own: prices.basis[own[1]] * prices.model[columns.model[own[1]]])[:2]
    kept = np.flatnonzero(np.isfinite(prices.reduced_cost))
    # Columns that use GPU types more as the first does, and those that do more as the second does.
    used = usage(columns.take(np.array([first, second, *kept])), len(node.problem.count))
    along = used @ (used[0] - used[1])
    upper = along[2:] > (along[0] + along[1]) / 2
    # Both are on one side, so that this would part nothing: the first one goes alone.
    if upper[kept == first].all() == upper[kept == second].all():
        upper = kept == first
    own = columns.sequence[kept] == columns.sequence[first]
    return [kept[~own | upper], kept[~own | ~upper]]


def _one_or_others(node: Node) -> list[Ints]:
    """Two parts of the columns by a sequence that several columns may stand for: only one of these, or only the rest.

    Returns:
        Indices of the columns of either part; no parts: no sequence has several columns that matter.
    """
    columns, prices = node.columns, node.relaxation
    kept = np.flatnonzero(np.isfinite(prices.reduced_cost))
    several = {s for s, number in Counter(columns.sequence[kept].tolist()).items() if number > 1}
    equal = kept[prices.reduced_cost[kept] <= EQUAL * prices.model[columns.model[kept]]]
    for column in [*loosest(node), *equal.tolist()]:
        if int(columns.sequence[column]) in several:
            others = columns.sequence[kept] != columns.sequence[column]
            return [kept[others | (kept == column)], kept[kept != column]]
    return []
