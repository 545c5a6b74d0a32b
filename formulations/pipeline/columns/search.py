"""The search of a node whose GPUs tables can hold: within what a plan may lose, until incumbent and bound meet.

1. *Incumbent*: the gap is widened until a plan is found within it whose partitions have whole GPUs of their own.
2. *Bound*: GPUs are divided between pools at will.
3. *Pools*: where these two differ, exactly, but only labels that by the tables of step 2 can still beat the incumbent.

Where tables cannot hold divided GPUs, such as those of four types, steps 2 and 3 are replaced by *deepening*: pools are
packed by losses alone. Few labels lose little. So all plans that lose no more than a small gap are searched, then those
that lose twice as much, until one is found: it is the best.
"""

from __future__ import annotations

import numpy as np

from formulations.pipeline.columns.combination import Combinations, choose, combine, worth_left
from formulations.pipeline.columns.division import (
    MOST_AMOUNTS,
    Divided,
    best_of_others,
    both_values,
    pack_and_divide,
    served_table,
)
from formulations.pipeline.columns.enumeration import Floats, Ints
from formulations.pipeline.columns.knapsack import Grid, grid_of
from formulations.pipeline.columns.labels import CompletionBounds, Table, table_of
from formulations.pipeline.columns.node import Node
from formulations.pipeline.columns.patterns import Patterns
from formulations.pipeline.columns.pools import PackedModel, completion_bounds, pack_model, units_of
from formulations.pipeline.columns.problem import TooLargeError

FIRST_PART = 1 / 2
"""Part of a node's first gap that deepening starts with."""
TRIED = 0.25
"""Part of the gap within which the least loss of each model is sought before all of it is searched."""
FEW = 500
"""Patterns of all models up to which the least losses are not sought first."""


def search(node: Node) -> None:
    """Search a node by tables; incumbent and bound are left in its progress, also when time runs out.

    Raises:
        TooLargeError: tables cannot hold the amounts of GPUs.
        TooManyError: step 3 or deepening has too many labels.
        OutOfTimeError: the deadline has passed.
    """
    progress = node.progress
    patterns = find_incumbent(node)
    gap = node.what_may_be_lost
    try:
        divided = pack_and_divide(node, patterns, gap, restricted=False)
    except TooLargeError:
        if not node.problem.whole:
            raise
        deepen(node)
        return
    progress.lower(divided.division.value)
    if not divided.division.amounts:
        progress.exhausted = progress.plan is None
    elif node.problem.whole:
        _close_pools(node, divided, gap)
    else:
        # Fractions of GPUs are added up, so the best division is a plan.
        progress.improve(divided.division.value, divided.plan(node))
        progress.lower(progress.target)


def find_incumbent(node: Node) -> Patterns:
    """Step 1: find a plan whose partitions have whole GPUs each, and which loses no more than was searched.

    Returns:
        All patterns that lose no more than that plan.

    Raises:
        TooLargeError: tables cannot hold the amounts of GPUs.
        OutOfTimeError: the deadline has passed.
    """
    progress = node.progress
    if np.prod(node.problem.count.astype(float) + 1) > MOST_AMOUNTS:
        raise TooLargeError
    gap = node.first_gap
    while True:
        progress.count("widenings", 1)
        patterns = node.find_patterns(gap)
        divided = pack_and_divide(node, patterns, gap, restricted=True)
        if divided.division.amounts:
            progress.improve(divided.division.value, divided.plan(node))
        missing = node.what_may_be_lost
        if missing <= gap:
            progress.stats["patterns"] = len(patterns)
            return patterns.take(np.flatnonzero(patterns.loss <= missing))
        gap = min(2 * gap, missing)


def _close_pools(node: Node, divided: Divided, gap: float) -> None:
    """Step 3: all labels of all models that can be part of a plan better than the incumbent."""
    progress, target = node.progress, node.target(gap)
    packed = []
    for m, patterns in enumerate(divided.patterns):
        grid = divided.packings[m].grid
        packed.append(pack_model(node, m, patterns, grid, _bounds_by_tables(node, divided, m, target, gap)))
    choose(node, packed, combine(node, packed[:-1], target), target)
    # Nothing that exceeds the target was left out, so either the plan found is the best or there is none.
    progress.exhausted = progress.plan is None
    progress.lower(progress.target)


def _bounds_by_tables(node: Node, divided: Divided, model: int, target: float, gap: float) -> CompletionBounds:
    """Which labels of a model may lead to the target, given what the tables say that the other models need at least."""
    problem, packing = node.problem, divided.packings[model]
    others = best_of_others(problem, divided.points, divided.tables[model].shape, model)
    own = np.full(others.shape, np.inf)
    if problem.cost:
        own = -np.tensordot(problem.price, np.indices(others.shape), axes=1)
    # By whole GPUs of this model: do the others reach the target on the GPUs that are left?
    allowed = np.asarray(both_values(problem, own, np.flip(others)) > target)
    served = served_table(packing, node.relaxation, model, whole=False)
    rest, more = np.where(allowed, np.inf, -np.inf), _most_added(packing.grid, served, allowed)
    return completion_bounds(node, model, packing.grid, target, gap, rest=table_of(rest), more=table_of(more))


