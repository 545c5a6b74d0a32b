"""The search of a node with few enough GPUs for tables, within a growing gap, until incumbent and bound meet.

1. *Incumbent*: the gap is widened until it holds a plan with whole GPUs for each partition.
2. *Bound*: pools divide GPUs at will.
3. *Pools*: if these two differ, an exact search of the labels that, by the tables of step 2, can beat the incumbent.

If tables cannot hold divided GPUs, such as those of four types, *deepening* replaces steps 2 and 3. It packs pools by
losses alone, since few labels lose little. It searches all plans that lose no more than a small gap, then those that
lose twice as much, until it finds one, which is the best.
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
"""Part of a node's first gap at the start of deepening."""
TRIED = 0.25
"""Part of the gap for a search of the least loss of each model, before a search of all of it."""
FEW = 500
"""Most patterns of all models for a search without the least losses first."""


def search(node: Node) -> None:
    """Search a node by tables; its progress has incumbent and bound, also if time runs out.

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
        # Fractions of GPUs add up, so the best division is a plan.
        progress.improve(divided.division.value, divided.plan(node))
        progress.lower(progress.target)


def find_incumbent(node: Node) -> Patterns:
    """Find a plan with whole GPUs for each partition, which loses no more than the searched gap (step 1).

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
    """Search all labels of all models that can be part of a plan better than the incumbent (step 3)."""
    progress, target = node.progress, node.target(gap)
    packed = []
    for m, patterns in enumerate(divided.patterns):
        grid = divided.packings[m].grid
        packed.append(pack_model(node, m, patterns, grid, _bounds_by_tables(node, divided, m, target, gap)))
    choose(node, packed, combine(node, packed[:-1], target), target)
    # The search left out nothing above the target, so either the plan found is the best or there is none.
    progress.exhausted = progress.plan is None
    progress.lower(progress.target)


def _bounds_by_tables(node: Node, divided: Divided, model: int, target: float, gap: float) -> CompletionBounds:
    """Bounds on labels of a model for the target, given the least needs of the other models by the tables."""
    problem, packing = node.problem, divided.packings[model]
    others = best_of_others(problem, divided.points, divided.tables[model].shape, model)
    own = np.full(others.shape, np.inf)
    if problem.cost:
        own = -np.tensordot(problem.price, np.indices(others.shape), axes=1)
    # By whole GPUs of this model: do the others reach the target on the remaining GPUs?
    allowed = np.asarray(both_values(problem, own, np.flip(others)) > target)
    served = served_table(packing, node.relaxation, model, whole=False)
    rest, more = np.where(allowed, np.inf, -np.inf), _most_added(packing.grid, served, allowed)
    return completion_bounds(node, model, packing.grid, target, gap, rest=table_of(rest), more=table_of(more))


def _most_added(grid: Grid, served: Floats, allowed: np.ndarray) -> Floats:
    """Most requests per second to add to an amount of GPUs within the allowed ones.

    Args:
        grid: amounts of GPUs in parts.
        served: most requests per second by amount.
        allowed: whether the model may use these whole GPUs.
    """
    more = np.full(grid.shape, -np.inf)
    # Only the largest allowed amounts matter, since any other one is within one of them.
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
    """Widen the allowed loss until the best plan is found; whole GPUs only.

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
        # No plan loses so little, so each is worth less than the bound by more than the gap.
        progress.lower(node.relaxation.bound - gap)
        if progress.closed:
            return
        # If the step after the next would be the whole gap, it is searched next.
        gap = 2 * gap if 3 * gap < missing else missing


def search_within(node: Node, gap: float) -> bool:
    """Find the best plan within the gap that beats the incumbent; whether there is one.

    The others cannot lose the least loss of a model. The model with most patterns comes last, when the GPUs that the
    others leave it are known.

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
    # A first search of labels that lose little gives the least loss of each model.
    for m in order if len(patterns) > FEW else []:
        left = gap - least.sum()
        least[m] = min(TRIED * left, _pack(node, m, parts[m], target, left, TRIED).least_loss(node, target))
    packed: list[PackedModel] = []
    joint: Combinations | None = None
    for m in order:
        left = gap - (least.sum() - least[m])
        # Its least loss exceeds the loss that the others leave it.
        if left < least[m] - prices.slack:
            return False
        if len(packed) == len(parts) - 1:
            joint = combine(node, packed, target)
            # No choice of the other models leaves enough to the last one for the target.
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
    """The labels of a model that lose no more than a part of the gap, in plans that may lose all of it.

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
