"""Many fragments: time budgets rounded to few classes, up for a bound and down for a plan (ours)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formulations.fragments.columns.types import Types


def rounded(types: Types, classes: int, *, up: bool) -> Types:
    """The types with the limits of each begin rounded to few, each of about as many fragments.

    With more time no plan becomes infeasible and no stage takes a larger share, so that a bound on fragments that are
    rounded up is one on those given, and a plan of fragments that are rounded down is one of those given.

    Args:
        types: types, sorted by begin, then by limit.
        classes: most limits of a begin.
        up: round up; False: down.
    """
    begins, limits, members = [], [], []
    for begin in np.unique(types.begin).tolist():
        own = np.flatnonzero(types.begin == begin)
        counts = types.counts[own]
        place = (np.cumsum(counts) - 1) * classes // int(counts.sum())
        for number in np.unique(place).tolist():
            kinds = own[place == number]
            begins.append(begin)
            limits.append(int(types.limit[kinds[-1 if up else 0]]))
            members.append(tuple(k for kind in kinds.tolist() for k in types.members[kind]))
    return replace(
        types, begin=np.array(begins, dtype=np.int64), limit=np.array(limits, dtype=np.int64), members=tuple(members)
    )
