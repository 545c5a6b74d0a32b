"""Real over expected durations of services: log-normal factors of mean 1 (PPipe §7.1 has measured ones; ours)."""

from __future__ import annotations

import numpy as np

from euclio.serving.units import Floats

FACTORS = 1 << 16
"""Factors that are drawn, then used in turn."""


def duration_factors(noise: float, seed: int) -> Floats:
    """Factors by which durations differ from the expected ones.

    Args:
        noise: their coefficient of variation; 0: all are 1.
        seed: seed; arrivals of the same seed have streams of their own.
    """
    if not noise:
        return np.ones(1)
    variance = np.log1p(noise**2)
    stream = np.random.default_rng([seed, 1])
    return np.exp(stream.normal(-variance / 2, np.sqrt(variance), FACTORS))
