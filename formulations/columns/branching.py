"""One pipeline per sequence of GPU types: branch and bound over the columns that each sequence may use (ours).

The relaxation mixes columns of a sequence, which a plan may not. Where it does, the sequence's columns are divided in
two by how they use GPU types, so that those mixed are parted; each half has a relaxation that mixes less.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from formulations.columns.enumeration import Columns, Ints
from formulations.columns.level import Setting
from formulations.columns.relaxation import Relaxation, relax, usage


def branches(setting: Setting) -> Iterator[Relaxation]:
    """Relaxations over parts of the columns, by falling bound, none of which mixes columns of a sequence.

    Every plan with one pipeline per sequence is one of the columns of some part; those of other parts have infinite
    excess.

    Raises:
        OutOfTimeError: the deadline has passed.
    """
    opened = [(-setting.relaxation.bound, 0, np.arange(len(setting.columns)), setting.relaxation)]
    number = 0
    while opened:
        setting.deadline.check()
        _, _, kept, relaxation = heapq.heappop(opened)
        halves = _halves(setting.columns, kept, relaxation, len(setting.task.count))
        if not halves:
            yield relaxation
        for half in halves:
            solved = _relaxed(setting, half)
            if solved is not None:
                number += 1
                heapq.heappush(opened, (-solved.bound, number, half, solved))


def _relaxed(setting: Setting, kept: Ints) -> Relaxation | None:
    """The relaxation over these columns, in terms of all columns; None: they cannot serve the rates."""
    models = np.unique(setting.columns.model[kept])
    solved = relax(setting.task, setting.columns.take(kept)) if len(models) == len(setting.task.weight) else None
    if solved is None:
        return None
    excess = np.full(len(setting.columns), np.inf)
    excess[kept] = solved.excess
    return replace(solved, excess=excess, basis={int(kept[c]): served for c, served in solved.basis.items()})


def _halves(columns: Columns, kept: Ints, relaxation: Relaxation, types: int) -> list[Ints]:
    """Two parts of the columns that part those of a sequence that are mixed; none are: no parts."""
    of_sequence: dict[int, list[int]] = defaultdict(list)
    for column in sorted(relaxation.basis, key=lambda c: (-relaxation.basis[c], c)):
        of_sequence[int(columns.sequence[column])].append(column)
    mixed = [own for own in of_sequence.values() if len(own) > 1]
    if not mixed:
        return []
    first, second = max(mixed, key=lambda own: relaxation.basis[own[1]] * relaxation.model[columns.model[own[1]]])[:2]
    own = columns.sequence[kept] == columns.sequence[first]
    used = usage(columns.take(np.array([first, second, *kept])), types)
    along = used @ (used[0] - used[1])
    upper = along[2:] > (along[0] + along[1]) / 2
    if upper[kept == first].all() == upper[kept == second].all():
        upper = kept == first
    return [kept[~own | upper], kept[~own | ~upper]]
