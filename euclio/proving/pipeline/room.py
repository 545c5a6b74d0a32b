"""Which lumps still fit next to those that have to be in a plan (ours)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from euclio.proving.pipeline.lumps import Floats, Lumps
from euclio.proving.pipeline.pricing import Box

SLACK = 1e-9
"""Part of a GPU by which rounding may exceed what there is; what fits is decided in fractions at the end."""


def fitting(lumps: Lumps, box: Box, forced: frozenset[int], whole: bool) -> NDArray[np.bool_]:
    """Which lumps fit on the GPUs with the least that each other group uses of which one has to be there."""
    held = np.zeros(lumps.use.shape[1])
    own = np.zeros_like(lumps.use)
    for group in forced:
        members = np.flatnonzero(lumps.group == group)
        if len(members):
            least = lumps.use[members].min(axis=0)
            held += least
            own[members] = least
    use: Floats = lumps.use + (held - own)
    fits = np.asarray((use <= np.array(box.most) * (1 + SLACK) + SLACK).all(axis=1))
    for available, pools in zip(box.available, box.of_type, strict=True):
        taken = use[:, list(pools)]
        # Lowered before counting up, so that rounding never adds a GPU.
        if whole:
            taken = np.maximum(np.ceil(taken * (1 - SLACK) - SLACK), np.array([box.least[p] for p in pools]))
        fits &= np.asarray(taken.sum(axis=1) <= float(available) * (1 + SLACK) + SLACK)
    return fits
