"""What routers draw: where the generator of each module begins (docs/model/serving.md, draws)."""

from __future__ import annotations

import numpy as np

from euclio.serving.units import Ints

FACTORS = 40014, 40692
MODULI = 2147483563, 2147483399
"""Of the two multiplicative generators that are combined (L'Ecuyer 1988, CACM 31, 742)."""
STREAM = 2
"""Tells these draws from arrivals and noise of the same seed."""


def first_draws(seed: int, modules: int) -> Ints:
    """The states of the two generators of each module, shape (modules, 2).

    Args:
        seed: of the simulation.
        modules: how many there are; each has generators of its own, so that none depends on what others draw.
    """
    drawn = np.random.SeedSequence((seed, STREAM)).generate_state(2 * modules, np.uint32)
    states: Ints = 1 + drawn.reshape(modules, 2).astype(np.int64) % (np.array(MODULI) - 1)
    return states
