"""What a simulation draws beside arrivals: factors on durations, and where the draws of routers begin."""

from __future__ import annotations

import numpy as np

from euclio.serving.units import Floats, Ints

FACTORS = 1 << 16
"""Factors that are drawn, then used in turn."""


def duration_factors(noise: float, seed: int) -> Floats:
    """Log-normal factors of mean 1 by which durations differ from the expected ones (PPipe §7.1 measures them).

    Args:
        noise: their coefficient of variation; 0: all are 1.
        seed: seed; arrivals of the same seed have streams of their own.
    """
    if not noise:
        return np.ones(1)
    variance = np.log1p(noise**2)
    stream = np.random.default_rng([seed, 1])
    return np.exp(stream.normal(-variance / 2, np.sqrt(variance), FACTORS))


MULTIPLIERS = 40014, 40692
MODULI = 2147483563, 2147483399
"""Of the two multiplicative generators that are combined (L'Ecuyer 1988, CACM 31, 742)."""
STREAM = 2
"""Tells these draws from arrivals and noise of the same seed."""


def first_draws(seed: int, modules: int) -> Ints:
    """The states of the two generators of each module, shape (modules, 2) (docs/model/serving.md, draws).

    Args:
        seed: of the simulation.
        modules: how many there are; each has generators of its own, so that none depends on what others draw.
    """
    drawn = np.random.SeedSequence((seed, STREAM)).generate_state(2 * modules, np.uint32)
    states: Ints = 1 + drawn.reshape(modules, 2).astype(np.int64) % (np.array(MODULI) - 1)
    return states
