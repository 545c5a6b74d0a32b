"""Clusters of many GPUs: all plans of small loss, from the linear program's bulk and few GPUs next to it (ours).

Deepening as for tables that are too large: all plans that lose no more than a small gap are searched, then those that
lose twice as much, until one is found. Each time what these plans have in common is set aside first (`narrowing`). GPU
types of which there are more than enough are left out; the plan shows whether they are. Where a plan may have only one
pipeline of a sequence, all this is done for parts of the columns (`branching`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formulations.pipeline.columns.branching import search_branches
from formulations.pipeline.columns.deepening import search_within
from formulations.pipeline.columns.level import Setting, what_may_be_lost
from formulations.pipeline.columns.milp import plan_beside_bulk
from formulations.pipeline.columns.narrowing import few_left, narrow, rounded
from formulations.pipeline.columns.plans import together
from formulations.pipeline.columns.progress import Counts
from formulations.pipeline.columns.relaxation import LEAST_WORTH, usage
from formulations.pipeline.columns.task import ROUNDING, TooManyError
from formulations.pipeline.columns.valuing import value_of

FIRST_PART = 1e-6
"""Part of the bound that plans may lose at first."""
WIDER = 1.5, 4.0
"""By how much more a plan may lose after none was found: at least and at most."""
MOST_LEFT = 5000
"""Whole GPUs of a type that may be left for all plans to be searched."""
MOST_PROVING = 20_000
"""The same once a good plan is known, where there is no other way to prove it."""
EASY = 10**5
"""Pairs of state and pattern that the next search should look at, as far as one can tell."""
POWER = 4
"""How they grow with what a plan may lose."""


class _TooFewError(Exception):
    """There are fewer GPUs of a type than was thought to be plenty."""


def search_beside_bulk(setting: Setting) -> None:
    """Widen what a plan may lose until the best plan is proven, or too much would be left to search.

    Raises:
        OutOfTimeError: the deadline has passed.
    """
    if setting.task.one_per_sequence:
        _take(setting, setting, rounded(setting))
        search_branches(setting, _search)
    else:
        _search(setting)
    if not (setting.progress.closed or setting.progress.exhausted):
        _improve(setting, _without_plenty(setting))


def _search(setting: Setting) -> None:
    progress, scarce = setting.progress, _without_plenty(setting)
    _take(setting, setting, rounded(setting))
    if progress.plan is None:
        _improve(setting, scarce)
    _widen(setting, scarce)


def _improve(setting: Setting, scarce: Setting) -> None:
    """Look for a better plan among those that waste no more than a GPU of every pool, by MILP."""
    for own in [setting] if scarce is setting else [scarce, setting]:
        pools = own.columns.gpu.shape[1] * len(own.task.weight)
        gap = min(what_may_be_lost(setting), pools * float(own.relaxation.gpu.sum()))
        # GPUs worth nothing hide how much is left of the others.
        left = own if (_plenty(own) & (own.task.count > 0)).any() else few_left(own, gap)
        plan = None if left is None else plan_beside_bulk(left, own.task.count)
        if plan is not None and _take(setting, own, plan):
            return


def _widen(setting: Setting, scarce: Setting) -> None:
    """Search all plans within a gap that grows."""
    progress, complete = setting.progress, True
    gap = FIRST_PART * abs(setting.relaxation.bound)
    while not progress.closed:
        setting.deadline.check()
        missing = what_may_be_lost(setting)
        gap, before = min(gap, missing), progress.stats.get("pairs", 0)
        try:
            found = _search_level(setting, scarce, gap, complete=complete)
        except _TooFewError:
            scarce = setting
            continue
        except TooManyError:
            if not complete:
                return
            complete = False
            continue
        if not found and gap >= missing:
            return
        complete = complete or found
        if not found:
            wider = _wider(progress.stats.get("pairs", 0) - before)
            gap = wider * gap if wider * WIDER[0] * gap < missing else missing


def _wider(pairs: float) -> float:
    """By how much more a plan may lose after a search of so many pairs."""
    least, most = WIDER
    return min(most, max(least, float((EASY / max(pairs, 1)) ** (1 / POWER))))


def _search_level(setting: Setting, scarce: Setting, gap: float, *, complete: bool) -> bool:
    """Find a better plan that loses no more than the gap, and lower the bound where all of them were searched.

    Args:
        setting: the instance.
        scarce: the same without GPUs that are plenty.
        gap: what a plan may lose.
        complete: search all such plans if possible, not only some.

    Returns:
        Whether there is one.

    Raises:
        _TooFewError: a plan needs more GPUs of a type than there are.
        TooManyError: too much is left next to the bulk.
        OutOfTimeError: the deadline has passed.
    """
    progress = setting.progress
    all_lost = gap >= what_may_be_lost(setting)
    narrowed = narrow(scarce, gap)
    proving = all_lost and progress.plan is not None and complete
    most = MOST_PROVING if proving and not setting.task.one_per_sequence else MOST_LEFT
    if complete and narrowed and narrowed[-1].setting.task.count.max() > most:
        raise TooManyError
    # Where a plan as good as this is known, some others will hardly be better.
    narrowed = narrowed[:1] if not complete else narrowed[-1:] if proving else narrowed
    for left in narrowed:
        if search_within(left.setting, gap):
            if not _take(setting, scarce, left.plan):
                raise TooManyError if scarce is setting else _TooFewError
            if left.exact:
                progress.lower(progress.target)
            return True
    if not narrowed or (complete and narrowed[-1].exact):
        progress.lower(progress.target if all_lost else setting.relaxation.bound - gap)
        progress.exhausted = all_lost and progress.plan is None
    return False


def _plenty(setting: Setting) -> np.ndarray:
    """Types of which there are more GPUs than plans need, so that they are worth nothing."""
    prices = setting.relaxation
    return np.asarray(prices.gpu * setting.task.count <= 2 * LEAST_WORTH * abs(prices.bound))


def _without_plenty(setting: Setting) -> Setting:
    """The setting without GPU types that are worth nothing, as there are more of them than plans need.

    A model that such GPUs can serve alone, all that it may be asked for by one pipeline, has only this one left.
    """
    task, columns, plenty = setting.task, setting.columns, _plenty(setting)
    if task.cost or not plenty.any():
        return setting
    free = np.isin(columns.gpu, np.flatnonzero(plenty))
    alone = ~(columns.live & ~free).any(axis=1)
    served = np.unique(columns.model[alone])
    rows = [np.flatnonzero(alone & (columns.model == m)) for m in served]
    kept = np.array([own[np.argmin(setting.relaxation.excess[own])] for own in rows], dtype=np.int64)
    free[kept] = False
    left = replace(
        columns,
        gpu=np.where(free, -1, columns.gpu),
        share=np.where(free, 1, columns.share),
        rate=np.where(free, np.inf, columns.rate),
    )
    others = np.setdiff1d(np.flatnonzero(np.isin(columns.model, served)), kept)
    needed = task.weight[served] * abs(setting.relaxation.bound) @ usage(columns.take(kept), len(plenty))
    # A GPU of each pool more than a plan as good as the bound needs.
    enough = np.where(needed > 0, np.ceil(needed) + columns.gpu.shape[1] * len(kept), 0.0)
    if (plenty & (enough > task.count)).any():
        return setting
    count = np.where(plenty, enough, task.count).astype(np.int64)
    return replace(setting, task=replace(task, count=count), columns=left, relaxation=setting.relaxation.beside(others))


def _take(setting: Setting, scarce: Setting, plan: Counts) -> bool:
    """Take a plan, with the GPUs added that were left out; whether it is better than the one before."""
    columns = setting.columns
    whole: Counts = []
    for column, count in together(plan):
        live, rate = scarce.columns.live[column], columns.rate[column]
        served = float((count[live] * rate[live]).min())
        needed = np.where(columns.live[column], np.ceil(served / rate * (1 - ROUNDING)), 0).astype(np.int64)
        whole.append((column, np.where(live, count, needed)))
    value = value_of(setting.task, columns, whole)
    better = value > setting.progress.value
    setting.progress.improve(value, whole)
    return better
