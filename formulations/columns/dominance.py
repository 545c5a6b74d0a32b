"""Columns that another one of the same model and GPU types makes superfluous."""

from __future__ import annotations

import numpy as np

from formulations.columns.enumeration import Columns, Floats, Ints

EQUAL = 1e-9
"""Relative distance of numbers that differ by rounding."""


def undominated(columns: Columns) -> Ints:
    """Indices of the columns that no other one can replace in every plan.

    Column a replaces b where each share of b divides that of a and a whole GPU serves as much in every partition: g
    virtual GPUs of b become g · v_a / v_b of a on as many GPUs.
    """
    whole = np.where(columns.live, columns.share * columns.rate, 0.0)
    kind = columns.sequence
    kept = [_of_kind(whole, columns.share, np.flatnonzero(kind == k)) for k in np.unique(kind)]
    return np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *kept]))


def _of_kind(whole: Floats, share: Ints, rows: Ints) -> Ints:
    order = rows[np.argsort(-whole[rows].sum(axis=1), kind="stable")]
    kept = np.zeros(0, dtype=np.int64)
    for row in order:
        better = (whole[kept] >= whole[row]).all(axis=1) & (share[kept] % share[row] == 0).all(axis=1)
        if not better.any():
            kept = np.append(kept, row)
    return kept


def unmerged(columns: Columns) -> Ints:
    """Indices of the columns but those on whole GPUs that cut in vain: another one puts neighbours of a type together.

    It needs no more whole GPUs of any type then, and none of a pool of divided ones.
    """
    whole = (columns.share == 1).all(axis=1)
    gpu, each = columns.gpu, np.where(columns.live, 1 / columns.rate, 0.0)
    run = np.cumsum(np.column_stack([np.ones(len(gpu), dtype=bool), gpu[:, 1:] != gpu[:, :-1]]), axis=1) - 1
    used, types = np.zeros(gpu.shape), np.full(gpu.shape, -1)
    for k in range(gpu.shape[1]):
        rows = np.flatnonzero(gpu[:, k] >= 0)
        used[rows, run[rows, k]] += each[rows, k]
        types[rows, run[rows, k]] = gpu[rows, k]
    cut = np.flatnonzero(whole & (types != gpu).any(axis=1))
    joint = np.flatnonzero(whole & (types == gpu).all(axis=1))
    kept = np.ones(len(gpu), dtype=bool)
    for row in cut:
        same = (columns.model[joint] == columns.model[row]) & (types[joint] == types[row]).all(axis=1)
        kept[row] = not (used[joint[same]] <= used[row] * (1 + EQUAL)).all(axis=1).any()
    return np.flatnonzero(kept)
