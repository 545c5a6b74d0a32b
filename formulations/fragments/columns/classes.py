"""Bounds for many fragments: time budgets rounded up to few classes, which no plan gets worse by (ours)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formulations.fragments.columns.types import Types


def rounded_up(types: Types, classes: int) -> Types:
    """The types with the limits of each begin rounded up to few, each of about as many fragments.

    With more time no plan becomes infeasible, so that a bound on these fragments is one on those.

    Args:
        types: types, sorted by begin, then by limit.
        classes: most limits of a begin.
    """
    begins, limits, members = [], [], []
    for begin in np.unique(types.begin).tolist():
        own = np.flatnonzero(types.begin == begin)
        counts = types.counts[own]
        place = (np.cumsum(counts) - 1) * classes // int(counts.sum())
        for number in np.unique(place).tolist():
            kinds = own[place == number]
            begins.append(begin)
            limits.append(int(types.limit[kinds[-1]]))
            members.append(tuple(k for kind in kinds.tolist() for k in types.members[kind]))
    return replace(
        types, begin=np.array(begins, dtype=np.int64), limit=np.array(limits, dtype=np.int64), members=tuple(members)
    )
