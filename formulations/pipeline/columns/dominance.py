"""Dominance between columns: another one of the same model and GPU types can replace a column in every plan.

Rates are compared with `SUMS` as slack, so a column's replacement may serve less by that part. The value of a plan
comes from its own columns, and bounds have the same slack.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from formulations.pipeline.columns.enumeration import Columns, Floats, Ints
from formulations.tolerances import SUMS

EQUAL = 1e-9
"""Part of the worth of a request below which a column's reduced cost comes from the least worth of plentiful GPUs."""
DIGITS = 11
"""Digits for comparing sums that differ by rounding."""


def undominated(columns: Columns, across: NDArray[np.bool_] | None = None) -> Ints:
    """Indices of the columns that no other column dominates, ascending.

    Column a dominates b if, at every position, the share v_b divides v_a and a whole GPU of a serves as much as one of
    b. Then g · v_a / v_b virtual GPUs of a can replace g of b, and fill as many GPUs of the same pool.

    Args:
        columns: all columns.
        across: whether a column may replace those of other sequences too. Their live partitions are on the same GPU
            types, at the same positions or all on whole GPUs, which need no pools. None forbids it.
    """
    whole, share = np.where(columns.live, columns.share * columns.rate, 0.0), columns.share
    kind, free = columns.sequence, np.zeros(len(columns), dtype=bool)
    if across is not None:
        free, alone = across, (np.where(columns.live, share, 1) == 1).all(axis=1)
        order = np.argsort(~columns.live & alone[:, None], axis=1, kind="stable")
        whole, share, gpu = (np.take_along_axis(entry, order, axis=1) for entry in (whole, share, columns.gpu))
        kind = np.unique(np.column_stack([columns.model, gpu]), axis=0, return_inverse=True)[1].reshape(-1)
    kept: list[int] = []
    for k in np.unique(kind):
        rows = np.flatnonzero(kind == k)
        ours: list[int] = []
        # Among columns that serve the same, the one with most shares comes first and replaces the others.
        total, parts = np.round(np.log(whole[rows].sum(axis=1)), DIGITS), np.log(share[rows]).sum(axis=1)
        for row in rows[np.lexsort((~free[rows], -parts, -total))]:
            may = free[ours] | (columns.sequence[ours] == columns.sequence[row])
            least = whole[row] * (1 - SUMS)
            better = (whole[ours] >= least).all(axis=1) & (share[ours] % share[row] == 0).all(axis=1)
            if not (better & may).any():
                ours.append(int(row))
        kept += ours
    return np.array(sorted(kept), dtype=np.int64)


def unmerged(columns: Columns, candidates: Ints, *, alone: bool = False) -> Ints:
    """Indices of the columns without those candidates that cut the model in vain, ascending.

    A cut between neighbours on whole GPUs of the same type is in vain if an equally fast column has them as one
    partition, which then needs no more GPUs than the two together. Partitions after the cut change their position. If
    such a partition is on a part of a GPU, its virtual GPUs change their pool. That wastes nothing if all columns that
    divide the old pool's GPUs are replaced too, with the same new pool.

    Args:
        columns: all columns that plans may use.
        candidates: those that may be left out.
        alone: whether only columns that are alone in their sequence replace others, since a plan with one pipeline per
            sequence may always use those.
    """
    runs, live = _runs(columns), columns.live
    uncut = runs.length == live.sum(axis=1)
    joint = np.flatnonzero(uncut)
    if alone:
        joint = joint[np.bincount(columns.sequence)[columns.sequence[joint]] == 1]
    by_kind: dict[tuple[int, bytes], list[int]] = defaultdict(list)
    for row in joint:
        by_kind[int(columns.model[row]), runs.kind[row].tobytes()].append(int(row))
    moves: dict[int, dict[int, int]] = {}
    for row in candidates[~uncut[candidates]]:
        same = by_kind.get((int(columns.model[row]), runs.kind[row].tobytes()))
        if same and (runs.each[same] <= runs.each[row] * (1 + SUMS)).all(axis=1).any():
            divided = np.flatnonzero(live[row] & (columns.share[row] > 1))
            moves[int(row)] = {int(k): int(runs.of[row, k]) for k in divided if runs.of[row, k] != k}
    dropped = _vacatable(columns, moves)
    return np.setdiff1d(np.arange(len(columns)), dropped)


@dataclass(frozen=True, slots=True)
class _Runs:
    """Positions of columns, with neighbours on whole GPUs of a type merged.

    Attributes:
        of: run of each position.
        length: number of runs.
        kind: GPU type and share of each run.
        each: seconds per request of a virtual GPU of the run; zeros beyond the last run.
    """

    of: Ints
    length: Ints
    kind: Ints
    each: Floats


def _runs(columns: Columns) -> _Runs:
    """Columns with neighbours on whole GPUs of one type merged; partitions on parts of GPUs stay alone."""
    gpu, share, live = columns.gpu, columns.share, columns.live
    starts = np.ones(gpu.shape, dtype=bool)
    starts[:, 1:] = (gpu[:, 1:] != gpu[:, :-1]) | (share[:, 1:] > 1) | (share[:, :-1] > 1)
    of = np.cumsum(starts, axis=1) - 1
    each, kind = np.zeros(gpu.shape), np.full((*gpu.shape, 2), -1, dtype=np.int64)
    for k in range(gpu.shape[1]):
        rows = np.flatnonzero(live[:, k])
        each[rows, of[rows, k]] += 1 / columns.rate[rows, k]
        kind[rows, of[rows, k]] = np.stack([gpu[rows, k], share[rows, k]], axis=1)
    return _Runs(of, (starts & live).sum(axis=1), kind.reshape(len(gpu), -1), each)


def _vacatable(columns: Columns, moves: dict[int, dict[int, int]]) -> Ints:
    """Columns that can be replaced because all users of each pool that they leave also leave it, ascending.

    Args:
        columns: all columns that plans may use.
        moves: for each candidate, the new position of each of its partitions on parts of GPUs with a changed position.
    """
    dropped = dict(moves)
    # A column can go only if others go as well, so those that cannot are put back until all can.
    while True:
        blocked = [row for row, moved in dropped.items() if not _vacates(columns, row, moved, dropped)]
        if not blocked:
            return np.array(sorted(dropped), dtype=np.int64)
        for row in blocked:
            del dropped[row]


def _vacates(columns: Columns, row: int, moved: dict[int, int], dropped: dict[int, dict[int, int]]) -> bool:
    """Whether all users of each pool that a column leaves are also replaced, with that pool's new position.

    Args:
        columns: all columns that plans may use.
        row: the column.
        moved: old and new positions of its partitions on parts of GPUs.
        dropped: such positions of all columns to replace.
    """
    for k, to in moved.items():
        pool = (columns.model == columns.model[row]) & (columns.gpu[:, k] == columns.gpu[row, k])
        users = np.flatnonzero(pool & (columns.share[:, k] > 1))
        if any(dropped.get(int(user), {}).get(k) != to for user in users):
            return False
    return True
