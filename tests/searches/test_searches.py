"""Every search on its fixed sample: nothing is wrong. `make fuzz` goes on from other seeds."""

from __future__ import annotations

import pytest

from .campaign import look
from .search import searches

SLOW = {"attainment-bounds"}
"""Searches of which a single seed takes longer than two seconds."""


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        pytest.param(name, seed, marks=[pytest.mark.slow] * (name in SLOW))
        for name, search in searches().items()
        for seed in search.sample
    ],
)
def test_on_the_cases_of_a_seed(name, seed):
    """What the search says must hold does."""
    assert look(name, seed).faults == ()
