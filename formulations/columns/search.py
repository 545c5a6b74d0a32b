"""The search: widen what a plan may lose until a plan is found within it, then close what is left between the bounds.

1. *Incumbent*: every partition on whole GPUs of its own. 2. *Bound*: GPUs may be divided at will. 3. Where these two
differ, *pools*: exact, but only of states from which the bound of step 2 can still beat the incumbent.
"""

from __future__ import annotations

import numpy as np

from formulations.columns.dividing import at_most, divide, others, points_of, served_table, with_others
from formulations.columns.enumeration import Floats
from formulations.columns.level import MOST_AMOUNTS, Level, Setting, TooLargeError, level_of
from formulations.columns.packing import Grid
from formulations.columns.patterns import Patterns, find_patterns
from formulations.columns.progress import STEP, Counts
from formulations.columns.sharing import Reach, pack_pools, usage_of, whole_gpus

FIRST_GAP = 0.125
"""GPUs of each type that a model may lose at first."""


def search(setting: Setting) -> None:
    """Run the steps; plan and bound are left in the setting's progress, also when time runs out.

    Raises:
        TooLargeError: tables cannot hold the amounts of GPUs.
        TooManyError: step 3 has too many states.
        OutOfTimeError: the deadline has passed.
    """
    progress = setting.progress
    patterns = find_incumbent(setting)
    gap = what_may_be_lost(setting)
    level = level_of(setting, patterns, gap, own=False)
    progress.lower(level.division.value)
    if not level.division.amounts:
        progress.exhausted = progress.plan is None
    elif setting.task.whole:
        _close_pools(setting, level, gap)
    else:
        progress.improve(level.division.value, level.plan(setting))
        progress.lower(progress.target)


def find_incumbent(setting: Setting) -> Patterns:
    """Find a plan that loses no more than was searched, every partition on whole GPUs of its own.

    Returns:
        All patterns that lose no more than that plan.

    Raises:
        TooLargeError: tables cannot hold the amounts of GPUs.
        OutOfTimeError: the deadline has passed.
    """
    task, relaxation, progress = setting.task, setting.relaxation, setting.progress
    if np.prod(task.count.astype(float) + 1) > MOST_AMOUNTS:
        raise TooLargeError
    gap = first_gap(setting)
    while True:
        progress.count("widenings", 1)
        patterns = find_patterns(task, setting.columns, relaxation, gap)
        level = level_of(setting, patterns, gap, own=True)
        if level.division.amounts:
            progress.improve(level.division.value, level.plan(setting))
        missing = what_may_be_lost(setting)
        if missing <= gap:
            progress.stats["patterns"] = len(patterns)
            return patterns.take(np.flatnonzero(patterns.loss <= missing))
        gap = min(2 * gap, missing)


def first_gap(setting: Setting) -> float:
    """What a plan may lose at first."""
    worth = float(setting.relaxation.gpu.sum()) * len(setting.task.weight)
    return min(what_may_be_lost(setting), FIRST_GAP * worth)


def what_may_be_lost(setting: Setting) -> float:
    """What a plan may lose that is better than the incumbent."""
    return setting.relaxation.bound - max(setting.task.worst, setting.progress.value)


def _close_pools(setting: Setting, level: Level, gap: float) -> None:
    """Step 3: the exact tables of all models, as far as they can beat the incumbent."""
    task, progress = setting.task, setting.progress
    target = setting.target(gap)
    states, wholes, points = [], [], []
    for m, patterns in enumerate(level.patterns):
        grid = level.packings[m].grid
        usage = usage_of(setting.columns, patterns, grid.unit)
        reach = _reach(setting, level, m, target)
        found = pack_pools(grid, usage, patterns.served, reach, setting.stages(patterns), setting.deadline)
        progress.count("pool_states", len(found.served))
        whole = whole_gpus(found.amount, found.odd, usage.gpu, grid.unit)
        table = np.zeros(level.tables[m].shape)
        np.maximum.at(table, tuple(whole[found.alive].T), found.served[found.alive])
        unit = np.ones_like(task.count)
        points.append(points_of(task, at_most(table), unit, m, target, setting.relaxation.bound))
        states.append(found)
        wholes.append(whole)
    division = divide(task, points, level.tables[0].shape, target)
    plan: Counts = []
    for patterns, found, whole, amount in zip(level.patterns, states, wholes, division.amounts, strict=False):
        fits = found.alive[(whole[found.alive] <= amount).all(axis=1)]
        chosen = found.patterns_of(int(fits[np.argmax(found.served[fits])]))
        plan += [(int(patterns.column[p]), patterns.count[p]) for p in chosen]
    if plan:
        progress.improve(division.value, plan)
    progress.exhausted = progress.plan is None
    progress.lower(progress.target)


def _reach(setting: Setting, level: Level, model: int, target: float) -> Reach:
    """Which states of a model may lead to the target, by what the other models need at least."""
    task, grid = setting.task, level.packings[model].grid
    shape = level.tables[model].shape
    rest = np.flip(others(task, level.points, shape, model))
    own = -np.tensordot(task.price, np.indices(shape), axes=1) if task.cost else np.full(shape, np.inf)
    allowed = with_others(task, own, rest) > target
    used = served_table(level.packings[model], setting.relaxation, model, whole=False)
    return Reach(allowed, _more(grid, used, allowed), task.least(model, target) * (1 - STEP))


def _more(grid: Grid, used: Floats, allowed: np.ndarray) -> Floats:
    """Most requests per second that can be added to an amount without leaving what is allowed."""
    more = np.full(grid.shape, -np.inf)
    largest = allowed.copy()
    for axis in range(allowed.ndim):
        inner, outer = [slice(None)] * allowed.ndim, [slice(None)] * allowed.ndim
        inner[axis], outer[axis] = slice(None, -1), slice(1, None)
        largest[tuple(inner)] &= ~allowed[tuple(outer)]
    for amount in np.argwhere(largest):
        box = tuple(slice(0, int(n) + 1) for n in amount * grid.unit)
        np.maximum(more[box], np.flip(used[box]), out=more[box])
    return more