def _most_added(grid: Grid, served: Floats, allowed: np.ndarray) -> Floats:
    """Most requests per second that can be added to an amount of GPUs without leaving what is allowed.

    Args:
        grid: amounts of GPUs in parts.
        served: most requests per second by amount.
        allowed: whether the model may use these whole GPUs.
    """
    more = np.full(grid.shape, -np.inf)
    # Only the largest allowed amounts matter: any other one is within one of them.
    largest = allowed.copy()
    for axis in range(allowed.ndim):
        inner, outer = [slice(None)] * allowed.ndim, [slice(None)] * allowed.ndim
        inner[axis], outer[axis] = slice(None, -1), slice(1, None)
        largest[tuple(inner)] &= ~allowed[tuple(outer)]
    for amount in np.argwhere(largest):
        box = tuple(slice(0, int(n) + 1) for n in amount * grid.unit)
        np.maximum(more[box], np.flip(served[box]), out=more[box])
    return more


def deepen(node: Node) -> None:
    """Widen what a plan may lose until the best one is found; whole GPUs only.

    Raises:
        TooManyError: there are too many labels.
        OutOfTimeError: the deadline has passed.
    """
    progress = node.progress
    gap = FIRST_PART * node.first_gap
    while True:
        missing = node.what_may_be_lost
        gap = min(gap, missing)
        progress.count("deepenings", 1)
        if search_within(node, gap) or gap >= missing:
            progress.exhausted = progress.plan is None
            progress.lower(progress.target)
            return
        # No plan loses so little: each is worth less than the bound by more than the gap.
        progress.lower(node.relaxation.bound - gap)
        if progress.closed:
            return
        # Where the step after the next would be all that may be lost, that is searched next.
        gap = 2 * gap if 3 * gap < missing else missing


def search_within(node: Node, gap: float) -> bool:
    """Find the best plan that loses no more than the gap and is better than the incumbent; whether there is one.

    What a model loses at least, the others cannot lose. The model with most patterns comes last: then it is known what
    GPUs the others leave it.

    Raises:
        TooManyError: there are too many labels.
        OutOfTimeError: the deadline has passed.
    """
    prices = node.relaxation
    target = max(node.progress.target, prices.bound - gap - prices.slack)
    gap = prices.bound - target
    if gap <= 0:
        return False
    patterns = node.find_patterns(gap)
    model = node.columns.model[patterns.column]
    parts = [patterns.take(np.flatnonzero(model == m)) for m in node.problem.models]
    order = sorted(node.problem.models, key=lambda m: len(parts[m]))
    least = np.zeros(len(parts))
    # A first look at labels that lose little shows what each model loses at least.
    for m in order if len(patterns) > FEW else []:
        left = gap - least.sum()
        least[m] = min(TRIED * left, _pack(node, m, parts[m], target, left, TRIED).least_loss(node, target))
    packed: list[PackedModel] = []
    joint: Combinations | None = None
    for m in order:
        left = gap - (least.sum() - least[m])
        # It loses more, at the least, than the others leave it.
        if left < least[m] - prices.slack:
            return False
        if len(packed) == len(parts) - 1:
            joint = combine(node, packed, target)
            # No choice of the other models leaves the last one what the target asks for.
            if joint is not None and not len(joint.value):
                return False
        rest = None if joint is None else worth_left(node.problem, prices.gpu, joint)
        packed.append(_pack(node, m, parts[m], target, left, rest=rest))
        least[m] = packed[-1].least_loss(node, target)
    return choose(node, packed, joint, target)


def _pack(
    node: Node,
    model: int,
    patterns: Patterns,
    target: float,
    gap: float,
    part: float = 1.0,
    rest: Table | None = None,
) -> PackedModel:
    """The labels of a model that lose no more than a part of the gap, in plans that may lose all of the gap.

    Args:
        node: the instance.
        model: index of the model.
        patterns: its patterns.
        target: value that a plan has to exceed.
        gap: worth that a plan may lose.
        part: part of the gap that a label may lose.
        rest: by whole GPUs, the greatest worth of GPUs that the other models leave; None if nothing is known.
    """
    near: Ints = np.flatnonzero(patterns.loss <= part * gap)
    patterns = patterns.take(near)
    grid = grid_of(node.problem.count, units_of(node, patterns))
    bounds = completion_bounds(node, model, grid, target, gap, part=part, rest=rest)
    return pack_model(node, model, patterns, grid, bounds)
