"""The search: widen what a plan may lose until a plan is found within it, then close what is left between the bounds.

1. *Incumbent*: every partition on whole GPUs of its own. 2. *Bound*: GPUs may be divided at will. 3. Where these two
differ, *pools*: exact, but only of states from which the bound of step 2 can still beat the incumbent. Where tables
cannot hold divided GPUs, pools are packed by losses alone in place of steps 2 and 3 (`deepening`).
"""

from __future__ import annotations

import numpy as np

from formulations.pipeline.columns.deepening import deepen
from formulations.pipeline.columns.dividing import others, served_table, with_others
from formulations.pipeline.columns.enumeration import Floats
from formulations.pipeline.columns.joining import choose, joined
from formulations.pipeline.columns.level import (
    MOST_AMOUNTS,
    Level,
    Setting,
    TooLargeError,
    first_gap,
    level_of,
    what_may_be_lost,
)
from formulations.pipeline.columns.packing import Grid
from formulations.pipeline.columns.patterns import Patterns
from formulations.pipeline.columns.pools import pack_model, reach_of
from formulations.pipeline.columns.reach import Reach, table_of
from formulations.pipeline.columns.task import Task


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
    try:
        level = level_of(setting, patterns, gap, own=False)
    except TooLargeError:
        if not setting.task.whole:
            raise
        deepen(setting)
        return
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
    task, progress = setting.task, setting.progress
    if np.prod(task.count.astype(float) + 1) > MOST_AMOUNTS:
        raise TooLargeError
    gap = first_gap(setting)
    while True:
        progress.count("widenings", 1)
        patterns = setting.find_patterns(gap)
        level = level_of(setting, patterns, gap, own=True)
        if level.division.amounts:
            progress.improve(level.division.value, level.plan(setting))
        missing = what_may_be_lost(setting)
        if missing <= gap:
            progress.stats["patterns"] = len(patterns)
            return patterns.take(np.flatnonzero(patterns.loss <= missing))
        gap = min(2 * gap, missing)


def _close_pools(setting: Setting, level: Level, gap: float) -> None:
    """Step 3: the exact tables of all models, as far as they can beat the incumbent."""
    progress, target = setting.progress, setting.target(gap)
    pools = []
    for m, patterns in enumerate(level.patterns):
        grid = level.packings[m].grid
        pools.append(pack_model(setting, m, patterns, grid, _reach(setting, level, m, target, gap)))
    choose(setting, pools, joined(setting, pools[:-1], target), target)
    progress.exhausted = progress.plan is None
    progress.lower(progress.target)


def _reach(setting: Setting, level: Level, model: int, target: float, gap: float) -> Reach:
    """Which states of a model may lead to the target, by what the other models need at least."""
    task, grid = setting.task, level.packings[model].grid
    allowed = _allowed_beside(task, others(task, level.points, level.tables[model].shape, model), target)
    used = served_table(level.packings[model], setting.relaxation, model, whole=False)
    rest, more = np.where(allowed, np.inf, -np.inf), _more(grid, used, allowed)
    return reach_of(setting, model, grid, target, gap, rest=table_of(rest), more=table_of(more))


def _allowed_beside(task: Task, rest: Floats, target: float) -> np.ndarray:
    """Next to which GPUs of one model the others reach the target, given their best value by amount of GPUs."""
    own = -np.tensordot(task.price, np.indices(rest.shape), axes=1) if task.cost else np.full(rest.shape, np.inf)
    return np.asarray(with_others(task, own, np.flip(rest)) > target)


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
