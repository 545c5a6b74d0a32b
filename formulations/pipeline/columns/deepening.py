"""Pools packed by losses alone, for clusters whose parts of GPUs tables cannot hold, such as those of four GPU types.

Few states lose little. So all plans that lose no more than a small gap are searched, then those that lose twice as
much, until one is found: it is the best. What a model loses at least, those after it cannot lose; the one with most
patterns comes last.
"""

from __future__ import annotations

import numpy as np

from formulations.pipeline.columns.joining import Joint, choose, joined, room_beside
from formulations.pipeline.columns.level import Setting, first_gap, units_of, what_may_be_lost
from formulations.pipeline.columns.packing import grid_of
from formulations.pipeline.columns.patterns import Patterns
from formulations.pipeline.columns.pools import Pools, pack_model, reach_of
from formulations.pipeline.columns.reach import Table

FIRST_PART = 1 / 2
"""Part of the first gap of whole GPUs that plans with pools may lose at first."""

TRIED = 0.25
"""Part of the gap within which the least loss of each model is sought before all of it is searched."""
FEW = 500
"""Patterns of all models that are searched at once."""


def deepen(setting: Setting) -> None:
    """Widen what a plan may lose until the best one is found; whole GPUs only.

    Raises:
        TooManyError: there are too many states.
        OutOfTimeError: the deadline has passed.
    """
    progress = setting.progress
    gap = FIRST_PART * first_gap(setting)
    while True:
        missing = what_may_be_lost(setting)
        gap = min(gap, missing)
        progress.count("deepenings", 1)
        if search_within(setting, gap) or gap >= missing:
            progress.exhausted = progress.plan is None
            progress.lower(progress.target)
            return
        progress.lower(setting.relaxation.bound - gap)
        if progress.closed:
            return
        gap = 2 * gap if 3 * gap < missing else missing


def search_within(setting: Setting, gap: float) -> bool:
    """Find the best plan that loses no more than the gap and is better than the incumbent; whether there is one."""
    task, bound = setting.task, setting.relaxation.bound
    target = max(setting.progress.target, bound - gap - setting.relaxation.slack)
    gap = bound - target
    if gap <= 0:
        return False
    patterns = setting.find_patterns(gap)
    model = setting.columns.model[patterns.column]
    parts = [patterns.take(np.flatnonzero(model == m)) for m in range(len(task.weight))]
    order = sorted(range(len(parts)), key=lambda m: len(parts[m]))
    least = np.zeros(len(parts))
    for m in order if len(patterns) > FEW else []:
        left = gap - least.sum()
        least[m] = min(TRIED * left, _pack(setting, m, parts[m], target, left, TRIED).least_loss(setting, target))
    pools: list[Pools] = []
    joint: Joint | None = None
    for m in order:
        left = gap - (least.sum() - least[m])
        if left < least[m] - setting.relaxation.slack:
            return False
        if len(pools) == len(parts) - 1:
            joint = joined(setting, pools, target)
            if joint is not None and not len(joint.value):
                return False
        rest = None if joint is None else room_beside(task, setting.relaxation.gpu, joint)
        pools.append(_pack(setting, m, parts[m], target, left, rest=rest))
        least[m] = pools[-1].least_loss(setting, target)
    return choose(setting, pools, joint, target)


def _pack(
    setting: Setting,
    model: int,
    patterns: Patterns,
    target: float,
    gap: float,
    share: float = 1.0,
    rest: Table | None = None,
) -> Pools:
    near = patterns.take(np.flatnonzero(patterns.loss <= share * gap))
    grid = grid_of(setting.task.count, units_of(setting, near))
    return pack_model(setting, model, near, grid, reach_of(setting, model, grid, target, gap, share, rest))
