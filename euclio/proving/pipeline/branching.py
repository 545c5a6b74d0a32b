"""How the search for one model's pipelines divides: nodes that together hold every plan of their parent (ours)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from euclio.proving.pipeline.lumps import Floats, Lumps, Whole
from euclio.proving.pipeline.pricing import Box, Proposal

WHOLE = 1e-6
"""What the linear program says is whole this close to a whole number; it only decides where to branch."""


@dataclass(frozen=True, slots=True)
class Node:
    """A part of the search: all plans of some lumps on no more GPUs than a box has.

    Attributes:
        lumps: those that may be in a plan.
        box: GPUs of the pools.
        forced: groups of which one lump has to be in the plan.
        limited: groups whose use the linear program limits to at most once.
        prices: those last proposed, per pool.
    """

    lumps: Lumps
    box: Box
    forced: frozenset[int]
    limited: frozenset[int]
    prices: Floats


def children_of(node: Node, proposal: Proposal | None, *, whole: bool) -> list[Node]:
    """Nodes that together hold every plan of a node; none: the only plan of the node has all of its lumps.

    Args:
        node: to be divided.
        proposal: what the linear program says; it only decides where to divide.
        whole: GPUs are counted up to whole ones.
    """
    # Pools first: as long as GPUs can move between them, prices see nothing of what counting up wastes.
    pool = _fractional_pool(node, proposal) if whole and proposal is not None else None
    return _divided(node, *pool) if pool is not None else _split(node, proposal)


def _fractional_pool(node: Node, proposal: Proposal) -> tuple[int, int] | None:
    """A pool with a fraction of a GPU that is not to be had, and the whole GPUs below it."""
    use = proposal.part @ node.lumps.use
    best, found = WHOLE, None
    for available, own in zip(node.box.available, node.box.of_type, strict=True):
        # Counted up, the type's pools fit: nothing is lost here.
        if sum(math.ceil(use[p] - WHOLE) for p in own) <= available:
            continue
        for p in own:
            below = math.floor(use[p] + WHOLE)
            distance = min(use[p] - below, below + 1 - use[p])
            # The fraction farthest from whole numbers: either side of it moves the bound most.
            if node.box.least[p] <= below < node.box.most[p] and distance > best:
                best, found = distance, (p, below)
    return found


def _divided(node: Node, pool: int, below: int) -> list[Node]:
    """The node with at most `below` GPUs of a pool, and the node with more, if there are more to have."""
    box = node.box
    available, own = next(pair for pair in zip(box.available, box.of_type, strict=True) if pool in pair[1])
    low = tuple(below if p == pool else n for p, n in enumerate(box.most))
    children = [replace(node, box=replace(box, most=low))]
    high = tuple(below + 1 if p == pool else n for p, n in enumerate(box.least))
    left = math.floor(available) - sum(high[p] for p in own)
    # Where the other pools' least leaves no GPU more for this one, that side is empty.
    if left >= 0:
        most = tuple(min(n, high[p] + left) if p in own else n for p, n in enumerate(box.most))
        children.append(replace(node, box=replace(box, least=high, most=most)))
    return children


def _split(node: Node, proposal: Proposal | None) -> list[Node]:
    """Two nodes: without a group of lumps, or with it; a group that is forced already is divided in two parts."""
    lumps = node.lumps
    part = np.zeros(len(lumps.served)) if proposal is None else proposal.part
    own = _undecided(node, part)
    # Every group is decided: what is left is one plan, which the caller checks.
    if own is None:
        return []
    group = int(lumps.group[own[0]])
    # First whether the group is used at all, then by which of its lumps; the last child is searched first.
    if group not in node.forced:
        without = np.ones(len(part), bool)
        without[own] = False
        return [
            replace(node, lumps=lumps.only(without), limited=node.limited - {group}),
            replace(node, forced=node.forced | {group}),
        ]
    first = _half(lumps, part, own)
    return [_keeping(node, own, first), _keeping(node, own, ~first)]


def _undecided(node: Node, part: Floats) -> Whole | None:
    """The lumps of a group that the search has not decided yet; None: there is none.

    Of those that the linear program leaves undecided as well, the group that serves most.
    """
    lumps = node.lumps
    starts = np.flatnonzero(np.diff(lumps.group, prepend=-1))
    if not len(starts):
        return None
    ends = np.append(starts[1:], len(lumps.group))
    total = np.add.reduceat(part, starts)
    weight = np.add.reduceat(part * lumps.served, starts)
    largest = np.maximum.reduceat(part, starts)
    fractional = (largest < np.minimum(np.maximum(total, WHOLE), 1) - WHOLE) | ((total > WHOLE) & (total < 1 - WHOLE))
    open_ = ~np.isin(lumps.group[starts], list(node.forced)) | (ends - starts > 1)
    # A group that the program leaves in fractions first: dividing it changes the bound.
    for candidates in (fractional & open_, open_):
        if candidates.any():
            i = int(np.argmax(np.where(candidates, weight, -1.0)))
            return np.arange(starts[i], ends[i])
    return None


def _half(lumps: Lumps, part: Floats, own: Whole) -> NDArray[np.bool_]:
    """Which lumps of a group go to the first of two nodes; some do and some do not."""
    shares = part[own]
    if shares.sum() > WHOLE:
        taken = own[shares > WHOLE]
        # Cut through what the program mixes, by template or else by throughput, so that neither side can mix it.
        if len(np.unique(lumps.template[taken])) > 1:
            first = np.asarray(lumps.template[own] == int(np.argmax(np.bincount(lumps.template[own], shares))))
        else:
            middle = float((shares * lumps.served[own]).sum() / shares.sum())
            first = np.asarray(lumps.served[own] <= middle)
        if first.any() and not first.all():
            return first
    # The program says nothing of this group: halve it, so that the search ends.
    return np.asarray(np.arange(len(own)) < len(own) // 2)


def _keeping(node: Node, own: Whole, chosen: NDArray[np.bool_]) -> Node:
    kept = np.ones(len(node.lumps.served), bool)
    kept[own[~chosen]] = False
    return replace(node, lumps=node.lumps.only(kept))
