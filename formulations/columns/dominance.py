"""Columns that another one of the same model and GPU types makes superfluous."""

from __future__ import annotations

import numpy as np

from formulations.columns.enumeration import Columns, Floats, Ints


def undominated(columns: Columns) -> Ints:
    """Indices of the columns that no other one can replace in every plan.

    Column a replaces b where each share of b divides that of a and a whole GPU serves as much in every partition: g
    virtual GPUs of b become g · v_a / v_b of a on as many GPUs.
    """
    whole = np.where(columns.live, columns.share * columns.rate, 0.0)
    gpu = columns.gpu + 1
    kind = columns.model * (gpu.max(initial=0) + 1) ** gpu.shape[1] + gpu @ (gpu.max(initial=0) + 1) ** np.arange(
        gpu.shape[1]
    )
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
