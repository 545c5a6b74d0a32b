"""One pipeline per sequence of GPU types: branch and bound over the columns that each sequence may use (ours).

A branch is a part of the columns: those of others have infinite excess in its relaxation. Two things are branched on:

1. The relaxation mixes columns of a sequence, which a plan may not: the sequence's columns are divided in two by how
   they use GPU types, so that those mixed are parted.
2. A branch is not searched to the end, as several columns serve the same at the same loss: one of them or another.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from formulations.pipeline.columns.dominance import EQUAL, unmerged
from formulations.pipeline.columns.enumeration import Ints
from formulations.pipeline.columns.level import Setting
from formulations.pipeline.columns.narrowing import loosest
from formulations.pipeline.columns.progress import Progress
from formulations.pipeline.columns.relaxation import Relaxation, relax, usage

MOST_SEARCHED = 50
"""Branches that are searched; after that those that are not searched to the end stay so."""


def search_branches(setting: Setting, search: Callable[[Setting], None]) -> None:
    """Search branches by falling bound until no other can have a better plan.

    Args:
        setting: the instance.
        search: finds the best plan of columns with finite excess if it can, and lowers the bound of the progress.

    Raises:
        OutOfTimeError: the deadline has passed.
    """
    progress, proven, exhausted, searched = setting.progress, -math.inf, True, 0
    opened = [(-progress.bound, 0, setting.relaxation)]
    number = 0
    while opened:
        setting.deadline.check()
        bound, _, relaxation = heapq.heappop(opened)
        progress.lower(max(-bound, proven))
        if -bound <= progress.target:
            exhausted = False
            break
        branch = replace(setting, relaxation=relaxation, progress=replace(progress, bound=-bound, trace=[]))
        halves = _mixed(branch)
        if not halves:
            searched += 1
            _search(branch, search, progress)
            own = branch.progress
            done = own.exhausted or own.bound <= own.target or own.closed
            # Plans on fractions of GPUs are never searched to the end.
            over = done or searched >= MOST_SEARCHED or not setting.task.whole
            halves = [] if over else _loose(branch)
            exhausted = exhausted and own.exhausted
            proven = proven if halves else max(proven, -math.inf if own.exhausted else own.bound)
        for half in halves:
            solved = _relaxed(setting, half)
            if solved is not None:
                number += 1
                heapq.heappush(opened, (-min(solved.bound, branch.progress.bound), number, solved))
    progress.exhausted = exhausted and progress.plan is None
    progress.lower(proven)


def _search(branch: Setting, search: Callable[[Setting], None], progress: Progress) -> None:
    try:
        search(branch)
    finally:
        if branch.progress.plan is not None:
            progress.improve(branch.progress.value, branch.progress.plan)


def _relaxed(setting: Setting, kept: Ints) -> Relaxation | None:
    """The relaxation over these columns, in terms of all columns; None: they cannot serve the rates."""
    columns = setting.columns
    kept = kept[unmerged(columns.take(kept), np.arange(len(kept)), alone=True)]
    models = np.unique(columns.model[kept])
    solved = relax(setting.task, columns.take(kept)) if len(models) == len(setting.task.weight) else None
    if solved is None:
        return None
    excess = np.full(len(columns), np.inf)
    excess[kept] = solved.excess
    return replace(solved, excess=excess, basis={int(kept[c]): served for c, served in solved.basis.items()})


def _mixed(branch: Setting) -> list[Ints]:
    """Two parts of the columns that part those of a sequence that are mixed; none are: no parts."""
    columns, relaxation = branch.columns, branch.relaxation
    of_sequence: dict[int, list[int]] = defaultdict(list)
    for column in sorted(relaxation.basis, key=lambda c: (-relaxation.basis[c], c)):
        of_sequence[int(columns.sequence[column])].append(column)
    mixed = [own for own in of_sequence.values() if len(own) > 1]
    if not mixed:
        return []
    first, second = max(mixed, key=lambda own: relaxation.basis[own[1]] * relaxation.model[columns.model[own[1]]])[:2]
    kept = np.flatnonzero(np.isfinite(relaxation.excess))
    used = usage(columns.take(np.array([first, second, *kept])), len(branch.task.count))
    along = used @ (used[0] - used[1])
    upper = along[2:] > (along[0] + along[1]) / 2
    if upper[kept == first].all() == upper[kept == second].all():
        upper = kept == first
    own = columns.sequence[kept] == columns.sequence[first]
    return [kept[~own | upper], kept[~own | ~upper]]


def _loose(branch: Setting) -> list[Ints]:
    """Two parts of the columns: of a sequence that others can do without, one column or the others; or no parts."""
    columns, excess = branch.columns, branch.relaxation.excess
    kept = np.flatnonzero(np.isfinite(excess))
    several = {s for s, number in Counter(columns.sequence[kept].tolist()).items() if number > 1}
    equal = kept[excess[kept] <= EQUAL * branch.relaxation.model[columns.model[kept]]]
    for column in [*loosest(branch), *equal.tolist()]:
        if int(columns.sequence[column]) in several:
            others = columns.sequence[kept] != columns.sequence[column]
            return [kept[others | (kept == column)], kept[kept != column]]
    return []
