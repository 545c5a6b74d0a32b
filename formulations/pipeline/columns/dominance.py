"""Columns that another one of the same model and GPU types makes superfluous."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from formulations.pipeline.columns.enumeration import Columns, Floats, Ints
from formulations.pipeline.columns.task import ROUNDING

EQUAL = 1e-9
"""Part of what a column serves below which what it loses is nothing but the least worth of plentiful GPUs."""
DIGITS = 11
"""Digits to which sums are compared that differ by rounding."""


def undominated(columns: Columns, across: NDArray[np.bool_] | None = None) -> Ints:
    """Indices of the columns that no other one can replace in every plan.

    Column a replaces b where each share of b divides that of a and a whole GPU serves as much in every partition: g
    virtual GPUs of b become g · v_a / v_b of a on as many GPUs.

    Args:
        columns: all columns.
        across: whether a column may replace those of other sequences too, whose live partitions are on the same GPU
            types, at the same positions or all on whole GPUs, which need no pools; None: none may.
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
        # Of columns that serve the same, the one with most shares comes first: it replaces the others.
        total, parts = np.round(np.log(whole[rows].sum(axis=1)), DIGITS), np.log(share[rows]).sum(axis=1)
        for row in rows[np.lexsort((~free[rows], -parts, -total))]:
            may = free[ours] | (columns.sequence[ours] == columns.sequence[row])
            least = whole[row] * (1 - ROUNDING)
            better = (whole[ours] >= least).all(axis=1) & (share[ours] % share[row] == 0).all(axis=1)
            if not (better & may).any():
                ours.append(int(row))
        kept += ours
    return np.array(sorted(kept), dtype=np.int64)


def unmerged(columns: Columns, candidates: Ints, *, alone: bool = False) -> Ints:
    """Indices of the columns but those candidates that cut in vain: another one puts neighbours on whole GPUs together.

    It needs no more whole GPUs of any type then. Where it has a divided partition at another position, the virtual GPUs
    change their pool; that wastes nothing if nothing else is left in the old one: all columns that divide its GPUs are
    replaced as well, with the same new pool.

    Args:
        columns: all columns that plans may use.
        candidates: those that may be left out.
        alone: put together only where a sequence has a single column, so that a plan may use it in any case.
    """
    runs = _runs(columns)
    joint = np.flatnonzero(runs.length == columns.live.sum(axis=1))
    if alone:
        joint = joint[np.bincount(columns.sequence)[columns.sequence[joint]] == 1]
        candidates = candidates if len(joint) else candidates[:0]
    moves: dict[int, dict[int, int]] = {}
    for row in candidates:
        same = joint[(columns.model[joint] == columns.model[row]) & (runs.length[joint] < columns.live[row].sum())]
        same = same[(runs.kind[same] == runs.kind[row]).all(axis=1)]
        if (runs.each[same] <= runs.each[row] * (1 + ROUNDING)).all(axis=1).any():
            divided = np.flatnonzero(columns.live[row] & (columns.share[row] > 1))
            moves[int(row)] = {int(k): int(runs.of[row, k]) for k in divided if runs.of[row, k] != k}
    dropped = _vacating(columns, moves)
    return np.setdiff1d(np.arange(len(columns)), dropped)


@dataclass(frozen=True, slots=True)
class _Runs:
    """Positions of columns with neighbours on whole GPUs of a type put together.

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


def _vacating(columns: Columns, moves: dict[int, dict[int, int]]) -> Ints:
    """Those columns that can be replaced with these new positions, so that no pool left is used by others."""
    dropped = dict(moves)
    while True:
        blocked = [row for row, moved in dropped.items() if not _vacates(columns, row, moved, dropped)]
        if not blocked:
            return np.array(sorted(dropped), dtype=np.int64)
        for row in blocked:
            del dropped[row]


def _vacates(columns: Columns, row: int, moved: dict[int, int], dropped: dict[int, dict[int, int]]) -> bool:
    for k, to in moved.items():
        pool = (columns.model == columns.model[row]) & (columns.gpu[:, k] == columns.gpu[row, k])
        users = np.flatnonzero(pool & (columns.share[:, k] > 1))
        if any(dropped.get(int(user), {}).get(k) != to for user in users):
            return False
    return True
